/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks the files of the writer field by field: header, sections, index; with writes of any
 * length, with a failing disk; and copies of a file that is being written.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "base/folder.h"
#include "file/file_write.h"
#include "image.h"

/* ---- the disk ---- */

static struct {
	size_t most;      /* bytes of one write; 0: all */
	int interrupted;  /* so many writes are, before one is done */
	int writes, fail; /* the fail-th of them fails, by this: */
	int error;        /* 0: it writes nothing */
	int no_sync, no_close;
	int syncs;
	int copies; /* of so many bytes a time; what fails then */
	int copy_error;
} disk;

ssize_t __real_writev(int fd, const struct iovec *iov, int n);
ssize_t __wrap_writev(int fd, const struct iovec *iov, int n);
ssize_t __wrap_writev(int fd, const struct iovec *iov, int n)
{
	struct iovec one = *iov;

	CU_ASSERT_FATAL(n > 0 && iov->iov_len > 0);
	if (disk.interrupted-- > 0) {
		errno = EINTR;
		return -1;
	}
	if (++disk.writes == disk.fail) {
		errno = disk.error;
		return disk.error ? -1 : 0;
	}
	if (!disk.most)
		return __real_writev(fd, iov, n);
	one.iov_len = one.iov_len < disk.most ? one.iov_len : disk.most;
	return __real_writev(fd, &one, 1);
}

int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
	(void)fd;
	disk.syncs++;
	errno = disk.no_sync;
	return disk.no_sync ? -1 : 0;
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
	__real_close(fd);
	errno = disk.no_close;
	return disk.no_close ? -1 : 0;
}

ssize_t __real_sendfile64(int to, int from, off_t *at, size_t n);
ssize_t __wrap_sendfile64(int to, int from, off_t *at, size_t n);
ssize_t __wrap_sendfile64(int to, int from, off_t *at, size_t n)
{
	if (disk.interrupted-- > 0) {
		errno = EINTR;
		return -1;
	}
	CU_ASSERT(n <= 1 << 30);
	if (disk.copies-- > 0)
		return __real_sendfile64(to, from, at, n < 100 ? n : 100);
	errno = disk.copy_error;
	return disk.copy_error ? -1 : 0;
}

static void new_disk(void)
{
	memset(&disk, 0, sizeof(disk));
	disk.copies = 1000000;
}

/* ---- one file ---- */

static const struct pifile_header header = {
	.clock = PITRACE_CLOCK_TSC,
	.clock_hz = 2000000000,
	.mode = PITRACE_MODE_WRAP,
	.scope = PITRACE_SCOPE_PROCESS,
	.pid = 77,
	.ncpus = 3,
	.start_realtime = 88,
	.collector = "test",
	.machine = "x86_64",
	.release = "6.1",
	.rate = 99,
	.dither = 100,
	.page_size = 4096,
};

/* A segment of CPU 2 with two records, and a part that is not used. */
static const void *segment(void)
{
	static _Alignas(8) uint8_t bytes[256];
	struct pitrace_segment s = {
		.magic = PITRACE_SEGMENT_MAGIC,
		.size = sizeof(s),
		.ring = PITRACE_RING_TRACE,
		.session = 3,
		.cpu = 2,
		.sequence = 17,
		.stamp = 5000,
		.lost = 19,
	};
	const struct pitrace_rec r[] = {
		{ (uint16_t)(sizeof(struct pitrace_rec) | PITRACE_TYPE_U32), 0xD0, 1, 5010 },
		{ (uint16_t)(sizeof(struct pitrace_rec) | PITRACE_TYPE_U32), 0xD0, 2, 5090 },
		{ 100 | PITRACE_TYPE_U32, PITRACE_PAD, 0, 0 },
	};

	memcpy(bytes, &s, sizeof(s));
	memcpy(bytes + sizeof(s), r, sizeof(r));
	return bytes;
}

static const size_t segment_used = sizeof(struct pitrace_segment) + 2 * sizeof(struct pitrace_rec);

