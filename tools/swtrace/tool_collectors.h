/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The collectors that -B accepts. */
#ifndef SWTRACE_TOOL_COLLECTORS_H
#define SWTRACE_TOOL_COLLECTORS_H

/* Return names that -B accepts, separated by blanks: for a run, for samples, for instruction
 * traces, for init. */
const char *collectors_all(void);
const char *collectors_of_samples(void);
const char *collectors_of_instructions(void);
const char *collectors_of_sessions(void);

#endif
