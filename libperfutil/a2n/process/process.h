/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The timeline of pids: their owners (pids are reused), each owner's images (exec starts a new
 * one), the names of processes and threads over time, and times from which names are unsure.
 */
#ifndef A2N_PROCESS_H
#define A2N_PROCESS_H

#include "a2n/base/pool.h"
#include "a2n/space/space.h"

struct named {
	uint64_t from;
	const char *name;
};

/* One process, from fork to the next owner of its pid. */
struct owner {
	uint64_t start_time; /* 0: unknown */
	uint64_t serial;
	bool started; /* its start is known: nothing precedes it */
	bool exited;
	struct named *names;
	uint32_t n_names, room;
	struct owner *next; /* of all owners */
};

/* One image of an owner; until the next epoch of its pid. */
struct epoch {
	struct moment from;
	struct owner *owner;
	struct space *space; /* NULL until something is known */
	struct space *jit;   /* announced code, which overrides mappings; NULL: none */
	struct space *map;   /* code from perf maps; shared by all epochs of an image */
	bool seen;           /* not an exec: a walk found it alive */
	bool copy;           /* not an exec: its parent's memory, or a copy of it */
	uint64_t unsure;     /* unsure from this time on */
};

struct process {
	uint32_t pid;
	uint32_t n, room;
	uint32_t hit; /* index of the last epoch found */
	struct epoch *epochs;
};

/* A thread id over time: its process and its name. */
struct thread_fact {
	uint64_t from;
	const struct owner *owner;
	const char *name;
};

struct thread {
	uint32_t tid;
	uint32_t n, room;
	struct thread_fact *facts;
};

struct processes {
	struct arena arena;
	struct strings *strings;
	struct spaces spaces;
	struct item_table by_pid, by_tid;
	struct process *last;
	struct owner *owners;
	uint64_t serial;
	uint32_t order;
	struct losses {
		uint64_t *unsure; /* times from which all processes are unsure */
		uint32_t n, room;
		uint32_t order; /* the call that added the last one */
	} losses, *extra;       /* of machine 0; of machines 1 and up */
	uint32_t machines;      /* number of machines announced; 0: one */
};

/* Sets the number of machines. 0 or -ENOMEM. */
int processes_machines(struct processes *ps, uint32_t count);

int process_image(struct processes *ps, uint64_t time, uint32_t pid, uint64_t start_time,
		  bool seen);
int process_child(struct processes *ps, uint64_t time, uint32_t parent, uint32_t child,
		  uint64_t start_time, bool shares);
int process_thread(struct processes *ps, uint64_t time, uint32_t pid, uint32_t tid);
int process_named(struct processes *ps, uint64_t time, uint32_t pid, uint32_t tid,
		  const char *name);
int process_exit(struct processes *ps, uint64_t time, uint32_t pid, uint32_t tid);
int process_unsure(struct processes *ps, uint64_t time, uint32_t pid);
int process_map(struct processes *ps, uint64_t time, uint32_t pid, uint64_t start, uint64_t last,
		const struct mapping *mapping, bool walk, bool anonymous);
int process_unmap(struct processes *ps, uint64_t time, uint32_t pid, uint64_t start, uint64_t last);

/* Adds code that the process announced, or (a NULL module) freed, with the reason in delta. */
int process_jit(struct processes *ps, uint64_t time, uint32_t pid, uint64_t start, uint64_t last,
		const struct mapping *code);
/* Returns the code announced at an address so far. */
struct mapping process_jit_now(struct processes *ps, uint32_t pid, uint64_t address);

/* Adds code of a perf map that was absent at `since` and present at `time`, and marks it as unsure
 * in between. `judge` decides, for each part that other code owns, which of them owns it from
 * `since` on. */
typedef struct mapping (*process_judge)(void *arg, const struct mapping *there);
int process_jit_map(struct processes *ps, uint64_t since, uint64_t time, uint32_t pid,
		    uint64_t start, uint64_t last, const struct mapping *code,
		    const struct mapping *unsure, process_judge judge, void *arg);
/* Returns the code from maps at that address and time. */
struct mapping process_map_at(struct processes *ps, uint32_t pid, uint64_t time, uint64_t address);

/* Finds the next change after *at of the code at an address, in the image that pid had at `time`:
 * its time, and the code. */
bool process_jit_next(struct processes *ps, uint32_t pid, uint64_t time, uint64_t address,
		      struct moment *at, struct mapping *code);

#define MAPPING_GIVEN_UP 2 /* like MAPPING_FREE: code freed by its program */

/* Finds what pid had mapped at address; a NULL module: nothing. */
struct found {
	struct mapping mapping, jit; /* jit: announced code, which takes precedence */
	uint64_t first, last;        /* the range around the address with this mapping */
	struct mapping map;          /* from a perf map, for memory that holds code */
	bool unsure;
};
struct found process_find(struct processes *ps, uint32_t pid, uint64_t time, uint64_t address);
/* Finds the next mapping of a module below an address that has none itself: a file's data are above
 * its code. last: its last address; a NULL module: none. */
struct mapping process_below(struct processes *ps, uint32_t pid, uint64_t time, uint64_t address,
			     uint64_t *last);
const char *process_name(struct processes *ps, uint32_t pid, uint64_t time);
const char *process_thread_name(struct processes *ps, uint32_t pid, uint32_t tid, uint64_t time);
uint64_t process_serial(struct processes *ps, uint32_t pid, uint64_t time);
/* NULL: unknown pid. */
const struct process *process_lookup(const struct processes *ps, uint32_t pid);
void processes_free(struct processes *ps);

#endif
