/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Open spans with ids: found by name and id, in a process or on the whole machine. Of two with the
 * same name and id the last one begun is found first. Memory is bounded by the number of spans open
 * at once, and by names and processes.
 */
#ifndef POST_SPANS_H
#define POST_SPANS_H

#include "base/keys.h"
#include "record/user_record.h"

/* Minors of major 0xB0. A begin and end without an id (integer) are a pair of one thread. */
#define MARK_BEGIN  0u
#define MARK_END    0x80u
#define MARK_SHARED 1u /* added to these: the id is shared by all processes; never a pair */

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
	uint32_t name;  /* index in the list of names */
	uint32_t scope; /* the pid; if shared, the machine (origin) */
	bool shared;
};

/* The activity of a thread so far, or inside a span. */
struct inside {
	uint64_t ticks;     /* of samples */
	uint64_t calls;     /* system calls entered */
	uint64_t off, wait; /* ns asleep or blocked; ns runnable without a CPU */
};

/* The integers after the id and the strings after the name of a record. */
#define SPAN_WORDS_MOST 256 /* maximum bytes kept */
struct span_words {
	uint16_t ints, strs;
	uint16_t size;    /* of the strings in bytes */
	bool cut;         /* truncated */
	uint64_t value[]; /* the integers; then the strings, each with its NUL */
};

/* Where and how a pair or span began. */
struct span_begun {
	uint32_t row;            /* for the caller */
	uint32_t pid, tid, life; /* life: counts owners of the tid */
	uint64_t since;
	uint64_t nested; /* ns in pairs inside */
	struct inside thread, process;
	struct span_words *words; /* or NULL */
};

struct span_open {
	struct span_key key;
	uint32_t hash;
	uint32_t next;         /* in the hash chain or free list. Links are indexes + 1; 0: end */
	uint32_t older, newer; /* neighbours in the list of its process */
	uint32_t process;
	bool is_open;
	struct span_begun begun;
};

struct span_process {
	uint32_t pid;
	uint32_t newest; /* its newest open span; index + 1 */
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

/* spans_name() returns a name's number, adding it if necessary; NO_KEY: no memory. spans_named()
 * does not add; NO_KEY: unknown. */
uint32_t spans_name(struct spans *s, const char *name);
uint32_t spans_named(const struct spans *s, const char *name);
/* The same for processes. */
uint32_t spans_process(struct spans *s, uint32_t pid);
uint32_t spans_process_of(const struct spans *s, uint32_t pid);

/* Adds a span; returns its index in `open`; NO_KEY: no memory. */
uint32_t spans_begin(struct spans *s, const struct span_key *key);
/* Removes a span; returns its index; NO_KEY: none is open. The entry stays valid until the next
 * span begins. */
uint32_t spans_end(struct spans *s, const struct span_key *key);
/* The same for the newest span of a process that has ended. */
uint32_t spans_drop(struct spans *s, uint32_t process);
/* Frees everything, including the words of open spans. */
void spans_free(struct spans *s);

/* Copies the integers after the id and the strings after the name (`ints` and `strs`, 0 or 1, of
 * the record are id and name); *words NULL: none. Returns 0 or -ENOMEM. */
int span_words(const struct pifile_user *x, unsigned int ints, unsigned int strs,
	       struct span_words **words);
/* Returns the first string; each of the others follows the NUL of the previous one. */
static inline const char *span_words_text(const struct span_words *w)
{
	return (const char *)(w->value + w->ints);
}

#endif
