/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies of files in the trace: which files, once each, and no more than the limits. */
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "file/segment.h"
#include "image/file_copies.h"
#include "unit.h"
#include "xorshift.h"

static char dir[] = "/tmp/file_copies.XXXXXX";
static struct file_copies *copies;
static struct pifile_writer *writer;
static const struct rights *user;
static int trace;
static int held[8], nheld; /* the files, so that no inode is given again */

static void begin(int compression, uint64_t most)
{
	trace = memfd_create("trace", MFD_CLOEXEC);
	writer = pifile_create_fd(dup(trace),
				  &(struct pifile_header){ .clock = PITRACE_CLOCK_MONOTONIC });
	copies = file_copies_new(most, user);
	CU_ASSERT_FATAL(writer && copies);
	pifile_set_compression(writer, compression);
}

static int scan(void *arg, const void *segment, size_t size)
{
	CU_ASSERT_EQUAL(file_copies_scan(copies, writer, *(int *)arg, segment, size), 0);
	return 0;
}

/* A file in the folder: what it begins with, and its size. The rest cannot be compressed. */
static const char *file(const char *name, const void *head, size_t n, size_t size)
{
	static char path[256];
	static uint64_t block[8192];
	uint64_t x = 88172645463325252ull;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	CU_ASSERT_FATAL(f && fwrite(head, 1, n, f) == n);
	for (size_t more; n < size; n += more) {
		for (size_t i = 0; i < sizeof(block) / 8; i++)
			block[i] = xorshift(&x);
		more = size - n < sizeof(block) ? size - n : sizeof(block);
		CU_ASSERT_EQUAL_FATAL(fwrite(block, 1, more, f), more);
	}
	CU_ASSERT_EQUAL_FATAL(fclose(f), 0);
	return path;
}

static const char *elf(const char *name, size_t size)
{
	return file(name, ELFMAG "rest", SELFMAG + 4, size);
}

enum there { HERE, GONE };

/* This process has mapped the file, as a record says. GONE: it has no name any more. */
static void mapped(const char *path, enum there there, uint32_t flags, uint16_t ring,
		   int compression)
{
	struct segment_out out = { .session = 1, .ring = ring, .size = 65536 };
	size_t length = strlen(path), size = sizeof(struct pitrace_mte_map) + ((length + 4) & ~3ul);
	int fd = open(path, O_RDONLY), err = 0;
	struct pitrace_mte_map *m = segment_put(&out, PITRACE_MTE, PITRACE_MTE_MODULE,
						PITRACE_TYPE_STRUCT, size, 1, scan, NULL, &err);
	struct stat st;
	void *at;

	CU_ASSERT_FATAL(fd >= 0 && m && !fstat(fd, &st));
	at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	CU_ASSERT_FATAL(at != MAP_FAILED);
	held[nheld++] = fd;
	if (there == GONE)
		unlink(path);
	memset(m, 0, size);
	m->pid = (uint32_t)getpid();
	m->flags = flags;
	m->start = (uintptr_t)at;
	m->length = ((uint64_t)st.st_size + 4095) & ~4095ull;
	m->inode = st.st_ino;
	m->dev_major = major(st.st_dev);
	m->dev_minor = minor(st.st_dev);
	m->path_len = (uint32_t)length;
	memcpy(m->path, path, length);
	CU_ASSERT_EQUAL(segment_close(&out, scan, &compression), 0);
	segment_free(&out);
	munmap(at, (size_t)st.st_size);
}

/* Ends the file. Returns "BYTES ..." of the copies in it, which begin as they must. */
static const char *written(void)
{
	static char text[256];
	void *buffer = NULL;
	struct pifile *f;
	size_t n = 0;

	CU_ASSERT_EQUAL(pifile_finish(writer), 0);
	file_copies_free(copies);
	snprintf(text, sizeof(text), "/proc/self/fd/%d", trace);
	f = pifile_open(text, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	*text = '\0';
	for (size_t i = 0; i < pifile_sections(f); i++) {
		const uint8_t *p;
		size_t size;

		if (pifile_section(f, i)->type != PIFILE_SEC_FILE)
			continue;
		p = pifile_payload(f, i, &buffer, &size);
		CU_ASSERT_FATAL(p && size > sizeof(struct pitrace_mte_buildid));
		CU_ASSERT(!memcmp(p + sizeof(struct pitrace_mte_buildid), ELFMAG "rest", 8));
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%zu", n ? " " : "",
				      size - sizeof(struct pitrace_mte_buildid));
	}
	free(buffer);
	pifile_close(f);
	close(trace);
	while (nheld)
		close(held[--nheld]);
	return text;
}

