/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * itrace_access LOG TRACE: the addresses that each thread of a process read and wrote behind its
 * last exec: as the judge's registers and libopcodes' words for its instructions tell them, held
 * against a trace's (ppc64le). A thread is known by when it was made: the order of the numbers.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pifile.h>
#include "insn.h"
#include "log.h"

#define THREADS 64

struct access {
	uint64_t at, address;
	uint32_t bytes, way;
};

/* The accesses of one thread. */
struct list {
	uint32_t tid;
	struct access *a;
	size_t n, room;
	/* From the log: the program counter and the registers. */
	uint64_t pc, gprs[LOG_GPRS];
};

struct threads {
	struct list list[THREADS];
	size_t n;
};

static void die(const char *what, const char *more)
{
	fprintf(stderr, "itrace_access: %s%s\n", what, more);
	exit(2);
}

static void add(struct list *l, struct access a)
{
	if (l->n == l->room) {
		l->room = l->room ? 2 * l->room : 4096;
		l->a = realloc(l->a, l->room * sizeof(*l->a));
		if (!l->a)
			die("no memory", "");
	}
	l->a[l->n++] = a;
}

static struct list *thread(struct threads *all, uint32_t tid)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->list[i].tid == tid)
			return &all->list[i];
	if (all->n == THREADS)
		die("too many threads", "");
	all->list[all->n].tid = tid;
	return &all->list[all->n++];
}

/* A program begins: its other threads are gone. */
static struct list *begins(struct threads *all, uint32_t tid)
{
	for (size_t i = 0; i < all->n; i++)
		free(all->list[i].a);
	memset(all, 0, sizeof(*all));
	return thread(all, tid);
}

/* ---- the log --------------------------------------------------------------------------------- */

#define PAGES 4096
static struct {
	uint64_t address;
	uint8_t bytes[LOG_PAGE];
} pages[PAGES];
static size_t npages;

static const uint8_t *page_of(uint64_t pc)
{
	for (size_t i = npages; i--;)
		if (pages[i].address == (pc & ~(uint64_t)(LOG_PAGE - 1)))
			return pages[i].bytes;
	return NULL;
}

/* Loads and stores by their names, without the endings for update and index. */
static uint32_t bytes_of(const char *name, uint32_t *way)
{
	static const struct {
		const char *names;
		uint32_t bytes;
	} sizes[] = {
		{ " lbz stb lbarx stbcx. lvebx stvebx lxsibzx stxsibx ", 1 },
		{ " lhz lha sth lhbrx sthbrx lharx sthcx. lvehx stvehx lxsihzx stxsihx ", 2 },
		{ " lwz lwa stw lwbrx stwbrx lwarx stwcx. lfs stfs lfiwax lfiwzx stfiwx lxsspx "
		  "stxsspx lxssp stxssp lxsiwax lxsiwzx stxsiwx lvewx stvewx lxvwsx ",
		  4 },
		{ " ld std ldbrx stdbrx ldarx stdcx. lfd stfd lxsdx stxsdx lxsd stxsd lxvdsx ", 8 },
		{ " lxv stxv lxvx stxvx lxvd2x stxvd2x lxvw4x stxvw4x lxvh8x stxvh8x lxvb16x "
		  "stxvb16x lvx stvx lvxl stvxl lq stq ",
		  16 },
		{ " lxvp stxvp ", 32 },
		{ " dcbz ", 128 },
	};
	static const char *const endings[] = { "", "x", "u", "ux" };
	size_t n = strlen(name);
	char word[32];

	*way = *name == 'l' ? PITRACE_ACCESS_LOAD : PITRACE_ACCESS_STORE;
	for (size_t e = 0; e < 4; e++) {
		size_t end = strlen(endings[e]);

		if (n <= end || n > 16 || strcmp(name + n - end, endings[e]))
			continue;
		snprintf(word, sizeof(word), " %.*s ", (int)(n - end), name);
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
			if (strstr(sizes[i].names, word))
				return sizes[i].bytes;
	}
	return 0;
}

