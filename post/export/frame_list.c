/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists each distinct frame and stack once. Callers precede their callees. */
#include "export/frame_list.h"

#include <errno.h>
#include <stdlib.h>

#include "job.h"

static uint32_t get_frame(struct frame_list *l, const struct list_frame *f)
{
	uint64_t hash = hash_mix(f->address, (uint64_t)f->symbol << 1 | f->kernel);
	uint32_t i = keys_find(&l->by_frame, hash, l->frame, e,
			       e->symbol == f->symbol && e->address == f->address &&
				       e->kernel == f->kernel);

	if (i != NO_KEY)
		return i;
	if (keys_next(&l->by_frame, hash, l->frame, l->frames, l->room_frame))
		return NO_KEY;
	l->frame[l->frames] = *f;
	return l->frames++;
}

static uint32_t get_stack(struct frame_list *l, uint32_t caller, uint32_t frame)
{
	struct list_stack s = { .caller = caller, .frame = frame };
	uint64_t hash = hash_mix((uint64_t)caller << 32 | frame, 3);
	uint32_t i;

	if (frame == NO_KEY)
		return NO_KEY;
	i = keys_find(&l->by_stack, hash, l->stack, e,
		      e->caller == s.caller && e->frame == s.frame);
	if (i != NO_KEY)
		return i;
	if (keys_next(&l->by_stack, hash, l->stack, l->stacks, l->room_stack))
		return NO_KEY;
	s.depth = caller == NO_KEY ? 1 : l->stack[caller].depth + 1;
	if (array_room(l->path, l->room_path, s.depth))
		return NO_KEY;
	l->stack[l->stacks] = s;
	return l->stacks++;
}

/* Adds the stack of a call, on top of its caller's; NO_KEY: no memory. */
static uint32_t add_call(struct frame_list *l, const struct names *n, const struct call *c,
			 bool addresses)
{
	uint32_t at = l->of_call[c->parent], k;
	const uint32_t *list;

	for (k = profile_frames(n, c->id, &list); k-- > 0;) {
		struct list_frame f = {
			.symbol = list[k],
			.kernel = c->kernel,
			.address = addresses ? profile_address(n, c->id) : 0,
		};

		at = get_stack(l, at, get_frame(l, &f));
		if (at == NO_KEY)
			break;
	}
	return at;
}

int frame_list_make(struct frame_list *l, const struct job *job, bool addresses)
{
	const struct calls *c = &job->stacks->calls;
	uint32_t i;

	*l = (struct frame_list){ .whole = whole_stacks(job->input->size) };
	l->of_call = malloc(((size_t)c->ncall + 1) * sizeof(*l->of_call));
	if (!l->of_call)
		return -ENOMEM;
	l->calls = c->ncall;
	for (i = 0; i < c->ncall; i++) {
		l->of_call[i] = NO_KEY;
		if (c->call[i].parent == NO_KEY)
			continue;
		l->of_call[i] = add_call(l, &job->model->names, &c->call[i], addresses);
		if (l->of_call[i] == NO_KEY)
			return -ENOMEM;
	}
	return 0;
}

uint32_t frame_list_path(struct frame_list *l, uint32_t stack, const uint32_t **frames)
{
	uint32_t n = whole_stacks_take(&l->whole, l->stack[stack].depth);

	for (uint32_t i = 0; i < n; i++, stack = l->stack[stack].caller)
		l->path[i] = l->stack[stack].frame;
	*frames = l->path;
	return n;
}

void frame_list_free(struct frame_list *l)
{
	free(l->path);
	free(l->frame);
	free(l->stack);
	free(l->of_call);
	keys_free(&l->by_frame);
	keys_free(&l->by_stack);
	*l = (struct frame_list){ 0 };
}
