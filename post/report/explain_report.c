/* SPDX-License-Identifier: GPL-3.0-or-later */
/* -explain: everything known about an address of a process, the sources, and why it resolves as it
 * does at a given time. */
#include "report/report.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "escape.h"
#include "report/show_report.h"
#include "report/table.h"

#define FOREVER UINT64_MAX

static const char *const kinds[] = {
	[A2N_SPAN_EMPTY] = "process begins",
	[A2N_SPAN_COPY] = "process is forked",
	[A2N_SPAN_SEEN] = "process is found",
	[A2N_SPAN_MAPPED] = "mapped",
	[A2N_SPAN_UNMAPPED] = "unmapped",
	[A2N_SPAN_CODE] = "code",
	[A2N_SPAN_CODE_MOVED] = "code moved away",
	[A2N_SPAN_CODE_FREED] = "code given up",
	[A2N_SPAN_PERF_MAP] = "code, by a perf map",
};

static const char *const reasons[] = {
	[A2N_WHY_KERNEL] = "the kernel's memory is the same for all processes",
	[A2N_WHY_AMBIGUOUS] = "the program announces code late: one of these codes ran",
	[A2N_WHY_CODE] =
		"the program had announced this code by then, which has priority over mappings",
	[A2N_WHY_CODE_LATE] =
		"the program announced this code later, but it may have run by then, and nothing else had the address",
	[A2N_WHY_CODE_FREED] = "the program had freed the code there, and announced no other",
	[A2N_WHY_PERF_MAP] = "a perf map names it, and the program announced nothing else",
	[A2N_WHY_MAPPED] = "this was mapped there",
	[A2N_WHY_NOTHING] = "nothing was mapped there according to the trace",
};

struct explained {
	const struct explain *x;
	const struct a2n_answer *answer;
	FILE *out;
	struct table *table; /* instead of `out` */
	uint32_t n;
	bool mapped; /* something was mapped there by then */
};

/* ---- the deciding events --------------------------------------------------------------------- */

static bool held(const struct a2n_span *s, uint64_t time)
{
	return s->from <= time && time < s->to;
}

static void look(void *arg, const struct a2n_span *s)
{
	struct explained *e = arg;

	e->n++;
	e->mapped |= s->kind == A2N_SPAN_MAPPED && held(s, e->x->what.time);
}

static bool decides(const struct explained *e, const struct a2n_span *s)
{
	uint64_t time = e->x->what.time;

	switch (e->answer->why) {
	case A2N_WHY_AMBIGUOUS:
		return s->kind == A2N_SPAN_CODE && s->earliest <= time && time < s->to;
	case A2N_WHY_CODE:
		return s->kind == A2N_SPAN_CODE && held(s, time);
	case A2N_WHY_CODE_LATE:
		return s->kind == A2N_SPAN_CODE && s->earliest <= time && time < s->from;
	case A2N_WHY_CODE_FREED:
		return s->kind == A2N_SPAN_CODE_FREED && held(s, time);
	case A2N_WHY_PERF_MAP:
		return s->kind == A2N_SPAN_PERF_MAP && held(s, time);
	case A2N_WHY_NOTHING:
		return s->kind == A2N_SPAN_UNMAPPED && held(s, time);
	default:
		/* Where code has moved away, the mapping below applies. */
		if (s->kind == A2N_SPAN_CODE_MOVED)
			return held(s, time);
		/* A mapping found by a walk also applies to earlier times if nothing else is
		 * known. */
		return s->kind == A2N_SPAN_MAPPED &&
		       (held(s, time) || (!e->mapped && s->walk && time < s->from));
	}
}

/* ---- text ------------------------------------------------------------------------------------ */

static void text_time(FILE *out, uint64_t time)
{
	if (time == FOREVER || !time)
		fprintf(out, "%16s", "-");
	else
		fprintf(out, "%6" PRIu64 ".%09" PRIu64, time / 1000000000, time % 1000000000);
}

static const char *record_name(const struct explain_source *s)
{
	const struct pirecord r = {
		.major = PITRACE_MTE,
		.minor = s->minor,
		.type = PITRACE_TYPE_STRUCT,
	};
	const struct record_kind *kind = show_kind(&r);

	return kind ? show_kind_name(kind, &r) : s->minor == PITRACE_MTE_JIT ? "jitted method" : "";
}

