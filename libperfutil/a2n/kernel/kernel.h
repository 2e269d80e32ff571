/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel's memory: its own text, modules that come and go, and the symbols /proc/kallsyms
 * tells. Told piece by piece; ranges and tables are made when the first address is asked for.
 */
#ifndef A2N_KERNEL_H
#define A2N_KERNEL_H

#include "a2n/module/module.h"
#include "a2n/space/space.h"

struct kernel {
	struct modules *modules;
	uint32_t machine;
	struct arena arena;
	struct table table;		/* struct kernel_part by name */
	struct kernel_part *parts;
	struct kernel_part *image;	/* vmlinux */
	struct kernel_symbol *symbols;
	uint32_t n_symbols, room_symbols;
	struct kernel_symbol *linked;	/* of vmlinux, where it was linked */
	uint32_t n_linked, room_linked;
	uint64_t moved;			/* from there to where it ran, */
	bool placed;			/* … which was told */
	struct kernel_range *ranges;	/* of /proc/modules */
	uint32_t n_ranges, room_ranges;
	struct kernel_event *events;
	uint32_t n_events, room_events;
	uint32_t snapshot, texts;	/* of /proc/modules, of kallsyms: so many were told */
	bool hidden, hidden_modules;	/* the addresses were zero */
	bool dirty, warned;

	struct spaces spaces;
	struct space *space;
};

int kernel_open(struct kernel *k, struct modules *modules, uint32_t machine);
void kernel_close(struct kernel *k);
int kernel_kallsyms(struct kernel *k, const char *text, size_t size);
/* Takes fd over. -EBADMSG: no ELF file; -ENODATA: not the kernel's, or without symbols. */
int kernel_vmlinux(struct kernel *k, int fd);
int kernel_modules(struct kernel *k, const char *text, size_t size);
/* length 0: unloaded. */
int kernel_event(struct kernel *k, uint64_t time, const char *name, uint64_t start,
		 uint64_t length);
/* Code that the kernel made comes or goes: its name is its symbol's, and it is one of several. */
int kernel_code(struct kernel *k, uint64_t time, const char *name, uint64_t start, uint64_t length,
		bool gone);
/* Its memory as it is known by now; NULL: no memory. */
const struct space *kernel_space(struct kernel *k);
void kernel_resolve(struct kernel *k, uint64_t time, uint64_t address, struct a2n_answer *answer);

#endif
