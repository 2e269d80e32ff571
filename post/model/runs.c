/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each record's target is resolved immediately, for the run that starts there. */
#include "model/runs.h"

#include <stdio.h>
#include <string.h>

#include "record/record_as.h"

#define LONGEST_ENTRY 16 /* maximum bytes between a function's two entry points */

void runs_begin(struct runs *rs, struct names *n, struct trace *t, const struct pifile_header *h,
		struct switches *switches, struct calls *calls)
{
	char machine[sizeof(h->machine) + 1];

	snprintf(machine, sizeof(machine), "%.*s", (int)sizeof(h->machine), h->machine);
	*rs = (struct runs){ .names = n, .trace = t, .switches = switches, .calls = calls };
	switches_rewind(switches);
	itrace_begin(&rs->itrace, machine);
	frames_begin(&rs->frames, &n->symbols, calls);
}

void runs_free(struct runs *rs)
{
	itrace_free(&rs->itrace);
	frames_free(&rs->frames);
	free(rs->next);
	callflow_free(&rs->flow);
	free(rs->called);
	free(rs->function);
	keys_free(&rs->by_function);
	*rs = (struct runs){ 0 };
}

static int get_next(struct runs *rs, uint32_t thread, struct runs_next **next)
{
	if (array_reach(rs->next, rs->nnext, thread))
		return -ENOMEM;
	*next = &rs->next[thread];
	return 0;
}

static int name(struct runs *rs, uint32_t pid, uint32_t tid, uint64_t address, uint64_t time,
		bool kernel, struct sample_place *place)
{
	struct pitrace_sample s = { .pid = pid, .tid = tid, .address = address };

	return names_sample(rs->names, &s, time, kernel, place);
}

static int name_next(struct runs *rs, uint32_t pid, uint32_t tid, uint64_t time,
		     struct runs_next *next)
{
	struct sample_place had = next->place;
	int rc;

	next->time = time;
	if (__builtin_expect(next->named && next->pid == pid &&
				     next->version == names_version(rs->names, had.owner),
			     1))
		return names_same_thread(rs->names, &had, next->address, time, next->kernel,
					 &next->place);
	rc = name(rs, pid, tid, next->address, time, next->kernel, &next->place);
	next->named = !rc;
	next->pid = pid;
	next->version = rc ? 0 : names_version(rs->names, next->place.owner);
	return rc;
}

static int name_now(struct runs *rs, const struct pirecord *r, struct run *run)
{
	const struct itrace_run *i = &run->r;
	int rc = name(rs, i->pid, i->tid, itrace_place(i), r->time, i->kernel, &run->place);

	run->since = r->time;
	run->version = rc ? 0 : names_version(rs->names, run->place.owner);
	return rc;
}

/* Resolves the address at which a thread's trace starts, as of this time. */
static int name_start(struct runs *rs, const struct pirecord *r)
{
	const struct itrace_thread *th = &rs->itrace.thread[rs->itrace.last];
	struct runs_next *next;
	int rc = get_next(rs, rs->itrace.last, &next);

	if (rc)
		return rc;
	next->is = th->known;
	next->address = th->next;
	next->kernel = th->next >> 63;
	return th->known ? name_next(rs, th->pid, th->tid, r->time, next) : 0;
}

/* ---- entries and exits ----------------------------------------------------------------------- */

struct runs_thread {
	uint32_t thread; /* index in names */
	uint32_t root;   /* in the tree of calls, if there is one */
};

struct runs_function {
	uint32_t number, symbol;
	uint64_t address;
};

static int get_function(struct runs *rs, const struct call_record *call, uint64_t time,
			uint32_t *index)
{
	struct runs_function new = { .number = call->function, .address = call->address };
	uint64_t hash = hash_mix(new.number, new.address);
	int rc;

	*index = keys_find(&rs->by_function, hash, rs->function, e,
			   e->number == new.number && e->address == new.address);
	if (*index != NO_KEY)
		return 0;
	rc = new.address ?
		     names_address(rs->names, call->pid, new.address, time, false, &new.symbol) :
		     names_number(rs->names, new.number, &new.symbol);
	if (!rc &&
	    keys_next(&rs->by_function, hash, rs->function, rs->nfunction, rs->room_function))
		rc = -ENOMEM;
	if (rc)
		return rc;
	*index = rs->nfunction;
	rs->function[rs->nfunction++] = new;
	return 0;
}

