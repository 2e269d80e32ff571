/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of runs: joined if requested, and written through one buffer. */
#include "report/run_lines.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "complain.h"
#include "escape.h"

struct run_line {
	struct run run;
	bool is;
};

/* ---- texts ----------------------------------------------------------------------------------- */

static struct run_text *get_text(struct run_lines *l, struct run_texts *t, uint32_t i)
{
	if (array_reach(t->text, t->n, i)) {
		l->failed = true;
		return NULL;
	}
	return &t->text[i];
}

static const struct run_text *keep(struct run_lines *l, struct run_text *t, char *text)
{
	static const struct run_text none = { .text = (char *)"", .length = 0 };

	if (!text) {
		l->failed = true;
		return &none;
	}
	t->text = text;
	t->length = (uint32_t)strlen(text);
	return t;
}

static const struct run_text *make_symbol(struct run_lines *l, struct run_text *t, uint32_t symbol)
{
	const struct names *n = &l->job->model->names;
	const struct symbol *s = &n->symbols.symbol[n->symbols.symbol[symbol].base];
	char *name = escape_text(s->name), *module = escape_text(n->module[s->module].name);
	size_t length = strlen(s->name);
	char *text = NULL;

	if (name && module && asprintf(&text, "%s:%s", name, module) < 0)
		text = NULL;
	free(name);
	free(module);
	t->plt = length > 4 && !strcmp(s->name + length - 4, "@plt");
	return keep(l, t, text);
}

const struct run_text *run_new_symbol(struct run_lines *l, const struct run *run)
{
	static const struct run_text none = { .text = (char *)"" };
	struct run_text *t = get_text(l, &l->symbols, run->place.symbol);

	return t ? make_symbol(l, t, run->place.symbol) : &none;
}

static const struct run_text *make_thread(struct run_lines *l, struct run_text *t, uint32_t thread)
{
	const struct names *n = &l->job->model->names;
	const struct trace_thread *th = &n->thread[thread];
	const struct trace_process *p = &n->process[th->process];
	bool own = strcmp(th->name, p->name) != 0;
	char *process = escape_text(p->name), *name = escape_text(th->name), *text = NULL;

	if (process && name &&
	    asprintf(&text, "%x_%x_%s%s%s", p->pid, th->tid, process, own ? "_" : "",
		     own ? name : "") < 0)
		text = NULL;
	free(process);
	free(name);
	return keep(l, t, text);
}

const struct run_text *run_new_thread(struct run_lines *l, const struct run *run)
{
	static const struct run_text none = { .text = (char *)"" };
	struct run_text *t = get_text(l, &l->threads, run->place.thread);

	return t ? make_thread(l, t, run->place.thread) : &none;
}

static void free_run_texts(struct run_texts *t)
{
	uint32_t i;

	for (i = 0; i < t->n; i++)
		free(t->text[i].text);
	free(t->text);
}

static const struct run_text *make_source(struct run_lines *l, struct run_text *t, uint32_t spot)
{
	const struct names *n = &l->job->model->names;
	const struct symbol *s;
	const uint32_t *list;
	char *file = NULL, *text = NULL;

	if (lines_shown(&n->lines, spot, &list)) {
		s = &n->symbols.symbol[list[0]];
		file = s->file && s->line ? escape_text(short_module(s->file)) : NULL;
		if (file && asprintf(&text, "%s:%u", file, s->line) < 0)
			text = NULL;
	}
	free(file);
	return keep(l, t, text ? text : strdup("0"));
}

const struct run_text *run_source(struct run_lines *l, const struct run *run)
{
	static const struct run_text none = { .text = (char *)"0", .length = 1 };
	struct run_text *t;

	if (!lines_wanted(&l->job->model->names.lines))
		return &none;
	t = get_text(l, &l->sources, run->place.symbol);
	return !t ? &none : t->text ? t : make_source(l, t, run->place.symbol);
}

struct word {
	char text[12];
	uint8_t length;
};
#define WORD(w)                  \
	{                        \
		w, sizeof(w) - 1 \
	}

