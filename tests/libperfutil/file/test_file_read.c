/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reader: what it refuses in words, what it reads around, what it never believes. */
#include <fcntl.h>
#include <sys/stat.h>
#include <zstd.h>
#include "image.h"

static const struct pifile_header header = { .clock = PITRACE_CLOCK_MONOTONIC,
					     .clock_hz = 1000000000,
					     .ncpus = 1 };

/* A file of sections SYSTEM, 3 segments, MODULES: sections 0 … 4, then END and index. */
#define SEGMENTS 3
static struct image sample(int level)
{
	struct image i = image_begin(&header);
	struct gen_ring g;

	pifile_set_compression(i.w, level);
	pifile_write_section(i.w, PIFILE_SEC_SYSTEM, "os: none\n", 9);
	gen_ring_open(&g, i.w, 0, PITRACE_RING_TRACE, 16384);
	for (unsigned int n = 0; n < SEGMENTS; n++) {
		for (unsigned int k = 0; k < 10; k++)
			memset(gen_record(&g, 0xD0, k, PITRACE_TYPE_U32, 20, n * 100 + k), 7, 20);
		gen_ring_flush(&g);
	}
	gen_ring_close(&g);
	pifile_write_section(i.w, PIFILE_SEC_MODULES, "none\n", 5);
	image_take(&i);
	return i;
}

static uint64_t offset_of(const struct image *i, size_t section)
{
	struct pifile *f = file_open_memory(i->data, i->size, FILE_IGNORE_CRC, NULL);
	uint64_t offset = pifile_section_offset(f, section);

	pifile_close(f);
	return offset;
}

static void seal_header(struct image *i)
{
	struct pifile_header h;

	memcpy(&h, i->data, sizeof(h));
	h.crc = crc32c(0, &h, offsetof(struct pifile_header, crc));
	memcpy(i->data, &h, sizeof(h));
}

/* The words of a file that cannot be opened. */
static const char *refused(const struct image *i, size_t size)
{
	static struct pifile_fault fault;
	struct pifile *f = file_open_memory(i->data, size, 0, &fault);

	CU_ASSERT_PTR_NULL(f);
	pifile_close(f);
	return f ? "" : fault.what;
}

static void whole(void)
{
	struct image i = sample(0);
	struct pifile *f = image_open(&i);
	struct got got[64];
	void *b = NULL;
	size_t size;

	CU_ASSERT_EQUAL(pifile_faults(f, NULL), 0);
	CU_ASSERT_EQUAL(pifile_sections(f), 7);
	CU_ASSERT_EQUAL(pifile_section(f, 0)->type, PIFILE_SEC_SYSTEM);
	CU_ASSERT_EQUAL(pifile_section(f, 1)->type, PIFILE_SEC_SEGMENT);
	CU_ASSERT_EQUAL(pifile_section(f, 1)->records, 10);
	CU_ASSERT_EQUAL(pifile_section(f, 1)->first, 0);
	CU_ASSERT_EQUAL(pifile_section(f, 3)->first, 200);
	CU_ASSERT_EQUAL(pifile_section(f, 3)->last, 209);
	CU_ASSERT_EQUAL(pifile_section(f, 3)->sequence, 2);
	CU_ASSERT_EQUAL(pifile_section(f, 3)->interval, 1);
	CU_ASSERT_EQUAL(pifile_section(f, 3)->stored, 64 + 320);
	CU_ASSERT_EQUAL(pifile_section(f, 5)->type, PIFILE_SEC_END);
	CU_ASSERT_EQUAL(pifile_section(f, 6)->type, PIFILE_SEC_INDEX);
	CU_ASSERT_EQUAL(pifile_section(f, 6)->stored, 5 * sizeof(struct pifile_index));
	CU_ASSERT_PTR_NULL(pifile_section(f, 7));
	CU_ASSERT_PTR_NOT_NULL(pifile_payload(f, 0, &b, &size));
	CU_ASSERT(size == 9 && !memcmp(b, "os: none\n", 9));
	CU_ASSERT_PTR_NULL(pifile_payload(f, 7, &b, &size));
	CU_ASSERT_EQUAL(take_all(f, PIMERGE_TRACE, got, 64), 30);
	CU_ASSERT_EQUAL(pifile_verify(f), 0);
	CU_ASSERT(!memcmp(pifile_get_header(f)->magic, PIFILE_MAGIC, 8));
	free(b);
	pifile_close(f);
	image_free(&i);
}

