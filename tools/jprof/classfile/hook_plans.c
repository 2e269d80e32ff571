/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hook_plans.h"

#include <errno.h>

#include "opcodes.h"

#define FRAMES_SINCE  50    /* StackMapTable */
#define CLASSES_SINCE 49    /* ldc can load a class */
#define SHORT_ID      32767 /* the largest operand of sipush */
#define CODE_HEAD     8     /* max_stack, max_locals and the length precede the code */

static int full(const struct constants *k)
{
	return k->added.failed ? -ENOMEM : -E2BIG;
}

/* The constants that all plans need. */
static bool common(const struct class_rewrite *how, struct hook_constants *h, struct constants *k)
{
	if (h->class)
		return true;
	h->class = constants_add_class(k, how->hooks);
	h->throwable = constants_add_class(k, "java/lang/Throwable");
	if (h->version >= FRAMES_SINCE)
		h->frames = constants_add_utf8(k, "StackMapTable");
	return h->class && h->throwable;
}

/* Adds a hook to the pool at its first use. */
static bool hook(const struct hook_constants *h, struct constants *k, uint16_t *number,
		 const char *name, const char *descriptor)
{
	if (!*number)
		*number = constants_add_method(k, h->class, name, descriptor);
	return *number;
}

static void add(struct code_insert *to, uint8_t op)
{
	to->bytes[to->n++] = op;
}

static void add_with(struct code_insert *to, uint8_t op, uint16_t operand)
{
	add(to, op);
	add(to, (uint8_t)(operand >> 8));
	add(to, (uint8_t)operand);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static int plan_calls(struct hook_constants *h, struct constants *k, const struct class_method *m,
		      uint32_t id, struct code_plan *plan)
{
	struct {
		struct code_insert *to;
		uint16_t *number;
		const char *name;
	} hooks[] = {
		{ &plan->leave, &h->leave, "leave" },
		{ &plan->unwind, &h->unwind, "unwind" },
		{ &plan->caught, &h->caught, "caught" },
		{ &plan->begin, &h->enter, "enter" },
	};
	const size_t n = sizeof(hooks) / sizeof(*hooks);
	uint16_t integer = 0;

	for (size_t i = 0; i < n; i++)
		if (!hook(h, k, hooks[i].number, hooks[i].name, "(I)V"))
			return full(k);
	if (id > SHORT_ID) {
		integer = constants_add_integer(k, id);
		if (!integer)
			return full(k);
	}
	for (size_t i = 0; i < n; i++) {
		if (integer)
			add_with(hooks[i].to, OP_LDC_W, integer);
		else
			add_with(hooks[i].to, OP_SIPUSH, (uint16_t)id);
		add_with(hooks[i].to, OP_INVOKESTATIC, *hooks[i].number);
	}
	plan->early = constant_is(m->name, "<init>") && !constant_is(m->class, "java/lang/Object");
	return 1;
}

/* ---- locks ----------------------------------------------------------------------------------- */

static bool has_monitors(const struct bytes *code)
{
	struct bytes b = *code;
	struct op_switch cases;
	const uint8_t *p;
	uint32_t size, at, length;

	bytes_skip(&b, CODE_HEAD - 4);
	size = bytes_u32(&b);
	p = bytes_take(&b, size);
	for (at = 0; p && at < size; at += length) {
		if (p[at] == OP_MONITORENTER || p[at] == OP_MONITOREXIT)
			return true;
		length = op_length(p, size, at, &cases);
		if (!length)
			break;
	}
	return false;
}

/* Whether it is park, parkNanos or parkUntil, with the blocker as the first argument or without. */
static bool parks(const struct class_method *m)
{
	return constant_is(m->class, "java/util/concurrent/locks/LockSupport") &&
	       m->access & ACCESS_STATIC && m->name.n >= 4 && !memcmp(m->name.text, "park", 4);
}

static bool has_blocker(const struct class_method *m)
{
	return m->descriptor.n > 19 && !memcmp(m->descriptor.text, "(Ljava/lang/Object;", 19);
}

static bool plan_parks(struct hook_constants *h, struct constants *k, const struct class_method *m,
		       struct code_plan *plan)
{
	if (!hook(h, k, &h->park, "park", "(Ljava/lang/Object;)V") ||
	    !hook(h, k, &h->parked, "parked", "()V"))
		return false;
	add(&plan->begin, has_blocker(m) ? OP_ALOAD_0 : OP_ACONST_NULL);
	add_with(&plan->begin, OP_INVOKESTATIC, h->park);
	add_with(&plan->leave, OP_INVOKESTATIC, h->parked);
	return true;
}

static void with_object(struct code_insert *to, uint16_t class, uint16_t call)
{
	if (class)
		add_with(to, OP_LDC_W, class);
	else
		add(to, OP_ALOAD_0);
	add_with(to, OP_INVOKESTATIC, call);
}

/* The VM enters the method's monitor before the first instruction and exits it after the last
 * one. */
static void plan_synchronized(const struct hook_constants *h, const struct class_method *m,
			      struct code_plan *plan)
{
	uint16_t class = m->access & ACCESS_STATIC ? h->self : 0;

	with_object(&plan->begin, class, h->enter);
	with_object(&plan->leave, class, h->leave);
	with_object(&plan->unwind, class, h->leave);
	plan->first = class ? 0 : h->self;
}

static void plan_monitors(const struct hook_constants *h, struct code_plan *plan)
{
	add(&plan->enter, OP_DUP);
	add_with(&plan->enter, OP_INVOKESTATIC, h->enter);
	add_with(&plan->entered, OP_INVOKESTATIC, h->entered);
	add(&plan->exit, OP_DUP);
	add_with(&plan->exit, OP_INVOKESTATIC, h->leave);
}

static int plan_locks(struct hook_constants *h, struct constants *k, const struct class_method *m,
		      const struct bytes *code, struct code_plan *plan)
{
	bool whole = m->access & ACCESS_SYNCHRONIZED &&
		     (!(m->access & ACCESS_STATIC) || h->version >= CLASSES_SINCE);

	if (parks(m) && !plan_parks(h, k, m, plan))
		return full(k);
	if ((whole || has_monitors(code)) &&
	    (!hook(h, k, &h->enter, "enter", "(Ljava/lang/Object;)V") ||
	     !hook(h, k, &h->entered, "entered", "()V") ||
	     !hook(h, k, &h->leave, "leave", "(Ljava/lang/Object;)V")))
		return full(k);
	if (whole)
		plan_synchronized(h, m, plan);
	if (has_monitors(code))
		plan_monitors(h, plan);
	return plan->begin.n || plan->enter.n;
}

int hook_plan(const struct class_rewrite *how, struct hook_constants *h, struct constants *k,
	      const struct class_method *m, uint32_t id, const struct bytes *code,
	      struct code_plan *plan)
{
	int rc;

	if (how->what == HOOKS_OF_LOCKS && !(m->access & ACCESS_SYNCHRONIZED) && !parks(m) &&
	    !has_monitors(code))
		return 0;
	if (!common(how, h, k))
		return full(k);
	rc = how->what == HOOKS_OF_LOCKS ? plan_locks(h, k, m, code, plan) :
					   plan_calls(h, k, m, id, plan);
	plan->throwable = h->throwable;
	plan->frames = h->frames;
	return rc;
}
