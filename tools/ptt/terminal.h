/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A terminal that is taken over and restored at the end, whatever ends the program but SIGKILL. */
#ifndef PTT_TERMINAL_H
#define PTT_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is standard output a terminal that can be drawn on? */
bool screen_there(void);
/* draw: take over the terminal; else only signals and time are waited for. */
void screen_begin(bool draw);
void screen_end(void);
int screen_rows(void);
/* A whole picture: lines, which are cut at the terminal's edge. */
void screen_draw(const char *text, size_t size);

enum { SCREEN_TIME = -1, SCREEN_RESIZED = -2, SCREEN_ENDED = -3 };
/* Until that time (CLOCK_MONOTONIC, ns): a key, or one of these. */
int screen_wait(uint64_t until);

#endif
