/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Trace files for the targets that read them: the file's sections and records found again in an
 * input, so that its CRCs can be made right and libFuzzer changes records rather than lengths.
 */
#ifndef FUZZ_TRACE_H
#define FUZZ_TRACE_H

#include <stdbool.h>

#include <pifile.h>

#include "base/crc32c.h"
#include "fuzz.h"

static inline bool fuzz_swapped(const uint8_t *file, size_t size)
{
	uint32_t order = PIFILE_ORDER;

	if (size >= sizeof(struct pifile_header))
		memcpy(&order, file + offsetof(struct pifile_header, order), sizeof(order));
	return order != PIFILE_ORDER;
}

/* The section at *at, its payload in *payload and *bytes; *at passes it. false: none. */
static inline bool fuzz_section(const uint8_t *file, size_t size, size_t *at,
				struct pifile_section *s, size_t *payload, uint64_t *bytes)
{
	if (size < *at || size - *at < sizeof(*s))
		return false;
	memcpy(s, file + *at, sizeof(*s));
	*bytes = fuzz_swapped(file, size) ? __builtin_bswap64(s->stored) : s->stored;
	*payload = *at + sizeof(*s);
	if (*bytes > size - *payload)
		return false;
	*at = *payload + *bytes + (-*bytes & 7);
	return true;
}

/* Where the last section ends. */
static inline size_t fuzz_trace_end(const uint8_t *file, size_t size)
{
	uint32_t magic = fuzz_swapped(file, size) ? __builtin_bswap32(PIFILE_SECTION_MAGIC) :
						    PIFILE_SECTION_MAGIC;
	size_t at = sizeof(struct pifile_header), end = at, payload;
	struct pifile_section s;
	uint64_t bytes;

	while (fuzz_section(file, size, &at, &s, &payload, &bytes) && s.magic == magic)
		end = at;
	return end < size ? end : size;
}

static inline void fuzz_mend_crcs(uint8_t *file, size_t size)
{
	bool swapped = fuzz_swapped(file, size);
	size_t at = sizeof(struct pifile_header), payload;
	struct pifile_section s;
	uint64_t bytes;
	uint32_t crc;

	if (size < at)
		return;
	crc = crc32c(0, file, at - sizeof(crc));
	crc = swapped ? __builtin_bswap32(crc) : crc;
	memcpy(file + at - sizeof(crc), &crc, sizeof(crc));
	while (fuzz_section(file, size, &at, &s, &payload, &bytes)) {
		crc = crc32c(0, file + payload, bytes);
		s.payload_crc = swapped ? __builtin_bswap32(crc) : crc;
		crc = crc32c(0, &s, offsetof(struct pifile_section, crc));
		s.crc = swapped ? __builtin_bswap32(crc) : crc;
		memcpy(file + payload - sizeof(s), &s, sizeof(s));
	}
}

#ifdef LIBFUZZER
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

#define FUZZ_RECORDS 4096

/* Where records of our byte order begin. */
static inline size_t fuzz_records(const uint8_t *file, size_t size, size_t list[FUZZ_RECORDS])
{
	size_t at = sizeof(struct pifile_header), payload, n = 0, end;
	struct pifile_section s;
	struct pitrace_rec r;
	uint64_t bytes;

	if (fuzz_swapped(file, size))
		return 0;
	while (fuzz_section(file, size, &at, &s, &payload, &bytes)) {
		if ((s.type != PIFILE_SEC_SEGMENT && s.type != PIFILE_SEC_SNAPSHOT) ||
		    s.flags & PIFILE_ZSTD)
			continue;
		end = payload + bytes;
		payload += sizeof(struct pitrace_segment);
		while (payload <= end && end - payload >= sizeof(r) && n < FUZZ_RECORDS) {
			memcpy(&r, file + payload, sizeof(r));
			if ((r.type_len & PITRACE_LEN_MASK) < sizeof(r) ||
			    (r.type_len & PITRACE_LEN_MASK) > end - payload)
				break;
			list[n++] = payload;
			payload += r.type_len & PITRACE_LEN_MASK;
		}
	}
	return n;
}

/* Change a record, three times of four: its data, its kind, its time, or another one's data put
 * into it. The lengths stay. */
static inline size_t fuzz_mutate(uint8_t *file, size_t size, size_t max, unsigned int seed)
{
	static size_t list[FUZZ_RECORDS];
	size_t n = fuzz_records(file, size, list), room, other;
	struct pitrace_rec r, from;
	uint8_t *p;

	if (!n || seed % 4 == 0)
		return LLVMFuzzerMutate(file, size, max);
	p = file + list[seed / 4 % n];
	memcpy(&r, p, sizeof(r));
	room = (r.type_len & PITRACE_LEN_MASK) - sizeof(r);
	switch (seed / 4 / n % 4) {
	case 0:
		LLVMFuzzerMutate(p + 2, sizeof(r) - 2, sizeof(r) - 2);
		break;
	case 1:
		other = list[seed / 16 % n];
		memcpy(&from, file + other, sizeof(from));
		r.major = from.major;
		r.minor = from.minor;
		r.type_len = (r.type_len & PITRACE_LEN_MASK) | (from.type_len & PITRACE_TYPE_MASK);
		memcpy(p, &r, sizeof(r));
		if (room > (from.type_len & PITRACE_LEN_MASK) - sizeof(from))
			room = (from.type_len & PITRACE_LEN_MASK) - sizeof(from);
		memmove(p + sizeof(r), file + other + sizeof(from), room);
		break;
	default:
		if (room)
			LLVMFuzzerMutate(p + sizeof(r), room, room);
	}
	return size;
}
#endif
#endif
