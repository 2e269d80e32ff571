/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The trace file's writer. Sections are appended, each by one writev. A failed write (no space) is
 * undone back to the last whole section, so that the file is always readable. The first error is
 * kept and returned by all later calls.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <zstd.h>
#include <pifile.h>
#include "base/array.h"
#include "base/crc32c.h"
#include "file/file_write.h"
#include "base/newfile.h"
#include "file/record_walk.h"

#define WORTH_COMPRESSING 64 /* bytes; for smaller payloads a frame is not worthwhile */

struct pifile_writer {
	int fd;
	int error;  /* first -errno of the file */
	off_t base; /* offset of the file header in fd; -1: cannot seek */
	/* end of the last whole section, relative to the file header */
	uint64_t offset;
	uint64_t records, unwritten;
	struct newfile made; /* created by name: not by pifile_create_fd */
	uint64_t snapshots;
	struct pifile_index *index; /* NULL with index_room 0: none yet */
	size_t nindex, index_room;
	bool no_index; /* no memory: an empty index will be written */
	bool no_sync;
	int level; /* compression level, 0: none */
	ZSTD_CCtx *cctx;
	char *scratch; /* grows to the largest payload */
	size_t scratch_room;
};

static const uint8_t zeros[8];

/* ---- bytes into the file --------------------------------------------------------------------- */

