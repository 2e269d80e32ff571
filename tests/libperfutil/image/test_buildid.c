/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Build ids that the drain reads: of which mappings, once a file, none that was told before. */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "image/drain_ids.h"
#include "base/file_same.h"
#include "file/segment.h"
#include "unit.h"

static struct buildids *ids;
static struct segment_out out;
static struct stat own; /* this program */
static char own_path[256];
static uint8_t own_id[20];

static int scan(void *arg, const void *segment, size_t size)
{
	(void)arg;
	buildids_scan(ids, segment, size);
	return 0;
}

/* The build ids of our files according to another program. */
static void set_up(void)
{
	FILE *f = popen("readelf -n /proc/$PPID/exe | sed -n 's/.*Build ID: //p'", "r");
	char text[64] = "";
	ssize_t n = readlink("/proc/self/exe", own_path, sizeof(own_path) - 1);

	CU_ASSERT_FATAL(n > 0 && !stat("/proc/self/exe", &own));
	CU_ASSERT_FATAL(f && fgets(text, sizeof(text), f) && strlen(text) >= 40);
	pclose(f);
	for (int i = 0; i < 20; i++)
		CU_ASSERT_EQUAL_FATAL(sscanf(text + 2 * i, "%2hhx", &own_id[i]), 1);
}

static void begin(bool all, uint16_t ring)
{
	ids = buildids_new(all, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(ids);
	out = (struct segment_out){ .session = 1, .ring = ring, .size = 65536 };
}

static void *put(uint16_t major, uint32_t minor, size_t size, uint64_t stamp)
{
	int err = 0;
	void *p = segment_put(&out, major, minor, PITRACE_TYPE_STRUCT, size, stamp, scan, NULL,
			      &err);

	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	return p;
}

/* A mapping of a file of that inode, by our path. */
static void map(uint64_t inode, uint32_t flags, int more, uint64_t stamp)
{
	size_t n = strlen(own_path);
	struct pitrace_mte_map m = {
		.pid = (uint32_t)getpid(),
		.flags = PITRACE_MAP_EXEC | flags,
		.start = 0x1000,
		.length = 0x1000,
		.inode = inode,
		.path_len = (uint32_t)((int)n + more),
		.dev_major = major(own.st_dev),
		.dev_minor = minor(own.st_dev),
	};
	uint8_t *p = put(PITRACE_MTE, PITRACE_MTE_MODULE, sizeof(m) + (n & ~3ul) + 4, stamp);

	memset(p + sizeof(m) + (n & ~3ul), 0, 4);
	memcpy(p, &m, sizeof(m));
	memcpy(p + sizeof(m), own_path, n);
}

/* Said before by the collector, or what only looks like it. */
static void told(uint16_t major_of, uint32_t minor_of, uint32_t device, uint32_t length)
{
	struct pitrace_mte_buildid id = {
		.dev_major = major(own.st_dev),
		.dev_minor = minor(own.st_dev) + device,
		.inode = own.st_ino,
		.length = length,
	};

	memcpy(put(major_of, minor_of, sizeof(id), 50), &id, sizeof(id));
}

static struct pitrace_mte_buildid last; /* that found() found */
static bool bare;                       /* it has none */

/* How many ids are written, and all of them ours, of the newest stamp. */
static unsigned int found(uint64_t stamp)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);
	struct pifile_writer *w =
		pifile_create_fd(dup(fd),
				 &(struct pifile_header){ .clock = PITRACE_CLOCK_MONOTONIC });
	struct pitrace_mte_buildid id;
	unsigned int n = 0;
	struct pirecord r;
	struct pimerge *m;
	struct pifile *f;
	char path[64];

	CU_ASSERT_PTR_NOT_NULL_FATAL(w);
	CU_ASSERT_EQUAL(segment_close(&out, scan, NULL), 0);
	CU_ASSERT_EQUAL(buildids_flush(ids, w), 0);
	CU_ASSERT_EQUAL(buildids_flush(ids, w), 0); /* what was written is not written again */
	CU_ASSERT_EQUAL(pifile_finish(w), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	f = pifile_open(path, NULL);
	m = f ? pimerge_open(f, PIMERGE_MTE) : NULL;
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	while (pimerge_next(m, &r)) {
		CU_ASSERT_EQUAL_FATAL(r.minor, PITRACE_MTE_BUILDID);
		memcpy(&id, r.data, sizeof(id));
		CU_ASSERT_EQUAL(id.length, bare ? 0 : 20);
		CU_ASSERT(bare || !memcmp(id.id, own_id, 20));
		last = id;
		CU_ASSERT_EQUAL(id.inode, own.st_ino);
		CU_ASSERT_EQUAL(r.stamp, stamp);
		n++;
	}
	pimerge_close(m);
	pifile_close(f);
	close(fd);
	return n;
}

