// SPDX-License-Identifier: GPL-2.0
/* Is a module's text in mem[MOD_TEXT] (upstream ac3b43283923, 6.4) and not in core_layout? */
#include <linux/module.h>
void *probe(struct module *m);
void *probe(struct module *m)
{
	return m->mem[MOD_TEXT].base;
}