static uint64_t gpr(const uint64_t *gprs, const char *operand)
{
	const char *digits = operand + strspn(operand, "%r");
	unsigned long n = strtoul(digits, NULL, 10);

	/* "0" in the place of a register is the number. */
	return digits == operand || n >= LOG_GPRS ? 0 : gprs[n];
}

/* "REG,DISPLACEMENT(REG)" or "[REG,]REG,REG[,HINT]" */
static uint64_t address_of(char *operands, const uint64_t *gprs)
{
	char *hint = strrchr(operands, ',');
	const char *open = strchr(operands, '('), *comma = strchr(operands, ',');
	const char *last;

	if (hint && !hint[1 + strspn(hint + 1, "01")])
		*hint = 0;
	last = strrchr(operands, ',');
	if (open)
		return gpr(gprs, open + 1) +
		       (uint64_t)strtoll(comma ? comma + 1 : operands, NULL, 0);
	if (!last)
		die("no operands: ", operands);
	return gpr(gprs, last + 1) + gpr(gprs, comma == last ? operands : comma + 1);
}

static void executes(struct list *l, uint64_t pc, const uint64_t *gprs)
{
	const uint8_t *page = page_of(pc);
	char name[32] = "", operands[128] = "";
	uint32_t bytes, way;
	struct insn i;
	uint64_t address;

	if (!page)
		die("the log lacks a page that was executed", "");
	i = insn_at(pc, page + pc % LOG_PAGE, LOG_PAGE - pc % LOG_PAGE);
	if (i.unknown)
		die("an instruction that libopcodes does not know", "");
	sscanf(insn_text(), "%31s %127s", name, operands);
	bytes = bytes_of(name, &way);
	if (!bytes) {
		/* An instruction that is missing from the list above must not be ignored. */
		if (!strncmp(name, "lx", 2) || !strncmp(name, "stx", 3) ||
		    !strncmp(name, "lv", 2) || !strncmp(name, "stv", 3) || strchr(operands, '('))
			if (strcmp(name, "lvsl") && strcmp(name, "lvsr"))
				die("whose size is not known: ", name);
		return;
	}
	address = address_of(operands, gprs);
	if (!strncmp(name, "lv", 2) || !strncmp(name, "stv", 3) || !strcmp(name, "dcbz"))
		address &= ~(uint64_t)(bytes - 1);
	add(l, (struct access){ pc, address, bytes, way });
}

static void entry(struct threads *all, const struct log_entry *e, const uint64_t *gprs)
{
	struct list *l = e->what == LOG_EXEC ? begins(all, e->tid) : thread(all, e->tid);

	switch (e->what) {
	case LOG_EXEC:
		npages = 0;
		l->pc = e->pc;
		break;
	case LOG_STEP:
		/* The first may be the exec's own. */
		if (l->pc != e->pc)
			executes(l, l->pc, l->gprs);
		/* fall through */
	case LOG_BEGIN:
	case LOG_HANDLER:
		l->pc = e->pc;
		memcpy(l->gprs, gprs, sizeof(l->gprs));
		break;
	}
}

static void read_log(struct threads *all, const char *name)
{
	FILE *f = fopen(name, "re");
	uint64_t gprs[LOG_GPRS] = { 0 };
	struct log_entry e;

	if (!f)
		die("cannot open ", name);
	while (fread(&e, sizeof(e), 1, f) == 1) {
		switch (e.what) {
		case LOG_REGISTERS:
			if (fread(gprs, sizeof(gprs), 1, f) != 1)
				die(name, ": is cut");
			break;
		case LOG_PAGE_OF:
			if (npages == PAGES)
				die("too many pages", "");
			pages[npages].address = e.pc;
			if (fread(pages[npages++].bytes, LOG_PAGE, 1, f) != 1)
				die(name, ": is cut");
			break;
		default:
			entry(all, &e, gprs);
		}
	}
	fclose(f);
}

/* ---- the trace ------------------------------------------------------------------------------- */