static void finish(void)
{
	segment_free(&out);
	buildids_free(ids);
}

static void once(void)
{
	begin(true, PITRACE_RING_MTE);
	map(own.st_ino, 0, 0, 100);
	map(own.st_ino, 0, 0, 300);
	CU_ASSERT_EQUAL(found(100), 1);
	map(own.st_ino, 0, 0, 400);
	CU_ASSERT_EQUAL(found(0), 0);
	finish();
}

static void by_the_walk(void)
{
	begin(false, PITRACE_RING_MTE);
	map(own.st_ino, 0, 0, 100);
	CU_ASSERT_EQUAL(found(0), 0);
	map(own.st_ino, PITRACE_MAP_WALK, 0, 200);
	CU_ASSERT_EQUAL(found(200), 1);
	finish();
}

/* Nobody says whether it has an id: it is asked no more, and keeps nothing. */
static void waits(void)
{
	begin(false, PITRACE_RING_MTE);
	map(own.st_ino, 0, 0, 100);
	map(own.st_ino + 1, 0, 0, 100);
	CU_ASSERT_EQUAL(found(0), 0);
	finish();
}

static void none(void)
{
	begin(true, PITRACE_RING_MTE);
	map(0, 0, 0, 100);              /* of no file */
	map(own.st_ino + 1, 0, 0, 100); /* of another than stands there */
	map(own.st_ino, 0, 5, 100);     /* a path that is longer than its record */
	map(own.st_ino, 0, -1, 100);    /* or has no end */
	CU_ASSERT_EQUAL(found(0), 0);
	finish();
	begin(true, PITRACE_RING_TRACE); /* no such records are there */
	map(own.st_ino, 0, 0, 100);
	CU_ASSERT_EQUAL(found(0), 0);
	finish();
}

static void told_before(void)
{
	static const struct {
		uint16_t major;
		uint32_t minor, device;
		bool known;
	} tries[] = {
		{ PITRACE_MTE, PITRACE_MTE_BUILDID, 0, true },
		{ PITRACE_MTE, PITRACE_MTE_BUILDID, 1, false },
		{ PITRACE_MTE, PITRACE_MTE_JIT, 0, false },
		{ PITRACE_HOOKIT, PITRACE_MTE_BUILDID, 0, false },
	};

	for (size_t i = 0; i < 4; i++) {
		begin(true, PITRACE_RING_MTE);
		told(tries[i].major, tries[i].minor, tries[i].device, 20);
		map(own.st_ino, 0, 0, 100);
		CU_ASSERT_EQUAL(found(100), !tries[i].known);
		finish();
	}
}

/* More files than the table has room for at first. */
static void many(void)
{
	begin(true, PITRACE_RING_MTE);
	for (uint64_t i = 1; i <= 3000; i++)
		map(own.st_ino + i, 0, 0, 100);
	map(own.st_ino, 0, 0, 200);
	for (uint64_t i = 1; i <= 3000; i++)
		map(own.st_ino + i, 0, 0, 300);
	map(own.st_ino, 0, 0, 400);
	CU_ASSERT_EQUAL(found(200), 1);
	finish();
}

/* The driver reports build ids of what is mapped, and which files have none: these are read once,
 * whichever of mapping and report is drained first. */
