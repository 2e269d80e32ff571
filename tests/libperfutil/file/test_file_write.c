/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The writer: where a file may be made, what is refused, and no room at any byte. */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include "file/file_write.h"
#include "image.h"
#include "xorshift.h"

static char folder[] = "/tmp/pitrace-test-XXXXXX";
static char path[64], old[64];

static const struct pifile_header header = { .clock = PITRACE_CLOCK_MONOTONIC,
					     .clock_hz = 1000000000,
					     .ncpus = 1 };

static void begin(void)
{
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	if (!mkdtemp(folder)) {
		perror(folder);
		exit(1);
	}
	snprintf(path, sizeof(path), "%s/t", folder);
	snprintf(old, sizeof(old), "%s/t.old", folder);
}

static void end(void)
{
	unlink(path);
	unlink(old);
	rmdir(path);
	rmdir(old);
	CU_ASSERT_EQUAL(rmdir(folder), 0);
}

static void put_file(const char *name, const char *text)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	CU_ASSERT_EQUAL(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static bool file_is(const char *name, const char *text)
{
	char b[64] = "";
	int fd = open(name, O_RDONLY);
	ssize_t n = read(fd, b, sizeof(b) - 1);

	close(fd);
	return n == (ssize_t)strlen(text) && !strcmp(b, text);
}

static void create_and_old(void)
{
	struct folder f = { .fd = -1 };
	struct pifile_writer *w;
	struct stat st;
	mode_t mask = umask(0);

	begin();
	put_file(path, "first");
	put_file(old, "older");
	w = pifile_create(path, &header);
	umask(mask);
	CU_ASSERT_PTR_NOT_NULL_FATAL(w);
	CU_ASSERT(file_is(old, "first"));
	CU_ASSERT_EQUAL(lstat(path, &st), 0);
	CU_ASSERT_EQUAL(st.st_mode, S_IFREG | 0600);
	CU_ASSERT_EQUAL(pifile_written(w, NULL), 256);
	CU_ASSERT_EQUAL(pifile_finish(w), 0);
	CU_ASSERT_EQUAL(stat(path, &st), 0);
	CU_ASSERT_EQUAL(st.st_size, 256 + 96 + 96);
	/* In a folder that is open, likewise. */
	CU_ASSERT_EQUAL_FATAL(folder_open(&f, path, NULL), 0);
	mask = umask(0);
	w = file_create(&f, strrchr(path, '/') + 1, &header);
	umask(mask);
	CU_ASSERT_PTR_NOT_NULL_FATAL(w);
	CU_ASSERT_EQUAL(lstat(path, &st), 0);
	CU_ASSERT_EQUAL(st.st_mode, S_IFREG | 0600);
	CU_ASSERT_EQUAL(pifile_finish(w), 0);
	CU_ASSERT(!stat(old, &st) && st.st_size == 256 + 96 + 96);
	folder_close(&f);
	end();
}

static void create_refuses(void)
{
	char deep[80];

	begin();
	CU_ASSERT_EQUAL(mkdir(path, 0700), 0);
	CU_ASSERT_PTR_NULL(pifile_create(path, &header));
	CU_ASSERT_EQUAL(errno, EISDIR);
	rmdir(path);

	CU_ASSERT_EQUAL(symlink("/nowhere", path), 0);
	CU_ASSERT_PTR_NULL(pifile_create(path, &header));
	CU_ASSERT_EQUAL(errno, ELOOP);
	unlink(path);

	CU_ASSERT_EQUAL(mkfifo(path, 0600), 0);
	CU_ASSERT_PTR_NULL(pifile_create(path, &header));
	CU_ASSERT_EQUAL(errno, EOPNOTSUPP);
	unlink(path);

	snprintf(deep, sizeof(deep), "%s/none/t", folder);
	CU_ASSERT_PTR_NULL(pifile_create(deep, &header));
	CU_ASSERT_EQUAL(errno, ENOENT);

	/* A folder where the old file should go: nothing is touched. */
	CU_ASSERT_EQUAL(mkdir(old, 0700), 0);
	put_file(path, "first");
	CU_ASSERT_PTR_NULL(pifile_create(path, &header));
	CU_ASSERT_EQUAL(errno, EISDIR);
	CU_ASSERT(file_is(path, "first"));
	end();
}

/* Limits the size of files that the process may write. */
static void limit_files(rlim_t bytes)
{
	struct rlimit r;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &r);
	r.rlim_cur = bytes;
	setrlimit(RLIMIT_FSIZE, &r);
}

