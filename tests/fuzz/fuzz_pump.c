/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzz: the content of perf events' rings, converted to segments. The input begins with the
 * session's settings, the rings' lengths and starting positions; the records of names, samples and
 * switches follow, with tracepoints those of wake-ups and of system calls, each half of the rest.
 * Segments must be complete and their stamps never decrease.
 */
#include <unistd.h>

#include "fuzz_segment.h"
#include "collect/perf/perf_session.h"

#define RING 8192

enum { EVENTS = 1, SCOPED = 2, DISCARD = 4, STACKS = 8, LATE = 16, POINTS = 32 };

struct head {
	uint8_t flags, unused;
	uint16_t names, samples, switches, at;
	uint32_t pid;
} __attribute__((packed));

struct memory {
	uint8_t *page;
	uint8_t joined[UINT16_MAX + 1];
};

/* As the kernel leaves it: the first bytes of the input that are left, from `at` on. */
static void fill(struct perf_ring *r, struct memory *m, uint64_t at, size_t n, const uint8_t **data,
		 size_t *left)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (!m->page) {
		m->page = aligned_alloc(page, page + RING);
		if (!m->page)
			abort();
	}
	memset(m->page, 0, page + RING);
	*r = (struct perf_ring){
		.page = (void *)m->page,
		.bytes = RING,
		.at = at & ~7ull,
		.joined = m->joined,
	};
	n = n < *left ? n : *left;
	n = n < RING ? n & ~(size_t)7 : RING;
	for (size_t i = 0; i < n; i++)
		m->page[page + ((r->at + i) & (RING - 1))] = (*data)[i];
	*data += n;
	*left -= n;
	r->page->data_head = r->at + n;
}

/* Data of tracepoints are words; their events are numbered from 3 on. */
static void set_up_points(struct perf_session *s, struct perf_cpu *cpu)
{
	static struct perf_event events[2 + PERF_POINTS] = { { .id = 1 },
							     { .id = 2, .number = 1 } };
	static uint32_t tasks[PERF_PIDS];
	static struct perf_left left;

	for (uint32_t i = 0; i < PERF_POINTS; i++) {
		events[2 + i] = (struct perf_event){ .id = 3 + i, .number = i };
		for (uint32_t k = 0; k < PERF_POINT_FIELDS; k++)
			s->points.field[i][k] = (struct tracepoint_place){ 8 * k, 8, 1 + 2 * k,
									   true };
	}
	left.valid = false;
	cpu->left = &left;
	s->tasks = tasks;
	s->event = events;
	s->nevents = 2 + PERF_POINTS;
	s->stacks.want |= PITRACE_WANT_DISPATCH;
	for (int use = PERF_SWITCHES; use < PERF_USES; use++)
		s->shape[use].sample_type |= PERF_SAMPLE_RAW;
	s->shape[PERF_SWITCHES].sample_type |= PERF_SAMPLE_CALLCHAIN;
	s->shape[PERF_SYSCALLS].sample_type |= PERF_SAMPLE_REGS_USER;
	s->shape[PERF_SYSCALLS].regs_user = 1;
}

static void set_up(struct perf_session *s, const struct head *h)
{
	static uint8_t scope[PERF_PIDS / 8];
	static struct perf_event events[2] = { { .id = 1 }, { .id = 2, .number = 1 } };

	s->config.rate = 1000;
	s->config.segment_bytes = 32768;
	s->config.nevents = h->flags & EVENTS ? 2 : 0;
	s->event = events;
	s->nevents = 2;
	for (int use = 0; use < PERF_USES; use++) {
		s->shape[use].sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
					    PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
					    PERF_SAMPLE_IDENTIFIER;
		s->shape[use].id_all = true;
	}
	if (h->flags & STACKS) {
		s->shape[PERF_SAMPLES].sample_type |= PERF_SAMPLE_CALLCHAIN;
		s->stacks.want = PITRACE_WANT_KERNEL | PITRACE_WANT_USER;
		s->stacks.depth = 16;
	}
	s->idle.range[0].start = 0xffffffff81000000;
	s->idle.range[0].end = 0xffffffff81000100;
	s->idle.n = 1;
	if (h->flags & SCOPED) {
		memset(scope, 0, sizeof(scope));
		s->config.scope = PITRACE_SCOPE_PROCESS;
		s->scope = scope;
		if (h->pid < PERF_PIDS)
			scope[h->pid / 8] = (uint8_t)(1u << (h->pid & 7));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct memory names, samples, switches, wakeups, calls;
	struct perf_session s = { .ncpus = 1 };
	struct perf_cpu cpu = { 0 };
	struct head h = { 0 };

	if (size < sizeof(h))
		return 0;
	memcpy(&h, data, sizeof(h));
	data += sizeof(h);
	size -= sizeof(h);
	set_up(&s, &h);
	s.cpu = &cpu;
	fill(&cpu.ring[PERF_NAMES], &names, h.at, h.names, &data, &size);
	fill(&cpu.ring[PERF_SAMPLES], &samples, h.at + 8u, h.samples, &data, &size);
	fill(&cpu.ring[PERF_SWITCHES], &switches, h.at + 64u, h.switches, &data, &size);
	if (h.flags & POINTS) {
		set_up_points(&s, &cpu);
		fill(&cpu.ring[PERF_WAKEUPS], &wakeups, h.at, size / 2, &data, &size);
		fill(&cpu.ring[PERF_SYSCALLS], &calls, h.at + 128u, size, &data, &size);
	}
	if (h.flags & LATE)
		cpu.ring[PERF_SWITCHES].page = NULL;
	/* Only what a begin sets: what the rings hold is kept. */
	cpu.mte = cpu.trace = (struct segment_out){
		.session = 1,
		.cpu = 0,
		.size = s.config.segment_bytes,
	};
	cpu.trace.ring = PITRACE_RING_TRACE;
	if (perf_emit_sync(&s, PITRACE_SYNC_ON) ||
	    perf_emit(&s, PITRACE_MTE, PITRACE_MTE_NAME, &h, sizeof(h), 50))
		abort();
	if (h.flags & DISCARD)
		perf_pump_discard(&s);
	if (perf_pump(&s, false, fuzz_segment, NULL) || perf_pump(&s, true, fuzz_segment, NULL))
		abort();
	perf_pump_reset(&s);
	segment_free(&cpu.mte);
	segment_free(&cpu.trace);
	free(s.queue.data);
	return 0;
}
