/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shared by the reports with one line per run: joined runs, cached texts of symbols and threads,
 * the beginning and end of the report.
 */
#ifndef POST_RUN_LINES_H
#define POST_RUN_LINES_H

#include "model/runs.h"
#include "report/columns.h"
#include "report/numbers.h"
#include "report/report.h"

struct run_text {
	char *text;
	uint32_t length;
	bool plt;
};

struct run_texts {
	struct run_text *text; /* by symbol, by thread, by source spot */
	uint32_t n;
};

struct run_lines {
	const struct job *job;
	struct numbers out;
	struct columns columns; /* JSON or CSV, if requested */
	struct run_texts symbols, threads, sources;
	bool by_function, kernel_once, plt_once; /* which runs are joined in one line */
	bool nested;                             /* a line shows its depth */
	void (*print)(struct run_lines *l, const struct run *run);
	int (*record)(struct run_lines *l, const struct pirecord *r); /* for any record; or NULL */
	struct run_line *line; /* by CPU: a line that may still grow */
	uint32_t nline;
	bool failed; /* no memory */
};

/* Private to run_lines.c: create the texts that are not cached. */
const struct run_text *run_new_symbol(struct run_lines *l, const struct run *run);
const struct run_text *run_new_thread(struct run_lines *l, const struct run *run);

/* Returns "symbol:module"; "?:?" if no address of the run is known. */
static inline const struct run_text *run_symbol(struct run_lines *l, const struct run *run)
{
	static const struct run_text nowhere = { .text = (char *)"?:?", .length = 3 };
	const struct run_texts *t = &l->symbols;
	uint32_t i = run->place.symbol;

	if (__builtin_expect(!itrace_place(&run->r) && !l->job->input->calls, 0))
		return &nowhere;
	return __builtin_expect(i < t->n && t->text[i].text, 1) ? &t->text[i] :
								  run_new_symbol(l, run);
}

/* Returns "pid_tid_name[_threadname]". */
static inline const struct run_text *run_thread(struct run_lines *l, const struct run *run)
{
	const struct run_texts *t = &l->threads;
	uint32_t i = run->place.thread;

	return __builtin_expect(i < t->n && t->text[i].text, 1) ? &t->text[i] :
								  run_new_thread(l, run);
}

/* Returns file:line, or 0. */
const struct run_text *run_source(struct run_lines *l, const struct run *run);
/* Writes the type in words, what ended the run if no branch did, and the reason for doubt. Fits
 * into a line's spare room. */
char *run_words(char *p, const struct run *run);

/* Return the type in words; what ended the run: "branch" or another word. */
const char *run_type(const struct run *run);
const char *run_ended_by(const struct run *run);
/* Writes the line as JSON or CSV (run_columns.c). */
void run_columns(struct run_lines *l, const struct run *run);
/* Call before printing anything for this run's CPU: prints a pending line that no longer grows. */
void run_lines_before(struct run_lines *l, const struct run *at);

/* Reads the runs, joins and prints them; without the report's head and end. books: the trace, or a
 * copy of its counters if it was read before. Returns 0 or -errno. */
int run_lines_read(struct run_lines *l, const struct job *job, struct trace *books,
		   struct runs_reader *reader);
/* Writes a report: the head, one line per run, the system. `l` is zeroed except for what to join
 * and print. */
int run_lines_write(struct run_lines *l, const struct job *job, FILE *out, const char *head);

#endif