/* A header that cannot be written leaves no file, and the one that was there. */
static void create_without_room(void)
{
	begin();
	put_file(path, "first");
	limit_files(100);
	CU_ASSERT_PTR_NULL(pifile_create(path, &header));
	CU_ASSERT_EQUAL(errno, EFBIG);
	limit_files(RLIM_INFINITY);
	CU_ASSERT(file_is(path, "first"));
	CU_ASSERT_NOT_EQUAL(access(old, F_OK), 0);
	end();
}

static uint64_t put_segments(struct pifile_writer *w, unsigned int n, int *err)
{
	uint64_t kept = 0;
	struct gen_ring g;

	*err = 0;
	gen_ring_open(&g, w, 0, PITRACE_RING_TRACE, 16384);
	for (unsigned int i = 0; i < n; i++) {
		for (unsigned int k = 0; k < 3 + i; k++)
			memset(gen_record(&g, 0xD0, k, PITRACE_TYPE_U32, 20, i * 100 + k), 7, 20);
		*err = gen_ring_flush(&g);
		if (*err)
			break;
		kept += 3 + i;
	}
	gen_ring_close(&g);
	return kept;
}

/* No room from byte N on, for all N: the file holds whole sections, the error stays. */
static void no_room(void)
{
	unsigned int cut_short = 0, whole = 0;

	begin();
	for (rlim_t limit = 256; limit < 2400; limit += 4) {
		struct pifile_writer *w;
		struct pifile *f;
		struct stat st;
		uint64_t kept, counted, before;
		struct got got[32];
		int err, last;

		limit_files(limit);
		w = pifile_create(path, &header);
		CU_ASSERT_PTR_NOT_NULL_FATAL(w);
		kept = put_segments(w, 5, &err);
		before = pifile_written(w, &counted);
		CU_ASSERT_EQUAL(counted, kept);
		if (err) {
			CU_ASSERT_EQUAL(err, -EFBIG);
			CU_ASSERT_EQUAL(pifile_write_section(w, PIFILE_SEC_SYSTEM, "x", 1), -EFBIG);
			CU_ASSERT_EQUAL(pifile_write_snapshot(w, "", 0, 0), -EFBIG);
			CU_ASSERT_EQUAL(stat(path, &st), 0);
			CU_ASSERT_EQUAL((uint64_t)st.st_size, before);
		}
		last = pifile_finish(w);
		limit_files(RLIM_INFINITY);
		CU_ASSERT(last == -EFBIG || (!last && !err));
		if (err)
			CU_ASSERT_EQUAL(last, err);
		f = pifile_open(path, NULL);
		CU_ASSERT_PTR_NOT_NULL_FATAL(f);
		CU_ASSERT_EQUAL(take_all(f, PIMERGE_TRACE, got, 32), kept);
		if (last) {
			CU_ASSERT_EQUAL(pifile_faults(f, NULL), 1);
			ASSERT_FAULT(f, 0, "not finished: cut");
			cut_short++;
		} else {
			CU_ASSERT_EQUAL(pifile_faults(f, NULL), 0);
			whole++;
		}
		pifile_close(f);
	}
	printf("# %u limits left no room, %u did\n", cut_short, whole);
	CU_ASSERT(cut_short > 400 && whole > 10);
	end();
}

static void refuses_what_is_no_segment(void)
{
	struct image i = image_begin(&header);
	struct gen_ring g;
	uint8_t *p;

	gen_ring_open(&g, i.w, 0, 0, 16384);
	gen_record(&g, 0xD0, 1, PITRACE_TYPE_U32, 0, 5);
	p = (uint8_t *)gen_ring_segment(&g);
	CU_ASSERT_EQUAL(pifile_write_segment(i.w, p, 16384, 1), 0);
	CU_ASSERT_EQUAL(pifile_written(i.w, NULL), 256 + 96 + 76 + 4);
	CU_ASSERT_EQUAL(pifile_write_segment(i.w, p, 63, 1), -EBADMSG);
	CU_ASSERT_EQUAL(pifile_write_segment(i.w, p + 1, 16383, 1), -EBADMSG);
	CU_ASSERT_EQUAL(pifile_write_segment(i.w, p, 2 << 20, 1), -EBADMSG);
	/* memory that was reserved and never written */
	memset(p + 76, 0, 12);
	CU_ASSERT_EQUAL(pifile_write_segment(i.w, p, 16384, 1), -EBADMSG);
	p[0] ^= 1;
	CU_ASSERT_EQUAL(pifile_write_segment(i.w, p, 16384, 1), -EBADMSG);
	CU_ASSERT_EQUAL(pifile_write_section(i.w, PIFILE_SEC_SEGMENT, p, 96), -EINVAL);
	CU_ASSERT_EQUAL(pifile_write_section(i.w, PIFILE_SEC_END, p, 0), -EINVAL);
	CU_ASSERT_EQUAL(pifile_write_snapshot(i.w, "abc", 3, 0), -EBADMSG);
	/* all that is not the file's failure */
	CU_ASSERT_EQUAL(pifile_written(i.w, NULL), 256 + 96 + 76 + 4);
	gen_ring_close(&g);
	image_take(&i);
	image_free(&i);
}

