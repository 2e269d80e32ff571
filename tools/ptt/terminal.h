/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A terminal taken over for a while, and given back as it was, whatever ends us but a kill. */
#ifndef PTT_TERMINAL_H
#define PTT_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is standard output one that can be drawn on? */
bool screen_there(void);
/* draw: a terminal's; else signals and time alone are waited for. */
void screen_begin(bool draw);
void screen_end(void);
int screen_rows(void);
/* A whole picture: lines, which are cut at the terminal's edge. */
void screen_draw(const char *text, size_t size);

enum { SCREEN_TIME = -1, SCREEN_RESIZED = -2, SCREEN_ENDED = -3 };
/* Until that time (CLOCK_MONOTONIC, ns): a key, or one of these. */
int screen_wait(uint64_t until);

#endif
