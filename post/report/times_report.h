/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All reports of times share these: their head, names of threads, units, order. */
#ifndef POST_TIMES_REPORT_H
#define POST_TIMES_REPORT_H

#include "model/event_words.h"
#include "report/report.h"
#include "report/table.h"

extern const char report_rule[];

/* The file's beginning, with the title; and a banner before each table. */
void times_head(const struct job *job, FILE *out, const char *title);
void times_banner(FILE *out, const char *name);

/* The trace has no records of this kind ("interrupt records" ...): says so, and how they are recorded:
 * with these majors, of which the first is the one that is missing, up to a 0; by what, when the
 * collector of this trace has none of them. */
void times_missing(const struct job *job, FILE *out, const char *kind, const uint16_t *majors);

/* Prints what is not known of threads without wake-up and interrupt records, a line each. */
void times_unknown(const struct job *job, FILE *out, bool interrupts);
static inline bool times_has(const struct job *job, uint16_t major)
{
	return job->trace->major[major] != 0;
}

/* ns as milliseconds with three digits, as microseconds with three; right-aligned. */
void print_ms(FILE *out, int width, uint64_t ns);
void print_us(FILE *out, int width, uint64_t ns);

/* "process (pid)"; "thread (tid) of process (pid)", the process only when it has another tid; and as
 * members pid, process, tid, thread, after prefix. What is counted together has no number. */
void print_process(FILE *out, const struct job *job, uint32_t process);
void print_thread(FILE *out, const struct job *job, uint32_t thread);
void json_thread(struct json *j, const struct job *job, const char *prefix, uint32_t thread);
/* A column of a thread: these in text and JSON, and in CSV pid,process,tid,thread. */
extern const struct column_sort sort_thread;

/* A column of a waker (of struct wake_pair, of struct wait_edge): a thread, an interrupt, a CPU. */
extern const struct column_sort sort_waker;
#define WAKER .sort = &sort_waker

/* Columns of a spread. In JSON an object with the members count, total_ns, min_ns, mean_ns, p50_ns,
 * p95_ns, p99_ns, max_ns; in CSV columns of these names. In text as microseconds: its mean; the
 * percentile that `digits` says in thousandths. */
extern const struct column_sort sort_spread, sort_mean, sort_percentile;
#define THREAD                     .sort = &sort_thread
#define SPREAD                     .sort = &sort_spread
#define MEAN(n)                    .width = (n), .sort = &sort_mean
#define PERCENTILE(n, thousandths) .width = (n), .digits = (thousandths), .sort = &sort_percentile

/* The numbers 0 to count - 1, those with the greatest values first; equal ones in their order. 0 or
 * -ENOMEM; *order is freed by the caller. Those without a value are left out. */
int order_by(uint32_t **order, uint32_t *count, uint32_t of,
	     uint64_t (*value)(const void *rows, uint32_t i), const void *rows);

/* The threads' rows likewise, those that are wanted. */
int order_threads(const struct job *job, uint32_t **order, uint32_t *count,
		  uint64_t (*value)(const void *rows, uint32_t i));

/* The time of all CPUs while tracing was on. */
uint64_t times_wall(const struct job *job);
/* "device 27 (virtio0)", "softirq TIMER". */
void print_irq(FILE *out, const struct job *job, uint32_t source, uint32_t number);

#endif
