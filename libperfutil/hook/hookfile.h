/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hook files: how programs' own records (TraceHook) reach the collector. The collector creates a
 * folder with the file `control`, which says which majors are recorded. Each process that writes
 * creates a file PID.N of its own, mode 0600, and sends its name to a socket in the folder; the
 * kernel, not the name, then identifies the process it belongs to (hookfile_owner.h).
 *
 * A file is a table of slots followed by the slots. Each CPU has one slot that is being filled,
 * whatever thread runs there: there may be any number of threads, and one that ends has nothing to
 * give back. To write a record is to
 * 	1. move the slot's position on by compare-and-exchange: the place is the writer's alone;
 * 	2. store the record's head, which has its length and is not committed;
 * 	3. read the clock, fill in the rest;
 * 	4. store the head again, committed (release).
 * There is no lock and no system call in it, and a signal handler may come between any two steps
 * and write a record of its own. Slots are all zeros when they are taken: a head that is 0 belongs
 * to a record that is not written yet. Who finds a slot full closes it (its position accepts no
 * more) and puts another in the CPU's place; the reader frees it when all in it is read.
 *
 * Mapped memory survives its process: a process that is killed loses the record that it was
 * writing, and no other. The reader is woken by time, and by programs that find a part of their
 * slots in use: they wake a futex in the control file.
 *
 * The file belongs to the traced program: the collector reads it by pread, never by a mapping
 * (truncation would raise a signal), and does not trust its content.
 */
#ifndef PITRACE_HOOKFILE_H
#define PITRACE_HOOKFILE_H

#include "collect/backend.h"
#include "base/now.h"

#define HOOKFILE_ENV     "PITRACE_HOOKS" /* the folder */
#define HOOKFILE_CONTROL "control"
#define HOOKFILE_SOCKET  "born"      /* socket where processes announce their files */
#define HOOKFILE_MAGIC   0x4B4F4F48u /* "HOOK" */
#define HOOKFILE_VERSION 4
/* … of a page that names a session of the driver: older programs must not write files for it,
 * because their records would be recorded twice. */
#define HOOKFILE_BESIDE_DRIVER 5

#define HOOKFILE_SLOTS_MAX 2048 /* slot 0 is never used */
#define HOOKFILE_SLOT_MIN  (PITRACE_USER_MAX * 2u)
#define HOOKFILE_SLOT_MAX  (1u << 20)
#define HOOKFILE_TABLE     4096                                       /* offset of slot 0's entry */
#define HOOKFILE_DATA      (HOOKFILE_TABLE + HOOKFILE_SLOTS_MAX * 64) /* … of its data */

struct hookfile_control {
	uint32_t magic, version;
	uint32_t slots, slot_bytes; /* slots 0: no files, the driver records instead */
	/* majors recorded now; MTE's bit: JIT, JAVA_THREAD, DECLARE */
	uint64_t majors[PITRACE_MAJORS / 64];
	/* the collector has ended and reads no more; all majors are set then */
	uint32_t gone;
	/* of this collector; a file created for another one is not read */
	uint32_t generation;
	/* a program that takes this slot or a later one wakes the collector … */
	uint32_t wake_slots;
	uint32_t wake;  /* … through this futex; its value never changes */
	uint32_t clock; /* clock of the stamps: enum pitrace_clock, MONOTONIC or TSC */
	/* changes when tracing is turned on, and for each file: earlier declarations are unknown
	 * there */
	uint32_t interval;
	/* the serial of the driver's session, if the collector is the driver: struct
	 * pitrace_hook_page; else 0 */
	uint32_t serial;
	/* The value that a program's fast path compares: this generation + the major; 0: not
	 * recorded. For user majors; for PITRACE_NAMED it is `named`. */
	uint32_t named;
	uint32_t recorded[PITRACE_MAJORS];
};

static inline bool hookfile_is_control(const struct hookfile_control *c)
{
	return c->magic == HOOKFILE_MAGIC &&
	       (c->version == HOOKFILE_VERSION || c->version == HOOKFILE_BESIDE_DRIVER);
}