static void refusals(void)
{
	struct image i = sample(0);
	struct pifile_header good, *h = (struct pifile_header *)(void *)i.data;
	struct pifile *f;

	good = *h;
	CU_ASSERT_PTR_NOT_NULL(strstr(refused(&i, 0), "empty"));
	CU_ASSERT_PTR_NOT_NULL(strstr(refused(&i, 7), "not a trace file"));
	CU_ASSERT_PTR_NOT_NULL(strstr(refused(&i, 8), "cut inside the file's header"));
	CU_ASSERT_PTR_NOT_NULL(strstr(refused(&i, 255), "cut inside the file's header: 255"));
	h->magic[7] = ' ';
	CU_ASSERT_PTR_NOT_NULL(strstr(refused(&i, i.size), "not a trace file"));
	*h = good;
	h->order = __builtin_bswap32(h->order);
	CU_ASSERT_PTR_NOT_NULL(strstr(refused(&i, i.size), "damaged"));
	*h = good;
	h->version = 2;
	seal_header(&i);
	CU_ASSERT_PTR_NOT_NULL(strstr(refused(&i, i.size), "version 2 is not supported"));
	*h = good;
	h->version = 2;
	CU_ASSERT_PTR_NOT_NULL(strstr(refused(&i, i.size), "header is damaged"));
	*h = good;
	h->size = 512;
	seal_header(&i);
	CU_ASSERT_PTR_NOT_NULL(strstr(refused(&i, i.size), "header is wrong"));
	/* A header that is wrong elsewhere is a fault, not the end. */
	*h = good;
	h->release[3] ^= 1;
	f = image_open(&i);
	ASSERT_FAULT(f, 0, "header is damaged");
	CU_ASSERT_EQUAL(pifile_sections(f), 7);
	pifile_close(f);
	image_free(&i);
}

static void damaged_section_header(void)
{
	struct image i = sample(0);
	uint64_t at = offset_of(&i, 2), next = offset_of(&i, 3);
	struct got got[64];
	struct pifile *f;
	uint64_t words;

	i.data[at + 20] ^= 0x10;
	f = image_open(&i);
	CU_ASSERT_EQUAL(pifile_faults(f, NULL), 1);
	ASSERT_FAULT(f, 0, "no section's header");
	CU_ASSERT_EQUAL(fault_offset(f, 0), at);
	words = strtoull(strstr(fault_text(f, 0), "be: ") + 4, NULL, 10);
	CU_ASSERT_EQUAL(words, next - at);
	CU_ASSERT_EQUAL(pifile_sections(f), 6);
	CU_ASSERT(pifile_complete(f));
	CU_ASSERT_EQUAL(take_all(f, PIMERGE_TRACE, got, 64), 20);
	CU_ASSERT_EQUAL(got[10].r.stamp, 200);
	pifile_close(f);
	image_free(&i);
}

static void damaged_payload(void)
{
	for (int level = 0; level < 2; level++) {
		struct image i = sample(level);
		uint64_t at = offset_of(&i, 2);
		struct got got[64];
		struct pifile *f;

		i.data[at + 96 + 40] ^= 0x10;
		f = image_open(&i);
		CU_ASSERT_EQUAL(pifile_faults(f, NULL), 0);
		CU_ASSERT_EQUAL(take_all(f, PIMERGE_TRACE, got, 64), 20);
		CU_ASSERT_EQUAL(pifile_faults(f, NULL), 1);
		ASSERT_FAULT(f, 0, "its CRC is wrong");
		CU_ASSERT_EQUAL(fault_offset(f, 0), at);
		/* It is said once. */
		CU_ASSERT_EQUAL(take_all(f, PIMERGE_TRACE, got, 64), 20);
		CU_ASSERT_EQUAL(pifile_verify(f), 1);
		pifile_close(f);
		image_free(&i);
	}
}

