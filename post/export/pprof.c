/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writer of pprof profiles: samples summed by stack, thread and CPU; places with lines, inlined
 * functions, mappings. A module is mapped once, at a range that the writer chooses, because its
 * places come from all processes; the kernel and generated code keep their addresses.
 */
#include "format/pprof_fields.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export/gzip.h"
#include "export/protobuf.h"
#include "export/texts.h"
#include "export/writer.h"
#include "job.h"
#include "model/profile.h"
#include "report/calls_report.h"

#define PAGE        0x1000ull
#define FIRST_RANGE 0x400000ull
#define COMM_MOST   15 /* bytes of a process name that the kernel keeps */

struct mapped_range {
	uint64_t low, high; /* addresses of its places */
	uint64_t base;      /* offset added to them */
	bool used, mapped, named, lined;
};

struct written_function {
	uint32_t symbol, file; /* base symbol; index of the string */
};

struct pprof_writing {
	const struct job *job;
	const struct names *names;
	const struct calls *calls;
	struct gzip gzip;
	struct protobuf p;
	struct whole_stacks whole;
	struct texts texts;
	struct mapped_range *range; /* by module */
	bool *used;                 /* symbols used as places */
	struct written_function *function;
	uint32_t nfunction, room_function;
	struct keys by_function;
};

static void flush(struct pprof_writing *w)
{
	gzip_write(&w->gzip, w->p.data, w->p.used);
	w->p.used = 0;
}

static uint64_t text(struct pprof_writing *w, const char *words)
{
	uint32_t i = texts_add(&w->texts, words);

	w->p.no_memory |= i == NO_KEY;
	return i;
}

static uint64_t name(struct pprof_writing *w, const char *words)
{
	uint32_t i = texts_name(&w->texts, words);

	w->p.no_memory |= i == NO_KEY;
	return i;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* Returns whether addresses of the module are file offsets. */
static bool is_file(const struct trace_module *m)
{
	return m->name[0] == '/' || m->name[0] == '[';
}

static void use_place(struct pprof_writing *w, uint32_t symbol)
{
	const struct symbol *s = &w->names->symbols.symbol[symbol];
	struct mapped_range *r = &w->range[s->module];
	uint64_t address = profile_address(w->names, symbol);
	const uint32_t *list;

	if (w->used[symbol])
		return;
	w->used[symbol] = true;
	if (!r->used || address < r->low)
		r->low = address;
	if (!r->used || address > r->high)
		r->high = address;
	r->used = true;
	r->mapped |= s->result != A2N_RESULT_NO_MODULE;
	r->named |= s->result == A2N_OK;
	profile_frames(w->names, symbol, &list);
	r->lined |= w->names->symbols.symbol[list[0]].file != NULL;
}

static void find_places(struct pprof_writing *w)
{
	uint64_t next = FIRST_RANGE;
	uint32_t i;

	for (i = 0; i < w->calls->ncall; i++) {
		if (w->calls->call[i].parent != NO_KEY)
			use_place(w, w->calls->call[i].id);
	}
	for (i = 0; i < w->names->nmodule; i++) {
		struct mapped_range *r = &w->range[i];

		if (!r->used || !is_file(&w->names->module[i]))
			continue;
		/* Kernel addresses stay as they are. */
		if (r->high >> 63)
			continue;
		r->base = next;
		r->low = 0;
		next = (next + r->high + 2 * PAGE) & ~(PAGE - 1);
	}
}

/* Returns whether a process of that name can run this file: the kernel keeps 15 bytes of a name,
 * and python3 matches python3.13. */
static bool is_program(const char *module, const char *process)
{
	const char *slash = strrchr(module, '/'), *rest;
	size_t length = strlen(process);

	if (module[0] != '/' || !length || strncmp(slash + 1, process, length) != 0)
		return false;
	rest = slash + 1 + length;
	return length == COMM_MOST || !rest[strspn(rest, ".-0123456789")];
}

/* Returns the ticks of each process; the caller frees them. NULL: no memory. */
static uint64_t *sum_processes(const struct pprof_writing *w)
{
	uint64_t *ticks = calloc((size_t)w->names->nprocess + 1, sizeof(*ticks));
	const struct sums *s = &w->job->model->sums;
	uint32_t i;

	for (i = 0; ticks && i < s->count; i++)
		ticks[w->names->thread[s->sum[i].thread].process] += s->sum[i].ticks;
	return ticks;
}

/* Returns the total ticks of the processes that run this file. */
static uint64_t program_ticks(const struct names *n, const char *module, const uint64_t *ticks)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < n->nprocess; i++) {
		if (ticks[i] && is_program(module, n->process[i].name))
			sum += ticks[i];
	}
	return sum;
}

