/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The trace file's reader: finds sections by their headers (and the next good header after a
 * damaged one), checks and decompresses payloads. Bytes are read, not mapped: a file that is
 * truncated or changed meanwhile is a fault, never a SIGBUS or a length that changes after its
 * check. All sizes are checked against the file's size before memory is allocated.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include "base/array.h"
#include "base/crc32c.h"
#include "base/read_all.h"
#include "file/file_follow.h"
#include "file/trace_file.h"
#include "file/file_swap.h"
#include "base/regular.h"
#include "base/sized.h"
#include "base/unpacked.h"

/* ---- faults ---------------------------------------------------------------------------------- */

static void set_fault(struct pifile_fault *fault, uint64_t offset, const char *format, va_list ap)
{
	fault->offset = offset;
	vsnprintf(fault->what, sizeof(fault->what), format, ap);
}

/* The list is returned to the program, whose structs may have another size. */
static void add_fault(struct pifile *f, uint64_t offset, const char *format, va_list ap)
{
	struct pifile_fault own = { 0 };

	if (f->nfaults < FILE_FAULTS) {
		set_fault(&own, offset, format, ap);
		sized_copy(f->faults, f->nfaults, f->fault_size, &own, sizeof(own));
	}
	f->nfaults++;
}

void file_fault(struct pifile *f, uint64_t offset, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	add_fault(f, offset, format, ap);
	va_end(ap);
}

void file_section_fault(struct pifile *f, size_t i, enum file_state state, const char *format, ...)
{
	va_list ap;

	if (f->sections[i].state >= state)
		return;
	f->sections[i].state = state;
	va_start(ap, format);
	add_fault(f, file_offset(f, i), format, ap);
	va_end(ap);
}

