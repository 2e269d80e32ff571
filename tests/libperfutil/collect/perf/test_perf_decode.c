/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perf's records, built field by field and taken apart again: each kind in both byte orders, each
 * cut short by one byte and by one word, each with every count and length made too large; and what
 * becomes of them in our records.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "collect/perf/perf_decode.h"
#include "collect/perf/perf_records.h"
#include "unit.h"

#define ALL_IDS                                                                        \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)
#define WHOLE_SAMPLE                                                                           \
	(ALL_IDS | PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ | \
	 PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK |                  \
	 PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_INTR |              \
	 PERF_SAMPLE_PHYS_ADDR)

/* ---- building -------------------------------------------------------------------------------- */

struct builder {
	uint8_t data[4096];
	size_t n;
	bool swap;
	size_t counts[8], ncounts; /* where 64-bit counts stand */
};

static void u16(struct builder *b, uint16_t v)
{
	v = b->swap ? __builtin_bswap16(v) : v;
	memcpy(b->data + b->n, &v, sizeof(v));
	b->n += sizeof(v);
}

static void u32(struct builder *b, uint32_t v)
{
	v = b->swap ? __builtin_bswap32(v) : v;
	memcpy(b->data + b->n, &v, sizeof(v));
	b->n += sizeof(v);
}

static void u64(struct builder *b, uint64_t v)
{
	v = b->swap ? __builtin_bswap64(v) : v;
	memcpy(b->data + b->n, &v, sizeof(v));
	b->n += sizeof(v);
}

static void count(struct builder *b, uint64_t v)
{
	b->counts[b->ncounts++] = b->n;
	u64(b, v);
}

static void text(struct builder *b, const char *s)
{
	size_t room = (strlen(s) + 8) & ~(size_t)7;

	memset(b->data + b->n, 0, room);
	memcpy(b->data + b->n, s, strlen(s));
	b->n += room;
}

static struct builder begin(uint32_t type, uint16_t misc, bool swap)
{
	struct builder b = { .swap = swap };

	u32(&b, type);
	u16(&b, misc);
	u16(&b, 0);
	return b;
}

static void set_size(struct builder *b, size_t size)
{
	size_t n = b->n;

	b->n = 6;
	u16(b, (uint16_t)size);
	b->n = n;
}

static void sample_id(struct builder *b)
{
	u32(b, 11); /* TID */
	u32(b, 12);
	u64(b, 0x1122334455667788); /* TIME */
	u64(b, 77);                 /* ID */
	u64(b, 78);                 /* STREAM_ID */
	u32(b, 5);                  /* CPU */
	u32(b, 0);
	u64(b, 77); /* IDENTIFIER */
	set_size(b, b->n);
}

static const struct perf_shape shape_of_all = {
	.sample_type = WHOLE_SAMPLE,
	.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST |
		       PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	.regs_user = 7,
	.regs_intr = 5,
	.id_all = true,
	.build_id = true,
	.branch_type = PERF_SAMPLE_BRANCH_HW_INDEX | PERF_BRANCH_COUNTERS,
};

static struct builder build_sample(bool swap)
{
	struct builder b = begin(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, swap);

	u64(&b, 77);     /* IDENTIFIER */
	u64(&b, 0xABCD); /* IP */
	u32(&b, 11);
	u32(&b, 12);
	u64(&b, 0x1122334455667788); /* TIME */
	u64(&b, 1);                  /* ADDR */
	u64(&b, 77);                 /* ID */
	u64(&b, 78);                 /* STREAM_ID */
	u32(&b, 5);
	u32(&b, 0);
	u64(&b, 1003009); /* PERIOD */
	count(&b, 2);     /* READ: a group of two */
	u64(&b, 9);
	u64(&b, 9);
	for (int i = 0; i < 6; i++)
		u64(&b, 3);
	count(&b, 4); /* CALLCHAIN */
	u64(&b, (uint64_t)PERF_CONTEXT_KERNEL);
	u64(&b, 0xFFFFFFFF81000000);
	u64(&b, (uint64_t)PERF_CONTEXT_USER);
	u64(&b, 0xABCD);
	u32(&b, 12); /* RAW */
	for (int i = 0; i < 3; i++)
		u32(&b, 0x01020304);
	count(&b, 1); /* BRANCH_STACK */
	u64(&b, 0);
	for (int i = 0; i < 3; i++)
		u64(&b, 4);
	u64(&b, 0xB0B); /* counters of its branch */
	u64(&b, PERF_SAMPLE_REGS_ABI_64);
	for (uint64_t i = 0; i < 3; i++)
		u64(&b, 100 + i);
	count(&b, 16); /* STACK_USER */
	u64(&b, 0x5151515151515151);
	u64(&b, 0x5252525252525252);
	u64(&b, 8); /* of which the kernel filled 8 */
	u64(&b, PERF_SAMPLE_REGS_ABI_32);
	u64(&b, 200);
	u64(&b, 201);
	u64(&b, 0x123456); /* PHYS_ADDR */
	set_size(&b, b.n);
	return b;
}