/* The drain's own records: two, the later one first. */
static const struct pitrace_rec snapshot[] = {
	{ (uint16_t)(sizeof(struct pitrace_rec) | PITRACE_TYPE_U32), 0xD1, 1, 900 },
	{ (uint16_t)(sizeof(struct pitrace_rec) | PITRACE_TYPE_U32), 0xD1, 1, 700 },
};

static int fill(struct pifile_writer *w)
{
	int rc = pifile_write_segment(w, segment(), 256, 23);

	rc = rc ? rc : pifile_write_section(w, PIFILE_SEC_SYSTEM, "os: a", 5);
	rc = rc ? rc : pifile_write_snapshot(w, snapshot, sizeof(snapshot), 600);
	return rc ? rc : pifile_write_snapshot(w, snapshot, sizeof(snapshot) / 2, 600);
}

/* The section at this offset; where the next one is. */
static struct pifile_section section_at(const struct image *i, size_t *at)
{
	struct pifile_section s = { .magic = 0 };

	CU_ASSERT_FATAL(*at + sizeof(s) <= i->size);
	memcpy(&s, i->data + *at, sizeof(s));
	CU_ASSERT(s.magic == PIFILE_SECTION_MAGIC && s.size == sizeof(s) && !s.flags);
	CU_ASSERT(s.stored == s.bytes);
	CU_ASSERT_EQUAL(s.payload_crc, crc32c(0, i->data + *at + sizeof(s), s.stored));
	CU_ASSERT_EQUAL(s.crc, crc32c(0, &s, offsetof(struct pifile_section, crc)));
	for (size_t k = s.stored; k % 8; k++)
		CU_ASSERT_EQUAL(i->data[*at + sizeof(s) + k], 0);
	*at += sizeof(s) + (s.stored + 7) / 8 * 8;
	return s;
}

static bool is_snapshot(const struct pifile_section *s, uint64_t records)
{
	return s->type == PIFILE_SEC_SNAPSHOT && s->records == records && s->first == 900 &&
	       s->last == 900 && !s->interval && !s->cpu && !s->ring && !s->session &&
	       !s->sequence && !s->lost;
}

static void fields(const struct image *i)
{
	const size_t first = sizeof(struct pifile_header);
	struct pifile_header h;
	struct pitrace_segment g;
	struct pifile_section s;
	struct pifile_index index[4];
	size_t at = first, begin, part[4];

	memcpy(&h, i->data, sizeof(h));
	CU_ASSERT(!memcmp(h.magic, PIFILE_MAGIC, 8) && h.size == sizeof(h) &&
		  h.version == PIFILE_VERSION && h.order == PIFILE_ORDER);
	CU_ASSERT_EQUAL(h.crc, crc32c(0, &h, offsetof(struct pifile_header, crc)));
	CU_ASSERT(!memcmp(&h.clock, &header.clock,
			  offsetof(struct pifile_header, crc) -
				  offsetof(struct pifile_header, clock)));

	part[0] = at;
	s = section_at(i, &at);
	CU_ASSERT(s.type == PIFILE_SEC_SEGMENT && s.cpu == 2 && s.ring == PITRACE_RING_TRACE &&
		  s.session == 3 && s.sequence == 17 && s.lost == 19 && s.interval == 23);
	CU_ASSERT(s.records == 2 && s.bytes == segment_used);
	CU_ASSERT(!memcmp(i->data + first + sizeof(s), segment(), segment_used));

	part[1] = at;
	s = section_at(i, &at);
	CU_ASSERT(s.type == PIFILE_SEC_SYSTEM && s.bytes == 5 && !s.records && !s.interval);
	CU_ASSERT(!memcmp(i->data + part[1] + sizeof(s), "os: a", 5));

	part[2] = begin = at;
	s = section_at(i, &at);
	memcpy(&g, i->data + begin + sizeof(s), sizeof(g));
	CU_ASSERT(g.magic == PITRACE_SEGMENT_MAGIC && g.size == sizeof(g) &&
		  g.ring == PITRACE_RING_MTE && !g.sequence && g.stamp == 600 && !g.cpu);
	CU_ASSERT(!memcmp(i->data + begin + sizeof(s) + sizeof(g), snapshot, sizeof(snapshot)));
	CU_ASSERT(is_snapshot(&s, 2) && s.bytes == sizeof(g) + sizeof(snapshot));
	part[3] = begin = at;
	s = section_at(i, &at);
	memcpy(&g, i->data + begin + sizeof(s), sizeof(g));
	CU_ASSERT(is_snapshot(&s, 1) && g.sequence == 1);

	s = section_at(i, &at);
	CU_ASSERT(s.type == PIFILE_SEC_END && !s.bytes);
	begin = at;
	s = section_at(i, &at);
	CU_ASSERT(s.type == PIFILE_SEC_INDEX && s.bytes == sizeof(index) && at == i->size);
	memcpy(index, i->data + begin + sizeof(s), sizeof(index));
	for (int k = 0; k < 4; k++)
		CU_ASSERT(index[k].offset == part[k] && index[k].cpu == (k ? 0 : 2) &&
			  index[k].type == (k == 0 ? PIFILE_SEC_SEGMENT :
					    k == 1 ? PIFILE_SEC_SYSTEM :
						     PIFILE_SEC_SNAPSHOT));
}

