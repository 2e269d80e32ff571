/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The jitdump reader on a disk that fails: each of its reads, in files that take many. (Linked with
 * --wrap=pread64.) */
#include <errno.h>

#include "jitdump.h"
#include "jitdump_image.h"

static unsigned int fails_at, nreads; /* this read of the next ones; 0: none */

ssize_t __real_pread64(int fd, void *to, size_t n, off_t at);
ssize_t __wrap_pread64(int fd, void *to, size_t n, off_t at);
ssize_t __wrap_pread64(int fd, void *to, size_t n, off_t at)
{
	if (++nreads != fails_at)
		return __real_pread64(fd, to, n, at);
	errno = EIO;
	return -1;
}

/* So far apart that each of their parts has to be read by itself. */
static void far_apart(void)
{
	enum { FAR = 100000, LINES = 1000, NAME = 99 };

	header();
	prefix(2, 32 + LINES * (16 + NAME + 1), 5);
	u64(0x1000);
	u64(LINES);
	for (uint32_t i = 0; i < LINES; i++) {
		u64(0x1000 + i);
		u32(i);
		u32(0);
		memset(image + used, 'a' + (int)(i % 26), NAME);
		used += NAME;
		image[used++] = 0;
	}
	prefix(4, 40 + FAR, 6);
	u64(FAR);
	u64(8);
	u64(FAR);
	memset(image + used, 1, FAR);
	used += FAR;
	prefix(99, 16 + FAR, 7);
	used += FAR;
	load((struct load){ 8, 0x1000, 2000, 1, "far", .code = (const char *)image + 100 });
	prefix(99, 16 + FAR, 9);
	used += FAR;
	move(10, 0x1000, 0x9000, 2000);
}

/* A record whose head is the last that one read got, but for its prefix. */
static void at_a_window(int kind)
{
	enum { END = 64 * 1024 - 20 };

	header();
	prefix(99, END - 40, 1);
	used = END;
	switch (kind) {
	case 0:
		load((struct load){ 8, 0x1000, 2000, 1, "f", .code = (const char *)image });
		break;
	case 1:
		move(10, 0x1000, 0x9000, 2000);
		break;
	case 2:
		prefix(2, 32, 5);
		u64(0x1000);
		u64(0);
		break;
	default:
		prefix(4, 48, 6);
		u64(8);
		u64(8);
		u64(8);
		u64(0);
	}
}

/* Whichever read fails, that is said; it is not taken for the end. */
static void each_read_fails(unsigned int want_events, unsigned int want_lines, unsigned int least)
{
	bool done = false;
	unsigned int n;

	for (n = 1; !done && n < 100; n++) {
		struct jitdump_event e;
		struct jitdump_line line;
		struct jitdump *d = NULL;
		unsigned int events = 0, lines = 0;
		const char *why = NULL;
		int rc, fd = file_of(image, used);

		nreads = 0;
		fails_at = n;
		rc = jitdump_open(&d, fd, &why);
		if (n == 1) {
			CU_ASSERT(rc == -EBADMSG && !d && why && !strcmp(why, "cannot be read"));
			continue;
		}
		CU_ASSERT_EQUAL_FATAL(rc, 0);
		while ((rc = jitdump_next(d, &e)) > 0) {
			events++;
			while (jitdump_line(d, &line))
				lines++;
		}
		done = nreads < n;
		CU_ASSERT_EQUAL(rc, done ? 0 : -EIO);
		CU_ASSERT(!done || (events == want_events && lines == want_lines));
		jitdump_close(d);
	}
	fails_at = 0;
	CU_ASSERT(done && n >= least);
}

static void test_reads_fail(void)
{
	far_apart();
	each_read_fails(2, 1000, 9);
	for (int kind = 0; kind < 4; kind++) {
		at_a_window(kind);
		each_read_fails(kind < 2, 0, 3);
	}
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "said", test_reads_fail },
		{ NULL, NULL },
	};

	return unit_run("jitdump_reads", tests);
}
