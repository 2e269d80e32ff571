/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The jitdump writer: what it writes is read back, also where others look; a disk that fills. */
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jitdump.h"
#include "unit.h"

static struct jitdump_event e;

static struct jitdump_fault told(struct jitdump *d)
{
	struct jitdump_fault f;

	jitdump_fault(d, &f);
	return f;
}

static char folder[] = "/tmp/jitdumpXXXXXX";

static void test_write(void)
{
	static const struct jitdump_line lines[] = {
		{ 0x1000, 1, 0, "a.c" },
		{ 0x1004, 2, 5, "a.c" },
		{ 0x1008, 3, 0, NULL },
	};
	struct jitdump_writer *w, *second;
	struct jitdump_line line;
	struct jitdump *d;
	uint64_t index = 99, before;
	char maps[4096], path[128];
	const char *why;
	FILE *f;
	bool marked = false;

	CU_ASSERT_EQUAL_FATAL(jitdump_create(&w, folder), 0);
	snprintf(path, sizeof(path), "%s/jit-%d.dump", folder, (int)getpid());
	CU_ASSERT_STRING_EQUAL(jitdump_path(w), path);
	f = fopen("/proc/self/maps", "r");
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	while (fgets(maps, sizeof(maps), f))
		marked |= strstr(maps, path) && strstr(maps, "r-xp");
	fclose(f);
	CU_ASSERT_TRUE(marked);

	CU_ASSERT_EQUAL(jitdump_load(w, "f", 0x1000, 12, "abcdefghijkl", lines, 3, &index), 0);
	CU_ASSERT_EQUAL(index, 0);
	CU_ASSERT_EQUAL(jitdump_load(w, "g", 0x2000, 1000, NULL, NULL, 0, &index), 0);
	CU_ASSERT_EQUAL(index, 1);
	CU_ASSERT_EQUAL(jitdump_move(w, 1, 0x2000, 0x3000, 1000), 0);
	CU_ASSERT_EQUAL(jitdump_load(w, "x", 0, UINT64_MAX, NULL, NULL, 0, &index), -EMSGSIZE);

	CU_ASSERT_EQUAL_FATAL(jitdump_open(&d, open(path, O_RDONLY), &why), 0);
	CU_ASSERT_EQUAL(jitdump_info(d)->pid, (uint32_t)getpid());
	CU_ASSERT_NOT_EQUAL(jitdump_info(d)->machine, EM_NONE);
	CU_ASSERT_EQUAL(jitdump_next(d, &e), 1);
	CU_ASSERT_STRING_EQUAL(e.name, "f");
	CU_ASSERT_EQUAL(e.address, 0x1000);
	CU_ASSERT_EQUAL(e.size, 12);
	CU_ASSERT_EQUAL(e.pid, (uint32_t)getpid());
	before = e.time;
	CU_ASSERT(before > 0);
	for (int i = 0; i < 3; i++) {
		CU_ASSERT_TRUE(jitdump_line(d, &line));
		CU_ASSERT_EQUAL(line.address, lines[i].address);
		CU_ASSERT_EQUAL(line.line, lines[i].line);
		CU_ASSERT_EQUAL(line.discriminator, lines[i].discriminator);
		CU_ASSERT_STRING_EQUAL(line.file, lines[i].file ? lines[i].file : "");
	}
	CU_ASSERT_FALSE(jitdump_line(d, &line));
	CU_ASSERT_EQUAL(jitdump_next(d, &e), 1);
	CU_ASSERT_STRING_EQUAL(e.name, "g");
	CU_ASSERT_EQUAL(e.code_offset, 0);
	CU_ASSERT(e.time >= before);
	CU_ASSERT_EQUAL(jitdump_next(d, &e), 1);
	CU_ASSERT_EQUAL(e.kind, JITDUMP_MOVE);
	CU_ASSERT_EQUAL(e.from, 0x2000);
	CU_ASSERT_EQUAL(e.address, 0x3000);
	CU_ASSERT_EQUAL(e.index, 1);
	CU_ASSERT_EQUAL(jitdump_next(d, &e), 0);
	/* We read while it writes. */
	CU_ASSERT_EQUAL(jitdump_load(w, "late", 0x4000, 4, "abcd", NULL, 0, NULL), 0);
	CU_ASSERT_EQUAL(jitdump_next(d, &e), 1);
	CU_ASSERT_STRING_EQUAL(e.name, "late");
	CU_ASSERT_EQUAL(jitdump_next(d, &e), 0);
	/* A second one in the same process begins anew; the first one's reader keeps its file. */
	CU_ASSERT_EQUAL(jitdump_create(&second, folder), 0);
	CU_ASSERT_EQUAL(jitdump_end(second), 0);
	CU_ASSERT_EQUAL(jitdump_end(w), 0);
	CU_ASSERT_EQUAL(jitdump_next(d, &e), 0);
	CU_ASSERT_PTR_NULL(told(d).what);
	jitdump_close(d);
	unlink(path);
	CU_ASSERT_EQUAL(jitdump_create(&w, "/nowhere/at/all"), -ENOENT);
}

