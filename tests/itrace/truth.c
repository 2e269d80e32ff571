/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * itrace_truth [-s EXECS] LOG TRACE: what itrace_judge saw, decoded by libopcodes, held against a
 * trace of another run of the same program: thread by thread, the ordered list of taken branches
 * and breaks, and the instructions between them. Exit code 0: equal to the last record.
 *
 * ppc64le, arm64: a store that is reserved (stcx., stxr) fails where an interrupt came in between,
 * and is tried again: how often is chance, in each of the two runs; that it was is left out of
 * both.
 *
 * -s EXECS: of the first thread what comes before its so-manieth exec is left out.
 *
 * itrace_truth -c TRACE, -t TRACE: how many instructions, threads a trace has.
 *
 * itrace_truth -f TRACE: of a trace of any length: instructions, taken branches, gaps, losses;
 * fails where a thread's record does not begin where the one before it ended.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pifile.h>
#include "insn.h"
#include "log.h"

enum what { BRANCH, SYSCALL, SIGNAL, SIGRETURN, EXEC, STOP };
static const char *const names[] = {
	"branch", "system call", "signal", "sigreturn", "exec", "stop"
};

struct event {
	enum what what;
	uint32_t count, number; /* number: BRANCH: enum pitrace_branch_kind */
	uint64_t from, to;
};

struct thread {
	uint32_t tid, pid;
	struct event *events;
	size_t n, room;
	uint64_t instructions, branches;
	bool begun, gap;
	/* From the log: */
	uint64_t pc, number, signal;
	uint32_t count;
	bool fresh;     /* the next step is the exec's own */
	uint64_t again; /* a system call that was interrupted, 0 none */
};

struct threads {
	struct thread *list;
	size_t n;
};

static bool x86, ppc64, arm64;
/* A second one that handlers without information return by: s390x; else the same. */
static uint32_t sigreturn, sigreturn_plain;

static void die(const char *what, const char *more)
{
	fprintf(stderr, "itrace_truth: %s%s\n", what, more);
	exit(2);
}

static struct thread *find(struct threads *all, uint32_t tid)
{
	/* The newest of that number. */
	for (size_t i = all->n; i--;)
		if (all->list[i].tid == tid)
			return &all->list[i];
	return NULL;
}

static struct thread *add_thread(struct threads *all, uint32_t tid, uint32_t pid)
{
	all->list = realloc(all->list, (all->n + 1) * sizeof(*all->list));
	if (!all->list)
		die("no memory", "");
	all->list[all->n] = (struct thread){ .tid = tid, .pid = pid };
	return &all->list[all->n++];
}

static void add(struct thread *t, enum what what, uint32_t count, uint32_t number, uint64_t from,
		uint64_t to)
{
	if (t->n == t->room) {
		t->room = t->room ? 2 * t->room : 1024;
		t->events = realloc(t->events, t->room * sizeof(*t->events));
		if (!t->events)
			die("no memory", "");
	}
	t->events[t->n++] = (struct event){ what, count, number, from, to };
	t->instructions += count;
	t->branches += what == BRANCH;
}

/* ---- the log --------------------------------------------------------------------------------- */

#define PAGES (1u << 16)

struct page {
	uint32_t pid;
	uint64_t address;
	uint8_t *bytes;
	struct insn *insns; /* kind 0: not looked at yet */
};
static struct page pages[PAGES];

static struct page *page_of(uint32_t pid, uint64_t address, bool make)
{
	uint64_t base = address & ~(uint64_t)(LOG_PAGE - 1);
	size_t at = (size_t)(base / LOG_PAGE * 31 + pid) % PAGES;

	while (pages[at].bytes && (pages[at].pid != pid || pages[at].address != base))
		at = (at + 1) % PAGES;
	if (!pages[at].bytes && !make)
		return NULL;
	pages[at].pid = pid;
	pages[at].address = base;
	return &pages[at];
}

static struct insn decode(const struct thread *t, uint64_t pc)
{
	struct page *p = page_of(t->pid, pc, false), *next;
	uint8_t bytes[16] = { 0 };
	size_t at = (size_t)(pc % LOG_PAGE), n;

	if (!p)
		die("the log lacks a page that was executed", "");
	if (p->insns[at].kind)
		return p->insns[at];
	n = LOG_PAGE - at < sizeof(bytes) ? LOG_PAGE - at : sizeof(bytes);
	memcpy(bytes, p->bytes + at, n);
	if (n < sizeof(bytes)) {
		next = page_of(t->pid, pc + n, false);
		if (next)
			memcpy(bytes + n, next->bytes, sizeof(bytes) - n);
		n = next ? sizeof(bytes) : n;
	}
	p->insns[at] = insn_at(pc, bytes, n);
	return p->insns[at];
}

