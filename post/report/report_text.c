/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by all reports: words, labels, and the check of sums. */
#include "report/report.h"

#include <perfutil.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "complain.h"
#include "escape.h"

bool text_colour(const struct job *job, bool terminal)
{
	const char *no = getenv("NO_COLOR");

	if (job->options->colour != COLOUR_AUTO)
		return job->options->colour == COLOUR_ALWAYS;
	return terminal && !(no && *no);
}

double percent_of(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

void print_label(FILE *out, const struct job *job, const struct tree_node *n)
{
	const struct names *names = &job->model->names;
	const struct names_options *o = &job->options->names;

	switch (n->level) {
	case LEVEL_PID:
		escape_print(out, names->process[n->id].name);
		if (!o->by_process_name)
			print_id(out, "_", names->process[n->id].pid);
		break;
	case LEVEL_TID:
		if (!o->by_thread_name) {
			print_id(out, "", names->thread[n->id].tid);
			putc('_', out);
		}
		escape_print(out, names->thread[n->id].name);
		break;
	case LEVEL_SYM:
		print_function(out, &names->symbols.symbol[n->id]);
		break;
	case LEVEL_LIN:
		print_line(out, &names->symbols.symbol[n->id], true);
		break;
	case LEVEL_OFF:
		fprintf(out, "+0x%" PRIx64, n->id);
		break;
	default:
		escape_print(out, node_name(job->model, n));
		break;
	}
}

void print_id(FILE *out, const char *before, uint32_t id)
{
	fprintf(out, id == UINT32_MAX ? "%s-1" : "%s%x", before, id);
}

void print_function(FILE *out, const struct symbol *s)
{
	escape_print(out, s->name);
	if (s->inlined)
		fputs(" (inlined)", out);
}

void print_line(FILE *out, const struct symbol *s, bool whole)
{
	if (!s->file) {
		putc('?', out);
		return;
	}
	escape_print(out, whole ? s->file : short_module(s->file));
	if (s->line)
		fprintf(out, ":%u", s->line);
	else
		fputs(":?", out);
}

void json_source(struct json *j, const struct job *job, const struct symbol *s)
{
	if (job->options->names.inlined)
		json_bool(j, "inlined", s->inlined);
	if (job->options->names.by_line && s->file) {
		json_string(j, "source", s->file);
		json_uint(j, "line", s->line);
	}
}

void csv_source(FILE *out, const struct job *job, const struct symbol *s)
{
	if (job->options->names.inlined)
		fputs(s && s->inlined ? ",1" : ",0", out);
	if (!job->options->names.by_line)
		return;
	putc(',', out);
	escape_csv(out, s && s->file ? s->file : "");
	putc(',', out);
	if (s && s->line)
		fprintf(out, "%u", s->line);
}

const char *csv_source_names(const struct job *job)
{
	const struct names_options *o = &job->options->names;

	return o->inlined ? o->by_line ? ",inlined,source,line" : ",inlined" :
	       o->by_line ? ",source,line" :
			    "";
}

unsigned int print_losses(FILE *out, const struct trace *t, const char *prefix)
{
	unsigned int lines = 0, kind;
	const char *comma;
	uint32_t i;

	for (i = 0; i < t->ncpus; i++) {
		comma = NULL;
		for (kind = 0; kind < PITRACE_LOST_KINDS; kind++) {
			if (!t->cpu[i].lost[kind])
				continue;
			if (!comma)
				fprintf(out, "%sCPU %u: ", prefix, i);
			fprintf(out, "%s%s %" PRIu64, comma ? comma : "", TraceLostName((int)kind),
				t->cpu[i].lost[kind]);
			comma = ", ";
		}
		if (comma) {
			putc('\n', out);
			lines++;
		}
	}
	return lines;
}

void warn_losses(FILE *out, const struct job *job, const char *prefix)
{
	bool cut = job->nfaults && !job->trace->counted;
	unsigned int lines = print_losses(out, job->trace, prefix);

	if (cut)
		fprintf(out,
			"%snot known%s: the trace was not finished, its counters are missing\n",
			prefix, lines ? " beside that" : "");
	else if (!lines)
		fprintf(out, "%snothing\n", prefix);
}

const char *short_module(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash && slash[1] ? slash + 1 : name;
}

void print_held(FILE *out, const struct trace *t, const char *prefix)
{
	uint32_t i;

	for (i = 0; i < t->ncpus; i++) {
		const struct trace_cpu *c = &t->cpu[i];

		if (!t->wraps || !c->holds)
			continue;
		fprintf(out, "%sCPU %u has the newest ", prefix, i);
		print_seconds(out, c->since && t->last > c->since ? t->last - c->since : 0);
		if (c->older)
			fprintf(out, ", %" PRIu64 " older section%s overwritten\n", c->older,
				c->older == 1 ? " was" : "s were");
		else
			fputs(", which is all\n", out);
	}
}

void print_stops(FILE *out, const struct trace *t, const char *prefix, bool cure)
{
	uint32_t i;

	for (i = 0; i < t->ncpus; i++) {
		bool mte = t->cpu[i].stopped_by == 1;

		if (t->cpu[i].stopped_by == 3)
			fprintf(out, "%sprocess %u crashed on CPU %u and stopped the trace\n",
				prefix, t->cpu[i].stop_pid, i);
		else if (t->cpu[i].stopped_by)
			fprintf(out, "%sthe %s buffer of CPU %u filled and stopped the trace%s",
				prefix, mte ? "MTE" : "trace", i, cure ? ":\n" : "\n");
		if (cure && (mte || t->cpu[i].stopped_by == 2))
			fprintf(out,
				"  larger buffers (swtrace init %s) or continuous mode (-t cont)\n",
				mte ? "-sm" : "-s");
	}
}

void print_seconds(FILE *out, uint64_t ns)
{
	fprintf(out, "%" PRIu64 ".%03" PRIu64 " s", ns / 1000000000, ns / 1000000 % 1000);
}

void print_date(FILE *out, uint64_t realtime_ns)
{
	time_t seconds = (time_t)(realtime_ns / 1000000000);
	char day[64], zone[16];
	struct tm tm;

	if (!realtime_ns) {
		fputs("not recorded", out);
		return;
	}
	if (!localtime_r(&seconds, &tm) || !strftime(day, sizeof(day), "%Y-%m-%d %H:%M:%S", &tm) ||
	    !strftime(zone, sizeof(zone), "%z", &tm)) {
		fprintf(out, "%" PRIu64 " ns after 1970", realtime_ns);
		return;
	}
	fprintf(out, "%s.%03" PRIu64 " %s", day, realtime_ns / 1000000 % 1000, zone);
}

void fill_buckets(const struct job *job, struct bucket list[BUCKETS])
{
	const struct counts *c = &job->model->counts;

	list[0] = (struct bucket){ A2N_NO_MODULE, "no_module",
				   "nothing was mapped there at that time",
				   c->bucket[A2N_RESULT_NO_MODULE], false };
	list[1] = (struct bucket){ A2N_NO_SYMBOLS, "no_symbols",
				   "the module's symbols were unavailable",
				   c->bucket[A2N_RESULT_NO_SYMBOLS], false };
	list[2] = (struct bucket){ A2N_NO_SYMBOL_FOUND, "no_symbol_found",
				   "no symbol of the module covers the address",
				   c->bucket[A2N_RESULT_NO_SYMBOL], false };
	list[3] = (struct bucket){ A2N_JIT_UNKNOWN, "jit_unannounced",
				   "generated code that was not announced, or too late",
				   c->bucket[A2N_RESULT_JIT_UNKNOWN], true };
	list[4] = (struct bucket){ A2N_JIT_FREED, "jit_freed", "its program had freed it by then",
				   c->bucket[A2N_RESULT_JIT_FREED], true };
	list[5] = (struct bucket){ A2N_JIT_AMBIGUOUS, "jit_ambiguous",
				   "one of two codes: announced too late",
				   c->bucket[A2N_RESULT_JIT_AMBIGUOUS], true };
	list[6] = (struct bucket){
		"unsure", "unsure",
		"named, but records of names had been lost, or a perf map has no time", c->unsure,
		false
	};
}

static int compare_modules(const void *pa, const void *pb)
{
	const struct trace_module *a = *(const struct trace_module *const *)pa;
	const struct trace_module *b = *(const struct trace_module *const *)pb;

	if (a->unnamed != b->unnamed)
		return a->unnamed > b->unnamed ? -1 : 1;
	return strcmp(a->name, b->name);
}

int worst_modules(const struct job *job, const struct trace_module ***list, uint32_t *count)
{
	const struct names *n = &job->model->names;
	uint32_t i;

	*count = 0;
	*list = calloc(n->nmodule + 1, sizeof(**list));
	if (!*list)
		return -ENOMEM;
	for (i = 0; i < n->nmodule; i++) {
		const struct trace_module *m = &n->module[i];

		/* NoModule has its own bucket; it is not a module. */
		if ((m->unnamed || m->warning) && strcmp(m->name, A2N_NO_MODULE) != 0)
			(*list)[(*count)++] = m;
	}
	qsort(*list, *count, sizeof(**list), compare_modules);
	return 0;
}

const char *module_reason(const struct trace_module *m)
{
	if (m->warning)
		return m->warning;
	if (!m->symbols_from || !m->symbols_from[0])
		return "unknown";
	/* It only has the symbols that are visible to other modules. */
	return m->symbols_from[0] == '/' ?
		       "stripped: the symbols left in it name a part of its code only" :
		       m->symbols_from;
}

const char *module_cure(const struct trace_module *m)
{
	/* Each row matches a word in liba2n's message; the last row matches any. */
	static const struct {
		const char *word, *cure;
	} cures[] = {
		{ "no such file", "if it ran on another machine, name a copy of that machine's "
				  "files: -sympath FOLDER" },
		{ "replaced", "name a folder that holds the file that ran, or its debug file: "
			      "-sympath FOLDER" },
		{ "deleted", "name a folder that holds the file that ran: -sympath FOLDER" },
		{ "is gone", "name a folder that holds the file that ran: -sympath FOLDER" },
		{ "generated at run time",
		  "let the program announce its code: node --perf-prof, "
		  "python3 -X perf_jit, or a jitdump of its own (jitdump_create(3))" },
		{ "cannot be read", "run post as a user who may read it" },
		{ "kallsyms", "trace as root, or give the kernel's symbols with -kmap FILE" },
		{ "", "install its debug file (package ...-dbgsym or ...-debuginfo), "
		      "or name a folder that holds it: -sympath FOLDER" },
	};
	const char *reason = module_reason(m);
	size_t i = 0;

	while (!strstr(reason, cures[i].word))
		i++;
	return cures[i].cure;
}

uint64_t cpu_total(const struct trace *t, uint32_t cpu)
{
	if (cpu == ANY_CPU)
		return trace_total(t);
	return t->cpu[cpu].samples + t->cpu[cpu].idle_ticks;
}

bool offset_shown(const struct job *job, const struct tree_node *n)
{
	const struct row *r = &job->model->counts.row[n->row];

	return n->level != LEVEL_OFF || !job->options->unnamed_offsets ||
	       job->model->names.symbols.symbol[r->symbol].result != A2N_OK;
}

int build_checked(struct tree *t, const struct job *job, const enum level *levels, uint32_t cpu,
		  const char *what)
{
	uint64_t total = cpu_total(job->trace, cpu);
	int rc = tree_build(t, job->model, levels, cpu);

	if (rc)
		return rc;
	if (t->ticks == total && t->leaf_ticks == total)
		return 0;
	complain("internal error: report %s sums to %" PRIu64 " (%" PRIu64
		 " at its innermost level) of %" PRIu64 " ticks",
		 what, t->ticks, t->leaf_ticks, total);
	tree_free(t);
	return REPORT_WRONG;
}
