/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two passes, which pass each record to parts of the model: the trace, names, counts, times. */
#include "model/read.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/file_same.h"
#include "model/feed.h"
#include "model/functions.h"
#include "model/hits.h"
#include "model/method_sums.h"
#include "model/profile.h"
#include "progress.h"
#include "record/record_as.h"

#define UPDATE_EVERY 65536 /* records between two checks of the clock */

struct reading {
	struct input *input;
	struct trace *trace;
	struct model *model;
	const struct read_options *options;
	unsigned int needs;
	struct hits hits;
	struct runs runs;
	struct runs_reader *reader;
	struct functions *functions;
	struct method_sums *methods;
	const struct profile_reader *profile;
	uint64_t written; /* mtime of the trace's file, CLOCK_REALTIME; 0: not a file */
	uint64_t wall;    /* upper bound for the age of its times; 0: unknown */
};

/* Calls `each`, which is inlined, for all records of a pass. Returns 0 or -errno. */
static inline __attribute__((always_inline)) int run_pass(struct reading *rd, unsigned int what,
							  const char *name,
							  int (*each)(struct reading *rd,
								      const struct pirecord *r))
{
	struct input *in = rd->input;
	struct progress progress;
	struct pirecord r;
	uint64_t n = 0, done, total;
	int rc = in->reader->begin(in, what);

	if (rc)
		return rc;
	progress_begin(&progress, name, rd->options->quiet);
	while ((rc = in->reader->next(in, &r)) > 0) {
		if (r.cpu >= TRACE_MAX_CPUS) {
			trace_malformed(rd->trace, &r, "no machine has this CPU");
			continue;
		}
		rc = each(rd, &r);
		if (rc < 0)
			break;
		if (++n % UPDATE_EVERY == 0) {
			in->reader->progress(in, &done, &total);
			progress_update(&progress, done, total);
		}
	}
	progress_end(&progress);
	return rc;
}

/* Returns the time of day of a mapping, or slightly later. If the trace's clock cannot be
 * converted, returns the end of the recording, the mtime of its file. */
static uint64_t time_of_day(struct reading *rd, const struct pirecord *r)
{
	uint64_t real = r->stamp ? rd->input->reader->realtime(rd->input, r->stamp) : 0;

	return real ? real : r->stamp && rd->wall ? r->time + rd->wall : rd->written;
}

static int name_record(struct reading *rd, const struct pirecord *r)
{
	struct jit *jit = &rd->model->names.jit;
	const struct pitrace_mte_map *map;
	uint32_t before;
	int rc = trace_record(rd->trace, rd->input, r);

	/* Snapshots come first, regardless of their time. */
	if (!rc && !r->snapshot)
		rc = jit_until(jit, r->time);
	before = a2n_told(jit->a2n);
	if (r->major == PITRACE_MTE && r->minor == PITRACE_MTE_MODULE)
		a2n_time_of_day(jit->a2n, time_of_day(rd, r));
	if (!rc)
		rc = feed_record(jit->a2n, rd->trace, r);
	if (!rc && r->major == PITRACE_MTE && r->minor == PITRACE_MTE_DECLARE)
		rc = named_events_declare(&rd->model->named, rd->trace, r);
	if (!rc)
		rc = explain_record(&jit->explain, jit->a2n, before, r);
	if (!rc)
		rc = maps_record(&rd->model->names.maps, rd->input, r);
	if (!rc)
		rc = cgroups_record(&rd->model->names.cgroups, r);
	if (!rc)
		rc = switches_record(&rd->model->switches, r);
	if (rc || r->major != PITRACE_MTE || r->minor != PITRACE_MTE_MODULE)
		return rc;
	map = record_map(r);
	if (!map || map->flags & PITRACE_MAP_KERNEL)
		return 0;
	rc = runtimes_mapping(&rd->model->names.runtimes, map);
	return rc ? rc : jit_mapping(jit, r->time, map);
}

static uint32_t process_of(const struct reading *rd, const struct sample_place *place)
{
	return rd->model->names.thread[place->thread].process;
}

