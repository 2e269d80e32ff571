/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stack_walk.h"

#include <string.h>
#include <ucontext.h>

#include "continuation_entry.h"
#include "frozen_frames.h"
#include "guarded.h"
#include "native_frames.h"
#include "scopes.h"
#include "seen_methods.h"

/* x86-64, in words from the interpreter's frame pointer. */
#define INTERPRETER_SENDER   (-1)
#define INTERPRETER_METHOD   (-3)
#define INTERPRETER_BYTECODE (-8)
#define ENTRY_WRAPPER        (-6) /* in the frame of the call stub, which enters Java */

#define STEPS_MOST  4096
#define FRAME_REACH (1u << 20) /* bytes from one frame to the next one */

const char *const walk_end_names[WALK_ENDS] = {
	[WALK_LOST_NATIVE] = "(not walked: native code without unwind tables)",
	[WALK_LOST_CODE] = "(not walked: unknown code of the VM)",
	[WALK_LOST_INTERPRETER] = "(not walked: a frame of the interpreter without a method)",
	[WALK_LOST_FRAME] = "(not walked: invalid frame)",
	[WALK_FROZEN] = "(not walked: the virtual thread's frames in the heap)",
	[WALK_LONG] = "(not walked: the rest of a deeper stack)",
};

struct stack_walking {
	const struct vm_layout *l;
	struct walked *to;
	struct walk_registers r;
	uint64_t bytecode; /* the interpreter's bytecode register at the interrupt */
	uint64_t entered;  /* the interpreter's method register at the interrupt */
	uint64_t thread;   /* the VM's structure, 0: none */
	uint64_t anchor;   /* the VM's record of the last Java frame, 0: none */
	uint64_t base;     /* the stack's highest address, 0: unknown */
	bool frozen;       /* frames in the heap were left out */
	bool named;        /* the virtual thread's name was put */
	bool freezes;      /* frames may be both here and in the heap */
	uint64_t called; /* return address into Java of the VM's or native code, 0: not yet known */
};

/* ---- frames ---------------------------------------------------------------------------------- */

static bool put(struct stack_walking *w, uint64_t address)
{
	if (w->to->n == WALK_FRAMES - 1) {
		w->to->end = WALK_LONG;
		return false;
	}
	w->to->address[w->to->n] = address;
	w->to->n++;
	return true;
}

/* Adds the name of the virtual thread that owns the frames so far. */
static bool put_virtual(struct stack_walking *w)
{
	if (w->named || !w->to->mounted)
		return true;
	w->named = true;
	return put(w, walk_virtual(w->to->mounted) + 1);
}

static bool put_method(struct stack_walking *w, uint64_t method, enum walk_kind kind,
		       uint32_t bytecode)
{
	uint32_t number = seen_methods_find(w->l, method);
	struct walk_methods *j = w->to->judged;
	const struct seen_method *m;

	if (number == SEEN_NONE)
		return false;
	if (j && j->n < WALK_FRAMES) {
		j->method[j->n] = method;
		j->bytecode[j->n++] = bytecode;
	}
	m = seen_methods_get(number);
	if (m && m->enters_virtual && !put_virtual(w))
		return false;
	w->freezes |= m && m->freezes;
	w->to->has_java = true;
	seen_methods_ran(number, w->to->kinds ? kind : 0);
	return put(w, walk_address(number + WALK_SPECIAL, w->to->kinds ? kind : 0, bytecode) +
			      !!w->to->n);
}

static bool word(const struct stack_walking *w, uint64_t at, int64_t words, uint64_t *to)
{
	(void)w;
	return guarded_load(at + (uint64_t)(words * 8), to);
}

static bool ends(struct stack_walking *w, enum walk_end why)
{
	w->to->end = why;
	return false;
}

/* Each step moves up the stack; frames consist of whole words. */
static bool go_to(struct stack_walking *w, uint64_t pc, uint64_t sp, uint64_t fp)
{
	if (sp <= w->r.sp || sp % 8 || sp - w->r.sp > FRAME_REACH || (w->base && sp > w->base))
		return ends(w, WALK_LOST_FRAME);
	w->r = (struct walk_registers){ .pc = pc, .sp = sp, .fp = fp };
	return true;
}

/* ---- the interpreter ------------------------------------------------------------------------- */

