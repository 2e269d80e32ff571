/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code that processes had mapped, by perf's records: mappings of any order over one another, forks
 * and execs against a model; whether a file is the one that was mapped; mappings without code.
 */
#include <elf.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/perf/perf_code.h"
#include "unit.h"

enum { PAGE = 4096, FILES = 3, FILE_PAGES = 40, LAST = 100 /* bytes of a file's last page */ };
#define FILE_BYTES ((size_t)(FILE_PAGES - 1) * PAGE + LAST)
#define BASE       0x7f0000000000u

static char folder[] = "/tmp/pitrace-code-XXXXXX";

static struct made_file {
	char path[64];
	uint64_t inode;
	uint8_t data[FILE_BYTES];
} file[FILES];

static uint64_t write_file(const char *path, const void *data, size_t size)
{
	FILE *f = fopen(path, "w");
	struct stat st;

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	CU_ASSERT(fwrite(data, 1, size, f) == size && !fclose(f));
	CU_ASSERT_EQUAL(stat(path, &st), 0);
	return st.st_ino;
}

static void make_files(void)
{
	srand(1);
	for (int i = 0; i < FILES; i++) {
		snprintf(file[i].path, sizeof(file[i].path), "%s/%d", folder, i);
		for (size_t k = 0; k < FILE_BYTES; k++)
			file[i].data[k] = (uint8_t)rand();
		file[i].inode = write_file(file[i].path, file[i].data, FILE_BYTES);
	}
}

/* ---- records --------------------------------------------------------------------------------- */

static struct perf_item mapping(uint32_t pid, int of, uint64_t start, uint64_t length,
				uint64_t offset)
{
	return (struct perf_item){
		.type = PERF_RECORD_MMAP2,
		.misc = PERF_RECORD_MISC_USER,
		.of_pid = pid,
		.text = file[of].path,
		.text_len = strlen(file[of].path),
		.inode = file[of].inode,
		.start = start,
		.length = length,
		.offset = offset,
	};
}

static void forks(struct perf_code *c, uint32_t parent, uint32_t child)
{
	const struct perf_item item = {
		.type = PERF_RECORD_FORK,
		.parent_pid = parent,
		.of_pid = child,
	};

	CU_ASSERT_EQUAL(perf_code_record(c, &item), 0);
}

static void named(struct perf_code *c, uint32_t pid, bool exec)
{
	const struct perf_item item = {
		.type = PERF_RECORD_COMM,
		.misc = exec ? PERF_RECORD_MISC_COMM_EXEC : 0,
		.of_pid = pid,
		.text = "a",
		.text_len = 1,
	};

	CU_ASSERT_EQUAL(perf_code_record(c, &item), 0);
}

static void takes(struct perf_code *c, struct perf_item item)
{
	CU_ASSERT_EQUAL(perf_code_record(c, &item), 0);
}

/* How much is read; what is, is the file's. */
static size_t reads(struct perf_code *c, uint32_t pid, uint64_t address, size_t size, int of,
		    uint64_t offset)
{
	uint8_t got[3 * PAGE];
	size_t n;

	CU_ASSERT_FATAL(size < sizeof(got));
	memset(got, 0xee, sizeof(got));
	n = perf_code_read(c, pid, address, got, size);
	CU_ASSERT_FATAL(n <= size);
	CU_ASSERT(!n || (offset + n <= FILE_BYTES && !memcmp(got, file[of].data + offset, n)));
	for (size_t i = n; i < sizeof(got); i++)
		CU_ASSERT_EQUAL(got[i], 0xee);
	return n;
}

/* ---- a model: of each page of each process, where it is from --------------------------------- */

enum { PIDS = 7, SPACE = 64 };

static struct from {
	int of; /* file; -1: no mapping */
	uint32_t page;
} space[PIDS][SPACE];

static void maps(struct perf_code *c, uint32_t pid)
{
	const uint32_t at = (uint32_t)rand() % SPACE, page = (uint32_t)rand() % FILE_PAGES;
	const uint32_t most = SPACE - at < 9 ? SPACE - at : 9, n = 1 + (uint32_t)rand() % most;
	const int of = rand() % FILES;

	takes(c, mapping(pid, of, BASE + (uint64_t)at * PAGE, (uint64_t)n * PAGE,
			 (uint64_t)page * PAGE));
	for (uint32_t i = 0; i < n; i++)
		space[pid][at + i] = (struct from){ of, page + i };
}

