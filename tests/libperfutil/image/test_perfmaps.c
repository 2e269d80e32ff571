/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perf maps that the drain copies: of which processes, what of a map that grows, is written anew or
 * is replaced, whose files. (Linked with --wrap=malloc and friends: without memory it is said.)
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "image.h"
#include "image/perfmaps.h"
#include "file/segment.h"

static long allow = -1; /* allocations left; < 0: all */
static bool denied;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

void *__wrap_malloc(size_t size)
{
	if (!allow) {
		denied = true;
		return NULL;
	}
	allow -= allow > 0;
	return __real_malloc(size);
}

/* ---- a process that says that it makes code -------------------------------------------------- */

static struct perfmaps *maps;
static const struct rights *user; /* who traces; NULL: this process */
static struct image image;
static struct segment_out out;
static char path[64], other[64];
static uint32_t pid;

static int scan(void *arg, const void *segment, size_t size)
{
	(void)arg;
	perfmaps_scan(maps, segment, size);
	return 0;
}

static void *put(uint32_t minor, size_t size)
{
	int err = 0;
	void *p = segment_put(&out, PITRACE_MTE, minor, PITRACE_TYPE_STRUCT, size, 1, scan, NULL,
			      &err);

	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	memset(p, 0, size);
	return p;
}

static void map(uint32_t flags, const char *file)
{
	struct pitrace_mte_map *m = put(PITRACE_MTE_MODULE, sizeof(*m) + 40);

	m->pid = pid;
	m->flags = flags;
	m->length = 4096;
	m->path_len = (uint32_t)strlen(file);
	strcpy(m->path, file);
	CU_ASSERT_EQUAL(segment_close(&out, scan, NULL), 0);
}

static void gone(void)
{
	struct pitrace_mte_task *t = put(PITRACE_MTE_PROCESS_EXIT, sizeof(*t));

	t->pid = t->tid = pid;
	CU_ASSERT_EQUAL(segment_close(&out, scan, NULL), 0);
}

static void begin_of(uint32_t who)
{
	struct pifile_header h = image_header(PITRACE_CLOCK_MONOTONIC, 1000000000);

	pid = who;
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	snprintf(other, sizeof(other), "/tmp/perf-%u.map.new", pid);
	unlink(path);
	image = image_begin(&h);
	maps = perfmaps_new(user);
	CU_ASSERT_PTR_NOT_NULL_FATAL(maps);
	out = (struct segment_out){ .session = 1, .ring = PITRACE_RING_MTE, .size = 65536 };
}

static void begin(void)
{
	begin_of((uint32_t)getpid());
	map(PITRACE_MAP_EXEC | PITRACE_MAP_ANON, "");
}

static void write_map(const char *name, const char *mode, const char *text)
{
	FILE *f = fopen(name, mode);

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	fputs(text, f);
	fclose(f);
}

static void flush(bool now)
{
	CU_ASSERT_EQUAL(perfmaps_flush(maps, image.w, now), 0);
}

/* Returns the content of the file: "[OFFSET]TEXT" of each section. */
static const char *kept(void)
{
	static char text[4096];
	struct pifile *f;
	void *buffer = NULL;
	size_t used = 0, size;

	perfmaps_free(maps);
	segment_free(&out);
	unlink(path);
	unlink(other);
	image_take(&image);
	f = image_open(&image);
	text[0] = '\0';
	for (size_t i = 0; i < pifile_sections(f); i++) {
		unsigned long long since, until, offset;
		char name[64], *body;
		unsigned int who;

		if (pifile_section(f, i)->type != PIFILE_SEC_PERFMAP)
			continue;
		body = (char *)(uintptr_t)pifile_payload(f, i, &buffer, &size);
		CU_ASSERT_FATAL(body && size && body[size - 1] == '\n');
		CU_ASSERT_EQUAL(sscanf(body, "pid %u since %llu until %llu offset %llu path %63s",
				       &who, &since, &until, &offset, name),
				5);
		CU_ASSERT_EQUAL(who, pid);
		CU_ASSERT_STRING_EQUAL(name, path);
		/* Only the first look does not know of one before. */
		CU_ASSERT(until > since && (since != 0) == (used != 0));
		size -= (size_t)((char *)memchr(body, '\n', size) + 1 - body);
		body = (char *)memchr(body, '\n', 300) + 1;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "[%llu]%.*s", offset,
					 (int)size, body);
		CU_ASSERT_FATAL(used < sizeof(text));
	}
	CU_ASSERT_EQUAL(pifile_faults(f, NULL), 0);
	free(buffer);
	pifile_close(f);
	image_free(&image);
	return text;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_grows(void)
{
	begin();
	write_map(path, "w", "1000 10 one\n");
	flush(true);
	flush(true);
	/* A line that is not whole yet waits. */
	write_map(path, "a", "2000 10 two\n3000 10 thr");
	flush(true);
	write_map(path, "a", "ee\n");
	flush(true);
	CU_ASSERT_STRING_EQUAL(kept(), "[0]1000 10 one\n[12]2000 10 two\n[24]3000 10 three\n");
}

