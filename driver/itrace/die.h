/* SPDX-License-Identifier: GPL-2.0 */
/* The source of traps: the kernel's die notifiers, one file for each architecture. */
#ifndef PITRACE_ITRACE_DIE_H
#define PITRACE_ITRACE_DIE_H

#include <linux/types.h>

/* Tests whether traps arrive: NULL, or why they do not. No trap may be set when exit() is
 * called. */
const char *it_die_init(void);
void it_die_exit(void);
/* Also hooks the kernel's fixups after failed accesses: NULL, or why it cannot. */
#ifdef CONFIG_S390
const char *it_die_fixups(void);
#else
static inline const char *it_die_fixups(void)
{
	return NULL;
}
#endif

#endif
