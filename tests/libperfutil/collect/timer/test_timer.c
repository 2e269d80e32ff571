// SPDX-License-Identifier: GPL-3.0-or-later
/* The timer collector's readers: rings that traced programs write, lines of /proc/PID/maps. A ring
 * that lies is refused or read within its bounds, also when its file is cut short. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "unit.h"
#include "collect/timer/timer_files.h"
#include "collect/timer/timer_process.h"
#include "collect/timer/timer_session.h"

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

/* Records that end a ring's last part, or claim to. */
static void test_pads(void)
{
	static const struct {
		uint64_t from, pad; /* records from there, then a pad to be skipped */
		uint64_t to;
		int want;
		unsigned int calls;
	} rows[] = {
		{ SAMPLES - 64, SAMPLES - 32, SAMPLES + 32, 1, 2 },
		{ SAMPLES - 32, SAMPLES - 32, SAMPLES, 1, 0 },
		{ 2 * SAMPLES - 64, 2 * SAMPLES - 32, 2 * SAMPLES + 64, 1, 3 },
		/* In the middle nothing is skipped. */
		{ SAMPLES - 96, SAMPLES - 64, SAMPLES - 32, -EBADMSG, 1 },
		{ 0, 32, 64, -EBADMSG, 1 },
		{ 0, 0, SAMPLES - 32, -EBADMSG, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct timer_record pad = { .kind = TIMER_PAD };

		begin();
		put_records(rows[i].from, rows[i].to);
		memcpy(image + TIMER_DATA + EVENTS + rows[i].pad % SAMPLES, &pad, sizeof(pad));
		put_file(SIZE);
		CU_ASSERT_EQUAL(read_it(), rows[i].want);
		CU_ASSERT_EQUAL(calls, rows[i].calls);
		/* Data that was read is not read again. */
		if (rows[i].want > 0)
			CU_ASSERT(read_it() == 0 && calls == rows[i].calls);
		end();
	}
}

/* Each field of the head that says whose it is. */
static void test_head(void)
{
#define FIELD(name)                                                         \
	{                                                                   \
#name, offsetof(struct timer_file, name), sizeof(good.name) \
	}
	struct timer_file *f = (void *)image, good;
	struct timer_read got;
	const struct {
		const char *name;
		size_t at, size;
	} fields[] = {
		FIELD(magic),  FIELD(version),     FIELD(pid),          FIELD(image),
		FIELD(number), FIELD(event_bytes), FIELD(sample_bytes),
	};
#undef FIELD

	begin();
	put_records(0, 64);
	/* An event as well. */
	memcpy(image + TIMER_DATA, image + TIMER_DATA + EVENTS, 32);
	f->events.head = 32;
	f->parent = 76;
	f->unsampled = 3;
	f->events.lost = 4;
	f->samples.lost = 5;
	good = *f;
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		image[fields[i].at + fields[i].size - 1] ^= 1;
		put_file(SIZE);
		*f = good;
		if (read_it() != -EBADMSG)
			printf("# %s is not looked at\n", fields[i].name);
		CU_ASSERT_EQUAL(read_it(), -EBADMSG);
	}
	/* Not ready yet: all that the program has not written is 0. */
	f->magic = 0;
	put_file(SIZE);
	CU_ASSERT_EQUAL(read_it(), -EAGAIN);
	put_file(0);
	CU_ASSERT_EQUAL(read_it(), -EAGAIN);
	CU_ASSERT_EQUAL(calls, 0);
	*f = good;
	put_file(SIZE);
	memset(&got, 0xff, sizeof(got));
	CU_ASSERT_EQUAL(timer_file_read(&folder, &name, &got, on_record, NULL), 1);
	CU_ASSERT_EQUAL(calls, 3);
	CU_ASSERT(got.parent == 76 && got.unsampled == 3);
	CU_ASSERT(got.lost_events == 4 && got.lost_samples == 5);
	/* One ring of the two has something. */
	for (int i = 0; i < 2; i++) {
		*f = good;
		*(i ? &f->events.head : &f->samples.head) = 0;
		put_file(SIZE);
		calls = 0;
		CU_ASSERT(read_it() == 1 && calls == (i ? 2 : 1));
	}
	/* A damaged one is said, whichever it is. */
	for (int i = 0; i < 2; i++) {
		*f = good;
		*(i ? &f->events.head : &f->samples.head) = 4;
		put_file(SIZE);
		CU_ASSERT_EQUAL(read_it(), -EBADMSG);
	}
	/* No file at all: a folder. */
	timer_file_remove(&folder, &name);
	CU_ASSERT_EQUAL(read_it(), -ENOENT);
	CU_ASSERT_EQUAL(mkfifoat(folder.fd, file_name, 0600), 0);
	CU_ASSERT_EQUAL(read_it(), -EBADMSG);
	end();
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* The folder is the user's own place's, if that can be. */
static void test_places(void)
{
	static const struct {
		const char *below; /* of the user's place */
		int user; /* 0: our own; 1: whose the place is; 2: whose programs they are */
		bool own;
	} rows[] = {
		{ "", 0, true },
		{ "/not_there", 0, false },
		{ "/with space", 0, false },
		{ "/with:colon", 0, false },
		{ "/with\ttab", 0, false },
		{ "", 1, false },
		{ "", 2, false },
	};
	struct timer_control control = { .magic = TIMER_MAGIC, .state = TIMER_ON, .depth = 7 };
	char base[] = "/tmp/test_timer.XXXXXX", long_one[sizeof(folder.path) + 64], place[600];
	const char *had = getenv("XDG_RUNTIME_DIR");
	char *kept = had ? strdup(had) : NULL, why[200];
	uid_t other = geteuid() + 1;
	struct timer_control seen;
	struct stat st;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(base));
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uid_t user = rows[i].user == 2 ? other : geteuid();
		int fd;

		if (rows[i].user && geteuid())
			continue;
		snprintf(place, sizeof(place), "%s%s", base, rows[i].below);
		if (rows[i].below[0] && !strstr(place, "not_there"))
			CU_ASSERT_EQUAL(mkdir(place, 0700), 0);
		if (rows[i].user)
			CU_ASSERT_EQUAL(chown(place, rows[i].user == 1 ? other : 0, (gid_t)-1), 0);
		setenv("XDG_RUNTIME_DIR", place, 1);
		CU_ASSERT_EQUAL_FATAL(timer_folder_make(&folder, &control, user, why, sizeof(why)),
				      0);
		CU_ASSERT_EQUAL(begins(folder.path, base), rows[i].own);
		CU_ASSERT(begins(folder.path, place) || begins(folder.path, "/dev/shm/") ||
			  begins(folder.path, "/tmp/pitrace-rings-"));
		CU_ASSERT(!fstat(folder.fd, &st) && st.st_uid == user &&
			  (st.st_mode & 07777) == 0700);
		/* Programs see what they are to do, to the end. */
		fd = openat(folder.fd, TIMER_CONTROL, O_RDONLY | O_CLOEXEC);
		CU_ASSERT_FATAL(fd >= 0);
		CU_ASSERT(!fstat(fd, &st) && (st.st_mode & 07777) == 0444);
		CU_ASSERT_EQUAL(pread(fd, &seen, sizeof(seen), 0), (ssize_t)sizeof(seen));
		CU_ASSERT(!memcmp(&seen, &control, sizeof(seen)));
		timer_folder_state(&folder, TIMER_PAUSED);
		CU_ASSERT_EQUAL(pread(fd, &seen, sizeof(seen), 0), (ssize_t)sizeof(seen));
		CU_ASSERT(seen.state == TIMER_PAUSED && seen.depth == 7);
		end();
		CU_ASSERT_EQUAL(pread(fd, &seen, sizeof(seen), 0), (ssize_t)sizeof(seen));
		CU_ASSERT(seen.state == TIMER_OVER && seen.depth == 7);
		close(fd);
		if (rows[i].below[0])
			rmdir(place);
	}
	/* Too long for a name in it. */
	memset(long_one, '/', sizeof(long_one));
	long_one[sizeof(folder.path) - 31] = 0;
	memcpy(long_one, "/tmp", 4);
	setenv("XDG_RUNTIME_DIR", long_one, 1);
	if (!stat("/tmp", &st) && st.st_uid == geteuid()) {
		CU_ASSERT_EQUAL_FATAL(timer_folder_make(&folder, &control, geteuid(), why,
							sizeof(why)),
				      0);
		CU_ASSERT(!begins(folder.path, "/tmp///"));
		end();
		long_one[sizeof(folder.path) - 32] = 0;
		setenv("XDG_RUNTIME_DIR", long_one, 1);
		CU_ASSERT_EQUAL_FATAL(timer_folder_make(&folder, &control, geteuid(), why,
							sizeof(why)),
				      0);
		CU_ASSERT(begins(folder.path, "/tmp///"));
		end();
	}
	if (kept)
		setenv("XDG_RUNTIME_DIR", kept, 1);
	else
		unsetenv("XDG_RUNTIME_DIR");
	free(kept);
	CU_ASSERT_EQUAL(rmdir(base), 0);
}

