/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two passes: what each record means to the trace's books, to names, to counts and to times. */
#include "model/read.h"

#include <errno.h>

#include "model/feed.h"
#include "model/hits.h"
#include "model/record.h"
#include "progress.h"

#define UPDATE_EVERY 65536	/* records between two looks at the clock */

struct reading {
	struct input *input;
	struct trace *trace;
	struct model *model;
	const struct options *options;
	unsigned int needs;
	struct hits hits;
};

/* Call `each` for all records of a pass: it is inlined. 0, or -errno. */
static inline __attribute__((always_inline)) int
run_pass(struct reading *rd, unsigned int what, const char *name,
	 int (*each)(struct reading *rd, const struct pirecord *r))
{
	struct input *in = rd->input;
	struct progress progress;
	struct pirecord r;
	uint64_t n = 0, done, total;
	int rc = in->format->begin(in, what);

	if (rc)
		return rc;
	progress_begin(&progress, name, rd->options->quiet);
	while ((rc = in->format->next(in, &r)) > 0) {
		if (r.cpu >= TRACE_MAX_CPUS) {
			trace_malformed(rd->trace, &r, "no machine has this CPU");
			continue;
		}
		rc = each(rd, &r);
		if (rc < 0)
			break;
		if (++n % UPDATE_EVERY == 0) {
			in->format->progress(in, &done, &total);
			progress_update(&progress, done, total);
		}
	}
	progress_end(&progress);
	return rc;
}

static int name_record(struct reading *rd, const struct pirecord *r)
{
	struct jit *jit = &rd->model->names.jit;
	const struct pitrace_mte_map *map;
	uint32_t before;
	int rc = trace_record(rd->trace, rd->input, r);

	if (!rc)
		rc = jit_until(jit, r->time);
	before = a2n_told(jit->a2n);
	if (!rc)
		rc = feed_record(jit->a2n, rd->trace, r);
	if (!rc)
		rc = explain_record(&jit->explain, jit->a2n, before, r);
	if (!rc)
		rc = maps_record(&rd->model->names.maps, rd->input, r);
	if (rc || r->major != PITRACE_MTE || r->minor != PITRACE_MTE_MODULE)
		return rc;
	map = record_map(r);
	if (!map || map->flags & PITRACE_MAP_KERNEL)
		return 0;
	rc = runtimes_mapping(&rd->model->names.runtimes, map);
	return rc ? rc : jit_mapping(jit, r->time, map);
}

static uint32_t process_of(const struct reading *rd, const struct place *place)
{
	return rd->model->names.thread[place->thread].process;
}

static int count_idle(struct reading *rd, const struct pirecord *r, struct trace_cpu *cpu)
{
	const struct pitrace_idle *idle = RECORD_AS(r, struct pitrace_idle);
	struct place place;
	int rc;

	if (!idle) {
		trace_malformed(rd->trace, r, "not idle ticks");
		return 0;
	}
	if (!idle->ticks)
		return 0;
	/* They are the timer's. */
	if (!events_sample(&rd->trace->events, 0, idle->ticks, 0))
		return 0;
	rc = names_idle(&rd->model->names, &place);
	if (!rc && rd->model->stacks.wanted)
		rc = stacks_leaf(&rd->model->stacks, process_of(rd, &place), place.symbol, false,
				 idle->ticks);
	if (rc)
		return rc;
	rd->trace->idle += idle->ticks;
	cpu->idle_ticks += idle->ticks;
	return counts_add(&rd->model->counts, &place, r->cpu, idle->ticks);
}

static int count_stack(struct reading *rd, const struct pirecord *r,
		       const struct pitrace_sample *s, const struct place *place, bool kernel)
{
	struct stacks_hit hit = {
		.process = process_of(rd, place), .pid = s->pid, .leaf = place->symbol,
		.address = s->address, .kernel = kernel, .time = r->time, .ticks = 1,
	};
	struct stack stack;
	bool has = r->minor & PITRACE_TPROF_STACK;

	if (has && !stack_read(r, sizeof(*s), &stack)) {
		trace_malformed(rd->trace, r, "its stack is not whole");
		rd->model->stacks.malformed++;
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
	const struct place *place;
	int rc;

	if (!cpu)
		return -ENOMEM;
	if ((r->minor & PITRACE_TPROF_KIND) == PITRACE_TPROF_IDLE)
		return count_idle(rd, r, cpu);
	if (!s || event > PITRACE_EVENTS) {
		trace_malformed(rd->trace, r, "not a sample");
		return 0;
	}
	if (!events_sample(&rd->trace->events, event, 1, s->period))
		return 0;
	rc = hits_add(&rd->hits, s, r->time, r->cpu, kernel, &place);
	if (rc)
		return rc;
	trace_sample(rd->trace, r, kernel, cpu);
	return rd->model->stacks.wanted ? count_stack(rd, r, s, place, kernel) : 0;
}

/* MTE records were told already: here they only say where names change between samples. */
static int count_record(struct reading *rd, const struct pirecord *r)
{
	int rc = 0;

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

	for (i = 0; !rc && rd->input->format->section(rd->input, i, &s) > 0; i++) {
		rc = trace_section(rd->trace, &s);
		if (!rc)
			rc = feed_section(a, &s, rd->options->kernel_map != NULL);
	}
	return rc;
}

static int read_passes(struct reading *rd)
{
	int rc = read_sections(rd);

	if (!rc)
		rc = jit_logs(&rd->model->names.jit, rd->input);
	if (!rc)
		rc = run_pass(rd, PIMERGE_MTE, "post: names", name_record);
	if (!rc)
		rc = jit_tell(&rd->model->names.jit, JIT_REST);
	if (!rc)
		rc = maps_finish(&rd->model->names.maps, rd->input);
	jit_finish(&rd->model->names.jit);
	if (!rc)
		rc = run_pass(rd, PIMERGE_MTE | PIMERGE_TRACE, "post: records", count_record);
	return rc ? rc : hits_finish(&rd->hits);
}

int read_trace(struct input *in, struct trace *t, struct model *m, const struct options *o,
	       unsigned int needs)
{
	struct reading rd = { .input = in, .trace = t, .model = m, .options = o, .needs = needs };
	int rc = hits_open(&rd.hits, &m->names, &m->counts);

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
		rc = names_finish(&m->names, &o->names);
	if (!rc)
		rc = sched_group(&m->times.sched);
	if (!rc && m->stacks.wanted)
		rc = stacks_finish(&m->stacks, &m->names);
	if (!rc && m->times.away.stacks.wanted)
		rc = stacks_finish(&m->times.away.stacks, &m->names);
	return rc ? rc : counts_finish(&m->counts, &m->names);
}
