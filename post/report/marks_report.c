/* SPDX-License-Identifier: GPL-3.0-or-later */
/* marks.out: user records: named events and their numbers; pairs and spans by name and by thread,
 * the activity inside, the slowest ones; and the number of other records. */
#include "report/times_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "report/span_symbols.h"

#define SCREEN_ROWS 15

static uint32_t by_name(const struct names *n, uint32_t thread)
{
	(void)n;
	(void)thread;
	return 0;
}

static uint32_t by_thread(const struct names *n, uint32_t thread)
{
	return n->thread[thread].group;
}

static const char *name_of(const struct job *job, const struct mark_row *r)
{
	return r->name == NO_KEY ? "" : job->model->marks.spans.name[r->name];
}

static uint64_t pair_value(const void *rows, uint32_t i)
{
	const struct mark_row *r = (const struct mark_row *)rows + i;

	return r->name == NO_KEY ? 0 : r->time.total + 1;
}

static uint64_t other_value(const void *rows, uint32_t i)
{
	const struct mark_row *r = (const struct mark_row *)rows + i;

	return r->name == NO_KEY ? r->records : 0;
}

/* ---- columns --------------------------------------------------------------------------------- */

enum {
	OF_NAMES = 1,
	OF_PAIRS = 2,
	OF_OTHERS = 4,
	OF_SLOWEST = 8,
	OF_EVENTS = 16,
	OF_ALL = 31,    /* columns of CSV */
	OF_INSIDE = 32, /* of text: the activity inside */
};

struct mark_line {
	const struct mark_row *of;
	const char *name, *shown;
	uint64_t missing;
	bool threads; /* the line is about a thread */
	/* For a named event, and for a field with numbers: */
	const char *field, *type, *unit, *least, *mean, *most, *sum;
	struct inside inside;
	bool has_ticks, has_calls, has_off; /* the parts of `inside` that are known */
	/* For one of the slowest spans: */
	const struct span_over *span;
	const struct span_watched *watched;
	const char *within;
	uint64_t took, began;
	int64_t end_pid, end_tid;
	bool is_span, ends_elsewhere, in_another;
};

static const char *digits_of(const struct cell *x)
{
	return x->value ? *(const char *const *)x->value : NULL;
}

static void digits_text(const struct cell *x)
{
	fprintf(x->out, "%*s", x->column->width, digits_of(x));
}

static void digits_json(const struct cell *x)
{
	if (digits_of(x))
		json_number(x->json, x->column->name, digits_of(x));
}

static void digits_csv(const struct cell *x)
{
	fputs(digits_of(x) ? digits_of(x) : "", x->out);
}

/* Numbers formatted as text: exact for any size. */
static const struct column_sort sort_digits = {
	.text = digits_text,
	.json = digits_json,
	.csv = digits_csv,
};

/* Writes a number, or a hexadecimal string if JSON readers would round it. */
static void json_exact(struct json *j, const char *key, uint64_t value)
{
	if (value >> 53)
		json_hex(j, key, value);
	else
		json_uint(j, key, value);
}

static void p90_json(const struct cell *x)
{
	json_uint(x->json, x->column->name, spread_percentile(x->value, 900));
}

static void p90_csv(const struct cell *x)
{
	fprintf(x->out, "%" PRIu64, spread_percentile(x->value, 900));
}

static const struct column_sort sort_p90 = { .json = p90_json, .csv = p90_csv };

/* Prints ids that look like addresses in hexadecimal. */
static void id_text(const struct cell *x)
{
	const struct span_over *span = *(const struct span_over *const *)x->value;
	char room[32];

	if (!span->has_id)
		snprintf(room, sizeof(room), "-");
	else
		snprintf(room, sizeof(room), span->id >> 32 ? "%#" PRIx64 : "%" PRIu64, span->id);
	fprintf(x->out, "%*s", x->column->width, room);
}

