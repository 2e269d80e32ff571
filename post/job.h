/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace that was read, and the options for it: the input of each report and each writer. */
#ifndef POST_JOB_H
#define POST_JOB_H

#include "model/profile.h"
#include "model/read.h"
#include "model/tree.h"
#include "options.h"
#include "record/input.h"

struct job {
	const struct options *options;
	struct read_options read; /* the options that concern the model */
	struct input *input;
	struct trace *trace;
	struct model *model;
	uint64_t start; /* times are relative to it: 0, or with -reltime when tracing began */
	const struct left_out *left; /* what the filter dropped; NULL: no filter, or only -symbol */
	const struct stacks *stacks; /* of reports of call stacks, and their ticks */
	uint64_t stack_total;
	const struct pifile_fault *fault; /* distinct faults of the file */
	size_t nfaults, more_faults;      /* in the list, and only counted */
	bool terminal;                    /* the output is a terminal's screen */
};

#define REPORT_WRONG 1 /* sums differ or something was left out: reported on stderr */

/* Reads the counted samples once more (profile.h). The reader may resolve names as of each
 * sample. */
static inline int job_samples(const struct job *job, const struct profile_reader *reader)
{
	return read_samples(job->input, job->model, &job->read, reader);
}

#endif