/* Returns the bytecode index of an address in the method's code, 0 if it is outside. */
static uint32_t bytecode_of(const struct stack_walking *w, uint64_t method, uint64_t at,
			    bool *is_right)
{
	uint64_t begin;
	uint32_t size;

	*is_right = seen_methods_code(w->l, method, &begin, &size) && at >= begin &&
		    at - begin < size;
	return *is_right ? (uint32_t)(at - begin) : 0;
}

static bool is_above(const struct stack_walking *w, uint64_t fp)
{
	return fp > w->r.sp && fp % 8 == 0 && fp - w->r.sp < FRAME_REACH &&
	       (!w->base || fp < w->base);
}

/* Before the frame is set up, the caller's return address is on top of the stack. */
static bool enter_method(struct stack_walking *w)
{
	uint64_t pc;

	if (!word(w, w->r.sp, 0, &pc))
		return ends(w, WALK_LOST_FRAME);
	if (seen_methods_find(w->l, w->entered) != SEEN_NONE &&
	    !put_method(w, w->entered, WALK_INTERPRETED, 0))
		return false;
	return go_to(w, pc, w->r.sp + 8, w->r.fp);
}

static bool is_native(const struct stack_walking *w, uint64_t method)
{
	const struct seen_method *m = seen_methods_get(seen_methods_find(w->l, method));

	return m && m->is_native;
}

static bool interpreted(struct stack_walking *w)
{
	uint64_t method = 0, at = 0, pc, sp, fp, base = w->r.fp;
	uint32_t bytecode = 0;
	bool is_right = false;

	if (!is_above(w, base) || !word(w, base, INTERPRETER_METHOD, &method) ||
	    seen_methods_find(w->l, method) == SEEN_NONE)
		return w->r.is_exact ? enter_method(w) : ends(w, WALK_LOST_INTERPRETER);
	if (w->r.is_exact)
		bytecode = bytecode_of(w, method, w->bytecode, &is_right);
	if (!is_right && word(w, base, INTERPRETER_BYTECODE, &at))
		bytecode = bytecode_of(w, method, at, &is_right);
	if (!put_method(w, method, is_native(w, method) ? WALK_NATIVE : WALK_INTERPRETED, bytecode))
		return false;
	if (w->to->judged && !w->to->judged->first)
		w->to->judged->first = w->to->judged->n;
	if (!word(w, base, 1, &pc) || !word(w, base, 0, &fp) ||
	    !word(w, base, INTERPRETER_SENDER, &sp))
		return ends(w, WALK_LOST_FRAME);
	return go_to(w, pc, sp, fp);
}

/* ---- compiled code --------------------------------------------------------------------------- */

static bool bytes_are(uint64_t at, const char *bytes, size_t n)
{
	uint8_t is[8];

	return n <= sizeof(is) && guarded_copy(is, at, n) && !memcmp(is, bytes, n);
}

/* FRAME_POINTER: the caller's frame pointer is on top of the stack. */
enum frame_state { FRAME_WHOLE, FRAME_NONE, FRAME_POINTER };

/* Derives the frame's state from the instructions around pc. */
static enum frame_state state_of(const struct stack_walking *w, const struct code_blob *b)
{
	uint64_t pc = w->r.pc;

	if (!w->r.is_exact)
		return FRAME_WHOLE;
	/* ret; pop %rbp; cmp at(%r15),%rsp, the safepoint poll at a return, and its ja */
	if (bytes_are(pc, "\xc3", 1))
		return FRAME_NONE;
	if (bytes_are(pc, "\x5d", 1))
		return FRAME_POINTER;
	if (bytes_are(pc, "\x49\x3b\xa7", 3) || bytes_are(pc, "\x49\x3b\x67", 3) ||
	    (bytes_are(pc, "\x0f\x87", 2) &&
	     (bytes_are(pc - 7, "\x49\x3b\xa7", 3) || bytes_are(pc - 4, "\x49\x3b\x67", 3))))
		return FRAME_NONE;
	if (pc >= b->complete)
		return FRAME_WHOLE;
	/* after push %rbp; after sub $n,%rsp */
	if (bytes_are(pc - 1, "\x55", 1))
		return FRAME_POINTER;
	if (bytes_are(pc - 7, "\x48\x81\xec", 3) || bytes_are(pc - 4, "\x48\x83\xec", 3))
		return FRAME_WHOLE;
	return FRAME_NONE;
}

