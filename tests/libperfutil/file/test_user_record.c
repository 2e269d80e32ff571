/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records that programs write: what they hold, in both byte orders; cut, and with lengths that
 * lie. */
#include <errno.h>
#include <pifile.h>
#include <stdlib.h>
#include <string.h>
#include "file/file_swap.h"
#include "unit.h"

static uint8_t data[4096];
static uint32_t used;

static void put(const void *p, size_t size)
{
	memcpy(data + used, p, size);
	used += (uint32_t)size;
}

/* So many integers and strings; what they are follows. */
static void begin(uint16_t ints, uint16_t strs)
{
	const struct pitrace_user u = {
		.pid = 7,
		.tid = 8,
		.uid = 1000,
		.cpu = 3,
		.ints = ints,
		.strs = strs,
	};

	used = 0;
	put(&u, sizeof(u));
}

static void put_int(uint64_t value)
{
	put(&value, sizeof(value));
}

static void put_length(uint32_t value)
{
	put(&value, sizeof(value));
}

/* Two integers; the strings "ab", "", "c\0d". */
static void begin_usual(void)
{
	begin(2, 3);
	put_int(0x1122334455667788);
	put_int(UINT64_MAX);
	put_length(2);
	put_length(0);
	put_length(3);
	put("abc\0d", 5);
}

/* A copy of just this size, for the sanitizer; the caller frees r->data. */
static struct pirecord record_of(uint32_t size)
{
	struct pirecord r = {
		.time = 1234,
		.major = 0xD5,
		.minor = 99,
		.type = PITRACE_TYPE_MIXED,
		.size = size,
	};
	void *copy = malloc(size ? size : 1);

	CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
	memcpy(copy, data, size);
	r.data = copy;
	return r;
}

static int decode(uint32_t size)
{
	struct pirecord r = record_of(size);
	struct pifile_user u;
	int rc = pifile_user_record(&r, &u);

	if (rc) {
		size_t length = 1;

		CU_ASSERT_EQUAL(u.ints + u.strs, 0);
		CU_ASSERT_EQUAL(pifile_user_int(&u, 0), 0);
		CU_ASSERT_PTR_NULL(pifile_user_string(&u, 0, &length));
		CU_ASSERT_EQUAL(length, 0);
	}
	free((void *)r.data);
	return rc;
}

static void is_string(struct pifile_user *u, uint32_t i, const char *want, size_t size)
{
	size_t length;
	const char *text = pifile_user_string(u, i, &length);

	CU_ASSERT_EQUAL(length, size);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT(!memcmp(text, want, size));
}

static void is_usual(const struct pirecord *r)
{
	struct pifile_user u;
	size_t length;

	CU_ASSERT_EQUAL_FATAL(pifile_user_record(r, &u), 0);
	CU_ASSERT_EQUAL(u.pid, 7);
	CU_ASSERT_EQUAL(u.tid, 8);
	CU_ASSERT_EQUAL(u.uid, 1000);
	CU_ASSERT_EQUAL(u.cpu, 3);
	CU_ASSERT_EQUAL(u.ints, 2);
	CU_ASSERT_EQUAL(u.strs, 3);
	CU_ASSERT_EQUAL(pifile_user_int(&u, 0), 0x1122334455667788);
	CU_ASSERT_EQUAL(pifile_user_int(&u, 1), UINT64_MAX);
	CU_ASSERT_EQUAL(pifile_user_int(&u, 2), 0);
	CU_ASSERT_EQUAL(pifile_user_int(&u, UINT32_MAX), 0);
	/* In their order, and in any other. */
	is_string(&u, 0, "ab", 2);
	is_string(&u, 1, "", 0);
	is_string(&u, 2, "c\0d", 3);
	is_string(&u, 2, "c\0d", 3);
	is_string(&u, 0, "ab", 2);
	is_string(&u, 2, "c\0d", 3);
	is_string(&u, 1, "", 0);
	CU_ASSERT_PTR_NULL(pifile_user_string(&u, 3, &length));
	CU_ASSERT_EQUAL(length, 0);
	is_string(&u, 2, "c\0d", 3);
}

static void whole(void)
{
	struct pirecord r;
	struct pifile_user u;

	begin_usual();
	r = record_of(used);
	is_usual(&r);
	CU_ASSERT_EQUAL(pifile_user_record(&r, &u), 0);
	CU_ASSERT_EQUAL(u.time, 1234);
	CU_ASSERT_EQUAL(u.major, 0xD5);
	CU_ASSERT_EQUAL(u.minor, 99);
	free((void *)r.data);
	begin(0, 0);
	CU_ASSERT_EQUAL(decode(used), 0);
	/* Padding. */
	CU_ASSERT_EQUAL(decode(used + 3), 0);
}

