/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The terminal: drawn on by ncurses, left as it was. */
#ifndef TOP_SCREEN_H
#define TOP_SCREEN_H

#include <stdbool.h>
#include <stdint.h>
#include "top_keys.h"

/* Whether there is a terminal that can be drawn on. *why: why not, in words for a user who has one;
 * NULL: there is none. */
bool top_screen_there(const char **why);
/* False: it cannot be drawn on. */
bool top_screen_begin(void);
void top_screen_end(void);
/* The size has changed. */
void top_screen_resized(void);
/* Lets the shell have it while the program is stopped, and takes it back. */
void top_screen_stop(void);
/* The next key that was pressed, TOP_KEY_NONE: none is left. */
int top_screen_key(void);
void top_screen_draw(struct top_ui *ui, const struct top_model *m, const struct top_list *list);

#endif