/* Writes all of iov, which is consumed. 0 or -errno. */
static int write_all(int fd, struct iovec *iov, int n)
{
	while (n) {
		ssize_t done;

		if (!iov->iov_len) {
			iov++;
			n--;
			continue;
		}
		done = writev(fd, iov, n);
		if (done < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		if (!done)
			return -EIO;
		for (; n && (size_t)done >= iov->iov_len; iov++, n--)
			done -= (ssize_t)iov->iov_len;
		if (n) {
			iov->iov_base = (char *)iov->iov_base + done;
			iov->iov_len -= (size_t)done;
		}
	}
	return 0;
}

/* Keeps the first error and undoes the partial write. */
static int failed(struct pifile_writer *w, int error)
{
	off_t end = w->base + (off_t)w->offset;

	w->error = error;
	/* If this fails too, the reader finds and reports a truncated section. */
	if (w->base >= 0 && !ftruncate(w->fd, end))
		(void)lseek(w->fd, end, SEEK_SET);
	return error;
}

static void remember(struct pifile_writer *w, const struct pifile_section *s)
{
	if (w->no_index)
		return;
	if (array_next(w->index, w->nindex, w->index_room)) {
		w->no_index = true; /* the index only saves a scan */
		return;
	}
	w->index[w->nindex++] = (struct pifile_index){ w->offset, s->type, s->cpu };
}

/* Compresses the payload into scratch; 0: not smaller. */
static size_t compressed(struct pifile_writer *w, const void *payload, size_t size)
{
	size_t n;

	if (!w->level || size < WORTH_COMPRESSING)
		return 0;
	if (!w->cctx) {
		w->cctx = ZSTD_createCCtx();
		if (!w->cctx)
			return 0;
	}
	/* A frame that is not smaller is not used. */
	if (array_room(w->scratch, w->scratch_room, size))
		return 0;
	ZSTD_CCtx_setParameter(w->cctx, ZSTD_c_compressionLevel, w->level);
	n = ZSTD_compress2(w->cctx, w->scratch, size - 1, payload, size);
	return ZSTD_isError(n) ? 0 : n;
}

static int append(struct pifile_writer *w, struct pifile_section *s, const void *payload,
		  size_t size)
{
	size_t packed = compressed(w, payload, size);
	struct iovec iov[3];
	int err;

	s->magic = PIFILE_SECTION_MAGIC;
	s->size = sizeof(*s);
	s->bytes = size;
	s->stored = size;
	if (packed) {
		s->flags |= PIFILE_ZSTD;
		s->stored = packed;
		payload = w->scratch;
	}
	s->payload_crc = crc32c(0, payload, s->stored);
	s->crc = crc32c(0, s, offsetof(struct pifile_section, crc));

	iov[0] = (struct iovec){ s, sizeof(*s) };
	iov[1] = (struct iovec){ (void *)payload, s->stored };
	iov[2] = (struct iovec){ (void *)zeros, -s->stored & 7 };
	err = write_all(w->fd, iov, 3);
	if (err)
		return failed(w, err);
	if (s->type != PIFILE_SEC_END && s->type != PIFILE_SEC_INDEX)
		remember(w, s);
	w->offset += sizeof(*s) + s->stored + (-s->stored & 7);
	return 0;
}

/* ---- creating -------------------------------------------------------------------------------- */

struct pifile_writer *pifile_create_fd(int fd, const struct pifile_header *header)
{
	struct pifile_header h;
	struct iovec iov = { &h, sizeof(h) };
	struct pifile_writer *w;
	int err;

	if (!header) {
		errno = EINVAL;
		return NULL;
	}
	w = calloc(1, sizeof(*w));
	if (!w)
		return NULL;
	h = *header;
	w->fd = fd;
	w->made.folder = w->made.fd = -1;
	w->base = lseek(fd, 0, SEEK_CUR);
	memcpy(h.magic, PIFILE_MAGIC, sizeof(h.magic));
	h.size = sizeof(h);
	h.version = PIFILE_VERSION;
	h.order = PIFILE_ORDER;
	h.crc = crc32c(0, &h, offsetof(struct pifile_header, crc));
	err = write_all(fd, &iov, 1);
	if (err) {
		failed(w, err);
		free(w);
		errno = -err;
		return NULL;
	}
	w->offset = sizeof(h);
	return w;
}

static struct pifile_writer *begin(struct newfile made, const struct pifile_header *header)
{
	struct pifile_writer *w = pifile_create_fd(made.fd, header);
	int err = errno;

	if (w) {
		w->made = made;
	} else {
		newfile_undo(&made);
		errno = err;
	}
	return w;
}

struct pifile_writer *file_create(const struct folder *f, const char *leaf,
				  const struct pifile_header *header)
{
	struct newfile made;
	int err = newfile_open_in(&made, f, leaf, NEWFILE_READ, 0600);

	errno = -err;
	return err ? NULL : begin(made, header);
}

struct pifile_writer *pifile_create(const char *path, const struct pifile_header *header)
{
	struct newfile made;
	int err;

	/* An older file of this name is left alone. */
	if (!path || !header) {
		errno = EINVAL;
		return NULL;
	}
	err = newfile_open(&made, path, NEWFILE_READ, 0600);
	errno = -err;
	return err ? NULL : begin(made, header);
}

void pifile_set_compression(struct pifile_writer *w, int level)
{
	w->level = level;
}

/* ---- sections -------------------------------------------------------------------------------- */

/* Walks all records and fills in records, first, last. Returns the bytes in use, or -EBADMSG. */
static ssize_t survey(struct record_walk *walk, struct pifile_section *s)
{
	struct record r;
	int got;

	while ((got = record_next(walk, &r)) > 0) {
		if (!s->records++)
			s->first = r.stamp;
		if (r.stamp > s->last)
			s->last = r.stamp;
	}
	return got < 0 ? got : (ssize_t)walk->b.at;
}

int pifile_write_segment(struct pifile_writer *w, const void *segment, size_t size,
			 uint64_t interval)
{
	struct pifile_section s = { .type = PIFILE_SEC_SEGMENT, .interval = interval };
	struct pitrace_segment h;
	struct record_walk walk;
	ssize_t used;
	int err;

	if (!segment)
		return -EINVAL;
	if (size > PIFILE_SEGMENT_MAX || (uintptr_t)segment % 4)
		return -EBADMSG;
	err = record_walk_begin(&walk, segment, size, &h);
	if (err)
		return err;
	used = survey(&walk, &s);
	if (used < 0)
		return (int)used;
	if (!s.records)
		return 0;
	s.cpu = h.cpu;
	s.ring = h.ring;
	s.session = h.session;
	s.sequence = h.sequence;
	s.lost = h.lost;
	err = w->error ? w->error : append(w, &s, segment, (size_t)used);
	*(err ? &w->unwritten : &w->records) += s.records;
	return err;
}

uint64_t file_unwritten(const struct pifile_writer *w)
{
	return w->unwritten;
}

int pifile_write_section(struct pifile_writer *w, enum pifile_section_type type,
			 const void *payload, size_t size)
{
	struct pifile_section s = { .type = (uint16_t)type };

	if (!payload && size)
		return -EINVAL;
	if (w->error)
		return w->error;
	/* These fields are computed from the content. */
	if (type == PIFILE_SEC_SEGMENT || type == PIFILE_SEC_SNAPSHOT || type == PIFILE_SEC_END ||
	    type == PIFILE_SEC_INDEX)
		return -EINVAL;
	if (size > PIFILE_PAYLOAD_MAX)
		return -EFBIG;
	return append(w, &s, payload, size);
}

int pifile_write_snapshot(struct pifile_writer *w, const void *records, size_t size, uint64_t stamp)
{
	struct pifile_section s = { .type = PIFILE_SEC_SNAPSHOT };
	struct pitrace_segment h = {
		.magic = PITRACE_SEGMENT_MAGIC,
		.size = sizeof(h),
		.ring = PITRACE_RING_MTE,
		.sequence = w->snapshots,
		.stamp = stamp,
	};
	struct record_walk walk;
	uint8_t *payload;
	ssize_t used;
	int err;

	if (!records && size)
		return -EINVAL;
	if (w->error)
		return w->error;
	if (size > PIFILE_PAYLOAD_MAX - sizeof(h))
		return -EFBIG;
	payload = malloc(sizeof(h) + size);
	if (!payload)
		return -ENOMEM;
	memcpy(payload, &h, sizeof(h));
	memcpy(payload + sizeof(h), records, size);
	record_walk_begin(&walk, payload, sizeof(h) + size, &h);
	used = survey(&walk, &s);
	err = used < 0 ? (int)used : 0;
	if (!err && s.records)
		err = append(w, &s, payload, (size_t)used);
	if (!err) {
		w->records += s.records;
		w->snapshots++;
	}
	free(payload);
	return err;
}

uint64_t pifile_written(const struct pifile_writer *w, uint64_t *records)
{
	if (records)
		*records = w->records;
	return w->offset;
}

/* ---- the end --------------------------------------------------------------------------------- */

static void release(struct pifile_writer *w)
{
	newfile_keep(&w->made);
	ZSTD_freeCCtx(w->cctx);
	free(w->scratch);
	free(w->index);
	free(w);
}

int pifile_finish(struct pifile_writer *w)
{
	struct pifile_section end = { .type = PIFILE_SEC_END };
	struct pifile_section index = { .type = PIFILE_SEC_INDEX };
	int err = w->error;

	if (!err)
		err = append(w, &end, NULL, 0);
	if (!err)
		err = append(w, &index, w->index, w->no_index ? 0 : w->nindex * sizeof(*w->index));
	/* Pipes and similar files cannot be synced. */
	if (!w->no_sync && fsync(w->fd) && !err && errno != EINVAL && errno != EROFS)
		err = -errno;
	if (close(w->fd) && !err)
		err = -errno;
	release(w);
	return err;
}

void pifile_abandon(struct pifile_writer *w)
{
	if (!w)
		return;
	close(w->fd);
	release(w);
}

void file_take_back(struct pifile_writer *w)
{
	newfile_undo(&w->made);
	release(w);
}

void file_no_sync(struct pifile_writer *w)
{
	w->no_sync = true;
}

/* ---- copies ---------------------------------------------------------------------------------- */

struct pifile_writer *file_fork(const struct pifile_writer *w)
{
	struct pifile_writer *copy = malloc(sizeof(*copy));

	if (!copy)
		return NULL;
	*copy = *w;
	copy->made = (struct newfile){ .fd = -1, .folder = -1 };
	copy->cctx = NULL;
	copy->scratch = NULL;
	copy->scratch_room = 0;
	copy->index = malloc(w->nindex * sizeof(*w->index) + 1);
	copy->index_room = w->nindex;
	copy->fd = copy->index ? fcntl(w->fd, F_DUPFD_CLOEXEC, 0) : -1;
	if (copy->fd < 0) {
		free(copy->index);
		free(copy);
		return NULL;
	}
	if (w->nindex)
		memcpy(copy->index, w->index, w->nindex * sizeof(*w->index));
	return copy;
}

static int copy_bytes(int to, int from, off_t at, uint64_t bytes)
{
	while (bytes) {
		ssize_t n = sendfile(to, from, &at, bytes < 1 << 30 ? bytes : 1 << 30);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		bytes -= (uint64_t)n;
	}
	return 0;
}

int file_settle(struct pifile_writer *w, const struct folder *f, const char *leaf)
{
	struct newfile made;
	int err = newfile_open_in(&made, f, leaf, NEWFILE_READ, 0600);

	if (!err) {
		err = copy_bytes(made.fd, w->fd, w->base, w->offset);
		if (err)
			newfile_undo(&made);
	}
	if (err) {
		pifile_abandon(w);
		return err;
	}
	close(w->fd);
	w->fd = made.fd;
	w->made = made;
	w->base = 0;
	return 0;
}

int file_copy(const struct folder *from, const char *leaf, const struct folder *to,
	      const char *to_leaf)
{
	struct newfile made;
	struct stat st;
	int in = folder_read(from, leaf, &st), err = in < 0 ? in : 0;

	if (!err)
		err = newfile_open_in(&made, to, to_leaf, NEWFILE_READ, 0600);
	if (!err) {
		err = copy_bytes(made.fd, in, 0, (uint64_t)st.st_size);
		if (err) {
			newfile_undo(&made);
		} else {
			err = close(made.fd) ? -errno : 0;
			newfile_keep(&made);
		}
	}
	if (in >= 0)
		close(in);
	return err;
}