static void driver_reports_none(void)
{
	char path[64] = "/tmp/pitrace-buildid-XXXXXX", before[256];
	struct file_content c, now;
	struct stat st = own;
	int fd = mkstemp(path);

	CU_ASSERT_FATAL(fd >= 0 && !ftruncate(fd, 10000));
	CU_ASSERT_FATAL(pwrite(fd, "\177ELF\2\1\1", 7, 0) == 7);
	strcpy(before, own_path);
	strcpy(own_path, path);
	CU_ASSERT_EQUAL_FATAL(stat(path, &own), 0);
	CU_ASSERT_FATAL(file_content(fd, &now));
	bare = true;
	for (int first = 0; first < 2; first++) {
		begin(false, PITRACE_RING_MTE);
		if (first)
			told(PITRACE_MTE, PITRACE_MTE_BUILDID, 0, 0);
		map(own.st_ino, 0, 0, 50);
		told(PITRACE_MTE, PITRACE_MTE_BUILDID, 1, 0);
		if (!first)
			told(PITRACE_MTE, PITRACE_MTE_BUILDID, 0, 0);
		CU_ASSERT_EQUAL(found(50), 1);
		CU_ASSERT(file_content_get(last.id, &c));
		CU_ASSERT(c.size == 10000 && c.sum == now.sum && c.touched == now.touched);
		map(own.st_ino, 0, 0, 60);
		told(PITRACE_MTE, PITRACE_MTE_BUILDID, 0, 0);
		CU_ASSERT_EQUAL(found(60), 0);
		finish();
	}
	/* One with an id is not read, neither is one that nothing was reported of. */
	begin(false, PITRACE_RING_MTE);
	map(own.st_ino, 0, 0, 100);
	CU_ASSERT_EQUAL(found(100), 0);
	told(PITRACE_MTE, PITRACE_MTE_BUILDID, 0, 20);
	told(PITRACE_MTE, PITRACE_MTE_BUILDID, 0, 0);
	CU_ASSERT_EQUAL(found(100), 0);
	finish();
	bare = false;
	strcpy(own_path, before);
	own = st;
	close(fd);
	unlink(path);
}

/* For a file without a build id: its content. */
static void content(void)
{
	static const char *const changes[] = {
		"true %s",
		"chmod 700 %s",
		"printf x | dd of=%s bs=1 seek=2500 conv=notrunc status=none",
		"printf x | dd of=%s bs=1 seek=311300 conv=notrunc status=none",
		"printf x >>%s",
	};
	char path[64] = "/tmp/pitrace-buildid-XXXXXX", command[256], before[256];
	struct file_content first, c;
	struct stat st = own;
	int fd = mkstemp(path);

	CU_ASSERT_FATAL(fd >= 0 && !ftruncate(fd, 3 << 20));
	CU_ASSERT_FATAL(pwrite(fd, "\177ELF\2\1\1", 7, 0) == 7);
	strcpy(before, own_path);
	strcpy(own_path, path);
	CU_ASSERT_EQUAL_FATAL(stat(path, &own), 0);
	bare = true;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		snprintf(command, sizeof(command), changes[i], path);
		CU_ASSERT_EQUAL_FATAL(system(command), 0);
		begin(true, PITRACE_RING_MTE);
		map(own.st_ino, 0, 0, 100);
		CU_ASSERT_EQUAL(found(100), 1);
		finish();
		CU_ASSERT(file_content_get(last.id, &c));
		first = i ? first : c;
		/* (One byte between the blocks that are read is not seen.) */
		CU_ASSERT_EQUAL(c.sum == first.sum && c.size == first.size, i < 2);
		CU_ASSERT_EQUAL(fstat(fd, &own), 0);
		CU_ASSERT_EQUAL(c.touched, file_touched(&own));
	}
	CU_ASSERT_EQUAL(c.size, (3u << 20) + 1);
	bare = false;
	strcpy(own_path, before);
	own = st;
	close(fd);
	unlink(path);
}

int main(void)
{
	static const struct unit_test tests[] = { { "set_up", set_up },
						  { "once", once },
						  { "by_the_walk", by_the_walk },
						  { "waits", waits },
						  { "none", none },
						  { "content", content },
						  { "told_before", told_before },
						  { "many", many },
						  { "driver_reports_none", driver_reports_none },
						  { NULL, NULL } };

	return unit_run("buildid", tests);
}