/* Returns the time of idle ticks, from the timer's rate. */
static uint64_t idle_ns(const struct trace *t, const struct pitrace_idle *idle)
{
	return t->rate ? idle->ticks * (1000000000ull / t->rate) : 0;
}

/* length: the time that the ticks cover, up to the record. */
static int count_sum(struct reading *rd, const struct pirecord *r, const struct sample_place *place,
		     uint64_t ticks, uint64_t counted, uint64_t length)
{
	struct model *m = rd->model;
	struct sum add = {
		.stack = m->stacks.last,
		.thread = place->thread,
		.cpu = r->cpu,
		.ticks = ticks,
		.counted = counted,
	};
	int rc = m->sums.wanted ? sums_add(&m->sums, &add) : 0;

	if (rc || !m->slices.wanted)
		return rc;
	return slices_add(&m->slices, m->sums.last, r->time > length ? r->time - length : 0,
			  r->time, ticks);
}

/* Sets *wanted: the sample's symbol passes the filter. */
static int wanted_symbol(struct reading *rd, const struct pitrace_sample *s, uint64_t time,
			 bool kernel, bool *wanted)
{
	struct names *n = &rd->model->names;
	struct sample_place place;
	struct symbol *symbol;
	int rc;

	*wanted = true;
	if (!rd->options->filter->symbol)
		return 0;
	rc = names_sample(n, s, time, kernel, &place);
	if (rc)
		return rc;
	symbol = &n->symbols.symbol[place.symbol];
	if (!symbol->asked)
		symbol->wanted = filter_symbol(rd->options->filter, symbol->name,
					       symbol->a2n ? symbol->a2n->raw_name : NULL);
	symbol->asked = true;
	*wanted = symbol->wanted;
	return 0;
}

static int count_idle(struct reading *rd, const struct pirecord *r, struct trace_cpu *cpu)
{
	const struct pitrace_idle *idle = RECORD_AS(r, struct pitrace_idle);
	struct sample_place place;
	int rc;

	if (!idle) {
		trace_malformed(rd->trace, r, "not idle ticks");
		return 0;
	}
	if (!idle->ticks || !filter_symbol(rd->options->filter, "idle", NULL))
		return 0;
	/* Idle ticks belong to the timer. */
	if (!events_sample(&rd->trace->events, 0, idle->ticks, 0))
		return 0;
	rc = names_idle(&rd->model->names, r->origin, &place);
	if (!rc && rd->model->stacks.wanted)
		rc = stacks_leaf(&rd->model->stacks, process_of(rd, &place), place.symbol, false,
				 idle->ticks);
	if (!rc)
		rc = count_sum(rd, r, &place, idle->ticks, idle_ns(rd->trace, idle),
			       idle_ns(rd->trace, idle));
	if (rc)
		return rc;
	rd->trace->idle += idle->ticks;
	cpu->idle_ticks += idle->ticks;
	return counts_add(&rd->model->counts, &place, r->cpu, idle->ticks);
}

static int count_stack(struct reading *rd, const struct pirecord *r, const struct pitrace_sample *s,
		       const struct sample_place *place, bool kernel)
{
	struct stacks_hit hit = {
		.process = process_of(rd, place),
		.pid = s->pid,
		.leaf = place->symbol,
		.address = s->address,
		.kernel = kernel,
		.time = r->time,
		.ticks = 1 + r->repeats,
	};
	struct stack stack;
	bool has = r->minor & PITRACE_TPROF_STACK;

	if (has && !stack_read(r, sizeof(*s), &stack)) {
		trace_malformed(rd->trace, r, "its stack is not whole");
		rd->model->stacks.malformed += 1 + r->repeats;
		has = false;
	}
	return stacks_add(&rd->model->stacks, &rd->model->names, &hit, has ? &stack : NULL);
}

