/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A gperftools profile cut at every byte: the complete part is read, the rest is reported. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "input/readers.h"
#include "unit.h"

static uint64_t slots[64];
static size_t nslots;

static void put(uint64_t value)
{
	slots[nslots++] = value;
}

static void stack(uint64_t count, uint64_t depth)
{
	put(count);
	put(depth);
	for (uint64_t i = 0; i < depth; i++)
		put(0x401000 + 16 * i);
}

static union {
	struct pitrace_mte_map map;
	char room[sizeof(struct pitrace_mte_map) + 200];
} last; /* that was mapped */

/* Samples of a profile of this size; *code as post ends: 0 clean, 1 damaged, 2 nothing was read. */
static uint64_t samples(const void *data, size_t size, int *code, uint64_t *maps)
{
	int fd = memfd_create("profile", MFD_CLOEXEC);
	struct pifile_fault fault;
	const struct pifile_fault *faults;
	struct input in = { .reader = &reader_gperftools };
	struct pirecord r;
	uint64_t n = 0;
	char path[64];

	CU_ASSERT_EQUAL_FATAL(write(fd, data, size), (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	in.path = path;
	*code = 2;
	*maps = 0;
	memset(&fault, 0, sizeof(fault));
	if (in.reader->probe(data, size) && !in.reader->open(&in, &fault)) {
		CU_ASSERT_FALSE(in.reader->begin(&in, PIMERGE_MTE | PIMERGE_TRACE));
		while (in.reader->next(&in, &r) > 0) {
			n += r.major == PITRACE_TPROF ? 1 + r.repeats : 0;
			if (r.major != PITRACE_MTE || r.minor != PITRACE_MTE_MODULE)
				continue;
			++*maps;
			memcpy(&last, r.data, r.size < sizeof(last) ? r.size : sizeof(last));
		}
		*code = in.reader->faults(&in, &faults) ? 1 : 0;
		if (*code)
			CU_ASSERT(faults[0].what[0] && faults[0].offset <= size);
		in.reader->close(&in);
	}
	close(fd);
	return n;
}

static void cut_everywhere(void)
{
	static const char text[] = "00400000-00401000 r--p 00000000 08:01 12345      /bin/true\n"
				   "00401000-00402000 r-xp 00001000 08:01 12345      /bin/true\n";
	uint8_t file[sizeof(slots) + sizeof(text)];
	size_t first, second, third, trailer, size;
	uint64_t maps;
	int code;

	nslots = 0;
	put(0);
	put(3);
	put(0);
	put(1000);
	put(0);
	first = 8 * nslots;
	stack(5, 3);
	second = 8 * nslots;
	stack(1, 1);
	third = 8 * nslots;
	stack(40, 2);
	trailer = 8 * nslots;
	put(0);
	put(1);
	put(0);
	memcpy(file, slots, 8 * nslots);
	memcpy(file + 8 * nslots, text, sizeof(text) - 1);
	size = 8 * nslots + sizeof(text) - 1;
	for (size_t n = 0; n <= size; n++) {
		uint64_t want = n < second ? 0 : n < third ? 5 : n < trailer ? 6 : 46;

		CU_ASSERT_EQUAL(samples(file, n, &code, &maps), want);
		CU_ASSERT_EQUAL(code, n < first ? 2 : n < trailer + 24 ? 1 : 0);
		CU_ASSERT_EQUAL(maps, n > size - strlen("12345      /bin/true\n"));
	}
}

/* A line of the text, what it says, and the path; NULL: it says nothing. */
static void mappings(void)
{
	enum { R = PITRACE_MAP_READ, W = PITRACE_MAP_WRITE, X = PITRACE_MAP_EXEC };
	static const struct {
		const char *line, *path;
		uint64_t start, length, offset, inode;
		uint32_t major, minor, flags;
	} rows[] = {
		{ "401000-402000 r-xp 1000 08:1f 12 /a b", "/a b", 0x401000, 0x1000, 0x1000, 12, 8,
		  0x1f, R | X },
		{ "401000-402000 rwxp 1000 fe:02 12\t/a", "/a", 0x401000, 0x1000, 0x1000, 12, 0xfe,
		  2, R | W | X },
		{ "401000-401001 r-xs 0 0:0 0 /a", "/a", 0x401000, 1, 0, 0, 0, 0, R | X },
		{ "401000-403000: /older", "/older", 0x401000, 0x2000, 0, 0, 0, 0, R | X },
		{ "401000-403000:\t$build/of", "here/of", 0x401000, 0x2000, 0, 0, 0, 0, R | X },
		{ "401000-403000: /$builds/$build_/$build", "/$builds/$build_/here", 0x401000,
		  0x2000, 0, 0, 0, 0, R | X },
		{ .line = "401000-402000 rw-p 1000 08:1f 12 /a" },
		{ .line = "401000-402000 r--p 1000 08:1f 12 /a" },
		{ .line = "401000-401000 r-xp 1000 08:1f 12 /a" },
		{ .line = "401000-400fff r-xp 1000 08:1f 12 /a" },
		{ .line = "401000 402000 r-xp 1000 08:1f 12 /a" },
		{ .line = "401000-402000r-xp 1000 08:1f 12 /a" },
		{ .line = "401000-402000 r-x" },
		{ .line = "401000-402000 r-xp1000 08:1f 12 /a" },
		{ .line = "401000-402000 r-xp 1000 08 1f 12 /a" },
		{ .line = "401000-402000 r-xp 1000 08:1f x /a" },
		{ .line = "401000-402000:/older" },
		{ .line = "401000-402000: " },
		{ .line = "x01000-402000 r-xp 1000 08:1f 12 /a" },
	};
	uint8_t file[sizeof(slots) + 200];
	uint64_t maps;
	int code;

	nslots = 0;
	put(0);
	put(3);
	put(0);
	put(1000);
	put(0);
	stack(5, 3);
	put(0);
	put(1);
	put(0);
	memcpy(file, slots, 8 * nslots);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		int n = snprintf((char *)file + 8 * nslots, 200, "build=here\n%s\n", rows[i].line);

		memset(&last, 0, sizeof(last));
		CU_ASSERT_EQUAL(samples(file, 8 * nslots + (size_t)n, &code, &maps), 5);
		CU_ASSERT_EQUAL(maps, rows[i].path != NULL);
		if (!rows[i].path || !maps)
			continue;
		CU_ASSERT_EQUAL(last.map.start, rows[i].start);
		CU_ASSERT_EQUAL(last.map.length, rows[i].length);
		CU_ASSERT_EQUAL(last.map.offset, rows[i].offset);
		CU_ASSERT_EQUAL(last.map.inode, rows[i].inode);
		CU_ASSERT_EQUAL(last.map.dev_major, rows[i].major);
		CU_ASSERT_EQUAL(last.map.dev_minor, rows[i].minor);
		CU_ASSERT_EQUAL(last.map.flags, rows[i].flags);
		CU_ASSERT_STRING_EQUAL(last.map.path, rows[i].path);
	}
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "cut_everywhere", cut_everywhere },
		{ "mappings", mappings },
		{ NULL, NULL },
	};

	return unit_run("gperftools", tests);
}
