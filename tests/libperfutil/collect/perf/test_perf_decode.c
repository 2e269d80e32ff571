/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perf's records, built field by field and taken apart again: each kind in both byte orders, each
 * cut short by one byte and by one word, each with every count and length made too large; and what
 * becomes of them in our records.
 */
#include "perf_built.h"

static void round_trip_order(bool swap)
{
	struct perf_item p;
	struct builder b;
	uint8_t *copy;

	for (unsigned int kind = 0; kind < KINDS; kind++) {
		b = build(kind, swap);
		CU_ASSERT_EQUAL_FATAL(decode(&b, b.n, &p, &copy), 0);
		CU_ASSERT_EQUAL(p.pid, 11);
		CU_ASSERT_EQUAL(p.tid, 12);
		CU_ASSERT_EQUAL(p.cpu, 5);
		CU_ASSERT_EQUAL(p.id, 77);
		CU_ASSERT_EQUAL(p.time, 0x1122334455667788);
		switch (kind) {
		case 0:
			CU_ASSERT_EQUAL(p.ip, 0xABCD);
			CU_ASSERT_EQUAL(p.period, 1003009);
			CU_ASSERT_EQUAL_FATAL(p.nchain, 4);
			CU_ASSERT_EQUAL(perf_word(&p, p.chain, 1), 0xFFFFFFFF81000000);
			CU_ASSERT_EQUAL(perf_word(&p, p.chain, 3), 0xABCD);
			CU_ASSERT_EQUAL(p.nraw, 12);
			CU_ASSERT_EQUAL_FATAL(p.nbranches, 1);
			CU_ASSERT_EQUAL(perf_word(&p, p.branch_counters, 0), 0xB0B);
			CU_ASSERT_EQUAL_FATAL(p.nregs, 3);
			CU_ASSERT_EQUAL(perf_word(&p, p.regs, 2), 102);
			CU_ASSERT_EQUAL(p.nstack, 8);
			CU_ASSERT_EQUAL(p.intr_abi, PERF_SAMPLE_REGS_ABI_32);
			CU_ASSERT_EQUAL_FATAL(p.nintr_regs, 2);
			CU_ASSERT_EQUAL(perf_word(&p, p.intr_regs, 1), 201);
			CU_ASSERT_EQUAL(p.physical, 0x123456);
			CU_ASSERT_EQUAL(p.stack[7], 0x51);
			break;
		case 1:
			CU_ASSERT_EQUAL(p.dev_major, 8);
			CU_ASSERT_EQUAL(p.dev_minor, 1);
			CU_ASSERT_EQUAL(p.inode, 4711);
			CU_ASSERT_EQUAL(p.generation, 42);
			/* fall through */
		case 2:
			CU_ASSERT_EQUAL(p.of_pid, 21);
			CU_ASSERT_EQUAL(p.start, 0x400000);
			CU_ASSERT_EQUAL(p.length, 0x2000);
			CU_ASSERT_EQUAL(p.offset, 0x1000);
			CU_ASSERT_EQUAL(p.prot, PROT_READ | PROT_EXEC);
			CU_ASSERT_STRING_EQUAL(p.text, "/usr/bin/thing");
			CU_ASSERT_EQUAL(p.text_len, strlen(p.text));
			CU_ASSERT_EQUAL(p.build_id != NULL, kind == 2);
			CU_ASSERT(kind == 1 || (p.build_id[19] == 20 && p.build_id_size == 20));
			break;
		case 3:
		case 4:
			CU_ASSERT_EQUAL(p.of_pid, 31);
			CU_ASSERT_EQUAL(p.of_tid, 32);
			CU_ASSERT_EQUAL(p.parent_pid, 30);
			break;
		case 5:
			CU_ASSERT_EQUAL(p.of_tid, 22);
			CU_ASSERT_STRING_EQUAL(p.text, "a name");
			break;
		case 6:
			CU_ASSERT_EQUAL(p.lost, 12345);
			break;
		case 7:
			CU_ASSERT_EQUAL(p.of_pid, 51);
			CU_ASSERT_EQUAL(p.of_tid, 52);
			break;
		case 8:
			CU_ASSERT_EQUAL(p.cookie, 0x7000000000001);
			CU_ASSERT_EQUAL_FATAL(p.nchain, 2);
			CU_ASSERT_EQUAL(perf_word(&p, p.chain, 1), 0xABCD);
			break;
		}
		free(copy);
	}
}

/* Bits of a newer kernel: their effect on a sample is unknown, so it is refused; other records do
 * not depend on them. */
static void unknown_bits(void)
{
	struct perf_shape shape[4] = { shape_of_all, shape_of_all, shape_of_all, shape_of_all };
	static const char *const whose[] = { "sample_type", "sample_type", "branch_sample_type",
					     "read_format" };
	struct builder sample = build_sample(false), comm = build_comm(false, 0);
	struct perf_item p;
	const char *why, *of;

	shape[0].sample_type |= 1ull << 25;
	shape[1].sample_type |= 1ull << 63;
	shape[2].branch_type |= 1ull << 20;
	shape[3].read_format |= 1ull << 5;
	for (size_t i = 0; i < 4; i++) {
		CU_ASSERT(perf_shape_unknown(&shape[i], &of) && !strcmp(of, whose[i]));
		CU_ASSERT_EQUAL(perf_decode(&shape[i], sample.data, sample.n, &p, &why), -EBADMSG);
		CU_ASSERT(strstr(why, "not known") != NULL);
		CU_ASSERT_EQUAL(perf_decode(&shape[i], comm.data, comm.n, &p, &why), 0);
	}
	/* A feature that was not requested adds nothing. */
	shape[2].sample_type &= ~(uint64_t)PERF_SAMPLE_BRANCH_STACK;
	shape[3].sample_type &= ~(uint64_t)PERF_SAMPLE_READ;
	CU_ASSERT(!perf_shape_unknown(&shape[2], &of) && !perf_shape_unknown(&shape[3], &of));
	CU_ASSERT(!perf_shape_unknown(&shape_of_all, &of));
}

