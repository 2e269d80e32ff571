/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace that was read, and what is wanted of it: what each report and each writer is given. */
#ifndef POST_JOB_H
#define POST_JOB_H

#include "model/profile.h"
#include "model/read.h"
#include "model/tree.h"
#include "options.h"
#include "record/input.h"

struct job {
	const struct options *options;
	struct read_options read; /* of them what the model is told */
	struct input *input;
	struct trace *trace;
	struct model *model;
	const struct left_out *left; /* by a filter; NULL: there is none but -symbol */
	const struct stacks *stacks; /* that reports of call stacks are of, and their ticks */
	uint64_t stack_total;
	const struct pifile_fault *fault; /* distinct faults of the file */
	size_t nfaults, more_faults;      /* listed, and only counted */
	bool terminal;                    /* what is written is the screen of one */
};

#define REPORT_WRONG 1 /* sums differ, something was left out: said so on stderr */

/* The samples that were counted, once more (profile.h). Names may be asked for as of each. */
static inline int job_samples(const struct job *job, const struct profile_reader *reader)
{
	return read_samples(job->input, job->model, &job->read, reader);
}

#endif