static void damaged_padding(void)
{
	struct image i = sample(0);
	uint64_t at = offset_of(&i, 0) + 96 + 9;
	struct pifile *f;

	i.data[at + 6] ^= 0x80;
	f = image_open(&i);
	CU_ASSERT_EQUAL(pifile_faults(f, NULL), 1);
	ASSERT_FAULT(f, 0, "padding");
	CU_ASSERT_EQUAL(fault_offset(f, 0), at + 6);
	CU_ASSERT_EQUAL(pifile_sections(f), 7);
	pifile_close(f);
	image_free(&i);
}

/* Cut at every byte: the whole sections before it are read, and it is said. */
static void cut_everywhere(void)
{
	struct image i = sample(0);
	uint64_t ends[8];
	struct got got[64];

	for (size_t k = 0; k < 7; k++)
		ends[k] = k < 6 ? offset_of(&i, k + 1) : i.size;
	for (size_t size = 256; size < i.size; size++) {
		struct image cut = { .data = i.data, .size = size };
		struct pifile *f = image_open(&cut);
		size_t n = 0, segments;

		while (n < 7 && ends[n] <= size)
			n++;
		segments = n < 1 ? 0 : n - 1 < SEGMENTS ? n - 1 : SEGMENTS;
		CU_ASSERT_EQUAL(pifile_sections(f), n);
		CU_ASSERT_EQUAL(pifile_faults(f, NULL), 1);
		ASSERT_FAULT(f, 0, "cut (or still being written)");
		CU_ASSERT_EQUAL(strtoull(strstr(fault_text(f, 0), "after ") + 6, NULL, 10), n);
		CU_ASSERT_EQUAL(fault_offset(f, 0), n ? ends[n - 1] : 256);
		CU_ASSERT_EQUAL(take_all(f, PIMERGE_TRACE, got, 64), 10 * segments);
		pifile_close(f);
	}
	image_free(&i);
}

/* A section taken out whole is missed by the index. */
static void section_taken_out(void)
{
	struct image i = sample(0);
	uint64_t at = offset_of(&i, 2), next = offset_of(&i, 3);
	struct pifile *f;

	memmove(i.data + at, i.data + next, i.size - next);
	i.size -= next - at;
	f = image_open(&i);
	CU_ASSERT_EQUAL(pifile_faults(f, NULL), 1);
	ASSERT_FAULT(f, 0, "index lists other sections");
	pifile_close(f);
	image_free(&i);

	/* … also the only one. */
	i = image_begin(&header);
	pifile_write_section(i.w, PIFILE_SEC_SYSTEM, "os: none\n", 9);
	image_take(&i);
	at = offset_of(&i, 0);
	next = offset_of(&i, 1);
	memmove(i.data + at, i.data + next, i.size - next);
	i.size -= next - at;
	f = image_open(&i);
	CU_ASSERT_EQUAL(pifile_sections(f), 2);
	CU_ASSERT_EQUAL(pifile_faults(f, NULL), 1);
	ASSERT_FAULT(f, 0, "index lists other sections");
	pifile_close(f);
	image_free(&i);
}

static void bytes_behind_the_end(void)
{
	struct image i = sample(0);
	uint64_t at = offset_of(&i, 2), next = offset_of(&i, 3);
	struct image longer = { .size = i.size + next - at };
	struct got got[64];
	struct pifile *f;

	longer.data = malloc(longer.size);
	memcpy(longer.data, i.data, i.size);
	memset(longer.data + i.size, 0, next - at);
	f = image_open(&longer);
	ASSERT_FAULT(f, 0, "no section's header");
	CU_ASSERT_EQUAL(fault_offset(f, 0), i.size);
	pifile_close(f);

	/* The same segment again: it is delivered once. */
	memcpy(longer.data + i.size, i.data + at, next - at);
	f = image_open(&longer);
	ASSERT_FAULT(f, 0, "a section after the index");
	CU_ASSERT_EQUAL(take_all(f, PIMERGE_TRACE, got, 64), 30);
	ASSERT_FAULT(f, pifile_faults(f, NULL) - 1, "is duplicate or out of order");
	CU_ASSERT_EQUAL(fault_offset(f, pifile_faults(f, NULL) - 1), i.size);
	pifile_close(f);
	free(longer.data);
	image_free(&i);
}