#define CODE (PITRACE_MAP_READ | PITRACE_MAP_EXEC)

static bool may_not(void)
{
	if (!access("/proc/self/map_files", R_OK | X_OK) && !geteuid())
		return false;
	unit_skip(NULL, "only root opens files that have no name");
	return true;
}

static void once(void)
{
	const char *path;

	if (may_not())
		return;
	begin(0, FILE_COPIES_MOST);
	path = elf("one", 5000);
	mapped(path, GONE, CODE, PITRACE_RING_MTE, 0);
	mapped(elf("two", 6000), GONE, CODE, PITRACE_RING_MTE, 0);
	CU_ASSERT_STRING_EQUAL(written(), "5000 6000");
	begin(0, FILE_COPIES_MOST);
	path = elf("one", 5000);
	mapped(path, HERE, CODE, PITRACE_RING_MTE, 0);
	mapped(path, GONE, CODE, PITRACE_RING_MTE, 0); /* it was here when it was seen first */
	CU_ASSERT_STRING_EQUAL(written(), "");
}

/* Files that are found by their path, that are not mapped as code, or are not ELF files. */
static void others(void)
{
	if (may_not())
		return;
	begin(3, FILE_COPIES_MOST);
	mapped(elf("here", 5000), HERE, CODE, PITRACE_RING_MTE, 3);
	mapped(elf("data", 5000), GONE, PITRACE_MAP_READ, PITRACE_RING_MTE, 3);
	mapped(file("text", "#!/bin/sh\n", 10, 10), GONE, CODE, PITRACE_RING_MTE, 3);
	mapped(file("short", "\177E", 2, 2), GONE, CODE, PITRACE_RING_MTE, 3);
	mapped(elf("ring", 5000), GONE, CODE, PITRACE_RING_TRACE, 3);
	CU_ASSERT_STRING_EQUAL(written(), "");
}

static void limits(void)
{
	if (may_not())
		return;
	begin(0, FILE_COPIES_MOST);
	mapped(elf("large", FILE_COPY_MOST + 1), GONE, CODE, PITRACE_RING_MTE, 0);
	mapped(elf("first", FILE_COPY_MOST), GONE, CODE, PITRACE_RING_MTE, 0);
	mapped(elf("second", FILE_COPY_MOST - 1), GONE, CODE, PITRACE_RING_MTE, 0);
	mapped(elf("third", 9), GONE, CODE, PITRACE_RING_MTE, 0);
	CU_ASSERT_STRING_EQUAL(written(), "33554432 33554431");
	begin(0, 6000);
	mapped(elf("more", 6001), GONE, CODE, PITRACE_RING_MTE, 0);
	mapped(elf("fits", 5000), GONE, CODE, PITRACE_RING_MTE, 0);
	mapped(elf("full", 1001), GONE, CODE, PITRACE_RING_MTE, 0);
	mapped(elf("rest", 1000), GONE, CODE, PITRACE_RING_MTE, 0);
	CU_ASSERT_STRING_EQUAL(written(), "5000 1000");
}

/* Root traces for a user: files of other users' processes, such as this one, stay theirs. */
static void of_other_users(void)
{
	struct rights nobody = { .uid = geteuid() + 1 }, own = { .uid = geteuid() };

	if (may_not())
		return;
	user = &nobody;
	begin(0, FILE_COPIES_MOST);
	mapped(elf("theirs", 5000), GONE, CODE, PITRACE_RING_MTE, 0);
	CU_ASSERT_STRING_EQUAL(written(), "");
	user = &own;
	begin(0, FILE_COPIES_MOST);
	mapped(elf("own", 5000), GONE, CODE, PITRACE_RING_MTE, 0);
	CU_ASSERT_STRING_EQUAL(written(), "5000");
	user = NULL;
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "once", once },     { "others", others },
		{ "limits", limits }, { "of_other_users", of_other_users },
		{ NULL, NULL },
	};
	char command[64];
	int rc;

	if (!mkdtemp(dir))
		return 1;
	rc = unit_run("file_copies", tests);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) ? 1 : rc;
}