/* At once where the process is new, then once a second unless it is asked for. */
static void test_when(void)
{
	begin();
	write_map(path, "w", "1000 10 one\n");
	flush(false);
	write_map(path, "a", "2000 10 two\n");
	flush(false);
	flush(false);
	usleep(1050000);
	flush(false);
	write_map(path, "a", "3000 10 three\n");
	gone();
	flush(false);
	CU_ASSERT_STRING_EQUAL(kept(), "[0]1000 10 one\n[12]2000 10 two\n[24]3000 10 three\n");
	/* Once it is gone there are no more looks. */
	begin();
	write_map(path, "w", "1000 10 one\n");
	gone();
	flush(true);
	write_map(path, "a", "2000 10 two\n");
	flush(true);
	CU_ASSERT_STRING_EQUAL(kept(), "[0]1000 10 one\n");
}

/* Written anew: what is no longer there is told by reading from the begin. */
static void test_anew(void)
{
	begin();
	write_map(path, "w", "1000 10 one\n2000 10 two\n");
	flush(true);
	write_map(path, "w", "4000 10 four\n2000 10 two\n5000 10 five\n");
	flush(true);
	write_map(path, "w", "7000 10 seven\n");
	flush(true);
	CU_ASSERT_STRING_EQUAL(kept(), "[0]1000 10 one\n2000 10 two\n[0]4000 10 four\n2000 10 two\n"
				       "5000 10 five\n[0]7000 10 seven\n");
}

/* Another file with that name: what came to the old one first, then the new one. */
static void test_replaced(void)
{
	begin();
	write_map(path, "w", "1000 10 one\n");
	flush(true);
	write_map(path, "a", "2000 10 two\n");
	write_map(other, "w", "1000 10 one\n3000 10 three\n");
	CU_ASSERT_EQUAL(rename(other, path), 0);
	flush(true);
	write_map(path, "a", "4000 10 four\n");
	flush(true);
	CU_ASSERT_STRING_EQUAL(kept(), "[0]1000 10 one\n[12]2000 10 two\n[0]1000 10 one\n"
				       "3000 10 three\n[26]4000 10 four\n");
	begin();
	write_map(path, "w", "1000 10 one\n");
	flush(true);
	CU_ASSERT_EQUAL(unlink(path), 0);
	flush(true);
	write_map(path, "w", "9000 10 nine\n");
	flush(true);
	CU_ASSERT_STRING_EQUAL(kept(), "[0]1000 10 one\n[0]9000 10 nine\n");
}

/* Only processes that generate code count: with executable memory that has no file, or a special
 * one. */
static void test_which(void)
{
	static const struct {
		uint32_t flags;
		const char *file;
		bool taken;
	} all[] = {
		{ PITRACE_MAP_EXEC | PITRACE_MAP_ANON, "", true },
		{ PITRACE_MAP_EXEC, "/memfd:doublemapper (deleted)", true },
		{ PITRACE_MAP_ANON, "", false },
		{ PITRACE_MAP_EXEC, "/usr/lib/libc.so.6", false },
		{ PITRACE_MAP_EXEC | PITRACE_MAP_ANON | PITRACE_MAP_KERNEL, "", false },
		{ PITRACE_MAP_EXEC | PITRACE_MAP_ANON | PITRACE_MAP_VDSO, "", false },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		begin_of((uint32_t)getpid());
		map(all[i].flags, all[i].file);
		write_map(path, "w", "1000 10 one\n");
		flush(true);
		CU_ASSERT_STRING_EQUAL(kept(), all[i].taken ? "[0]1000 10 one\n" : "");
	}
	/* Names are told by the rings of names. */
	begin_of((uint32_t)getpid());
	out.ring = PITRACE_RING_TRACE;
	map(PITRACE_MAP_EXEC | PITRACE_MAP_ANON, "");
	write_map(path, "w", "1000 10 one\n");
	flush(true);
	CU_ASSERT_STRING_EQUAL(kept(), "");
}

/* Twice told is once read. */
static void test_once(void)
{
	begin();
	map(PITRACE_MAP_EXEC | PITRACE_MAP_ANON, "");
	map(PITRACE_MAP_EXEC | PITRACE_MAP_ANON, "");
	write_map(path, "w", "1000 10 one\n");
	flush(true);
	CU_ASSERT_STRING_EQUAL(kept(), "[0]1000 10 one\n");
}

/* Gone before it could be asked: what it left counts if it is ours, written since. */
static void test_left(void)
{
	pid_t child = fork();
	struct timespec old[2] = { { .tv_sec = 1000000000 }, { .tv_sec = 1000000000 } };

	if (!child)
		_exit(0);
	CU_ASSERT_FATAL(child > 0 && waitpid(child, NULL, 0) == child);
	for (int i = 0; i < 3; i++) {
		begin_of((uint32_t)child);
		map(PITRACE_MAP_EXEC | PITRACE_MAP_ANON, "");
		/* The clock of files goes by ticks. */
		usleep(10000);
		write_map(path, "w", "1000 10 one\n");
		if (i == 1)
			CU_ASSERT_EQUAL(utimensat(AT_FDCWD, path, old, 0), 0);
		if (i == 2)
			CU_ASSERT(geteuid() || !chown(path, 61301, 61301));
		flush(true);
		gone();
		flush(false);
		/* Without root, the user has created it himself. */
		CU_ASSERT_STRING_EQUAL(kept(),
				       !i || (i == 2 && geteuid()) ? "[0]1000 10 one\n" : "");
	}
}

