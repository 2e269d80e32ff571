/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The code of a function with its ticks: post -annotate of what is shown. */
#ifndef TOP_CODE_H
#define TOP_CODE_H

#include "top_session.h"

/* What post says of the function in the period: a text that the caller frees, made for the screen;
 * or NULL with a sentence in why. */
char *top_code(struct top_session *s, const struct top_period *p, const char *function, char *why,
	       size_t room);

#endif