static bool leave(struct stack_walking *w, uint64_t frame, enum frame_state state)
{
	uint64_t above = w->r.sp, pc, fp = w->r.fp;

	if (state == FRAME_WHOLE)
		above += frame;
	else
		above += state == FRAME_POINTER ? 16 : 8;
	if (above <= w->r.sp || !word(w, above, -1, &pc) ||
	    (state != FRAME_NONE && !word(w, above, -2, &fp)))
		return ends(w, WALK_LOST_FRAME);
	return go_to(w, pc, above, fp);
}

/* When the VM deoptimizes code, it replaces the frame's return address by the deoptimization
 * handler and saves the original in the frame. */
static uint64_t real_pc(const struct stack_walking *w, const struct code_blob *b,
			const struct walk_registers *r)
{
	const struct vm_layout *l = w->l;
	uint64_t handler = 0, pc;
	uint32_t offset;

	if (l->orig_pc == VM_NONE)
		return r->pc;
	if (l->deopt_begin != VM_NONE)
		guarded_load(b->blob + l->deopt_begin, &handler);
	else if (l->deopt_offset != VM_NONE && guarded_load32(b->blob + l->deopt_offset, &offset))
		handler = b->blob + offset;
	if (r->pc != handler || !guarded_load32(b->blob + l->orig_pc, &offset) ||
	    offset >= b->frame || !guarded_load(r->sp + offset, &pc) || pc < b->begin ||
	    pc >= b->end)
		return r->pc;
	return pc;
}

static bool put_scopes(struct stack_walking *w, const struct code_blob *b, uint64_t pc,
		       enum walk_kind kind)
{
	struct scope scope[SCOPES_MOST];
	unsigned int n = scopes_of(w->l, b, pc, scope);

	for (unsigned int i = 0; i < n; i++)
		if (!put_method(w, scope[i].method, i + 1 < n ? WALK_INLINED : kind,
				scope[i].bytecode))
			return w->to->end == WALK_LONG ? false : ends(w, WALK_LOST_CODE);
	return true;
}

static bool put_compiled(struct stack_walking *w, const struct code_blob *b,
			 const struct walk_registers *r, bool has_frame)
{
	enum walk_kind kind = WALK_NATIVE;
	unsigned int before = w->to->n;
	uint64_t method;
	uint8_t level;

	if (!b->is_native) {
		if (!guarded_load8(b->blob + w->l->level, &level))
			return ends(w, WALK_LOST_CODE);
		kind = level < 4 ? WALK_C1 : WALK_C2;
	}
	if (!guarded_load(b->blob + w->l->method, &method))
		return ends(w, WALK_LOST_CODE);
	/* A record covers the code before its address: an exact pc belongs to the next record. */
	if (!b->is_native && has_frame && !put_scopes(w, b, real_pc(w, b, r) + r->is_exact, kind))
		return false;
	if (w->to->n == before && !put_method(w, method, kind, 0))
		return w->to->end == WALK_LONG ? false : ends(w, WALK_LOST_CODE);
	return true;
}

static bool compiled(struct stack_walking *w, const struct code_blob *b)
{
	enum frame_state state = state_of(w, b);
	struct walk_methods *j = w->to->judged;
	bool is_put = put_compiled(w, b, &w->r, state != FRAME_NONE);

	if (j && !j->first)
		j->first = j->n;
	return is_put && leave(w, b->frame, state);
}

/* ---- stubs ----------------------------------------------------------------------------------- */

static bool is_code(const struct stack_walking *w, uint64_t pc)
{
	return code_cache_find(w->l, pc).kind != CODE_NONE;
}

/* The call stub's frame: native code called Java here. */
static bool entry(struct stack_walking *w)
{
	uint64_t wrapper, pc, fp, base = w->r.fp;

	if (!is_above(w, base) || !word(w, base, ENTRY_WRAPPER, &wrapper) ||
	    !word(w, base, 1, &pc) || !word(w, base, 0, &fp))
		return ends(w, WALK_LOST_FRAME);
	w->anchor = wrapper + w->l->wrapper_anchor;
	return go_to(w, pc, base + 16, fp);
}