static void cut(void)
{
	begin_usual();
	for (uint32_t size = 0; size < used; size++)
		CU_ASSERT_EQUAL(decode(size), -EBADMSG);
	CU_ASSERT_EQUAL(decode(used), 0);
}

static void lies(void)
{
	static const uint32_t lengths[] = { 3, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, UINT32_MAX };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		for (int first = 0; first < 2; first++) {
			begin(0, 2);
			put_length(first ? lengths[i] : 2);
			put_length(first ? 2 : lengths[i]);
			put("abcd", 4);
			CU_ASSERT_EQUAL(decode(used), -EBADMSG);
		}
	begin(UINT16_MAX, 0);
	put_int(1);
	CU_ASSERT_EQUAL(decode(used), -EBADMSG);
	begin(0, UINT16_MAX);
	put_length(0);
	CU_ASSERT_EQUAL(decode(used), -EBADMSG);
	begin(UINT16_MAX, UINT16_MAX);
	CU_ASSERT_EQUAL(decode(used), -EBADMSG);
}

static void another_type(void)
{
	struct pifile_user u;
	struct pirecord r;

	begin_usual();
	r = record_of(used);
	for (unsigned int type = 0; type < 4; type++) {
		r.type = (uint16_t)type;
		CU_ASSERT_EQUAL(pifile_user_record(&r, &u),
				type == PITRACE_TYPE_MIXED ? 0 : -ENOMSG);
	}
	free((void *)r.data);
	/* A record without data. */
	r = (struct pirecord){ .type = PITRACE_TYPE_MIXED };
	CU_ASSERT_EQUAL(pifile_user_record(&r, &u), -EBADMSG);
}

/* As a machine of the other byte order writes it, in a segment of the file. */
static void other_order(void)
{
	struct {
		struct pitrace_segment s;
		struct pitrace_rec r;
		struct pitrace_user u;
		struct {
			uint64_t ints[2];
			uint32_t lengths[3];
		} __attribute__((packed, aligned(4))) x;
		char text[8];
	} __attribute__((packed, aligned(4))) f = {
		.s = { .magic = PITRACE_SEGMENT_MAGIC, .size = sizeof(f.s), .ring = 1 },
	};
	const uint16_t length = sizeof(f) - sizeof(f.s);
	struct pirecord r = {
		.type = PITRACE_TYPE_MIXED,
		.data = &f.u,
		.size = length - sizeof(f.r),
	};

	begin_usual();
	memcpy(&f.u, data, used);
	f.s.magic = __builtin_bswap32(f.s.magic);
	f.s.size = __builtin_bswap16(f.s.size);
	f.s.ring = __builtin_bswap16(f.s.ring);
	f.r.type_len = __builtin_bswap16(length | PITRACE_TYPE_MIXED);
	f.r.major = __builtin_bswap16(0xD5);
	f.u.pid = __builtin_bswap32(f.u.pid);
	f.u.tid = __builtin_bswap32(f.u.tid);
	f.u.uid = __builtin_bswap32(f.u.uid);
	f.u.cpu = __builtin_bswap32(f.u.cpu);
	f.u.ints = __builtin_bswap16(f.u.ints);
	f.u.strs = __builtin_bswap16(f.u.strs);
	for (int i = 0; i < 2; i++)
		f.x.ints[i] = __builtin_bswap64(f.x.ints[i]);
	for (int i = 0; i < 3; i++)
		f.x.lengths[i] = __builtin_bswap32(f.x.lengths[i]);
	file_swap_payload(PIFILE_SEC_SEGMENT, &f, sizeof(f));
	is_usual(&r);
}

static void majors(void)
{
	unsigned int n = 0;

	for (unsigned int major = 0; major < 2 * PITRACE_MAJORS; major++)
		n += pifile_user_major(major);
	CU_ASSERT_EQUAL(n, 1 + 1 + 0x30);
	CU_ASSERT(pifile_user_major(0xB0) && pifile_user_major(0xC8) && pifile_user_major(0xD0) &&
		  pifile_user_major(0xFF));
	CU_ASSERT(!pifile_user_major(0xCF) && !pifile_user_major(0x100));
}

static const struct unit_test tests[] = {
	{ "whole", whole },
	{ "cut", cut },
	{ "lies", lies },
	{ "another_type", another_type },
	{ "other_order", other_order },
	{ "majors", majors },
	{ 0 },
};

int main(void)
{
	return unit_run("user_record", tests);
}