/* Claims with good CRCs that must not be believed. */
static void impossible_claims(void)
{
	static const struct {
		uint32_t flags;
		uint64_t bytes;
		const char *words;
	} claims[] = {
		{ 0, 1ull << 62, "invalid section size" },
		{ 0, 400, "invalid section size" },
		{ PIFILE_ZSTD, (1 << 20) + 8, "invalid section size" },
		{ PIFILE_ZSTD, 384, "frame differs" },
		{ PIFILE_ZSTD, 1 << 20, "frame differs" },
		{ 4, 384, "unknown flags" },
	};
	struct image i = sample(0);
	uint64_t at = offset_of(&i, 2);
	struct pifile_section s;
	struct got got[64];

	for (size_t k = 0; k < sizeof(claims) / sizeof(claims[0]); k++) {
		struct pifile *f;

		memcpy(&s, i.data + at, sizeof(s));
		s.flags = claims[k].flags;
		s.bytes = claims[k].bytes;
		memcpy(i.data + at, &s, sizeof(s));
		seal_section(i.data + at, NULL);
		f = image_open(&i);
		CU_ASSERT_EQUAL(take_all(f, PIMERGE_TRACE, got, 64), 20);
		CU_ASSERT_EQUAL(pifile_faults(f, NULL), 1);
		ASSERT_FAULT(f, 0, claims[k].words);
		pifile_close(f);
	}
	image_free(&i);
}

/* zstd frames with good CRCs that hold something else than they say. */
static void frames(void)
{
	struct image i = image_begin(&header);
	uint8_t plain[5000] = { 0 }, other[200];
	struct pifile_section s;
	struct pifile *f;
	void *b = NULL;
	size_t n, size;

	pifile_set_compression(i.w, 1);
	pifile_write_section(i.w, PIFILE_SEC_SYSTEM, plain, sizeof(plain));
	image_take(&i);
	memcpy(&s, i.data + 256, sizeof(s));
	/* the frame's last block cut off, and a byte of it changed */
	for (int way = 0; way < 2; way++) {
		uint8_t *frame = i.data + 256 + 96;
		uint8_t kept[64];

		memcpy(kept, frame, s.stored);
		if (way)
			frame[s.stored - 1] ^= 0x7F;
		else
			memset(frame + s.stored - 4, 0, 4);
		seal_section(i.data + 256, frame);
		f = image_open(&i);
		if (pifile_payload(f, 0, &b, &n)) {
			CU_ASSERT_EQUAL(n, sizeof(plain));
		} else {
			ASSERT_FAULT(f, 0, "section");
		}
		pifile_close(f);
		memcpy(frame, kept, s.stored);
	}
	/* a good frame of another size */
	size = ZSTD_compress(other, sizeof(other), plain, 4999, 1);
	CU_ASSERT_FATAL(size <= s.stored);
	memcpy(i.data + 256 + 96, other, size);
	seal_section(i.data + 256, i.data + 256 + 96);
	f = image_open(&i);
	CU_ASSERT_PTR_NULL(pifile_payload(f, 0, &b, &n));
	ASSERT_FAULT(f, 0, "frame differs");
	pifile_close(f);
	free(b);
	image_free(&i);
}