static void flush(struct thread *t, enum what what, uint32_t number, uint64_t from, uint64_t to)
{
	add(t, what, t->count, number, from, to);
	t->count = 0;
}

/* The instruction at t->pc was executed, and the thread is at pc. */
static void executed(struct thread *t, uint64_t pc, uint64_t number)
{
	struct insn i = decode(t, t->pc);

	if (i.kind == INSN_REPEAT && pc == t->pc)
		return;
	t->count++;
	if (i.kind == INSN_SYSCALL && i.number)
		t->number = i.number;
	switch (i.kind) {
	case INSN_SYSCALL:
		/* x86: -ERESTART…: unless a handler comes first it goes back. */
		if (x86 && (int64_t)number <= -512 && (int64_t)number >= -516) {
			t->again = t->pc;
			break;
		}
		flush(t,
		      t->number == sigreturn || t->number == sigreturn_plain ? SIGRETURN : SYSCALL,
		      (uint32_t)t->number, t->pc + i.length, pc);
		break;
	case INSN_CONDITIONAL:
		if (pc == t->pc + i.length)
			break;
		/* fall through */
	case INSN_BRANCH:
		flush(t, BRANCH, i.branch, t->pc, pc);
		break;
	default:
		if (pc != t->pc + i.length)
			flush(t, BRANCH, PITRACE_BRANCH_OTHER, t->pc, pc);
		break;
	}
	t->pc = pc;
	t->number = number;
}

static void entry(struct threads *all, const struct log_entry *e)
{
	struct thread *t = find(all, e->tid), *child;

	if (!t)
		t = add_thread(all, e->tid, e->tid);
	switch (e->what) {
	case LOG_BEGIN:
		t->pc = e->pc;
		break;
	case LOG_NEW:
		child = find(all, (uint32_t)e->value);
		if (!child)
			child = add_thread(all, (uint32_t)e->value, 0);
		t = find(all, e->tid);
		child->pid = e->pc ? child->tid : t->pid;
		break;
	case LOG_EXEC:
		t->count++;
		flush(t, EXEC, 0, 0, e->pc);
		t->pc = e->pc;
		t->fresh = true;
		break;
	case LOG_SIGNAL:
		t->signal = e->value;
		break;
	case LOG_HANDLER:
		if (t->again) {
			flush(t, SYSCALL, (uint32_t)t->number, t->pc, t->pc);
			t->again = 0;
		}
		flush(t, SIGNAL, (uint32_t)t->signal, t->pc, e->pc);
		t->pc = e->pc;
		t->number = e->value;
		break;
	case LOG_STEP:
		if (t->fresh && e->pc == t->pc) {
			t->fresh = false;
			t->number = e->value;
			break;
		}
		t->fresh = false;
		if (t->again) {
			flush(t, SYSCALL, (uint32_t)t->number, t->pc, t->again);
			t->pc = t->again;
			t->again = 0;
		}
		executed(t, e->pc, e->value);
		break;
	case LOG_EXIT:
		if (decode(t, t->pc).kind == INSN_SYSCALL &&
		    e->pc == t->pc + decode(t, t->pc).length)
			t->count++;
		flush(t, STOP, 0, 0, 0);
		break;
	}
}

static void put_page(struct threads *all, const struct log_entry *e, FILE *f)
{
	struct thread *t = find(all, e->tid);
	struct page *p;

	p = page_of(t ? t->pid : e->tid, e->pc, true);
	if (!p->bytes)
		p->bytes = malloc(LOG_PAGE);
	free(p->insns);
	p->insns = calloc(LOG_PAGE, sizeof(*p->insns));
	if (!p->bytes || !p->insns || fread(p->bytes, LOG_PAGE, 1, f) != 1)
		die("the log is cut", "");
}

static void read_log(struct threads *all, const char *name)
{
	FILE *f = fopen(name, "re");
	struct log_entry e;

	if (!f)
		die("cannot open ", name);
	while (fread(&e, sizeof(e), 1, f) == 1) {
		if (e.what > UINT8_MAX) { /* of the other byte order */
			e.tid = __builtin_bswap32(e.tid);
			e.what = __builtin_bswap32(e.what);
			e.pc = __builtin_bswap64(e.pc);
			e.value = __builtin_bswap64(e.value);
		}
		if (e.what == LOG_PAGE_OF)
			put_page(all, &e, f);
		else if (e.what == LOG_REGISTERS)
			fseek(f, LOG_GPRS * sizeof(uint64_t), SEEK_CUR);
		else
			entry(all, &e);
	}
	fclose(f);
}

