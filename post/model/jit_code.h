/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code that programs made at run time, from the jitdumps that they mapped and the logs that they
 * left (perf maps: maps.h). Each file's events are fed to liba2n between the trace's own, in order
 * of time, straight from the file: nothing is written, and only liba2n keeps anything.
 */
#ifndef POST_JIT_CODE_H
#define POST_JIT_CODE_H

#include <a2n.h>
#include <pifile.h>
#include <sys/stat.h>

#include "model/explain.h"

struct input;
struct jit_source;
struct jit_change;

/* Bytes of a piece of code (size 0: not wanted), followed by its unwinding table if stacks are
 * wanted. */
struct jit_bytes {
	struct jit_bytes *next;
	uint32_t source;
	size_t size;
	size_t table_from, table_size; /* in bytes */
	uint64_t table_at;             /* as jit_table has it */
	uint8_t bytes[];
};

/* .eh_frame of a piece of code, with addresses as if it was `at` bytes behind the code's start. */
struct jit_table {
	const void *eh_frame;
	size_t size; /* 0: there is none */
	uint64_t at;
};

/* The file that the bytes were read from, and the machine they are for. */
struct jit_from {
	const char *path;
	const struct stat *st;
	size_t size;      /* of the bytes that were there */
	uint32_t machine; /* ELF's number; 0: neither the file nor the trace says */
	bool big_endian;
};

struct jit_note {
	char *path;
	uint64_t offset; /* NO_OFFSET: of no place in it */
	const char *what;
	uint64_t records; /* left out */
};

struct jit {
	struct a2n *a2n;
	struct explain explain; /* notes the sources of what is fed to liba2n */
	struct input *trace;
	const char *folders; /* colon list of folders to search first; or NULL */
	bool lines;          /* source lines are wanted */
	const char *wanted;  /* symbol whose code is wanted (wanted.h), or NULL */
	bool all_bytes;      /* code of all symbols is: the caller sets it after jit_begin */
	bool tables;         /* unwinding tables are: the same */
	struct jit_bytes *bytes;
	size_t code_size, table_size; /* of all of them */
	bool many_tables;             /* more than are kept */
	struct a2n_jit_line *line;    /* of one code */
	uint32_t room_line;
	struct jit_source *source;
	uint32_t nsource, room_source;
	uint64_t next;             /* time of the first event that was not fed yet */
	struct jit_change *change; /* changes that were fed, for the second pass */
	uint32_t nchange, room_change, seen_change;
	uint64_t change_next;
	struct jit_note *note;
	uint32_t nnote, room_note;
};

void jit_begin(struct jit *j, struct a2n *a, const char *folders, bool lines, const char *wanted);
/* Opens logs (log-jita2n_PID, log-jtnm_PID) in those folders and beside the trace. Call first. */
int jit_logs(struct jit *j, struct input *trace);
/* A process has this executable mapping now: is it a jitdump? 0 or -ENOMEM. */
int jit_mapping(struct jit *j, uint64_t time, const struct pitrace_mte_map *map);
/* Feeds all events before this time. */
int jit_tell(struct jit *j, uint64_t time);
static inline int jit_until(struct jit *j, uint64_t time)
{
	return j->next < time ? jit_tell(j, time) : 0;
}
/* The time for jit_tell that feeds all remaining events. jit_finish comes after that. */
#define JIT_REST UINT64_MAX
void jit_finish(struct jit *j);
/* Notes from other sources of such code: it changed at this time; a file has a fault. */
int jit_changed(struct jit *j, uint64_t time, uint32_t pid);
int jit_note(struct jit *j, const char *path, uint64_t offset, const char *what, uint64_t records);
/* The source of an a2n_code's bytes: only this file passes bytes to liba2n. */
struct jit_from jit_from(const struct jit *j, const void *bytes);
struct jit_table jit_table(const void *bytes);
extern const char jit_no_machine[]; /* what is said where it has none */
/* The second pass over the same time, after jit_finish: the next process whose code changed by
 * `time`, or thread whose name did (else tid is 0), one per call. */
bool jit_change(struct jit *j, uint64_t time, uint32_t *pid, uint32_t *tid);
/* Starts that pass again. */
void jit_rewind(struct jit *j);
/* The next note of damage, from *i on; NULL: no more. A missing jitdump is no damage. */
const struct jit_note *jit_damage(const struct jit *j, uint32_t *i);
void jit_free(struct jit *j);

#endif
