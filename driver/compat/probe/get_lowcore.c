// SPDX-License-Identifier: GPL-2.0
/* Is s390's lowcore found by get_lowcore() (6.11), as it must be since
 * S390_lowcore went? */
#include <asm/lowcore.h>
void *probe(void);
void *probe(void)
{
	return get_lowcore();
}
