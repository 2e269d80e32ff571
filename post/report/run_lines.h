/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the reports that have a line a run share: runs joined in one line, the texts of symbols and
 * threads, made once each, what such a report begins and ends with.
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
	struct run_text *text; /* by symbol, by thread, by place in the source */
	uint32_t n;
};

struct run_lines {
	const struct job *job;
	struct numbers out;
	struct columns columns; /* for programs, where they are wanted */
	struct run_texts symbols, threads, sources;
	bool by_function, kernel_once, plt_once; /* these runs are joined in one line */
	bool nested;                             /* a line tells its depth */
	void (*print)(struct run_lines *l, const struct run *run);
	int (*record)(struct run_lines *l, const struct pirecord *r); /* any; or NULL */
	struct run_line *line; /* that may still grow, by CPU */
	uint32_t nline;
	bool failed; /* no memory */
};

/* run_lines.c's own: those of what was not met before. */
const struct run_text *run_new_symbol(struct run_lines *l, const struct run *run);
const struct run_text *run_new_thread(struct run_lines *l, const struct run *run);

/* "symbol:module"; "?:?" where no address of the run is known. */
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

/* "pid_tid_name[_threadname]" */
static inline const struct run_text *run_thread(struct run_lines *l, const struct run *run)
{
	const struct run_texts *t = &l->threads;
	uint32_t i = run->place.thread;

	return __builtin_expect(i < t->n && t->text[i].text, 1) ? &t->text[i] :
								  run_new_thread(l, run);
}

/* file:line, or 0. */
const struct run_text *run_source(struct run_lines *l, const struct run *run);
/* The type in words, what ended the run if no branch did, why it is in doubt: a line's spare room
 * holds it. */
char *run_words(char *p, const struct run *run);

/* The type in words; what ended the run: "branch" or what else did. */
const char *run_type(const struct run *run);
const char *run_ended_by(const struct run *run);
/* The line for programs (run_columns.c). */
void run_columns(struct run_lines *l, const struct run *run);
/* Something of this place is about to be told: a line that no longer grows comes before it. */
void run_lines_before(struct run_lines *l, const struct run *at);

/* A report: head, a line a run, what it ran on. `l` is zeros but for what to join and print. */
int run_lines_write(struct run_lines *l, const struct job *job, FILE *out, const char *head);

#endif
