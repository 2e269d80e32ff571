/* SPDX-License-Identifier: GPL-3.0-or-later */
/* -annotate: a symbol's instructions and source lines, with the ticks of each. */
#include "report/report.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "complain.h"
#include "escape.h"
#include "model/wanted.h"
#include "report/annotate.h"
#include "report/code.h"
#include "report/disasm.h"
#include "report/source.h"
#include "report/table.h"

struct spot {
	uint32_t source; /* index of the source file, or NO_SOURCE */
	int line;
};
#define NO_SOURCE UINT32_MAX

struct instruction {
	uint64_t offset, ticks;
	struct spot spot;
	char text[100];
};

struct source_ticks {
	struct spot spot;
	uint64_t ticks;
};

struct annotated {
	uint32_t symbol;
	uint64_t ticks;
	struct machine_code code;
	const char *why;                /* reason if there are no instructions */
	const struct offset_ticks *hit; /* sorted by offset */
	uint32_t nhit;
	struct instruction *list; /* if there are no instructions: the offsets with hits */
	uint32_t nlist, room_list;
	struct sources sources;
	struct source_ticks *line;
	uint32_t nline, room_line;
	uint64_t astray;  /* ticks not at the start of an instruction */
	uint64_t unlined; /* ticks whose source line is unknown */
	bool no_memory;
};

/* ---- choice of symbols ----------------------------------------------------------------------- */

#define NO_SYMBOL UINT32_MAX

/* Returns the symbol with the most ticks whose code can be shown; NO_SYMBOL: none. */
static uint32_t hottest_symbol(const struct job *job)
{
	const struct names *n = &job->model->names;
	const struct counts *c = &job->model->counts;
	uint64_t *ticks = calloc(n->symbols.count + 1, sizeof(*ticks));
	uint32_t i, hottest = NO_SYMBOL;

	for (i = 0; ticks && i < c->nrow; i++)
		ticks[c->row[i].symbol] += c->row[i].ticks;
	for (i = 0; ticks && i < n->symbols.count; i++)
		if (ticks[i] && n->symbols.symbol[i].result == A2N_OK &&
		    !(n->has_idle && i == n->idle.symbol) &&
		    (hottest == NO_SYMBOL || ticks[i] > ticks[hottest]))
			hottest = i;
	free(ticks);
	return hottest;
}

/* The requested symbols: by name, or the hottest one. */
struct asked {
	bool by_name;
	uint32_t hottest;
};

static struct asked what_is_asked(const struct job *job)
{
	bool by_name = *job->options->names.annotate;

	return (struct asked){ by_name, by_name ? NO_SYMBOL : hottest_symbol(job) };
}

static bool is_asked(const struct job *job, const struct asked *asked, uint32_t symbol)
{
	const struct symbol *s = &job->model->names.symbols.symbol[symbol];

	if (!asked->by_name)
		return symbol == asked->hottest;
	return wanted_symbol(job->options->names.annotate, s->name,
			     s->a2n ? s->a2n->raw_name : NULL,
			     job->model->names.module[s->module].name);
}

