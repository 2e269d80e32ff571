/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The registry of hooks into the kernel. Hooks that every session and ptt needs are registered when
 * the first one is turned on and removed after the last; hooks for memory, which only sessions
 * need, likewise; a family for one major, while any session that is on has that major. The hooks
 * themselves are in hook/ and itrace/, and are passed in once, at load.
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

/* One row of a table. The probe's prototype must match this kernel's tracepoint exactly, down to
 * const: otherwise a kernel with kCFI traps, and others pass wrong arguments. The kernel's header
 * of the tracepoint declares it, so a file with a table includes that header. */
#define HOOK(tracepoint, f)                                                             \
	{                                                                               \
		.name = #tracepoint, .probe = (void *)(f) + HOOK_DIFFERS(tracepoint, f) \
	}
#define HOOK_DIFFERS(tracepoint, f) \
	BUILD_BUG_ON_ZERO(!__same_type(check_trace_callback_type_##tracepoint, void(typeof(f) *)))

/* The hooks that one major needs. */
struct hook_family {
	u16 major;
	struct hook_tracepoint *all;  /* all of them are required */
	struct hook_tracepoint *some; /* as many of these as exist */
	struct kprobe *instead;       /* used if none of `some` exists */
	bool breaks;                  /* ITrace needs them too */
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

/* Finds all hooks that this kernel has; adds the majors that they can record. Called once, at load;
 * the set stays in use until the module is unloaded. */
void hooks_init(const struct hook_set *set, u64 *majors);
/* Registers what the majors of this bitmap need (NULL: none), and optionally the memory hooks: 0 or
 * -errno. hooks_put() with the same arguments releases them. */
int hooks_get(const unsigned long *majors, bool memory);
void hooks_put(const unsigned long *majors, bool memory);
/* Does this kernel have what this major needs? */
bool hooks_serve(u16 major);
/* Returns our probe of this tracepoint; NULL: none. */
const void *hooks_probe(const char *tracepoint);
/* Is this the address of one of our kprobes? */
bool hooks_own_kprobe(unsigned long address);

#endif
