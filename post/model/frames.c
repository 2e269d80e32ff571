/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Applies the end of a run to the thread's call stack when the next run begins. */
#include "model/frames.h"

#include <string.h>

#define MAX_FRAMES   16384 /* per thread; beyond that the outer half is dropped */
#define LONGEST_CALL 15    /* bytes of the instruction */

enum frames_symbol { NOT_LOOKED, FUNCTION, SETJMP, NO_FUNCTION };

void frames_begin(struct frames *f, const struct symbols *symbols, struct calls *calls)
{
	*f = (struct frames){ .symbols = symbols, .calls = calls };
}

void frames_free(struct frames *f)
{
	uint32_t i;

	for (i = 0; i < f->nthread; i++)
		free(f->thread[i].frame);
	free(f->thread);
	free(f->what);
	*f = (struct frames){ 0 };
}

static int get_thread(struct frames *f, uint32_t i, struct frames_thread **th)
{
	if (array_reach(f->thread, f->nthread, i))
		return -ENOMEM;
	*th = &f->thread[i];
	return 0;
}

static enum frames_symbol look(const struct symbol *s)
{
	if (s->result != A2N_OK)
		return NO_FUNCTION;
	return strstr(s->name, "setjmp") ? SETJMP : FUNCTION;
}

/* Assumes a function if there is no memory. */
static enum frames_symbol what_is(struct frames *f, uint32_t symbol)
{
	if (array_reach(f->what, f->nwhat, symbol))
		return FUNCTION;
	if (f->what[symbol] == NOT_LOOKED)
		f->what[symbol] = (uint8_t)look(&f->symbols->symbol[symbol]);
	return f->what[symbol];
}

/* ---- one thread ------------------------------------------------------------------------------ */

static int push(struct frames_thread *th, enum frame_kind kind, uint64_t call, uint32_t symbol)
{
	uint32_t half = MAX_FRAMES / 2;

	if (th->depth == MAX_FRAMES) {
		memmove(th->frame, th->frame + half, (MAX_FRAMES - half) * sizeof(*th->frame));
		th->depth -= half;
		th->below += half;
		th->frame[0].kind = FRAME_BASE;
	}
	if (array_next(th->frame, th->depth, th->room))
		return -ENOMEM;
	th->frame[th->depth++] = (struct frame){
		.call = call,
		.symbol = symbol,
		.home = symbol,
		.node = NO_KEY,
		.kind = kind,
		.kernel = th->kernel,
	};
	return 0;
}

static int begin_anew(struct frames_thread *th, uint32_t symbol)
{
	th->depth = 0;
	th->below = 0;
	return push(th, FRAME_BASE, 0, symbol);
}

static void be_in(struct frame *top, uint32_t symbol)
{
	if (top->symbol == symbol)
		return;
	top->symbol = symbol;
	top->node = NO_KEY;
}

static bool returns_here(const struct frame *fr, uint64_t to)
{
	return fr->kind == FRAME_CALL && to - fr->call - 1 < LONGEST_CALL;
}

/* Finds the only matching frame below the top, on this side of the user/kernel boundary; NO_KEY:
 * none; *several: more than one. */
static uint32_t find_below(struct frames *f, const struct frames_thread *th, uint32_t symbol,
			   uint64_t to, bool by_return, bool *several)
{
	uint32_t i, found = NO_KEY;

	*several = false;
	if (!by_return && what_is(f, symbol) == NO_FUNCTION)
		return NO_KEY;
	for (i = th->depth; i-- > 0;) {
		const struct frame *fr = &th->frame[i];
		bool is = by_return ? returns_here(fr, to) :
				      fr->symbol == symbol || fr->home == symbol;

		if (is && (by_return || i + 1 < th->depth)) {
			*several = found != NO_KEY;
			if (*several)
				break;
			found = i;
		}
		if (fr->kind == FRAME_KERNEL)
			break;
	}
	return found;
}

/* ---- setjmp ---------------------------------------------------------------------------------- */

static void note_jump(struct frames_thread *th, uint64_t to)
{
	struct frames_jump j = { to, th->below + th->depth };
	uint32_t i;

	for (i = 0; i < FRAMES_JUMPS; i++) {
		if (th->jump[i].to == j.to && th->jump[i].depth == j.depth)
			return;
	}
	th->jump[th->njump++ % FRAMES_JUMPS] = j;
}

/* Finds the only setjmp with this address whose function is still on the stack; NULL: none;
 * *several: more than one. */
static const struct frames_jump *find_jump(const struct frames_thread *th, uint64_t to,
					   bool *several)
{
	const struct frames_jump *found = NULL;
	uint32_t i;

	*several = false;
	for (i = 0; i < FRAMES_JUMPS; i++) {
		const struct frames_jump *j = &th->jump[i];

		if (j->to != to || j->depth <= th->below || j->depth > th->below + th->depth)
			continue;
		*several |= found != NULL;
		found = j;
	}
	return found;
}

