// SPDX-License-Identifier: GPL-3.0-or-later
/* The timer collector's readers: rings that traced programs write, lines of /proc/PID/maps. A ring
 * that lies is refused or read within its bounds, also when its file is cut short. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "unit.h"
#include "collect/timer/timer_files.h"
#include "collect/timer/timer_process.h"

#define EVENTS  4096
#define SAMPLES 4096
#define SIZE    (TIMER_DATA + EVENTS + SAMPLES)

static struct timer_folder folder;
static const struct timer_name name = { .pid = 77, .number = 0, .image = 0x1234 };
static const char file_name[] = "77-1234-0";
static uint8_t image[SIZE];
static unsigned int calls;
static uint64_t bytes_seen;

static void begin(void)
{
	struct timer_control control = {
		.magic = TIMER_MAGIC,
		.version = TIMER_VERSION,
		.event_bytes = EVENTS,
		.sample_bytes = SAMPLES,
	};
	struct timer_file *f = (void *)image;
	char why[200];

	CU_ASSERT_EQUAL_FATAL(timer_folder_make(&folder, &control, geteuid(), why, sizeof(why)), 0);
	memset(image, 0, sizeof(image));
	*f = (struct timer_file){
		.magic = TIMER_MAGIC,
		.version = TIMER_VERSION,
		.pid = 77,
		.image = 0x1234,
		.event_bytes = EVENTS,
		.sample_bytes = SAMPLES,
	};
	calls = 0;
}

static void end(void)
{
	struct stat st;

	timer_folder_remove(&folder);
	CU_ASSERT(stat(folder.path, &st) && errno == ENOENT);
}

static void put_file(size_t size)
{
	int fd = openat(folder.fd, file_name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(pwrite(fd, image, size, 0), (ssize_t)size);
	close(fd);
}

static void on_record(void *arg, const struct timer_record *r, const void *data, uint32_t bytes)
{
	const uint8_t *d = data;

	(void)arg;
	(void)r;
	calls++;
	/* Every byte is there to be read: a sanitizer watches. */
	for (uint32_t i = 0; i < bytes; i++)
		bytes_seen += d[i];
}

static int read_it(void)
{
	struct timer_read got;

	return timer_file_read(&folder, &name, &got, on_record, NULL);
}

/* Records of 32 bytes in the samples' ring from `from` to `to`. */
static void put_records(uint64_t from, uint64_t to)
{
	struct timer_file *f = (void *)image;

	for (uint64_t at = from; at < to; at += 32) {
		struct timer_record r = { .length = 32, .kind = TIMER_SAMPLE, .stamp = at };

		memcpy(image + TIMER_DATA + EVENTS + at % SAMPLES, &r, sizeof(r));
	}
	f->samples.tail = from;
	f->samples.head = to;
}

static void test_ring(void)
{
	begin();
	put_records(SAMPLES - 320, SAMPLES + 320); /* around the ring's end */
	put_file(SIZE);
	CU_ASSERT_EQUAL(read_it(), 1);
	CU_ASSERT_EQUAL(calls, 20);
	CU_ASSERT_EQUAL(read_it(), 0); /* the tail was moved */
	CU_ASSERT_EQUAL(calls, 20);
	end();
}

static void test_cut(void)
{
	begin();
	put_records(0, SAMPLES);
	for (size_t size = 0; size < SIZE; size += 61) {
		put_file(size);
		CU_ASSERT(read_it() < 0);
	}
	CU_ASSERT_EQUAL(calls, 0);
	end();
}

static void test_lies(void)
{
	struct timer_file *f = (void *)image, good;
	static const uint64_t heads[] = {
		1, 4, SAMPLES + 8, 1ull << 40, UINT64_MAX, UINT64_MAX - 7,
	};

	begin();
	put_records(0, 64);
	good = *f;
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
		f->samples.head = heads[i];
		put_file(SIZE);
		CU_ASSERT_EQUAL(read_it(), -EBADMSG);
	}
	*f = good;
	f->samples.tail = 128; /* beyond the head */
	put_file(SIZE);
	CU_ASSERT_EQUAL(read_it(), -EBADMSG);
	*f = good;
	f->pid = 78;
	put_file(SIZE);
	CU_ASSERT_EQUAL(read_it(), -EBADMSG);
	*f = good;
	f->sample_bytes = 2 * SAMPLES;
	put_file(SIZE);
	CU_ASSERT_EQUAL(read_it(), -EBADMSG);
	/* Each length that a record may state: none reaches beyond what was handed over. */
	for (uint32_t length = 0; length <= UINT16_MAX; length++) {
		struct timer_record r = { .length = (uint16_t)length, .kind = TIMER_MAP };

		*f = good;
		memcpy(image + TIMER_DATA + EVENTS, &r, sizeof(r));
		if (length % 64 < 9 || length < 128) {
			put_file(SIZE);
			CU_ASSERT_EQUAL(read_it(), length == 32 || length == 64 ? 1 : -EBADMSG);
		}
	}
	end();
}

static void test_link(void)
{
	begin();
	put_records(0, 64);
	CU_ASSERT_EQUAL(symlinkat("/etc/passwd", folder.fd, file_name), 0);
	CU_ASSERT_EQUAL(read_it(), -ENOENT);
	end();
}

static void test_names(void)
{
	static const char *const bad[] = { "",           "control",    "77-1234",   "77-1234-",
					   "77-1234-0x", "0-1-0",      "+7-1234-0", "77-1234-4096",
					   "077-1234-0", "77-0x1234-0" };
	struct timer_name n;

	CU_ASSERT(timer_name_parse(file_name, &n) && n.pid == 77 && n.image == 0x1234 && !n.number);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		CU_ASSERT_FALSE(timer_name_parse(bad[i], &n));
}