static int count_tprof(struct reading *rd, const struct pirecord *r)
{
	const struct pitrace_sample *s = RECORD_AS(r, struct pitrace_sample);
	bool kernel = (r->minor & PITRACE_TPROF_KIND) == PITRACE_TPROF_KERNEL;
	unsigned int event = r->minor >> PITRACE_TPROF_EVENT_SHIFT;
	struct trace_cpu *cpu = trace_cpu(rd->trace, r->cpu);
	const struct sample_place *place;
	bool wanted;
	int rc;

	if (!cpu)
		return -ENOMEM;
	if ((r->minor & PITRACE_TPROF_KIND) == PITRACE_TPROF_IDLE)
		return count_idle(rd, r, cpu);
	if (!s || event > EVENT_NUMBERS) {
		trace_malformed(rd->trace, r, "not a sample");
		return 0;
	}
	rc = wanted_symbol(rd, s, r->time, kernel, &wanted);
	if (rc || !wanted ||
	    !events_sample(&rd->trace->events, event, 1 + r->repeats, (1 + r->repeats) * s->period))
		return rc;
	if (rd->needs & NEED_MARKS)
		marks_sample(&rd->model->marks, s->pid, s->tid, 1 + r->repeats);
	if (!r->repeats && !rd->model->stacks.wanted && !rd->model->sums.wanted) {
		trace_sample(rd->trace, r, kernel, cpu);
		return hits_add_later(&rd->hits, s, r->time, r->cpu, kernel);
	}
	rc = hits_add(&rd->hits, s, r->time, r->cpu, kernel, &place);
	if (!rc && r->repeats)
		rc = counts_add(&rd->model->counts, place, r->cpu, r->repeats);
	if (rc)
		return rc;
	trace_sample(rd->trace, r, kernel, cpu);
	if (rd->model->stacks.wanted)
		rc = count_stack(rd, r, s, place, kernel);
	return rc ? rc : count_sum(rd, r, place, 1 + r->repeats, (1 + r->repeats) * s->period, 0);
}

/* MTE records were fed in the first pass: now they only mark changes of names between samples. */
static int count_record(struct reading *rd, const struct pirecord *r)
{
	int rc = 0;

	if (r->ring == PITRACE_RING_MTE || names_change_until(&rd->model->names, r->time))
		rc = hits_settle(&rd->hits);
	if (rc)
		return rc;
	names_until(&rd->model->names, r->time);
	if (rd->needs & NEED_TIMES)
		rc = times_record(&rd->model->times, r);
	if (!rc && rd->needs & NEED_MARKS)
		rc = marks_record(&rd->model->marks, rd->trace, r);
	if (rc)
		return rc;
	if (r->ring == PITRACE_RING_MTE)
		return names_event(&rd->model->names, r);
	rc = trace_record(rd->trace, rd->input, r);
	if (!rc && r->major == PITRACE_TPROF && rd->needs & NEED_SAMPLES)
		rc = count_tprof(rd, r);
	return rc;
}

static int read_sections(struct reading *rd)
{
	struct a2n *a = rd->model->names.a2n;
	struct input_section s;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && rd->input->reader->section(rd->input, i, &s) > 0; i++) {
		rc = trace_section(rd->trace, &s);
		if (!rc)
			rc = feed_section(a, &s, rd->options->kernel_map);
	}
	return rc;
}

/* The first pass. */
static int read_names(struct reading *rd)
{
	int rc = read_sections(rd);

	if (!rc)
		rc = jit_logs(&rd->model->names.jit, rd->input);
	if (!rc)
		rc = run_pass(rd, PIMERGE_MTE, "post: names", name_record);
	if (!rc)
		rc = jit_emit(&rd->model->names.jit, JIT_REST);
	if (!rc)
		rc = maps_finish(&rd->model->names.maps, rd->input);
	if (!rc)
		rc = cgroups_finish(&rd->model->names.cgroups);
	jit_finish(&rd->model->names.jit);
	return rc;
}

static int read_passes(struct reading *rd)
{
	int rc = read_names(rd);

	if (!rc)
		rc = run_pass(rd, PIMERGE_MTE | PIMERGE_TRACE, "post: records", count_record);
	return rc ? rc : hits_finish(&rd->hits);
}