/* Records that contradict their header, with good CRCs. */
static void contradictions(void)
{
	struct image i = sample(0);
	uint64_t at = offset_of(&i, 2);
	uint8_t *payload = i.data + at + 96, kept[512];
	struct pifile_section s, good;
	struct got got[64];
	struct pifile *f;
	uint16_t word;

	memcpy(&good, i.data + at, sizeof(good));
	memcpy(kept, payload, 384);

	s = good; /* another CPU */
	s.cpu = 1;
	memcpy(i.data + at, &s, sizeof(s));
	seal_section(i.data + at, NULL);
	f = image_open(&i);
	CU_ASSERT_EQUAL(take_all(f, PIMERGE_TRACE, got, 64), 20);
	ASSERT_FAULT(f, 0, "index lists");
	ASSERT_FAULT(f, 1, "not the one that its section's header names");
	pifile_close(f);

	s = good; /* more records than there are */
	s.records = 11;
	memcpy(i.data + at, &s, sizeof(s));
	seal_section(i.data + at, NULL);
	f = image_open(&i);
	CU_ASSERT_EQUAL(take_all(f, PIMERGE_TRACE, got, 64), 30);
	ASSERT_FAULT(f, 0, "holds 10 records, its header says 11");
	CU_ASSERT_EQUAL(take_all(f, PIMERGE_TRACE, got, 64), 30);
	CU_ASSERT_EQUAL(pifile_faults(f, NULL), 1);
	pifile_close(f);

	s = good; /* the fifth record too long */
	memcpy(i.data + at, &s, sizeof(s));
	word = 0xFFF0;
	memcpy(payload + 64 + 4 * 32, &word, 2);
	seal_section(i.data + at, payload);
	f = image_open(&i);
	CU_ASSERT_EQUAL(take_all(f, PIMERGE_TRACE, got, 64), 24);
	ASSERT_FAULT(f, 0, "a record longer than the segment, at byte 192");
	pifile_close(f);

	memcpy(payload, kept, 384); /* the fifth record's stamp too small */
	word = 3;
	memcpy(payload + 64 + 4 * 32 + 8, &word, 2);
	seal_section(i.data + at, payload);
	f = image_open(&i);
	CU_ASSERT_EQUAL(take_all(f, PIMERGE_TRACE, got, 64), 30);
	ASSERT_FAULT(f, 0, "1 stamps are less than the one before");
	CU_ASSERT_EQUAL(got[14].r.stamp, 3);
	CU_ASSERT_EQUAL(got[14].r.time, 103);
	pifile_close(f);

	payload[0] ^= 1; /* no segment at all */
	seal_section(i.data + at, payload);
	f = image_open(&i);
	CU_ASSERT_EQUAL(take_all(f, PIMERGE_TRACE, got, 64), 20);
	ASSERT_FAULT(f, 0, "magic");
	pifile_close(f);
	image_free(&i);
}

static void unknown_type(void)
{
	struct image i = sample(0);
	struct pifile_section s;
	struct pifile *f;
	void *b = NULL;
	size_t n;

	memcpy(&s, i.data + 256, sizeof(s));
	s.type = 77;
	memcpy(i.data + 256, &s, sizeof(s));
	seal_section(i.data + 256, NULL);
	f = image_open(&i);
	CU_ASSERT_EQUAL(pifile_section(f, 0)->type, 77);
	CU_ASSERT_PTR_NOT_NULL(pifile_payload(f, 0, &b, &n));
	CU_ASSERT_EQUAL(n, 9);
	free(b);
	pifile_close(f);
	image_free(&i);
}

static void many_faults(void)
{
	struct image i = image_begin(&header);
	struct gen_ring g;
	struct pifile *f;
	const struct pifile_fault *list;
	size_t n;

	gen_ring_open(&g, i.w, 0, PITRACE_RING_TRACE, 16384);
	for (unsigned int k = 0; k < 100; k++) {
		gen_record(&g, 0xD0, k, PITRACE_TYPE_U32, 0, k);
		gen_ring_flush(&g);
	}
	gen_ring_close(&g);
	image_take(&i);
	for (size_t k = 0; k < 100; k++)
		i.data[256 + k * (96 + 80) + 96 + 10] ^= 1;
	f = image_open(&i);
	CU_ASSERT_EQUAL(pifile_verify(f), 100);
	n = pifile_faults(f, &list);
	CU_ASSERT_EQUAL(n, 100);
	CU_ASSERT_EQUAL(list[63].offset, 256 + 63 * 176);
	pifile_close(f);
	image_free(&i);
}

