/* SPDX-License-Identifier: GPL-3.0-or-later */
/* -calltree: from each process down, who called whom, with own ticks and all below. */
#include "report/calls_report.h"

#include <inttypes.h>
#include <string.h>

#include "escape.h"

/* The node that is printed after i: its first child unless it is left out, else the next sibling of
 * it or of the nearest ancestor that has one. */
static uint32_t next_call(const struct calls *c, uint32_t i, bool down)
{
	if (down && c->call[i].first != NO_KEY)
		return c->call[i].first;
	while (i != NO_KEY && c->call[i].next == NO_KEY)
		i = c->call[i].parent;
	return i == NO_KEY ? i : c->call[i].next;
}

static bool is_shown(const struct job *job, const struct call *call)
{
	return percent_of(call->total, job->stack_total) >= job->options->clip;
}

/* Whether records tell how often something was called. */
static bool has_times(const struct job *job)
{
	return job->options->instructions && job->input->calls;
}

static const char *text_head(const struct job *job)
{
	return has_times(job) ?
		       "\n       TOTAL    %%%        SELF    %%%       CALLS  PROCESS, CALLS\n" :
		       "\n       TOTAL    %%%        SELF    %%%  PROCESS, CALLS\n";
}

#define INDENTED 100 /* calls below each other; the rest has its depth before its name */

static void text_call(const struct job *job, void *arg, uint32_t i)
{
	const struct call *call = &job->stacks->calls.call[i];
	FILE *out = arg;
	uint64_t all = job->stack_total;

	fprintf(out, "%12" PRIu64 " %6.2f %11" PRIu64 " %6.2f  ", call->total,
		percent_of(call->total, all), call->self, percent_of(call->self, all));
	if (has_times(job))
		fprintf(out, "%10" PRIu64 "  ", call->times);
	fprintf(out, "%*s", 2 * (call->depth < INDENTED ? call->depth : INDENTED), "");
	if (call->depth > INDENTED)
		fprintf(out, "[%u] ", call->depth);
	if (call->parent == NO_KEY)
		print_root(job, out, call->id);
	else
		print_symbol(job, out, call->id);
	putc('\n', out);
}

static void csv_call(const struct job *job, void *arg, uint32_t i)
{
	FILE *out = arg;
	const struct names *n = &job->model->names;
	const struct call *call = &job->stacks->calls.call[i];
	bool root = call->parent == NO_KEY;

	fprintf(out, "%u,", i);
	if (!root)
		fprintf(out, "%u", call->parent);
	fprintf(out, ",%u,", call->depth);
	if (root && !job->options->names.by_process_name)
		fprintf(out, "%" PRId64, id_shown(n->process[call->id].pid));
	putc(',', out);
	if (root) {
		escape_csv(out, n->process[call->id].name);
		fputs(",,", out);
		csv_source(out, job, NULL);
	} else {
		csv_frame(job, out, call->id, call->kernel);
	}
	fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%.4f\n", call->self, call->total,
		percent_of(call->total, job->stack_total));
}

static void json_call(const struct job *job, void *arg, uint32_t i)
{
	struct json *j = arg;
	const struct names *n = &job->model->names;
	const struct call *call = &job->stacks->calls.call[i];
	bool root = call->parent == NO_KEY;

	json_object(j, NULL);
	json_uint(j, "id", i);
	if (!root)
		json_uint(j, "parent", call->parent);
	json_uint(j, "depth", call->depth);
	if (root && !job->options->names.by_process_name)
		json_int(j, "pid", id_shown(n->process[call->id].pid));
	if (root)
		json_string(j, "name", n->process[call->id].name);
	else
		json_frame(job, j, call->id, call->kernel);
	json_uint(j, "self", call->self);
	json_uint(j, "total", call->total);
	if (has_times(job) && !root)
		json_uint(j, "calls", call->times);
	json_fixed(j, "percent", percent_of(call->total, job->stack_total), 4);
	json_end(j, '}');
}

/* Call `each` for every call that is shown, in their order. */
static int for_each(const struct job *job, void *arg,
		    void (*each)(const struct job *job, void *arg, uint32_t i))
{
	const struct calls *c = &job->stacks->calls;
	int rc = calls_checked(job, "calltree");
	uint32_t i;
	bool shown;

	for (i = rc ? NO_KEY : c->first; i != NO_KEY; i = next_call(c, i, shown)) {
		shown = is_shown(job, &c->call[i]);
		if (shown)
			each(job, arg, i);
	}
	return rc;
}

static int calltree_write(const struct job *job, FILE *out)
{
	print_stack_books(job, out, "Call tree");
	fputs(text_head(job), out);
	return for_each(job, out, text_call);
}

#define SCREEN_LINES 20
#define SCREEN_LEAST 1.0 /* percent: less is not for a first look */

struct tree_screen {
	FILE *out;
	uint32_t shown, more;
};

static void screen_call(const struct job *job, void *arg, uint32_t i)
{
	struct tree_screen *s = arg;

	if (percent_of(job->stacks->calls.call[i].total, job->stack_total) < SCREEN_LEAST)
		return;
	if (s->shown < SCREEN_LINES) {
		text_call(job, s->out, i);
		s->shown++;
	} else {
		s->more++;
	}
}

static int calltree_screen(const struct job *job, FILE *out)
{
	struct tree_screen s = { .out = out };
	int rc;

	fputs(text_head(job), out);
	rc = for_each(job, &s, screen_call);
	if (s.more)
		fprintf(out, "... and %u more calls of at least %.0f %%\n", s.more, SCREEN_LEAST);
	putc('\n', out);
	return rc;
}

static int calltree_json(const struct job *job, struct json *j)
{
	int rc;

	json_stack_books(job, j);
	json_array(j, "calls");
	rc = for_each(job, j, json_call);
	json_end(j, ']');
	return rc;
}

static int calltree_csv(const struct job *job, FILE *out)
{
	fprintf(out, "id,parent,depth,pid,name,module,kernel%s,self,total,percent\n",
		csv_source_names(job));
	return for_each(job, out, csv_call);
}

const struct report report_calltree = {
	.name = "calltree",
	.usage =
		"  -tree             their number by who called whom (calltree.out); with -callers,\n"
		"                    -callees or -folded: these, of instructions\n"
		"  -calltree         who called whom, to calltree.out\n",
	.kinds = REPORT_OF_SAMPLES | REPORT_OF_STACKS,
	.path = "calltree.out",
	.mode = 0666,
	.needs = NEED_SAMPLES | NEED_STACKS,
	.write = calltree_write,
	.screen = calltree_screen,
	.json = calltree_json,
	.csv = calltree_csv,
};
