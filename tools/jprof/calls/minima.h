/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The minima of other runs: found at the begin, for the log at the end. */
#ifndef MINIMA_H
#define MINIMA_H

#include <jvmti.h>

#include "log_rt.h"
#include "agent_options.h"

/* Sets what the log needs of it. */
void minima_begin(struct log_rt *log, jvmtiEnv *vm, const struct agent_options *o);
/* A file that was asked for, and does not serve, is missed by somebody: tells him. */
void minima_tell(const struct log_rt *log, const struct agent_options *o);

#endif
