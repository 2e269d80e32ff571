/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The bounded cursor: every parser of outside input reads through it. A read beyond the end fails,
 * leaves the position where it was and sets `bad`, which stays set: a parser may read a whole
 * struct and check once. Data need not be aligned.
 */
#ifndef PITRACE_BYTES_H
#define PITRACE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes {
	const uint8_t *base;
	size_t size;
	size_t at; /* position; after an error, where the failed read began */
	bool swap; /* data are in the other byte order */
	bool bad;
};

/* Reads an integer at p, which the caller has checked to be inside the data. */
static inline uint16_t bytes_load16(const void *p, bool swap)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap16(v) : v;
}

static inline uint32_t bytes_load32(const void *p, bool swap)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap32(v) : v;
}

static inline uint64_t bytes_load64(const void *p, bool swap)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap64(v) : v;
}

/* NULL (of a failed read) is an empty cursor, whatever the size. */
static inline struct bytes bytes_of(const void *base, size_t size)
{
	return (struct bytes){ .base = base, .size = base ? size : 0 };
}

static inline size_t bytes_left(const struct bytes *b)
{
	return b->bad ? 0 : b->size - b->at;
}

/* Returns the next n bytes in place, or NULL. */
static inline const void *bytes_take(struct bytes *b, size_t n)
{
	const void *p;

	if (n > bytes_left(b)) {
		b->bad = true;
		return NULL;
	}
	p = b->base + b->at;
	b->at += n;
	return p;
}

static inline bool bytes_skip(struct bytes *b, size_t n)
{
	return bytes_take(b, n) != NULL || (n == 0 && !b->bad);
}

static inline bool bytes_seek(struct bytes *b, size_t at)
{
	if (b->bad || at > b->size) {
		b->bad = true;
		return false;
	}
	b->at = at;
	return true;
}

/* Copies the next n bytes to out; zeros on failure. */
static inline bool bytes_copy(struct bytes *b, void *out, size_t n)
{
	const void *p = bytes_take(b, n);

	if (p)
		memcpy(out, p, n);
	else
		memset(out, 0, n);
	return p != NULL;
}

static inline uint8_t bytes_u8(struct bytes *b)
{
	uint8_t v;

	bytes_copy(b, &v, sizeof(v));
	return v;
}

static inline uint16_t bytes_u16(struct bytes *b)
{
	uint16_t v;

	bytes_copy(b, &v, sizeof(v));
	return b->swap ? __builtin_bswap16(v) : v;
}

static inline uint32_t bytes_u32(struct bytes *b)
{
	uint32_t v;

	bytes_copy(b, &v, sizeof(v));
	return b->swap ? __builtin_bswap32(v) : v;
}

static inline uint64_t bytes_u64(struct bytes *b)
{
	uint64_t v;

	bytes_copy(b, &v, sizeof(v));
	return b->swap ? __builtin_bswap64(v) : v;
}

/* Returns in place a string whose NUL is within the next `room` bytes, all of which are consumed;
 * its length (without the NUL) goes to *length. NULL when there is no NUL. */
static inline const char *bytes_str(struct bytes *b, size_t room, size_t *length)
{
	const char *p = room <= bytes_left(b) ? (const char *)b->base + b->at : NULL;
	const char *nul = p ? memchr(p, 0, room) : NULL;

	if (!nul) {
		b->bad = true;
		return NULL;
	}
	b->at += room;
	*length = (size_t)(nul - p);
	return p;
}

/* Returns the next text line, without its newline; false at the end. */
static inline bool bytes_line(struct bytes *b, const char **line, size_t *length)
{
	size_t left = bytes_left(b);
	const char *p = (const char *)b->base + b->at;
	const char *nl;

	if (!left)
		return false;
	nl = memchr(p, '\n', left);
	*line = p;
	*length = nl ? (size_t)(nl - p) : left;
	b->at += *length + (nl ? 1 : 0);
	return true;
}

#endif
