/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The code that the collector ptrace reads, as if it had set no breakpoints: from this process's
 * own memory. Which of it is read once, which each time, and what is recorded of it.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "collect/ptrace/ptrace_session.h"
#include "records.h"

/* Two pages of code; the next is not there. */
#define BYTES (2 * PTRACE_PAGE)

static uint8_t *code, was[BYTES];
static struct ptrace_session s;
static struct ptrace_process p;
static struct ptrace_thread t;
static struct timer_process image;
static struct timer_map map;

static uint64_t address_of(size_t offset)
{
	return (uint64_t)(uintptr_t)code + offset;
}

/* In a file, as of its mapping's flags; or nothing is known of the process. */
static void begin(bool known, uint32_t flags)
{
	code = mmap(NULL, BYTES + PTRACE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	CU_ASSERT_PTR_NOT_EQUAL_FATAL(code, MAP_FAILED);
	CU_ASSERT_EQUAL_FATAL(mprotect(code + BYTES, PTRACE_PAGE, PROT_NONE), 0);
	for (size_t i = 0; i < BYTES; i++)
		code[i] = was[i] = (uint8_t)(i * 7 + i / 256);
	memset(&s, 0, sizeof(s));
	memset(&p, 0, sizeof(p));
	memset(&t, 0, sizeof(t));
	map = (struct timer_map){ .start = address_of(0),
				  .end = address_of(BYTES),
				  .flags = flags };
	image.maps.list = &map;
	image.maps.n = 1;
	p.pid = t.tid = getpid();
	p.image = known ? &image : NULL;
	t.p = &p;
	CU_ASSERT_EQUAL_FATAL(user_rings_open(&s.out, 65536), 0);
	s.out.sink = records_take;
	records_forget();
}

static void end(void)
{
	ptrace_code_forget(&p);
	for (unsigned int i = 0; i < PTRACE_PAGES; i++)
		CU_ASSERT_PTR_NULL(p.page[i]);
	user_rings_close(&s.out);
	munmap(code, BYTES + PTRACE_PAGE);
}

/* As ptrace_break_set() does with another process's. */
static void set_break(size_t offset)
{
	struct ptrace_place *b = &p.place[p.nplaces++];

	b->address = address_of(offset);
	memcpy(b->was, code + offset, ptrace_break_bytes);
	memcpy(code + offset, ptrace_break, ptrace_break_bytes);
}

/* Reads there: how much; all of it is as it was. */
static size_t reads(size_t offset)
{
	uint8_t got[FLOW_BYTES + 1];
	size_t n;

	memset(got, 0xee, sizeof(got));
	n = ptrace_code_at(&s, &t, address_of(offset), got);
	CU_ASSERT_FATAL(n <= FLOW_BYTES);
	CU_ASSERT_EQUAL(memcmp(got, was + offset, n), 0);
	for (size_t i = n; i < sizeof(got); i++)
		CU_ASSERT_EQUAL(got[i], 0xee);
	return n;
}

/* Breakpoints are seen nowhere: not at a page's begin or end, not beside another, not where one is
 * at the end of what is read. */
static void breakpoints(void)
{
	static const uint32_t flags[] = { PITRACE_MAP_EXEC, PITRACE_MAP_EXEC | PITRACE_MAP_WRITE };
	const size_t n = ptrace_break_bytes;

	for (unsigned int how = 0; how < 3; how++) {
		begin(how < 2, flags[how % 2]);
		set_break(0);
		set_break(PTRACE_PAGE - n);
		set_break(PTRACE_PAGE);
		set_break(200);
		set_break(200 + n);
		set_break(BYTES - n);
		CU_ASSERT(memcmp(code, was, BYTES) != 0);
		for (size_t at = 0; at < BYTES; at++)
			CU_ASSERT_EQUAL(reads(at),
					BYTES - at < FLOW_BYTES ? BYTES - at : FLOW_BYTES);
		CU_ASSERT_EQUAL(reads(BYTES), 0);
		/* Where none is set any more, there is what the program has there by now. */
		p.nplaces = 0;
		memset(was, 0, 400);
		memset(code, 0, 400);
		ptrace_code_forget(&p);
		CU_ASSERT(reads(0) == FLOW_BYTES && reads(200) == FLOW_BYTES);
		end();
	}
}

/* Code of a file is read once, until its mappings change; other code each time. */
static void changes(void)
{
	static const struct {
		bool known;
		uint32_t flags;
		bool kept;
	} cases[] = {
		{ true, PITRACE_MAP_EXEC, true },
		{ true, PITRACE_MAP_EXEC | PITRACE_MAP_WRITE, false },
		{ true, PITRACE_MAP_EXEC | PITRACE_MAP_ANON, false },
		{ true, PITRACE_MAP_EXEC | PITRACE_MAP_ANON | PITRACE_MAP_VDSO, true },
		{ true, PITRACE_MAP_WRITE | PITRACE_MAP_ANON | PITRACE_MAP_VDSO, false },
		{ false, PITRACE_MAP_EXEC, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		begin(cases[i].known, cases[i].flags);
		CU_ASSERT_EQUAL(reads(300), FLOW_BYTES);
		code[305]++;
		if (!cases[i].kept)
			was[305]++;
		CU_ASSERT_EQUAL(reads(300), FLOW_BYTES);
		ptrace_code_forget(&p);
		was[305] = code[305];
		CU_ASSERT_EQUAL(reads(300), FLOW_BYTES);
		end();
	}
	/* A mapping begins with its first byte and ends before the next. */
	begin(true, PITRACE_MAP_EXEC | PITRACE_MAP_WRITE);
	map.start = address_of(PTRACE_PAGE);
	reads(0);
	reads(PTRACE_PAGE);
	CU_ASSERT(!p.page[address_of(0) / PTRACE_PAGE % PTRACE_PAGES]->changes);
	CU_ASSERT(p.page[address_of(PTRACE_PAGE) / PTRACE_PAGE % PTRACE_PAGES]->changes);
	ptrace_code_forget(&p);
	map.start = address_of(0);
	map.end = address_of(PTRACE_PAGE);
	reads(0);
	reads(PTRACE_PAGE);
	CU_ASSERT(p.page[address_of(0) / PTRACE_PAGE % PTRACE_PAGES]->changes);
	CU_ASSERT(!p.page[address_of(PTRACE_PAGE) / PTRACE_PAGE % PTRACE_PAGES]->changes);
	end();
}

/* The nth record of code: of this page, and its first bytes. */
static void is_recorded(unsigned int n, size_t page)
{
	const struct told *r = records_nth(PITRACE_CODE, 0, n);

	CU_ASSERT_PTR_NOT_NULL_FATAL(r);
	CU_ASSERT(r->code.pid == (uint32_t)getpid() && r->code.bytes == PTRACE_PAGE);
	CU_ASSERT_EQUAL(r->code.address, address_of(page));
	CU_ASSERT_EQUAL(r->size, sizeof(r->code) + PTRACE_PAGE);
	CU_ASSERT_EQUAL(memcmp(r->data + sizeof(r->code), was + page, 64), 0);
}

/* Code that can change is recorded when it is first executed, and after each change. */
static void records(void)
{
	begin(true, PITRACE_MAP_EXEC | PITRACE_MAP_WRITE);
	set_break(8);
	reads(20); /* its trace has not begun */
	t.begun = true;
	reads(20);
	reads(40);
	code[10]++; /* not where it executes */
	reads(40);
	code[41]++;
	was[41]++;
	was[10]++;
	reads(40);
	reads(PTRACE_PAGE - 1); /* both pages */
	user_rings_flush(&s.out);
	CU_ASSERT_EQUAL(s.out.err, 0);
	CU_ASSERT_EQUAL_FATAL(records_count(PITRACE_CODE, 0), 3);
	is_recorded(1, 0);
	is_recorded(2, PTRACE_PAGE);
	was[10]--;
	was[41]--;
	is_recorded(0, 0);
	end();
	/* A file's is not. */
	begin(true, PITRACE_MAP_EXEC);
	t.begun = true;
	reads(20);
	user_rings_flush(&s.out);
	CU_ASSERT_EQUAL(records_count(PITRACE_CODE, 0), 0);
	end();
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "breakpoints", breakpoints },
		{ "changes", changes },
		{ "records", records },
		{},
	};

	return unit_run("ptrace_code", tests);
}