static void round_trip(void)
{
	round_trip_order(false);
	round_trip_order(true);
}

/* A chain that ends with a cookie promises a user stack: that is not part of it. */
static void promised_stack(void)
{
	for (int swap = 0; swap < 2; swap++) {
		struct builder b = build_sample(swap);
		size_t n = b.n;
		struct perf_item p;
		uint8_t *copy;

		b.n = b.counts[1] + 8 + 2 * 8; /* the chain's last words */
		u64(&b, PERF_CHAIN_USER_DEFERRED);
		u64(&b, 0x7000000000002);
		b.n = n;
		CU_ASSERT_EQUAL_FATAL(decode(&b, n, &p, &copy), 0);
		CU_ASSERT(p.deferred);
		CU_ASSERT_EQUAL(p.cookie, 0x7000000000002);
		CU_ASSERT_EQUAL(p.nchain, 2);
		CU_ASSERT_EQUAL(p.nraw, 12);
		free(copy);
		b = build_sample(swap);
		CU_ASSERT_EQUAL_FATAL(decode(&b, b.n, &p, &copy), 0);
		CU_ASSERT_FALSE(p.deferred);
		free(copy);
	}
}

/* Told its true, shorter length, or the old one: refused at every length. */
static void cut_short(void)
{
	for (unsigned int kind = 0; kind < KINDS; kind++) {
		for (int swap = 0; swap < 2; swap++) {
			struct builder b = build(kind, swap);
			size_t whole = b.n, least = whole - 8;
			struct perf_item p;
			uint8_t *copy;

			/* A text's padding may go, its NUL may not. */
			if (kind == 1 || kind == 2 || kind == 5)
				least = whole;
			CU_ASSERT_EQUAL(decode(&b, whole - 1, &p, &copy), -EBADMSG);
			free(copy);
			for (size_t n = 0; n <= least && n < whole; n++) {
				set_size(&b, n);
				if (decode(&b, n, &p, &copy) == 0) {
					/* The rest must have been large enough for all fields. */
					CU_ASSERT(kind == 1 || kind == 2 || kind == 5);
					CU_ASSERT(p.text + p.text_len < (char *)copy + n);
				}
				free(copy);
			}
			set_size(&b, whole + 8);
			CU_ASSERT_EQUAL(decode(&b, whole, &p, &copy), -EBADMSG);
			free(copy);
		}
	}
}

static void text_without_end(void)
{
	struct builder b = build_comm(false, 0);
	struct perf_item p;
	uint8_t *copy;

	memset(b.data + 16, 'x', 8);
	CU_ASSERT_EQUAL(decode(&b, b.n, &p, &copy), -EBADMSG);
	free(copy);
}

static void counts_too_large(void)
{
	static const uint64_t wrong[] = {
		1ull << 61, UINT64_MAX, UINT64_MAX / 8, UINT64_MAX / 24, 1000, 0x2000000000000001,
	};

	for (int swap = 0; swap < 2; swap++) {
		for (size_t i = 0; i < build_sample(swap).ncounts; i++) {
			for (size_t k = 0; k < sizeof(wrong) / sizeof(wrong[0]); k++) {
				struct builder b = build_sample(swap);
				size_t n = b.n;
				struct perf_item p;
				uint8_t *copy;

				b.n = b.counts[i];
				u64(&b, wrong[k]);
				b.n = n;
				CU_ASSERT_EQUAL(decode(&b, n, &p, &copy), -EBADMSG);
				free(copy);
			}
		}
	}
}

/* Kernels leave the flag set after an event that requested build ids. */
static void stray_build_id_flag(void)
{
	struct builder b = build_map(false, false);
	struct perf_shape shape = shape_of_all;
	struct perf_item p;
	const char *why;

	size_t n = b.n;

	b.n = 4;
	u16(&b, PERF_RECORD_MISC_MMAP_BUILD_ID);
	b.n = n;
	shape.build_id = false;
	CU_ASSERT_EQUAL_FATAL(perf_decode(&shape, b.data, b.n, &p, &why), 0);
	CU_ASSERT_PTR_NULL(p.build_id);
	CU_ASSERT_EQUAL(p.inode, 4711);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "round_trip", round_trip },
		{ "unknown_bits", unknown_bits },
		{ "promised_stack", promised_stack },
		{ "cut_short", cut_short },
		{ "text_without_end", text_without_end },
		{ "counts_too_large", counts_too_large },
		{ "stray_build_id_flag", stray_build_id_flag },
		{ NULL, NULL },
	};

	return unit_run("perf_decode", tests);
}