static const struct word types[] = {
	WORD("INTRPT"), WORD("CALL"),  WORD("RETURN"), WORD("JUMP"),
	WORD("IRET"),   WORD("OTHER"), WORD("UNDEFD"),
};

const char *run_type(const struct run *run)
{
	return types[run->r.type].text;
}

const char *run_ended_by(const struct run *run)
{
	static const char *const breaks[] = {
		[PITRACE_BREAK_INTERRUPT] = "interrupt",
		[PITRACE_BREAK_FAULT] = "fault",
		[PITRACE_BREAK_EXCEPTION] = "exception",
		[PITRACE_BREAK_SIGNAL] = "signal",
		[PITRACE_BREAK_SIGRETURN] = "sigreturn",
		[PITRACE_BREAK_SYSCALL] = "syscall",
		[PITRACE_BREAK_EXEC] = "exec",
		[PITRACE_BREAK_SWITCH] = "switch",
		[PITRACE_BREAK_OWN] = "own",
	};

	return run->r.what == ITRACE_BREAK ? breaks[run->r.cause] :
	       run->r.what == ITRACE_STOP  ? "stop" :
					     "branch";
}

char *run_words(char *p, const struct run *run)
{
	const struct itrace_run *r = &run->r;
	const struct word *type = &types[r->type];

	memcpy(p, type->text, sizeof(type->text));
	p += type->length;
	if (r->what != ITRACE_BRANCH) {
		p = put_char(p, ':');
		p = put_word(p, run_ended_by(run));
	}
	if (r->doubt) {
		p = put_char(p, '?');
		p = put_word(p, itrace_doubt_word(r->doubt));
	}
	return p;
}

/* ---- joined lines ---------------------------------------------------------------------------- */

static bool is_plt(struct run_lines *l, const struct run *run)
{
	return run_symbol(l, run)->plt;
}

static bool joins(struct run_lines *l, const struct run *line, const struct run *run)
{
	if (line->r.thread != run->r.thread || line->place.thread != run->place.thread ||
	    run->r.doubt || line->r.kernel != run->r.kernel)
		return false;
	return (l->kernel_once && run->r.kernel) || (l->by_function && !run->entered) ||
	       (l->plt_once && is_plt(l, line));
}

static void join(struct run_lines *l, struct run *line, const struct run *run)
{
	uint64_t count = line->r.count + run->r.count;
	uint8_t doubt = line->r.doubt;

	if (l->plt_once && is_plt(l, line)) {
		*line = *run;
	} else {
		line->r.what = run->r.what;
		line->r.type = run->r.type;
		line->r.cause = run->r.cause;
		line->r.end = run->r.end;
		line->r.to = run->r.to;
	}
	line->r.count = count;
	line->r.doubt = doubt;
}

static struct run_line *get_line(struct run_lines *l, uint32_t cpu)
{
	if (array_reach(l->line, l->nline, cpu)) {
		l->failed = true;
		return NULL;
	}
	return &l->line[cpu];
}

static void add_run(struct run_lines *l, const struct run *run)
{
	struct run_line *line = get_line(l, run->r.cpu);

	if (!line)
		return;
	if (line->is && joins(l, &line->run, run)) {
		join(l, &line->run, run);
		return;
	}
	if (line->is)
		l->print(l, &line->run);
	line->run = *run;
	line->is = true;
}

void run_lines_before(struct run_lines *l, const struct run *at)
{
	const struct symbol *symbol = l->job->model->names.symbols.symbol;
	struct run_line *line = at->r.cpu < l->nline ? &l->line[at->r.cpu] : NULL;

	if (!line || !line->is ||
	    (l->by_function && line->run.place.thread == at->place.thread &&
	     symbol[line->run.place.symbol].base == symbol[at->place.symbol].base) ||
	    (l->kernel_once && line->run.r.kernel && at->r.kernel) ||
	    (l->plt_once && is_plt(l, &line->run)))
		return;
	l->print(l, &line->run);
	line->is = false;
}

static int each_run(void *arg, const struct run *run)
{
	struct run_lines *l = arg;

	if (l->by_function || l->kernel_once || l->plt_once)
		add_run(l, run);
	else
		l->print(l, run);
	return l->failed ? -ENOMEM : 0;
}