static void test_maps(void)
{
	static const char line[] = "7f00-8f00 r-xp 00001000 fe:01 1234      /lib/a b.so (deleted)";
	struct timer_map m;

	CU_ASSERT_FATAL(timer_map_parse(line, strlen(line), &m));
	CU_ASSERT(m.start == 0x7f00 && m.end == 0x8f00 && m.offset == 0x1000 && m.inode == 1234);
	CU_ASSERT(m.dev_major == 0xfe && m.dev_minor == 1);
	CU_ASSERT_EQUAL(m.flags, PITRACE_MAP_READ | PITRACE_MAP_EXEC | PITRACE_MAP_DELETED);
	CU_ASSERT_STRING_EQUAL(m.path, "/lib/a b.so");
	free(m.path);
	for (size_t n = 0; n < strlen("7f00-8f00 r-xp 00001000 fe:01 1"); n++)
		CU_ASSERT_FALSE(timer_map_parse(line, n, &m));
	CU_ASSERT_FALSE(timer_map_parse("8f00-7f00 r-xp 0 fe:01 1 /a", 27, &m));
	CU_ASSERT_FALSE(timer_map_parse("7f00-8f00 r--p 0 fe:01 1 /a", 27, &m));
	CU_ASSERT_FATAL(timer_map_parse("7f00-8f00 rwxp 0 00:00 0 ", 25, &m));
	CU_ASSERT_STRING_EQUAL(m.path, "//anon");
	CU_ASSERT(m.flags & PITRACE_MAP_ANON);
	free(m.path);
}

/* Programs say how much of each there is: so much and no more is kept. */
static void test_limits(void)
{
	static struct timer_processes all;
	struct timer_build_id id = { .size = 20 };
	struct timer_map map = { .start = 0x1000, .end = 0x2000, .path = (char *)"/x" };
	struct timer_process *p, *first;
	unsigned int wrong = 0;

	first = timer_process_get(&all, 1, 7);
	CU_ASSERT_FATAL(first != NULL);
	CU_ASSERT(first->pid == 1 && first->image == 7 && all.n == 1);
	CU_ASSERT_PTR_EQUAL(timer_process_get(&all, 1, 7), first);
	CU_ASSERT_PTR_NOT_EQUAL(timer_process_get(&all, 1, 9), first);
	CU_ASSERT_PTR_NOT_EQUAL(timer_process_get(&all, 1 + 1024, 7), first);
	CU_ASSERT_EQUAL(all.n, 3);
	/* The newest image that is no newer than that. */
	CU_ASSERT_EQUAL(timer_process_newest(&all, 1, UINT64_MAX)->image, 9);
	CU_ASSERT_EQUAL(timer_process_newest(&all, 1, 9)->image, 9);
	CU_ASSERT_EQUAL(timer_process_newest(&all, 1, 8)->image, 7);
	CU_ASSERT_PTR_NULL(timer_process_newest(&all, 1, 6));
	CU_ASSERT_PTR_NULL(timer_process_newest(&all, 2, 9));
	for (uint32_t i = 3; i < 65536; i++)
		wrong += !timer_process_get(&all, 10000 + i, 1);
	CU_ASSERT(!wrong && all.n == 65536);
	CU_ASSERT_PTR_NULL(timer_process_get(&all, 9999, 1));
	timer_process_free(&all, first);
	p = timer_process_get(&all, 9999, 1);
	CU_ASSERT_FATAL(p != NULL);
	/* Sources by their numbers. */
	CU_ASSERT(timer_process_source(p, 3)->known && p->nsource >= 4);
	CU_ASSERT(!p->source[0].known && !p->source[2].known);
	p->source[3].lost_samples = 5;
	CU_ASSERT(timer_process_source(p, 0)->known && p->nsource >= 4);
	CU_ASSERT(timer_process_source(p, 4) && p->nsource >= 5 && p->source[3].lost_samples == 5);
	/* Mappings of a scan, and build ids; such as can be. */
	for (unsigned int i = 0; i < 65536; i++)
		wrong += !timer_process_scan_map(p, &map);
	CU_ASSERT(!wrong && p->seen.n == 65536);
	CU_ASSERT(!timer_process_scan_map(p, &map));
	CU_ASSERT_EQUAL(p->seen.n, 65536);
	CU_ASSERT(timer_maps_have(&p->seen, 0x1000) && timer_maps_have(&p->seen, 0x1fff));
	CU_ASSERT(!timer_maps_have(&p->seen, 0xfff) && !timer_maps_have(&p->seen, 0x2000));
	for (unsigned int i = 0; i < 16385; i++)
		timer_process_scan_id(p, &id);
	CU_ASSERT_EQUAL(p->nids, 16384);
	timer_process_scan_abort(p);
	CU_ASSERT(!p->seen.n && !p->nids);
	id.size = 0;
	timer_process_scan_id(p, &id);
	id.size = 21;
	timer_process_scan_id(p, &id);
	CU_ASSERT_EQUAL(p->nids, 0);
	id.size = 1;
	timer_process_scan_id(p, &id);
	CU_ASSERT_EQUAL(p->nids, 1);
	timer_processes_free(&all);
	CU_ASSERT_EQUAL(all.n, 0);
}

static const struct unit_test tests[] = {
	{ "ring", test_ring },     { "cut", test_cut },
	{ "lies", test_lies },     { "link", test_link },
	{ "names", test_names },   { "maps", test_maps },
	{ "limits", test_limits }, { 0 },
};

int main(void)
{
	return unit_run("timer", tests);
}