static void id_json(const struct cell *x)
{
	const struct span_over *span = x->value ? *(const struct span_over *const *)x->value : NULL;

	if (span && span->has_id)
		json_exact(x->json, x->column->name, span->id);
}

static void id_csv(const struct cell *x)
{
	const struct span_over *span = x->value ? *(const struct span_over *const *)x->value : NULL;

	if (span && span->has_id)
		fprintf(x->out, "%" PRIu64, span->id);
}

static const struct column_sort sort_id = { .text = id_text, .json = id_json, .csv = id_csv };

/* The symbols with most of its samples. */
static void symbols_text(const struct cell *x)
{
	const struct span_watched *w = *(const struct span_watched *const *)x->value;
	uint32_t i;

	for (i = 0; w && i < w->symbols; i++) {
		fputs(i ? ", " : "", x->out);
		escape_print(x->out, x->job->model->names.symbols.symbol[w->symbol[i]].name);
		fprintf(x->out, " %" PRIu64, w->ticks[i]);
	}
}

static void symbols_json(const struct cell *x)
{
	const struct names *n = &x->job->model->names;
	const struct span_watched *w = *(const struct span_watched *const *)x->value;
	uint32_t i;

	json_array(x->json, x->column->name);
	for (i = 0; w && i < w->symbols; i++) {
		const struct symbol *symbol = &n->symbols.symbol[w->symbol[i]];

		json_object(x->json, NULL);
		json_string(x->json, "symbol", symbol->name);
		json_string(x->json, "module", n->module[symbol->module].name);
		json_uint(x->json, "ticks", w->ticks[i]);
		json_end(x->json, '}');
	}
	json_end(x->json, ']');
}

static const struct column_sort sort_symbols = { .text = symbols_text, .json = symbols_json };

static void words_text(FILE *out, const char *before, const struct span_words *w)
{
	const char *text;
	uint16_t i;

	if (!w)
		return;
	fputs(before, out);
	for (i = 0; i < w->ints; i++)
		fprintf(out, w->value[i] >> 32 ? " %#" PRIx64 : " %" PRIu64, w->value[i]);
	for (i = 0, text = span_words_text(w); i < w->strs; i++, text += strlen(text) + 1) {
		fputs(" \"", out);
		escape_print(out, text);
		putc('"', out);
	}
	fputs(w->cut ? " ..." : "", out);
}

static void text_text(const struct cell *x)
{
	const struct span_over *span = *(const struct span_over *const *)x->value;

	words_text(x->out, "  begin:", span->began);
	words_text(x->out, "  end:", span->ended);
}

static void words_json(struct json *j, const char *key, const struct span_words *w)
{
	const char *text;
	uint16_t i;

	if (!w)
		return;
	json_array(j, key);
	for (i = 0; i < w->ints; i++)
		json_exact(j, NULL, w->value[i]);
	for (i = 0, text = span_words_text(w); i < w->strs; i++, text += strlen(text) + 1)
		json_string(j, NULL, text);
	json_end(j, ']');
}

static void text_json(const struct cell *x)
{
	const struct span_over *span = *(const struct span_over *const *)x->value;

	words_json(x->json, "told_at_begin", span->began);
	words_json(x->json, "told_at_end", span->ended);
}

static const struct column_sort sort_by_text = { .text = text_text, .json = text_json };