/* ---- samples again --------------------------------------------------------------------------- */

static int emit_idle(struct reading *rd, const struct pirecord *r, struct profile_sample *out,
		     struct stacks_hit *hit)
{
	const struct pitrace_idle *idle = RECORD_AS(r, struct pitrace_idle);
	struct sample_place place;
	int rc;

	if (!idle || !idle->ticks || !filter_symbol(rd->options->filter, "idle", NULL) ||
	    !events_sample(&rd->trace->events, 0, idle->ticks, 0))
		return 0;
	rc = names_idle(&rd->model->names, r->origin, &place);
	out->thread = place.thread;
	out->ticks = idle->ticks;
	out->kernel = true;
	out->counted = idle_ns(rd->trace, idle);
	hit->leaf = place.symbol;
	return rc ? rc : 1;
}

static int emit_sample(struct reading *rd, const struct pirecord *r, struct profile_sample *out,
		       struct stacks_hit *hit)
{
	const struct pitrace_sample *s = RECORD_AS(r, struct pitrace_sample);
	unsigned int event = r->minor >> PITRACE_TPROF_EVENT_SHIFT;
	struct sample_place place;
	bool wanted;
	int rc;

	if (!s || event > EVENT_NUMBERS)
		return 0;
	out->kernel = (r->minor & PITRACE_TPROF_KIND) == PITRACE_TPROF_KERNEL;
	rc = wanted_symbol(rd, s, r->time, out->kernel, &wanted);
	if (rc || !wanted ||
	    !events_sample(&rd->trace->events, event, 1 + r->repeats, (1 + r->repeats) * s->period))
		return rc;
	rc = names_sample(&rd->model->names, s, r->time, out->kernel, &place);
	out->thread = place.thread;
	out->ticks = 1 + r->repeats;
	out->counted = out->ticks * s->period;
	hit->pid = s->pid;
	hit->leaf = place.symbol;
	hit->address = s->address;
	hit->kernel = out->kernel;
	return rc ? rc : 1;
}

static int emit_record(struct reading *rd, const struct pirecord *r)
{
	bool idle = (r->minor & PITRACE_TPROF_KIND) == PITRACE_TPROF_IDLE;
	const struct profile_reader *p = rd->profile;
	struct profile_sample out = { .time = r->time, .cpu = r->cpu };
	struct stacks *st = &rd->model->stacks;
	struct stacks_hit hit = { .time = r->time };
	struct stack stack;
	int rc;

	names_until(&rd->model->names, r->time);
	/* The trace counters are new, so they need the event names again. */
	rc = p->times ? times_record(p->times, r) : 0;
	if (!rc)
		rc = trace_record(rd->trace, rd->input, r);
	if (rc)
		return rc;
	if (r->ring == PITRACE_RING_MTE)
		return names_event(&rd->model->names, r);
	if (r->major != PITRACE_TPROF)
		return p->record ? p->record(p->arg, r) : 0;
	if (!p->sample)
		return 0;
	rc = idle ? emit_idle(rd, r, &out, &hit) : emit_sample(rd, r, &out, &hit);
	if (rc <= 0)
		return rc;
	out.symbol = hit.leaf;
	hit.process = rd->model->names.thread[out.thread].process;
	if (st->wanted) {
		bool has = !idle && r->minor & PITRACE_TPROF_STACK &&
			   stack_read(r, sizeof(struct pitrace_sample), &stack);

		rc = stacks_call(st, &rd->model->names, &hit, has ? &stack : NULL, &out.stack);
		if (rc)
			return rc;
	}
	return p->sample(p->arg, &out);
}

int read_samples(struct input *in, struct model *m, const struct read_options *o,
		 const struct profile_reader *reader)
{
	struct trace books;
	struct reading rd = {
		.input = in,
		.trace = &books,
		.model = m,
		.options = o,
		.profile = reader,
	};
	int rc;

	trace_begin(&books, in, o->event);
	names_rewind(&m->names);
	rc = run_pass(&rd, PIMERGE_MTE | PIMERGE_TRACE, "post: samples", emit_record);
	trace_free(&books);
	return rc;
}

