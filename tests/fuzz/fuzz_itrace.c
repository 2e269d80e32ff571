/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzz: ITrace's records as post understands them, run after run, and the functions that threads
 * are in. Whatever comes: a run that is said to follow its thread's one before does so, by what
 * stands in the records; none does behind a gap or a senseless record; no instruction is lost or
 * counted twice in the tree.
 */
#include "fuzz.h"

#include "fuzz_input.h"
#include "model/frames.h"

#define TIDS    4
#define CPUS    3
#define SYMBOLS 16

/* A reader's knowledge of a thread. */
struct known {
	bool has, kernel, cpu_known;
	uint64_t to;
	uint32_t cpu, gaps;
};

static struct symbols symbols;

static uint64_t address(uint8_t b)
{
	return 0x1000 + 8 * (uint64_t)b;
}

static void make_symbols(void)
{
	for (uint32_t i = symbols.count; i < SYMBOLS; i++) {
		struct symbol s = { .name = i == 3 ? "setjmp" : "f",
				    .module = i & 1,
				    .base = NO_KEY,
				    .result = i == 5 ? A2N_RESULT_NO_SYMBOL : A2N_OK };

		if (symbols_add(&symbols, &s) == NO_KEY)
			abort();
	}
}

/* One record from the input: seven bytes. */
struct made {
	uint8_t what, who, flags, kind, count, from, to;
};

static uint32_t take(struct fuzz_input *in, struct pirecord *r, uint32_t data[16], struct made *m)
{
	static const uint16_t majors[] = {
		PITRACE_BRANCH_USER,   PITRACE_BRANCH_USER,   PITRACE_BRANCH_USER,
		PITRACE_BRANCH_KERNEL, PITRACE_BRANCH_KERNEL, PITRACE_BREAK_USER,
		PITRACE_BREAK_USER,    PITRACE_BREAK_KERNEL,  PITRACE_ITRACE_START,
		PITRACE_ITRACE_STOP,   PITRACE_ITRACE_SWITCH, PITRACE_LOST,
		PITRACE_MTE,           PITRACE_TPROF,
	};
	struct pitrace_branch b = { .pid = 1 };

	fuzz_take(in, m, sizeof(*m));
	*r = (struct pirecord){
		.major = majors[m->what % 14],
		.type = PITRACE_TYPE_STRUCT,
		.data = data,
		.cpu = (m->who >> 4) % CPUS,
		.ring = PITRACE_RING_TRACE,
		.minor = (m->kind & 15u) | (m->flags & 7u) << 8,
		.time = 1,
		.size = 32,
	};
	memset(data, 0, 64);
	b.tid = 1 + m->who % TIDS;
	b.pid = m->flags & 0x80 ? 2 : 1;
	b.count = m->count;
	b.from = address(m->from);
	b.to = m->to ? address(m->to) : 0;
	memcpy(data, &b, sizeof(b));
	switch (r->major) {
	case PITRACE_BREAK_USER:
	case PITRACE_BREAK_KERNEL:
		((struct pitrace_break_rec *)data)->number = 0;
		((struct pitrace_break_rec *)data)->at = b.from;
		((struct pitrace_break_rec *)data)->to = b.to;
		break;
	case PITRACE_ITRACE_START:
	case PITRACE_ITRACE_STOP:
		((struct pitrace_itrace_mark *)data)->address = b.to;
		break;
	case PITRACE_ITRACE_SWITCH:
		((struct pitrace_itrace_switch *)data)->from_cpu = m->from % CPUS;
		break;
	case PITRACE_LOST:
		r->minor = m->kind % PITRACE_LOST_KINDS;
		break;
	case PITRACE_MTE:
		r->minor = PITRACE_MTE_PROCESS;
		((struct pitrace_mte_task *)data)->pid = b.tid;
		((struct pitrace_mte_task *)data)->flags = 0;
		r->size = sizeof(struct pitrace_mte_task);
		break;
	}
	if (m->flags & 0x40)
		r->size = m->flags >> 1 & 31;
	return b.tid;
}

static void check(const struct itrace *t, const struct itrace_run *run, const struct known *k,
		  const struct pirecord *r)
{
	if (run->doubt >= ITRACE_DOUBTS || run->type > PITRACE_BRANCH_UNDEFINED)
		abort();
	if (run->doubt == ITRACE_SURE &&
	    (!run->known || !k->has || run->start != k->to || run->kernel != k->kernel ||
	     k->gaps != t->gaps || r->minor & PITRACE_BRANCH_GAP ||
	     (k->cpu_known && k->cpu != run->cpu)))
		abort();
	if (run->what == ITRACE_BRANCH && run->known &&
	    (run->end - run->start > 15 * (run->count - 1) ||
	     run->end - run->start < run->count - 1))
		abort();
}

/* Each run is somewhere in the tree: the tree has the sum of all runs. */
static void check_tree(const struct calls *calls, uint64_t want)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < calls->ncall; i++)
		sum += calls->call[i].self;
	if (sum != want)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { data, size };
	struct known known[TIDS + 1] = { 0 };
	struct calls calls = { .first = NO_KEY };
	struct trace books = { 0 };
	struct itrace_run run;
	struct frames frames;
	struct itrace t;
	uint32_t room[16], gaps = 0;

	make_symbols();
	itrace_begin(&t, "x86_64");
	frames_begin(&frames, &symbols, &calls);
	while (in.size) {
		struct pirecord r;
		struct made m;
		uint32_t tid = take(&in, &r, room, &m);
		struct known *k = &known[tid];
		uint64_t place;
		int got;

		gaps += (m.flags & 0x38) == 0x38;
		r.gaps = gaps;
		got = itrace_record(&t, &books, &r, &run);
		if (got < 0)
			abort();
		if (got > 0) {
			if (run.tid != tid)
				abort();
			check(&t, &run, k, &r);
			place = itrace_place(&run);
			if (frames_run(&frames, &run, (uint32_t)(place >> 6) % SYMBOLS, place & 63,
				       0) ||
			    !frames_depth(&frames, &run))
				abort();
		}
		/* The state that the thread's next run must continue. */
		if (got > 0 && run.what != ITRACE_STOP)
			*k = (struct known){ run.to != 0, run.kernel ^ run.crosses,
					     true,        run.to,
					     r.cpu,       t.gaps };
		else if (got > 0 || r.major == PITRACE_ITRACE_START)
			k->has = false;
		else if (r.major == PITRACE_BRANCH_USER || r.major == PITRACE_BRANCH_KERNEL)
			k->has &= !(r.minor & PITRACE_BRANCH_GAP);
		if (r.major == PITRACE_ITRACE_SWITCH)
			k->cpu = r.cpu;
	}
	check_tree(&calls, t.instructions);
	frames_free(&frames);
	itrace_free(&t);
	calls_free(&calls);
	return 0;
}
