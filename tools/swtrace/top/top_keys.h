/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keys move in the list, choose what is shown, and edit the line at a prompt. Further actions are
 * returned to the caller.
 */
#ifndef TOP_KEYS_H
#define TOP_KEYS_H

#include <limits.h>
#include "top_view.h"

/* Keys that are not characters. */
enum top_key {
	TOP_KEY_NONE = -1,
	TOP_KEY_UP = 0x200000, /* above the last code point */
	TOP_KEY_DOWN,
	TOP_KEY_PAGE_UP,
	TOP_KEY_PAGE_DOWN,
	TOP_KEY_HOME,
	TOP_KEY_END,
	TOP_KEY_BACKSPACE,
	TOP_KEY_ENTER,
	TOP_KEY_ESCAPE,
};

enum top_todo { TOP_DRAW, TOP_QUIT, TOP_RESET, TOP_FREEZE, TOP_WRITE, TOP_CODE };

struct top_ui {
	struct top_view *view;
	/* TEXT: lines of help, or of code */
	enum { TOP_SHOWS_LIST, TOP_ASKS_FILTER, TOP_ASKS_FILE, TOP_SHOWS_TEXT } mode;
	uint32_t cursor, first; /* rows of the list, lines of the text */
	uint32_t page;          /* rows that fit the screen; set when drawing */
	char line[TOP_FILTER];  /* the text being typed */
	char said[PATH_MAX + 256];
	char *text; /* owned; freed when the user returns to the list */
};

/* Handles a key; `list` is the list being shown. Returns what the caller must do. */
enum top_todo top_keys_press(struct top_ui *ui, const struct top_list *list, int key);
/* Shows a text, of which it takes ownership, until a key returns to the list. */
void top_keys_text(struct top_ui *ui, char *text);
/* Returns the row under the cursor, or NULL if there is none. */
const struct top_row *top_keys_row(const struct top_ui *ui, const struct top_list *list);

#endif
