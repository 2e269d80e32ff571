// SPDX-License-Identifier: GPL-2.0
/* Can a mapping's flags be changed only by vm_flags_mod() (upstream bc292ab00f6c, 6.3)? */
#include <linux/mm.h>
void probe(struct vm_area_struct *v);
void probe(struct vm_area_struct *v)
{
	vm_flags_mod(v, VM_DONTCOPY, VM_MAYWRITE);
}