static void as_the_model(struct perf_code *c, uint32_t pid)
{
	const uint32_t at = (uint32_t)rand() % SPACE, within = (uint32_t)rand() % PAGE;
	const uint32_t size = 1 + (uint32_t)rand() % (PAGE - within);
	const struct from *f = &space[pid][at];
	const uint64_t offset = (uint64_t)f->page * PAGE + within;
	size_t want = size;

	if (f->of < 0 || offset >= FILE_BYTES)
		want = 0;
	else if (want > FILE_BYTES - offset)
		want = FILE_BYTES - offset;
	CU_ASSERT_EQUAL(reads(c, pid, BASE + (uint64_t)at * PAGE + within, size,
			      f->of < 0 ? 0 : f->of, offset),
			want);
}

static void any_order(void)
{
	struct perf_code *c = perf_code_new();

	CU_ASSERT_PTR_NOT_NULL_FATAL(c);
	memset(space, 0xff, sizeof(space));
	srand(7);
	for (int turn = 0; turn < 30000; turn++) {
		const uint32_t pid = (uint32_t)rand() % PIDS, other = (uint32_t)rand() % PIDS;
		const int what = rand() % 40;

		if (what == 0) {
			forks(c, pid, other);
			memmove(space[other], space[pid], sizeof(space[pid]));
		} else if (what < 3) {
			named(c, pid, what == 1);
			if (what == 1)
				memset(space[pid], 0xff, sizeof(space[pid]));
		} else if (what < 10) {
			maps(c, pid);
		} else {
			as_the_model(c, pid);
		}
	}
	perf_code_free(c);
}

/* From one page to the next; what is before a mapping's first byte, behind its last; a file's
 * end. */
static void ends(void)
{
	struct perf_code *c = perf_code_new();

	CU_ASSERT_PTR_NOT_NULL_FATAL(c);
	takes(c, mapping(1, 0, BASE, 2 * PAGE, PAGE));
	CU_ASSERT_EQUAL(reads(c, 1, BASE, 2 * PAGE, 0, PAGE), 2 * PAGE);
	CU_ASSERT_EQUAL(reads(c, 1, BASE + PAGE - 1, 2, 0, 2 * PAGE - 1), 2);
	CU_ASSERT_EQUAL(reads(c, 1, BASE + 2 * PAGE - 1, 1, 0, 3 * PAGE - 1), 1);
	CU_ASSERT_EQUAL(reads(c, 1, BASE + 2 * PAGE - 1, 2, 0, 3 * PAGE - 1), 1);
	CU_ASSERT_EQUAL(reads(c, 1, BASE + 2 * PAGE, 1, 0, 0), 0);
	CU_ASSERT_EQUAL(reads(c, 1, BASE - 1, 2, 0, 0), 0);
	CU_ASSERT_EQUAL(reads(c, 2, BASE, 1, 0, 0), 0);
	/* The file ends in this mapping. */
	takes(c, mapping(1, 1, BASE + 8 * PAGE, 3 * PAGE, (uint64_t)(FILE_PAGES - 2) * PAGE));
	CU_ASSERT_EQUAL(reads(c, 1, BASE + 8 * PAGE, 2 * PAGE, 1, FILE_BYTES - LAST - PAGE),
			PAGE + LAST);
	CU_ASSERT_EQUAL(reads(c, 1, BASE + 9 * PAGE + LAST - 1, 2, 1, FILE_BYTES - 1), 1);
	CU_ASSERT_EQUAL(reads(c, 1, BASE + 9 * PAGE + LAST, 1, 1, 0), 0);
	CU_ASSERT_EQUAL(reads(c, 1, BASE + 10 * PAGE, 1, 1, 0), 0);
	/* Offsets that no file has. */
	takes(c, mapping(3, 0, BASE, PAGE, INT64_MAX));
	takes(c, mapping(3, 0, BASE + PAGE, PAGE, UINT64_MAX - 100));
	CU_ASSERT_EQUAL(reads(c, 3, BASE, 10, 0, 0), 0);
	CU_ASSERT_EQUAL(reads(c, 3, BASE + PAGE, 10, 0, 0), 0);
	perf_code_free(c);
}