static struct builder build_map(bool swap, bool by_id)
{
	struct builder b = begin(PERF_RECORD_MMAP2, by_id ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0,
				 swap);

	u32(&b, 21);
	u32(&b, 22);
	u64(&b, 0x400000);
	u64(&b, 0x2000);
	u64(&b, 0x1000);
	if (by_id) {
		b.data[b.n] = 20;
		for (unsigned int i = 0; i < 20; i++)
			b.data[b.n + 4 + i] = (uint8_t)(i + 1);
		b.n += 24;
	} else {
		u32(&b, 8);
		u32(&b, 1);
		u64(&b, 4711);
		u64(&b, 42);
	}
	u32(&b, PROT_READ | PROT_EXEC);
	u32(&b, MAP_PRIVATE);
	text(&b, "/usr/bin/thing");
	sample_id(&b);
	return b;
}

static struct builder build_task(bool swap, uint32_t type)
{
	struct builder b = begin(type, 0, swap);

	u32(&b, 31);
	u32(&b, 30);
	u32(&b, 32);
	u32(&b, 30);
	u64(&b, 0x1122334455667788);
	sample_id(&b);
	return b;
}

static struct builder build_comm(bool swap, uint16_t misc)
{
	struct builder b = begin(PERF_RECORD_COMM, misc, swap);

	u32(&b, 21);
	u32(&b, 22);
	text(&b, "a name");
	sample_id(&b);
	return b;
}

static struct builder build_lost(bool swap)
{
	struct builder b = begin(PERF_RECORD_LOST, 0, swap);

	u64(&b, 77);
	u64(&b, 12345);
	sample_id(&b);
	return b;
}

static struct builder build_switch(bool swap, uint16_t misc)
{
	struct builder b = begin(PERF_RECORD_SWITCH_CPU_WIDE, misc, swap);

	u32(&b, 51);
	u32(&b, 52);
	sample_id(&b);
	return b;
}

static struct builder build_deferred(bool swap)
{
	struct builder b = begin(PERF_CALLCHAIN_DEFERRED, 0, swap);

	u64(&b, 0x7000000000001);
	count(&b, 2);
	u64(&b, (uint64_t)PERF_CONTEXT_USER);
	u64(&b, 0xABCD);
	sample_id(&b);
	return b;
}

#define KINDS 9
static struct builder build(unsigned int kind, bool swap)
{
	switch (kind) {
	case 0:
		return build_sample(swap);
	case 1:
		return build_map(swap, false);
	case 2:
		return build_map(swap, true);
	case 3:
		return build_task(swap, PERF_RECORD_FORK);
	case 4:
		return build_task(swap, PERF_RECORD_EXIT);
	case 5:
		return build_comm(swap, 0);
	case 6:
		return build_lost(swap);
	case 7:
		return build_switch(swap, PERF_RECORD_MISC_SWITCH_OUT);
	default:
		return build_deferred(swap);
	}
}

/* The record at the end of a buffer of just its size: a sanitizer sees each byte beyond it. */
static int decode(const struct builder *b, size_t size, struct perf_item *item, uint8_t **copy)
{
	struct perf_shape shape = shape_of_all;
	const char *why = NULL;
	int rc;

	shape.swap = b->swap;
	*copy = malloc(size ? size : 1);
	memcpy(*copy, b->data, size);
	rc = perf_decode(&shape, *copy, size, item, &why);
	CU_ASSERT_EQUAL(rc != 0, why != NULL);
	return rc;
}

