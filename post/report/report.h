/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A report is one const struct: what it needs of the model, where it goes, who writes which form of
 * it. What all of them need (labels, percents, loss in words) is in report_text.c.
 */
#ifndef POST_REPORT_H
#define POST_REPORT_H

#include <getopt.h>
#include <json.h>
#include <stdio.h>
#include <sys/types.h>

#include "job.h"

struct table;

struct report {
	const char *name;  /* its option; NULL: none of its own */
	const char *also;  /* another one; or NULL */
	const char *usage; /* lines of -help */
	int argument;      /* of its options: no_argument, as getopt_long() has it */
	bool apart;        /* the optional argument may be the next word, if that is no option */
	/* Takes what stands behind its option. False: it is wrong, which was told. NULL: it takes
	 * nothing. */
	bool (*take)(struct options *o, const char *option, const char *argument);
	unsigned int kinds; /* REPORT_OF_* */
	const char *path;   /* of its file */
	mode_t mode;
	unsigned int needs; /* NEED_*; 0: it reads the records itself */
	/* True: the trace lacks what the user named, which was told on stderr. NULL: the report
	 * takes no such name. */
	bool (*absent)(const struct job *job);
	/* Each: 0, or -errno, or REPORT_WRONG. */
	int (*write)(const struct job *job, FILE *out);
	int (*screen)(const struct job *job, FILE *out);    /* NULL: none goes with it */
	int (*json)(const struct job *job, struct json *j); /* members of the one object */
	int (*csv)(const struct job *job, FILE *out);
	int (*rows)(struct table *t); /* in place of both: the tables are all there is to tell */
};

/* ---- preamble.c: what all files and the JSON object begin with ------------------------------- */

void preamble_system(const struct job *job, FILE *out);
void preamble_run(const struct job *job, FILE *out);
void preamble_damage(const struct job *job, FILE *out);
/* The damage comes with it if it is known by then. */
void json_preamble(const struct job *job, struct json *j, bool damage);
void json_damage(const struct job *job, struct json *j);

/* ---- screenful.c ----------------------------------------------------------------------------- */

void screen_header(const struct job *job, FILE *out);
int screen_missing(const struct job *job, FILE *out);

/* ---- next_reports.c -------------------------------------------------------------------------- */

void screen_next(const struct job *job, FILE *out);

/* ---- damage.c -------------------------------------------------------------------------------- */

/* The format's faults without repetitions, and our own. *room is freed by the caller. */
int damage_gather(struct job *job, struct pifile_fault **room);
/* Distinct ones of n, into out, which has room for as many. */
size_t damage_distinct(const struct pifile_fault *list, size_t n, struct pifile_fault *out);
void damage_print(const struct job *job);
/* Nothing is damaged, of the trace or of the files of code that its programs made, and nothing was
 * lost: exit codes, JSON and pages go by this. */
bool damage_none(const struct job *job);
/* The damage of those files, a line each. */
void damage_beside(const struct job *job, void (*each)(void *arg, const char *line), void *arg);
/* Each warning as a line without its newline, not yet escaped. */
void warnings_tell(const struct job *job, void (*each)(void *arg, const char *line), void *arg);
/* Those that options want, on stderr. */
void warnings_print(const struct job *job);

/* ---- tprof: its other forms ------------------------------------------------------------------ */

int tprof_screen(const struct job *job, FILE *out);
/* A line each of the screen: ticks of other events, in the kernel and not, without a name. */
void tprof_others(const struct job *job, FILE *out);
void tprof_modes(const struct job *job, FILE *out);
void tprof_unknown(const struct job *job, FILE *out);
void tprof_mangled(const struct job *job, FILE *out); /* a line, when names are */
int tprof_cure(const struct job *job, FILE *out);     /* the last lines of the screen */
int tprof_json(const struct job *job, struct json *j);
int tprof_csv(const struct job *job, FILE *out);

/* ---- mode.c ---------------------------------------------------------------------------------- */

