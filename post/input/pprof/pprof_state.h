/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a pprof profile while it is read; pprof_tables.c reads its tables. */
#ifndef POST_PPROF_STATE_H
#define POST_PPROF_STATE_H

#include "base/blob.h"
#include "format/pprof_fields.h"
#include "input/faults.h"
#include "input/pprof/protobuf_read.h"
#include "base/keys.h"
#include "record/stack_record.h"

#define MODULES        2000u /* each gets 64 GB of addresses */
#define MODULE_SHIFT   36
#define NOBODY         0x400001u  /* not a valid pid */
#define OWNERS_START   (1u << 18) /* limit on owners times modules, plus one */
#define OWNER_BYTES    8          /* for each so many bytes of the message */
#define ENTRIES_START  (1u << 16)
#define ENTRY_BYTES    8          /* bytes of the message for each entry, on average */
#define CALLS_GIVEN    (1u << 24) /* limit on the calls of all samples, plus */
#define CALLS_PER_BYTE 8          /* so many for each byte of the message */
#define STEP           2          /* a caller's address is looked up one byte before */
#define DEVICE         0xffff     /* no file system's: used with inodes for build ids */

struct pprof_part { /* a part of the message, which is less than 4 GB */
	uint32_t at, size;
};

struct item { /* a mapping, location or function, by id */
	uint64_t id;
	struct pprof_part part;
};
struct items {
	struct item *item;
	uint32_t count, room;
	struct keys by_id;
};

struct pprof_module {
	uint64_t start, limit, offset;
	uint32_t file, build_id; /* string indexes */
	bool named;              /* has functions: gets a new layout */
	uint64_t used;           /* bytes of the new layout */
	uint32_t first;          /* its first code; NO_KEY: none */
};

struct pprof_code { /* a function in a module */
	uint32_t module, function;
	uint32_t next; /* next code of the same module */
	uint64_t places, base;
};

struct pprof_place {   /* a location, or one of the functions there */
	uint32_t code; /* NO_KEY: an address in a module without names */
	uint64_t at;   /* offset in the code; else the address */
};

struct pprof_owner { /* a process or thread named by labels */
	uint32_t pid, tid;
	uint32_t name; /* index of a string; 0: none */
};

struct pprof_stack {
	struct pitrace_sample sample;
	struct pitrace_stack stack;
	uint64_t address[STACK_ADDRESSES];
} __attribute__((packed, aligned(4)));

struct pprof {
	struct fault_list faults;
	uint8_t *data;
	size_t size;
	bool packed;
	struct pprof_part *string;
	uint32_t strings, room_string;
	struct items mappings, locations, functions;
	struct pprof_module *module; /* by mapping; the last has the locations without a mapping */
	struct pprof_code *code;
	uint32_t codes, room_code;
	struct keys by_code;
	struct pprof_place *place;
	uint32_t places, room_place;
	uint64_t entries;      /* strings, items and places: limited by the file's size */
	uint32_t *first_place; /* by location, and one past the last */
	uint32_t *first_kept;  /* … that drop_frames keeps; NULL: all */
	struct pprof_owner *owner;
	uint32_t owners, room_owner;
	struct keys by_owner;
	struct bytes type[64]; /* of values */
	uint32_t types;
	uint32_t types_all;     /* … including those beyond the room */
	int32_t ticks, counted; /* indexes of the values to use; -1: none */
	uint64_t time, duration, period, total;
	uint64_t default_type; /* string of the default value type; 0: the last one */
	struct blob symbols;   /* saved symbols, without their NUL */
	struct pitrace_interval interval;
	struct pitrace_event_rec event;
	bool has_event;
	char unit[32]; /* of the counts */
	/* State of a pass: */
	unsigned int what;
	uint64_t given; /* records returned before samples */
	struct bytes at;
	uint64_t done;              /* ticks */
	uint64_t calls;             /* that samples may still use */
	uint64_t rest, rest_period; /* of this sample: remaining ticks, and */
	uint32_t cpu;
	struct pprof_stack *sample;
	uint32_t depth;
	bool cut, cut_reported;
	struct {
		struct pitrace_mte_map map;
		char path[4096 + 8];
	} __attribute__((packed, aligned(8))) map;
	struct pitrace_mte_task task;
	struct pitrace_mte_buildid build_id;
};

/* Returns whether a file with this beginning is a profile. */
bool pprof_probe(const void *head, size_t size);
/* Each returns 0 or -errno. Errors in the file become faults. */
int pprof_read_file(struct pprof *p, const char *path, uint64_t *size);
int pprof_read_tables(struct pprof *p);
void pprof_choose_values(struct pprof *p);
int pprof_read_places(struct pprof *p);
int pprof_read_drops(struct pprof *p);
/* Returns the index, from the leaf, of the outermost location whose first places are dropped,
 * together with all locations before it; NO_KEY: none. */
uint32_t pprof_dropped(const struct pprof *p, struct bytes locations);

/* Adds a fault at an offset in the message, which may be compressed in the file. */
__attribute__((format(printf, 3, 4))) void pprof_fault(struct pprof *p, uint64_t at,
						       const char *format, ...);
/* Reports missing parts and invalid references; call after pprof_read_tables(). */
void pprof_check(struct pprof *p);
uint32_t pprof_find(const struct items *t, uint64_t id);
/* Returns the empty string for an invalid number. */
struct bytes pprof_string(const struct pprof *p, uint64_t i);
/* Returns a valid string's number; 0: no such string. */
static inline uint32_t pprof_string_number(const struct pprof *p, uint64_t i)
{
	return i < p->strings ? (uint32_t)i : 0;
}
static inline struct bytes pprof_part(const struct pprof *p, struct pprof_part part)
{
	return bytes_of(p->data + part.at, part.size);
}
bool pprof_is_string(const struct pprof *p, uint64_t i, const char *words);
/* Copies the text with a NUL to `room`; replaces characters that names cannot contain by '?'.
 * Returns its length. */
size_t pprof_text(struct bytes s, char *room, size_t size);
/* Return the new start address of a module; its name as a path. */
uint64_t pprof_base(uint32_t module);
void pprof_path(const struct pprof *p, uint32_t module, char *room, size_t size);

#endif
