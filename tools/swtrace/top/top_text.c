/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formats whole lines, then shortens them to fit. */
#include "top_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/memstream.h"
#include "escape.h"
#include "fit.h"
#include "json.h"
#include "monotonic.h"

/* Room for two names whose bytes are all escaped, and the columns beside them. */
#define LINE (2 * (4 * TOP_NAME_BYTES + 1) + 512)

/* ---- lines ----------------------------------------------------------------------------------- */

/* Writes the characters that fit and truncates the rest. */
void top_text_cut(FILE *out, const char *line, unsigned int columns)
{
	size_t size = strlen(line), used = 0, at = 0;

	while (at < size) {
		uint32_t code;
		size_t n = escape_char(line + at, size - at, &code), w = fit_width(line + at, n);

		if (columns && used + w > columns)
			break;
		used += w;
		at += n;
	}
	fwrite(line, 1, at, out);
}

/* Writes a row; shortens names before it truncates them. */
static void put_row(FILE *out, const char *line, unsigned int columns)
{
	char *text = NULL;
	size_t size;
	FILE *fitted;

	if (!columns || fit_width(line, strlen(line)) <= columns) {
		fputs(line, out);
		return;
	}
	fitted = open_memstream(&text, &size);
	if (!fitted)
		return;
	fit_line(fitted, line, strlen(line), columns);
	if (memstream_close(fitted, &text))
		return;
	text[strcspn(text, "\n")] = 0;
	top_text_cut(out, text, columns);
	free(text);
}

static size_t __attribute__((format(printf, 3, 4)))
append(char line[LINE], size_t at, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(line + at, LINE - at, format, args);
	va_end(args);
	if (n < 0)
		return at;
	return at + (size_t)n < LINE ? at + (size_t)n : LINE - 1;
}

static size_t append_name(char line[LINE], size_t at, const char *name)
{
	escape_into(line + at, LINE - at, name ? name : "");
	return at + strlen(line + at);
}

/* ---- the head -------------------------------------------------------------------------------- */

static bool of_functions(const struct top_view *v)
{
	return v->by == TOP_BY_FUNCTION || v->by == TOP_BY_CALLER;
}

