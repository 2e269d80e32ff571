/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * -folded: a line a stack, "process;outermost;…;innermost ticks", as programs that draw flame
 * graphs read it. Symbols of the kernel end in _[k], functions that are inlined in _[i].
 */
#include "report/folded_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "report/calls_report.h"

/* A semicolon would end the name. */
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

static int print_path(const struct job *job, FILE *out, uint32_t i)
{
	const struct names *n = &job->model->names;
	const struct call *call = &job->stacks->calls.call[i];
	const struct symbol *s;
	int rc;

	if (call->parent == NO_KEY)
		return print_name(out, n->process[call->id].name);
	rc = print_path(job, out, call->parent);
	if (rc)
		return rc;
	putc(';', out);
	s = &n->symbols.symbol[call->id];
	rc = print_name(out, s->name);
	if (s->file) {
		putc(' ', out);
		print_line(out, s, false);
	}
	if (call->kernel || s->inlined)
		fputs(call->kernel ? "_[k]" : "_[i]", out);
	return rc;
}

int folded_write(const struct job *job, FILE *out)
{
	const struct calls *c = &job->stacks->calls;
	int rc = calls_checked(job, "folded");
	uint32_t i;

	for (i = 0; i < c->ncall && !rc; i++) {
		if (!c->call[i].self ||
		    percent_of(c->call[i].self, job->stack_total) < job->options->clip)
			continue;
		rc = print_path(job, out, i);
		fprintf(out, " %" PRIu64 "\n", c->call[i].self);
	}
	return rc;
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
