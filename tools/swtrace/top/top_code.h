/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The code of a function with its ticks: the output of post -annotate for the period shown. */
#ifndef TOP_CODE_H
#define TOP_CODE_H

#include "top_session.h"

/* Returns post's report of the function in the period as a text that the caller frees; or NULL with
 * a message in `why`. */
char *top_code(struct top_session *s, const struct top_period *p, const char *function, char *why,
	       size_t room);

#endif
