/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A report is a const struct: its needs of the model, its output file, and the functions that write
 * each format. report_text.c has what all reports share (labels, percentages, losses as text).
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
	const char *name;  /* its option; NULL: none */
	const char *also;  /* an alternative option; or NULL */
	const char *usage; /* lines of -help */
	int argument;      /* has_arg of its options, as for getopt_long() */
	bool apart;        /* the optional argument may be the next word, if not an option */
	/* Parses the option's argument. Returns false after a message if it is invalid. NULL: no
	 * argument. */
	bool (*take)(struct options *o, const char *option, const char *argument);
	unsigned int kinds; /* REPORT_OF_* */
	const char *path;   /* default output file */
	mode_t mode;
	unsigned int needs; /* NEED_*; 0: the report reads the records itself */
	/* Returns true after a message if the trace lacks what the user named. NULL: the report
	 * takes no such name. */
	bool (*absent)(const struct job *job);
	/* Each returns 0, -errno, or REPORT_WRONG. */
	int (*write)(const struct job *job, FILE *out);
	int (*screen)(const struct job *job, FILE *out);    /* NULL: no screenful */
	int (*json)(const struct job *job, struct json *j); /* members of the JSON object */
	int (*csv)(const struct job *job, FILE *out);
	int (*rows)(struct table *t); /* instead of json and csv, if the report only has tables */
};

/* ---- preamble.c: the beginning of all files and of the JSON object --------------------------- */

void preamble_system(const struct job *job, FILE *out);
void preamble_run(const struct job *job, FILE *out);
void preamble_damage(const struct job *job, FILE *out);
/* damage: also writes the damage, if it is already known. */
void json_preamble(const struct job *job, struct json *j, bool damage);
void json_damage(const struct job *job, struct json *j);

/* ---- screenful.c ----------------------------------------------------------------------------- */

void screen_header(const struct job *job, FILE *out);
int screen_missing(const struct job *job, FILE *out);

/* ---- next_reports.c -------------------------------------------------------------------------- */

void screen_next(const struct job *job, FILE *out);

/* ---- damage.c -------------------------------------------------------------------------------- */

/* Collects the distinct faults from the reader, and our own. The caller frees *room. */
int damage_gather(struct job *job, struct pifile_fault **room);
/* Copies the distinct ones of n faults to `out`, which has room for n. */
size_t damage_distinct(const struct pifile_fault *list, size_t n, struct pifile_fault *out);
void damage_print(const struct job *job);
/* Returns whether nothing is damaged, neither the trace nor the files with generated code, and
 * nothing was lost: exit codes, JSON and HTML pages depend on this. */
bool damage_none(const struct job *job);
/* Reports the damage of those files, one line each. */
void damage_beside(const struct job *job, void (*each)(void *arg, const char *line), void *arg);
/* Reports each warning as a line without newline, not escaped. */
void warnings_emit(const struct job *job, void (*each)(void *arg, const char *line), void *arg);
/* Prints the warnings that the options enable to stderr. */
void warnings_print(const struct job *job);

/* ---- other formats of tprof ------------------------------------------------------------------ */

int tprof_screen(const struct job *job, FILE *out);
/* Print lines of the screenful: ticks of other events; ticks in kernel and user mode; without a
 * name. */
void tprof_others(const struct job *job, FILE *out);
void tprof_modes(const struct job *job, FILE *out);
void tprof_unknown(const struct job *job, FILE *out);
void tprof_mangled(const struct job *job, FILE *out); /* a line, if names are mangled */
int tprof_cure(const struct job *job, FILE *out);     /* last lines of the screenful */
int tprof_json(const struct job *job, struct json *j);
int tprof_csv(const struct job *job, FILE *out);

/* ---- mode.c ---------------------------------------------------------------------------------- */

/* Returns the event that reports count, or "timer"; NULL: the trace has no samples. */
const char *mode_name(const struct trace *t);
void print_mode(const struct job *job, FILE *out);
/* Return the unit of reports: "ticks", or for call logs the metric's name, or "calls". */
const char *mode_unit(const struct job *job);
const char *mode_unit_of(const struct job *job, unsigned int event);
/* The same in capital letters, without characters beyond ASCII. */
#define MODE_UNIT 64
const char *mode_title(const struct job *job, char title[MODE_UNIT]);
void json_events(const struct job *job, struct json *j);
void mode_absent(const struct job *job);