/* A folder of another process in the place of ours is left alone. */
static void test_replaced(void)
{
	char moved[sizeof(folder.path) + 8];
	struct stat st;

	begin();
	put_file(SIZE);
	snprintf(moved, sizeof(moved), "%s.moved", folder.path);
	CU_ASSERT_EQUAL_FATAL(rename(folder.path, moved), 0);
	CU_ASSERT_EQUAL_FATAL(mkdir(folder.path, 0700), 0);
	timer_folder_remove(&folder);
	CU_ASSERT(!stat(folder.path, &st) && S_ISDIR(st.st_mode));
	CU_ASSERT_EQUAL(rmdir(folder.path), 0);
	/* The content of our folder is gone. */
	CU_ASSERT_EQUAL(rmdir(moved), 0);
	/* Once more does nothing. */
	timer_folder_remove(&folder);
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
	/* Mappings of a scan, and build ids, up to the limit. */
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

static struct timer_process *met[4];
static unsigned int n_met;

static void meet(struct timer_session *s, struct timer_process *p)
{
	(void)s;
	CU_ASSERT_FATAL(n_met < 4);
	met[n_met++] = p;
	p->next = NULL; /* it may be freed */
}

/* Each process is met once, in the first and the last place of the table, too. */
static void test_each(void)
{
	static struct timer_session s;
	struct timer_process first = { .pid = 1024 }, second = { .pid = 2048, .next = &first };
	struct timer_process last = { .pid = 1023 };
	const size_t places = sizeof(s.all.by_pid) / sizeof(*s.all.by_pid);

	timer_each_process(&s, meet);
	CU_ASSERT_EQUAL(n_met, 0);
	s.all.by_pid[0] = &second;
	s.all.by_pid[places - 1] = &last;
	s.all.n = 3;
	timer_each_process(&s, meet);
	CU_ASSERT_EQUAL_FATAL(n_met, 3);
	CU_ASSERT(met[0] == &second && met[1] == &first && met[2] == &last);
}

static const struct unit_test tests[] = {
	{ "ring", test_ring },
	{ "cut", test_cut },
	{ "lies", test_lies },
	{ "pads", test_pads },
	{ "head", test_head },
	{ "places", test_places },
	{ "link", test_link },
	{ "replaced", test_replaced },
	{ "names", test_names },
	{ "maps", test_maps },
	{ "limits", test_limits },
	{ "each", test_each },
	{ 0 },
};

int main(void)
{
	return unit_run("timer", tests);
}
