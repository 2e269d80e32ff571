/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stream of raw records from one or several files: unpacks compressed chunks, and skips data
 * that follow a record outside of its length. Memory is two buffers, whatever the file's size.
 */
#include "input/perf/perf_stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "input/perf/perf_bytes.h"
#include "base/unpacked.h"

#define BUFFER (1u << 20)
#define PLAIN  (256u << 10)
#define HEAD   sizeof(struct perf_event_header)

static void damaged(struct perf_stream *s, uint64_t offset, const char *what)
{
	perf_fault_in(s->perf, s->file, offset, what);
	s->perf->in->complete = false;
}

static void open_file(struct perf_stream *s)
{
	const struct perf_file *f = &s->perf->file[s->file];

	s->at = s->offset = f->begin;
	s->end = f->end;
	s->have = s->used = 0;
	s->plain_have = s->plain_used = 0;
	s->npacked = 0;
	s->packed_damage = s->damaged = false;
	if (s->zstd)
		ZSTD_DCtx_reset(s->zstd, ZSTD_reset_session_only);
}

int perf_stream_begin(struct perf_stream *s, struct perf *p)
{
	*s = (struct perf_stream){ .perf = p };
	s->room = PERF_RECORD_MAX;
	for (uint32_t i = 0; i < p->nfiles && s->room < BUFFER; i++) {
		if (s->room < p->file[i].size)
			s->room = p->file[i].size < BUFFER ? (size_t)p->file[i].size : BUFFER;
	}
	s->buffer = malloc(s->room);
	if (!s->buffer)
		return -ENOMEM;
	open_file(s);
	return 0;
}

void perf_stream_free(struct perf_stream *s)
{
	free(s->buffer);
	free(s->plain);
	ZSTD_freeDCtx(s->zstd);
	*s = (struct perf_stream){ 0 };
}

/* Fills the buffer with at least n bytes (n <= PERF_RECORD_MAX), if the file has that many. */
static int fill(struct perf_stream *s, size_t n)
{
	ssize_t got;

	if (s->have - s->used >= n)
		return 0;
	memmove(s->buffer, s->buffer + s->used, s->have - s->used);
	s->have -= s->used;
	s->used = 0;
	while (s->have < n && s->at < s->end) {
		size_t room = s->room - s->have;

		got = pread(s->perf->file[s->file].fd, s->buffer + s->have,
			    s->end - s->at < room ? (size_t)(s->end - s->at) : room, (off_t)s->at);
		if (got < 0 && errno != EINTR)
			return -errno;
		if (got == 0)
			s->end = s->at; /* the file has become shorter */
		if (got > 0) {
			s->have += (size_t)got;
			s->at += (uint64_t)got;
		}
	}
	return 0;
}

static void skip(struct perf_stream *s, uint64_t n)
{
	uint64_t left = s->have - s->used;

	s->offset += n;
	if (n <= left) {
		s->used += (size_t)n;
		return;
	}
	n -= left;
	s->have = s->used = 0;
	if (n > s->end - s->at) {
		damaged(s, s->end, "the data behind a record is cut");
		n = s->end - s->at;
	}
	s->at += n;
}

static void read_head(const struct perf *p, const uint8_t *at, struct perf_raw *raw)
{
	raw->data = at;
	raw->type = perf_u32(p, at);
	raw->misc = perf_u16(p, at + 4);
	raw->size = perf_u16(p, at + 6);
}

/* ---- compressed chunks ----------------------------------------------------------------------- */

/* Starts unpacking a chunk, whose bytes come next. */
static void begin_chunk(struct perf_stream *s, const struct perf_raw *raw)
{
	size_t head = raw->type == PERF_COMPRESSED2 ? HEAD + 8 : HEAD;

	if (s->packed_damage)
		return;
	if (raw->size < head) {
		damaged(s, raw->offset, "a compressed record without data");
		return;
	}
	s->packed = raw->data + head;
	s->npacked = raw->size - head;
	s->packed_offset = raw->offset;
	if (raw->type == PERF_COMPRESSED2) {
		uint64_t said = perf_u64(s->perf, raw->data + HEAD);

		if (said > s->npacked && !s->damaged)
			damaged(s, raw->offset,
				"a compressed record with more data than it has room for");
		else if (said < s->npacked)
			s->npacked = (size_t)said;
	}
}