/* ---- mappings without code ----------------------------------------------------------------- */

static void left_out(void)
{
	struct perf_code *c = perf_code_new();
	struct perf_item item;

	CU_ASSERT_PTR_NOT_NULL_FATAL(c);
	for (int how = 0; how < 8; how++) {
		const uint64_t at = BASE + (uint64_t)how * 8 * PAGE;

		item = mapping(1, 0, at, PAGE, 0);
		if (how == 0)
			item.misc |= PERF_RECORD_MISC_MMAP_DATA;
		if (how == 1)
			item.misc = PERF_RECORD_MISC_KERNEL;
		if (how == 2)
			item.text = NULL;
		if (how == 3)
			item.length = 0;
		if (how == 4)
			item.length = -at;
		if (how == 5)
			item.text = "0"; /* below which folder? */
		if (how == 6)
			item.type = PERF_RECORD_KSYMBOL;
		if (how == 7)
			item.type = PERF_RECORD_MMAP;
		takes(c, item);
		CU_ASSERT_EQUAL(reads(c, 1, at, 16, 0, 0), how == 7 ? 16 : 0);
	}
	perf_code_free(c);
}

/* A child has what its parent had then; of more ancestors than 64, none. */
static void generations(void)
{
	struct perf_code *c = perf_code_new();

	CU_ASSERT_PTR_NOT_NULL_FATAL(c);
	takes(c, mapping(100, 0, BASE, PAGE, 0));
	forks(c, 100, 100);
	CU_ASSERT_EQUAL(reads(c, 100, BASE, 1, 0, 0), 1);
	for (uint32_t i = 0; i < 65; i++)
		forks(c, 100 + i, 101 + i);
	CU_ASSERT_EQUAL(reads(c, 163, BASE, 1, 0, 0), 1);
	CU_ASSERT_EQUAL(reads(c, 164, BASE, 1, 0, 0), 1);
	CU_ASSERT_EQUAL(reads(c, 165, BASE, 1, 0, 0), 0);
	takes(c, mapping(100, 1, BASE, PAGE, 0));
	takes(c, mapping(165, 2, BASE, PAGE, 0));
	CU_ASSERT_EQUAL(reads(c, 100, BASE, 9, 1, 0), 9);
	CU_ASSERT_EQUAL(reads(c, 164, BASE, 9, 0, 0), 9);
	CU_ASSERT_EQUAL(reads(c, 165, BASE, 9, 2, 0), 9);
	/* The child of a parent that nobody knows. */
	forks(c, 999, 100);
	CU_ASSERT_EQUAL(reads(c, 100, BASE, 1, 0, 0), 0);
	perf_code_free(c);
}

/* As many mappings as the kernel allows a process, and some. */
static void many(void)
{
	enum { MOST = 65536 };
	struct perf_code *c = perf_code_new();

	CU_ASSERT_PTR_NOT_NULL_FATAL(c);
	for (uint32_t i = 0; i <= MOST; i++)
		takes(c, mapping(1, 0, BASE + (uint64_t)i * PAGE, PAGE, 0));
	CU_ASSERT_EQUAL(reads(c, 1, BASE, 1, 0, 0), 1);
	CU_ASSERT_EQUAL(reads(c, 1, BASE + (uint64_t)(MOST - 1) * PAGE, 1, 0, 0), 1);
	CU_ASSERT_EQUAL(reads(c, 1, BASE + (uint64_t)MOST * PAGE, 1, 0, 0), 0);
	perf_code_free(c);
}

/* ---- is it the file? ------------------------------------------------------------------------- */

struct noted {
	Elf64_Ehdr head;
	Elf64_Phdr part;
	Elf64_Nhdr note;
	char owner[4];
	uint8_t id[20];
};

