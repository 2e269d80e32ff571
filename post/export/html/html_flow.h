/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The flow of an instruction trace, or of functions' entries and exits: the lines of -flow, in
 * their order, as many as a page can show.
 */
#ifndef POST_HTML_FLOW_H
#define POST_HTML_FLOW_H

#include "job.h"

struct html_flow_line {
	uint64_t count;  /* instructions, or ns */
	uint32_t thread; /* of names */
	uint32_t symbol; /* NO_KEY: unknown */
	uint32_t depth;
	uint8_t doubt; /* enum itrace_doubt */
	bool kernel;
};

struct html_flow {
	struct html_flow_line *line;
	uint32_t count, room;
	uint64_t left; /* later lines that are only counted */
};

/* Reads the trace once more. Returns 0 or -errno. */
int html_flow_read(struct html_flow *f, const struct job *job);
void html_flow_free(struct html_flow *f);

#endif
