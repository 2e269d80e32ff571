/* SPDX-License-Identifier: GPL-3.0-or-later */
/* speedscope's JSON: for each thread a list of samples in time order; one list of frames. */
#include <errno.h>
#include <inttypes.h>

#include "escape.h"
#include "export/frame_list.h"
#include "export/thread_samples.h"
#include "export/writer.h"
#include "job.h"
#include "json.h"
#include "report/calls_report.h"

static void write_frames(const struct job *job, const struct frame_list *l, struct json *j)
{
	const struct symbol *symbol = job->model->names.symbols.symbol;
	uint32_t i;

	json_object(j, "shared");
	json_array(j, "frames");
	for (i = 0; i < l->frames; i++) {
		const struct symbol *s = &symbol[l->frame[i].symbol];

		json_object(j, NULL);
		json_string(j, "name", s->name);
		if (s->file) {
			json_string(j, "file", s->file);
			if (s->line)
				json_uint(j, "line", s->line);
		} else {
			json_string(j, "file", job->model->names.module[s->module].name);
		}
		json_end(j, '}');
	}
	json_end(j, ']');
	json_end(j, '}');
}

/* Writes a stack's frames, outermost first. */
static void write_stack(struct frame_list *l, FILE *out, uint32_t stack)
{
	const uint32_t *frames;
	uint32_t n = frame_list_path(l, stack, &frames);

	while (n--)
		fprintf(out, n ? "%u," : "%u", frames[n]);
}

/* Consecutive samples with the same stack, merged into one sample with their total weight. */
struct same_stack {
	uint32_t stack;
	uint64_t weight;
};

struct same_stacks {
	struct by_thread_reader r;
	const struct thread_sample *ahead; /* first sample of the next run */
	bool counted;
};

static int same_stacks_begin(struct same_stacks *x, const struct thread_samples *t, uint32_t thread,
			     bool counted)
{
	by_thread_begin(&x->r, &t->by, thread);
	x->counted = counted;
	return thread_samples_next(&x->r, &x->ahead);
}

/* Returns 1, 0 at the end, or -errno. */
static int same_stacks_next(struct same_stacks *x, struct same_stack *run)
{
	int rc = 1;

	if (!x->ahead)
		return 0;
	*run = (struct same_stack){ .stack = x->ahead->stack };
	while (rc > 0 && x->ahead->stack == run->stack) {
		run->weight += x->counted ? x->ahead->counted : x->ahead->ticks;
		rc = thread_samples_next(&x->r, &x->ahead);
	}
	return rc < 0 ? rc : 1;
}

static int write_thread(const struct job *job, struct frame_list *l, const struct thread_samples *t,
			struct json *j, uint32_t thread)
{
	const struct names *n = &job->model->names;
	const struct trace_process *p = profile_process(n, n->thread[thread].process);
	bool counted = profile_counted(job->trace);
	struct same_stacks x;
	struct same_stack run;
	char name[256];
	bool first = true;
	int rc;

	snprintf(name, sizeof(name), "%s (pid %u) %s (tid %u)", p->name, p->pid,
		 n->thread[thread].name, n->thread[thread].tid);
	json_object(j, NULL);
	json_string(j, "type", "sampled");
	json_string(j, "name", name);
	json_string(j, "unit", counted && !job->trace->events.chosen ? "nanoseconds" : "none");
	json_uint(j, "startValue", 0);
	json_uint(j, "endValue", counted ? t->sums[thread].counted : t->sums[thread].ticks);
	json_array(j, "samples");
	rc = same_stacks_begin(&x, t, thread, counted);
	while (rc >= 0 && (rc = same_stacks_next(&x, &run)) > 0) {
		fputs(first ? "\n[" : ",\n[", json_out(j));
		first = false;
		write_stack(l, j->out, l->of_call[run.stack]);
		putc(']', j->out);
	}
	json_end(j, ']');
	json_array(j, "weights");
	rc = rc < 0 ? rc : same_stacks_begin(&x, t, thread, counted);
	while (rc >= 0 && (rc = same_stacks_next(&x, &run)) > 0)
		json_uint(j, NULL, run.weight);
	json_end(j, ']');
	json_end(j, '}');
	return rc;
}

static int speedscope_write(const struct job *job, FILE *out)
{
	struct frame_list l = { 0 };
	struct thread_samples t = { 0 };
	struct json j;
	uint32_t i;
	int rc = thread_samples_read(&t, job);

	if (!rc)
		rc = frame_list_make(&l, job, false);
	if (!rc) {
		json_begin(&j, out, false);
		json_object(&j, NULL);
		json_string(&j, "$schema", "https://www.speedscope.app/file-format-schema.json");
		json_string(&j, "exporter", "pitrace " PITRACE_VERSION);
		json_string(&j, "name", job->input->path);
		write_frames(job, &l, &j);
		json_array(&j, "profiles");
		for (i = 0; i < t.by.threads && !rc; i++) {
			if (by_thread_count(&t.by, i))
				rc = write_thread(job, &l, &t, &j, i);
		}
		json_end(&j, ']');
		json_end(&j, '}');
	}
	if (!rc)
		rc = whole_stacks_announced(&l.whole, "speedscope");
	frame_list_free(&l);
	thread_samples_free(&t);
	return rc;
}

const struct writer writer_speedscope = {
	.name = "speedscope",
	.what = "JSON for speedscope.app: a flame graph per thread, in order of time",
	.path = "post.speedscope.json",
	.needs = NEED_SAMPLES | NEED_STACKS | NEED_PLACES,
	.write = speedscope_write,
};