static void other_files(void)
{
	static const struct {
		uint32_t size;      /* of the build id in the record; 0: none */
		int wrong;          /* this byte of it is another; -1: none */
		bool inode_differs; /* which matters without a build id */
		bool good;
	} cases[] = {
		{ 20, -1, false, true },  { 20, -1, true, true },  { 20, 0, false, false },
		{ 20, 19, false, false }, { 8, -1, true, true },   { 8, 8, false, true },
		{ 8, 7, false, false },   { 21, -1, true, false }, { 21, -1, false, true },
		{ 0, -1, true, false },   { 0, -1, false, true },
	};
	struct noted elf = {
		.head = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
				     __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB :
										 ELFDATA2MSB,
				     EV_CURRENT },
			.e_type = ET_DYN,
			.e_version = EV_CURRENT,
			.e_phoff = offsetof(struct noted, part),
			.e_ehsize = sizeof(Elf64_Ehdr),
			.e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = 1,
		},
		.part = {
			.p_type = PT_NOTE,
			.p_offset = offsetof(struct noted, note),
			.p_filesz = sizeof(struct noted) - offsetof(struct noted, note),
			.p_memsz = sizeof(struct noted) - offsetof(struct noted, note),
			.p_align = 4,
		},
		.note = { 4, 20, NT_GNU_BUILD_ID },
		.owner = "GNU",
	};
	char path[64];
	uint64_t inode;

	for (uint8_t i = 0; i < 20; i++)
		elf.id[i] = (uint8_t)(i + 1);
	snprintf(path, sizeof(path), "%s/elf", folder);
	inode = write_file(path, &elf, sizeof(elf));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct perf_code *c = perf_code_new();
		uint8_t id[24] = { 0 }, got[16];
		struct perf_item item = mapping(1, 0, BASE, PAGE, 0);
		size_t n;

		CU_ASSERT_PTR_NOT_NULL_FATAL(c);
		memcpy(id, elf.id, sizeof(elf.id));
		if (cases[i].wrong >= 0)
			id[cases[i].wrong] ^= 0x80;
		item.text = path;
		item.text_len = strlen(path);
		item.inode = inode + cases[i].inode_differs;
		item.build_id = cases[i].size ? id : NULL;
		item.build_id_size = cases[i].size;
		takes(c, item);
		n = perf_code_read(c, 1, BASE, got, sizeof(got));
		if (n != (cases[i].good ? sizeof(got) : 0))
			printf("# case %zu: %zu bytes\n", i, n);
		CU_ASSERT_EQUAL(n, cases[i].good ? sizeof(got) : 0);
		CU_ASSERT(!n || !memcmp(got, &elf, n));
		perf_code_free(c);
	}
}

/* By each of these one path is another file: who maps it anew has the new one, others have not. */
static void by_each(void)
{
	struct perf_code *c = perf_code_new();
	struct perf_item item;

	CU_ASSERT_PTR_NOT_NULL_FATAL(c);
	item = mapping(1, 0, BASE, PAGE, 0);
	item.inode++;
	takes(c, item);
	takes(c, mapping(2, 0, BASE, PAGE, 0));
	item = mapping(3, 0, BASE, PAGE, 0);
	item.inode = 0; /* not recorded: MMAP */
	takes(c, item);
	item = mapping(4, 0, BASE, PAGE, 0);
	item.build_id = (const uint8_t *)"01234567890123456789";
	item.build_id_size = 20;
	takes(c, item);
	CU_ASSERT_EQUAL(reads(c, 1, BASE, 16, 0, 0), 0);
	CU_ASSERT_EQUAL(reads(c, 2, BASE, 16, 0, 0), 16);
	CU_ASSERT_EQUAL(reads(c, 3, BASE, 16, 0, 0), 16);
	CU_ASSERT_EQUAL(reads(c, 4, BASE, 16, 0, 0), 0);
	perf_code_free(c);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "files", make_files },        { "any_order", any_order },     { "ends", ends },
		{ "left_out", left_out },       { "generations", generations }, { "many", many },
		{ "other_files", other_files }, { "by_each", by_each },         { NULL, NULL },
	};
	char command[64];
	int rc;

	if (!mkdtemp(folder))
		return 1;
	rc = unit_run("perf_code", tests);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) || rc;
}