static void whole(void)
{
	struct image i;
	uint64_t records = 99;

	new_disk();
	i = image_begin(&header);
	CU_ASSERT_EQUAL(pifile_written(i.w, &records), sizeof(struct pifile_header));
	CU_ASSERT_EQUAL(records, 0);
	CU_ASSERT_EQUAL(fill(i.w), 0);
	pifile_written(i.w, &records);
	CU_ASSERT(records == 5 && !file_unwritten(i.w));
	image_take(&i);
	CU_ASSERT_EQUAL(disk.syncs, 1);
	fields(&i);
	image_free(&i);
	i = image_begin(&header);
	file_no_sync(i.w);
	CU_ASSERT_EQUAL(fill(i.w), 0);
	image_take(&i);
	CU_ASSERT_EQUAL(disk.syncs, 1);
	fields(&i);
	image_free(&i);
}

/* However little a write takes, and whatever interrupts it. */
static void in_parts(void)
{
	static const size_t most[] = { 1, 7, 8, 96, 100, 256 };
	struct image i;

	for (size_t k = 0; k < sizeof(most) / sizeof(most[0]); k++) {
		new_disk();
		disk.most = most[k];
		i = image_begin(&header);
		disk.interrupted = 3;
		CU_ASSERT_EQUAL(fill(i.w), 0);
		image_take(&i);
		fields(&i);
		image_free(&i);
	}
}

static void refusals(void)
{
	struct image i;

	new_disk();
	errno = 0;
	CU_ASSERT(!pifile_create_fd(0, NULL) && errno == EINVAL);
	errno = 0;
	CU_ASSERT(!pifile_create("/tmp/x", NULL) && errno == EINVAL);
	errno = 0;
	CU_ASSERT(!pifile_create(NULL, &header) && errno == EINVAL);
	i = image_begin(&header);
	CU_ASSERT_EQUAL(pifile_write_segment(i.w, NULL, 0, 0), -EINVAL);
	CU_ASSERT_EQUAL(pifile_write_section(i.w, PIFILE_SEC_SYSTEM, NULL, 1), -EINVAL);
	CU_ASSERT_EQUAL(pifile_write_section(i.w, PIFILE_SEC_SYSTEM, NULL, 0), 0);
	CU_ASSERT_EQUAL(pifile_write_section(i.w, PIFILE_SEC_SNAPSHOT, "", 0), -EINVAL);
	CU_ASSERT_EQUAL(pifile_write_section(i.w, PIFILE_SEC_INDEX, "", 0), -EINVAL);
	CU_ASSERT_EQUAL(pifile_write_section(i.w, PIFILE_SEC_SYSTEM, "", PIFILE_PAYLOAD_MAX + 1),
			-EFBIG);
	CU_ASSERT_EQUAL(pifile_write_snapshot(i.w, NULL, 1, 0), -EINVAL);
	CU_ASSERT_EQUAL(pifile_write_snapshot(i.w, "",
					      PIFILE_PAYLOAD_MAX - sizeof(struct pitrace_segment) +
						      1,
					      0),
			-EFBIG);
	CU_ASSERT_EQUAL(pifile_write_segment(i.w, segment(), PIFILE_SEGMENT_MAX + 1, 0), -EBADMSG);
	CU_ASSERT_EQUAL(pifile_written(i.w, NULL), 256 + 96);
	image_take(&i);
	image_free(&i);
	pifile_abandon(NULL);
}