static void leaves_out_the_empty(void)
{
	struct image i = image_begin(&header);
	struct gen_ring g;

	gen_ring_open(&g, i.w, 0, 0, 16384);
	gen_record(&g, 0xD0, 1, PITRACE_TYPE_U32, 0, 5);
	g.at = sizeof(struct pitrace_segment);
	CU_ASSERT_EQUAL(gen_ring_flush(&g), 0);
	CU_ASSERT_EQUAL(pifile_write_snapshot(i.w, "", 0, 0), 0);
	CU_ASSERT_EQUAL(pifile_written(i.w, NULL), 256);
	gen_ring_close(&g);
	image_take(&i);
	image_free(&i);
}

/* Compressed only when that is smaller. */
static void compression(void)
{
	struct image i = image_begin(&header);
	uint8_t noise[4096], plain[4096] = { 0 };
	uint64_t random = 88172645463325252ull;
	void *b = NULL;
	struct pifile *f;
	size_t size;

	for (size_t k = 0; k < sizeof(noise); k++) {
		noise[k] = (uint8_t)xorshift(&random);
	}
	pifile_set_compression(i.w, 1);
	CU_ASSERT_EQUAL(pifile_write_section(i.w, PIFILE_SEC_SYSTEM, noise, sizeof(noise)), 0);
	CU_ASSERT_EQUAL(pifile_write_section(i.w, PIFILE_SEC_SYSTEM, plain, sizeof(plain)), 0);
	CU_ASSERT_EQUAL(pifile_write_section(i.w, PIFILE_SEC_SYSTEM, plain, 63), 0);
	pifile_set_compression(i.w, 0);
	CU_ASSERT_EQUAL(pifile_write_section(i.w, PIFILE_SEC_SYSTEM, plain, sizeof(plain)), 0);
	image_take(&i);
	f = image_open(&i);
	CU_ASSERT_EQUAL(pifile_section(f, 0)->flags, 0);
	CU_ASSERT_EQUAL(pifile_section(f, 1)->flags, PIFILE_ZSTD);
	CU_ASSERT(pifile_section(f, 1)->stored < 100);
	CU_ASSERT_EQUAL(pifile_section(f, 1)->bytes, 4096);
	CU_ASSERT_EQUAL(pifile_section(f, 2)->flags, 0);
	CU_ASSERT_EQUAL(pifile_section(f, 3)->flags, 0);
	CU_ASSERT_PTR_NOT_NULL(pifile_payload(f, 0, &b, &size));
	CU_ASSERT(size == 4096 && !memcmp(b, noise, size));
	CU_ASSERT_PTR_NOT_NULL(pifile_payload(f, 1, &b, &size));
	CU_ASSERT(size == 4096 && !memcmp(b, plain, size));
	CU_ASSERT_PTR_NOT_NULL(pifile_payload(f, 2, &b, &size));
	CU_ASSERT_EQUAL(size, 63);
	CU_ASSERT_EQUAL(pifile_faults(f, NULL), 0);
	free(b);
	pifile_close(f);
	image_free(&i);
}

/* More work makes it smaller. */
static void compression_levels(void)
{
	static uint8_t words[65536];
	struct image i = image_begin(&header);
	uint64_t random = 88172645463325252ull;
	struct pifile *f;

	for (size_t k = 0; k < sizeof(words); k++)
		words[k] = k % 64 < 40 && k > 8192 ? words[k - 8192 + (k / 64) % 7] :
						     (uint8_t)('a' + xorshift(&random) % 20);
	pifile_set_compression(i.w, 1);
	CU_ASSERT_EQUAL(pifile_write_section(i.w, PIFILE_SEC_SYSTEM, words, sizeof(words)), 0);
	pifile_set_compression(i.w, 19);
	CU_ASSERT_EQUAL(pifile_write_section(i.w, PIFILE_SEC_SYSTEM, words, sizeof(words)), 0);
	image_take(&i);
	f = image_open(&i);
	CU_ASSERT(pifile_section(f, 0)->flags == PIFILE_ZSTD &&
		  pifile_section(f, 1)->flags == PIFILE_ZSTD);
	CU_ASSERT(pifile_section(f, 1)->stored < pifile_section(f, 0)->stored);
	pifile_close(f);
	image_free(&i);
}

