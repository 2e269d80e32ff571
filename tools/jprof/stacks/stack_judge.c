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
	_Atomic uint64_t inner_part, innermost; /* of the different ones */
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
 * frames in the heap. Returns the walk's n-th method without these. */
static uint64_t method_at(const struct walk_methods *m, unsigned int n)
{
	return m->method[n < m->heap_begin ? n : n + m->heap_end - m->heap_begin];
}

static bool are_same(const struct call_trace *t, unsigned int theirs, const struct walk_methods *m,
		     unsigned int ours, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (!is_method(&t->frame[theirs + i], method_at(m, ours + i)))
			return false;
	return true;
}

/*
 * Two differences are the VM's function's own, and may come together:
 * - It ends where the VM finds a frame unsafe to leave: at stubs of C1 and at a return address that
 *   was replaced for deoptimization. It then has only the inner part of the stack.
 * - If compiled code has called the VM, it looks up the instruction after the call, which may
 *   belong to other inlined methods. Then the innermost frame's methods differ.
 */
static void compare(const struct call_trace *t, const struct walk_methods *m)
{
	unsigned int theirs = (unsigned int)t->n, ours = m->n - (m->heap_end - m->heap_begin);
	unsigned int first = m->first < ours ? m->first : ours, outer = ours - first;

	if (theirs == ours && are_same(t, 0, m, 0, ours)) {
		judge.same++;
		return;
	}
	judge.different++;
	if (theirs < ours && are_same(t, 0, m, 0, theirs)) {
		judge.inner_part++;
		return;
	}
	for (unsigned int n = theirs - 1; n; n--) {
		if (n > outer || !are_same(t, theirs - n, m, first, n))
			continue;
		if (n == outer)
			judge.innermost++;
		else
			judge.inner_part++;
		return;
	}
}

void stack_judge(void *env, void *context, const struct walked *w)
{
	struct call_trace t = { env, 0, judge.frame };

	if (!w->judged)
		return;
	judge.ended[w->end]++;
	judge.ask(&t, WALK_FRAMES, context);
	if (t.n > 0 && w->end == WALK_WHOLE) {
		compare(&t, w->judged);
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
	if (judge.different)
		fprintf(stderr,
			"%s: SCSCHECK: of the different ones %" PRIu64
			" are only the inner part there, %" PRIu64
			" differ only in the innermost frame\n",
			agent_kind.name, judge.inner_part, judge.innermost);
	for (unsigned int i = 1; i < WALK_ENDS; i++)
		if (judge.ended[i])
			fprintf(stderr, "%s: SCSCHECK: %" PRIu64 " %s\n", agent_kind.name,
				judge.ended[i], walk_end_names[i]);
}