static int get_called(struct runs *rs, const struct pirecord *r, const struct callflow_step *step)
{
	struct runs_thread new = { .root = NO_KEY };
	const struct callflow_thread *th = step->thread;
	int rc;

	/* New threads come in index order. */
	if (step->index < rs->ncalled)
		return 0;
	rc = names_thread(rs->names, th->pid, th->tid, r->time, &new.thread);
	if (!rc && rs->calls) {
		new.root = calls_get(rs->calls, NO_KEY, rs->names->thread[new.thread].process,
				     false);
		rc = new.root == NO_KEY ? -ENOMEM : 0;
	}
	if (!rc)
		rc = array_next(rs->called, rs->ncalled, rs->room_called);
	if (!rc)
		rs->called[rs->ncalled++] = new;
	return rc;
}

/* The value used since the previous record, as a log-gen has it. */
static uint64_t value_of(const struct pirecord *r, const struct call_record *call)
{
	uint64_t value = 0;

	if (call->arguments && r->size >= sizeof(*call) + sizeof(value))
		memcpy(&value, call + 1, sizeof(value));
	return value;
}

/* Finds the tree's node of the call that was just entered. */
static int enter(struct runs *rs, const struct callflow_step *step, uint32_t symbol)
{
	const struct callflow_thread *th = step->thread;
	struct callflow_frame *frame = &th->frame[th->depth - 1];
	uint32_t parent = th->depth > 1 ? frame[-1].call : rs->called[step->index].root;

	frame->call = NO_KEY;
	if (!rs->calls)
		return 0;
	if (th->depth > CALLS_DEEPEST)
		frame->call = parent;
	else
		frame->call = calls_get(rs->calls, parent, symbol, false);
	if (frame->call == NO_KEY)
		return -ENOMEM;
	rs->calls->call[frame->call].times += frame->call != parent;
	return 0;
}

static void fill_call(struct runs *rs, const struct callflow_step *step,
		      const struct callflow_frame *was, struct run *run)
{
	const struct runs_function *fn = &rs->function[was->node];

	*run = (struct run){
		.r = {
			.thread = step->index, .pid = step->thread->pid, .tid = step->thread->tid,
			.cpu = step->cpu, .time = step->since, .count = step->ns,
			.start = fn->address, .known = true, .what = ITRACE_BRANCH,
			.type = PITRACE_BRANCH_CALL,
		},
		.place = {
			.thread = rs->called[step->index].thread, .symbol = fn->symbol,
		},
		.entered = true, .depth = step->depth, .since = step->since,
	};
}

static int call_record(struct runs *rs, const struct pirecord *r, struct run *run)
{
	const struct call_record *call = RECORD_AS(r, struct call_record);
	struct callflow_step step;
	struct callflow_frame was = { 0 };
	uint32_t function;
	int rc;

	if (!call)
		return 0;
	rc = callflow_record(&rs->flow, r, &step);
	if (!rc)
		rc = get_called(rs, r, &step);
	if (rc)
		return rc;
	if (rs->values)
		step.ns = value_of(r, call);
	if (step.ran) {
		was = step.thread->frame[step.depth - 1];
		rs->itrace.runs++;
		rs->itrace.instructions += step.ns;
		if (rs->calls) {
			rs->calls->call[was.call].self += step.ns;
			if (step.depth > CALLS_DEEPEST)
				rs->frames.too_deep += step.ns;
		}
		fill_call(rs, &step, &was, run);
	}
	if (step.entered) {
		rc = get_function(rs, call, r->time, &function);
		if (rc)
			return rc;
		step.thread->frame[step.thread->depth - 1].node = function;
		rc = enter(rs, &step, rs->function[function].symbol);
	}
	return rc ? rc : step.ran;
}

/* ---- runs of the library --------------------------------------------------------------------- */

