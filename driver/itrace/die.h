/* SPDX-License-Identifier: GPL-2.0 */
/* Where traps come from: the kernel's die notifiers, one file an architecture. */
#ifndef PITRACE_ITRACE_DIE_H
#define PITRACE_ITRACE_DIE_H

#include <linux/types.h>

/* Traps of ours come from here on, as was tried: NULL, or why they do not. None is set when exit()
 * begins. */
const char *it_die_init(void);
void it_die_exit(void);
/* Where the kernel goes on when an access of its own fails is seen, too: NULL, or why it is not. */
#ifdef CONFIG_S390
const char *it_die_fixups(void);
#else
static inline const char *it_die_fixups(void)
{
	return NULL;
}
#endif

#endif
