// SPDX-License-Identifier: GPL-2.0
/* Is there local_try_cmpxchg() (upstream 8fc4fddaf9a1, 6.5)? */
#include <asm/local.h>
bool probe(local_t *l, long *old);
bool probe(local_t *l, long *old)
{
	return local_try_cmpxchg(l, old, 1);
}