static void text_source(const struct explained *e, const struct a2n_span *span)
{
	const struct explain_source *s = explain_source(e->x, span);

	if (!s) {
		fputs(!span->told ? "kallsyms and /proc/modules of the trace" : "not known",
		      e->out);
	} else if (s->kind) {
		fprintf(e->out, "%s ", s->kind);
		escape_print(e->out, s->path);
		fprintf(e->out, ", byte %" PRIu64, s->offset);
	} else {
		fprintf(e->out, "record mte %s", record_name(s));
		if (!s->kernel)
			fprintf(e->out, ", pid %u", s->pid);
		fprintf(e->out, ", cpu %u, stamp %016" PRIx64, s->cpu, s->stamp);
	}
}

/* Returns the name of what the span maps, or NULL. */
static const char *name_of(const struct a2n_span *s)
{
	return s->kind == A2N_SPAN_MAPPED && !strcmp(s->name, A2N_JITCODE) ? "anonymous memory" :
									     s->name;
}

static void text_span(void *arg, const struct a2n_span *s)
{
	struct explained *e = arg;

	fputs(decides(e, s) ? "* " : "  ", e->out);
	text_time(e->out, s->from);
	putc(' ', e->out);
	text_time(e->out, s->to);
	fprintf(e->out, "  %s", kinds[s->kind]);
	if (name_of(s)) {
		fputs(": ", e->out);
		escape_print(e->out, name_of(s));
	}
	if (s->length)
		fprintf(e->out, ", 0x%" PRIx64 " to 0x%" PRIx64, s->start,
			s->start + (s->length - 1));
	if (s->walk)
		fputs("; found there, and held before where nothing else is known", e->out);
	if (s->inherited)
		fputs("; of memory that this is a copy of", e->out);
	if (s->unsure)
		fputs("; perhaps another code was there", e->out);
	if (s->earliest < s->from) {
		fputs("; may have run since", e->out);
		text_time(e->out, s->earliest);
	}
	fprintf(e->out, "\n%37sby ", "");
	text_source(e, s);
	putc('\n', e->out);
}

/* Prints "symbol+0x10 [module]". */
static void text_answer(const struct explained *e)
{
	const struct a2n_answer *a = e->answer;

	escape_print(e->out, a->symbol->name);
	if (a->result == A2N_OK)
		fprintf(e->out, "+0x%" PRIx64, a->symbol_offset);
	fputs("  [", e->out);
	escape_print(e->out, a->module->name);
	fputs("]\n", e->out);
}

static void begin(struct explained *e, const struct job *job, struct a2n_answer *answer)
{
	const struct names *n = &job->model->names;
	const struct explain_wanted *w = &n->jit.explain.what;

	a2n_resolve(n->a2n, w->pid, w->time, w->address, false, answer);
	*e = (struct explained){ .x = &n->jit.explain, .answer = answer };
	a2n_history(n->a2n, w->pid, w->address, look, e);
}

static int explain_write(const struct job *job, FILE *out)
{
	const struct names *n = &job->model->names;
	const struct explain_wanted *w = &n->jit.explain.what;
	struct a2n_answer answer;
	struct explained e;

	begin(&e, job, &answer);
	e.out = out;
	fprintf(out, "Explained address, pitrace %s\n\n%-16s", PITRACE_VERSION, "Trace file");
	escape_print(out, job->input->name);
	fprintf(out, "\n%-16s%u (", "Process", w->pid);
	escape_print(out, a2n_process_name(n->a2n, w->pid, w->time));
	fprintf(out, ")\n%-16s0x%" PRIx64 "\n%-16s%" PRIu64 ".%09" PRIu64 " s\n%-16s", "Address",
		w->address, "Time", w->time / 1000000000, w->time % 1000000000, "Answer");
	text_answer(&e);
	fprintf(out, "%-16s%s\n", "Why", reasons[answer.why]);
	if (answer.why == A2N_WHY_MAPPED && answer.result == A2N_RESULT_JIT_UNKNOWN)
		fprintf(out, "%-16sits program had not announced code in it by then\n", "");
	if ((answer.why == A2N_WHY_MAPPED || answer.why == A2N_WHY_KERNEL) &&
	    answer.result <= A2N_RESULT_NO_SYMBOLS) {
		fprintf(out, "%-16s", "Symbols from");
		escape_print(out, answer.module->symbols_from);
		putc('\n', out);
	}
	if (answer.unsure)
		fprintf(out,
			"%-16srecords of names were lost before, or a perf map has no time for it\n",
			"Unsure");
	fputs("\nWhat the address meant; * makes the answer\n\n"
	      "              FROM            UNTIL  WHAT\n",
	      out);
	a2n_history(n->a2n, w->pid, w->address, text_span, &e);
	return 0;
}

