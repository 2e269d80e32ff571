/* SPDX-License-Identifier: GPL-3.0-or-later */
/* speedscope's own JSON: for each thread a list of samples in order of time; one list of frames. */
#include <errno.h>
#include <inttypes.h>

#include "escape.h"
#include "export/by_thread.h"
#include "export/frame_list.h"
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

/* Frames, outermost first. */
static void write_stack(struct frame_list *l, FILE *out, uint32_t stack)
{
	const uint32_t *frames;
	uint32_t n = frame_list_path(l, stack, &frames);

	while (n--)
		fprintf(out, n ? "%u," : "%u", frames[n]);
}

/* Number of consecutive samples with the same stack, which become one sample of greater weight. */
static uint32_t run_length(const struct thread_samples *t, uint32_t i)
{
	uint32_t k = i + 1;

	while (k < t->count && t->sample[k].stack == t->sample[i].stack)
		k++;
	return k - i;
}

static uint64_t weight(const struct thread_samples *t, uint32_t i, uint32_t n, bool counted)
{
	uint64_t sum = 0;

	for (n += i; i < n; i++)
		sum += counted ? t->sample[i].counted : t->sample[i].ticks;
	return sum;
}

static void write_thread(const struct job *job, struct frame_list *l, const struct by_thread *b,
			 struct json *j, uint32_t thread)
{
	const struct names *n = &job->model->names;
	const struct trace_process *p = profile_process(n, n->thread[thread].process);
	const struct thread_samples *t = &b->thread[thread];
	bool counted = profile_counted(job->trace);
	char name[256];
	uint32_t i;

	snprintf(name, sizeof(name), "%s (pid %u) %s (tid %u)", p->name, p->pid,
		 n->thread[thread].name, n->thread[thread].tid);
	json_object(j, NULL);
	json_string(j, "type", "sampled");
	json_string(j, "name", name);
	json_string(j, "unit", counted && !job->trace->events.chosen ? "nanoseconds" : "none");
	json_uint(j, "startValue", 0);
	json_uint(j, "endValue", weight(t, 0, t->count, counted));
	json_array(j, "samples");
	for (i = 0; i < t->count; i += run_length(t, i)) {
		fputs(i ? ",\n[" : "\n[", json_out(j));
		write_stack(l, j->out, l->of_call[t->sample[i].stack]);
		putc(']', j->out);
	}
	json_end(j, ']');
	json_array(j, "weights");
	for (i = 0; i < t->count; i += run_length(t, i))
		json_uint(j, NULL, weight(t, i, run_length(t, i), counted));
	json_end(j, ']');
	json_end(j, '}');
}

static int speedscope_write(const struct job *job, FILE *out)
{
	struct frame_list l = { 0 };
	struct by_thread b = { 0 };
	struct json j;
	uint32_t i;
	int rc = by_thread_read(&b, job);

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
		for (i = 0; i < b.threads; i++) {
			if (b.thread[i].count)
				write_thread(job, &l, &b, &j, i);
		}
		json_end(&j, ']');
		json_end(&j, '}');
	}
	if (!rc)
		rc = whole_stacks_told(&l.whole, "speedscope");
	frame_list_free(&l);
	by_thread_free(&b);
	return rc;
}

const struct writer writer_speedscope = {
	.name = "speedscope",
	.what = "JSON for speedscope.app: a flame graph a thread, in the order of time",
	.path = "post.speedscope.json",
	.needs = NEED_SAMPLES | NEED_STACKS | NEED_PLACES,
	.write = speedscope_write,
};