#define AT(member)   COLUMN_AT(struct mark_line, member)
#define OF(member)   COLUMN_OF(struct mark_row, member)
#define WHEN(member) COLUMN_WHEN(struct mark_line, member)
#define PAIRS        .parts = OF_NAMES | OF_PAIRS
#define OTHERS       .parts = OF_OTHERS
#define SLOWEST      .parts = OF_SLOWEST
#define MORE         .parts = OF_INSIDE | OF_SLOWEST
#define TOLD         .parts = OF_NAMES | OF_PAIRS | OF_SLOWEST, .csv_turn = 2
#define SPAN         SLOWEST, .csv_turn = 2, WHEN(is_span)
#define EVENTS       .csv_turn = 3, .parts = OF_EVENTS
#define NUMBER       .sort = &sort_digits
static const struct column columns[] = {
	{ "", "THREAD", "  ", .parts = OF_PAIRS | OF_OTHERS | OF_SLOWEST, .text_turn = 1,
	  OF(thread), THREAD, WHEN(threads) },
	{ .title = "RECORDS", WIDE(10), .parts = OF_OTHERS | OF_EVENTS, OF(records) },
	{ .title = "MAJOR", .before = " ", WIDE(5), .as = AS_HEX, OTHERS, OF(major) },
	{ .title = "MINOR", .before = " ", WIDE(10), .as = AS_HEX, OTHERS, OF(minor) },
	{ "major", OTHERS, OF(major) },
	{ "minor", OTHERS, OF(minor) },
	{ "records", .parts = OF_OTHERS | OF_EVENTS, OF(records) },
	{ "name", .parts = OF_NAMES | OF_PAIRS | OF_SLOWEST | OF_EVENTS, AT(name) },
	{ "time", PAIRS, .csv_turn = 1, OF(time), SPREAD },
	{ .title = "COUNT", WIDE(10), .parts = OF_NAMES | OF_PAIRS | OF_INSIDE, OF(time.count) },
	{ .title = "NO END", WIDE(8), PAIRS, AT(missing) },
	{ .title = "TOTAL ms", MS(13), PAIRS, OF(time.total) },
	{ "self_ns", "SELF ms", MS(13), PAIRS, OF(self) },
	{ .title = "MEAN us", PAIRS, OF(time), MEAN(12) },
	{ .title = "P50 us", PAIRS, OF(time), PERCENTILE(12, 500) },
	{ .title = "P90 us", PAIRS, OF(time), PERCENTILE(12, 900) },
	{ .title = "P99 us", PAIRS, OF(time), PERCENTILE(12, 990) },
	{ .title = "MAX us", US(12), PAIRS, OF(time.max) },
	{ .title = "CROSSED", WIDE(10), .parts = OF_INSIDE, OF(crossed) },
	{ "took_ns", "TOOK us", US(13), SPAN, AT(took) },
	{ "began_ns", "BEGAN ms", MS(13), SPAN, AT(began) },
	{ "id", "ID", WIDE(20), SPAN, AT(span), .sort = &sort_id },
	{ "within", "WITHIN", .before = " ", WIDE(9), SPAN, AT(within) },
	{ "end_pid", SLOWEST, .csv_turn = 2, AT(end_pid), WHEN(in_another) },
	{ "end_tid", SLOWEST, .csv_turn = 2, AT(end_tid), WHEN(ends_elsewhere) },
	{ .title = "SAMPLES", WIDE(10), MORE, AT(inside.ticks), WHEN(has_ticks) },
	{ .title = "OFF ms", MS(13), MORE, AT(inside.off), WHEN(has_off) },
	{ .title = "WAIT ms", MS(13), MORE, AT(inside.wait), WHEN(has_off) },
	{ .title = "CALLS", WIDE(10), MORE, AT(inside.calls), WHEN(has_calls) },
	{ "field", EVENTS, AT(field) },
	{ "type", EVENTS, AT(type) },
	{ "unit", EVENTS, AT(unit) },
	{ "min", "MIN", WIDE(14), EVENTS, AT(least), NUMBER },
	{ "mean", "MEAN", WIDE(14), EVENTS, AT(mean), NUMBER },
	{ "max", "MAX", WIDE(14), EVENTS, AT(most), NUMBER },
	{ "sum", "SUM", WIDE(18), EVENTS, AT(sum), NUMBER },
	{ .title = "NAME",
	  .before = "  ",
	  .parts = OF_NAMES | OF_PAIRS | OF_INSIDE | OF_SLOWEST | OF_EVENTS,
	  AT(shown) },
	{ "open", PAIRS, OF(open) },
	{ "cut", PAIRS, OF(cut) },
	{ "p90_ns", PAIRS, .csv_turn = 2, OF(time), .sort = &sort_p90 },
	{ "crossed", PAIRS, .csv_turn = 2, OF(crossed) },
	{ "samples", TOLD, AT(inside.ticks), WHEN(has_ticks), .null = true },
	{ "off_ns", TOLD, AT(inside.off), WHEN(has_off), .null = true },
	{ "wait_ns", TOLD, AT(inside.wait), WHEN(has_off), .null = true },
	{ "syscalls", TOLD, AT(inside.calls), WHEN(has_calls), .null = true },
	{ "symbols", "SYMBOLS", "  ", SLOWEST, .text_turn = 2, AT(watched), .sort = &sort_symbols,
	  .forms = IN_TEXT | IN_JSON },
	{ "told", "", NULL, SLOWEST, .text_turn = 3, AT(span), .sort = &sort_by_text,
	  .forms = IN_TEXT | IN_JSON },
	COLUMNS_END,
};
#undef AT
#undef OF

