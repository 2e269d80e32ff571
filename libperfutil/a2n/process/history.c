/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts the timelines of a process's images to spans, each with the number of its event. */
#include <string.h>

#include "a2n/process/history.h"

struct span_emitter {
	a2n_take_span take;
	void *arg;
	const struct jits *jits;
	enum a2n_span_kind kind; /* kind of facts with a module */
	uint64_t to;             /* end of the image */
};

static void emit_code(const struct span_emitter *t, const struct space_fact *f,
		      struct a2n_span *span)
{
	const struct jit_code *code = jit_of(t->jits, &f->mapping);

	span->start = code->address;
	span->length = code->size;
	span->name = code->symbol->name;
	span->unsure = (f->mapping.delta & JIT_UNSURE) != 0;
	if (code->earliest < span->from)
		span->earliest = code->earliest;
}

static void emit_fact(void *arg, const struct space_fact *f)
{
	const struct span_emitter *t = arg;
	struct a2n_span span = {
		.kind = t->kind,
		.from = f->from.time,
		.to = f->to < t->to ? f->to : t->to,
		.earliest = f->from.time,
		.walk = f->walk,
		.inherited = f->inherited,
		.start = f->start,
		.length = f->last - f->start + 1,
		.told = f->from.order,
	};

	if (f->from.time >= t->to && !f->walk)
		return;
	if (!t->jits)
		span.told = 0; /* the kernel's events are numbered separately */
	if (f->mapping.module && t->kind != A2N_SPAN_MAPPED) {
		emit_code(t, f, &span);
	} else if (f->mapping.module) {
		span.name = f->mapping.module->pub.name;
	} else if (t->kind == A2N_SPAN_MAPPED) {
		span.kind = A2N_SPAN_UNMAPPED;
	} else if (f->mapping.delta == MAPPING_FREE) {
		return; /* unmapped: has its own span */
	} else {
		span.kind = f->mapping.delta == MAPPING_GIVEN_UP ? A2N_SPAN_CODE_FREED :
								   A2N_SPAN_CODE_MOVED;
	}
	t->take(t->arg, &span);
}

static void emit_space(struct span_emitter *t, enum a2n_span_kind kind, struct space *s,
		       uint64_t address)
{
	t->kind = kind;
	if (s)
		space_history(s, address, emit_fact, t);
}

void history_process(const struct processes *ps, const struct jits *js, uint32_t pid,
		     uint64_t address, a2n_take_span take, void *arg)
{
	const struct process *p = process_lookup(ps, pid);
	struct span_emitter t = { .take = take, .arg = arg, .jits = js };
	uint32_t i, end;

	for (i = 0; p && i < p->n; i++) {
		const struct epoch *e = &p->epochs[i];
		struct a2n_span span = {
			.kind = e->seen ? A2N_SPAN_SEEN :
				e->copy ? A2N_SPAN_COPY :
					  A2N_SPAN_EMPTY,
			.from = e->from.time,
			.earliest = e->from.time,
			.told = e->from.order,
			.to = i + 1 < p->n ? e[1].from.time : UINT64_MAX,
			.name = e->owner->n_names ? e->owner->names[0].name : NULL,
		};
		uint32_t k;

		for (k = 0; k < e->owner->n_names; k++)
			if (e->owner->names[k].from <= span.from)
				span.name = e->owner->names[k].name;
		take(arg, &span);
		t.to = span.to;
		emit_space(&t, A2N_SPAN_MAPPED, e->space, address);
		/* Facts shared by several images are emitted once. */
		for (end = i + 1; end < p->n && p->epochs[end].jit == e->jit; end++)
			;
		t.to = end < p->n ? p->epochs[end].from.time : UINT64_MAX;
		if (!i || e[-1].jit != e->jit)
			emit_space(&t, A2N_SPAN_CODE, e->jit, address);
		for (end = i + 1; end < p->n && p->epochs[end].map == e->map; end++)
			;
		t.to = end < p->n ? p->epochs[end].from.time : UINT64_MAX;
		if (!i || e[-1].map != e->map)
			emit_space(&t, A2N_SPAN_PERF_MAP, e->map, address);
	}
}

void history_kernel(struct space *s, uint64_t address, a2n_take_span take, void *arg)
{
	struct span_emitter t = {
		.take = take,
		.arg = arg,
		.kind = A2N_SPAN_MAPPED,
		.to = UINT64_MAX,
	};

	if (s)
		space_history(s, address, emit_fact, &t);
}
