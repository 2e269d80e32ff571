/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Spans with ids that have begun and not ended: found by name and id, in a process or among all
 * of a machine. Of two with the same name and id the one begun last is found first. Memory is
 * bounded by how many are open at once, and by names and processes.
 */
#ifndef POST_SPANS_H
#define POST_SPANS_H

#include "base/keys.h"
#include "record/user_record.h"

/* Minors of major 0xB0. What begins and ends without an id (integer) is a pair of one thread. */
#define MARK_BEGIN  0u
#define MARK_END    0x80u
#define MARK_SHARED 1u /* added to these: the id is of all processes; no pair without one */

enum mark_kind { MARK_OTHER, MARK_PAIR_BEGINS, MARK_PAIR_ENDS, MARK_SPAN_BEGINS, MARK_SPAN_ENDS };

static inline enum mark_kind mark_kind(const struct pirecord *r, const struct pifile_user *x)
{
	bool ends = r->minor & MARK_END;

	if (r->major != PITRACE_HOOKIT || r->minor & ~(MARK_END | MARK_SHARED))
		return MARK_OTHER;
	if (x->ints && (x->strs || !(r->minor & MARK_SHARED)))
		return ends ? MARK_SPAN_ENDS : MARK_SPAN_BEGINS;
	if (r->minor & MARK_SHARED)
		return MARK_OTHER;
	return ends ? MARK_PAIR_ENDS : MARK_PAIR_BEGINS;
}

struct span_key {
	uint64_t id;
	uint32_t name;  /* of the list */
	uint32_t scope; /* the pid; shared: the machine (origin) */
	bool shared;
};

/* What a thread did so far, or in a span. */
struct inside {
	uint64_t ticks;     /* of samples */
	uint64_t calls;     /* system calls that it began */
	uint64_t off, wait; /* ns asleep or blocked; runnable without a CPU */
};

/* Integers behind the id and strings behind the name, of a record. */
#define SPAN_WORDS_MOST 256 /* bytes that are kept */
struct span_words {
	uint16_t ints, strs;
	uint16_t size;    /* of the strings */
	bool cut;         /* there were more */
	uint64_t value[]; /* ints; then the strings, each with its NUL */
};

/* Where and how something began. */
struct span_begun {
	uint32_t row;            /* its user's */
	uint32_t pid, tid, life; /* life: which owner of the tid */
	uint64_t since;
	uint64_t nested; /* ns of it in pairs inside */
	struct inside thread, process;
	struct span_words *words; /* or NULL */
};

struct span_open {
	struct span_key key;
	uint32_t hash;
	uint32_t next;         /* links are indices + 1; 0: none. Of the same hash, or free */
	uint32_t older, newer; /* of its process */
	uint32_t process;
	bool is_open;
	struct span_begun begun;
};

struct span_process {
	uint32_t pid;
	uint32_t newest; /* of its open spans; index + 1 */
	struct inside did;
};

struct spans {
	char **name;
	uint32_t nname, room_name;
	struct keys by_name;
	struct span_open *open;
	uint32_t nopen, room_open, used, free;
	uint32_t *head; /* by hash */
	uint32_t heads; /* a power of two, or 0 */
	struct span_process *process;
	uint32_t nprocess, room_process;
	struct keys by_pid;
};

/* A name's number, which it gets if it has none; NO_KEY: no memory, and for spans_named: no such
 * name. */
uint32_t spans_name(struct spans *s, const char *name);
uint32_t spans_named(const struct spans *s, const char *name);
/* A process with its number; NO_KEY likewise. */
uint32_t spans_process(struct spans *s, uint32_t pid);
uint32_t spans_process_of(const struct spans *s, uint32_t pid);

/* A place in `open` for one that begins; NO_KEY: no memory. */
uint32_t spans_begin(struct spans *s, const struct span_key *key);
/* The one that ends; NO_KEY: none is open. Its place is free from now on, and holds what it held
 * until the next begins. */
uint32_t spans_end(struct spans *s, const struct span_key *key);
/* The same for the process's newest, whatever it is called: the process has ended. */
uint32_t spans_drop(struct spans *s, uint32_t process);
/* Frees all; words of open ones are freed too. */
void spans_free(struct spans *s);

/* A copy of what stands behind the id and the name (of which the record has `strs` and `ints`, 0 or
 * 1); *words NULL: nothing does. 0 or -ENOMEM. */
int span_words(const struct pifile_user *x, unsigned int ints, unsigned int strs,
	       struct span_words **words);
/* The first string; each of the others stands behind the NUL of the one before. */
static inline const char *span_words_text(const struct span_words *w)
{
	return (const char *)(w->value + w->ints);
}

#endif
