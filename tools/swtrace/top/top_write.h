/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace of what is shown: of a period, with the names of all that lived in it. */
#ifndef TOP_WRITE_H
#define TOP_WRITE_H

#include "top_session.h"

/* Writes it; said (what was written, or why not) is for the screen. */
bool top_write(struct top_session *s, const struct top_period *p, const char *path, char *said,
	       size_t room);

#endif
