/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code that programs made while they ran, from the jitdumps that they mapped and the logs that they
 * left (perf maps: maps.h). Each file's events are told to liba2n between the trace's own, in the
 * order of time, straight from the file: nothing is written, nothing kept but what liba2n keeps.
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

/* What is kept of a code beside its name: its bytes, where they are wanted (else size is 0), and
 * behind them its unwinding table, where stacks are. */
struct jit_bytes {
	struct jit_bytes *next;
	uint32_t source;
	size_t size;
	size_t table_from, table_size; /* in bytes */
	uint64_t table_at;             /* as jit_table has it */
	uint8_t bytes[];
};

/* .eh_frame of a code: addresses in it count as if it stood so far behind the code's begin. */
struct jit_table {
	const void *eh_frame;
	size_t size; /* 0: there is none */
	uint64_t at;
};

/* Where they were read, for which machine they are. */
struct jit_from {
	const char *path;
	const struct stat *st;
	size_t size;      /* of the bytes that were there */
	uint32_t machine; /* ELF's number; 0: the file does not say */
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
	struct explain explain; /* … and what else is told to it */
	struct input *trace;
	const char *folders; /* colon list: look there first; or NULL */
	bool lines;          /* source lines are wanted */
	const char *wanted;  /* a symbol whose code is (wanted.h), or NULL */
	bool all_bytes;      /* that of all codes is: set by its user after jit_begin */
	bool tables;         /* unwinding tables are: the same */
	struct jit_bytes *bytes;
	size_t code_size, table_size; /* of all of them */
	bool many_tables;             /* more than are kept */
	struct a2n_jit_line *line;    /* of one code */
	uint32_t room_line;
	struct jit_source *source;
	uint32_t nsource, room_source;
	uint64_t next;             /* the time of the first event that is not told yet */
	struct jit_change *change; /* of what was told, for the second pass */
	uint32_t nchange, room_change, seen_change;
	uint64_t change_next;
	struct jit_note *note;
	uint32_t nnote, room_note;
};

void jit_begin(struct jit *j, struct a2n *a, const char *folders, bool lines, const char *wanted);
/* Logs (log-jita2n_PID, log-jtnm_PID) in those folders and beside the trace: the first of all. */
int jit_logs(struct jit *j, struct input *trace);
/* A process has this executable mapping now: is it a jitdump? 0 or -ENOMEM. */
int jit_mapping(struct jit *j, uint64_t time, const struct pitrace_mte_map *map);
/* Tell all that programs said before this time. */
int jit_tell(struct jit *j, uint64_t time);
static inline int jit_until(struct jit *j, uint64_t time)
{
	return j->next < time ? jit_tell(j, time) : 0;
}
/* All of it is told. */
#define JIT_REST UINT64_MAX
void jit_finish(struct jit *j);
/* What else knows of such code: it changed there and then; something is wrong with a file. */
int jit_changed(struct jit *j, uint64_t time, uint32_t pid);
int jit_note(struct jit *j, const char *path, uint64_t offset, const char *what, uint64_t records);
/* Of the bytes of an a2n_code: nobody else tells liba2n of any. */
struct jit_from jit_from(const struct jit *j, const void *bytes);
struct jit_table jit_table(const void *bytes);
/* After that, a pass over the same time again: whose code changed by then, or the name of
 * which thread (else tid is 0), one a call. */
bool jit_change(struct jit *j, uint64_t time, uint32_t *pid, uint32_t *tid);
/* … from its begin once more. */
void jit_rewind(struct jit *j);
/* Was anything of what programs told unreadable? That a jitdump is gone is no damage. */
bool jit_damaged(const struct jit *j);
void jit_free(struct jit *j);

#endif