static struct mark_line line_of(const struct job *job, const struct mark_row *r)
{
	const char *name = name_of(job, r);

	return (struct mark_line){
		.of = r,
		.name = name,
		.shown = *name ? name : "-",
		.missing = r->open + r->cut,
		.threads = true,
		.inside = r->inside,
		.has_ticks = times_has(job, PITRACE_TPROF),
		.has_calls = times_has(job, PITRACE_SYSCALL),
		.has_off = times_has(job, PITRACE_DISPATCH),
	};
}

/* ---- named events ---------------------------------------------------------------------------- */

static uint64_t event_value(const void *rows, uint32_t i)
{
	const struct named_row *r = (const struct named_row *)rows + i;

	return r->event ? r->records : 0;
}

static void write_field(struct table *t, const struct mark_row *of, const struct named_row *r,
			uint32_t i)
{
	char name[NAMED_ROOM], type[NAMED_ROOM], unit[NAMED_ROOM], shown[3 * NAMED_ROOM];
	char least[NAMED_DIGITS], mean[NAMED_DIGITS], most[NAMED_DIGITS], sum[NAMED_DIGITS];
	const struct named_field *f = &r->event->fields.field[i];
	const struct named_stat *s = &r->field[i];
	struct mark_line line = {
		.of = of,
		.name = r->event->name,
		.shown = shown,
		.field = named_text(name, f->name, f->name_length),
		.type = named_text(type, f->type, f->type_length),
		.unit = f->unit_length ? named_text(unit, f->unit, f->unit_length) : NULL,
	};

	if (!s->count && t->form == IN_TEXT)
		return;
	if (s->count) {
		named_print(least, f->kind, s->least);
		named_print_mean(mean, f->kind, s);
		named_print(most, f->kind, s->most);
		named_print_sum(sum, f->kind, s);
		line.least = least;
		line.mean = mean;
		line.most = most;
		line.sum = sum;
	}
	snprintf(shown, sizeof(shown), line.unit ? "%s.%s (%s)" : "%s.%s", r->event->name, name,
		 line.unit);
	table_row(t, &line);
}

/* Writes each event, followed by its fields; in text only the numeric ones. */
static int write_event_rows(struct table *t, uint32_t most)
{
	const struct named_stats *s = &t->job->model->marks.named;
	uint32_t *order, count, i, k;
	int rc = order_by(&order, &count, s->rows, event_value, s->row);

	for (i = 0; !rc && i < count && i < most; i++) {
		const struct named_row *r = &s->row[order[i]];
		struct mark_row of = { .records = r->records, .major = PITRACE_NAMED };

		table_row(t, &(struct mark_line){
				     .of = &of,
				     .name = r->event->name,
				     .shown = r->event->name,
			     });
		for (k = 0; k < r->event->fields.count; k++)
			write_field(t, &of, r, k);
	}
	if (!rc)
		free(order);
	return rc;
}