/* TAKEN: its owner is preparing it. */
enum hookfile_state { HOOKFILE_FREE = 0, HOOKFILE_TAKEN, HOOKFILE_OPEN };
#define HOOKFILE_CLOSED (1ull << 63) /* flag in a position */
struct hookfile_slot {
	/* offset of the next record, in units of 8 bytes from the slot's beginning. | CLOSED: no
	 * more records follow */
	uint64_t position;
	uint64_t stamp; /* no record in the slot is older */
	uint32_t state;
	uint32_t reserved0;
	uint64_t reserved[5];
};
PITRACE_ASSERT(sizeof(struct hookfile_slot) == 64, "slot");

struct hookfile_header {
	uint32_t magic, version;
	uint64_t lost;       /* records without room */
	uint32_t table;      /* entries in use so far */
	uint32_t freed;      /* written by the collector, changes each time it has freed slots */
	uint32_t generation; /* of the control file */
	uint32_t reserved[7];
};

/* A record in a slot; lengths and strings follow the integers, padded to a multiple of 8 bytes. */
struct hookfile_record {
	uint32_t head; /* major | length in 8 bytes << UNITS | integers << INTS | COMMITTED */
	uint32_t tid;
	uint64_t stamp;
	uint32_t minor;
	uint32_t cpu_strs; /* CPU | strings << 16 */
};
#define HOOKFILE_RECORD_UNITS ((uint32_t)sizeof(struct hookfile_record) / 8) /* without data */
#define HOOKFILE_COMMITTED    0x80000000u
#define HOOKFILE_UNITS_SHIFT  8
#define HOOKFILE_UNITS_MASK   0x3FFu
#define HOOKFILE_INTS_SHIFT   18
#define HOOKFILE_INTS_MASK    0x1FFu
#define HOOKFILE_CPU_MASK     0x1FFFu
PITRACE_ASSERT(PITRACE_USER_MAX / 8 <= HOOKFILE_UNITS_MASK, "length of a record");
PITRACE_ASSERT((PITRACE_USER_MAX - sizeof(struct pitrace_rec) - sizeof(struct pitrace_user)) / 8 <=
		       HOOKFILE_INTS_MASK,
	       "integers of a record");

/* ---- the program's side ---------------------------------------------------------------------- */

/* Nothing here allocates, locks or calls a function that a signal handler may not. */

/* Maps the control page of a folder permanently; NULL: missing, or not trusted. */
const struct hookfile_control *hookfile_control(const char *folder);

#define HOOKFILE_LANES 1024 /* slots being filled; index: the CPU's number modulo this */

/* This process's file. Children do not inherit it. */
struct hookfile {
	/* The slot being filled: its byte offset in `slot`; 0: none. Lanes change only once per
	 * slot, so they can share cache lines. The first member, which saves an instruction per
	 * record. */
	uintptr_t lane[HOOKFILE_LANES];
	/* Fields that each record needs. */
	const struct hookfile_control *control;
	const uint64_t *also; /* majors that others record, … */
	uint64_t alone;       /* … whose last word has this value if nobody does */
	intptr_t cpu;         /* offset of the CPU's number from the thread pointer; 0: none */
	uint64_t epoch;       /* unique among the files of this process and its ancestors */
	uint32_t generation;
	bool tsc; /* the clock */

	struct hookfile_header *header;
	struct hookfile_slot *table;
	uint8_t *data;
	uint32_t slots, slot_bytes;
	bool reserve_slots; /* pages are allocated slot by slot */
	uint32_t ready;     /* entries of the table whose pages are allocated */
	uint32_t first;     /* no slot before this one was free … */
	uint32_t freed;     /* … when the header had this value */
	uint32_t none;      /* 1 + freed, when no slot was free */
	uint32_t number;    /* its name is PID.number */
	uint32_t serial;    /* of the control page */
	bool announced;
	bool passed;     /* created in memory: it has no name */
	uint64_t closed; /* the position of slot 0, which has no room */
	/* The places of the slots, known to this process: the file's content is not needed for
	 * it. */
	struct hookfile_place {
		uint64_t *position;
		uint64_t units; /* its size, in units of 8 bytes */
		uint8_t *data;
	} slot[HOOKFILE_SLOTS_MAX];
};