static int compare_hits(const void *pa, const void *pb)
{
	const struct offset_ticks *a = pa, *b = pb;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Sorts by offset, which includes the version of the code, and merges equal offsets. */
static void order_hits(struct spot_hits *h)
{
	uint32_t i, k = 0;

	if (!h->n)
		return;
	qsort(h->list, h->n, sizeof(*h->list), compare_hits);
	for (i = 1; i < h->n; i++) {
		if (h->list[i].offset == h->list[k].offset)
			h->list[k].ticks += h->list[i].ticks;
		else
			h->list[++k] = h->list[i];
	}
	h->n = k + 1;
}

/* Collects the ticks of a symbol from all threads. */
static int gather_hits(const struct job *job, uint32_t symbol, struct spot_hits *h)
{
	const struct counts *c = &job->model->counts;
	uint32_t i;

	for (i = 0; i < c->nrow; i++) {
		if (c->row[i].symbol != symbol || !c->row[i].ticks)
			continue;
		if (array_next(h->list, h->n, h->room))
			return -ENOMEM;
		h->list[h->n++] = (struct offset_ticks){ c->row[i].offset, c->row[i].ticks };
	}
	return 0;
}

/* Takes the hits from `at` on that belong to one version of the code, and makes them relative to
 * its start. Returns the index of the next version's hits. */
static uint32_t cut_hits(struct spot_hits *h, uint32_t at, struct annotated *a)
{
	uint64_t first = h->list[at].offset, base = 0;
	uint32_t i;

	if (first & A2N_CODE)
		base = first - A2N_CODE_OFFSET(first);
	a->hit = h->list + at;
	for (i = at; i < h->n && (!base || h->list[i].offset - base <= UINT32_MAX); i++) {
		h->list[i].offset -= base;
		a->ticks += h->list[i].ticks;
	}
	a->nhit = i - at;
	return i;
}

/* ---- instructions and lines ------------------------------------------------------------------ */

static struct instruction *add_instruction(struct annotated *a, uint64_t offset)
{
	struct instruction *i;

	if (array_next(a->list, a->nlist, a->room_list))
		return NULL;
	i = &a->list[a->nlist++];
	*i = (struct instruction){ .offset = offset, .spot.source = NO_SOURCE };
	return i;
}

static void take_line(void *arg, size_t i, const struct a2n_frame *frames, size_t n)
{
	struct annotated *a = arg;
	struct spot *spot = &a->list[i].spot;

	(void)n;
	if (!frames->line)
		return;
	spot->line = (int)frames->line;
	a->no_memory |= source_find(&a->sources, frames->file, &spot->source) != 0;
}

/* Finds the source lines of all instructions at once. */
static int find_lines(const struct job *job, struct annotated *a)
{
	const struct symbol *s = &job->model->names.symbols.symbol[a->symbol];
	uint64_t *address = malloc((a->nlist + 1) * sizeof(*address));
	uint32_t i;
	int rc;

	if (!address)
		return -ENOMEM;
	for (i = 0; i < a->nlist; i++)
		address[i] = a->code.base + a->list[i].offset;
	rc = a2n_lines(job->model->names.a2n, s->a2n->module, address, a->nlist, false, take_line,
		       a);
	free(address);
	return rc == -ENOMEM || a->no_memory ? -ENOMEM : 0;
}

/* Takes the remaining hits below `end`: returns the ticks of those at `at`, and counts the others
 * as astray. */
static uint64_t take_hits(struct annotated *a, uint32_t *next, uint64_t at, uint64_t end)
{
	uint64_t ticks = 0;

	for (; *next < a->nhit && a->hit[*next].offset < end; ++*next) {
		if (a->hit[*next].offset == at)
			ticks += a->hit[*next].ticks;
		else
			a->astray += a->hit[*next].ticks;
	}
	return ticks;
}

static int disassemble(struct annotated *a)
{
	const struct machine_code *c = &a->code;
	struct disasm *d = NULL;
	struct instruction *i;
	uint32_t next = 0;
	size_t at, size;

	a->why = c->why;
	if (!a->why)
		d = disasm_open(c->machine, c->is_32, c->big_endian, &a->why);
	if (!d && !a->why)
		return -ENOMEM;
	for (at = 0; d && at < c->size; at += size) {
		i = add_instruction(a, at);
		if (!i) {
			disasm_close(d);
			return -ENOMEM;
		}
		size = disasm_one(d, c->bytes, c->size, at, c->address, i->text, sizeof(i->text));
		if (!size)
			size = c->machine == EM_X86_64 || c->machine == EM_386 ? 1 : 4;
		i->ticks = take_hits(a, &next, at, at + size);
	}
	disasm_close(d);
	if (d) {
		take_hits(a, &next, UINT64_MAX, UINT64_MAX);
		return 0;
	}
	for (; next < a->nhit; next++) {
		i = add_instruction(a, a->hit[next].offset);
		if (!i)
			return -ENOMEM;
		i->ticks = a->hit[next].ticks;
	}
	return 0;
}

static bool same_spot(const struct spot *a, const struct spot *b)
{
	return a->source == b->source && a->line == b->line;
}

/* Sorts by file, in the order in which the code refers to them, then by line. */
static int compare_lines(const void *pa, const void *pb)
{
	const struct spot *a = &((const struct source_ticks *)pa)->spot;
	const struct spot *b = &((const struct source_ticks *)pb)->spot;

	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	return a->line - b->line;
}

static int gather_lines(struct annotated *a)
{
	uint32_t i, k = 0;

	a->unlined = a->astray;
	for (i = 0; i < a->nlist; i++) {
		const struct instruction *in = &a->list[i];

		if (!in->ticks)
			continue;
		if (in->spot.source == NO_SOURCE) {
			a->unlined += in->ticks;
			continue;
		}
		if (array_next(a->line, a->nline, a->room_line))
			return -ENOMEM;
		a->line[a->nline++] = (struct source_ticks){ in->spot, in->ticks };
	}
	if (!a->nline)
		return 0;
	qsort(a->line, a->nline, sizeof(*a->line), compare_lines);
	for (i = 1; i < a->nline; i++) {
		if (same_spot(&a->line[i].spot, &a->line[k].spot))
			a->line[k].ticks += a->line[i].ticks;
		else
			a->line[++k] = a->line[i];
	}
	a->nline = k + 1;
	return 0;
}

/* Checks that the ticks of instructions and of lines, with those not assigned, add up to the
 * symbol's. */
static int checked(const struct job *job, const struct annotated *a)
{
	uint64_t by_instruction = a->astray, by_line = a->unlined;
	uint32_t i;

	for (i = 0; i < a->nlist; i++)
		by_instruction += a->list[i].ticks;
	for (i = 0; i < a->nline; i++)
		by_line += a->line[i].ticks;
	if (by_instruction == a->ticks && by_line == a->ticks)
		return 0;
	complain("internal error: instructions sum to %" PRIu64 ", lines to %" PRIu64 " of %" PRIu64
		 " ticks of %s",
		 by_instruction, by_line, a->ticks,
		 job->model->names.symbols.symbol[a->symbol].name);
	return REPORT_WRONG;
}

/* Collects the code at `place`, the first address with hits. */
static int annotate(const struct job *job, struct annotated *a, uint64_t place)
{
	const struct symbol *s = &job->model->names.symbols.symbol[a->symbol];
	int rc = 0;

	/* Idle ticks and hidden kernel addresses have no code. */
	if (!s->a2n)
		a->code.why = "it is not code";
	else if (place & A2N_CODE)
		rc = code_made(&a->code, &job->model->names, place);
	else
		rc = code_open(&a->code, job->model->names.a2n, s->a2n);
	a->sources.sympath = job->options->names.sympath;
	a->sources.program = a->code.st;
	if (!rc)
		rc = disassemble(a);
	if (!rc && s->a2n)
		rc = find_lines(job, a);
	if (!rc)
		rc = gather_lines(a);
	return rc ? rc : checked(job, a);
}

static void annotated_free(struct annotated *a)
{
	sources_free(&a->sources);
	code_close(&a->code);
	free(a->list);
	free(a->line);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void text_share(const struct annotated *a, FILE *out, uint64_t ticks, bool colour)
{
	double percent = percent_of(ticks, a->ticks);
	bool hot = colour && percent >= HOT_PERCENT;

	if (ticks)
		fprintf(out, "%s%11" PRIu64 " %6.2f%s", hot ? COLOUR_HOT : "", ticks, percent,
			hot ? COLOUR_OFF : "");
	else
		fprintf(out, "%18s", "");
}

/* Prints FILE:LINE and the text of the line, or -. */
static void text_line(const struct annotated *a, FILE *out, const struct spot *p)
{
	const struct source *s = &a->sources.list[p->source];
	const char *words = source_line(s, p->line);

	escape_print(out, s->path);
	fprintf(out, ":%d  ", p->line);
	source_print(out, words ? words : "-");
	putc('\n', out);
}

/* Lists source files without text, and those that may have changed since the build. */
static void text_sources(const struct annotated *a, FILE *out)
{
	uint32_t i;

	for (i = 0; i < a->sources.n; i++) {
		const struct source *s = &a->sources.list[i];

		if (!s->why && !s->newer)
			continue;
		fputs("source ", out);
		escape_print(out, s->path);
		fprintf(out, " %s\n",
			s->why ? s->why :
				 "is newer than the code: its lines may not be those that ran");
	}
}

static void text_lines(const struct annotated *a, FILE *out, bool colour)
{
	uint32_t i;

	fputs("\n      TICKS    %%%  SOURCE LINE\n", out);
	for (i = 0; i < a->nline; i++) {
		text_share(a, out, a->line[i].ticks, colour);
		fputs("  ", out);
		text_line(a, out, &a->line[i].spot);
	}
	if (!a->unlined)
		return;
	text_share(a, out, a->unlined, colour);
	fputs("  not known", out);
	if (!a->nline)
		fputs(a->code.base & A2N_CODE ?
			      ": its program told of none" :
			      ": no line table in the file, nor a debug file for it",
		      out);
	putc('\n', out);
}

static void text_annotated(const struct job *job, void *to, const struct annotated *a)
{
	FILE *out = to;
	const struct names *n = &job->model->names;
	const struct symbol *s = &n->symbols.symbol[a->symbol];
	bool colour = text_colour(job, isatty(fileno(out)));
	struct spot last = { .source = NO_SOURCE };
	uint32_t i;

	putc('\n', out);
	escape_print(out, s->name);
	fputs("  [", out);
	escape_print(out, n->module[s->module].name);
	fprintf(out, "]: %" PRIu64 " ticks, %.2f %% of all\n", a->ticks,
		percent_of(a->ticks, trace_total(job->trace)));
	if (a->code.path[0]) {
		fputs("code from ", out);
		escape_print(out, a->code.path);
		fprintf(out, ", 0x%" PRIx64 "\n", a->code.address);
	} else if (a->code.base & A2N_CODE) {
		fprintf(out, "code at 0x%" PRIx64 "\n", a->code.address);
	}
	if (a->why)
		fprintf(out, "no instructions: %s\n", a->why);
	text_sources(a, out);
	fputs("\n      TICKS    %%%   OFFSET  INSTRUCTION\n", out);
	for (i = 0; i < a->nlist; i++) {
		const struct instruction *in = &a->list[i];

		if (in->spot.source != NO_SOURCE && !same_spot(&in->spot, &last)) {
			fprintf(out, "%28s", "");
			text_line(a, out, &in->spot);
		}
		last = in->spot;
		text_share(a, out, in->ticks, colour);
		fprintf(out, " %#7" PRIx64 "  ", in->offset);
		escape_print(out, in->text);
		putc('\n', out);
	}
	if (a->astray) {
		text_share(a, out, a->astray, colour);
		fputs("           at no instruction's start\n", out);
	}
	text_lines(a, out, colour);
}

/* ---- JSON, CSV ------------------------------------------------------------------------------- */

enum { OF_INSTRUCTION = 1, OF_LINE = 2 }; /* parts */

struct annotated_line {
	const struct annotated *of;
	const char *symbol, *module, *text, *source, *source_text;
	uint64_t offset, ticks;
	int32_t line;
	bool is_instruction, has_line;
};

#define AT(member)   COLUMN_AT(struct annotated_line, member)
#define WHEN(member) COLUMN_WHEN(struct annotated_line, member)
static const struct column columns[] = {
	{ "symbol", .forms = IN_CSV, AT(symbol) },
	{ "module", .forms = IN_CSV, AT(module) },
	{ "address", .forms = IN_CSV, .as = AS_HEX, COLUMN_OF(struct annotated, code.address) },
	{ "offset", .as = AS_HEX, .parts = OF_INSTRUCTION, WHEN(is_instruction), AT(offset) },
	{ "ticks", .parts = OF_INSTRUCTION, AT(ticks) },
	{ "text", .forms = IN_JSON, .parts = OF_INSTRUCTION, AT(text) },
	{ "instruction", .forms = IN_CSV, AT(text) },
	{ "source", AT(source) },
	{ "line", WHEN(has_line), AT(line) },
	{ "source_text", AT(source_text) },
	{ "ticks", .parts = OF_LINE, AT(ticks) },
	COLUMNS_END,
};
#undef AT

static void write_line(struct table *t, const struct annotated *a, const struct instruction *in,
		       const struct spot *p, uint64_t ticks)
{
	const struct source *s = p->source != NO_SOURCE ? &a->sources.list[p->source] : NULL;
	const struct names *n = &t->job->model->names;
	const struct symbol *symbol = &n->symbols.symbol[a->symbol];
	struct annotated_line l = {
		.of = a,
		.symbol = symbol->name,
		.module = n->module[symbol->module].name,
		.text = in && in->text[0] ? in->text : NULL,
		.source = s ? s->path : NULL,
		.source_text = s ? source_line(s, p->line) : NULL,
		.offset = in ? in->offset : 0,
		.ticks = ticks,
		.line = s ? p->line : 0,
		.is_instruction = in,
		.has_line = s,
	};

	table_row(t, &l);
}

static void write_instructions(struct table *t, const struct annotated *a)
{
	uint32_t i;

	for (i = 0; i < a->nlist; i++)
		write_line(t, a, &a->list[i], &a->list[i].spot, a->list[i].ticks);
}

static void json_sources(const struct annotated *a, struct json *j)
{
	uint32_t i;

	json_array(j, "sources");
	for (i = 0; i < a->sources.n; i++) {
		json_object(j, NULL);
		json_string(j, "source", a->sources.list[i].path);
		if (a->sources.list[i].why)
			json_string(j, "no_text", a->sources.list[i].why);
		else
			json_bool(j, "newer", a->sources.list[i].newer);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void json_annotated(const struct job *job, void *to, const struct annotated *a)
{
	struct json *j = to;
	struct table t = table_json(job, j);
	const struct names *n = &job->model->names;
	const struct symbol *s = &n->symbols.symbol[a->symbol];
	uint32_t i;

	json_object(j, NULL);
	json_string(j, "name", s->name);
	json_string(j, "module", n->module[s->module].name);
	json_uint(j, "ticks", a->ticks);
	json_fixed(j, "percent", percent_of(a->ticks, trace_total(job->trace)), 4);
	if (a->code.path[0])
		json_string(j, "code_from", a->code.path);
	json_hex(j, "address", a->code.address);
	if (a->why)
		json_string(j, "no_instructions", a->why);
	json_uint(j, "astray", a->astray);
	t.part = OF_INSTRUCTION;
	table_begin(&t, columns, "instructions");
	write_instructions(&t, a);
	table_end(&t);
	t.part = OF_LINE;
	table_begin(&t, columns, "lines");
	for (i = 0; i < a->nline; i++)
		write_line(&t, a, NULL, &a->line[i].spot, a->line[i].ticks);
	table_end(&t);
	json_uint(j, "line_not_known", a->unlined);
	json_sources(a, j);
	json_end(j, '}');
}

static void csv_annotated(const struct job *job, void *to, const struct annotated *a)
{
	static const struct spot nowhere = { .source = NO_SOURCE };

	(void)job;
	write_instructions(to, a);
	if (a->astray)
		write_line(to, a, NULL, &nowhere, a->astray);
}

/* ---- the report ------------------------------------------------------------------------------ */

typedef void (*form)(const struct job *job, void *to, const struct annotated *a);

/* Writes each version of the code with hits in this format. */
static int write_hits(const struct job *job, void *to, form write, uint32_t symbol,
		      struct spot_hits *hits)
{
	uint32_t at = 0;
	int rc = 0;

	order_hits(hits);
	while (!rc && at < hits->n) {
		struct annotated a = { .symbol = symbol };
		uint64_t place = hits->list[at].offset;

		at = cut_hits(hits, at, &a);
		rc = annotate(job, &a, place);
		if (!rc)
			write(job, to, &a);
		annotated_free(&a);
	}
	return rc;
}

int annotate_symbol(const struct job *job, struct json *j, uint32_t symbol, struct spot_hits *hits)
{
	return write_hits(job, j, json_annotated, symbol, hits);
}

/* Writes each requested symbol with hits in this format, with all versions of its code. */
static int for_each(const struct job *job, void *to, form write)
{
	const struct names *n = &job->model->names;
	struct asked asked = what_is_asked(job);
	uint32_t i;
	int rc = 0;

	for (i = 0; i < n->symbols.count && !rc; i++) {
		struct spot_hits hits = { 0 };

		if (!is_asked(job, &asked, i))
			continue;
		rc = gather_hits(job, i, &hits);
		if (!rc)
			rc = write_hits(job, to, write, i, &hits);
		free(hits.list);
	}
	return rc;
}

static void complain_absent(const struct job *job, const char *wanted)
{
	char *name = strndup(wanted, strcspn(wanted, "@")), *like = NULL;
	size_t size = 0;
	FILE *out = name ? open_memstream(&like, &size) : NULL;
	bool any = out && symbols_near(job, name, out);

	if (out && fclose(out))
		any = false;
	complain("no ticks are in the symbol %s%s%s", wanted, any ? "; similar names: " : "",
		 any ? like : ": names are as in tprof.out, NAME or NAME@MODULE");
	free(like);
	free(name);
}

static bool annotate_absent(const struct job *job)
{
	const struct counts *c = &job->model->counts;
	struct asked asked = what_is_asked(job);
	uint32_t i;

	for (i = 0; i < c->nrow; i++) {
		if (c->row[i].ticks && is_asked(job, &asked, c->row[i].symbol))
			return false;
	}
	if (!asked.by_name)
		complain(
			"-annotate: no ticks are in a symbol: the trace has none, or none has a name");
	else
		complain_absent(job, job->options->names.annotate);
	return true;
}

static int annotate_write(const struct job *job, FILE *out)
{
	fprintf(out, "Annotated code, pitrace %s\n\n%-16s", PITRACE_VERSION, "Trace file");
	escape_print(out, job->input->name);
	putc('\n', out);
	print_mode(job, out);
	return for_each(job, out, text_annotated);
}

static int annotate_json(const struct job *job, struct json *j)
{
	int rc;

	json_array(j, "annotated");
	rc = for_each(job, j, json_annotated);
	json_end(j, ']');
	return rc;
}

static int annotate_csv(const struct job *job, FILE *out)
{
	struct table t = table_csv(job, out);

	t.part = OF_INSTRUCTION;
	table_begin(&t, columns, NULL);
	return for_each(job, &t, csv_annotated);
}

static bool annotate_take(struct options *o, const char *option, const char *argument)
{
	(void)option;
	o->names.annotate = argument ? argument : "";
	return true;
}

const struct report report_annotate = {
	.name = "annotate",
	.usage =
		"  -annotate [SYMBOL[@MODULE]]\n"
		"                    its instructions and source lines with their ticks, on stdout\n"
		"                    (default: of the symbol that has most)\n",
	.argument = optional_argument,
	.apart = true,
	.take = annotate_take,
	.kinds = REPORT_OF_SAMPLES,
	.path = "-",
	.mode = 0666,
	.needs = NEED_SAMPLES,
	.absent = annotate_absent,
	.write = annotate_write,
	.json = annotate_json,
	.csv = annotate_csv,
};