static int write_events(struct table *t, uint32_t most)
{
	int rc;

	t->part = OF_EVENTS;
	table_begin(t, columns, "events");
	rc = write_event_rows(t, most);
	table_end(t);
	return rc;
}

/* ---- metrics --------------------------------------------------------------------------------- */

/* Writes a metric as a field of an event with the name of the spans. */
static void write_metric(struct table *t, const struct span_metric *m)
{
	char *const *names = t->job->model->marks.spans.name;
	const char *unit = names[m->metric], *colon = strchr(unit, ':');
	char least[NAMED_DIGITS], mean[NAMED_DIGITS], most[NAMED_DIGITS], sum[NAMED_DIGITS];
	char shown[3 * NAMED_ROOM], of_unit[NAMED_ROOM];
	const struct mark_row of = { .records = m->used.count, .major = PITRACE_HOOKIT };
	struct mark_line line = {
		.of = &of,
		.name = names[m->name],
		.shown = shown,
		.field = colon ? colon + 1 : unit,
		.type = "u64",
		.least = least,
		.mean = mean,
		.most = most,
		.sum = sum,
	};

	if (colon && colon > unit) {
		snprintf(of_unit, sizeof(of_unit), "%.*s", (int)(colon - unit), unit);
		line.unit = of_unit;
	}
	named_print(least, NAMED_UNSIGNED, m->used.least);
	named_print_mean(mean, NAMED_UNSIGNED, &m->used);
	named_print(most, NAMED_UNSIGNED, m->used.most);
	named_print_sum(sum, NAMED_UNSIGNED, &m->used);
	snprintf(shown, sizeof(shown), line.unit ? "%s.%s (%s)" : "%s.%s", line.name, line.field,
		 line.unit);
	table_row(t, &line);
}

static void write_metric_rows(struct table *t)
{
	const struct span_metrics *m = &t->job->model->marks.metrics;
	uint32_t i;

	for (i = 0; i < m->count; i++)
		write_metric(t, &m->metric[i]);
}

static void write_metrics(struct table *t)
{
	t->part = OF_EVENTS;
	table_begin(t, columns, "metrics");
	write_metric_rows(t);
	table_end(t);
}

static void write_row(struct table *t, const struct mark_row *r)
{
	struct mark_line line = line_of(t->job, r);

	table_row(t, &line);
}

/* ---- slowest spans --------------------------------------------------------------------------- */

static void write_span(struct table *t, const struct span_over *span, const struct span_symbols *s)
{
	static const char *const within[] = { "thread", "process", "processes" };
	const struct names *n = &t->job->model->names;
	const struct trace_thread *last = &n->thread[span->last];
	const struct mark_row row = { .thread = span->thread, .name = span->name };
	struct mark_line line = line_of(t->job, &row);
	uint64_t began = t->job->trace->began;

	line.is_span = true;
	line.inside = span->inside;
	line.span = span;
	line.watched = span_symbols_of(s, span);
	line.within = within[span->within];
	line.took = span_took(span);
	line.began = span->since > began ? span->since - began : 0;
	line.end_pid = id_shown(n->process[last->process].pid);
	line.end_tid = id_shown(last->tid);
	line.in_another = span->within == SPAN_OF_PROCESSES &&
			  !t->job->options->names.by_process_name;
	line.ends_elsewhere = span->within != SPAN_OF_THREAD &&
			      !t->job->options->names.by_thread_name;
	line.has_off &= span->within == SPAN_OF_THREAD;
	line.has_ticks &= span->within != SPAN_OF_PROCESSES;
	line.has_calls &= span->within != SPAN_OF_PROCESSES;
	table_row(t, &line);
}

