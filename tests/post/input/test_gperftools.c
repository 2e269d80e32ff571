/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile of gperftools cut at every byte: what is whole is read, the rest told. */
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
			*maps += r.major == PITRACE_MTE && r.minor == PITRACE_MTE_MODULE;
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

int main(void)
{
	static const struct unit_test tests[] = {
		{ "cut_everywhere", cut_everywhere },
		{ NULL, NULL },
	};

	return unit_run("gperftools", tests);
}
