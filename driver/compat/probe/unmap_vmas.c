// SPDX-License-Identifier: GPL-2.0
/* Is unmap_vmas() declared where all may see it? Then arguments 3 to 5 are the first mapping, start
 * and end. Where it is not (newer than 6.12) they stand in a struct of the memory manager's own. */
#include <linux/mm.h>
void *probe(void);
void *probe(void)
{
	return unmap_vmas;
}