/* Starts with the names that have the most time. */
static int write_spans(struct table *t, bool with_symbols)
{
	const struct slowest *slowest = &t->job->model->marks.slowest;
	struct span_symbols symbols = { .watched = NULL };
	uint32_t *order, count, i, k;
	struct marks m;
	int rc = marks_group(&m, &t->job->model->marks, by_name);

	if (rc)
		return rc;
	rc = order_by(&order, &count, m.nrow, pair_value, m.row);
	for (i = 0; !rc && i < count; i++)
		order[i] = m.row[order[i]].name;
	if (!rc && with_symbols)
		rc = span_symbols_read(&symbols, t->job, order, count);
	for (i = 0; !rc && i < count; i++) {
		for (k = 0; order[i] < slowest->names && k < slowest->of[order[i]].count; k++)
			write_span(t, &slowest->of[order[i]].list[k], &symbols);
	}
	free(order);
	span_symbols_free(&symbols);
	marks_free(&m);
	return rc;
}

static int write_slowest(struct table *t, const char *name)
{
	int rc;

	t->part = OF_SLOWEST;
	table_begin(t, columns, name);
	rc = write_spans(t, true);
	table_end(t);
	return rc;
}

/* ---- pairs and others ------------------------------------------------------------------------ */

/* Writes names, pairs or others, the greatest first. */
static int write_rows(struct table *t, unsigned int part, uint32_t most)
{
	uint32_t *order, count, i;
	struct marks m;
	int rc = marks_group(&m, &t->job->model->marks,
			     part & (OF_NAMES | OF_INSIDE) ? by_name : by_thread);

	if (rc)
		return rc;
	rc = order_by(&order, &count, m.nrow, part == OF_OTHERS ? other_value : pair_value, m.row);
	for (i = 0; !rc && i < count && i < most; i++)
		write_row(t, &m.row[order[i]]);
	if (!rc)
		free(order);
	marks_free(&m);
	return rc;
}

static int write_table(struct table *t, unsigned int part, uint32_t most, const char *name)
{
	int rc;

	t->part = part;
	table_begin(t, columns, name);
	rc = write_rows(t, part, most);
	table_end(t);
	return rc;
}

/* ---- text ------------------------------------------------------------------------------------ */

static bool nothing(const struct job *job, FILE *out)
{
	static const uint16_t majors[] = { PITRACE_USER_FIRST, 0 };

	if (job->model->marks.nrow || job->model->marks.stray || job->model->marks.named.rows)
		return false;
	times_missing(job, out, "records that programs wrote (TraceHook, TraceEvent, swtrace mark)",
		      majors);
	return true;
}

