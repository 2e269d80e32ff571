// SPDX-License-Identifier: GPL-2.0
/* The trap flag, and the synchronization of a thread's own hooks with clearing from other
 * contexts. */
#include <linux/processor.h>
#include "itrace/trap.h"

static struct it_thread *clearing; /* thread whose flag another context is clearing */

void it_clear_trap_of(struct it_thread *t)
{
	WRITE_ONCE(clearing, t);
	/* `clearing` before `ceded`: it_cede_trap() uses the reverse order */
	smp_mb();
	it_disarm(t);
	/* The registers before `clearing`. */
	smp_store_release(&clearing, NULL);
}

void it_cede_trap(struct it_thread *t)
{
	it_disarm(t);
	WRITE_ONCE(t->ceded, true);
	/* `ceded` before `clearing` */
	smp_mb();
	/* The wait is short: the other context runs few instructions with interrupts off. */
	while (smp_load_acquire(&clearing) == t)
		cpu_relax();
}