/* ---- tests ----------------------------------------------------------------------------------- */

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

/* Bits of a newer kernel's: nobody knows what they add to a sample, so it is refused; other records
 * have nothing of it. */
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
	/* What was not asked for adds nothing. */
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

/* A chain that ends with a cookie promises a user stack: that is no part of it. */
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
					/* What is left must have been enough for all fields. */
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

/* Kernels leave the flag set behind an event that asked for build ids. */
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

/* ---- what becomes of them -------------------------------------------------------------------- */

struct told {
	struct {
		uint16_t major;
		uint32_t minor;
		uint64_t time;
		uint8_t data[8192];
		size_t size;
	} r[8];
	size_t n;
};

static int tell(void *arg, uint16_t major, uint32_t minor, const void *data, size_t size,
		uint64_t time)
{
	struct told *t = arg;

	CU_ASSERT_FATAL(t->n < 8 && size <= sizeof(t->r[0].data));
	t->r[t->n].major = major;
	t->r[t->n].minor = minor;
	t->r[t->n].time = time;
	t->r[t->n].size = size;
	memcpy(t->r[t->n++].data, data, size);
	return 0;
}

static void names(struct told *t, struct builder b)
{
	struct perf_item p;
	uint8_t *copy;

	CU_ASSERT_EQUAL_FATAL(decode(&b, b.n, &p, &copy), 0);
	CU_ASSERT_EQUAL(perf_put_name(&p, tell, t), 0);
	free(copy);
}

static void tasks_told(void)
{
	struct told t = { .n = 0 };
	const struct pitrace_mte_task *task;
	struct builder thread = begin(PERF_RECORD_FORK, 0, false);

	u32(&thread, 31);
	u32(&thread, 31);
	u32(&thread, 33);
	u32(&thread, 31);
	u64(&thread, 9);
	sample_id(&thread);
	names(&t, build_task(false, PERF_RECORD_FORK));
	names(&t, thread);
	names(&t, build_comm(false, PERF_RECORD_MISC_COMM_EXEC));
	names(&t, build_comm(false, 0));
	names(&t, build_task(false, PERF_RECORD_EXIT));
	CU_ASSERT_EQUAL_FATAL(t.n, 5);
	CU_ASSERT_EQUAL(t.r[0].minor, PITRACE_MTE_FORK);
	task = (const void *)t.r[0].data;
	CU_ASSERT_EQUAL(task->pid, 31);
	CU_ASSERT_EQUAL(task->ppid, 30);
	CU_ASSERT_EQUAL(t.r[1].minor, PITRACE_MTE_THREAD);
	task = (const void *)t.r[1].data;
	CU_ASSERT_EQUAL(task->tid, 33);
	CU_ASSERT_EQUAL(t.r[2].minor, PITRACE_MTE_PROCESS);
	task = (const void *)t.r[2].data;
	CU_ASSERT_STRING_EQUAL(task->comm, "a name");
	CU_ASSERT_EQUAL(t.r[3].minor, PITRACE_MTE_NAME);
	/* Not the main thread: the process goes on. */
	CU_ASSERT_EQUAL(t.r[4].minor, PITRACE_MTE_THREAD_EXIT);
}

/* By file; and by build id, which then stands for the file in both records. */
static void mappings_told(void)
{
	const struct pitrace_mte_buildid *id;
	const struct pitrace_mte_map *map;
	struct told t = { .n = 0 };

	names(&t, build_map(false, false));
	CU_ASSERT_EQUAL_FATAL(t.n, 1);
	map = (const void *)t.r[0].data;
	CU_ASSERT_EQUAL(map->inode, 4711);
	CU_ASSERT_EQUAL(map->generation, 42);
	CU_ASSERT_STRING_EQUAL(map->path, "/usr/bin/thing");
	names(&t, build_map(false, true));
	CU_ASSERT_EQUAL_FATAL(t.n, 3);
	map = (const void *)t.r[1].data;
	id = (const void *)t.r[2].data;
	CU_ASSERT_EQUAL(t.r[1].minor, PITRACE_MTE_MODULE);
	CU_ASSERT_EQUAL(t.r[2].minor, PITRACE_MTE_BUILDID);
	CU_ASSERT_NOT_EQUAL(map->inode, 0);
	CU_ASSERT_EQUAL(map->inode, id->inode);
	CU_ASSERT_EQUAL(id->length, 20);
	CU_ASSERT_EQUAL(id->id[19], 20);
}

