/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The agent's interface for libhookit (joined_calls.h). */
#ifndef COMPILED_CALLS_H
#define COMPILED_CALLS_H

/* Makes the interface available: the agent counts calls from now on. */
void compiled_calls_show(void);

#endif