/* Returns the event that reports count, or "timer"; NULL: the trace has no samples. */
const char *mode_name(const struct trace *t);
void print_mode(const struct job *job, FILE *out);
/* What reports add up: "ticks", or of logs of calls the metric's name, or "calls". */
const char *mode_unit(const struct job *job);
const char *mode_unit_of(const struct job *job, unsigned int event);
/* The same in capital letters, without what is none of ASCII's. */
#define MODE_UNIT 64
const char *mode_title(const struct job *job, char title[MODE_UNIT]);
void json_events(const struct job *job, struct json *j);
void mode_absent(const struct job *job);

/* ---- no_samples.c ---------------------------------------------------------------------------- */

/* Tells what the trace has instead of samples, and which reports show it. */
void no_samples(const struct job *job, FILE *out);
/* Of a filter that no sample passes tells what it leaves out; false: there is another reason. */
bool all_left_out(const struct job *job, FILE *out);

/* ---- run_lines.c ----------------------------------------------------------------------------- */

/* Functions that tell of their calls are no runs of instructions: said so. */
bool runs_absent(const struct job *job);

/* ---- report_text.c --------------------------------------------------------------------------- */

bool text_colour(bool terminal); /* it is one, and nobody wants none */
#define HOT_PERCENT 5.0          /* from here on a share is shown in colour */
#define COLOUR_HOT  "\033[31m"
#define COLOUR_OFF  "\033[0m"
double percent_of(uint64_t part, uint64_t whole);
/* The number of a process, a thread: -1, as the kernel has it, where it had none any more. */
static inline int64_t id_shown(uint32_t id)
{
	return id == UINT32_MAX ? -1 : (int64_t)id;
}
/* In hexadecimal, what stands before it first. */
void print_id(FILE *out, const char *before, uint32_t id);
/* The node's name as text reports show it: name_pid and tid_name in hexadecimal. */
void print_label(FILE *out, const struct job *job, const struct tree_node *n);
/* A function's name, and whether it is inlined. */
void print_function(FILE *out, const struct symbol *s);
/* "file.c:12", "file.c:?"; "?": not known. whole: with its folder. */
void print_line(FILE *out, const struct symbol *s, bool whole);
/* Members of an object, where -line and -inline ask for them. */
void json_source(struct json *j, const struct job *job, const struct symbol *s);
/* The columns of them, each with a comma before; and their names. */
void csv_source(FILE *out, const struct job *job, const struct symbol *s);
const char *csv_source_names(const struct job *job);
/* "CPU 0: samples 12, names 3", a line a CPU that lost something, each after prefix; returns the
 * number of lines. */
unsigned int print_losses(FILE *out, const struct trace *t, const char *prefix);
/* The same; "nothing"; or that the counters are missing which would tell. */
void tell_losses(FILE *out, const struct job *job, const char *prefix);
/* Wrap mode: how far back each CPU's records reach, and how much older ones there were, a line each
 * after prefix. */
void print_held(FILE *out, const struct trace *t, const char *prefix);
/* Prints what stopped the trace before anybody switched it off, a line each after prefix. */
void print_stops(FILE *out, const struct trace *t, const char *prefix, bool cure);
/* A path's last part: what one looks for. */
const char *short_module(const char *name);
void print_seconds(FILE *out, uint64_t ns);
void print_date(FILE *out, uint64_t realtime_ns);

/* The unknown buckets, for whoever lists them. */
struct bucket {
	const char *name;
	const char *key; /* in JSON */
	const char *meaning;
	uint64_t ticks;
	bool rare; /* not worth a word where it is empty */
};
#define BUCKETS 7
void fill_buckets(const struct job *job, struct bucket list[BUCKETS]);

/* Modules in which ticks have no symbol, worst first. *list is freed by the caller. */
int worst_modules(const struct job *job, const struct trace_module ***list, uint32_t *count);
const char *module_reason(const struct trace_module *m);
const char *module_cure(const struct trace_module *m); /* advice to the user */

/* tree_build, and the proof that nothing fell under the table: both sums equal the trace's. */
/* Whether a node is shown: with -nsf offsets are, where no symbol was found, alone. */
bool offset_shown(const struct job *job, const struct tree_node *n);
int build_checked(struct tree *t, const struct job *job, const enum level *levels, uint32_t cpu,
		  const char *what);
uint64_t cpu_total(const struct trace *t, uint32_t cpu);

#endif
