/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code generated at run time, from the jitdumps that programs mapped and the logs that they wrote
 * (perf maps: maps.h). The events of each file are fed to liba2n between those of the trace, in
 * time order, directly from the file: nothing is written, and only liba2n keeps data.
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

/* The bytes of a piece of code (size 0: not needed), followed by its unwind table if stacks are
 * read. */
struct jit_bytes {
	struct jit_bytes *next;
	uint32_t source;
	size_t size;
	size_t table_from, table_size; /* offset and size in `bytes` */
	uint64_t table_at;             /* as in struct jit_table */
	uint8_t bytes[];
};

/* .eh_frame of a piece of code, with addresses as if it was `at` bytes after the code's start. */
struct jit_table {
	const void *eh_frame;
	size_t size; /* 0: no table */
	uint64_t at;
};

/* The file that contained the bytes, and their machine. */
struct jit_from {
	const char *path;
	const struct stat *st;
	size_t size;      /* of the bytes that the file contained */
	uint32_t machine; /* EM_*; 0: unknown */
	bool big_endian;
};

struct jit_note {
	char *path;
	uint64_t offset; /* NO_OFFSET: no position in the file */
	const char *what;
	uint64_t records; /* records that were skipped */
};

struct jit {
	struct a2n *a2n;
	struct explain explain; /* stores the sources of events fed to liba2n */
	struct input *trace;
	const char *folders; /* colon-separated folders to search first; or NULL */
	bool lines;          /* read source lines */
	const char *wanted;  /* symbol whose code to read (wanted.h), or NULL */
	bool all_bytes;      /* read the code of all symbols; set after jit_begin() */
	bool tables;         /* read unwind tables; likewise */
	struct jit_bytes *bytes;
	size_t code_size, table_size; /* totals */
	bool many_tables;             /* more than the limit */
	struct a2n_jit_line *line;    /* of one piece of code */
	uint32_t room_line;
	struct jit_source *source;
	uint32_t nsource, room_source;
	uint64_t next;             /* time of the next event to feed */
	struct jit_change *change; /* changes that were fed, for the second pass */
	uint32_t nchange, room_change, seen_change;
	uint64_t change_next;
	struct jit_note *note;
	uint32_t nnote, room_note;
};

void jit_begin(struct jit *j, struct a2n *a, const char *folders, bool lines, const char *wanted);
/* Opens logs (log-jita2n_PID, log-jtnm_PID) in those folders and beside the trace. Call first. */
int jit_logs(struct jit *j, struct input *trace);
/* Processes an executable mapping, which may be a jitdump. Returns 0 or -ENOMEM. */
int jit_mapping(struct jit *j, uint64_t time, const struct pitrace_mte_map *map);
/* Feeds all events before this time. */
int jit_emit(struct jit *j, uint64_t time);
static inline int jit_until(struct jit *j, uint64_t time)
{
	return j->next < time ? jit_emit(j, time) : 0;
}
/* The time at which jit_emit() feeds all remaining events. Call jit_finish() after that. */
#define JIT_REST UINT64_MAX
void jit_finish(struct jit *j);
/* Notes from other sources of generated code: it changed at this time; a file has a fault. */
int jit_changed(struct jit *j, uint64_t time, uint32_t pid);
int jit_note(struct jit *j, const char *path, uint64_t offset, const char *what, uint64_t records);
/* Return the source of an a2n_code's bytes: only this file passes bytes to liba2n. */
struct jit_from jit_from(const struct jit *j, const void *bytes);
struct jit_table jit_table(const void *bytes);
extern const char jit_no_machine[]; /* message if the machine is unknown */
/* For the second pass, after jit_finish(): returns the next process whose code changed by `time`,
 * or thread whose name did (else tid is 0), one per call. */
bool jit_change(struct jit *j, uint64_t time, uint32_t *pid, uint32_t *tid);
/* Restarts that pass. */
void jit_rewind(struct jit *j);
/* Returns the next note of damage, from *i on; NULL: no more. A missing jitdump is not damage. */
const struct jit_note *jit_damage(const struct jit *j, uint32_t *i);
void jit_free(struct jit *j);

#endif