/* ---- the trace ------------------------------------------------------------------------------- */

static void branch(struct threads *all, const struct pirecord *r)
{
	const struct pitrace_branch *b = r->data;
	struct thread *t = find(all, b->tid);

	if (!t)
		die("a branch of a thread that nobody began", "");
	t->gap |= !!(r->minor & PITRACE_BRANCH_GAP);
	add(t, BRANCH, b->count, r->minor & PITRACE_BRANCH_KIND, b->from, b->to);
}

static void breaks(struct threads *all, const struct pirecord *r)
{
	static const int whats[] = {
		[PITRACE_BREAK_SIGNAL] = SIGNAL,
		[PITRACE_BREAK_SIGRETURN] = SIGRETURN,
		[PITRACE_BREAK_SYSCALL] = SYSCALL,
		[PITRACE_BREAK_EXEC] = EXEC,
	};
	const struct pitrace_break_rec *b = r->data;
	uint32_t why = r->minor & PITRACE_BRANCH_KIND;
	struct thread *t = find(all, b->tid);
	bool exec = why == PITRACE_BREAK_EXEC;

	if (!t)
		die("a break of a thread that nobody began", "");
	t->gap |= !!(r->minor & PITRACE_BRANCH_GAP);
	if (why > PITRACE_BREAK_EXEC)
		die("a break of an unknown kind", "");
	/* An interrupt or a page fault, which a stepping debugger does not see. The run
	 * continues. */
	if (why < PITRACE_BREAK_SIGNAL) {
		t->count += b->count;
		return;
	}
	add(t, (enum what)whats[why], b->count + t->count, exec ? 0 : b->number, exec ? 0 : b->at,
	    b->to);
	t->count = 0;
}

static void mark(struct threads *all, const struct pirecord *r)
{
	const struct pitrace_itrace_mark *m = r->data;
	struct thread *t = find(all, m->tid);

	if (!t)
		t = add_thread(all, m->tid, m->pid);
	t->gap |= !!(r->minor & PITRACE_BRANCH_GAP);
	t->begun = true;
	if (r->major == PITRACE_ITRACE_STOP)
		add(t, STOP, m->count, 0, 0, 0);
}

static void name(struct threads *all, const struct pirecord *r)
{
	const struct pitrace_mte_task *k = r->data;

	if (r->minor == PITRACE_MTE_THREAD || r->minor == PITRACE_MTE_FORK ||
	    r->minor == PITRACE_MTE_CLONE)
		add_thread(all, k->tid, k->pid);
}

static void read_trace(struct threads *all, const char *name_of)
{
	struct pifile_fault fault;
	struct pifile *f = pifile_open(name_of, &fault);
	struct pimerge *m = f ? pimerge_open(f, PIMERGE_MTE | PIMERGE_TRACE) : NULL;
	const char *machine;
	struct pirecord r;

	if (!m)
		die(name_of, ": cannot be read");
	machine = pifile_get_header(f)->machine;
	x86 = !strcmp(machine, "x86_64");
	ppc64 = !strcmp(machine, "ppc64le");
	arm64 = !strcmp(machine, "aarch64");
	sigreturn = x86                         ? 15 :
		    !strcmp(machine, "ppc64le") ? 172 :
		    !strcmp(machine, "s390x")   ? 173 :
						  139;
	sigreturn_plain = strcmp(machine, "s390x") ? sigreturn : 119;
	if (!insn_open(machine))
		die("this libopcodes does not know the machine ", machine);
	while (pimerge_next(m, &r) > 0) {
		if (r.major == PITRACE_BRANCH_USER)
			branch(all, &r);
		else if (r.major == PITRACE_BREAK_USER)
			breaks(all, &r);
		else if (r.major == PITRACE_ITRACE_START || r.major == PITRACE_ITRACE_STOP)
			mark(all, &r);
		else if (r.major == PITRACE_MTE)
			name(all, &r);
		else if (r.major == PITRACE_LOST)
			die(name_of, ": records were lost");
	}
	if (pifile_faults(f, NULL))
		die(name_of, ": is damaged");
	pimerge_close(m);
	pifile_close(f);
}

