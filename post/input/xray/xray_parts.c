/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of an XRay log: its threads are those that they are of, their bytes are read as they are
 * needed. */
#include "input/xray/xray_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool same_thread(const void *array, uint32_t i, const void *key)
{
	const struct xray_thread *a = (const struct xray_thread *)array + i, *b = key;

	return a->pid == b->pid && a->tid == b->tid;
}

static int add_thread(struct xray *x, uint32_t pid, uint32_t tid)
{
	struct xray_thread new = { pid, tid };
	uint64_t hash = hash_mix(pid, tid);

	if (keys_find(&x->by_thread, hash, same_thread, x->thread, &new) != NO_KEY)
		return 0;
	if (keys_grow_array((void **)&x->thread, &x->room_threads, x->nthreads, sizeof(new)) ||
	    keys_add(&x->by_thread, hash, x->nthreads))
		return -ENOMEM;
	x->thread[x->nthreads++] = new;
	return 0;
}

int xray_add_part(struct xray *x, const struct xray_part *part)
{
	struct xray_part *more;
	int rc = 0;

	if (part->tid || part->pid || !x->basic)
		rc = add_thread(x, part->pid, part->tid);
	if (rc || part->offset == part->end)
		return rc;
	if (x->nparts == x->room_parts) {
		more = realloc(x->part, (2ul * x->room_parts + 64) * sizeof(*more));
		if (!more)
			return -ENOMEM;
		x->part = more;
		x->room_parts = 2 * x->room_parts + 64;
	}
	x->part[x->nparts++] = *part;
	return 0;
}

const uint8_t *xray_more(struct xray *x, struct xray_cursor *c, size_t n)
{
	uint64_t left = c->part->end - c->at - c->used;
	uint8_t *more;
	ssize_t got;

	if (left < n)
		return NULL;
	if (n > c->bytes) {
		more = realloc(c->room, n);
		if (!more)
			return NULL;
		c->room = more;
		c->bytes = n;
	}
	memmove(c->room, c->room + c->used, c->have - c->used);
	c->have -= c->used;
	c->at += c->used;
	c->used = 0;
	while (c->have < c->bytes && c->at + c->have < c->part->end) {
		size_t want = c->bytes - c->have;

		if (want > c->part->end - c->at - c->have)
			want = (size_t)(c->part->end - c->at - c->have);
		got = pread(x->w.fd, c->room + c->have, want, (off_t)(c->at + c->have));
		if (got <= 0)
			break;
		c->have += (size_t)got;
	}
	return c->have >= n ? c->room : NULL;
}

int xray_put_event(struct xray_cursor *c, bool typed, uint32_t type, const uint8_t *text,
		   size_t size)
{
	struct pitrace_user u = {
		.pid = c->call.call.pid,
		.tid = c->call.call.tid,
		.cpu = c->cpu,
		.strs = 1,
	};
	size_t whole = (sizeof(u) + sizeof(uint32_t) + size + 3) & ~3ul;
	uint32_t length = (uint32_t)size;
	uint8_t *more;

	if (whole > c->event_room) {
		more = realloc(c->event, whole);
		if (!more)
			return -ENOMEM;
		c->event = more;
		c->event_room = whole;
	}
	memset(c->event + whole - 4, 0, 4);
	memcpy(c->event, &u, sizeof(u));
	memcpy(c->event + sizeof(u), &length, sizeof(length));
	memcpy(c->event + sizeof(u) + sizeof(length), text, size);
	c->event_size = whole;
	c->major = typed ? CALL_TYPED_EVENT : CALL_CUSTOM_EVENT;
	c->minor = type;
	return 0;
}
