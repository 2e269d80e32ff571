/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The registry of hooks into the kernel. Hooks that every session and ptt needs are registered when
 * the first one is turned on and removed after the last; hooks for memory, which only sessions
 * need, likewise; a family for one major, while any session that is on has that major. The hooks
 * themselves are in hook/ and itrace/, and are handed over once, at load.
 */
#ifndef PITRACE_HOOKS_H
#define PITRACE_HOOKS_H

#include <linux/build_bug.h>
#include <linux/kprobes.h>
#include <linux/tracepoint.h>
#include "pitrace.h"

struct hook_tracepoint {
	const char *name;
	void *probe;
	struct tracepoint *tp; /* found by name: __tracepoint_* are not exported */
	bool on;
};

/* One row of a table. Its prototype must be the one that this kernel calls it by, to the const: a
 * kernel with kCFI traps elsewhere, others hand over wrong arguments. The kernel's header of the
 * tracepoint declares it, so a file with a table includes that header. */
#define HOOK(tracepoint, f)                                                             \
	{                                                                               \
		.name = #tracepoint, .probe = (void *)(f) + HOOK_DIFFERS(tracepoint, f) \
	}
#define HOOK_DIFFERS(tracepoint, f) \
	BUILD_BUG_ON_ZERO(!__same_type(check_trace_callback_type_##tracepoint, void(typeof(f) *)))

/* The hooks that one major needs. */
struct hook_family {
	u16 major;
	struct hook_tracepoint *all;  /* each of them must be there */
	struct hook_tracepoint *some; /* as many of these as there are */
	struct kprobe *instead;       /* where there is none of `some` */
	bool breaks;                  /* ITrace needs them, too */
	bool unlisted;                /* other code decides whether the major is available */
	bool have, probed;
	int users;
};

/* All hooks of the driver. Tables of tracepoints end with a NULL name, of kprobes with NULL. */
struct hook_set {
	struct hook_tracepoint *task, *sched;
	struct kprobe **memory;
	struct hook_family *families;
	unsigned int nfamilies;
};

/* Find all that this kernel has; adds the majors that its hooks can record. Once, at load; the set
 * stays in use until the module goes. */
void hooks_init(const struct hook_set *set, u64 *majors);
/* Register what the majors of this bitmap need (NULL: none), and perhaps memory: 0 or -errno. The
 * same arguments release it. */
int hooks_get(const unsigned long *majors, bool memory);
void hooks_put(const unsigned long *majors, bool memory);
/* Has this kernel what this major needs? */
bool hooks_serve(u16 major);
/* The probe that this tracepoint calls; NULL: none of ours. */
const void *hooks_probe(const char *tracepoint);
/* Is this the address of one of our kprobes? */
bool hooks_own_kprobe(unsigned long address);

#endif