/* The first error stays, what came with it and after it is counted, the file ends before it. */
static void errors_stay(void)
{
	uint64_t records, before;
	struct image i;

	for (int error = 0; error <= EIO; error += EIO) {
		new_disk();
		i = image_begin(&header);
		CU_ASSERT_EQUAL(pifile_write_segment(i.w, segment(), 256, 23), 0);
		before = pifile_written(i.w, NULL);
		disk.most = 50;
		disk.fail = disk.writes + 3;
		disk.error = error;
		CU_ASSERT_EQUAL(pifile_write_segment(i.w, segment(), 256, 23), -EIO);
		disk.most = 0;
		CU_ASSERT_EQUAL((uint64_t)lseek(i.fd, 0, SEEK_END), before);
		CU_ASSERT_EQUAL(pifile_write_segment(i.w, segment(), 256, 23), -EIO);
		CU_ASSERT_EQUAL(pifile_write_section(i.w, PIFILE_SEC_SYSTEM, "a", 1), -EIO);
		CU_ASSERT_EQUAL(pifile_write_snapshot(i.w, snapshot, sizeof(snapshot), 1), -EIO);
		CU_ASSERT_EQUAL(file_unwritten(i.w), 4);
		CU_ASSERT(pifile_written(i.w, &records) == before && records == 2);
		CU_ASSERT_EQUAL(pifile_finish(i.w), -EIO);
		i.w = NULL;
		CU_ASSERT_EQUAL((uint64_t)lseek(i.fd, 0, SEEK_END), before);
		image_free(&i);
	}
	/* The write of the header fails. */
	new_disk();
	disk.fail = 1;
	disk.error = ENOSPC;
	CU_ASSERT(!pifile_create_fd(0, &header) && errno == ENOSPC);
}

static void errors_at_the_end(void)
{
	static const struct {
		int no_sync, no_close, rc;
	} cases[] = {
		{ EIO, 0, -EIO }, { EINVAL, 0, 0 },         { EROFS, 0, 0 },
		{ 0, EIO, -EIO }, { ENOSPC, EIO, -ENOSPC }, { EINVAL, EDQUOT, -EDQUOT },
	};

	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		struct image i;
		int rc;

		new_disk();
		i = image_begin(&header);
		disk.no_sync = cases[k].no_sync;
		disk.no_close = cases[k].no_close;
		rc = pifile_finish(i.w);
		disk.no_close = 0;
		i.w = NULL;
		CU_ASSERT_EQUAL(rc, cases[k].rc);
		image_free(&i);
		/* An earlier one is what is said. */
		new_disk();
		i = image_begin(&header);
		disk.fail = 2;
		disk.error = ENOSPC;
		CU_ASSERT_EQUAL(pifile_write_section(i.w, PIFILE_SEC_SYSTEM, "a", 1), -ENOSPC);
		disk.no_sync = cases[k].no_sync;
		disk.no_close = cases[k].no_close;
		rc = pifile_finish(i.w);
		disk.no_close = 0;
		i.w = NULL;
		CU_ASSERT_EQUAL(rc, -ENOSPC);
		image_free(&i);
	}
}

/* ---- copies of what is being written ---- */

static char place[] = "/tmp/pitrace-test-XXXXXX";
static struct folder folder = { .fd = -1 };