/*
 * Returns the mapping to write first, which readers take for the program ("File: ..."): a program
 * counts with the ticks of its processes, any other file with its own. NO_KEY: only the kernel.
 */
static uint32_t find_main(struct pprof_writing *w)
{
	uint64_t most = 0, *process = sum_processes(w);
	uint32_t i, best = NO_KEY;

	w->p.no_memory |= !process;
	for (i = 0; process && i < w->names->nmodule; i++) {
		const struct trace_module *m = &w->names->module[i];
		uint64_t ticks;

		if (!w->range[i].mapped || m->name[0] != '/')
			continue;
		ticks = program_ticks(w->names, m->name, process);
		if (!ticks)
			ticks = m->ticks;
		if (best != NO_KEY && ticks <= most)
			continue;
		best = i;
		most = ticks;
	}
	free(process);
	return best;
}

static void write_mapping(struct pprof_writing *w, uint32_t module)
{
	const struct mapped_range *r = &w->range[module];
	char digits[PROFILE_ID_DIGITS];
	const char *id = profile_build_id_text(w->names, module, digits);
	size_t at = protobuf_begin(&w->p, PROFILE_MAPPING);

	protobuf_uint(&w->p, MAPPING_ID, module + 1ull);
	protobuf_uint(&w->p, MAPPING_START, (r->base + r->low) & ~(PAGE - 1));
	protobuf_uint(&w->p, MAPPING_LIMIT, ((r->base + r->high) | (PAGE - 1)) + 1);
	protobuf_uint(&w->p, MAPPING_FILE, name(w, w->names->module[module].name));
	if (id)
		protobuf_uint(&w->p, MAPPING_BUILD_ID, text(w, id));
	/* These flags save readers a symbol lookup. */
	if (r->named)
		protobuf_uint(&w->p, MAPPING_HAS_FUNCTIONS, 1);
	if (r->lined) {
		protobuf_uint(&w->p, MAPPING_HAS_FILES, 1);
		protobuf_uint(&w->p, MAPPING_HAS_LINES, 1);
		protobuf_uint(&w->p, MAPPING_HAS_INLINED, 1);
	}
	protobuf_end(&w->p, at);
	flush(w);
}

static void write_mappings(struct pprof_writing *w)
{
	uint32_t i, first = find_main(w);

	if (first != NO_KEY)
		write_mapping(w, first);
	for (i = 0; i < w->names->nmodule; i++) {
		if (i != first && w->range[i].mapped)
			write_mapping(w, i);
	}
}

/* Returns the number of a symbol's function in this file. */
static uint64_t get_function(struct pprof_writing *w, const struct symbol *s)
{
	struct written_function f = { s->base, (uint32_t)name(w, s->file) };
	uint64_t hash = hash_mix(f.symbol, f.file);
	uint32_t i = keys_find(&w->by_function, hash, w->function, e,
			       e->symbol == f.symbol && e->file == f.file);

	if (i != NO_KEY)
		return i + 1ull;
	if (keys_next(&w->by_function, hash, w->function, w->nfunction, w->room_function)) {
		w->p.no_memory = true;
		return 0;
	}
	w->function[w->nfunction++] = f;
	return w->nfunction;
}