/* ---- a trace alone --------------------------------------------------------------------------- */

struct follower {
	uint32_t tid;
	bool known;
	uint64_t at; /* where its next run begins */
};

static struct follower *follow(uint32_t tid)
{
	static struct follower list[64];

	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++)
		if (!list[i].tid || list[i].tid == tid) {
			list[i].tid = tid;
			return &list[i];
		}
	die("too many threads", "");
	return NULL;
}

/* Returns whether a run of so many instructions from the thread's place to `from`, the last one or
 * (break) the next, fits exactly between the two. */
static bool fits(const struct follower *f, uint32_t count, uint64_t from, bool branch)
{
	uint64_t bytes = from - f->at;

	return branch ? bytes <= 15ull * (count - 1) && bytes >= count - 1 && count :
			bytes <= 15ull * count && bytes >= count;
}

static int flow(const char *name_of)
{
	uint64_t instructions = 0, branches = 0, gaps = 0, lost = 0, n = 0;
	struct pifile_fault fault;
	struct pifile *file = pifile_open(name_of, &fault);
	struct pimerge *m = file ? pimerge_open(file, PIMERGE_TRACE) : NULL;
	struct pirecord r;

	if (!m)
		die(name_of, ": cannot be read");
	for (; pimerge_next(m, &r) > 0; n++) {
		const struct pitrace_break_rec *k = r.data;
		const struct pitrace_branch *b = r.data;
		const struct pitrace_itrace_mark *mark = r.data;
		uint32_t why = r.minor & PITRACE_BRANCH_KIND;
		struct follower *f;

		switch (r.major) {
		case PITRACE_BRANCH_USER:
		case PITRACE_BREAK_USER:
		case PITRACE_ITRACE_START:
		case PITRACE_ITRACE_STOP:
			break;
		case PITRACE_LOST:
			lost++;
			continue;
		default:
			continue;
		}
		f = follow(b->tid);
		/* Nothing before a start had to be recorded. */
		if (r.minor & PITRACE_BRANCH_GAP && r.major != PITRACE_ITRACE_START) {
			gaps++;
			f->known = false;
		}
		instructions += b->count;
		if (r.major == PITRACE_BRANCH_USER) {
			branches++;
			if (f->known && !fits(f, b->count, b->from, true)) {
				printf("record %" PRIu64 ": a run of %" PRIu32 " from %" PRIx64
				       " ends in a branch at %" PRIx64 "\n",
				       n, b->count, f->at, (uint64_t)b->from);
				return 1;
			}
			f->at = b->to;
			f->known = true;
		} else if (r.major == PITRACE_BREAK_USER) {
			if (f->known && why != PITRACE_BREAK_EXEC &&
			    !fits(f, k->count, k->at, false)) {
				printf("record %" PRIu64 ": a run of %" PRIu32 " from %" PRIx64
				       " breaks at %" PRIx64 "\n",
				       n, k->count, f->at, (uint64_t)k->at);
				return 1;
			}
			f->at = k->to;
			f->known = true;
		} else {
			f->at = mark->address;
			f->known = r.major == PITRACE_ITRACE_START && mark->address;
		}
	}
	if (pifile_faults(file, NULL))
		die(name_of, ": is damaged");
	printf("instructions %" PRIu64 " branches %" PRIu64 " gaps %" PRIu64 " lost %" PRIu64 "\n",
	       instructions, branches, gaps, lost);
	pimerge_close(m);
	pifile_close(file);
	return 0;
}

/* ---- reserved stores that were tried again --------------------------------------------------- */

#define LONGEST_TRY 128 /* bytes */

/* From behind a reserved store back to the load that reserves. */
static bool tries_again(uint32_t pid, const struct event *e)
{
	bool load = false, store = false;

	if (e->what != BRANCH || e->to >= e->from || e->from - e->to > LONGEST_TRY)
		return false;
	for (uint64_t at = e->to; at < e->from; at += 4) {
		const struct page *p = page_of(pid, at, false);
		uint32_t word;

		if (!p || at & 3)
			return false;
		memcpy(&word, p->bytes + at % LOG_PAGE, sizeof(word));
		load |= at == e->to && insn_reserves(word, true);
		store |= insn_reserves(word, false);
	}
	return load && store;
}

/* `pid`: whose code the log has. */
static void leave_out_tries(struct thread *t, uint32_t pid)
{
	uint32_t more = 0;
	size_t n = 0;

	if (!ppc64 && !arm64)
		return;
	for (size_t i = 0; i < t->n; i++) {
		struct event *e = &t->events[i];

		e->count += more;
		more = 0;
		if (tries_again(pid, e))
			more = e->count - (uint32_t)((e->from - e->to) / 4 + 1);
		else
			t->events[n++] = *e;
	}
	t->n = n;
}