static int symbol_at(struct runs *rs, const struct itrace_run *i, uint64_t address, uint64_t time,
		     const struct symbol **s)
{
	struct sample_place place;
	int rc = name(rs, i->pid, i->tid, address, time, i->kernel, &place);

	*s = rc ? NULL : &rs->names->symbols.symbol[place.symbol];
	return rc;
}

/* Sets *leads: the branch goes to the function or its stub (NAME@plt). A call from the right place
 * may also go to a stub without a name. */
static int leads_to(struct runs *rs, const struct itrace_run *i, uint64_t time, uint64_t function,
		    bool *leads)
{
	const struct symbol *s, *wanted;
	size_t length;
	int rc;

	*leads = i->to - function < LONGEST_ENTRY;
	if (*leads)
		return 0;
	rc = symbol_at(rs, i, i->to, time, &s);
	if (rc)
		return rc;
	if (s->result != A2N_OK) {
		*leads = i->type == PITRACE_BRANCH_CALL;
		return 0;
	}
	rc = symbol_at(rs, i, function, time, &wanted);
	if (rc)
		return rc;
	length = strlen(wanted->name);
	*leads = strstr(s->name, "plt") &&
		 (wanted->result != A2N_OK || !strncmp(s->name, wanted->name, length));
	return 0;
}

/* Returns 1 if the run belongs to the library and is not counted, 0 if to the program, or
 * -ENOMEM. */
static int leave_out(struct runs *rs, const struct pirecord *r, struct itrace_run *i)
{
	enum switches_run how;
	uint64_t function;
	bool leads;
	int rc;

	how = switches_run(rs->switches, i, &function);
	if (how == SWITCHES_OWN) {
		rs->itrace.runs--;
		rs->itrace.instructions -= i->count;
		rs->itrace.kernel_instructions -= i->kernel ? i->count : 0;
		return 1;
	}
	if (how == SWITCHES_FIRST && i->doubt < ITRACE_FIRST)
		i->doubt = ITRACE_FIRST;
	if (!function)
		return 0;
	rc = leads_to(rs, i, r->time, function, &leads);
	if (!rc && leads)
		switches_call(rs->switches, i);
	return rc;
}

int runs_record(struct runs *rs, const struct pirecord *r, struct run *run)
{
	const struct pitrace_itrace_mark *mark;
	struct itrace_run *i = &run->r;
	struct runs_next *next;
	int got, rc;

	if (r->major == CALL_RECORD)
		return call_record(rs, r, run);
	got = itrace_record(&rs->itrace, rs->trace, r, i);
	if (got <= 0) {
		mark = RECORD_AS(r, struct pitrace_itrace_mark);
		if (!got && r->major == PITRACE_ITRACE_START && rs->itrace.nthread && mark) {
			switches_start(rs->switches, mark->pid, mark->tid, r->time);
			return name_start(rs, r);
		}
		return got;
	}
	if (__builtin_expect(rs->switches->n != 0, 0)) {
		rc = leave_out(rs, r, i);
		if (rc)
			return rc < 0 ? rc : 0;
	}
	rc = get_next(rs, i->thread, &next);
	if (rc)
		return rc;
	if (__builtin_expect(i->known && next->is && next->address == i->start &&
				     next->kernel == i->kernel,
			     1)) {
		run->place = next->place;
		run->since = next->time;
		run->version = next->version;
	} else {
		rc = name_now(rs, r, run);
	}
	if (rc)
		return rc;
	rc = frames_run(&rs->frames, i, rs->names->symbols.symbol[run->place.symbol].base,
			i->known ? run->place.offset : 1,
			rs->names->thread[run->place.thread].process);
	if (rc)
		return rc;
	rs->itrace.doubts[i->doubt]++;
	run->entered = rs->frames.entered;
	run->depth = frames_depth(&rs->frames, i);
	next->is = i->to;
	next->address = i->to;
	next->kernel = i->kernel ^ i->crosses;
	rc = i->to ? name_next(rs, i->pid, i->tid, r->time, next) : 0;
	return rc ? rc : 1;
}