/* ---- no_samples.c ---------------------------------------------------------------------------- */

/* Prints what the trace has instead of samples, and which reports show it. */
void no_samples(const struct job *job, FILE *out);
/* Prints what a filter dropped if no sample passes; false: there is another reason. */
bool all_left_out(const struct job *job, FILE *out);
/* Prints names of symbols that are similar to one that was not found; false: there is none. */
bool symbols_near(const struct job *job, const char *wanted, FILE *out);

/* ---- critical_report.c ----------------------------------------------------------------------- */

/* Returns what a blamed thread did, or what else was waited for, in words: "ran". */
const char *blame_words(enum blame_kind kind);

/* ---- run_lines.c ----------------------------------------------------------------------------- */

/* Whether the runs are stretches between entries and exits of functions, not of instructions. */
bool runs_of_calls(const struct job *job);
/* Returns true, after a message, for traces of function entries and exits, which have no runs of
 * instructions. */
bool runs_absent(const struct job *job);

/* ---- report_text.c --------------------------------------------------------------------------- */

/* Returns whether to use colours: as -color says; else on a terminal, unless NO_COLOR forbids
 * them. */
bool text_colour(const struct job *job, bool terminal);
#define HOT_PERCENT 5.0 /* greater shares are coloured */
#define COLOUR_HOT  "\033[31m"
#define COLOUR_OFF  "\033[0m"
double percent_of(uint64_t part, uint64_t whole);
/* Returns the id of a process or thread; -1, as in the kernel, if it no longer had one. */
static inline int64_t id_shown(uint32_t id)
{
	return id == UINT32_MAX ? -1 : (int64_t)id;
}
/* Prints `before` and the id in hexadecimal. */
void print_id(FILE *out, const char *before, uint32_t id);
/* Prints the node's name as in text reports: name_pid and tid_name in hexadecimal. */
void print_label(FILE *out, const struct job *job, const struct tree_node *n);
/* Prints a function's name, and whether it is inlined. */
void print_function(FILE *out, const struct symbol *s);
/* Prints "file.c:12", "file.c:?"; "?": unknown. whole: with its directory. */
void print_line(FILE *out, const struct symbol *s, bool whole);
/* Writes the members for -line and -inline, if given. */
void json_source(struct json *j, const struct job *job, const struct symbol *s);
/* Writes their columns, each after a comma; and their names. */
void csv_source(FILE *out, const struct job *job, const struct symbol *s);
const char *csv_source_names(const struct job *job);
/* Prints "CPU 0: samples 12, names 3", one line per CPU with losses, each after `prefix`; returns
 * the number of lines. */
unsigned int print_losses(FILE *out, const struct trace *t, const char *prefix);
/* The same; or "nothing"; or that the counters are missing. */
void warn_losses(FILE *out, const struct job *job, const char *prefix);
/* Wrap mode: prints how far back each CPU's records reach, and how many older ones were
 * overwritten, one line each after `prefix`. */
void print_held(FILE *out, const struct trace *t, const char *prefix);
/* Prints what stopped the trace before it was switched off, one line each after `prefix`. */
void print_stops(FILE *out, const struct trace *t, const char *prefix, bool cure);
/* Returns a path's last component. */
const char *short_module(const char *name);
void print_seconds(FILE *out, uint64_t ns);
void print_date(FILE *out, uint64_t realtime_ns);

/* The categories of ticks without a symbol, for code that lists them. */
struct bucket {
	const char *name;
	const char *key; /* in JSON */
	const char *meaning;
	uint64_t ticks;
	bool rare; /* omitted if it is empty */
};
#define BUCKETS 7
void fill_buckets(const struct job *job, struct bucket list[BUCKETS]);

/* Lists the modules with ticks without a symbol, worst first. The caller frees *list. */
int worst_modules(const struct job *job, const struct trace_module ***list, uint32_t *count);
const char *module_reason(const struct trace_module *m);
const char *module_cure(const struct trace_module *m); /* advice to the user */

/* build_checked() calls tree_build() and checks that both sums equal the trace's. */
/* Returns whether a node is shown: with -nsf only offsets without a symbol are. */
bool offset_shown(const struct job *job, const struct tree_node *n);
int build_checked(struct tree *t, const struct job *job, const enum level *levels, uint32_t cpu,
		  const char *what);
uint64_t cpu_total(const struct trace *t, uint32_t cpu);

#endif