/* … and for a session of another user (under sudo, say) if it is that one's. */
static void test_left_to_user(void)
{
	static const struct {
		uid_t owner;
		bool counts;
	} rows[] = { { 61301, true }, { 0, true }, { 61302, false } };
	bool root = !geteuid();
	struct rights r;
	pid_t child = fork();

	if (!child)
		_exit(0);
	CU_ASSERT_FATAL(child > 0 && waitpid(child, NULL, 0) == child);
	rights_of_user(root ? 61301 : geteuid(), root ? 61301 : getegid(), &r);
	user = &r;
	/* Without root, only one's own files can be tested. */
	for (size_t i = 0; i < (root ? sizeof(rows) / sizeof(*rows) : 1); i++) {
		begin_of((uint32_t)child);
		map(PITRACE_MAP_EXEC | PITRACE_MAP_ANON, "");
		usleep(10000);
		write_map(path, "w", "1000 10 one\n");
		if (root)
			CU_ASSERT_EQUAL(chown(path, rows[i].owner, rows[i].owner), 0);
		flush(true);
		gone();
		flush(false);
		CU_ASSERT_STRING_EQUAL(kept(), rows[i].counts ? "[0]1000 10 one\n" : "");
	}
	user = NULL;
}

/* Another user's file is none of the process's, nor is a link, or what is not a file. */
static void test_whose(void)
{
	begin();
	write_map(path, "w", "1000 10 one\n");
	CU_ASSERT(geteuid() || !chown(path, 61301, 61301));
	flush(true);
	CU_ASSERT_STRING_EQUAL(kept(), geteuid() ? "[0]1000 10 one\n" : "");
	begin();
	write_map(other, "w", "1000 10 one\n");
	CU_ASSERT_EQUAL(symlink(other, path), 0);
	flush(true);
	CU_ASSERT_STRING_EQUAL(kept(), "");
	begin();
	CU_ASSERT_EQUAL(mkfifo(path, 0600), 0);
	flush(true);
	CU_ASSERT_STRING_EQUAL(kept(), "");
}

/* A map of several parts comes whole, from one look, in whole lines. */
static void test_long(void)
{
	char line[64];
	uint64_t at = 0;
	unsigned int n = 0, sections = 0;
	struct pifile *f;
	void *buffer = NULL;
	size_t size;
	FILE *o;

	begin();
	o = fopen(path, "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(o);
	for (n = 0; n < 400000; n++)
		fprintf(o, "%x 10 a_function_%06u\n", 0x10000000 + 16 * n, n);
	fclose(o);
	flush(true);
	perfmaps_free(maps);
	segment_free(&out);
	unlink(path);
	image_take(&image);
	f = image_open(&image);
	n = 0;
	for (size_t i = 0; i < pifile_sections(f); i++) {
		const char *text;
		char *part;

		if (pifile_section(f, i)->type != PIFILE_SEC_PERFMAP)
			continue;
		sections++;
		text = pifile_payload(f, i, &buffer, &size);
		CU_ASSERT_PTR_NOT_NULL_FATAL(text);
		part = strstr(text, " offset ");
		CU_ASSERT_FATAL(part && strtoull(part + 8, NULL, 10) == at);
		part = strchr(part, '\n') + 1;
		at += (uint64_t)(text + size - part);
		while (part < text + size) {
			int length = snprintf(line, sizeof(line), "%x 10 a_function_%06u\n",
					      0x10000000 + 16 * n, n);

			CU_ASSERT_FATAL(part + length <= text + size &&
					!memcmp(part, line, (size_t)length));
			part += length;
			n++;
		}
	}
	CU_ASSERT(n == 400000 && sections > 1);
	free(buffer);
	pifile_close(f);
	image_free(&image);
}

/* Where it could be opened, that there was no memory is said; and what is there by the next look is
 * taken then. */
static void test_no_memory(void)
{
	unsigned int told = 0;

	denied = true;
	for (long n = 0; denied; n++) {
		int err;

		begin();
		write_map(path, "w", "1000 10 one\n");
		denied = false;
		allow = n;
		err = perfmaps_flush(maps, image.w, true);
		allow = -1;
		CU_ASSERT(!err || err == -ENOMEM);
		told += err == -ENOMEM;
		flush(true);
		CU_ASSERT_STRING_EQUAL(kept(), "[0]1000 10 one\n");
	}
	CU_ASSERT(told > 0);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "grows", test_grows },         { "when", test_when },
		{ "anew", test_anew },           { "replaced", test_replaced },
		{ "which", test_which },         { "once", test_once },
		{ "left", test_left },           { "left_to_user", test_left_to_user },
		{ "whose", test_whose },         { "long", test_long },
		{ "no_memory", test_no_memory }, {}
	};

	return unit_run("perfmaps", tests);
}
