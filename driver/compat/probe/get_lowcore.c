// SPDX-License-Identifier: GPL-2.0
/* Does get_lowcore() (6.11) return s390's lowcore? It must since S390_lowcore was removed. */
#include <asm/lowcore.h>
void *probe(void);
void *probe(void)
{
	return get_lowcore();
}