/* On disk: a growing file, one that shrinks under the reader, and what is not a file. */
static void on_disk(void)
{
	char path[] = "/tmp/pitrace-test-XXXXXX";
	struct image i = sample(0);
	struct pifile_fault fault;
	struct got got[64];
	struct pifile *f;
	int fd = mkstemp(path);

	CU_ASSERT_EQUAL(write(fd, i.data, 256 + 112 + 10), 256 + 112 + 10);
	f = pifile_open(path, &fault);
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	CU_ASSERT_EQUAL(pifile_sections(f), 1);
	CU_ASSERT(!pifile_complete(f));
	ASSERT_FAULT(f, 0, "still being written");
	pifile_close(f);

	CU_ASSERT_EQUAL(pwrite(fd, i.data, i.size, 0), (ssize_t)i.size);
	f = pifile_open(path, &fault);
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	CU_ASSERT_EQUAL(pifile_faults(f, NULL), 0);
	CU_ASSERT_EQUAL(pifile_size(f), i.size);
	CU_ASSERT_EQUAL(ftruncate(fd, (off_t)offset_of(&i, 3)), 0);
	CU_ASSERT_EQUAL(take_all(f, PIMERGE_TRACE, got, 64), 20);
	ASSERT_FAULT(f, 0, "the file was truncated");
	pifile_close(f);
	/* It becomes shorter within a payload: nothing of that is delivered. */
	for (int level = 0; level < 2; level++) {
		struct image packed = sample(level);

		CU_ASSERT_EQUAL(ftruncate(fd, 0), 0);
		CU_ASSERT_EQUAL(pwrite(fd, packed.data, packed.size, 0), (ssize_t)packed.size);
		f = pifile_open(path, &fault);
		CU_ASSERT_PTR_NOT_NULL_FATAL(f);
		CU_ASSERT_EQUAL(ftruncate(fd, (off_t)offset_of(&packed, 2) + 96 + 40), 0);
		CU_ASSERT_EQUAL(take_all(f, PIMERGE_TRACE, got, 64), 10);
		CU_ASSERT_EQUAL(pifile_faults(f, NULL), 2);
		ASSERT_FAULT(f, 0, "cannot be read: the file was truncated");
		ASSERT_FAULT(f, 1, "the file was truncated");
		pifile_close(f);
		image_free(&packed);
	}
	close(fd);
	unlink(path);

	CU_ASSERT_PTR_NULL(pifile_open(path, &fault));
	CU_ASSERT_EQUAL(errno, ENOENT);
	CU_ASSERT_PTR_NULL(pifile_open("/tmp", &fault));
	CU_ASSERT_EQUAL(errno, EISDIR);
	CU_ASSERT_STRING_EQUAL(fault.what, "is a directory");
	CU_ASSERT_EQUAL(mkfifo(path, 0600), 0);
	CU_ASSERT_PTR_NULL(pifile_open(path, &fault));
	CU_ASSERT_STRING_EQUAL(fault.what, "is not a regular file");
	unlink(path);
	image_free(&i);
}

static const struct unit_test tests[] = {
	{ "whole", whole },
	{ "refusals", refusals },
	{ "damaged_section_header", damaged_section_header },
	{ "damaged_payload", damaged_payload },
	{ "damaged_padding", damaged_padding },
	{ "cut_everywhere", cut_everywhere },
	{ "section_taken_out", section_taken_out },
	{ "bytes_behind_the_end", bytes_behind_the_end },
	{ "impossible_claims", impossible_claims },
	{ "frames", frames },
	{ "contradictions", contradictions },
	{ "unknown_type", unknown_type },
	{ "many_faults", many_faults },
	{ "on_disk", on_disk },
	{ 0 },
};

int main(void)
{
	return unit_run("file_read", tests);
}
