/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What kernel.c (telling, asking) and kallsyms.c (reading) share. */
#ifndef A2N_KERNEL_INNER_H
#define A2N_KERNEL_INNER_H

#include "a2n/kernel/kernel.h"
#include "a2n/module/module_symbols.h"

/* vmlinux, a module, or something else with a tag in kallsyms ("bpf"). */
struct kernel_part {
	struct kernel_part *next;
	const char *name;
	struct module *module;
	uint64_t *known;		/* the lowest text address of each load in kallsyms */
	uint32_t n_known, room_known;
	uint64_t lowest;		/* in the text being read */
	bool drop;
	bool ranged;			/* /proc/modules or an event told where it is */
	bool any_event, unloaded_first;
	uint32_t first_snapshot;	/* the first that lists it */
	const struct kernel_event *newest;	/* while ranges are made */
};

struct kernel_symbol {
	uint64_t address;
	struct kernel_part *part;
	const char *name;
	char type;
	bool linked;			/* of the image, not of kallsyms */
};

/* Where /proc/modules says a module is, or (snapshot EVENT) an event. */
struct kernel_range {
	struct kernel_part *part;
	uint64_t start, last;
	uint32_t snapshot;
};

#define EVENT UINT32_MAX

struct kernel_event {
	struct kernel_part *part;
	struct moment when;
	uint64_t start, last;
	bool load;
	bool code;			/* it goes from there alone */
	const struct kernel_event *before;	/* of its part, while ranges are made */
};

struct kernel_part *kernel_part(struct kernel *k, const char *name, size_t length);

/* The image's symbols, if it was told, in place of those that kallsyms has of it. 0 or -ENOMEM. */
int kernel_take_linked(struct kernel *k);

static inline bool is_text(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

#endif