static void sample_told(void)
{
	struct builder b = build_sample(false);
	struct perf_stacks stacks = {
		.want = PITRACE_WANT_KERNEL | PITRACE_WANT_USER,
		.depth = PITRACE_STACK_MAX,
		.regs = 7,
	};
	const struct pitrace_sample *s;
	const struct pitrace_stack *st;
	const uint8_t *words;
	struct told t = { .n = 0 };
	struct perf_item p;
	uint64_t word;
	uint8_t *copy;

	CU_ASSERT_EQUAL_FATAL(decode(&b, b.n, &p, &copy), 0);
	CU_ASSERT_EQUAL(perf_put_sample(&p, &stacks, UINT32_MAX, tell, &t), 0);
	CU_ASSERT_EQUAL(t.r[0].minor, PITRACE_TPROF_USER | PITRACE_TPROF_STACK);
	s = (const void *)t.r[0].data;
	CU_ASSERT_EQUAL(s->pid, 11);
	CU_ASSERT_EQUAL(s->address, 0xABCD);
	CU_ASSERT_EQUAL(s->period, 1003009);
	st = (const void *)(t.r[0].data + sizeof(*s));
	CU_ASSERT_EQUAL(st->kernel, 1);
	CU_ASSERT_EQUAL(st->user, 1);
	CU_ASSERT_EQUAL(st->flags, 0);
	CU_ASSERT_EQUAL(t.r[0].size, sizeof(*s) + sizeof(*st) + 16);
	words = t.r[0].data + sizeof(*s) + sizeof(*st);
	memcpy(&word, words, 8);
	CU_ASSERT_EQUAL(word, 0xFFFFFFFF81000000);
	memcpy(&word, words + 8, 8);
	CU_ASSERT_EQUAL(word, 0xABCD);

	/* Not wanted: a plain sample; of the second event. */
	stacks.want = 0;
	CU_ASSERT_EQUAL(perf_put_sample(&p, &stacks, 1, tell, &t), 0);
	CU_ASSERT_EQUAL(t.r[1].minor, PITRACE_TPROF_USER | 2u << PITRACE_TPROF_EVENT_SHIFT);
	CU_ASSERT_EQUAL(t.r[1].size, sizeof(*s));

	/* Cut to one address. */
	stacks.want = PITRACE_WANT_USER;
	stacks.depth = 0;
	CU_ASSERT_EQUAL(perf_put_sample(&p, &stacks, UINT32_MAX, tell, &t), 0);
	st = (const void *)(t.r[2].data + sizeof(*s));
	CU_ASSERT_EQUAL(st->kernel + st->user, 0);
	CU_ASSERT_EQUAL(st->flags & PITRACE_STACK_CUT_U, PITRACE_STACK_CUT_U);
	free(copy);
}

