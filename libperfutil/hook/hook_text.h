/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Builds paths in signal handlers, where snprintf may not be called. */
#ifndef PITRACE_HOOK_TEXT_H
#define PITRACE_HOOK_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct hook_text {
	char *to;
	size_t room, used;
	bool cut; /* the text did not fit */
};

/* Starts an empty text of at most room - 1 bytes, always followed by a NUL. */
static inline struct hook_text hook_text(char *to, size_t room)
{
	*to = 0;
	return (struct hook_text){ .to = to, .room = room };
}

static inline void hook_text_char(struct hook_text *t, char c)
{
	if (t->used + 1 >= t->room) {
		t->cut = true;
		return;
	}
	t->to[t->used++] = c;
	t->to[t->used] = 0;
}

static inline void hook_text_add(struct hook_text *t, const char *word)
{
	while (*word)
		hook_text_char(t, *word++);
}

static inline void hook_text_number(struct hook_text *t, unsigned long n)
{
	char digits[24];
	int i = 0;

	do
		digits[i++] = (char)('0' + n % 10);
	while ((n /= 10) != 0);
	while (i)
		hook_text_char(t, digits[--i]);
}

#endif