/* Code that is announced late has a record of the delay. */
static void test_write_late(void)
{
	static uint8_t image[4096];
	struct jitdump_writer *w;
	struct jitdump *d;
	uint64_t at;
	char path[128];
	const char *why;
	FILE *f;

	CU_ASSERT_EQUAL_FATAL(jitdump_create_late(&w, folder, 5000), 0);
	snprintf(path, sizeof(path), "%s", jitdump_path(w));
	CU_ASSERT_EQUAL(jitdump_load(w, "f", 0x1000, 4, "abcd", NULL, 0, NULL), 0);
	CU_ASSERT_EQUAL(jitdump_load_late(w, 7, "g", 0x2000, 4, NULL, NULL, 0, NULL), 0);
	CU_ASSERT_EQUAL(jitdump_unload(w, 0x1000, 4), 0);
	CU_ASSERT_EQUAL(jitdump_unload(w, 0, 1ull << 40), 0);
	CU_ASSERT_EQUAL(jitdump_load_late(w, UINT64_MAX - 1, "h", 0x1000, 4, "efgh", NULL, 0, NULL),
			0);
	CU_ASSERT_EQUAL(jitdump_end(w), 0);
	CU_ASSERT_EQUAL_FATAL(jitdump_open(&d, open(path, O_RDONLY), &why), 0);
	CU_ASSERT_EQUAL(jitdump_info(d)->late, 5000);
	CU_ASSERT_EQUAL(jitdump_next(d, &e), 1);
	CU_ASSERT_STRING_EQUAL(e.name, "f");
	CU_ASSERT_EQUAL(e.earliest, e.time - 5000);
	at = e.code_offset;
	CU_ASSERT_EQUAL(jitdump_next(d, &e), 1);
	CU_ASSERT_STRING_EQUAL(e.name, "g");
	CU_ASSERT_EQUAL(e.earliest, e.time - 5000);
	CU_ASSERT_EQUAL(e.code_offset, 0);
	CU_ASSERT_EQUAL(jitdump_next(d, &e), 1);
	CU_ASSERT_EQUAL(e.kind, JITDUMP_UNLOAD);
	CU_ASSERT_EQUAL(e.address, 0x1000);
	CU_ASSERT_EQUAL(e.size, 4);
	CU_ASSERT_EQUAL(e.pid, (uint32_t)getpid());
	/* A record of an impossible size is left out; code cannot have run later than its
	 * announcement. */
	CU_ASSERT_EQUAL(jitdump_next(d, &e), 1);
	CU_ASSERT_EQUAL(e.earliest, e.time);
	CU_ASSERT_EQUAL(jitdump_next(d, &e), 0);
	CU_ASSERT_EQUAL(told(d).records, 1);
	jitdump_close(d);
	/* Where others look for the code, at the record's end: it is there. */
	f = fopen(path, "r");
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	CU_ASSERT(fread(image, 1, sizeof(image), f) > 0);
	fclose(f);
	CU_ASSERT(at && !memcmp(image + at, "abcd", 4));
	CU_ASSERT_EQUAL(at + 4, 56 + *(uint32_t *)(image + 56 + 4));
	unlink(path);
}

