/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by all reports of times: header, names of threads, units, sort order. */
#ifndef POST_TIMES_REPORT_H
#define POST_TIMES_REPORT_H

#include "model/event_words.h"
#include "report/report.h"
#include "report/table.h"
#include "report/thread_columns.h"

extern const char report_rule[];

/* Print the file's header with the title, and a banner before each table. */
void times_head(const struct job *job, FILE *out, const char *title);
void times_banner(FILE *out, const char *name);

/* Reports that the trace has no records of this kind ("interrupt records" ...), and how to record
 * them: with these majors, a list that ends with 0 and starts with the missing one; if the trace's
 * collector does not support them, also names the collectors that do. */
void times_missing(const struct job *job, FILE *out, const char *kind, const uint16_t *majors);

/* Prints what is unknown about threads without wake-up and interrupt records, one line each. */
void times_unknown(const struct job *job, FILE *out, bool interrupts);
static inline bool times_has(const struct job *job, uint16_t major)
{
	return job->trace->major[major] != 0;
}

/* Print ns as milliseconds or microseconds with three decimal places; right-aligned. */
void print_ms(FILE *out, int width, uint64_t ns);
void print_us(FILE *out, int width, uint64_t ns);

/* A column of a waker (in struct wake_pair, struct wait_edge): a thread, an interrupt, a CPU. */
extern const struct column_sort sort_waker;
#define WAKER .sort = &sort_waker

/* Columns of a spread. In JSON an object with the members count, total_ns, min_ns, mean_ns, p50_ns,
 * p95_ns, p99_ns, max_ns; in CSV columns of these names. In text, microseconds: its mean; the
 * percentile given by `digits` in thousandths. */
extern const struct column_sort sort_spread, sort_mean, sort_percentile;
#define SPREAD                     .sort = &sort_spread
#define MEAN(n)                    .width = (n), .sort = &sort_mean
#define PERCENTILE(n, thousandths) .width = (n), .digits = (thousandths), .sort = &sort_percentile

/* Sorts the numbers 0 to count - 1 by value, greatest first; equal ones in order. Omits those
 * without a value. The caller frees *order. Returns 0 or -ENOMEM. */
int order_by(uint32_t **order, uint32_t *count, uint32_t of,
	     uint64_t (*value)(const void *rows, uint32_t i), const void *rows);

/* The same for the rows of the threads that the filter selects. */
int order_threads(const struct job *job, uint32_t **order, uint32_t *count,
		  uint64_t (*value)(const void *rows, uint32_t i));

/* Returns the total time of all CPUs while tracing was on. */
uint64_t times_wall(const struct job *job);
/* Prints "device 27 (virtio0)", "softirq TIMER". */
void print_irq(FILE *out, const struct job *job, uint32_t source, uint32_t number);

#endif