/* The parts of a callchain that are wanted, as long as they may be. */
static void chains_told(void)
{
#define K  (uint64_t) PERF_CONTEXT_KERNEL
#define U  (uint64_t) PERF_CONTEXT_USER
#define HV (uint64_t) PERF_CONTEXT_HV
#define KU (PITRACE_WANT_KERNEL | PITRACE_WANT_USER)
	static const struct {
		uint64_t chain[8];
		uint32_t nchain, want, depth, most;
		uint16_t kernel, user, flags;
	} rows[] = {
		{ { K, 1, 2, U, 3, 4, 5 }, 7, KU, 8, 0, 2, 3, 0 },
		{ { K, 1, 2, U, 3, 4, 5 }, 7, PITRACE_WANT_KERNEL, 8, 0, 2, 0, 0 },
		{ { K, 1, 2, U, 3, 4, 5 }, 7, PITRACE_WANT_USER, 8, 0, 0, 3, 0 },
		/* Cut: as many as may be is no cut. */
		{ { K, 1, 2, U, 3, 4, 5 }, 7, KU, 3, 0, 2, 3, 0 },
		{ { K, 1, 2, U, 3, 4, 5 }, 7, KU, 2, 0, 2, 2, PITRACE_STACK_CUT_U },
		{ { K, 1, 2, U, 3, 4, 5 },
		  7,
		  KU,
		  1,
		  0,
		  1,
		  1,
		  PITRACE_STACK_CUT_K | PITRACE_STACK_CUT_U },
		/* The kernel's own limit cuts what is last. */
		{ { K, 1, 2, U, 3, 4, 5 }, 7, KU, 8, 6, 2, 3, 0 },
		{ { K, 1, 2, U, 3, 4, 5 }, 7, KU, 8, 5, 2, 3, PITRACE_STACK_CUT_U },
		{ { K, 1, 2 }, 3, PITRACE_WANT_KERNEL, 8, 2, 2, 0, PITRACE_STACK_CUT_K },
		{ { K, 1, 2 }, 3, PITRACE_WANT_KERNEL, 8, 3, 2, 0, 0 },
		/* None of the user's, where it was wanted. */
		{ { K, 1, 2 }, 3, KU, 8, 0, 2, 0, PITRACE_STACK_NONE_U },
		{ { K, 1, 2, U }, 4, KU, 8, 0, 2, 0, PITRACE_STACK_NONE_U },
		{ { 0 }, 0, KU, 8, 0, 0, 0, PITRACE_STACK_NONE_U },
		{ { 0 }, 0, PITRACE_WANT_KERNEL, 8, 0, 0, 0, 0 },
		/* Neither: before a context, and of others. */
		{ { 7, 8, U, 3 }, 4, KU, 8, 0, 0, 1, 0 },
		{ { HV, 7, 8, K, 1, U, 3 }, 7, KU, 8, 0, 1, 1, 0 },
		{ { U, 3, HV, 7, 8 }, 5, KU, 8, 0, 0, 1, 0 },
		/* The kernel's after the user's (of a guest, say) would be taken for the user's. */
		{ { U, 3, K, 1 }, 4, KU, 8, 0, 0, 1, 0 },
	};
#undef K
#undef U
#undef HV
#undef KU

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct perf_stacks stacks = {
			.want = rows[i].want,
			.depth = rows[i].depth,
			.most = rows[i].most,
		};
		struct perf_item p = {
			.chain = (const uint8_t *)rows[i].chain,
			.nchain = rows[i].nchain,
		};
		const struct pitrace_stack *st;
		struct told t = { .n = 0 };
		uint64_t words[8];

		CU_ASSERT_EQUAL(perf_put_sample(&p, &stacks, UINT32_MAX, tell, &t), 0);
		st = (const void *)(t.r[0].data + sizeof(struct pitrace_sample));
		if (st->kernel != rows[i].kernel || st->user != rows[i].user ||
		    st->flags != rows[i].flags)
			printf("# %zu: %u %u %x\n", i, st->kernel, st->user, st->flags);
		CU_ASSERT(st->kernel == rows[i].kernel && st->user == rows[i].user);
		CU_ASSERT_EQUAL(st->flags, rows[i].flags);
		CU_ASSERT_FATAL(st->kernel + st->user <= 8);
		CU_ASSERT_EQUAL(t.r[0].size, sizeof(struct pitrace_sample) + sizeof(*st) +
						     8u * (st->kernel + st->user));
		memcpy(words, st + 1, sizeof(words));
		for (unsigned int k = 0; k < st->kernel; k++)
			CU_ASSERT_EQUAL(words[k], k + 1);
		for (unsigned int k = 0; k < st->user; k++)
			CU_ASSERT_EQUAL(words[st->kernel + k], k + 3);
	}
}

/* Numbers and ranges of them. */
static size_t numbers(const char *list, uint8_t out[64])
{
	size_t n = 0;

	while (*list) {
		unsigned int first, last;
		int used;

		if (sscanf(list, "%u-%u %n", &first, &last, &used) != 2) {
			CU_ASSERT_EQUAL_FATAL(sscanf(list, "%u %n", &first, &used), 1);
			last = first;
		}
		for (; first <= last; first++)
			out[n++] = (uint8_t)first;
		list += used;
	}
	return n;
}