static void read_trace(struct threads *all, const char *name)
{
	struct pifile_fault fault;
	struct pifile *f = pifile_open(name, &fault);
	struct pimerge *m = f ? pimerge_open(f, PIMERGE_TRACE) : NULL;
	struct pirecord r;

	if (!m)
		die(name, ": cannot be read");
	if (strcmp(pifile_get_header(f)->machine, "ppc64le") || !insn_open("ppc64le"))
		die(name, ": is no trace of ppc64le, or libopcodes does not know that");
	while (pimerge_next(m, &r) > 0) {
		const struct pitrace_itrace_mark *mark = r.data;
		const struct pitrace_break_rec *b = r.data;
		const struct pitrace_access *a = r.data;

		if (r.major == PITRACE_BREAK_USER &&
		    (r.minor & PITRACE_BRANCH_KIND) == PITRACE_BREAK_EXEC)
			begins(all, b->tid);
		else if (r.major == PITRACE_ITRACE_START)
			thread(all, mark->tid);
		else if (r.major == PITRACE_LOAD_STORE && r.minor & PITRACE_BRANCH_GAP)
			die(name, ": a gap");
		else if (r.major == PITRACE_LOAD_STORE)
			add(thread(all, a->tid), (struct access){ a->at, a->address, a->bytes,
								  r.minor & PITRACE_BRANCH_KIND });
		else if (r.major == PITRACE_LOST)
			die(name, ": records were lost");
	}
	pimerge_close(m);
	pifile_close(f);
}

/* ---- both ------------------------------------------------------------------------------------ */

static bool reserved(const struct access *a, bool load)
{
	const uint8_t *page = page_of(a->at);
	uint32_t word;

	if (!page)
		return false;
	memcpy(&word, page + a->at % LOG_PAGE, sizeof(word));
	return insn_reserves(word, load);
}

/* A reserved store fails where an interrupt came in between, and both are done again: how often is
 * chance. Once is left. */
static void leave_out_tries(struct list *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		if (n > 1 && reserved(&l->a[i], true) && reserved(&l->a[n - 1], false) &&
		    !memcmp(&l->a[n - 2], &l->a[i], sizeof(*l->a)))
			n -= 2;
		l->a[n++] = l->a[i];
	}
	l->n = n;
}

static void tell(const char *who, const struct list *l, size_t i)
{
	if (i < l->n)
		printf("  %s: %" PRIx64 " %s %" PRIx64 ", %" PRIu32 " bytes\n", who, l->a[i].at,
		       l->a[i].way == PITRACE_ACCESS_LOAD ? "reads" : "writes", l->a[i].address,
		       l->a[i].bytes);
	else
		printf("  %s: nothing more\n", who);
}

static bool equal(const struct list *log, const struct list *trace)
{
	size_t i = 0;

	while (i < log->n && i < trace->n && !memcmp(&log->a[i], &trace->a[i], sizeof(*log->a)))
		i++;
	if (i && i == log->n && i == trace->n)
		return true;
	printf("thread %" PRIu32 ": access %zu differs\n", log->tid, i);
	tell("truth", log, i);
	tell("trace", trace, i);
	return false;
}

static int by_tid(const void *a, const void *b)
{
	const struct list *l = a, *r = b;

	return (l->tid > r->tid) - (l->tid < r->tid);
}

int main(int argc, char **argv)
{
	static struct threads log, trace;
	size_t accesses = 0;

	if (argc != 3)
		die("usage: itrace_access LOG TRACE", "");
	read_trace(&trace, argv[2]);
	read_log(&log, argv[1]);
	if (!log.n || log.n != trace.n) {
		printf("%zu threads, %zu in the trace\n", log.n, trace.n);
		return 1;
	}
	qsort(log.list, log.n, sizeof(*log.list), by_tid);
	qsort(trace.list, trace.n, sizeof(*trace.list), by_tid);
	for (size_t i = 0; i < log.n; i++) {
		leave_out_tries(&log.list[i]);
		leave_out_tries(&trace.list[i]);
		if (!equal(&log.list[i], &trace.list[i]))
			return 1;
		accesses += log.list[i].n;
	}
	printf("equal: %zu threads, %zu accesses\n", log.n, accesses);
	return 0;
}