static size_t first_line(char line[LINE], const struct top_view *v, const struct top_model *m)
{
	const struct top_period *p = &m->period[v->span];
	uint64_t tenths = (p->to - p->from) / 100000000;
	/* The time of day at which the period ended, which does not change while frozen. */
	struct timespec now;
	char when[16] = "";
	time_t ended;
	struct tm tm;
	size_t at;

	clock_gettime(CLOCK_REALTIME, &now);
	ended = (time_t)(((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec - now_ns() +
			  p->to) /
			 1000000000);
	if (localtime_r(&ended, &tm))
		strftime(when, sizeof(when), "%T", &tm);
	at = append(line, 0, "swtrace top %s: %s%" PRIu64 ".%" PRIu64 " s, %" PRIu64 " ticks", when,
		    v->frozen ? "FROZEN, " : "", tenths / 10, tenths % 10, p->ticks);
	if (p->idle)
		at = append(line, at, ", %" PRIu64 " idle", p->idle);
	if (p->lost)
		at = append(line, at, ", LOST %" PRIu64, p->lost);
	if (m->no_memory)
		at = append(line, at, ", NO MEMORY for all");
	if (v->wrong)
		at = append(line, at, ", %" PRIu32 " faults in the file", v->wrong);
	return append_name(line, append(line, at, ", "), v->sampler);
}

static size_t second_line(char line[LINE], const struct top_view *v)
{
	const char *order = top_order_name(v, v->order);
	size_t at = append(line, 0, "by %s, %s, sorted by ", top_by_name(v->by),
			   v->span == TOP_SUM ? "since the reset" : "the last interval");

	at = append_name(line, at, order ? order : "");
	if (v->by == TOP_BY_CALLER)
		at = append_name(line, append(line, at, ", who calls "),
				 v->place[v->depth - 1].name);
	if (*v->filter)
		at = append_name(line, append(line, at, ", filter "), v->filter);
	return at;
}

static size_t columns_line(char line[LINE], const struct top_view *v)
{
	size_t at = 0;

	if (v->by != TOP_BY_CALLER)
		at = append(line, at, " %8s %5s", "TICKS", "%");
	if (of_functions(v)) {
		if (v->stacks)
			at = append(line, at, " %8s %5s", "ON STACK", "%");
		return append(line, at, "  %s", v->by == TOP_BY_CALLER ? "CALLER" : "FUNCTION");
	}
	if (v->off)
		at = append(line, at, " %9s", "OFF MS");
	for (int i = 0; v->metrics && i < v->metrics->n; i++) {
		char name[13];

		at = append(line, at, " %12s",
			    escape_into(name, sizeof(name), v->metrics->name[i]));
	}
	if (v->by == TOP_BY_THREAD)
		return append(line, at, " %8s %8s  NAME", "PID", "TID");
	if (v->by == TOP_BY_PROCESS)
		return append(line, at, " %8s  NAME", "PID");
	return append(line, at, "  CGROUP");
}

void top_text_head(FILE *out, const struct top_view *v, const struct top_model *m, int which,
		   unsigned int columns)
{
	char line[LINE] = "";

	if (which == 0)
		first_line(line, v, m);
	else if (which == 1)
		second_line(line, v);
	else
		columns_line(line, v);
	top_text_cut(out, line, columns);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static double share(uint64_t n, uint64_t of)
{
	return of ? 100 * (double)n / (double)of : 0;
}

static size_t numbers(char line[LINE], const struct top_view *v, const struct top_count *c,
		      uint64_t of, bool one)
{
	size_t at = 0;

	if (v->by != TOP_BY_CALLER)
		at = append(line, at, " %8" PRIu64 " %5.1f", c->ticks, share(c->ticks, of));
	if (of_functions(v) && !v->stacks)
		return at;
	/* A tick has many functions on its stack: a sum over functions is not a number of ticks. */
	if (of_functions(v))
		return one ? append(line, at, " %8" PRIu64 " %5.1f", c->under,
				    share(c->under, of)) :
			     append(line, at, " %8s %5s", "", "");
	if (v->off)
		at = append(line, at, " %9.1f", (double)c->off / 1e6);
	for (int i = 0; v->metrics && i < v->metrics->n; i++)
		at = append(line, at, " %12" PRIu64, c->metric[i]);
	return at;
}

void top_text_row(FILE *out, const struct top_view *v, const struct top_list *l,
		  const struct top_row *r, unsigned int columns)
{
	char line[LINE];
	size_t at = numbers(line, v, &r->count[v->span], l->of, true);

	if (v->by == TOP_BY_THREAD)
		at = append(line, at, " %8u %8u", r->pid, r->tid);
	else if (v->by == TOP_BY_PROCESS)
		at = append(line, at, " %8u", r->pid);
	at = append_name(line, append(line, at, "  "), r->name);
	/* Do not repeat the process's name beside a process, or a thread of the same name. */
	if (r->of && v->by != TOP_BY_PROCESS && (!r->name || strcmp(r->name, r->of))) {
		at = append_name(line, append(line, at, "  in "), r->of);
	}
	put_row(out, line, columns);
}

bool top_text_rest(FILE *out, const struct top_view *v, const struct top_list *l,
		   unsigned int columns)
{
	char line[LINE];
	size_t at;

	if (!l->rest_rows)
		return false;
	at = numbers(line, v, &l->rest, l->of, false);
	append(line, at, "  (%" PRIu64 " others)", l->rest_rows);
	top_text_cut(out, line, columns);
	return true;
}

void top_text_interval(FILE *out, const struct top_view *v, const struct top_model *m,
		       const struct top_list *l)
{
	for (int i = 0; i < TOP_HEAD; i++) {
		top_text_head(out, v, m, i, 0);
		putc('\n', out);
	}
	for (uint32_t i = 0; i < l->n; i++) {
		top_text_row(out, v, l, l->row[i], 0);
		putc('\n', out);
	}
	if (top_text_rest(out, v, l, 0))
		putc('\n', out);
	putc('\n', out);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_counts(struct json *j, const struct top_view *v, const struct top_count *c,
		       bool one)
{
	json_uint(j, "ticks", c->ticks);
	if (of_functions(v)) {
		if (v->stacks && one)
			json_uint(j, "on_stack", c->under);
		return;
	}
	if (v->off)
		json_uint(j, "off_ns", c->off);
	if (!v->metrics || !v->metrics->n)
		return;
	json_object(j, "metrics");
	for (int i = 0; i < v->metrics->n; i++)
		json_uint(j, v->metrics->name[i], c->metric[i]);
	json_end(j, '}');
}

static void put_json_row(struct json *j, const struct top_view *v, const struct top_row *r)
{
	json_object(j, NULL);
	put_counts(j, v, &r->count[v->span], true);
	if (v->by == TOP_BY_THREAD || v->by == TOP_BY_PROCESS)
		json_uint(j, "pid", r->pid);
	if (v->by == TOP_BY_THREAD)
		json_uint(j, "tid", r->tid);
	json_string(j, "name", r->name ? r->name : "");
	if (r->of)
		json_string(j,
			    v->by == TOP_BY_THREAD  ? "process" :
			    v->by == TOP_BY_PROCESS ? "cgroup" :
						      "module",
			    r->of);
	json_end(j, '}');
}

void top_json_interval(FILE *out, const struct top_view *v, const struct top_model *m,
		       const struct top_list *l)
{
	const struct top_period *p = &m->period[v->span];
	struct json j;

	json_document(&j, out, false);
	json_uint(&j, "from_ns", p->from);
	json_uint(&j, "to_ns", p->to);
	json_uint(&j, "ticks", p->ticks);
	json_uint(&j, "idle_ticks", p->idle);
	json_uint(&j, "lost", p->lost);
	json_string(&j, "sampler", v->sampler);
	json_string(&j, "by", top_by_name(v->by));
	json_array(&j, "rows");
	for (uint32_t i = 0; i < l->n; i++)
		put_json_row(&j, v, l->row[i]);
	json_end(&j, ']');
	json_object(&j, "others");
	json_uint(&j, "rows", l->rest_rows);
	put_counts(&j, v, &l->rest, false);
	json_end(&j, '}');
	json_end(&j, '}');
}