/* A stub of unknown frame size either has a frame pointer or no frame at all. */
static bool stub(struct stack_walking *w, const struct code_blob *b)
{
	uint64_t pc, fp, base = w->r.fp;

	if (!put(w, w->r.pc))
		return false;
	if (b->frame && (!w->r.is_exact || w->r.pc >= b->complete))
		return leave(w, b->frame, state_of(w, b));
	if (w->r.is_exact && word(w, w->r.sp, 0, &pc) && is_code(w, pc))
		return leave(w, 0, FRAME_NONE);
	if ((base == w->r.sp || is_above(w, base)) && word(w, base, 1, &pc) && is_code(w, pc) &&
	    word(w, base, 0, &fp))
		return go_to(w, pc, base + 16, fp);
	return ends(w, WALK_LOST_FRAME);
}

/* ---- a virtual thread's frames in the heap --------------------------------------------------- */

static bool put_frozen_method(struct stack_walking *w, const struct frozen_frame *f)
{
	struct walk_registers at_frame = { .pc = f->pc, .sp = f->sp };
	uint64_t method, at = 0;
	bool is_right;

	if (f->code.kind == CODE_STUB)
		return put(w, f->pc);
	if (f->code.kind == CODE_METHOD)
		return put_compiled(w, &f->code, &at_frame, true);
	if (!word(w, f->fp, INTERPRETER_METHOD, &method) ||
	    seen_methods_find(w->l, method) == SEEN_NONE)
		return false;
	word(w, f->fp, INTERPRETER_BYTECODE, &at);
	return put_method(w, method, WALK_INTERPRETED, bytecode_of(w, method, at, &is_right));
}

/* Returns false if not all frames can be read; the caller then discards those that were put. While
 * the VM freezes frames they are on this stack, too: the freeze is called by doYield() or (since
 * JDK 24, at a monitor) by the innermost frozen frame. */
static bool put_frozen(struct stack_walking *w, uint64_t entry)
{
	enum frozen_step step = FROZEN_LOST;
	struct frozen_frames f;
	struct frozen_frame one;
	bool is_first = true;

	if (w->freezes || !frozen_frames_begin(&f, w->l, entry))
		return false;
	while ((step = frozen_frames_next(&f, &one)) == FROZEN_FRAME) {
		if ((is_first && one.pc == w->called) || !put_frozen_method(w, &one))
			break;
		is_first = false;
	}
	return (step == FROZEN_LAST || w->to->end == WALK_LONG) && frozen_frames_held(&f);
}

/* Finds the carrier's frame that called the virtual thread's, by the thread's continuation entry.
 * If that is unknown, by the frame pointer that the frame below saved, which the VM's fast thaw
 * does not restore. */
static bool find_entry(struct stack_walking *w, uint64_t *pc, uint64_t *sp)
{
	struct code_blob b;
	size_t offset;

	if (!w->l->entry_return || !guarded_load(w->l->entry_return, pc))
		return false;
	b = code_cache_find(w->l, *pc);
	if (b.kind != CODE_METHOD)
		return false;
	offset = continuation_entry_offset(w->l, &b);
	if (w->thread && offset != VM_NONE && guarded_load(w->thread + offset, sp))
		w->r.fp = *sp + b.frame - 16;
	*sp = w->r.fp + 16 - b.frame;
	return b.frame && w->r.fp % 8 == 0 && *sp >= w->r.sp && *sp - w->r.sp < FRAME_REACH &&
	       (!w->base || w->r.fp < w->base);
}

static bool barrier(struct stack_walking *w)
{
	struct walk_methods *j = w->to->judged;
	unsigned int n = w->to->n, judged = j ? j->n : 0;
	uint64_t pc, sp;

	if (!find_entry(w, &pc, &sp))
		return ends(w, WALK_FROZEN);
	if (!put_frozen(w, sp)) {
		w->to->end = WALK_WHOLE;
		w->to->n = n;
		if (j)
			j->n = judged;
		w->frozen = true;
		if (!put(w, walk_address(WALK_FROZEN, 0, 0) + 1))
			return false;
	} else if (j) {
		j->heap_begin = judged;
		j->heap_end = j->n;
	}
	if (w->to->end != WALK_WHOLE)
		return false;
	w->r = (struct walk_registers){ .pc = pc, .sp = sp, .fp = w->r.fp };
	return true;
}

/* ---- native code ----------------------------------------------------------------------------- */

