// SPDX-License-Identifier: GPL-2.0
/* Is unmap_vmas() declared in a public header? Then arguments 3 to 5 are the first mapping, start
 * and end. If not (newer than 6.12) they are in a private struct of the memory manager. */
#include <linux/mm.h>
void *probe(void);
void *probe(void)
{
	return unmap_vmas;
}
