/* SPDX-License-Identifier: GPL-2.0 */
/* Instruction traces at load: does this machine support them? */
#ifndef PITRACE_ITRACE_LOAD_H
#define PITRACE_ITRACE_LOAD_H

#include <linux/types.h>

bool itrace_served(void);

#endif