/* ---- calls of functions ---------------------------------------------------------------------- */

static int call_record(struct reading *rd, const struct pirecord *r)
{
	int rc = trace_record(rd->trace, rd->input, r);

	return rc || r->major != CALL_RECORD ? rc : functions_record(rd->functions, r);
}

int read_functions(struct input *in, struct trace *t, const struct read_options *o,
		   struct functions *f)
{
	struct reading rd = { .input = in, .trace = t, .options = o, .functions = f };
	int rc = run_pass(&rd, PIMERGE_TRACE, "post: calls", call_record);

	if (!rc)
		trace_end(t);
	return rc;
}

/* ---- values of methods ----------------------------------------------------------------------- */

static int count_method(struct reading *rd, const struct pirecord *r)
{
	const struct pitrace_sample *s = RECORD_AS(r, struct pitrace_sample);
	bool kernel = (r->minor & PITRACE_TPROF_KIND) == PITRACE_TPROF_KERNEL;
	unsigned int event = r->minor >> PITRACE_TPROF_EVENT_SHIFT;
	struct events *events = &rd->trace->events;
	struct sample_place place;
	int rc;

	if ((r->minor & PITRACE_TPROF_KIND) == PITRACE_TPROF_IDLE)
		return 0;
	if (!s || event > EVENT_NUMBERS) {
		trace_malformed(rd->trace, r, "not a sample");
		return 0;
	}
	events_sample(events, event, 1 + r->repeats, (1 + r->repeats) * s->period);
	rc = names_sample(&rd->model->names, s, r->time, kernel, &place);
	return rc ? rc :
		    method_sums_add(rd->methods, events->kind, events->now[event], place.symbol,
				    1 + r->repeats);
}

static int method_record(struct reading *rd, const struct pirecord *r)
{
	int rc;

	names_until(&rd->model->names, r->time);
	rc = r->ring == PITRACE_RING_MTE ? names_event(&rd->model->names, r) :
					   trace_record(rd->trace, rd->input, r);
	return rc || r->major != PITRACE_TPROF ? rc : count_method(rd, r);
}

int read_methods(struct input *in, struct trace *t, struct model *m, const struct read_options *o,
		 struct method_sums *sums)
{
	struct reading rd = { .input = in, .trace = t, .model = m, .options = o, .methods = sums };
	int rc = run_pass(&rd, PIMERGE_MTE | PIMERGE_TRACE, "post: records", method_record);

	if (!rc)
		trace_end(t);
	return rc;
}

/* ---- runs of instructions -------------------------------------------------------------------- */

/* Returns whether a load or store belongs to the library's own code. */
static bool is_own_access(const struct reading *rd, const struct pirecord *r)
{
	const struct pitrace_access *a = r->major == PITRACE_LOAD_STORE ?
						 RECORD_AS(r, struct pitrace_access) :
						 NULL;

	return a && switches_own(&rd->model->switches, a->pid, a->tid);
}

static int run_record(struct reading *rd, const struct pirecord *r)
{
	struct runs_reader *reader = rd->reader;
	struct run run;
	int rc;

	names_until(&rd->model->names, r->time);
	if (reader->record && !is_own_access(rd, r)) {
		rc = reader->record(reader->arg, r);
		if (rc)
			return rc;
	}
	rc = r->ring == PITRACE_RING_MTE ? names_event(&rd->model->names, r) :
					   trace_record(rd->trace, rd->input, r);
	if (!rc)
		rc = runs_record(&rd->runs, r, &run);
	return rc > 0 ? reader->run(reader->arg, &run) : rc;
}

int read_runs(struct input *in, struct trace *t, struct model *m, const struct read_options *o,
	      struct runs_reader *reader)
{
	struct reading rd = { .input = in, .trace = t, .model = m, .options = o, .reader = reader };
	int rc;