static int unpack(struct perf_stream *s)
{
	ZSTD_inBuffer in = { s->packed, s->npacked, 0 };
	ZSTD_outBuffer out;
	size_t rc;

	if (s->unpacked > unpacked_stream(s->perf->in->size)) {
		damaged(s, s->packed_offset,
			"more than 16 MB and 1024 times the file's size came out of "
			"what is compressed: the rest is left out");
		s->packed_damage = true;
		s->npacked = 0;
		s->plain_have = s->plain_used = 0;
		return 0;
	}
	if (!s->zstd)
		s->zstd = ZSTD_createDCtx();
	if (!s->plain)
		s->plain = malloc(PLAIN);
	if (!s->zstd || !s->plain)
		return -ENOMEM;
	memmove(s->plain, s->plain + s->plain_used, s->plain_have - s->plain_used);
	s->plain_have -= s->plain_used;
	s->plain_used = 0;
	out = (ZSTD_outBuffer){ s->plain, PLAIN, s->plain_have };
	rc = ZSTD_decompressStream(s->zstd, &out, &in);
	if (ZSTD_isError(rc)) {
		damaged(s, s->packed_offset, ZSTD_getErrorName(rc));
		s->packed_damage = true;
		s->npacked = 0;
		return 0;
	}
	s->unpacked += out.pos - s->plain_have;
	/* No input was used and no output made: the frame needs more room than there is. */
	if (!in.pos && out.pos == s->plain_have)
		s->npacked = 0;
	s->packed += in.pos;
	s->npacked -= s->npacked ? in.pos : 0;
	/* All input is used, but the decoder may hold more output. */
	s->plain_have = out.pos;
	return 0;
}

/* Returns 1: a record from a chunk; 0: none is complete. */
static int next_plain(struct perf_stream *s, struct perf_raw *raw)
{
	int rc;

	for (;;) {
		size_t left = s->plain_have - s->plain_used;
		bool full = s->plain_have == PLAIN;

		if (left >= HEAD) {
			read_head(s->perf, s->plain + s->plain_used, raw);
			if (raw->size < HEAD) {
				damaged(s, s->packed_offset,
					"a compressed record shorter than its own head");
				s->packed_damage = true;
				s->npacked = 0;
				s->plain_have = s->plain_used = 0;
				return 0;
			}
			if (raw->size <= left) {
				raw->offset = s->packed_offset;
				raw->file = s->file;
				s->plain_used += raw->size;
				return 1;
			}
		}
		if (!s->npacked && !full)
			return 0;
		rc = unpack(s);
		if (rc)
			return rc;
		if (!s->npacked && s->plain_have - s->plain_used == left)
			return 0;
	}
}

/* ---- records --------------------------------------------------------------------------------- */

/* Skips data that follow a record and are not included in its length. */
static void pass_payload(struct perf_stream *s, const struct perf_raw *raw)
{
	if (raw->type == PERF_AUXTRACE && raw->size >= HEAD + 8)
		skip(s, perf_u64(s->perf, raw->data + HEAD));
	else if (raw->type == PERF_HEADER_TRACING_DATA && s->perf->pipe && raw->size >= HEAD + 4)
		skip(s, ((uint64_t)perf_u32(s->perf, raw->data + HEAD) + 7) & ~7ull);
}

/* ---- damage ---------------------------------------------------------------------------------- */

#define LAST_KERNEL 24 /* greatest record type of the kernel, with room for future ones */
#define SURE        4  /* so many valid records in a row are not a coincidence */

static bool is_head(const struct perf *p, const uint8_t *at)
{
	struct perf_raw raw;

	read_head(p, at, &raw);
	if (raw.size < HEAD)
		return false;
	return raw.type < PERF_USER_FIRST ? raw.type && raw.type <= LAST_KERNEL && !(raw.size & 7) :
					    raw.type <= PERF_SCHEDSTAT_DOMAIN;
}

/* Returns whether records begin at this distance from buffer[used]: 1; 0; -1: the buffer has too
 * few bytes to decide. */
static int begins(const struct perf_stream *s, size_t at)
{
	size_t left = s->have - s->used;
	struct perf_raw raw;
	int n;

	for (n = 0; n < SURE && at + HEAD <= left; n++) {
		if (!is_head(s->perf, s->buffer + s->used + at))
			return 0;
		read_head(s->perf, s->buffer + s->used + at, &raw);
		at += raw.size;
	}
	if (n == SURE || (s->at >= s->end && n && at == left))
		return 1;
	return s->at >= s->end ? 0 : -1;
}

/* Searches for the next place where several records follow one another. Returns 1; 0: none;
 * -errno. */
