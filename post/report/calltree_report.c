/* SPDX-License-Identifier: GPL-3.0-or-later */
/* -calltree: the calls of each process as a tree, with own ticks and totals. */
#include "report/calls_report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "escape.h"
#include "report/times_report.h"

static bool is_shown(const struct job *job, const struct call *call)
{
	return percent_of(call->total, job->stack_total) >= job->options->clip;
}

/* Returns whether records have the number of calls. */
static bool has_times(const struct job *job)
{
	return job->options->instructions && job->input->calls;
}

#define INDENTED 100 /* maximum calls to indent; deeper ones show their depth before the name */

static void place(const struct cell *x, void (*root)(const struct job *job, FILE *out, uint32_t id))
{
	const struct call *call = x->value;

	fprintf(x->out, "%*s", 2 * (call->depth < INDENTED ? call->depth : INDENTED), "");
	if (call->depth > INDENTED)
		fprintf(x->out, "[%u] ", call->depth);
	if (call->parent == NO_KEY)
		root(x->job, x->out, call->id);
	else
		print_symbol(x->job, x->out, call->id);
}

/* As in tprof.out, pids are hexadecimal. */
static void file_root(const struct job *job, FILE *out, uint32_t process)
{
	const struct trace_process *p = &job->model->names.process[process];

	escape_print(out, p->name);
	if (!job->options->names.by_process_name)
		print_id(out, "_", p->pid);
	print_cgroup(out, job, process);
}

static void file_place(const struct cell *x)
{
	place(x, file_root);
}

static void screen_root(const struct job *job, FILE *out, uint32_t process)
{
	print_process(out, job, process);
}

static void screen_place(const struct cell *x)
{
	place(x, screen_root);
}

/* The function of a call; the root, a process, only has a name. */
static void node_json(const struct cell *x)
{
	const struct call *call = x->value;
	const struct code_frame frame = { call->id, call->kernel };

	if (call->parent == NO_KEY) {
		json_string(x->json, "name", x->job->model->names.process[call->id].name);
		json_cgroup(x->json, x->job, "", call->id);
	} else {
		frame_json(&(struct cell){ .json = x->json, .job = x->job, .value = &frame });
	}
}

static void node_csv(const struct cell *x)
{
	const struct call *call = x->value;
	const struct code_frame frame = { call->id, call->kernel };

	if (call->parent == NO_KEY) {
		escape_csv(x->out, x->job->model->names.process[call->id].name);
		fputs(",,", x->out);
		csv_source(x->out, x->job, NULL);
	} else {
		frame_csv(&(struct cell){ .out = x->out, .job = x->job, .value = &frame });
	}
	csv_cgroup(x, call->parent == NO_KEY ? call->id : NO_KEY);
}

static void node_names(const struct cell *x)
{
	frame_names(x);
	csv_cgroup_names(x);
}

static const struct column_sort sort_file_place = { .text = file_place };
static const struct column_sort sort_screen_place = { .text = screen_place };
static const struct column_sort sort_node = {
	.json = node_json,
	.names = node_names,
	.csv = node_csv,
};

enum { WITH_TIMES = 1, IN_FILE = 2, ON_SCREEN = 4 }; /* parts */
#define PLACES .title = "PROCESS, CALLS", .before = "  ", .of = true

struct call_line {
	const struct call *of;
	uint32_t id;
	int64_t pid;
	bool is_call, has_pid;
	double total, self; /* percent */
};

#define AT(member)   COLUMN_AT(struct call_line, member)
#define OF(member)   COLUMN_OF(struct call, member)
#define WHEN(member) COLUMN_WHEN(struct call_line, member)
static const struct column columns[] = {
	{ "id", AT(id) },
	{ "parent", WHEN(is_call), OF(parent) },
	{ "depth", OF(depth) },
	{ "pid", WHEN(has_pid), AT(pid) },
	{ "", .of = true, .sort = &sort_node },
	{ .title = "TOTAL", WIDE(12), OF(total) },
	{ .title = "%%%", .before = " ", PERCENT(6, 2), AT(total) },
	{ "self", "SELF", " ", 11, OF(self) },
	{ .title = "%%%", .before = " ", PERCENT(6, 2), AT(self) },
	{ "total", OF(total) },
	{ "calls", .forms = IN_JSON, .parts = WITH_TIMES, WHEN(is_call), OF(times) },
	{ .title = "CALLS", .before = "  ", WIDE(10), .parts = WITH_TIMES, OF(times) },
	{ "percent", PERCENT(0, 4), AT(total) },
	{ PLACES, .parts = IN_FILE, .sort = &sort_file_place },
	{ PLACES, .parts = ON_SCREEN, .sort = &sort_screen_place },
	COLUMNS_END,
};
#undef AT
#undef OF
#undef PLACES