/* Reports a fault to the caller of pifile_open, when there is no open file to hold it. */
__attribute__((format(printf, 4, 5))) static void refuse(struct pifile_fault *fault, int error,
							 uint64_t offset, const char *format, ...)
{
	va_list ap;

	if (fault) {
		va_start(ap, format);
		set_fault(fault, offset, format, ap);
		va_end(ap);
	}
	errno = error;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

int file_buffer_grow(struct file_buffer *b, size_t size)
{
	void *p;

	if (size <= b->room)
		return 0;
	/* The old content is not needed any more. */
	p = malloc(size);
	if (!p)
		return -ENOMEM;
	free(b->data);
	b->data = p;
	b->room = size;
	return 0;
}

void file_buffer_free(struct file_buffer *b)
{
	free(b->data);
	*b = (struct file_buffer){ 0 };
}

/* Returns the bytes read, fewer than size only at the end of the file; or -errno. */
static ssize_t read_at(const struct pifile *f, uint64_t offset, void *out, size_t size)
{
	size_t got;
	int err;

	if (offset >= f->size)
		return 0;
	if (size > f->size - offset)
		size = f->size - offset;
	if (f->fd < 0) {
		memcpy(out, f->memory + offset, size);
		return (ssize_t)size;
	}
	err = pread_all(f->fd, out, size, offset, &got);
	return err ? err : (ssize_t)got;
}

static bool crc_wrong(const struct pifile *f, uint32_t stated, const void *data, size_t size)
{
	return !f->ignore_crc && crc32c(0, data, size) != stated;
}

/* ---- sections -------------------------------------------------------------------------------- */

static uint64_t whole(const struct pifile_section *s)
{
	return sizeof(*s) + s->stored + (-s->stored & 7);
}

/* Checks whether this is a section's header, and converts it to native byte order. */
static bool is_header(const struct pifile *f, struct pifile_section *s)
{
	struct pifile_section ours = *s;

	if (f->swapped)
		file_swap_section(&ours);
	if (ours.magic != PIFILE_SECTION_MAGIC || ours.size != sizeof(*s) ||
	    crc_wrong(f, ours.crc, s, offsetof(struct pifile_section, crc)))
		return false;
	*s = ours;
	return true;
}

static bool add_section(struct pifile *f, const struct pifile_section *s, uint64_t offset)
{
	if (f->nsections == UINT32_MAX || array_next(f->sections, f->nsections, f->room))
		return false;
	f->sections[f->nsections++] = (struct file_section){
		.eighths = offset / 8,
		.type = s->type,
		.ring = s->ring < FILE_NO_RING ? (uint16_t)s->ring : FILE_NO_RING,
	};
	if (s->type == PIFILE_SEC_SEGMENT && s->first < f->first)
		f->first = s->first;
	return true;
}

bool file_section_header(struct pifile *f, size_t i, struct pifile_section *s)
{
	ssize_t got = read_at(f, file_offset(f, i), s, sizeof(*s));

	if (got == (ssize_t)sizeof(*s) && is_header(f, s) && s->type == f->sections[i].type)
		return true;
	*s = (struct pifile_section){ 0 };
	file_bad(f, i, "a section cannot be read: %s",
		 got < 0                   ? strerror((int)-got) :
		 got < (ssize_t)sizeof(*s) ? "the file was truncated" :
					     "the file was changed");
	return false;
}

/* Returns the offset of the next good section header, or the file's size; -errno. Sections start at
 * multiples of 8. */
static int next_header(struct pifile *f, uint64_t offset, uint64_t *found)
{
	enum { CHUNK = 64 * 1024 };
	uint8_t *chunk = malloc(CHUNK);
	struct pifile_section s;

	if (!chunk)
		return -ENOMEM;
	offset = (offset + 7) & ~(uint64_t)7;
	while (offset < f->size) {
		ssize_t got = read_at(f, offset, chunk, CHUNK);
		size_t at;

		if (got < (ssize_t)sizeof(s))
			break; /* also unreadable parts */
		for (at = 0; at + sizeof(s) <= (size_t)got; at += 8) {
			memcpy(&s, chunk + at, sizeof(s));
			if (is_header(f, &s)) {
				*found = offset + at;
				free(chunk);
				return 0;
			}
		}
		offset += at;
	}
	free(chunk);
	*found = f->size;
	return 0;
}

/* The padding between a payload and the next section is zero; anything else is damage. */
static void check_padding(struct pifile *f, uint64_t offset, const struct pifile_section *s)
{
	uint8_t pad[8] = { 0 };
	size_t n = -s->stored & 7;
	uint64_t at = offset + sizeof(*s) + s->stored;

	if (n && read_at(f, at, pad, n) == (ssize_t)n)
		for (size_t i = 0; i < n; i++)
			if (pad[i]) {
				file_fault(f, at + i, "the padding after a payload is not zero");
				return;
			}
}

/* The file ends inside of something, or the rest is still to be written. */
static int cut(struct pifile *f, const char *inside)
{
	if (!f->grows)
		file_fault(f, f->scanned,
			   "cut (or still being written) after %zu whole sections, inside %s",
			   f->nsections, inside);
	return 0;
}

int file_scan(struct pifile *f)
{
	struct pifile_section s;
	char inside[64];
	uint64_t found;
	ssize_t got;
	int err;

	while (f->scanned < f->size) {
		got = read_at(f, f->scanned, &s, sizeof(s));
		if (got < 0) {
			file_fault(f, f->scanned, "cannot be read after %zu whole sections: %s",
				   f->nsections, strerror((int)-got));
			return 0;
		}
		if (got < (ssize_t)sizeof(s))
			return cut(f, "a section's header");
		if (!is_header(f, &s)) {
			err = next_header(f, f->scanned + 8, &found);
			if (err)
				return err;
			file_fault(f, f->scanned,
				   "no section's header where one should be: %" PRIu64
				   " bytes skipped",
				   found - f->scanned);
			f->scanned = found;
			continue;
		}
		if (s.stored > f->size - f->scanned - sizeof(s) ||
		    whole(&s) > f->size - f->scanned) {
			snprintf(inside, sizeof(inside), "a section of %" PRIu64 " bytes",
				 s.stored);
			return cut(f, inside);
		}
		if (f->index)
			file_fault(f, f->scanned, "a section after the index");
		if (!add_section(f, &s, f->scanned))
			return -ENOMEM;
		check_padding(f, f->scanned, &s);
		if (s.type == PIFILE_SEC_END)
			f->complete = true;
		f->index = s.type == PIFILE_SEC_INDEX;
		f->scanned += whole(&s);
	}
	if (!f->grows && (!f->index || (!f->complete && !f->nfaults)))
		file_fault(f, f->size,
			   "not finished: cut (or still being written) after %zu whole "
			   "sections",
			   f->nsections);
	return 0;
}

/* The index of a complete file lists what the scan found: it shows when whole sections were
 * removed. */
static void check_index(struct pifile *f)
{
	struct file_buffer b = { 0 };
	const struct pifile_index *index;
	size_t n = f->nsections, size;
	struct pifile_section s;

	/* After another fault this check adds nothing. */
	if (f->nfaults || n < 2 || f->sections[n - 1].type != PIFILE_SEC_INDEX)
		return;
	n -= 2; /* END and the index itself are not in it */
	index = file_payload(f, n + 1, &b, &size);
	if (index && size) {
		bool same = size == n * sizeof(*index);

		for (size_t i = 0; same && i < n; i++)
			same = index[i].offset == file_offset(f, i) &&
			       index[i].type == f->sections[i].type &&
			       file_section_header(f, i, &s) && index[i].cpu == s.cpu;
		if (!same)
			file_bad(f, n + 1, "the index lists other sections than the file holds");
	}
	file_buffer_free(&b);
}

/* ---- payloads -------------------------------------------------------------------------------- */

static uint64_t most_bytes(const struct pifile_section *s)
{
	return s->type == PIFILE_SEC_SEGMENT ? PIFILE_SEGMENT_MAX : PIFILE_PAYLOAD_MAX;
}

static bool stored_bytes(struct pifile *f, size_t i, const struct pifile_section *s, void *out)
{
	ssize_t got = read_at(f, file_offset(f, i) + sizeof(*s), out, s->stored);

	if (got != (ssize_t)s->stored) {
		file_bad(f, i, "a section cannot be read: %s",
			 got < 0 ? strerror((int)-got) : "the file was truncated");
		return false;
	}
	if (crc_wrong(f, s->payload_crc, out, s->stored)) {
		file_bad(f, i,
			 "a section's payload is damaged (its CRC is wrong): %" PRIu64
			 " bytes skipped",
			 s->stored);
		return false;
	}
	return true;
}

static bool decompress(struct pifile *f, size_t i, const struct pifile_section *s, void *out)
{
	size_t n;

	if (!f->dctx)
		f->dctx = ZSTD_createDCtx();
	if (!f->dctx) {
		file_bad(f, i, "no memory to decompress a section");
		return false;
	}
	n = ZSTD_decompressDCtx(f->dctx, out, s->bytes, f->stored.data, s->stored);
	if (ZSTD_isError(n)) {
		file_bad(f, i, "a section cannot be decompressed: %s", ZSTD_getErrorName(n));
		return false;
	}
	if (n != s->bytes) {
		file_bad(f, i, "a section has %zu bytes, its header says %" PRIu64, n, s->bytes);
		return false;
	}
	return true;
}

const void *file_payload(struct pifile *f, size_t i, struct file_buffer *buffer, size_t *size)
{
	struct pifile_section s;

	*size = 0;
	if (f->sections[i].state == FILE_BAD || !file_section_header(f, i, &s))
		return NULL;
	return file_payload_of(f, i, &s, buffer, size);
}

const void *file_payload_of(struct pifile *f, size_t i, const struct pifile_section *s,
			    struct file_buffer *buffer, size_t *size)
{
	bool packed = s->flags & PIFILE_ZSTD;

	*size = 0;
	if (f->sections[i].state == FILE_BAD)
		return NULL;
	if (s->flags & ~(uint32_t)PIFILE_ZSTD) {
		file_bad(f, i, "a section with unknown flags 0x%" PRIx32, s->flags);
		return NULL;
	}
	/* scan() has checked that the stored bytes are inside the file; the decompressed size has a
	 * limit. */
	if (s->bytes > most_bytes(s) || s->stored > most_bytes(s) ||
	    (!packed && s->bytes != s->stored)) {
		file_bad(f, i, "invalid section size: %" PRIu64 " bytes, %" PRIu64 " stored",
			 s->bytes, s->stored);
		return NULL;
	}
	/* The limit covers all compressed payloads together: a few bytes may become gigabytes. */
	if (packed && f->sections[i].state == FILE_UNREAD) {
		if (s->bytes > unpacked_stream(f->size) - f->unpacked) {
			file_bad(f, i,
				 "a section of %" PRIu64 " bytes, %" PRIu64
				 " stored: with what was "
				 "read before it is more than 16 MB and 1024 times the file's size, and "
				 "left out",
				 s->bytes, s->stored);
			return NULL;
		}
		f->unpacked += s->bytes;
	}
	/* One more byte, so that an empty payload has an address too. */
	if (packed && file_buffer_grow(&f->stored, s->stored + 1)) {
		file_bad(f, i, "no memory for a section");
		return NULL;
	}
	if (packed) {
		if (!stored_bytes(f, i, s, f->stored.data))
			return NULL;
		/* Check the size in the frame before it is allocated. */
		if (ZSTD_getFrameContentSize(f->stored.data, s->stored) != s->bytes) {
			file_bad(f, i, "a compressed section's frame differs from its header");
			return NULL;
		}
	}
	if (file_buffer_grow(buffer, s->bytes + 1)) {
		file_bad(f, i, "no memory for a section of %" PRIu64 " bytes", s->bytes);
		return NULL;
	}
	if (packed ? !decompress(f, i, s, buffer->data) : !stored_bytes(f, i, s, buffer->data))
		return NULL;
	if (f->swapped)
		file_swap_payload(s->type, buffer->data, s->bytes);
	if (f->sections[i].state == FILE_UNREAD)
		f->sections[i].state = FILE_GOOD;
	*size = s->bytes;
	return buffer->data;
}

const void *pifile_payload(struct pifile *f, size_t i, void **buffer, size_t *size)
{
	struct file_buffer b = { 0 };
	const void *payload;

	if (!buffer || !size)
		return NULL;
	*size = 0;
	if (i >= f->nsections)
		return NULL;
	/* The capacity of the caller's buffer is unknown, so it is replaced. */
	payload = file_payload(f, i, &b, size);
	if (!payload) {
		file_buffer_free(&b);
		return NULL;
	}
	free(*buffer);
	*buffer = b.data;
	return payload;
}

/* ---- opening --------------------------------------------------------------------------------- */

/* False: nothing can be read. A header with only a wrong CRC is a fault. */
static bool read_header(struct pifile *f, struct pifile_fault *fault)
{
	struct pifile_header *h = &f->header, stored;
	ssize_t got = read_at(f, 0, h, sizeof(*h));
	bool ours = got >= 8 && !memcmp(h->magic, PIFILE_MAGIC, sizeof(h->magic));

	if (got < 0) {
		refuse(fault, (int)-got, 0, "cannot be read: %s", strerror((int)-got));
		return false;
	}
	if (!got) {
		refuse(fault, ENODATA, 0, "the file is empty");
		return false;
	}
	if (!ours) {
		refuse(fault, EBADMSG, 0, "not a trace file: its first bytes are not PITRACE");
		return false;
	}
	if (got < (ssize_t)sizeof(*h)) {
		refuse(fault, EBADMSG, (uint64_t)got, "cut inside the file's header: %zd bytes",
		       got);
		return false;
	}
	stored = *h;
	f->swapped = h->order == __builtin_bswap32(PIFILE_ORDER);
	if (f->swapped)
		file_swap_header(h);
	if (crc_wrong(f, h->crc, &stored, offsetof(struct pifile_header, crc))) {
		/* Sections have their own checks; the fields needed to find them must be right. */
		if (h->order != PIFILE_ORDER || h->version != PIFILE_VERSION ||
		    h->size != sizeof(*h)) {
			refuse(fault, EBADMSG, 0, "the file's header is damaged");
			return false;
		}
		file_fault(f, 0, "the file's header is damaged: clock and machine may be wrong");
		return true;
	}
	if (h->version != PIFILE_VERSION) {
		refuse(fault, EBADMSG, offsetof(struct pifile_header, version),
		       "version %" PRIu32 " is not supported; this program reads version %d",
		       h->version, PIFILE_VERSION);
		return false;
	}
	if (h->order != PIFILE_ORDER || h->size != sizeof(*h)) {
		refuse(fault, EBADMSG, 0, "the file's header is wrong");
		return false;
	}
	return true;
}

static struct pifile *open_any(struct pifile *f, struct pifile_fault *fault)
{
	int err;

	if (!read_header(f, fault)) {
		err = errno;
		pifile_close(f);
		errno = err;
		return NULL;
	}
	f->first = UINT64_MAX;
	f->scanned = f->header.size;
	err = file_scan(f);
	if (err) {
		pifile_close(f);
		refuse(fault, -err, 0, "cannot be read: %s", strerror(-err));
		return NULL;
	}
	if (!f->grows)
		check_index(f);
	return f;
}

static struct pifile *new_file(size_t fault_size, struct pifile_fault *fault)
{
	struct pifile *f = calloc(1, sizeof(*f));

	if (f)
		f->faults = calloc(FILE_FAULTS, fault_size);
	if (!f || !f->faults) {
		free(f);
		refuse(fault, ENOMEM, 0, "no memory");
		return NULL;
	}
	f->fd = -1;
	f->fault_size = fault_size;
	return f;
}

struct pifile *file_open_memory(const void *data, size_t size, unsigned int flags,
				struct pifile_fault *fault)
{
	struct pifile *f = new_file(sizeof(*fault), fault);

	if (!f)
		return NULL;
	f->memory = data;
	f->size = size;
	f->ignore_crc = flags & FILE_IGNORE_CRC;
	return open_any(f, fault);
}

static struct pifile *open_path(const char *path, struct pifile_fault *fault, size_t fault_size,
				bool grows)
{
	struct stat st = { 0 };
	struct pifile *f;
	int err;

	if (!path) {
		refuse(fault, EINVAL, 0, "no path given");
		return NULL;
	}
	f = new_file(fault_size, fault);
	if (!f)
		return NULL;
	f->fd = regular_open(path, 0, &st);
	if (f->fd < 0) {
		err = S_ISDIR(st.st_mode) ? EISDIR : errno;
		pifile_close(f);
		refuse(fault, err, 0, "%s",
		       err == EISDIR                      ? "is a directory" :
		       st.st_mode && !S_ISREG(st.st_mode) ? "is not a regular file" :
							    strerror(err));
		return NULL;
	}
	f->size = (uint64_t)st.st_size;
	f->grows = grows;
	posix_fadvise(f->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	return open_any(f, fault);
}

struct pifile *file_open(const char *path, struct pifile_fault *fault, size_t fault_size)
{
	return open_path(path, fault, fault_size, false);
}

struct pifile *follow_open(const char *path, struct pifile_fault *fault)
{
	struct pifile_fault own;

	return open_path(path, fault ? fault : &own, sizeof(own), true);
}

struct pifile *pifile_open(const char *path, struct pifile_fault *fault)
{
	return file_open(path, fault, sizeof(*fault));
}

void pifile_close(struct pifile *f)
{
	if (!f)
		return;
	if (f->fd >= 0)
		close(f->fd);
	ZSTD_freeDCtx(f->dctx);
	file_buffer_free(&f->stored);
	file_time_free(&f->time);
	free(f->sections);
	free(f->faults);
	free(f);
}

/* properties */

const struct pifile_header *pifile_get_header(const struct pifile *f)
{
	return &f->header;
}

bool pifile_complete(const struct pifile *f)
{
	return f->complete;
}

uint64_t pifile_size(const struct pifile *f)
{
	return f->size;
}

size_t pifile_faults(const struct pifile *f, const struct pifile_fault **list)
{
	if (list)
		*list = (const void *)f->faults;
	return f->nfaults;
}

size_t pifile_sections(const struct pifile *f)
{
	return f->nsections;
}

const struct pifile_section *pifile_section(struct pifile *f, size_t i)
{
	if (i >= f->nsections)
		return NULL;
	file_section_header(f, i, &f->shown);
	return &f->shown;
}

uint64_t pifile_section_offset(const struct pifile *f, size_t i)
{
	return i < f->nsections ? file_offset(f, i) : 0;
}

/* Reads every payload not read yet, to find its faults. */
size_t pifile_verify(struct pifile *f)
{
	struct file_buffer b = { 0 };
	size_t size;

	for (size_t i = 0; i < f->nsections; i++)
		if (f->sections[i].state == FILE_UNREAD)
			file_payload(f, i, &b, &size);
	file_buffer_free(&b);
	return f->nfaults;
}