	runs_begin(&rd.runs, &m->names, t, &in->header, &m->switches, reader->calls);
	rd.runs.values = in->values;
	rc = run_pass(&rd, PIMERGE_MTE | PIMERGE_TRACE, "post: records", run_record);
	reader->books = rd.runs.itrace;
	reader->too_deep = rd.runs.frames.too_deep;
	reader->own_instructions = m->switches.instructions;
	reader->own_runs = m->switches.runs;
	runs_free(&rd.runs);
	if (!rc)
		trace_end(t);
	return rc;
}

static int nothing(void *arg, const struct run *run)
{
	(void)arg;
	(void)run;
	return 0;
}

/* Source lines are looked up all at once, so they take another pass over the records. */
static int find_lines(struct reading *rd)
{
	struct runs_reader reader = { .run = nothing };
	struct trace books = { 0 };
	int rc;

	rc = read_runs(rd->input, &books, rd->model, rd->options, &reader);
	trace_free(&books);
	if (!rc)
		rc = lines_finish(&rd->model->names.lines);
	names_rewind(&rd->model->names);
	return rc;
}

/* Counts instructions instead of ticks. */
static int count_instructions(struct reading *rd)
{
	struct stacks *st = &rd->model->stacks;
	struct runs_reader reader = { .run = nothing, .calls = &st->calls };
	int rc = read_runs(rd->input, rd->trace, rd->model, rd->options, &reader);

	if (rc)
		return rc;
	st->with = reader.books.instructions;
	st->too_deep = reader.too_deep;
	rc = lines_finish(&rd->model->names.lines);
	if (!rc)
		rc = names_finish(&rd->model->names, rd->options->names);
	return rc ? rc : stacks_finish(st, &rd->model->names);
}

static int read_for_runs(struct reading *rd)
{
	int rc = read_names(rd);

	if (!rc && rd->needs & NEED_INSTRUCTIONS)
		return count_instructions(rd);
	if (!rc && lines_wanted(&rd->model->names.lines))
		rc = find_lines(rd);
	return rc;
}

int read_trace(struct input *in, struct trace *t, struct model *m, const struct read_options *o,
	       unsigned int needs)
{
	struct reading rd = { .input = in, .trace = t, .model = m, .options = o, .needs = needs };
	struct input_wall wall;
	struct stat st;
	int rc;

	if (!stat(in->path, &st) && S_ISREG(st.st_mode))
		rd.written = file_written(&st);
	if (in->reader->wall && !in->origins) {
		in->reader->wall(in, 0, &wall);
		rd.wall = wall.most;
	}
	if (needs & (NEED_RUNS | NEED_INSTRUCTIONS))
		return read_for_runs(&rd);
	rc = hits_open(&rd.hits, &m->names, &m->counts);
	if (!rc)
		rc = read_passes(&rd);
	hits_free(&rd.hits);
	if (rc)
		return rc;
	trace_end(t);
	marks_end(&m->marks);
	rc = times_finish(&m->times);
	if (!rc)
		rc = counts_flush(&m->counts);
	if (!rc)
		rc = lines_finish(&m->names.lines);
	if (!rc) {
		counts_show(&m->counts, &m->names);
		counts_show(&m->times.faults, &m->names);
	}
	if (!rc)
		rc = names_finish(&m->names, o->names);
	if (!rc)
		rc = sched_group(&m->times.sched);
	if (!rc)
		rc = critical_group(&m->times.critical);
	if (!rc && m->times.locks.wanted)
		rc = locks_group(&m->times.locks);
	if (!rc && m->stacks.wanted)
		rc = stacks_finish(&m->stacks, &m->names);
	if (!rc && m->times.offcpu.stacks.wanted)
		rc = stacks_finish(&m->times.offcpu.stacks, &m->names);
	if (!rc)
		rc = slices_finish(&m->slices);
	return rc ? rc : counts_finish(&m->counts, &m->names);
}
