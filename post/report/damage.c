/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists the faults of a trace, for reports and for stderr. */
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"

/* Two passes may find the same fault. */
size_t damage_distinct(const struct pifile_fault *list, size_t n, struct pifile_fault *out)
{
	size_t count = 0, i, k;

	for (i = 0; i < n; i++) {
		for (k = 0; k < count; k++) {
			if (out[k].offset == list[i].offset && !strcmp(out[k].what, list[i].what))
				break;
		}
		if (k == count)
			out[count++] = list[i];
	}
	return count;
}

int damage_gather(struct job *job, struct pifile_fault **room)
{
	const struct pifile_fault *list = NULL;
	size_t n = job->input->reader->faults(job->input, &list), have = n < 64 ? n : 64;
	struct pifile_fault *out = calloc(have + 3, sizeof(*out));
	uint64_t since;
	size_t count;

	if (!out)
		return -ENOMEM;
	count = damage_distinct(list, have, out);
	job->more_faults = n - have;
	if (job->trace->malformed) {
		out[count++] = job->trace->first_malformed;
		job->more_faults += job->trace->malformed - 1;
	}
	if (job->model->names.a2n && a2n_full(job->model->names.a2n, &since)) {
		out[count].offset = NO_OFFSET;
		snprintf(out[count].what, sizeof(out[count].what),
			 "too many changes of what lies where in memory: names are missing from %" PRIu64
			 " ns on",
			 since);
		count++;
	}
	if (job->stacks && job->stacks->calls.refused) {
		out[count].offset = NO_OFFSET;
		snprintf(out[count].what, sizeof(out[count].what),
			 "%" PRIu64
			 " calls that the tree of calls has no room for: they are counted at their callers",
			 job->stacks->calls.refused);
		count++;
	}
	job->fault = *room = out;
	job->nfaults = count;
	return 0;
}

void damage_print(const struct job *job)
{
	size_t i, most = job->options->verbose ? job->nfaults : 3;

	for (i = 0; i < job->nfaults && i < most; i++) {
		input_complain(job->input->name, &job->fault[i]);
	}
	if (job->nfaults - i + job->more_faults)
		complain("and %zu more faults", job->nfaults - i + job->more_faults);
	if (job->nfaults && job->trace->records)
		complain("%" PRIu64 " records were read all the same", job->trace->records);
}

bool damage_none(const struct job *job)
{
	uint32_t i = 0;

	return !job->nfaults && !jit_damage(&job->model->names.jit, &i) && job->input->complete &&
	       !trace_lossy(job->trace);
}

struct damage_line {
	void (*emit_line)(void *arg, const char *line);
	void *arg;
};

__attribute__((format(printf, 2, 3))) static void emit_line(const struct damage_line *t,
							    const char *format, ...)
{
	char *line;
	va_list args;

	va_start(args, format);
	if (vasprintf(&line, format, args) < 0)
		line = NULL;
	va_end(args);
	t->emit_line(t->arg, line ? line : "(no memory)");
	free(line);
}

static void emit_note(const struct jit_note *n, const struct damage_line *t)
{
	char at[40] = "", left_out[48] = "";

	if (n->offset != NO_OFFSET)
		snprintf(at, sizeof(at), ": at byte %" PRIu64, n->offset);
	if (n->records)
		snprintf(left_out, sizeof(left_out), " (%" PRIu64 " records left out)", n->records);
	emit_line(t, "%s%s: %s%s", n->path, at, n->what, left_out);
}

void damage_beside(const struct job *job, void (*each)(void *arg, const char *line), void *arg)
{
	const struct damage_line t = { each, arg };
	const struct jit_note *n;
	uint32_t i = 0;

	while ((n = jit_damage(&job->model->names.jit, &i)))
		emit_note(n, &t);
}

static void emit_notes(const struct job *job, const struct damage_line *t)
{
	const struct jit *jit = &job->model->names.jit;
	const char *module, *message;
	uint32_t i;

	for (i = 0; i < jit->nnote; i++)
		emit_note(&jit->note[i], t);
	for (i = 0; names_line_warning(&job->model->names, i, &module, &message); i++) {
		if (module)
			emit_line(t, "%s: %s", module, message);
	}
}

static void emit_modules(const struct job *job, const struct damage_line *t)
{
	const struct trace_module **list;
	uint32_t count, i;

	if (worst_modules(job, &list, &count)) {
		emit_line(t, "no memory to list the modules without symbols");
		return;
	}
	for (i = 0; i < count; i++) {
		emit_line(t, "%s: %s (%" PRIu64 " of its %" PRIu64 " ticks have no symbol)",
			  list[i]->name, module_reason(list[i]), list[i]->unnamed, list[i]->ticks);
	}
	free(list);
}

void warnings_emit(const struct job *job, void (*each)(void *arg, const char *line), void *arg)
{
	const struct damage_line t = { each, arg };

	emit_notes(job, &t);
	emit_modules(job, &t);
}

static void complain_line(void *arg, const char *line)
{
	(void)arg;
	complain("%s", line);
}

void warnings_print(const struct job *job)
{
	const struct damage_line t = { complain_line, NULL };

	if (job->options->quiet)
		damage_beside(job, complain_line, NULL);
	else
		emit_notes(job, &t);
	if (job->options->verbose)
		emit_modules(job, &t);
}