static void begin_folder(void)
{
	char path[64];

	new_disk();
	strcpy(place + strlen(place) - 6, "XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(place));
	snprintf(path, sizeof(path), "%s/x", place);
	CU_ASSERT_EQUAL_FATAL(folder_open(&folder, path, NULL), 0);
}

static void end_folder(void)
{
	unlinkat(folder.fd, "copy", 0);
	unlinkat(folder.fd, "copy.old", 0);
	folder_close(&folder);
	CU_ASSERT_EQUAL(rmdir(place), 0);
}

static off_t size_of(const char *leaf)
{
	struct stat st;

	return folder_stat(&folder, leaf, &st) ? -1 : st.st_size;
}

/* The copy has the previous content; it and its original continue independently. */
static void forked(void)
{
	struct image i, copied;
	struct pifile_writer *copy;

	begin_folder();
	i = image_begin(&header);
	CU_ASSERT_EQUAL(pifile_write_segment(i.w, segment(), 256, 23), 0);
	copy = file_fork(i.w);
	CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
	CU_ASSERT_EQUAL(pifile_write_section(i.w, PIFILE_SEC_SYSTEM, "os: a", 5), 0);
	disk.interrupted = 2;
	CU_ASSERT_EQUAL(file_settle(copy, &folder, "copy"), 0);
	CU_ASSERT_EQUAL(pifile_written(copy, NULL), 256 + 96 + (segment_used + 7) / 8 * 8);
	CU_ASSERT_EQUAL((uint64_t)size_of("copy"), pifile_written(copy, NULL));
	CU_ASSERT_EQUAL(pifile_write_section(copy, PIFILE_SEC_SYSTEM, "os: a", 5), 0);
	CU_ASSERT_EQUAL(pifile_write_snapshot(copy, snapshot, sizeof(snapshot), 600), 0);
	CU_ASSERT_EQUAL(pifile_write_snapshot(copy, snapshot, sizeof(snapshot) / 2, 600), 0);
	CU_ASSERT_EQUAL(pifile_write_snapshot(i.w, snapshot, sizeof(snapshot), 600), 0);
	CU_ASSERT_EQUAL(pifile_write_snapshot(i.w, snapshot, sizeof(snapshot) / 2, 600), 0);
	CU_ASSERT_EQUAL(pifile_finish(copy), 0);
	image_take(&i);
	fields(&i);
	copied = (struct image){ .fd = openat(folder.fd, "copy", O_RDONLY | O_CLOEXEC) };
	image_look(&copied);
	fields(&copied);
	image_free(&copied);
	image_free(&i);
	end_folder();
}

static void forked_in_vain(void)
{
	struct image i;

	begin_folder();
	i = image_begin(&header);
	for (int error = 0; error <= EIO; error += EIO) {
		disk.copies = 1;
		disk.copy_error = error;
		CU_ASSERT_EQUAL(file_settle(file_fork(i.w), &folder, "copy"), -EIO);
		CU_ASSERT_EQUAL(size_of("copy"), -1);
	}
	image_take(&i);
	image_free(&i);
	end_folder();
}

/* A file that is taken back was never there: the one before it is. */
static void taken_back(void)
{
	struct pifile_writer *w;

	begin_folder();
	w = file_create(&folder, "copy", &header);
	CU_ASSERT_PTR_NOT_NULL_FATAL(w);
	CU_ASSERT_EQUAL(fill(w), 0);
	CU_ASSERT_EQUAL(pifile_finish(w), 0);
	CU_ASSERT(size_of("copy") > 256 && size_of("copy.old") == -1);
	w = file_create(&folder, "copy", &header);
	CU_ASSERT_PTR_NOT_NULL_FATAL(w);
	CU_ASSERT(size_of("copy") == 256 && size_of("copy.old") > 256);
	file_take_back(w);
	CU_ASSERT(size_of("copy") > 256 && size_of("copy.old") == -1);
	/* … as one whose header cannot be written. */
	disk.fail = disk.writes + 1;
	disk.error = ENOSPC;
	CU_ASSERT(!file_create(&folder, "copy", &header) && errno == ENOSPC);
	CU_ASSERT(size_of("copy") > 256 && size_of("copy.old") == -1);
	end_folder();
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "whole", whole },
		{ "in_parts", in_parts },
		{ "refusals", refusals },
		{ "errors_stay", errors_stay },
		{ "errors_at_the_end", errors_at_the_end },
		{ "forked", forked },
		{ "forked_in_vain", forked_in_vain },
		{ "taken_back", taken_back },
		{ NULL, NULL },
	};

	return unit_run("file_sections", tests);
}