static int marks_write(const struct job *job, FILE *out)
{
	struct table t = table_text(job, out);
	int rc;

	times_head(job, out, "Marks");
	if (nothing(job, out))
		return 0;
	if (job->model->marks.stray)
		fprintf(out,
			"\n%" PRIu64 " ends without a beginning: begun before the trace, or lost\n",
			job->model->marks.stray);
	if (job->model->marks.undeclared)
		fprintf(out,
			"\n%" PRIu64
			" named events without their declaration: lost, or of before the trace\n",
			job->model->marks.undeclared);
	if (job->model->marks.named.rows) {
		times_banner(out, "Named events");
		rc = write_events(&t, UINT32_MAX);
		if (rc)
			return rc;
	}
	times_banner(out, "Name");
	rc = write_table(&t, OF_NAMES, UINT32_MAX, NULL);
	fputs("\nRecords of major 0xb0: minor 0 begins, minor 0x80 ends what has the same name (the first\n"
	      "string) and the same id (the first integer) in its process; without integers, what has the\n"
	      "same name in its thread. SELF is without such pairs inside. NO END: the end is missing, or\n"
	      "records were lost meanwhile; these are not in COUNT. Percentiles are too high by up to\n"
	      "1/32.\n",
	      out);
	if (!rc) {
		times_banner(out, "Inside");
		rc = write_table(&t, OF_INSIDE, UINT32_MAX, NULL);
		fputs("\nWhat the thread did meanwhile, of those that began and ended in one thread; CROSSED ended\n"
		      "in another one. OFF: asleep or blocked, WAIT: runnable without a CPU. CALLS: system calls.\n",
		      out);
	}
	if (!rc && job->model->marks.metrics.count) {
		times_banner(out, "Metrics");
		write_metrics(&t);
		fputs("\nWhat the threads of spans used, of those that began and ended in one thread.\n",
		      out);
	}
	if (!rc) {
		times_banner(out, "Slowest");
		rc = write_slowest(&t, NULL);
		fputs("\nThe slowest ten of each name. WITHIN: whose samples and calls are counted: of its thread; of\n"
		      "all threads of its process, because it ended in another one than it began in; of none,\n"
		      "because it did in another process. SYMBOLS: where most samples are.\n",
		      out);
	}
	if (!rc) {
		times_banner(out, "Thread and name");
		rc = write_table(&t, OF_PAIRS, UINT32_MAX, NULL);
	}
	if (!rc) {
		times_banner(out, "Other records");
		rc = write_table(&t, OF_OTHERS, UINT32_MAX, NULL);
	}
	return rc;
}

static int marks_screen(const struct job *job, FILE *out)
{
	struct table t = table_text(job, out);
	int rc = 0;

	if (nothing(job, out))
		return 0;
	putc('\n', out);
	if (job->model->marks.named.rows) {
		rc = write_events(&t, SCREEN_ROWS);
		putc('\n', out);
	}
	if (!rc)
		rc = write_table(&t, OF_NAMES, SCREEN_ROWS, NULL);
	if (!rc) {
		putc('\n', out);
		rc = write_table(&t, OF_OTHERS, SCREEN_ROWS, NULL);
	}
	return rc;
}

/* ---- JSON and CSV ---------------------------------------------------------------------------- */

static int marks_json(const struct job *job, struct json *j)
{
	struct table t = table_json(job, j);
	int rc;

	json_object(j, "marks");
	json_uint(j, "ends_without_beginning", job->model->marks.stray);
	json_uint(j, "events_without_declaration", job->model->marks.undeclared);
	rc = write_events(&t, UINT32_MAX);
	if (!rc)
		rc = write_table(&t, OF_NAMES, UINT32_MAX, "names");
	if (!rc)
		rc = write_table(&t, OF_PAIRS, UINT32_MAX, "threads");
	if (!rc) {
		write_metrics(&t);
		rc = write_slowest(&t, "slowest");
	}
	if (!rc)
		rc = write_table(&t, OF_OTHERS, UINT32_MAX, "others");
	json_end(j, '}');
	return rc;
}

/* One table of pairs, others, slowest spans and named events, with the columns of all; lists have
 * none. */
static int marks_csv(const struct job *job, FILE *out)
{
	struct table t = table_csv(job, out);
	int rc;

	t.part = OF_ALL;
	table_begin(&t, columns, NULL);
	rc = write_rows(&t, OF_PAIRS, UINT32_MAX);
	if (!rc)
		rc = write_rows(&t, OF_OTHERS, UINT32_MAX);
	if (!rc)
		rc = write_spans(&t, false);
	if (!rc)
		rc = write_event_rows(&t, UINT32_MAX);
	if (!rc)
		write_metric_rows(&t);
	return rc;
}

const struct report report_marks = {
	.name = "marks",
	.usage = "  -marks            what programs wrote themselves, times of pairs (marks.out)\n",
	.path = "marks.out",
	.mode = 0666,
	.needs = NEED_MARKS | NEED_TIMES | NEED_SAMPLES,
	.write = marks_write,
	.screen = marks_screen,
	.json = marks_json,
	.csv = marks_csv,
};
