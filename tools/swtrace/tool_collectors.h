/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The collectors that programs' -B takes. */
#ifndef SWTRACE_TOOL_COLLECTORS_H
#define SWTRACE_TOOL_COLLECTORS_H

/* Names that -B takes, with blanks between them: of a run, of samples, of instruction traces, of
 * init. */
const char *collectors_all(void);
const char *collectors_of_samples(void);
const char *collectors_of_instructions(void);
const char *collectors_of_sessions(void);

#endif