struct hook_door_page;

/* Creates a file of this process in the folder, which is not read before hookfile_announce, or
 * (door not NULL) in memory, and passes it through the door (hook_door.h). NULL with errno. It is
 * never unmapped, because other threads may be writing. */
struct hookfile *hookfile_make(const char *folder, const struct hook_door_page *door,
			       const struct hookfile_control *control);
/* Several threads may do this; each writer makes sure that it was done before. */
void hookfile_announce(struct hookfile *f, const char *folder);
/* Instead of announcing it. */
void hookfile_discard(struct hookfile *f, const char *folder);

/* The slow path: takes another slot. NULL: there is none, counted as lost. */
struct hookfile_record *hookfile_reserve_more(struct hookfile *f, uint32_t cpu, uint32_t units);

/* Reads the clock of the stamps. It waits for the thread's preceding instructions, so stamps
 * ascend. */
static inline uint64_t hookfile_now(bool tsc)
{
#ifdef __x86_64__
	uint64_t low, high;

	if (tsc) {
		__asm__ volatile("lfence; rdtsc" : "=a"(low), "=d"(high));
		return high << 32 | low;
	}
#endif
	(void)tsc;
	return now_ns();
}

/* Does a record that ends there fit? Never after a position that is CLOSED. */
static inline bool hookfile_fits(const struct hookfile_place *slot, uint64_t after)
{
	return after < slot->units;
}

static inline const struct hookfile_place *hookfile_place(const struct hookfile *f, uintptr_t slot)
{
	return (const void *)((const uint8_t *)f->slot + slot);
}

static inline void *hookfile_at(const struct hookfile_place *slot, uint64_t position)
{
	return slot->data + position * 8;
}

/* Reserves a record of `units` units of 8 bytes, with its header, in the slot of this lane. False:
 * it does not fit. */
static inline bool hookfile_reserve_here(const struct hookfile *f, uint64_t lane, uint32_t units,
					 struct hookfile_record **r)
{
	const struct hookfile_place *slot =
		hookfile_place(f, __atomic_load_n(&f->lane[lane], __ATOMIC_ACQUIRE));
	uint64_t *position = slot->position, at = __atomic_load_n(position, __ATOMIC_RELAXED);

