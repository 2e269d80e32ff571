/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The live view from begin to end, on a terminal or for a pipe. */
#ifndef TOP_RUN_H
#define TOP_RUN_H

#include "top_session.h"
#include "top_view.h"

struct top_run {
	struct tracer_options t;
	struct top_view view;
	const char *metrics; /* their names, or NULL */
	uint64_t delay;      /* ns */
	uint64_t intervals;  /* 0: until the user ends it */
	uint32_t rows;       /* per interval in text output; 0: all */
	bool json;
};

/* Returns 0, or an exit code after a message. */
int top_run(struct top_run *r);

#endif