/* ---- the start of a run ---------------------------------------------------------------------- */

static int came_by_return(struct frames *f, struct frames_thread *th, struct itrace_run *run,
			  uint32_t symbol, uint64_t offset)
{
	struct frame *top = &th->frame[th->depth - 1];
	uint64_t to = run->start;
	bool several;
	uint32_t i;

	if (returns_here(top, to)) {
		bool set = what_is(f, top->home) == SETJMP;

		if (--th->depth == 0)
			return begin_anew(th, symbol);
		be_in(top - 1, symbol);
		if (__builtin_expect(set, 0))
			note_jump(th, to);
		return 0;
	}
	if (top->kind == FRAME_CALL && !top->call && th->depth > 1) { /* its call was not seen */
		th->depth--;
		be_in(top - 1, symbol);
		return 0;
	}
	if (top->kind != FRAME_CALL) { /* caller unknown; or a signal trampoline */
		be_in(top, symbol);
		top->home = symbol;
		return 0;
	}
	if (!offset) { /* used as a jump to a function: a retpoline */
		if (th->depth > 1 && top[-1].symbol == top->symbol)
			th->depth--;
		be_in(&th->frame[th->depth - 1], symbol);
		return 0;
	}
	run->doubt = run->doubt < ITRACE_UNWOUND ? ITRACE_UNWOUND : run->doubt;
	i = find_below(f, th, symbol, to, true, &several);
	if (i != NO_KEY && !several && i) {
		th->depth = i;
		be_in(&th->frame[i - 1], symbol);
		return 0;
	}
	i = find_below(f, th, symbol, to, false, &several);
	if (i == NO_KEY || several)
		return begin_anew(th, symbol);
	th->depth = i + 1;
	be_in(&th->frame[i], symbol);
	return 0;
}

/* Returns whether this is a jump from another module into the middle of a function: only unwinders
 * do that. */
static bool comes_from_afar(struct frames *f, uint32_t from, uint32_t symbol)
{
	return what_is(f, symbol) != NO_FUNCTION &&
	       f->symbols->symbol[from].module != f->symbols->symbol[symbol].module;
}

static int came_by_jump(struct frames *f, struct frames_thread *th, struct itrace_run *run,
			uint32_t symbol, uint64_t offset)
{
	struct frame *top = &th->frame[th->depth - 1];
	const struct frames_jump *jump;
	bool several;
	uint32_t i;

	if (top->symbol == symbol)
		return 0;
	/* A return through another register than usual: s390x functions that use %r14 otherwise
	 * return with br %r4. */
	if (th->depth > 1 && top[-1].symbol == symbol && top->kind == FRAME_CALL &&
	    (!top->call || returns_here(top, run->start)))
		return came_by_return(f, th, run, symbol, offset);
	jump = th->njump ? find_jump(th, run->start, &several) : NULL;
	if (jump) {
		run->doubt = run->doubt < ITRACE_LONGJMP ? ITRACE_LONGJMP : run->doubt;
		if (several)
			return begin_anew(th, symbol);
		th->depth = jump->depth - th->below;
		be_in(&th->frame[th->depth - 1], symbol);
		return 0;
	}
	if (offset && top->home != symbol) {
		i = find_below(f, th, symbol, 0, false, &several);
		if (i != NO_KEY || comes_from_afar(f, top->symbol, symbol)) {
			run->doubt = run->doubt < ITRACE_UNWOUND ? ITRACE_UNWOUND : run->doubt;
			if (several || i == NO_KEY)
				return begin_anew(th, symbol);
			th->depth = i + 1;
			top = &th->frame[i];
		}
	}
	be_in(top, symbol);
	return 0;
}

/* Returns to the function that the last frame of this kind interrupted. */
static int leave(struct frames_thread *th, enum frame_kind kind, uint32_t symbol)
{
	uint32_t i = th->depth;

	while (i && th->frame[i - 1].kind != kind)
		i--;
	if (i < 2)
		return begin_anew(th, symbol);
	th->depth = i - 1;
	be_in(&th->frame[i - 2], symbol);
	return 0;
}

/* Returns from the kernel to user code: after the system call instruction, or at it to restart the
 * call. Any other address is the start or the end of a signal handler. */