/* ---- held against each other ----------------------------------------------------------------- */

static void tell(const char *who, const struct thread *t, size_t i)
{
	const struct event *e = &t->events[i];

	if (i >= t->n)
		printf("  %s: nothing more\n", who);
	else
		printf("  %s: %s %" PRIu32 " after %" PRIu32 " instructions, %" PRIx64
		       " -> %" PRIx64 "\n",
		       who, names[e->what], e->number, e->count, e->from, e->to);
}

static bool same(const struct event *a, const struct event *b)
{
	return a->what == b->what && a->count == b->count && a->number == b->number &&
	       a->from == b->from && a->to == b->to;
}

static bool compare(const struct thread *log, size_t i, const struct thread *trace, size_t k)
{
	size_t n = 0;

	for (; i < log->n || k < trace->n; i++, k++, n++) {
		if (i < log->n && k < trace->n && same(&log->events[i], &trace->events[k]))
			continue;
		printf("thread %" PRIu32 " (%" PRIu32 " in the trace): record %zu differs\n",
		       log->tid, trace->tid, n);
		tell("truth", log, i);
		tell("trace", trace, k);
		return false;
	}
	return true;
}

/* The place behind its so-manieth exec. */
static size_t behind(const struct thread *t, unsigned int execs)
{
	size_t i = 0;

	while (execs && i < t->n)
		execs -= t->events[i++].what == EXEC;
	if (execs)
		die("there are fewer execs than -s says", "");
	return i;
}

static unsigned int execs_of(const struct thread *t)
{
	unsigned int n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += t->events[i].what == EXEC;
	return n;
}

static int count(const struct threads *trace, bool threads)
{
	uint64_t instructions = 0;
	size_t n = 0;

	for (size_t i = 0; i < trace->n; i++) {
		n += trace->list[i].begun;
		instructions += trace->list[i].instructions;
	}
	printf("%" PRIu64 "\n", threads ? (uint64_t)n : instructions);
	return 0;
}

int main(int argc, char **argv)
{
	struct threads log = { 0 }, trace = { 0 }, used = { 0 };
	uint64_t instructions = 0, branches = 0;
	unsigned int skip = 0;
	bool equal = true, told;

	if (argc == 3 && (!strcmp(argv[1], "-c") || !strcmp(argv[1], "-t"))) {
		read_trace(&trace, argv[2]);
		return count(&trace, argv[1][1] == 't');
	}
	if (argc == 3 && !strcmp(argv[1], "-f"))
		return flow(argv[2]);
	if (argc > 3 && !strcmp(argv[1], "-s")) {
		skip = (unsigned int)atoi(argv[2]);
		argv += 2;
		argc -= 2;
	}
	if (argc != 3)
		die("usage: itrace_truth [-s EXECS] LOG TRACE", "");
	read_trace(&trace, argv[2]);
	read_log(&log, argv[1]);
	for (size_t i = 0; i < trace.n; i++)
		if (trace.list[i].begun) {
			*add_thread(&used, 0, 0) = trace.list[i];
			if (trace.list[i].gap) {
				printf("thread %" PRIu32 ": a gap\n", trace.list[i].tid);
				equal = false;
			}
		}
	if (log.n != used.n || !log.n) {
		printf("%zu threads in truth, %zu in the trace\n", log.n, used.n);
		return 1;
	}
	/* The log has the exec that began it; a trace that began before that, too. */
	told = execs_of(&used.list[0]) == execs_of(&log.list[0]);
	for (size_t i = 0; i < log.n; i++) {
		size_t from;

		leave_out_tries(&log.list[i], log.list[i].pid);
		leave_out_tries(&used.list[i], log.list[i].pid);
		from = i ? 0 : behind(&log.list[0], skip + 1);
		equal &= compare(&log.list[i], from, &used.list[i],
				 i ? 0 : behind(&used.list[0], skip + told));
		for (size_t k = from; k < log.list[i].n; k++) {
			instructions += log.list[i].events[k].count;
			branches += log.list[i].events[k].what == BRANCH;
		}
	}
	if (equal)
		printf("equal: %zu threads, %" PRIu64 " instructions, %" PRIu64 " taken branches\n",
		       log.n, instructions, branches);
	return !equal;
}
