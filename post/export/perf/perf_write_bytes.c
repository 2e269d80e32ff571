/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds the records and tables of a perf.data in memory and writes them in one piece. */
#include "export/perf/perf_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void *perf_write_grow(struct perf_out *o, size_t n)
{
	uint8_t *p;

	if (array_room(o->data, o->room, o->n + n)) {
		o->no_memory = true;
		o->n = 0;
		if (n > o->room)
			return NULL;
	}
	p = o->data + o->n;
	memset(p, 0, n);
	o->n += n;
	return p;
}

void perf_write_bytes(struct perf_out *o, const void *data, size_t n)
{
	void *p = perf_write_grow(o, n);

	if (p && n)
		memcpy(p, data, n);
}

void perf_write_u16(struct perf_out *o, uint16_t v)
{
	perf_write_bytes(o, &v, sizeof(v));
}

void perf_write_u32(struct perf_out *o, uint32_t v)
{
	perf_write_bytes(o, &v, sizeof(v));
}

void perf_write_u64(struct perf_out *o, uint64_t v)
{
	perf_write_bytes(o, &v, sizeof(v));
}

void perf_write_text(struct perf_out *o, const char *s, size_t to)
{
	size_t n = strlen(s) + 1;

	perf_write_bytes(o, s, n);
	perf_write_grow(o, (to - n % to) % to);
}

void perf_write_begin(struct perf_writing *w, uint32_t type, uint16_t misc)
{
	w->o.n = 0;
	perf_write_u32(&w->o, type);
	perf_write_u16(&w->o, misc);
	perf_write_u16(&w->o, 0);
}

void perf_write_flush(struct perf_writing *w, uint64_t *count)
{
	if (w->o.no_memory || !w->o.data)
		w->rc = -ENOMEM;
	else if (w->o.n)
		fwrite_unlocked(w->o.data, 1, w->o.n, w->file);
	*count += w->o.n;
	w->o.n = 0;
}

void perf_write_end(struct perf_writing *w)
{
	uint16_t size = (uint16_t)w->o.n;

	if (w->o.n > UINT16_MAX) { /* the header's size field is too small */
		w->o.n = 0;
		w->too_long++;
		return;
	}
	if (w->o.data)
		memcpy(w->o.data + 6, &size, sizeof(size));
	perf_write_flush(w, &w->written);
	w->records++;
}

void perf_write_sample_id(struct perf_writing *w, const struct pirecord *r, uint32_t pid,
			  uint32_t tid)
{
	perf_write_u32(&w->o, pid);
	perf_write_u32(&w->o, tid);
	perf_write_u64(&w->o, r->time);
	perf_write_u32(&w->o, r->cpu);
	perf_write_u32(&w->o, 0);
	perf_write_u64(&w->o, PERF_WRITE_FIRST_ID);
}
