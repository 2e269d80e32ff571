/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the parts of harm: harm_calls.c has the workers and their calls, harm_made.c the
 * arguments, harm_scan.c the search, harm_ptt.c a ptt, harm.c everything else. */
#ifndef HARM_H
#define HARM_H

#include <grp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <pitrace.h>

#define CANARY 0x5ECE75C0DEC0FFEEull /* no byte of it ends a name */
#define MAJOR  0xD5
#define LITTLE (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#define COPY   1024 /* of the stack, with samples */

enum op {
	OPEN,
	INFO,
	SESSION,
	SETUP,
	EVENT,
	ITRACE,
	ON,
	OFF,
	SUSPEND,
	RESUME,
	CONSUME,
	FLUSH,
	RESCAN,
	HAS,
	MMAP,
	MREMAP,
	MPROTECT,
	MUNMAP,
	POLL,
	STRANGE,
	PTT,
	PTT_ADD,
	PTT_REMOVE,
	PTT_CHARGE,
	PTT_UPDATE,
	PTT_HERE,
	PTT_STOP,
	PTT_MMAP,
	HOOK_OPEN,
	HOOK,
	HOOK_MMAP,
	HOOK_FILE,
	CLOSE,
	OPS
};
extern const char *const op_names[OPS];

extern struct shared {
	uint64_t count[OPS][2]; /* failed, succeeded */
	uint64_t calls, scanned;
	uint64_t found; /* of what may not be seen, */
	uint32_t high;  /* … the first of it, */
	uint64_t at;
	uint32_t low;
	uint32_t before[24];                                /* … what stands before it */
	uint64_t canaries, addresses;                       /* that root's session shows */
	uint64_t changed;                                   /* arguments that came back otherwise */
	uint64_t lives, offline, children, killed, systems; /* what went on meanwhile */
	uint64_t itrace; /* its majors, where there is such a thing */
	pid_t alive;     /* the process that bears others */
	struct {
		uint32_t first, last; /* the low halves */
	} kernel[2];                  /* where its own code and data lie, and its modules' */
} * all;

/* Search what was read for what its reader may not see. Root may see all: there it is counted. */
void scan(const void *from, size_t bytes, bool root);
void become(uid_t uid, gid_t group);

/* ---- what calls are made of; by one worker --------------------------------------------------- */

void seed(uint64_t from);
uint64_t rnd(void);
bool chance(unsigned int percent);
/* A number that somebody may not have thought of. */
uint64_t odd(void);
/* A field or two of arguments are changed. */
void spoil(void *args, size_t size);
/* An address where nothing can be read, or not all of it. */
void *nowhere(const void *args, size_t size);
/* It is counted; did it succeed? */
bool did(enum op op, long result);
/* So many descriptors this process may have; returns how many it was. */
rlim_t descriptors(rlim_t most);

/* harm_ptt.c: of one ptt of this worker; PTT to PTT_MMAP. */
void ptt_one(enum op op, bool good, bool root, int device);
/* Its last look; in a child: the mapping is the parent's. */
void ptt_scan(bool root);
void ptt_born(void);

/* sessions: may this user have any? */
struct worker_args {
	uint64_t seed, calls, quota;
	uid_t uid;
	gid_t group;
	bool sessions;
};
_Noreturn void worker(const struct worker_args *args);

#endif