static void write_location(struct pprof_writing *w, uint32_t place)
{
	const struct symbol *symbol = w->names->symbols.symbol, *s = &symbol[place];
	size_t at = protobuf_begin(&w->p, PROFILE_LOCATION), line;
	const uint32_t *list;
	uint32_t i, n;

	protobuf_uint(&w->p, LOCATION_ID, place + 1ull);
	if (w->range[s->module].mapped)
		protobuf_uint(&w->p, LOCATION_MAPPING, s->module + 1ull);
	protobuf_uint(&w->p, LOCATION_ADDRESS,
		      w->range[s->module].base + profile_address(w->names, place));
	n = profile_frames(w->names, place, &list);
	for (i = 0; i < n; i++) {
		const struct symbol *shown = &symbol[list[i]];

		line = protobuf_begin(&w->p, LOCATION_LINE);
		protobuf_uint(&w->p, LINE_FUNCTION, get_function(w, shown));
		if (shown->line)
			protobuf_uint(&w->p, LINE_NUMBER, shown->line);
		protobuf_end(&w->p, line);
	}
	protobuf_end(&w->p, at);
	flush(w);
}

static void write_functions(struct pprof_writing *w)
{
	uint32_t i;
	size_t at;

	for (i = 0; i < w->nfunction; i++) {
		const struct symbol *s = &w->names->symbols.symbol[w->function[i].symbol];
		const char *raw = s->a2n && s->a2n->raw_name && s->result == A2N_OK ?
					  s->a2n->raw_name :
					  s->name;

		at = protobuf_begin(&w->p, PROFILE_FUNCTION);
		protobuf_uint(&w->p, FUNCTION_ID, i + 1ull);
		protobuf_uint(&w->p, FUNCTION_NAME, name(w, s->name));
		protobuf_uint(&w->p, FUNCTION_RAW_NAME, name(w, raw));
		if (w->function[i].file)
			protobuf_uint(&w->p, FUNCTION_FILE, w->function[i].file);
		protobuf_end(&w->p, at);
		flush(w);
	}
}

static void write_places(struct pprof_writing *w)
{
	uint32_t i;

	find_places(w);
	write_mappings(w);
	for (i = 0; i < w->names->symbols.count; i++) {
		if (w->used[i])
			write_location(w, i);
	}
	write_functions(w);
}

/* ---- samples --------------------------------------------------------------------------------- */

static void label_number(struct pprof_writing *w, const char *key, uint64_t value)
{
	size_t at = protobuf_begin(&w->p, SAMPLE_LABEL);

	protobuf_uint(&w->p, LABEL_KEY, text(w, key));
	protobuf_uint(&w->p, LABEL_NUMBER, value);
	protobuf_end(&w->p, at);
}

static void label_text(struct pprof_writing *w, const char *key, uint64_t string)
{
	size_t at = protobuf_begin(&w->p, SAMPLE_LABEL);

	protobuf_uint(&w->p, LABEL_KEY, text(w, key));
	protobuf_uint(&w->p, LABEL_STRING, string);
	protobuf_end(&w->p, at);
}

static void write_sample(struct pprof_writing *w, const struct sum *sum)
{
	const struct names_options *o = &w->job->options->names;
	const struct trace_thread *t = profile_thread(w->names, sum->thread);
	const struct trace_process *p = profile_process(w->names,
							w->names->thread[sum->thread].process);
	size_t at = protobuf_begin(&w->p, PROFILE_SAMPLE), list;
	uint32_t calls = whole_stacks_take(&w->whole, w->calls->call[sum->stack].depth), i;
	char cpu[16];

	list = protobuf_begin(&w->p, SAMPLE_LOCATION);
	for (i = sum->stack; calls--; i = w->calls->call[i].parent)
		protobuf_varint(&w->p, w->calls->call[i].id + 1ull);
	protobuf_end(&w->p, list);
	list = protobuf_begin(&w->p, SAMPLE_VALUE);
	protobuf_varint(&w->p, sum->ticks);
	protobuf_varint(&w->p, sum->counted);
	protobuf_end(&w->p, list);
	if (w->job->input->origins)
		label_text(w, "origin", name(w, w->job->input->origin[p->origin].label));
	if (!o->by_process_name)
		label_number(w, "pid", p->pid);
	if (!o->by_thread_name)
		label_number(w, "tid", t->tid);
	label_text(w, "process", name(w, p->name));
	label_text(w, "comm", name(w, t->name));
	/* pprof drops numeric labels of 0, but CPU 0 exists. */
	snprintf(cpu, sizeof(cpu), "%u", sum->cpu);
	label_text(w, "cpu", text(w, cpu));
	protobuf_end(&w->p, at);
	flush(w);
}

