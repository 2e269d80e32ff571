/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What libhookit is shown of the agent (joined_calls.h). */
#ifndef COMPILED_CALLS_H
#define COMPILED_CALLS_H

/* From now on: the agent counts calls. */
void compiled_calls_show(void);

#endif
