/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * -folded: one line per stack, "process;outermost;…;innermost ticks", the input of flame graph
 * programs; with -cgroup, its cgroup precedes the process. Kernel symbols end with _[k], inlined
 * functions with _[i].
 */
#include "report/folded_report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "record/whole_stacks.h"
#include "report/calls_report.h"

/* Replaces semicolons, which would end the name. */
static int print_name(FILE *out, const char *name)
{
	char *copy = strdup(name), *p;

	if (!copy)
		return -ENOMEM;
	while ((p = strchr(copy, ';')) != NULL)
		*p = ':';
	escape_print(out, copy);
	free(copy);
	return 0;
}

static int print_call(const struct job *job, FILE *out, const struct call *call)
{
	const struct symbol *s = &job->model->names.symbols.symbol[call->id];
	int rc;

	putc(';', out);
	rc = print_name(out, s->name);
	if (s->file) {
		putc(' ', out);
		print_line(out, s, false);
	}
	if (call->kernel || s->inlined)
		fputs(call->kernel ? "_[k]" : "_[i]", out);
	return rc;
}

/* With -cgroup, the outermost frames are cgroups. */
static int print_root(const struct job *job, FILE *out, uint32_t process)
{
	const struct names *n = &job->model->names;
	const struct trace_process *p = &n->process[process];
	int rc = 0;

	if (job->options->by_cgroup) {
		rc = print_name(out, n->cgroups.list[p->cgroup].name);
		putc(';', out);
	}
	return rc ? rc : print_name(out, p->name);
}

/* path: buffer for the deepest call. */
static int print_path(const struct job *job, FILE *out, uint32_t i, uint32_t *path,
		      struct whole_stacks *whole)
{
	const struct call *call = job->stacks->calls.call;
	uint32_t n = whole_stacks_take(whole, call[i].depth), k, root = i;
	int rc;

	for (k = 0; call[root].parent != NO_KEY; k++, root = call[root].parent)
		path[k] = root;
	rc = print_root(job, out, call[root].id);
	while (n-- && !rc)
		rc = print_call(job, out, &call[path[n]]);
	return rc;
}

int folded_write(const struct job *job, FILE *out)
{
	const struct calls *c = &job->stacks->calls;
	struct whole_stacks whole = whole_stacks(job->input->size);
	uint32_t i, *path = malloc(((size_t)calls_deepest(c) + 1) * sizeof(*path));
	int rc = path ? calls_checked(job, "folded") : -ENOMEM;

	for (i = 0; i < c->ncall && !rc; i++) {
		if (!c->call[i].self ||
		    percent_of(c->call[i].self, job->stack_total) < job->options->clip)
			continue;
		rc = print_path(job, out, i, path, &whole);
		fprintf(out, " %" PRIu64 "\n", c->call[i].self);
	}
	free(path);
	return rc ? rc : whole_stacks_announced(&whole, "folded");
}

const struct report report_folded = {
	.name = "folded",
	.usage = "  -folded           a line a call stack, for flame graphs, on stdout\n",
	.kinds = REPORT_OF_SAMPLES | REPORT_OF_STACKS | REPORT_ONE_FORM,
	.path = "-",
	.mode = 0666,
	.needs = NEED_SAMPLES | NEED_STACKS,
	.write = folded_write,
};