/* Tables apply only to the next load; a line table and a delay may accompany them. */
static void test_unwind(void)
{
	static const struct jitdump_line line = { 0x1000, 1, 0, "a.c" };
	const struct jitdump_unwind both = { "eh_frame", 8, "\1\x1b\3\x3b", 4 };
	const struct jitdump_unwind table = { "eh_frame", 8, NULL, 0 };
	const struct jitdump_unwind none = { NULL, 0, "\1\x1b\3\x3b", 4 };
	const struct jitdump_unwind large = { "", 1ull << 40, NULL, 0 };
	const struct jitdump_unwind large_header = { "eh_frame", 8, "", UINT64_MAX };
	struct jitdump_writer *w;
	struct jitdump_line got;
	struct jitdump *d;
	char path[128], bytes[16];
	const char *why;
	int late, fd;

	for (late = 0; late < 2; late++) {
		CU_ASSERT_EQUAL_FATAL(jitdump_create_late(&w, folder, late ? 5000 : 0), 0);
		snprintf(path, sizeof(path), "%s", jitdump_path(w));
		CU_ASSERT_EQUAL(jitdump_load_unwind(w, 0, "f", 0x1000, 4, "abcd", &line, 1, &both,
						    NULL),
				0);
		CU_ASSERT_EQUAL(jitdump_load(w, "g", 0x2000, 4, "efgh", NULL, 0, NULL), 0);
		CU_ASSERT_EQUAL(jitdump_load_unwind(w, 0, "h", 0x3000, 4, NULL, NULL, 0, &table,
						    NULL),
				0);
		CU_ASSERT_EQUAL(jitdump_load_unwind(w, 0, "i", 0x4000, 4, NULL, NULL, 0, &none,
						    NULL),
				0);
		CU_ASSERT_EQUAL(jitdump_load_unwind(w, 0, "x", 0x4000, 4, NULL, NULL, 0, &large,
						    NULL),
				-EMSGSIZE);
		CU_ASSERT_EQUAL(jitdump_load_unwind(w, 0, "x", 0x4000, 4, NULL, NULL, 0,
						    &large_header, NULL),
				-EMSGSIZE);
		CU_ASSERT_EQUAL(jitdump_end(w), 0);

		fd = open(path, O_RDONLY);
		CU_ASSERT_EQUAL_FATAL(jitdump_open(&d, fd, &why), 0);
		CU_ASSERT_EQUAL(jitdump_next(d, &e), 1);
		CU_ASSERT_STRING_EQUAL(e.name, "f");
		CU_ASSERT_EQUAL(e.lines, 1);
		CU_ASSERT_TRUE(jitdump_line(d, &got) && got.line == 1);
		CU_ASSERT_EQUAL(jitdump_code(d, bytes, sizeof(bytes)), 4);
		CU_ASSERT_EQUAL(memcmp(bytes, "abcd", 4), 0);
		CU_ASSERT_EQUAL(e.eh_frame_size, 8);
		CU_ASSERT_EQUAL(e.eh_frame_hdr_size, 4);
		CU_ASSERT_EQUAL(jitdump_eh_frame(d, bytes, 3), 3);
		CU_ASSERT_EQUAL(jitdump_eh_frame(d, bytes, sizeof(bytes)), 8);
		CU_ASSERT_EQUAL(memcmp(bytes, "eh_frame", 8), 0);
		CU_ASSERT_EQUAL(pread(fd, bytes, 4, (off_t)e.eh_frame_hdr_offset), 4);
		CU_ASSERT_EQUAL(memcmp(bytes, both.eh_frame_hdr, 4), 0);
		CU_ASSERT_EQUAL(jitdump_next(d, &e), 1);
		CU_ASSERT_EQUAL(e.lines, 0);
		CU_ASSERT_EQUAL(e.eh_frame_size, 0);
		CU_ASSERT_EQUAL(jitdump_eh_frame(d, bytes, sizeof(bytes)), 0);
		CU_ASSERT_EQUAL(jitdump_next(d, &e), 1);
		CU_ASSERT(e.eh_frame_size == 8 && !e.eh_frame_hdr_size && !e.code_offset);
		CU_ASSERT_EQUAL(jitdump_next(d, &e), 1);
		CU_ASSERT_STRING_EQUAL(e.name, "i");
		CU_ASSERT_EQUAL(e.eh_frame_size, 0);
		CU_ASSERT_EQUAL(jitdump_next(d, &e), 0);
		CU_ASSERT_PTR_NULL(told(d).what);
		jitdump_close(d);
		unlink(path);
	}
}

/* A code that was discarded has a record with a kind and a size that other readers skip. */
static void test_unload(void)
{
	struct jitdump_writer *w;
	uint32_t record[10];
	struct jitdump *d;
	char path[128];
	const char *why;
	int fd;

	CU_ASSERT_EQUAL_FATAL(jitdump_create(&w, folder), 0);
	snprintf(path, sizeof(path), "%s", jitdump_path(w));
	CU_ASSERT_EQUAL(jitdump_unload(w, 0x123456789000, 4), 0);
	CU_ASSERT_EQUAL(jitdump_load(w, "f", 0x1000, 4, "abcd", NULL, 0, NULL), 0);
	CU_ASSERT_EQUAL(jitdump_end(w), 0);
	fd = open(path, O_RDONLY);
	CU_ASSERT_EQUAL(pread(fd, record, sizeof(record), 40), sizeof(record));
	CU_ASSERT_EQUAL(record[0], 0x50490000);
	CU_ASSERT_EQUAL(record[1], 40);
	CU_ASSERT_EQUAL_FATAL(jitdump_open(&d, fd, &why), 0);
	CU_ASSERT_EQUAL(jitdump_next(d, &e), 1);
	CU_ASSERT(e.kind == JITDUMP_UNLOAD && e.address == 0x123456789000 && e.size == 4);
	CU_ASSERT_EQUAL(jitdump_next(d, &e), 1);
	CU_ASSERT_STRING_EQUAL(e.name, "f");
	CU_ASSERT_PTR_NULL(told(d).what);
	jitdump_close(d);
	unlink(path);
}

