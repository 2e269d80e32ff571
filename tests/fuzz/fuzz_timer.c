/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzz: the timer collector, from the rings of traced programs to segments. The input has the
 * content of up to three files of its folder: headers as the library writes them, or bytes of the
 * input if a flag is set, then the records of both rings. The output must be complete segments.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "collect/collectors.h"
#include "fuzz_clock.h"
#include "fuzz_input.h"
#include "fuzz_segment.h"
#include "collect/timer/preload/layout.h"

#define FILES 3
#define PID   50000000u /* no kernel has such processes */

/* Bits for the collector … */
enum { STACKS = 1, COPIES = 2, GONE = 4, SUSPEND = 8 };
/* … and of a file. */
enum { LYING_HEAD = 1, CUT = 2, EARLY = 4, NO_FILE = 8 };

struct part {
	uint8_t flags, which;           /* which: pid, image, number */
	uint32_t events_at, samples_at; /* where the rings stand */
	uint16_t events, samples;       /* bytes of records */
	uint8_t lost_events, lost_samples, unsampled, parent;
} __attribute__((packed));

/* A ring's bytes, around its end if it comes to that. */
static void put_ring(int fd, off_t base, uint32_t size, uint64_t at, const void *data, size_t n)
{
	uint32_t from = (uint32_t)(at & (size - 1));
	size_t first = n < size - from ? n : size - from;

	if (pwrite(fd, data, first, base + from) != (ssize_t)first ||
	    pwrite(fd, (const uint8_t *)data + first, n - first, base) != (ssize_t)(n - first))
		abort();
}

static void put_file(const char *folder, const struct timer_control *c, const struct part *p,
		     struct fuzz_input *in)
{
	static uint8_t data[65536];
	struct timer_file h = {
		.magic = TIMER_MAGIC,
		.version = TIMER_VERSION,
		.pid = PID + p->which % 3,
		.number = p->which / 3 % 3 ? p->which / 3 % 3 : 0,
		.image = FUZZ_START - 100 + p->which / 9 % 3 * 50,
		.sample_bytes = c->sample_bytes,
		.unsampled = p->unsampled,
		.parent = p->parent ? PID + p->parent % 4 : 0,
	};
	char name[700];
	int fd;

	snprintf(name, sizeof(name), "%s/%u-%llx-%u", folder, h.pid, (unsigned long long)h.image,
		 h.number);
	fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		abort();
	h.event_bytes = h.number ? 0 : c->event_bytes;
	h.events.tail = p->events_at & ~7u;
	h.events.head = h.events.tail + p->events;
	h.samples.tail = p->samples_at & ~7u;
	h.samples.head = h.samples.tail + p->samples;
	h.events.lost = p->lost_events;
	h.samples.lost = p->lost_samples;
	if (h.number)
		memset(&h.events, 0, sizeof(h.events));
	fuzz_take(in, data, p->events);
	if (!h.number)
		put_ring(fd, TIMER_DATA, h.event_bytes, h.events.tail, data, p->events);
	fuzz_take(in, data, p->samples);
	put_ring(fd, TIMER_DATA + (off_t)h.event_bytes, h.sample_bytes, h.samples.tail, data,
		 p->samples);
	if (p->flags & LYING_HEAD)
		fuzz_take(in, &h, sizeof(h));
	if (p->flags & EARLY)
		h.magic = 0;
	if (pwrite(fd, &h, sizeof(h), 0) != (ssize_t)sizeof(h))
		abort();
	if (ftruncate(fd, p->flags & CUT ?
				  p->samples_at % 8192 :
				  (off_t)TIMER_DATA + c->event_bytes * !h.number + c->sample_bytes))
		abort();
	close(fd);
}

static void read_back(const char *folder, struct timer_control *c)
{
	char name[600];
	int fd;

	snprintf(name, sizeof(name), "%s/" TIMER_CONTROL, folder);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || pread(fd, c, sizeof(*c), 0) != (ssize_t)sizeof(*c))
		abort();
	close(fd);
}

static void drain(struct backend *b, bool all)
{
	if (collector_timer.drain(b, all, fuzz_segment, NULL))
		abort();
}

static void run(struct backend *b, const struct trace_config *config, uint8_t flags,
		struct fuzz_input *in)
{
	struct pifile_stats *stats = NULL;
	struct trace_info info = { 0 };
	struct timer_control control;
	char **variables, *folder;
	struct part p;

	if (collector_timer.environment(b, &variables))
		abort();
	folder = strchr(variables[1], '=') + 1;
	read_back(folder, &control);
	if (collector_timer.on(b, config))
		abort();
	for (unsigned int i = 0; i < FILES && in->size; i++) {
		fuzz_take(in, &p, sizeof(p));
		if (p.flags & NO_FILE)
			continue;
		put_file(folder, &control, &p, in);
		fuzz_now += 1000;
		drain(b, i & 1);
		fuzz_now += 300000000;
		if (flags & SUSPEND)
			collector_timer.suspend(b, !(i & 1));
	}
	fuzz_alive = !(flags & GONE);
	drain(b, true);
	fuzz_now += 2000000000;
	collector_timer.off(b);
	drain(b, true);
	collector_timer.info(b, &info);
	if (collector_timer.stats(b, &stats) != (int)info.ncpus)
		abort();
	free(stats);
	free(variables[0]);
	free(variables[1]);
	free(variables);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace_config config = {
		.mode = PITRACE_MODE_CONTINUOUS,
		.scope = PITRACE_SCOPE_PROCESS,
		.rate = 1000,
		.segment_bytes = 65536,
		.majors = { 1ull << PITRACE_TPROF | 1ull << PITRACE_MTE },
	};
	struct fuzz_input in = { data, size };
	char why[256] = "";
	struct backend *b;
	uint8_t flags;
	int rc;

	setenv("PITRACE_TIMER_LIBRARY", "/dev/null", 1);
	fuzz_now = FUZZ_START;
	fuzz_alive = true;
	fuzz_take(&in, &flags, sizeof(flags));
	config.stacks = (flags & STACKS ? PITRACE_WANT_USER : 0) |
			(flags & COPIES ? PITRACE_WANT_COPY : 0);
	config.user = geteuid();
	b = collector_timer.open(&config, &rc, why, sizeof(why));
	if (!b) {
		fprintf(stderr, "fuzz_timer: %s\n", why);
		abort();
	}
	run(b, &config, flags, &in);
	collector_timer.close(b);
	return 0;
}
