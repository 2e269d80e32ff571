/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts perf's records to ours. test_perf_decode.c tests the decoding. */
#include "perf_built.h"

struct records {
	struct {
		uint16_t major;
		uint32_t minor;
		uint64_t time;
		uint8_t data[8192];
		size_t size;
	} r[8];
	size_t n;
};

static int take(void *arg, uint16_t major, uint32_t minor, const void *data, size_t size,
		uint64_t time)
{
	struct records *t = arg;

	CU_ASSERT_FATAL(t->n < 8 && size <= sizeof(t->r[0].data));
	t->r[t->n].major = major;
	t->r[t->n].minor = minor;
	t->r[t->n].time = time;
	t->r[t->n].size = size;
	memcpy(t->r[t->n++].data, data, size);
	return 0;
}

static void names(struct records *t, struct builder b)
{
	struct perf_item p;
	uint8_t *copy;

	CU_ASSERT_EQUAL_FATAL(decode(&b, b.n, &p, &copy), 0);
	CU_ASSERT_EQUAL(perf_put_name(&p, take, t), 0);
	free(copy);
}

static void tasks(void)
{
	struct records t = { .n = 0 };
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
	/* Not the main thread: the process continues. */
	CU_ASSERT_EQUAL(t.r[4].minor, PITRACE_MTE_THREAD_EXIT);
}

/* By file; and by build id, which then replaces the file in both records. */
static void mappings(void)
{
	const struct pitrace_mte_buildid *id;
	const struct pitrace_mte_map *map;
	struct records t = { .n = 0 };

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

static void sample(void)
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
	struct records t = { .n = 0 };
	struct perf_item p;
	uint64_t word;
	uint8_t *copy;

	CU_ASSERT_EQUAL_FATAL(decode(&b, b.n, &p, &copy), 0);
	CU_ASSERT_EQUAL(perf_put_sample(&p, &stacks, UINT32_MAX, take, &t), 0);
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
	CU_ASSERT_EQUAL(perf_put_sample(&p, &stacks, 1, take, &t), 0);
	CU_ASSERT_EQUAL(t.r[1].minor, PITRACE_TPROF_USER | 2u << PITRACE_TPROF_EVENT_SHIFT);
	CU_ASSERT_EQUAL(t.r[1].size, sizeof(*s));

	/* Cut to one address. */
	stacks.want = PITRACE_WANT_USER;
	stacks.depth = 0;
	CU_ASSERT_EQUAL(perf_put_sample(&p, &stacks, UINT32_MAX, take, &t), 0);
	st = (const void *)(t.r[2].data + sizeof(*s));
	CU_ASSERT_EQUAL(st->kernel + st->user, 0);
	CU_ASSERT_EQUAL(st->flags & PITRACE_STACK_CUT_U, PITRACE_STACK_CUT_U);
	free(copy);
}

/* The parts of a callchain that are wanted, as long as they may be. */
static void chains(void)
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
		struct records t = { .n = 0 };
		uint64_t words[8];

		CU_ASSERT_EQUAL(perf_put_sample(&p, &stacks, UINT32_MAX, take, &t), 0);
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

/* Converts registers, of which those in `have` were recorded, each with the value 1000 plus its
 * number. */
static struct records converted(const struct perf_registers *registers, uint64_t have, uint64_t abi)
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
	struct records t = { .n = 0 };

	for (unsigned int i = 0; i < 64; i++)
		if (have >> i & 1)
			words[n++] = 1000 + i;
	p.regs = (const uint8_t *)words;
	p.nregs = (uint32_t)n;
	CU_ASSERT_EQUAL(perf_put_sample(&p, &stacks, UINT32_MAX, take, &t), 0);
	return t;
}

/* Is it these registers and the stack? `not_there`: its word is 0. */
static bool copied(const struct records *t, const uint8_t *order, size_t n, int not_there,
		   bool narrow)
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

static bool not_copied(const struct records *t)
{
	const struct pitrace_stack *st =
		(const void *)(t->r[0].data + sizeof(struct pitrace_sample));

	return !st->regs && !st->bytes && st->flags == PITRACE_STACK_NONE_U;
}

/* Registers of a copied stack are in DWARF's order, by perf's numbers (asm/perf_regs.h of each
 * machine), the program counter last. */
static void registers(void)
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
		struct records t;

		CU_ASSERT_PTR_NOT_NULL_FATAL(registers);
		t = converted(registers, UINT64_MAX >> 1, abi);
		if (!n) {
			CU_ASSERT(not_copied(&t));
			continue;
		}
		CU_ASSERT(copied(&t, order, n, -1, rows[i].narrow));
		for (size_t k = 0; k < n; k++)
			own |= 1ull << order[k];
		own |= 1ull << rows[i].sp;
		t = converted(registers, own, abi);
		CU_ASSERT(copied(&t, order, n, -1, rows[i].narrow));
		/* One that is not there is 0, but for the two without which a copy is useless. */
		for (size_t k = 0; k < n; k++) {
			t = converted(registers, own & ~(1ull << order[k]), abi);
			CU_ASSERT(order[k] == rows[i].sp || k == n - 1 ?
					  not_copied(&t) :
					  copied(&t, order, n, order[k], rows[i].narrow));
		}
		t = converted(registers, own, PERF_SAMPLE_REGS_ABI_NONE);
		CU_ASSERT(not_copied(&t));
		t = converted(registers, 0, abi);
		CU_ASSERT(not_copied(&t));
		t = converted(NULL, own, abi);
		CU_ASSERT(not_copied(&t));
		/* These are the registers requested from the kernel here. */
		if (registers == perf_registers_here() && !rows[i].narrow)
			CU_ASSERT_EQUAL(perf_user_registers(), own);
	}
	CU_ASSERT_PTR_NULL(perf_registers_of("riscv64"));
	CU_ASSERT_PTR_NULL(perf_registers_of(""));
	CU_ASSERT_EQUAL(perf_user_registers() != 0, perf_registers_here() != NULL);
}

static void dispatch(void)
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
		struct records t = { .n = 0 };
		struct perf_item p;
		uint8_t *copy;

		CU_ASSERT_EQUAL_FATAL(decode(&b, b.n, &p, &copy), 0);
		CU_ASSERT_EQUAL(perf_put_dispatch(&p, &running, take, &t), 0);
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

/* An exited thread has no id left: the thread dispatched last is used. */
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
	struct records t = { .n = 0 };

	CU_ASSERT_EQUAL(perf_put_dispatch(&p, &running, take, &t), 0);
	CU_ASSERT_EQUAL_FATAL(t.n, 1);
	d = (const void *)t.r[0].data;
	CU_ASSERT_EQUAL(t.r[0].minor, PITRACE_LEFT_DEAD);
	CU_ASSERT_EQUAL(d->old_tid, 42);
	CU_ASSERT_EQUAL(d->new_tid, 52);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "tasks", tasks },
		{ "mappings", mappings },
		{ "sample", sample },
		{ "chains", chains },
		{ "registers", registers },
		{ "dispatch", dispatch },
		{ "dispatch_of_the_dead", dispatch_of_the_dead },
		{ NULL, NULL },
	};

	return unit_run("perf_records", tests);
}