/* ---- JSON, CSV ------------------------------------------------------------------------------- */

struct span_line {
	const struct a2n_span *of;
	const struct explain_source *from; /* NULL: unknown */
	const char *what, *name, *source, *path;
	uint64_t offset, stamp;
	bool ends, is_early, has_length, decides, has_offset, has_stamp;
};

/* In JSON a source is an object: each kind has different members. */
static void source_json(const struct cell *x)
{
	const struct span_line *l = x->value;
	const struct explain_source *s = l->from;

	json_object(x->json, x->column->name);
	if (s && s->kind) {
		json_string(x->json, "kind", s->kind);
		json_string(x->json, "path", s->path);
		json_uint(x->json, "offset", s->offset);
	} else if (s) {
		json_string(x->json, "kind", "record");
		json_string(x->json, "record", record_name(s));
		json_uint(x->json, "pid", s->pid);
		json_uint(x->json, "cpu", s->cpu);
		json_uint(x->json, "stamp", s->stamp);
	} else {
		json_string(x->json, "kind", l->of->told ? "unknown" : "kallsyms");
	}
	json_end(x->json, '}');
}

static const struct column_sort sort_source = { .json = source_json };

#define AT(member)   COLUMN_AT(struct span_line, member)
#define OF(member)   COLUMN_OF(struct a2n_span, member)
#define WHEN(member) COLUMN_WHEN(struct span_line, member)
#define JSON         .forms = IN_JSON
#define CSV          .forms = IN_CSV
static const struct column columns[] = {
	{ "from_ns", CSV, OF(from) },
	{ "until_ns", CSV, WHEN(ends), OF(to) },
	{ "what", AT(what) },
	{ "name", AT(name) },
	{ "from", JSON, OF(from) },
	{ "until", JSON, .null = true, WHEN(ends), OF(to) },
	{ "earliest", JSON, WHEN(is_early), OF(earliest) },
	{ "start", JSON, .as = AS_HEX, WHEN(has_length), OF(start) },
	{ "start", CSV, .as = AS_HEX, OF(start) },
	{ "length", JSON, WHEN(has_length), OF(length) },
	{ "length", CSV, OF(length) },
	{ "decides", .as = AS_DIGIT, AT(decides) },
	{ "held_before", JSON, OF(walk) },
	{ "inherited", JSON, OF(inherited) },
	{ "unsure", JSON, OF(unsure) },
	{ "source", JSON, .sort = &sort_source },
	{ "source", CSV, AT(source) },
	{ "path", CSV, AT(path) },
	{ "offset", CSV, WHEN(has_offset), AT(offset) },
	{ "stamp", CSV, WHEN(has_stamp), AT(stamp) },
	COLUMNS_END,
};
#undef AT
#undef OF

static void write_span(void *arg, const struct a2n_span *s)
{
	struct explained *e = arg;
	const struct explain_source *from = explain_source(e->x, s);
	struct span_line l = {
		.of = s,
		.from = from,
		.what = kinds[s->kind],
		.name = name_of(s),
		.ends = s->to != FOREVER,
		.is_early = s->earliest < s->from,
		.has_length = s->length,
		.decides = decides(e, s),
		.has_offset = from && from->kind,
		.has_stamp = from && !from->kind,
	};

	if (from) {
		l.source = from->kind ? from->kind : record_name(from);
		l.path = from->kind ? from->path : NULL;
		l.offset = from->offset;
		l.stamp = from->stamp;
	}
	table_row(e->table, &l);
}