static int each_record(void *arg, const struct pirecord *r)
{
	struct run_lines *l = arg;

	return l->record(l, r);
}

bool runs_of_calls(const struct job *job)
{
	return job->input->calls || job->input->values;
}

bool runs_absent(const struct job *job)
{
	if (runs_of_calls(job))
		complain(
			"the trace has functions' entries and exits, no instructions: -flow, -tree and -functions show them");
	return runs_of_calls(job);
}

/* ---- the report ------------------------------------------------------------------------------ */

static void print_end(const struct job *job, const struct runs_reader *reader, FILE *out)
{
	const struct itrace *t = &reader->books;
	const struct pifile_header *h = &job->input->header;
	const char *model = trace_fact(job->trace, "cpu model");
	const char *speed = trace_fact(job->trace, "cpu speed");
	unsigned int i;

	if (!t->runs && job->input->values)
		fputs("# The log has sums of calls, not their order: a log-gen has it (CALLTRACE)\n",
		      out);
	else if (!t->runs && !job->input->calls)
		fputs("# The trace has no runs of instructions: record them with swtrace run --itrace\n",
		      out);
	fprintf(out, "#\n# Processors    %u", h->ncpus);
	if (model) {
		fputs(", ", out);
		escape_print(out, model);
	}
	fputs("\n# Speed         ", out);
	if (!speed)
		speed = trace_fact(job->trace, "cpu mhz");
	if (speed)
		escape_print(out, speed);
	else if (h->clock == PITRACE_CLOCK_TSC)
		fprintf(out, "%" PRIu64 " stamps a second", h->clock_hz);
	else
		fputs("not known", out);
	fputs("\n# Time          ", out);
	print_date(out, job->trace->start_realtime);
	fputs(", ", out);
	print_seconds(out, job->trace->duration);
	if (runs_of_calls(job))
		fprintf(out, "\n# %-13s %" PRIu64 " in %" PRIu64 " stretches\n",
			job->input->calls ? "Nanoseconds" : "Value", t->instructions, t->runs);
	else
		fprintf(out,
			"\n# Instructions  %" PRIu64 " in %" PRIu64 " runs, %" PRIu64
			" in the kernel\n",
			t->instructions, t->runs, t->kernel_instructions);
	if (reader->own_runs)
		fprintf(out,
			"# Left out      %" PRIu64 " in %" PRIu64
			" runs, of turning the trace on and off: -own shows them\n",
			reader->own_instructions, reader->own_runs);
	for (i = 1; i < ITRACE_DOUBTS; i++) {
		if (t->doubts[i])
			fprintf(out, "# ?%-12s %" PRIu64 "\n", itrace_doubt_word(i), t->doubts[i]);
	}
	print_losses(out, job->trace, "# Lost          ");
}

int run_lines_read(struct run_lines *l, const struct job *job, struct trace *books,
		   struct runs_reader *reader)
{
	uint32_t i;
	int rc;

	*reader = (struct runs_reader){
		.run = each_run,
		.record = l->record ? each_record : NULL,
		.arg = l,
	};
	l->job = job;
	rc = read_runs(job->input, books, job->model, &job->read, reader);
	for (i = 0; i < l->nline && !rc; i++) {
		if (l->line[i].is)
			l->print(l, &l->line[i].run);
	}
	free_run_texts(&l->symbols);
	free_run_texts(&l->threads);
	free_run_texts(&l->sources);
	free(l->line);
	return l->failed ? -ENOMEM : rc;
}

int run_lines_write(struct run_lines *l, const struct job *job, FILE *out, const char *head)
{
	struct runs_reader reader;
	int rc;

	l->columns.out = out;
	l->columns.form = columns_form(job->options);
	if (!l->columns.form)
		fputs(head, out);
	l->out = (struct numbers){ .out = out };
	rc = run_lines_read(l, job, job->trace, &reader);
	numbers_flush(&l->out);
	if (!rc && !l->columns.form)
		print_end(job, &reader, out);
	free(l->out.buffer);
	return rc;
}