/* Into a pipe: nothing to seek, sync or cut. */
static void pipe_output(void)
{
	int fds[2];
	struct pifile_writer *w;
	uint8_t b[8192];
	int err;

	CU_ASSERT_EQUAL(pipe(fds), 0);
	w = pifile_create_fd(fds[1], &header);
	CU_ASSERT_PTR_NOT_NULL_FATAL(w);
	put_segments(w, 2, &err);
	CU_ASSERT_EQUAL(err, 0);
	CU_ASSERT_EQUAL(pifile_finish(w), 0);
	CU_ASSERT(read(fds[0], b, sizeof(b)) > 256);
	close(fds[0]);
}

/* A file of n bytes, each other than its neighbours. */
static void make_file(const char *name, size_t n)
{
	FILE *f = fopen(name, "w");

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	for (size_t i = 0; i < n; i++)
		fputc((int)(i * 7 + i / 251) & 0xff, f);
	CU_ASSERT_EQUAL(fclose(f), 0);
}

static bool is_file(const char *name, size_t n)
{
	FILE *f = fopen(name, "r");
	bool same = f != NULL;

	for (size_t i = 0; same && i < n; i++)
		same = fgetc(f) == (int)((i * 7 + i / 251) & 0xff);
	same = same && fgetc(f) == EOF;
	if (f)
		fclose(f);
	return same;
}

/* A copy has all bytes and is private to the user; an existing file of its name is moved aside, but
 * not if the source cannot be read. */
static void copies(void)
{
	static const size_t sizes[] = { 0, 1, 4095, 4096, 100000 };
	struct folder f = { .fd = -1 };
	char from[64], to[64], to_old[64];
	struct stat st;

	begin();
	snprintf(from, sizeof(from), "%s/from", folder);
	snprintf(to, sizeof(to), "%s/to", folder);
	snprintf(to_old, sizeof(to_old), "%s/to.old", folder);
	CU_ASSERT_EQUAL_FATAL(folder_open(&f, from, NULL), 0);
	CU_ASSERT_EQUAL(file_copy(&f, "from", &f, "to"), -ENOENT);
	CU_ASSERT_EQUAL(folder_stat(&f, "to", &st), -ENOENT);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		make_file(from, sizes[i]);
		CU_ASSERT_EQUAL(file_copy(&f, "from", &f, "to"), 0);
		CU_ASSERT(is_file(to, sizes[i]));
		CU_ASSERT(is_file(from, sizes[i]));
		CU_ASSERT_EQUAL(folder_stat(&f, "to", &st), 0);
		CU_ASSERT_EQUAL(st.st_mode & 07777, 0600);
		CU_ASSERT(!i || is_file(to_old, sizes[i - 1]));
	}
	unlink(from);
	CU_ASSERT_EQUAL(symlink("to", from), 0);
	CU_ASSERT(file_copy(&f, "from", &f, "to") < 0); /* regular files alone */
	CU_ASSERT(is_file(to, sizes[4]) && is_file(to_old, sizes[3]));
	/* No room: the file that stood there is back. */
	unlink(from);
	make_file(from, 5000);
	signal(SIGXFSZ, SIG_IGN);
	CU_ASSERT_EQUAL(setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 4999, RLIM_INFINITY }), 0);
	CU_ASSERT_EQUAL(file_copy(&f, "from", &f, "to"), -EFBIG);
	CU_ASSERT_EQUAL(setrlimit(RLIMIT_FSIZE, &(struct rlimit){ RLIM_INFINITY, RLIM_INFINITY }),
			0);
	CU_ASSERT(is_file(to, sizes[4]));
	folder_close(&f);
	unlink(from);
	unlink(to);
	unlink(to_old);
	end();
}

static const struct unit_test tests[] = {
	{ "create_and_old", create_and_old },
	{ "create_refuses", create_refuses },
	{ "create_without_room", create_without_room },
	{ "no_room", no_room },
	{ "refuses_what_is_no_segment", refuses_what_is_no_segment },
	{ "leaves_out_the_empty", leaves_out_the_empty },
	{ "compression", compression },
	{ "compression_levels", compression_levels },
	{ "pipe_output", pipe_output },
	{ "copies", copies },
	{ 0 },
};

int main(void)
{
	return unit_run("file_write", tests);
}
