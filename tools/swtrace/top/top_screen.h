/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws on the terminal with ncurses and restores it at the end. */
#ifndef TOP_SCREEN_H
#define TOP_SCREEN_H

#include <stdbool.h>
#include <stdint.h>
#include "top_keys.h"

/* Returns whether there is a terminal that can be drawn on. If not, *why is the reason, or NULL if
 * there is no terminal. */
bool top_screen_there(const char **why);
/* Returns false if the terminal cannot be drawn on. */
bool top_screen_begin(void);
void top_screen_end(void);
/* Handles a change of the terminal's size. */
void top_screen_resized(void);
/* Returns the terminal to the shell, stops the program, and sets the terminal up again. */
void top_screen_stop(void);
/* Returns the next key that was pressed, or TOP_KEY_NONE. */
int top_screen_key(void);
void top_screen_draw(struct top_ui *ui, const struct top_model *m, const struct top_list *list);

#endif
