/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading a trace into the model, in two passes: first all that names need, because a name may be
 * told later than the code that has it runs; then the samples.
 */
#ifndef POST_READ_H
#define POST_READ_H

#include "formats/format.h"
#include "model/trace.h"
#include "model/tree.h"
#include "options.h"

/* What is wanted of the records beside names. */
enum { NEED_SAMPLES = 1, NEED_TIMES = 2, NEED_STACKS = 4, NEED_MARKS = 8, NEED_NAMES = 16 };

/* 0, or -errno. */
int read_trace(struct input *in, struct trace *t, struct model *m, const struct options *o,
	       unsigned int needs);

#endif