	if (!hookfile_fits(slot, at + units) ||
	    !__atomic_compare_exchange_n(position, &at, at + units, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return false;
	*r = hookfile_at(slot, at);
	return true;
}

static inline struct hookfile_record *hookfile_reserve(struct hookfile *f, uint32_t cpu,
						       uint32_t units)
{
	struct hookfile_record *r;

	return hookfile_reserve_here(f, cpu % HOOKFILE_LANES, units, &r) ?
		       r :
		       hookfile_reserve_more(f, cpu, units);
}

static inline uint32_t hookfile_head(uint32_t major, uint32_t units, uint32_t ints)
{
	return major | units << HOOKFILE_UNITS_SHIFT | ints << HOOKFILE_INTS_SHIFT;
}

static inline uint32_t hookfile_cpu_strs(uint32_t cpu, uint32_t strs)
{
	return cpu | strs << 16;
}

/* Before anything else of the record. */
static inline void hookfile_begin(struct hookfile_record *r, uint32_t head)
{
	__atomic_store_n(&r->head, head, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline void hookfile_commit(struct hookfile_record *r, uint32_t head)
{
	__atomic_store_n(&r->head, head | HOOKFILE_COMMITTED, __ATOMIC_RELEASE);
}

/* … for a record with fewer than 64 integers: the last byte of its head is 0. */
static inline void hookfile_commit_short(struct hookfile_record *r)
{
	uint8_t *last = (uint8_t *)&r->head + (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 3 : 0);

	__atomic_store_n(last, HOOKFILE_COMMITTED >> 24, __ATOMIC_RELEASE);
}

/* ---- the collector's side: hooks ------------------------------------------------------------- */

/*
 * The tracer has one of these besides its collector. Its stamps are CLOCK_MONOTONIC ns, or those of
 * the driver (hooks_beside). Call hooks_listen at *on* (majors of the configuration: all starts
 * anew) and *off* (NULL), and in each drain hooks_collect, then hooks_drain of the MTE ring before
 * the collector's own drain, of the trace ring after it. The segments form rings of their own, of
 * session + HOOKS_SESSION.
 *
 * A session of the driver also records programs directly: those that do not find the folder, or
 * whose rights or ids prevent its use (PITRACE_IOC_HOOK_FILE). A program that has a file names its
 * session to the driver when it writes for other sessions (pitrace_hook_args.except). In wrap mode
 * old records are overwritten, so programs' records must be in the driver's rings too: there are no
 * files, and the page only shows that a session has begun.
 */
#define HOOKS_SESSION 0x10000u

struct hooks;

/* A process's slots have HOOKS_SHARE times the bytes of a session's buffer, but at most
 * HOOKS_POOL_MAX: memory that is used only while a process writes faster than the collector
 * reads. */
#define HOOKS_SHARE     16
#define HOOKS_KEEP      64 /* free slots below this index keep their memory */
#define HOOKS_BYTES_MIN 4096u
#define HOOKS_BYTES_MAX (1ull << 40)
#define HOOKS_POOL_MAX  (1ull << 30)

/* Uses this folder (created if missing), or NULL: a new one in TMPDIR. It belongs to owner
 * ((uid_t)-1: the caller); only that user's processes can write. bytes: size of the session's
 * buffer; ERANGE: not HOOKS_BYTES_MIN to _MAX. NULL with errno and a message in
 * TraceLastError(). */
struct hooks *hooks_new(const char *folder, uid_t owner, uint64_t bytes, uint32_t session);
const char *hooks_folder(const struct hooks *h);
/* Call right after hooks_new if the collector is the driver. */
struct hooks_driver {
	uint32_t serial; /* of its session */
	uint32_t clock;  /* of its stamps: enum pitrace_clock, MONOTONIC or TSC */
	bool files;      /* programs may write files, if this machine allows it */
	/* Is this process in the session's scope? */
	bool (*has)(struct backend *b, pid_t pid);
	struct backend *backend;
};
int hooks_beside(struct hooks *h, const struct hooks_driver *driver);
/* Normal mode: each drain hands over all records since *on*. */
void hooks_keep(struct hooks *h);
int hooks_listen(struct hooks *h, const uint64_t majors[PITRACE_MAJORS / 64]);
bool hooks_listening(const struct hooks *h);
/* Another file begins: programs declare their events again. */
int hooks_again(struct hooks *h);
/* pause: records only names; otherwise the majors as before. */
int hooks_pause(struct hooks *h, bool pause);
/* Readable when processes have announced files; hooks_accept then opens them, before the processes
 * exit. hooks_collect does that too. -1: no more can be accepted now. */
int hooks_fd(const struct hooks *h);
/* … likewise: processes are waiting at the door. */
int hooks_door_fd(const struct hooks *h);
int hooks_accept(struct hooks *h);
/* Readable when a process has used a large part of its slots: drain soon. hooks_collect resets it.
 * -1: not available. */
int hooks_full_fd(const struct hooks *h);
/* Reads what the processes wrote, a limited amount per call: 0 or -errno. */
int hooks_collect(struct hooks *h);
/* True: hand over the collected records before collecting more. */
bool hooks_hold_much(const struct hooks *h);
/* True: more data is waiting for the next call. */
bool hooks_pending(const struct hooks *h);
/* Discards the records that programs wrote so far, except names. */
void hooks_discard(struct hooks *h);
/* Hands over full segments; with `all`, and of the MTE ring always, the open ones too. */
int hooks_drain(struct hooks *h, int ring, bool all, segment_sink sink, void *arg);
uint64_t hooks_lost(const struct hooks *h);
/* Returns the number of processes of other users that would have written records since
 * hooks_listen, and a text with the first of them; both may change in other threads' calls. */
uint64_t hooks_refused(const struct hooks *h, const char **names);
void hooks_free(struct hooks *h);

#endif
