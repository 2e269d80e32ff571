/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzz: the trace files of a session as swtrace top reads them, while they grow. The first byte
 * says how: how much is there at first, whether another file follows, is gone, or the first one is
 * cut, and whether samples are skipped. No table has more ticks than there were samples.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz_trace.h"
#include "top_feed.h"

enum { PARTS = 0x0f, NEXT = 0x10, GONE = 0x20, CUT = 0x40, SKIP = 0x80 };

struct session {
	int fd;
	uint8_t how;
};

static enum top_file path_of(void *arg, uint32_t number, char *path, size_t room)
{
	const struct session *s = arg;

	if (number > 2 || (number && !(s->how & NEXT)))
		return TOP_FILE_LATER;
	if (number == 1 && s->how & GONE)
		return TOP_FILE_GONE;
	snprintf(path, room, "/proc/self/fd/%d", s->fd);
	return TOP_FILE_THERE;
}

static void check(const struct top_table *t, uint64_t ticks)
{
	uint64_t sum = t->others[TOP_SUM].ticks;

	if (t->n > t->most)
		abort();
	for (uint32_t i = 0; i < t->n; i++)
		sum += t->row[i].count[TOP_SUM].ticks;
	if (sum > ticks)
		abort();
}

/* Reads what is there. Each call makes progress, so that the number of calls is bounded. */
static int read_interval(struct top_feed *feed, struct top_model *m, bool skip, size_t size)
{
	struct top_part at;
	char why[256] = "";
	size_t calls = 0;
	int rc;

	while ((rc = top_feed_more(feed, m, 0, skip, why, sizeof(why))) > 0) {
		if (++calls > size)
			abort();
	}
	if (rc < 0 && !*why)
		abort();
	top_feed_place(feed, &at);
	top_model_end(m, calls, &at);
	check(&m->function, m->period[TOP_SUM].ticks);
	check(&m->thread, m->period[TOP_SUM].ticks);
	check(&m->process, m->period[TOP_SUM].ticks);
	top_model_begin(m, calls, &at, false);
	return rc;
}

/* Tables so small that they are full soon; but half of the functions have room for a stack. */
static void begin(struct top_model *m)
{
	static const struct top_part nowhere;

	top_model_init(m);
	m->function.most = 2 * TOP_FRAMES;
	m->thread.most = m->process.most = m->cgroup.most = 2;
	m->call.most = 8;
	top_model_begin(m, 0, &nowhere, true);
}

/* As the view does that stands still. */
static void copy(const struct top_feed *feed, const struct top_model *m)
{
	struct top_model frozen;
	uint32_t number;

	if (!top_model_copy(&frozen, m)) {
		check(&frozen.function, frozen.period[TOP_SUM].ticks);
		top_model_free(&frozen);
	}
	if (top_feed_file(feed, &number))
		fuzz_touch(&number, sizeof(number));
}

static void put(int fd, const uint8_t *data, size_t size)
{
	if (write(fd, data, size) != (ssize_t)size)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct session s = { .fd = -1 };
	struct top_feed *feed = top_feed_open(path_of, &s);
	struct top_model m;
	size_t first;
	uint8_t *file;

	if (!size--) {
		top_feed_close(feed);
		return 0;
	}
	s.how = *data++;
	file = malloc(size + 1);
	s.fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (!feed || !file || s.fd < 0)
		abort();
	memcpy(file, data, size);
	fuzz_mend_crcs(file, size);
	first = size * (s.how & PARTS) / PARTS;
	begin(&m);
	put(s.fd, file, first);
	if (read_interval(feed, &m, false, size + 64) >= 0) {
		put(s.fd, file + first, size - first);
		if (s.how & CUT && ftruncate(s.fd, (off_t)(first / 2)))
			abort();
		read_interval(feed, &m, s.how & SKIP, size + 64);
	}
	copy(feed, &m);
	top_feed_close(feed);
	top_model_free(&m);
	close(s.fd);
	free(file);
	return 0;
}

#ifdef LIBFUZZER
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	if (size < 2)
		return LLVMFuzzerMutate(data, size, max);
	if (seed % 16 == 0)
		data[0] = (uint8_t)(seed >> 8);
	return 1 + fuzz_mutate(data + 1, size - 1, max - 1, seed);
}
#endif