static int came_back_to_user(struct frames_thread *th, struct itrace_run *run, uint32_t symbol,
			     uint64_t offset)
{
	uint32_t i = th->depth;
	uint64_t call;
	int rc;

	while (i && th->frame[i - 1].kind != FRAME_KERNEL)
		i--;
	call = i ? th->frame[i - 1].call : 0;
	if (!call || !run->known || run->start - call <= LONGEST_CALL)
		return leave(th, FRAME_KERNEL, symbol);
	run->doubt = run->doubt < ITRACE_SIGNAL ? ITRACE_SIGNAL : run->doubt;
	rc = leave(th, FRAME_KERNEL, th->depth > 1 && i > 1 ? th->frame[i - 2].symbol : symbol);
	if (rc)
		return rc;
	return offset ? leave(th, FRAME_SIGNAL, symbol) : push(th, FRAME_SIGNAL, 0, symbol);
}

static int came_by_break(struct frames *f, struct frames_thread *th, struct itrace_run *run,
			 uint32_t symbol, uint64_t offset)
{
	switch (th->cause) {
	case PITRACE_BREAK_SIGNAL:
		return push(th, FRAME_SIGNAL, 0, symbol);
	case PITRACE_BREAK_SIGRETURN:
		return leave(th, FRAME_SIGNAL, symbol);
	case PITRACE_BREAK_EXEC:
		return begin_anew(th, symbol);
	case PITRACE_BREAK_OWN: /* at a function's first instruction, or called */
		if (th->frame[th->depth - 1].symbol == symbol)
			return 0;
		return came_by_return(f, th, run, symbol, offset);
	case PITRACE_BREAK_SWITCH: /* the scheduler's call was not recorded */
		th->depth -= th->depth > 1;
		return push(th, FRAME_CALL, 0, symbol);
	default:
		return came_by_jump(f, th, run, symbol, offset);
	}
}

static int come(struct frames *f, struct frames_thread *th, struct itrace_run *run, uint32_t symbol,
		uint64_t offset)
{
	if (!th->depth || run->doubt >= ITRACE_EXEC) {
		/* If the kernel entry was not recorded, the user functions stay known. */
		if (th->depth && run->doubt == ITRACE_ENTRY && run->kernel &&
		    th->what != ITRACE_STOP)
			return push(th, FRAME_KERNEL, th->crosses ? th->from : 0, symbol);
		return begin_anew(th, symbol);
	}
	if (th->what == ITRACE_BREAK)
		return came_by_break(f, th, run, symbol, offset);
	if (th->crosses)
		return run->kernel ? push(th, FRAME_KERNEL, th->from, symbol) :
				     came_back_to_user(th, run, symbol, offset);
	switch (th->type) {
	case PITRACE_BRANCH_CALL:
		return push(th, FRAME_CALL, th->from, symbol);
	case PITRACE_BRANCH_RETURN:
		return came_by_return(f, th, run, symbol, offset);
	default:
		return came_by_jump(f, th, run, symbol, offset);
	}
}

/* ---- the tree -------------------------------------------------------------------------------- */

/* Counts the run at the node of the top frame; creates missing nodes of the frames below. */
static int count(struct frames *f, struct frames_thread *th, const struct itrace_run *run)
{
	uint32_t i = th->depth, node;

	while (i && th->frame[i - 1].node == NO_KEY)
		i--;
	node = i ? th->frame[i - 1].node : calls_get(f->calls, NO_KEY, th->process, false);
	for (; i < th->depth && node != NO_KEY; i++) {
		if (f->calls->call[node].depth < CALLS_DEEPEST)
			node = calls_get(f->calls, node, th->frame[i].symbol, th->frame[i].kernel);
		th->frame[i].node = node;
	}
	if (node == NO_KEY)
		return -ENOMEM;
	if (th->below + th->depth > CALLS_DEEPEST)
		f->too_deep += run->count;
	f->calls->call[node].self += run->count;
	return 0;
}

int frames_run(struct frames *f, struct itrace_run *run, uint32_t symbol, uint64_t offset,
	       uint32_t process)
{
	struct frames_thread *th;
	uint32_t depth, was;
	int rc = get_thread(f, run->thread, &th);

	if (rc)
		return rc;
	if (th->process != process) { /* another name: another root */
		th->process = process;
		for (depth = 0; depth < th->depth; depth++)
			th->frame[depth].node = NO_KEY;
	}
	depth = th->depth + th->below;
	was = th->depth ? th->frame[th->depth - 1].symbol : NO_KEY;
	th->kernel = run->kernel;
	if (__builtin_expect(th->type == PITRACE_BRANCH_JUMP && was == symbol && !run->doubt &&
				     !th->crosses,
			     1)) {
		f->entered = false;
		goto counted;
	}
	rc = come(f, th, run, symbol, offset);
	if (rc)
		return rc;
	f->entered = depth != th->depth + th->below || was != symbol || run->doubt;
counted:
	th->from = run->end;
	th->what = run->what;
	th->type = run->type;
	th->cause = run->cause;
	th->crosses = run->crosses;
	return f->calls ? count(f, th, run) : 0;
}