static void write_call(struct table *t, uint32_t i)
{
	const struct job *job = t->job;
	const struct call *call = &job->stacks->calls.call[i];
	struct call_line l = {
		.of = call,
		.id = i,
		.is_call = call->parent != NO_KEY,
		.total = percent_of(call->total, job->stack_total),
		.self = percent_of(call->self, job->stack_total),
	};

	if (!l.is_call && !job->options->names.by_process_name) {
		l.has_pid = true;
		l.pid = id_shown(job->model->names.process[call->id].pid);
	}
	table_row(t, &l);
}

#define SCREEN_LINES 20
#define SCREEN_LEAST 1.0 /* percent: smaller calls are not shown on the screen */

/* Prints the calls of at least `least` percent, in tree order, at most `most`. *more: the number of
 * further ones. */
static int write_calls(struct table *t, double least, uint32_t most, uint32_t *more)
{
	const struct calls *c = &t->job->stacks->calls;
	uint32_t i, shown_so_far = 0;
	int rc = calls_checked(t->job, "calltree");
	bool shown;

	*more = 0;
	if (has_times(t->job))
		t->part |= WITH_TIMES;
	table_begin(t, columns, "calls");
	for (i = rc ? NO_KEY : c->first; i != NO_KEY; i = calls_after(c, i, shown)) {
		shown = is_shown(t->job, &c->call[i]);
		if (!shown || percent_of(c->call[i].total, t->job->stack_total) < least)
			continue;
		if (shown_so_far++ < most)
			write_call(t, i);
		else
			++*more;
	}
	table_end(t);
	return rc;
}

/* ---- cgroups --------------------------------------------------------------------------------- */

struct cgroup_line {
	const char *name, *path;
	uint64_t total;
	double percent;
};

#define AT(member) COLUMN_AT(struct cgroup_line, member)
static const struct column cgroup_columns[] = {
	{ "total", "TOTAL", WIDE(12), AT(total) },
	{ "percent", "%%%", " ", PERCENT(6, 2), AT(percent) },
	{ "cgroup", "CGROUP", "  ", AT(name) },
	{ "cgroup_path", AT(path) },
	COLUMNS_END,
};
#undef AT

static uint64_t total_at(const void *rows, uint32_t i)
{
	return ((const uint64_t *)rows)[i];
}

/* Adds up the roots of each cgroup. */
static int write_cgroups(struct table *t)
{
	const struct cgroups *g = &t->job->model->names.cgroups;
	const struct calls *c = &t->job->stacks->calls;
	uint64_t *total = calloc(g->count, sizeof(*total));
	uint32_t *order = NULL, count, i;
	int rc = -ENOMEM;

	for (i = total ? c->first : NO_KEY; i != NO_KEY; i = c->call[i].next)
		total[t->job->model->names.process[c->call[i].id].cgroup] += c->call[i].total;
	if (total)
		rc = order_by(&order, &count, g->count, total_at, total);
	if (!rc) {
		table_begin(t, cgroup_columns, "cgroups");
		for (i = 0; i < count; i++)
			table_row(t, &(struct cgroup_line){
					     .name = g->list[order[i]].name,
					     .path = g->list[order[i]].path,
					     .total = total[order[i]],
					     .percent = percent_of(total[order[i]],
								   t->job->stack_total),
				     });
		table_end(t);
	}
	free(order);
	free(total);
	return rc;
}

static int cgroups_text(const struct job *job, FILE *out)
{
	struct table t = table_text(job, out);
	int rc = job->options->by_cgroup ? write_cgroups(&t) : 0;

	if (job->options->by_cgroup)
		putc('\n', out);
	return rc;
}

/* ---- the report ------------------------------------------------------------------------------ */

static int calltree_write(const struct job *job, FILE *out)
{
	struct table t = table_text(job, out);
	uint32_t more;
	int rc;

	t.part = IN_FILE;
	print_stack_books(job, out, "Call tree");
	putc('\n', out);
	rc = cgroups_text(job, out);
	return rc ? rc : write_calls(&t, 0, UINT32_MAX, &more);
}

static int calltree_screen(const struct job *job, FILE *out)
{
	struct table t = table_text(job, out);
	uint32_t more = 0;
	int rc;

	t.part = ON_SCREEN;
	print_no_stacks(job, out);
	print_cut_stacks(job, out);
	putc('\n', out);
	rc = cgroups_text(job, out);
	if (!rc)
		rc = write_calls(&t, SCREEN_LEAST, SCREEN_LINES, &more);
	if (more)
		fprintf(out, "... and %u more calls of at least %.0f %%\n", more, SCREEN_LEAST);
	putc('\n', out);
	return rc;
}

static int calltree_rows(struct table *t)
{
	uint32_t more;
	int rc = 0;

	if (t->form == IN_JSON)
		json_stack_books(t->job, t->json);
	if (t->form == IN_JSON && t->job->options->by_cgroup)
		rc = write_cgroups(t);
	return rc ? rc : write_calls(t, 0, UINT32_MAX, &more);
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
	.rows = calltree_rows,
};