/* A disk that fills leaves whole records. */
static void test_full(void)
{
	const struct rlimit small = { 300, 300 };
	struct jitdump *d;
	char path[128];
	const char *why;
	int status;
	pid_t pid = fork();

	if (!pid) {
		struct jitdump_writer *w;
		int err = 0, i;

		signal(SIGXFSZ, SIG_IGN);
		if (setrlimit(RLIMIT_FSIZE, &small) || jitdump_create(&w, folder))
			_exit(1);
		for (i = 0; i < 100 && !err; i++)
			err = jitdump_load(w, "function", 0x1000, 20, "01234567890123456789", NULL,
					   0, NULL);
		/* 40 + 3 * 85 = 295 */
		_exit(err && i == 4 ? 0 : 2);
	}
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT_EQUAL(status, 0);
	snprintf(path, sizeof(path), "%s/jit-%d.dump", folder, (int)pid);
	CU_ASSERT_EQUAL_FATAL(jitdump_open(&d, open(path, O_RDONLY), &why), 0);
	for (int i = 0; i < 3; i++) {
		CU_ASSERT_EQUAL(jitdump_next(d, &e), 1);
		CU_ASSERT_STRING_EQUAL(e.name, "function");
	}
	CU_ASSERT_EQUAL(jitdump_next(d, &e), 0);
	CU_ASSERT_PTR_NULL(told(d).what);
	CU_ASSERT_EQUAL(told(d).unfinished, 0);
	jitdump_close(d);
	unlink(path);
	CU_ASSERT_EQUAL(rmdir(folder), 0);
}

/* A jitdump that cannot be created is refused with an error; an existing file is kept or removed,
 * but not damaged. */
static void test_refused(void)
{
	struct jitdump_writer *w = (void *)1;
	struct rlimit old, small;
	char path[128], lengthy[5000];

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(strcpy(folder, "/tmp/jitdumpXXXXXX")));
	snprintf(path, sizeof(path), "%s/jit-%d.dump", folder, (int)getpid());
	CU_ASSERT_EQUAL(jitdump_create(&w, "/nowhere"), -ENOENT);
	CU_ASSERT_PTR_NULL(w);
	memset(lengthy, 'x', sizeof(lengthy) - 1);
	lengthy[sizeof(lengthy) - 1] = '\0';
	CU_ASSERT_EQUAL(jitdump_create(&w, lengthy), -ENAMETOOLONG);
	CU_ASSERT_PTR_NULL(w);
	CU_ASSERT_EQUAL(symlink("/nowhere", path), 0);
	CU_ASSERT_EQUAL(jitdump_create(&w, folder), -ELOOP);
	CU_ASSERT_PTR_NULL(w);
	CU_ASSERT_EQUAL(unlink(path), 0);
	/* No room for its head, then none for anything else. */
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	small = old;
	for (small.rlim_cur = 0; small.rlim_cur < 40; small.rlim_cur += 13) {
		w = (void *)1;
		setrlimit(RLIMIT_FSIZE, &small);
		CU_ASSERT_NOT_EQUAL(jitdump_create(&w, folder), 0);
		setrlimit(RLIMIT_FSIZE, &old);
		CU_ASSERT_PTR_NULL(w);
		CU_ASSERT(access(path, F_OK) && errno == ENOENT);
	}
	small.rlim_cur = 40;
	setrlimit(RLIMIT_FSIZE, &small);
	CU_ASSERT_EQUAL(jitdump_create(&w, folder), 0);
	if (w) {
		CU_ASSERT_EQUAL(jitdump_unload(w, 0x1000, 1), -EFBIG);
		CU_ASSERT_EQUAL(jitdump_move(w, 0, 0x1000, 0x2000, 1), -EFBIG);
		CU_ASSERT_EQUAL(jitdump_load(w, "f", 0x1000, 1, "x", NULL, 0, NULL), -EFBIG);
	}
	setrlimit(RLIMIT_FSIZE, &old);
	if (w)
		jitdump_end(w);
	unlink(path);
	CU_ASSERT_EQUAL(rmdir(folder), 0);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "write", test_write },
		{ "late", test_write_late },
		{ "unwind", test_unwind },
		{ "unload", test_unload },
		{ "full", test_full },
		{ "refused", test_refused },
		{ NULL, NULL },
	};

	if (!mkdtemp(folder))
		return 1;
	return unit_run("jitdump_write", tests);
}