/* ---- the profile ----------------------------------------------------------------------------- */

static void value_type(struct pprof_writing *w, uint32_t field, const char *type, const char *unit)
{
	size_t at = protobuf_begin(&w->p, field);

	protobuf_uint(&w->p, VALUE_TYPE, text(w, type));
	protobuf_uint(&w->p, VALUE_UNIT, text(w, unit));
	protobuf_end(&w->p, at);
}

static void write_head(struct pprof_writing *w)
{
	const struct trace *t = w->job->trace;
	const struct event *e = &t->events.kind[t->events.chosen];
	const char *type = t->events.chosen ? e->name : "cpu";
	const char *known = w->job->input->counted_unit;
	const char *unit = *known ? known : profile_unit(t);
	uint64_t period = t->events.chosen ? e->period : t->rate ? 1000000000ull / t->rate : 0;

	value_type(w, PROFILE_SAMPLE_TYPE, "samples", "count");
	value_type(w, PROFILE_SAMPLE_TYPE, type, unit);
	protobuf_uint(&w->p, PROFILE_TIME, t->start_realtime);
	protobuf_uint(&w->p, PROFILE_DURATION, t->duration);
	value_type(w, PROFILE_PERIOD_TYPE, type, unit);
	/* A rate is not a period. */
	if (period && !(t->events.chosen && e->flags & PITRACE_EVENT_RATE))
		protobuf_uint(&w->p, PROFILE_PERIOD, period);
	flush(w);
}

static void write_strings(struct pprof_writing *w)
{
	uint32_t i;

	for (i = 0; i < w->texts.count; i++) {
		protobuf_string(&w->p, PROFILE_STRING, w->texts.string[i]);
		flush(w);
	}
}

static void write_all(struct pprof_writing *w)
{
	const struct sums *s = &w->job->model->sums;
	uint32_t i;

	write_head(w);
	for (i = 0; i < s->count && !w->p.no_memory; i++)
		write_sample(w, &s->sum[i]);
	write_places(w);
	write_strings(w);
}

static int pprof_write(const struct job *job, FILE *out)
{
	const struct names *n = &job->model->names;
	struct pprof_writing w = {
		.job = job,
		.names = n,
		.calls = &job->stacks->calls,
		.whole = whole_stacks(job->input->size),
	};
	int rc = gzip_open(&w.gzip, out);

	if (rc)
		return rc;
	w.range = calloc((size_t)n->nmodule + 1, sizeof(*w.range));
	w.used = calloc((size_t)n->symbols.count + 1, sizeof(*w.used));
	rc = w.range && w.used ? texts_open(&w.texts) : -ENOMEM;
	if (!rc)
		write_all(&w);
	gzip_close(&w.gzip);
	if (w.p.no_memory)
		rc = -ENOMEM;
	protobuf_free(&w.p);
	texts_free(&w.texts);
	free(w.range);
	free(w.used);
	free(w.function);
	keys_free(&w.by_function);
	return rc ? rc : whole_stacks_announced(&w.whole, "pprof");
}

const struct writer writer_pprof = {
	.name = "pprof",
	.what = "profile.proto, compressed: go tool pprof and many others",
	.path = "post.pb.gz",
	.needs = NEED_SAMPLES | NEED_STACKS | NEED_SUMS | NEED_PLACES,
	.lines = true,
	.write = pprof_write,
};
