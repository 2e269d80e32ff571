/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The processes, threads, modules and symbols of samples, as small numbers: indexes of arrays here.
 * Memory is bounded by their number rather than by samples.
 */
#ifndef POST_TRACE_NAMES_H
#define POST_TRACE_NAMES_H

#include <a2n.h>
#include <pifile.h>

#include "model/cgroups.h"
#include "model/jit_code.h"
#include "model/maps.h"
#include "model/runtimes.h"
#include "model/source_lines.h"
#include "model/symbols.h"
#include "base/keys.h"
#include "record/origin.h"

/* A process that changes its name (exec, prctl) has a new entry from then on: each tick counts for
 * the name at its time. The same applies to its cgroup, and to threads. */
struct trace_process {
	uint64_t serial;  /* distinguishes owners of a pid */
	uint32_t pid;     /* on its own machine */
	uint32_t origin;  /* index of its trace, if several are read; else 0 */
	uint32_t group;   /* itself, or with -pnm the first of its name */
	uint32_t cgroup;  /* index in cgroups.list */
	const char *name; /* equal names of one a2n are the same pointer */
};

struct trace_thread {
	uint32_t process;
	uint32_t tid;
	uint32_t group; /* likewise, within its process's group */
	const char *name;
};

struct trace_module {
	const char *name;
	const char *symbols_from; /* a file, or why there are no symbols */
	const char *warning;      /* liba2n's message about the module, or NULL */
	uint64_t ticks, unnamed;  /* unnamed: part without a symbol */
};

/* The thread and code of a sample. */
struct sample_place {
	uint32_t thread, symbol;
	uint32_t owner; /* owner of its pid, see names_version() */
	bool unsure;
	uint64_t offset; /* from the symbol's start; for annotated code, which may have several
			  * places, the module's address */
};

/* The current owner of a pid. */
struct names_owner {
	uint32_t pid;
	uint32_t process;
	uint32_t epoch;   /* of its memory */
	uint32_t version; /* of the owner, its memory and its threads */
	bool known;       /* `process` is valid */
	bool shares;      /* shares its memory with another pid (vfork, CLONE_VM) */
};

struct names_label;
struct names_runner;
struct names_cached;
struct names_warning;

struct names {
	struct a2n *a2n;
	struct jit jit;
	struct runtimes runtimes;
	struct maps maps;
	struct source_lines lines;
	struct cgroups cgroups;
	struct trace_process *process;
	struct trace_thread *thread;
	struct trace_module *module;
	struct symbols symbols;
	uint32_t nprocess, nthread, nmodule;

	const struct origin *origin; /* the label of its trace is part of each process's name */
	uint32_t origins;

	/* Private to trace_names.c: */
	struct keys by_label;
	struct names_label *label;
	uint32_t nlabel, room_label;
	uint32_t room_process, room_thread, room_module;
	struct keys by_serial, by_tid, by_pid, by_runner;
	struct names_owner *owner;
	uint32_t nowner, room_owner;
	struct names_runner *runner;
	uint32_t nrunner, room_runner;
	struct names_cached *cache;
	uint32_t epoch, kernel_epoch;
	struct names_warning *warning;
	uint32_t nwarning, room_warning;
	struct sample_place idle; /* of the origin looked up last */
	uint32_t idle_origin;
	bool has_idle;
	uint32_t hidden;   /* symbol of hidden kernel addresses */
	uint32_t numbered; /* module of numbered functions, + 1 */
	char **number;     /* names of numbered functions */
	uint32_t nnumber, room_number;
	bool has_hidden;
	bool by_code; /* offsets are module addresses, see struct sample_place */
};

struct names_options {
	const char *sympath;
	const char *jitdumps;                 /* folders to search for jitdumps first */
	bool by_process_name, by_thread_name; /* count threads or processes of one name together */
	bool by_cgroup;        /* count a process in each of its cgroups separately */
	bool by_line, inlined; /* source lines; inlined functions */
	bool places;           /* count each address separately */
	uint32_t debuginfod;   /* timeout for a file in seconds; 0: no servers */
	const char *annotate;  /* symbol whose code is needed (wanted.h); or NULL */
	bool all_code;         /* read the bytes of all code */
	struct explain_wanted explain;
};

/* Functions return 0 or -ENOMEM. */
int names_open(struct names *n, const struct names_options *o);
void names_close(struct names *n);
/* Call first if names come from several traces. Returns 0, -ENOMEM, or -EINVAL (too many). */
int names_origins(struct names *n, const struct origin *origin, uint32_t count);
/* Returns a pid that is unique across origins. */
static inline uint32_t names_unique(const struct trace_process *p)
{
	return p->origin ? origin_pid(p->origin, p->pid) : p->pid;
}
static inline uint32_t names_unique_tid(const struct names *n, uint32_t thread)
{
	const struct trace_thread *t = &n->thread[thread];
	uint32_t origin = n->process[t->process].origin;

	return origin && t->tid ? origin_pid(origin, t->tid) : t->tid;
}

/* Processes a record that may change the meaning of addresses: drops cached answers. */
int names_event(struct names *n, const struct pirecord *r);
/* The same for code generated by this time, which has no records in the trace. */
void names_code_changed(struct names *n, uint64_t time);
static inline bool names_change_until(const struct names *n, uint64_t time)
{
	return n->jit.change_next <= time;
}

static inline void names_until(struct names *n, uint64_t time)
{
	if (names_change_until(n, time))
		names_code_changed(n, time);
}
int names_sample(struct names *n, const struct pitrace_sample *s, uint64_t time, bool kernel,
		 struct sample_place *place);
/* The same for a sample that is unlikely to repeat: answers for user code are not cached. */
int names_new_sample(struct names *n, const struct pitrace_sample *s, uint64_t time, bool kernel,
		     struct sample_place *place);
/* The same for a thread without changes since `had` was set (names_version). */
int names_same_thread(struct names *n, const struct sample_place *had, uint64_t address,
		      uint64_t time, bool kernel, struct sample_place *place);
/* Finds the symbol at an address of a process. The epoch changes whenever any such answer may. */
int names_address(struct names *n, uint32_t pid, uint64_t address, uint64_t time, bool kernel,
		  uint32_t *symbol);
uint64_t names_epoch(struct names *n, uint32_t pid);
/* Finds the thread only, under its name at this time. */
int names_thread(struct names *n, uint32_t pid, uint32_t tid, uint64_t time, uint32_t *thread);
/* Starts another pass over the records. */
void names_rewind(struct names *n);
/* Returns a number that changes whenever a sample of this pid may get another place than the same
 * sample before. All terms only grow. */
static inline uint32_t names_version(const struct names *n, uint32_t owner)
{
	return n->epoch + n->kernel_epoch + n->owner[owner].version;
}

/* Finds the symbol of a function that only has a number. */
int names_number(struct names *n, uint32_t function, uint32_t *symbol);

/* Finds the place of the ticks that an idle CPU (of this origin) skipped. */
int names_idle(struct names *n, uint32_t origin, struct sample_place *place);
/* Iterates over warnings about lines; *module NULL: warning i concerns something else. */
bool names_line_warning(const struct names *n, uint32_t i, const char **module,
			const char **message);
/* Call after the last sample: sets the groups of processes and threads, the order of symbols, the
 * warnings of modules. */
int names_finish(struct names *n, const struct names_options *o);
int names_group(struct names *n, const struct names_options *o);

#endif
