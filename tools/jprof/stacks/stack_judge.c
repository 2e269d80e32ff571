/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stack_judge.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>

#include "agent_options.h"
#include "guarded.h"

/* The arguments of the VM's function. No header declares them; profilers that use it do. */
struct judged_frame {
	jint bytecode;
	jmethodID method;
};

struct call_trace {
	void *env;
	jint n;
	struct judged_frame *frame;
};

typedef void get_call_trace(struct call_trace *trace, jint depth, void *context);

static struct {
	get_call_trace *ask;
	atomic_flag busy;
	struct walk_methods methods;
	struct judged_frame frame[WALK_FRAMES];
	_Atomic uint64_t same, different, ours_only, judge_only, neither;
	_Atomic uint64_t ended[WALK_ENDS];
} judge = { .busy = ATOMIC_FLAG_INIT };

const char *stack_judge_begin(jvmtiEnv *vm, const void *inside)
{
	Dl_info info;
	void *handle;

	(void)vm;
	if (!dladdr(inside, &info) || !info.dli_fname)
		return "the Java VM's library is not found";
	handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	judge.ask = handle ? (get_call_trace *)dlsym(handle, "AsyncGetCallTrace") : NULL;
	return judge.ask ? NULL : "this Java VM has no AsyncGetCallTrace";
}

bool stack_judge_wanted(void)
{
	return judge.ask;
}

struct walk_methods *stack_judge_room(void)
{
	if (!judge.ask || atomic_flag_test_and_set(&judge.busy))
		return NULL;
	return &judge.methods;
}

/* A method id points to the method. */
static bool is_method(const struct judged_frame *f, uint64_t method)
{
	uint64_t is;

	return guarded_load((uintptr_t)f->method, &is) && is == method;
}

/* The VM's function continues from a virtual thread's stack directly to its carrier's: it omits the
 * frames in the heap. */
static bool is_same(const struct call_trace *t, const struct walk_methods *m)
{
	const unsigned int heap = m->heap_end - m->heap_begin;
	unsigned int at;

	if ((unsigned int)t->n != m->n - heap)
		return false;
	for (unsigned int i = 0; i < m->n - heap; i++) {
		at = i < m->heap_begin || !heap ? i : i + heap;
		if (!is_method(&t->frame[i], m->method[at]))
			return false;
	}
	return true;
}

void stack_judge(void *env, void *context, const struct walked *w)
{
	struct call_trace t = { env, 0, judge.frame };

	if (!w->judged)
		return;
	judge.ended[w->end]++;
	judge.ask(&t, WALK_FRAMES, context);
	if (t.n > 0 && w->end == WALK_WHOLE) {
		if (is_same(&t, w->judged))
			judge.same++;
		else
			judge.different++;
	} else if (t.n > 0) {
		judge.judge_only++;
	} else if (w->end == WALK_WHOLE && w->has_java) {
		judge.ours_only++;
	} else {
		judge.neither++;
	}
	atomic_flag_clear(&judge.busy);
}

void stack_judge_print(void)
{
	if (!judge.ask)
		return;
	fprintf(stderr,
		"%s: SCSCHECK: beside AsyncGetCallTrace: same %" PRIu64 ", different %" PRIu64
		", walked here only %" PRIu64 ", there only %" PRIu64 ", neither %" PRIu64 "\n",
		agent_kind.name, judge.same, judge.different, judge.ours_only, judge.judge_only,
		judge.neither);
	for (unsigned int i = 1; i < WALK_ENDS; i++)
		if (judge.ended[i])
			fprintf(stderr, "%s: SCSCHECK: %" PRIu64 " %s\n", agent_kind.name,
				judge.ended[i], walk_end_names[i]);
}
