/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Puts records into a perf event's ring, as the kernel does. */
#ifndef PERF_RINGS_H
#define PERF_RINGS_H

#include <unistd.h>
#include "collect/perf/perf_ring.h"
#include "unit.h"

static uint8_t body[8192];
static size_t body_length;

static inline void u32(uint32_t v)
{
	memcpy(body + body_length, &v, sizeof(v));
	body_length += sizeof(v);
}

static inline void u64(uint64_t v)
{
	memcpy(body + body_length, &v, sizeof(v));
	body_length += sizeof(v);
}

static inline void text(const char *t)
{
	size_t n = (strlen(t) + 8) & ~(size_t)7;

	memset(body + body_length, 0, n);
	memcpy(body + body_length, t, strlen(t));
	body_length += n;
}

static inline void put_rec(struct perf_ring *r, uint32_t type, uint16_t misc)
{
	struct perf_event_header h = { type, misc, (uint16_t)(sizeof(h) + body_length) };
	uint8_t *data = (uint8_t *)r->page + sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < h.size; i++)
		data[(r->page->data_head + i) & (r->bytes - 1)] = i < sizeof(h) ?
									  ((uint8_t *)&h)[i] :
									  body[i - sizeof(h)];
	r->page->data_head += h.size;
	body_length = 0;
}

/* … with the sample id that ends records other than samples. */
static inline void put_id(struct perf_ring *r, uint32_t type, uint16_t misc, uint32_t pid,
			  uint64_t time)
{
	u32(pid);
	u32(pid);
	u64(time);
	u64(0);
	u64(11);
	put_rec(r, type, misc);
}

/* A sample of the timer or an event, without a stack. */
static inline void put_sample(struct perf_ring *r, uint16_t misc, uint64_t id, uint32_t pid,
			      uint64_t ip, uint64_t time, uint64_t period)
{
	u64(id);
	u64(ip);
	u32(pid);
	u32(pid);
	u64(time);
	u64(0);
	u64(period);
	put_rec(r, PERF_RECORD_SAMPLE, misc);
}

static inline void put_lost(struct perf_ring *r, uint64_t n, uint64_t time)
{
	u64(11);
	u64(n);
	put_id(r, PERF_RECORD_LOST, 0, 70, time);
}

static inline void put_switch(struct perf_ring *r, uint32_t from, uint32_t to, uint64_t time)
{
	u32(to);
	u32(to);
	put_id(r, PERF_RECORD_SWITCH_CPU_WIDE, PERF_RECORD_MISC_SWITCH_OUT, from, time);
}

static inline void put_comm(struct perf_ring *r, uint32_t pid, const char *name, uint64_t time)
{
	u32(pid);
	u32(pid);
	text(name);
	put_id(r, PERF_RECORD_COMM, 0, pid, time);
}

#endif