static int explain_json(const struct job *job, struct json *j)
{
	const struct names *n = &job->model->names;
	const struct explain_wanted *w = &n->jit.explain.what;
	struct table t = table_json(job, j);
	struct a2n_answer answer;
	struct explained e;

	begin(&e, job, &answer);
	e.table = &t;
	json_object(j, "explained");
	json_uint(j, "pid", w->pid);
	json_hex(j, "address", w->address);
	json_uint(j, "time", w->time);
	json_string(j, "name", answer.symbol->name);
	json_string(j, "module", answer.module->name);
	if (answer.result == A2N_OK)
		json_uint(j, "offset", answer.symbol_offset);
	json_string(j, "why", reasons[answer.why]);
	json_bool(j, "unsure", answer.unsure);
	table_begin(&t, columns, "spans");
	a2n_history(n->a2n, w->pid, w->address, write_span, &e);
	table_end(&t);
	json_end(j, '}');
	return 0;
}

static int explain_csv(const struct job *job, FILE *out)
{
	const struct explain_wanted *w = &job->model->names.jit.explain.what;
	struct table t = table_csv(job, out);
	struct a2n_answer answer;
	struct explained e;

	begin(&e, job, &answer);
	e.table = &t;
	table_begin(&t, columns, NULL);
	a2n_history(job->model->names.a2n, w->pid, w->address, write_span, &e);
	return 0;
}

/* ---- the report ------------------------------------------------------------------------------ */

static bool explain_absent(const struct job *job)
{
	const struct explain_wanted *w = &job->model->names.jit.explain.what;
	const struct trace *t = job->trace;
	struct a2n_answer answer;
	struct explained e;

	if (w->time < t->first || w->time > t->last) {
		complain("-explain: the trace is from %" PRIu64 ".%09" PRIu64 " to %" PRIu64
			 ".%09" PRIu64 " seconds (times are those of -show): %" PRIu64 ".%09" PRIu64
			 " is not in it",
			 t->first / 1000000000, t->first % 1000000000, t->last / 1000000000,
			 t->last % 1000000000, w->time / 1000000000, w->time % 1000000000);
		return true;
	}
	begin(&e, job, &answer);
	if (e.n || w->address >> 63)
		return false;
	complain("-explain: the trace has no process %u", w->pid);
	return true;
}

/* Parses a number in this base up to `end`, which is skipped. Neither sign nor blanks are
 * allowed. */
static bool number_to(const char **text, int base, char end, uint64_t *value)
{
	char *stop;

	if (!isxdigit((unsigned char)**text))
		return false;
	errno = 0;
	*value = strtoull(*text, &stop, base);
	if (errno || *stop != end)
		return false;
	*text = stop + (end != '\0');
	return true;
}

/* Parses PID:ADDRESS:TIME as in -show: 4242:0x7f0012340010:25758.5 */
static bool parse_explain(const char *text, struct explain_wanted *w)
{
	uint64_t pid, seconds, unit = 100000000;

	if (!number_to(&text, 10, ':', &pid) || pid > INT32_MAX ||
	    !number_to(&text, 16, ':', &w->address))
		return false;
	if (!number_to(&text, 10, strchr(text, '.') ? '.' : '\0', &seconds) ||
	    seconds > UINT64_MAX / 1000000000 - 1)
		return false;
	for (w->time = seconds * 1000000000; *text; text++, unit /= 10) {
		if (*text < '0' || *text > '9' || !unit)
			return false;
		w->time += (uint64_t)(*text - '0') * unit;
	}
	w->pid = (uint32_t)pid;
	w->wanted = true;
	return true;
}

static bool explain_take(struct options *o, const char *option, const char *argument)
{
	(void)option;
	if (parse_explain(argument, &o->names.explain))
		return true;
	complain("-explain: invalid value '%s': expected PID:ADDRESS:TIME, the address in hexadecimal, the time in seconds, like 4242:0x7f0012340010:25758.5",
		 argument);
	return false;
}

const struct report report_explain = {
	.name = "explain",
	.usage =
		"  -explain PID:ADDRESS:TIME\n"
		"                    each name that the address had, its source, and the name at that\n"
		"                    time, on stdout\n",
	.argument = required_argument,
	.take = explain_take,
	.kinds = REPORT_OF_ONE | REPORT_OF_ADDRESS,
	.path = "-",
	.mode = 0666,
	.needs = NEED_NAMES,
	.absent = explain_absent,
	.write = explain_write,
	.json = explain_json,
	.csv = explain_csv,
};