/* Continues at the last Java frame, if the VM has recorded one further up. */
static bool go_to_anchor(struct stack_walking *w, enum walk_end or_else)
{
	uint64_t sp, pc, fp;

	if (!w->anchor || !guarded_load(w->anchor + w->l->anchor_sp, &sp) || !sp ||
	    !guarded_load(w->anchor + w->l->anchor_pc, &pc) ||
	    !guarded_load(w->anchor + w->l->anchor_fp, &fp))
		return ends(w, or_else);
	if (!pc && !word(w, sp, -1, &pc))
		return ends(w, or_else);
	w->anchor = 0;
	/* Our stack pointer may be wrong, so `sp` is only checked if the stack's base is known. */
	if (sp % 8 || (w->base && (sp > w->base || sp < w->r.sp)))
		return ends(w, WALK_LOST_FRAME);
	w->r = (struct walk_registers){ .pc = pc, .sp = sp, .fp = fp };
	return true;
}

static bool native(struct stack_walking *w)
{
	struct walk_registers next = w->r;

	if (!put(w, w->r.pc))
		return false;
	switch (native_step(&next)) {
	case NATIVE_LAST:
		return ends(w, WALK_WHOLE);
	case NATIVE_CALLER:
		if (next.is_exact) {
			w->r = next; /* a signal frame: the handler may have had its own stack */
			w->bytecode = w->entered = 0;
			return true;
		}
		return go_to(w, next.pc, next.sp, next.fp);
	case NATIVE_LOST:
	default:
		return go_to_anchor(w, WALK_LOST_NATIVE);
	}
}

static bool step(struct stack_walking *w)
{
	struct code_blob b;

	if (w->r.pc == w->l->call_stub_return)
		return entry(w);
	if (!w->r.pc)
		return go_to_anchor(w, WALK_LOST_FRAME);
	/* 0: this VM has no virtual threads, or no symbols. */
	if (w->l->return_barrier && w->r.pc == w->l->return_barrier && !w->r.is_exact)
		return barrier(w);
	b = code_cache_find(w->l, w->r.pc);
	if (!w->called && b.kind != CODE_NONE)
		w->called = w->r.pc;
	switch (b.kind) {
	case CODE_INTERPRETER:
		return interpreted(w);
	case CODE_METHOD:
		return compiled(w, &b);
	case CODE_STUB:
		return stub(w, &b);
	case CODE_UNKNOWN:
		put(w, w->r.pc);
		return ends(w, WALK_LOST_CODE);
	case CODE_NONE:
	default:
		return native(w);
	}
}

/* Returns false on machines whose registers are not supported. */
static bool take_registers(struct stack_walking *w, const void *from)
{
#ifdef __x86_64__
	const greg_t *g = ((const ucontext_t *)from)->uc_mcontext.gregs;

	w->r = (struct walk_registers){ (uint64_t)g[REG_RIP], (uint64_t)g[REG_RSP],
					(uint64_t)g[REG_RBP], true };
	w->bytecode = (uint64_t)g[REG_R13];
	w->entered = (uint64_t)g[REG_RBX];
	return true;
#else
	(void)w, (void)from;
	return false;
#endif
}

/* Adds the reason as the outermost frame, after the virtual thread's name. A slot is reserved for
 * the reason; the name may replace the last frame. */
static void put_reason(struct stack_walking *w)
{
	struct walked *to = w->to;
	enum walk_end end = to->end;

	if (to->n == WALK_FRAMES - 1 && to->mounted && !w->named)
		to->n--;
	put_virtual(w);
	to->address[to->n++] = walk_address(end, 0, 0) + 1;
}

void stack_walk(const struct vm_layout *l, uint64_t thread, const void *from, struct walked *w)
{
	struct stack_walking k = {
		.l = l,
		.to = w,
		.thread = thread,
		.anchor = thread ? thread + l->anchor : 0,
	};
	unsigned int steps = 0;

	w->n = 0;
	w->has_java = false;
	w->end = WALK_WHOLE;
	if (w->judged)
		w->judged->n = w->judged->heap_begin = w->judged->heap_end = w->judged->first = 0;
	if (!take_registers(&k, from)) {
		w->end = WALK_LOST_NATIVE;
		return;
	}
	if (thread && l->stack_base != VM_NONE && !guarded_load(thread + l->stack_base, &k.base))
		k.base = 0;
	while (steps++ < STEPS_MOST && step(&k))
		;
	if (steps > STEPS_MOST)
		w->end = WALK_LOST_FRAME;
	if (w->end != WALK_WHOLE)
		put_reason(&k);
	else if (k.frozen)
		w->end = WALK_FROZEN;
}