/* What becomes of registers, of which those in `have` came, each 1000 and its number. */
static struct told copy_told(const struct perf_registers *registers, uint64_t have, uint64_t abi)
{
	uint8_t stack[16] = { 0x51 };
	struct perf_stacks stacks = {
		.want = PITRACE_WANT_COPY,
		.depth = 8,
		.regs = have,
		.copy = 64,
		.registers = registers,
	};
	uint64_t words[64], n = 0;
	struct perf_item p = { .abi = abi, .stack = stack, .nstack = sizeof(stack) };
	struct told t = { .n = 0 };

	for (unsigned int i = 0; i < 64; i++)
		if (have >> i & 1)
			words[n++] = 1000 + i;
	p.regs = (const uint8_t *)words;
	p.nregs = (uint32_t)n;
	CU_ASSERT_EQUAL(perf_put_sample(&p, &stacks, UINT32_MAX, tell, &t), 0);
	return t;
}

/* Is it these registers and the stack? `not_there`: its word is 0. */
static bool copied(const struct told *t, const uint8_t *order, size_t n, int not_there, bool narrow)
{
	const struct pitrace_stack *st =
		(const void *)(t->r[0].data + sizeof(struct pitrace_sample));
	uint16_t flags = PITRACE_STACK_COPY | (narrow ? PITRACE_STACK_32BIT : 0);
	uint64_t words[64];
	bool good = st->regs == n && st->flags == flags && st->bytes == 16;

	memcpy(words, st + 1, sizeof(words));
	for (size_t i = 0; i < n; i++)
		good = good && words[i] == (order[i] == not_there ? 0 : 1000u + order[i]);
	return good && (words[n] & 0xff) == 0x51;
}

static bool not_copied(const struct told *t)
{
	const struct pitrace_stack *st =
		(const void *)(t->r[0].data + sizeof(struct pitrace_sample));

	return !st->regs && !st->bytes && st->flags == PITRACE_STACK_NONE_U;
}

/* Registers beside a copied stack stand in DWARF's order, by perf's numbers (asm/perf_regs.h of each
 * machine), the program counter last. */
