/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by kernel.c (events, answers), kallsyms.c (reading) and kernel_loads.c (which build was
 * loaded when). */
#ifndef A2N_KERNEL_INNER_H
#define A2N_KERNEL_INNER_H

#include "a2n/kernel/kernel.h"
#include "a2n/module/module_symbols.h"

/* A symbol in a text: name and address. */
struct kernel_mark {
	uint64_t address;
	const char *name; /* interned */
};

/* The code symbols that a part had in one text, and in following ones without others. */
struct kernel_version {
	struct kernel_mark *mark; /* sorted by address */
	uint32_t n;
	uint32_t text;  /* number of the first of these texts, from 1 */
	uint32_t of;    /* it only adds to this version; else NO_VERSION */
	uint32_t layer; /* layer of the part: the table with its symbols */
};

#define NO_VERSION   UINT32_MAX
#define NO_LAYER     UINT32_MAX /* its symbols are in no table */
#define VERSIONS_MAX 256        /* per part */

/* vmlinux, a module, or anything else with a tag in kallsyms ("bpf"). */
struct kernel_part {
	struct kernel_part *next;
	const char *name;
	struct module *module;
	/* Builds that were at one place at different times cannot share a table: further modules of
	 * the same name; [0] is unused. */
	struct module **layer;
	uint32_t n_layers, room_layers;
	struct module *unsure; /* for an unknown build; NULL: not needed */
	struct kernel_version *version;
	uint32_t n_versions, room_versions;
	bool overfull;                 /* there were more than the limit */
	struct kernel_version reading; /* those in the text being read, and room for them */
	uint32_t room_reading;
	bool drop;
	bool ranged; /* its address is known from /proc/modules or an event */
	bool any_event, unloaded_first;
	uint32_t first_snapshot;           /* the first snapshot that lists it */
	const struct kernel_event *newest; /* used while ranges are built */
};

struct kernel_symbol {
	uint64_t address;
	struct kernel_part *part;
	const char *name;
	uint32_t version; /* version of its part */
	char type;
	bool linked; /* from the image, not from kallsyms */
};

/* The address of a module from /proc/modules, or (snapshot EVENT) from an event. */
struct kernel_range {
	struct kernel_part *part;
	uint64_t start, last;
	uint32_t snapshot;
	struct module *module; /* module that names its code */
};

#define EVENT UINT32_MAX

struct kernel_event {
	struct kernel_part *part;
	struct moment when;
	uint64_t start, last, length;
	bool load;
	bool code;                         /* generated code: only this range is removed */
	struct module *module;             /* of a load: module that names its code */
	const struct kernel_event *before; /* previous event of its part, while ranges are built */
};

/* A part was loaded at an address: before all events (first: the snapshot that lists it), or by an
 * event. */
struct kernel_load {
	struct kernel_part *part;
	uint64_t start, last;
	uint32_t order; /* 0: before all events */
	uint32_t first;
	struct module **module; /* to be filled in */
};

struct kernel_part *kernel_part(struct kernel *k, const char *name, size_t length);

/* kernel_loads.c. Each returns 0 or -ENOMEM. Determines which symbols are new; those from `begin`
 * on are of one text. */
int kernel_versions(struct kernel *k, uint32_t begin);
/* Finds the module that names the code of each load, and the table of each version's symbols. */
int kernel_loads(struct kernel *k, struct kernel_load *load, uint32_t n);
void kernel_part_free(struct kernel_part *p);
/* Returns the module with the layer's table; NULL: none. */
static inline struct module *kernel_layer(const struct kernel_part *p, uint32_t layer)
{
	return layer == NO_LAYER ? NULL : layer ? p->layer[layer] : p->module;
}

static inline uint32_t kernel_symbol_layer(const struct kernel_symbol *s)
{
	return s->version < s->part->n_versions ? s->part->version[s->version].layer : 0;
}

/* Replaces the image's symbols from kallsyms by those from its file, if there is one. 0 or
 * -ENOMEM. */
int kernel_take_linked(struct kernel *k);

static inline bool is_text(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

#endif