static int find_records(struct perf_stream *s)
{
	size_t at = 8;
	int rc;

	for (;;) {
		rc = fill(s, PERF_RECORD_MAX);
		if (rc)
			return rc;
		for (rc = 0; !rc && s->have - s->used >= at + HEAD; at += 8)
			rc = begins(s, at);
		if (rc)
			at -= 8;
		/* With a full buffer from there on, records are found or assumed. */
		if (at > s->have - s->used)
			at = s->have - s->used;
		s->used += at;
		s->offset += at;
		if (rc > 0 || (rc < 0 && !at))
			return 1;
		if (!rc && s->at >= s->end)
			return 0;
		at = 0;
	}
}

/* Skips an invalid record: reports a fault with the offset where reading continues. Returns 1; 0:
 * the rest is lost; -errno. */
static int pass_damage(struct perf_stream *s, const char *what)
{
	uint64_t where = s->offset;
	char text[128];
	int rc = find_records(s);

	if (rc < 0)
		return rc;
	if (rc)
		snprintf(text, sizeof(text), "%s: reading goes on at byte %" PRIu64, what,
			 s->offset);
	else
		snprintf(text, sizeof(text), "%s: nothing behind it can be read", what);
	damaged(s, where, text);
	return rc;
}

/* Returns why a record's header is invalid; NULL: valid. */
static const char *wrong_head(const struct perf_raw *raw, char what[64])
{
	if (raw->size < HEAD)
		return raw->type || raw->misc || raw->size ? "a record shorter than its own head" :
							     "zeros instead of a record";
	if (!(raw->size & 7) || raw->type >= PERF_USER_FIRST)
		return NULL;
	snprintf(what, 64, "a record of %" PRIu32 " bytes, no multiple of 8", raw->size);
	return what;
}

static int next_in_file(struct perf_stream *s, struct perf_raw *raw)
{
	const char *wrong;
	char room[64];
	size_t left;
	int rc;

	do {
		rc = fill(s, HEAD);
		left = s->have - s->used;
		if (rc || !left)
			return rc;
		if (left < HEAD) {
			damaged(s, s->offset, "the last record is cut");
			return 0;
		}
		read_head(s->perf, s->buffer + s->used, raw);
		wrong = wrong_head(raw, room);
		rc = wrong ? pass_damage(s, wrong) : 1;
		if (rc <= 0)
			return rc;
	} while (wrong);
	rc = fill(s, raw->size);
	if (rc)
		return rc;
	left = s->have - s->used;
	if (left < raw->size) {
		damaged(s, s->offset, "the last record is cut");
		s->damaged = true;
		/* The existing part of a compressed chunk can be unpacked. */
		raw->data = s->buffer + s->used;
		raw->size = (uint32_t)left;
		raw->offset = s->offset;
		if (raw->type == PERF_COMPRESSED || (raw->type == PERF_COMPRESSED2 && left >= 16))
			begin_chunk(s, raw);
		return 0;
	}
	raw->data = s->buffer + s->used;
	raw->offset = s->offset;
	raw->file = s->file;
	s->used += raw->size;
	s->offset += raw->size;
	return 1;
}

/* The usual case: a kernel record, complete in the buffer, and no chunk pending. */
static inline bool next_whole(struct perf_stream *s, struct perf_raw *raw)
{
	size_t left = s->have - s->used;

	if (s->npacked || s->plain_have > s->plain_used || s->damaged || left < HEAD)
		return false;
	read_head(s->perf, s->buffer + s->used, raw);
	if (raw->size < HEAD || raw->size & 7 || raw->size > left || raw->type >= PERF_USER_FIRST)
		return false;
	raw->offset = s->offset;
	raw->file = s->file;
	s->used += raw->size;
	s->offset += raw->size;
	return true;
}

int perf_stream_next(struct perf_stream *s, struct perf_raw *raw)
{
	int rc;

	if (next_whole(s, raw))
		return 1;
	for (;;) {
		if (s->npacked || s->plain_have > s->plain_used) {
			rc = next_plain(s, raw);
			if (rc)
				return rc;
		}
		rc = s->damaged ? 0 : next_in_file(s, raw);
		if (rc < 0)
			return rc;
		if (rc) {
			if (raw->type == PERF_COMPRESSED || raw->type == PERF_COMPRESSED2)
				begin_chunk(s, raw);
			else
				pass_payload(s, raw);
			return 1;
		}
		if (s->npacked)
			continue; /* of the truncated chunk */
		if (s->plain_have > s->plain_used && !s->damaged)
			damaged(s, s->packed_offset, "the last compressed record is cut");
		s->done += s->perf->file[s->file].end - s->perf->file[s->file].begin;
		if (s->file + 1 == s->perf->nfiles)
			return 0;
		s->file++;
		open_file(s);
	}
}