static void registers_told(void)
{
	static const struct {
		const char *machine;
		uint8_t sp;
		const char *order;
		bool narrow;
	} rows[] = {
		{ "x86_64", 7, "0 3 2 1 4 5 6 7 16-23 8", false },
		{ "x86_64", 7, "0 2 3 1 7 6 4 5 8", true },
		{ "aarch64", 31, "0-32", false },
		{ "aarch64", 31, "0-14 32", true },
		{ "ppc64le", 1, "0-31 36 32", false },
		{ "ppc64le", 1, "", true },
		{ "s390x", 15, "0-15 33", false },
		{ "s390x", 15, "", true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct perf_registers *registers = perf_registers_of(rows[i].machine);
		uint64_t abi = rows[i].narrow ? PERF_SAMPLE_REGS_ABI_32 : PERF_SAMPLE_REGS_ABI_64;
		uint8_t order[64];
		size_t n = numbers(rows[i].order, order);
		uint64_t own = 0;
		struct told t;

		CU_ASSERT_PTR_NOT_NULL_FATAL(registers);
		t = copy_told(registers, UINT64_MAX >> 1, abi);
		if (!n) {
			CU_ASSERT(not_copied(&t));
			continue;
		}
		CU_ASSERT(copied(&t, order, n, -1, rows[i].narrow));
		for (size_t k = 0; k < n; k++)
			own |= 1ull << order[k];
		own |= 1ull << rows[i].sp;
		t = copy_told(registers, own, abi);
		CU_ASSERT(copied(&t, order, n, -1, rows[i].narrow));
		/* One that is not there is 0, but for the two without which a copy is useless. */
		for (size_t k = 0; k < n; k++) {
			t = copy_told(registers, own & ~(1ull << order[k]), abi);
			CU_ASSERT(order[k] == rows[i].sp || k == n - 1 ?
					  not_copied(&t) :
					  copied(&t, order, n, order[k], rows[i].narrow));
		}
		t = copy_told(registers, own, PERF_SAMPLE_REGS_ABI_NONE);
		CU_ASSERT(not_copied(&t));
		t = copy_told(registers, 0, abi);
		CU_ASSERT(not_copied(&t));
		t = copy_told(NULL, own, abi);
		CU_ASSERT(not_copied(&t));
		/* What is asked of the kernel here. */
		if (registers == perf_registers_here() && !rows[i].narrow)
			CU_ASSERT_EQUAL(perf_user_registers(), own);
	}
	CU_ASSERT_PTR_NULL(perf_registers_of("riscv64"));
	CU_ASSERT_PTR_NULL(perf_registers_of(""));
	CU_ASSERT_EQUAL(perf_user_registers() != 0, perf_registers_here() != NULL);
}

static void dispatch_told(void)
{
	static const struct {
		uint16_t misc;
		struct perf_running before;
		uint32_t minor, old, new;
	} cases[] = {
		{ PERF_RECORD_MISC_SWITCH_OUT, { 0 }, PITRACE_LEFT_OTHER, 12, 52 },
		{ PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT,
		  { 0 },
		  PITRACE_LEFT_RUNNING,
		  12,
		  52 },
		{ 0, { 11, 12, true }, 0, 0, 0 }, /* the other half of what was told */
		{ 0, { 51, 52, true }, PITRACE_LEFT_OTHER, 52, 12 }, /* the only half there is */
		{ 0, { 0 }, PITRACE_LEFT_OTHER, 52, 12 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct builder b = build_switch(false, cases[i].misc);
		struct perf_running running = cases[i].before;
		const struct pitrace_dispatch *d;
		struct told t = { .n = 0 };
		struct perf_item p;
		uint8_t *copy;

		CU_ASSERT_EQUAL_FATAL(decode(&b, b.n, &p, &copy), 0);
		CU_ASSERT_EQUAL(perf_put_dispatch(&p, &running, tell, &t), 0);
		CU_ASSERT_EQUAL_FATAL(t.n, cases[i].new != 0);
		free(copy);
		if (!t.n)
			continue;
		d = (const void *)t.r[0].data;
		CU_ASSERT_EQUAL(t.r[0].minor, cases[i].minor);
		CU_ASSERT_EQUAL(d->old_tid, cases[i].old);
		CU_ASSERT_EQUAL(d->new_tid, cases[i].new);
		CU_ASSERT_EQUAL(running.tid, cases[i].new);
	}
}

/* Who ended has no id left: it is who was dispatched last. */
static void dispatch_of_the_dead(void)
{
	struct perf_running running = { 41, 42, true };
	struct perf_item p = {
		.type = PERF_RECORD_SWITCH_CPU_WIDE,
		.misc = PERF_RECORD_MISC_SWITCH_OUT,
		.pid = 41,
		.tid = UINT32_MAX,
		.of_pid = 51,
		.of_tid = 52,
	};
	const struct pitrace_dispatch *d;
	struct told t = { .n = 0 };

	CU_ASSERT_EQUAL(perf_put_dispatch(&p, &running, tell, &t), 0);
	CU_ASSERT_EQUAL_FATAL(t.n, 1);
	d = (const void *)t.r[0].data;
	CU_ASSERT_EQUAL(t.r[0].minor, PITRACE_LEFT_DEAD);
	CU_ASSERT_EQUAL(d->old_tid, 42);
	CU_ASSERT_EQUAL(d->new_tid, 52);
}

int main(void)
{
	static const struct unit_test tests[] = { { "round_trip", round_trip },
						  { "unknown_bits", unknown_bits },
						  { "promised_stack", promised_stack },
						  { "cut_short", cut_short },
						  { "text_without_end", text_without_end },
						  { "counts_too_large", counts_too_large },
						  { "stray_build_id_flag", stray_build_id_flag },
						  { "tasks_told", tasks_told },
						  { "mappings_told", mappings_told },
						  { "sample_told", sample_told },
						  { "chains_told", chains_told },
						  { "registers_told", registers_told },
						  { "dispatch_told", dispatch_told },
						  { "dispatch_of_the_dead", dispatch_of_the_dead },
						  { NULL, NULL } };

	return unit_run("perf_decode", tests);
}
