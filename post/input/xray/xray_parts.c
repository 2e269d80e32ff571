/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of an XRay log: collects the log's threads from its parts; reads bytes as needed. */
#include "input/xray/xray_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int add_thread(struct xray *x, uint32_t pid, uint32_t tid)
{
	struct xray_thread new = { pid, tid };
	uint64_t hash = hash_mix(pid, tid);

	if (keys_find(&x->by_thread, hash, x->thread, e, e->pid == new.pid && e->tid == new.tid) !=
	    NO_KEY)
		return 0;
	if (keys_next(&x->by_thread, hash, x->thread, x->nthreads, x->room_threads))
		return -ENOMEM;
	x->thread[x->nthreads++] = new;
	return 0;
}

int xray_add_part(struct xray *x, const struct xray_part *part)
{
	int rc = 0;

	if (part->tid || part->pid || !x->basic)
		rc = add_thread(x, part->pid, part->tid);
	if (rc || part->offset == part->end)
		return rc;
	if (array_next(x->part, x->nparts, x->room_parts))
		return -ENOMEM;
	x->part[x->nparts++] = *part;
	return 0;
}

const uint8_t *xray_more(struct xray *x, struct xray_cursor *c, size_t n)
{
	uint64_t left = c->part->end - c->at - c->used;
	size_t got;

	if (left < n || array_room(c->room, c->bytes, n))
		return NULL;
	memmove(c->room, c->room + c->used, c->have - c->used);
	c->have -= c->used;
	c->at += c->used;
	c->used = 0;
	left -= c->have;
	if (left > c->bytes - c->have)
		left = c->bytes - c->have;
	(void)pread_all(x->w.fd, c->room + c->have, left, c->at + c->have, &got);
	c->have += got;
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

	if (array_room(c->event, c->event_room, whole))
		return -ENOMEM;
	memset(c->event + whole - 4, 0, 4);
	memcpy(c->event, &u, sizeof(u));
	memcpy(c->event + sizeof(u), &length, sizeof(length));
	memcpy(c->event + sizeof(u) + sizeof(length), text, size);
	c->event_size = whole;
	c->major = typed ? CALL_TYPED_EVENT : CALL_CUSTOM_EVENT;
	c->minor = type;
	return 0;
}
