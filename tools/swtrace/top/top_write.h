/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a trace of the period shown, with the names of all that existed in it. */
#ifndef TOP_WRITE_H
#define TOP_WRITE_H

#include "top_session.h"

/* Writes the trace. `said` is a message for the screen: what was written, or why not. */
bool top_write(struct top_session *s, const struct top_period *p, const char *path, char *said,
	       size_t room);

#endif
