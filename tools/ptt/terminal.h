/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Takes over the terminal and restores it at the end, however the program ends except by
 * SIGKILL. */
#ifndef PTT_TERMINAL_H
#define PTT_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns whether standard output is a terminal that can be drawn on. */
bool screen_there(void);
/* draw: takes over the terminal; otherwise screen_wait() only waits for signals and time. */
void screen_begin(bool draw);
void screen_end(void);
int screen_rows(void);
/* Draws a whole screen of lines, which are truncated at the terminal's edge. */
void screen_draw(const char *text, size_t size);

enum { SCREEN_TIME = -1, SCREEN_RESIZED = -2, SCREEN_ENDED = -3 };
/* Waits until that time (CLOCK_MONOTONIC, ns). Returns a key, or one of these. */
int screen_wait(uint64_t until);

#endif
