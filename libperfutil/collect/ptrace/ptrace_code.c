/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The bytes of instructions. Pages of files are read once, until mappings change. Pages that can
 * change unnoticed are read each time, and written as a CODE record at first and after each change:
 * they are in no file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include "collect/ptrace/ptrace_session.h"

/* PTRACE_PEEKTEXT can also read execute-only memory. */
static size_t peek(pid_t tid, uint64_t address, uint8_t *to, size_t n)
{
	size_t done = 0;

	while (done < n) {
		uint64_t at = (address + done) & ~(uint64_t)(sizeof(long) - 1);
		size_t skip = (size_t)(address + done - at), length = sizeof(long) - skip;
		long word;

		errno = 0;
		word = ptrace(PTRACE_PEEKTEXT, tid, at, 0);
		if (errno)
			break;
		if (length > n - done)
			length = n - done;
		memcpy(to + done, (char *)&word + skip, length);
		done += length;
	}
	return done;
}

size_t ptrace_memory_read(const struct ptrace_thread *t, uint64_t address, void *to, size_t n)
{
	struct iovec here = { to, n }, there = { (void *)(uintptr_t)address, n };
	ssize_t got = process_vm_readv(t->tid, &here, 1, &there, 1, 0);

	return got > 0 ? (size_t)got : peek(t->tid, address, to, n);
}

bool ptrace_memory_write(const struct ptrace_thread *t, uint64_t address, const void *from,
			 size_t n)
{
	uint64_t at = address & ~(uint64_t)(sizeof(long) - 1);
	size_t skip = (size_t)(address - at);
	long word[2] = { 0 };
	size_t words = (skip + n + sizeof(long) - 1) / sizeof(long);

	if (words > 2 ||
	    peek(t->tid, at, (uint8_t *)word, words * sizeof(long)) != words * sizeof(long))
		return false;
	memcpy((char *)word + skip, from, n);
	for (size_t i = 0; i < words; i++)
		if (ptrace(PTRACE_POKETEXT, t->tid, at + i * sizeof(long), word[i]))
			return false;
	return true;
}

/* Removes the collector's breakpoints from the copy. */
static size_t read_code(const struct ptrace_thread *t, uint64_t address, uint8_t *to, size_t n)
{
	size_t got = ptrace_memory_read(t, address, to, n);

	for (uint32_t i = 0; i < t->p->nplaces; i++)
		for (unsigned int k = 0; k < ptrace_break_bytes; k++) {
			uint64_t at = t->p->place[i].address + k;

			if (at >= address && at - address < got)
				to[at - address] = t->p->place[i].was[k];
		}
	return got;
}

/* Can the code change: is it in no file, or different from its file? */
static bool may_change(const struct ptrace_process *p, uint64_t address)
{
	const struct timer_maps *m;

	/* A child that is not followed: nothing is known about it. */
	if (!p->image)
		return true;
	m = &p->image->maps;
	for (uint32_t i = 0; i < m->n; i++)
		if (address >= m->list[i].start && address < m->list[i].end)
			return (m->list[i].flags & PITRACE_MAP_WRITE) ||
			       ((m->list[i].flags & PITRACE_MAP_ANON) &&
				!(m->list[i].flags & PITRACE_MAP_VDSO));
	return false;
}

static void read_page(struct ptrace_thread *t, struct ptrace_page *page, uint64_t address)
{
	page->address = address;
	page->changes = may_change(t->p, address);
	page->bytes = (uint32_t)read_code(t, address, page->code, PTRACE_PAGE);
	page->written = false;
}

static void write_code(struct ptrace_session *s, struct ptrace_thread *t, struct ptrace_page *page)
{
	if (!page->changes || page->written || !page->bytes || !t->begun)
		return;
	page->written = true;
	ptrace_out_code(s, t->p, page->address, page->code, page->bytes);
}

static struct ptrace_page *page_of(struct ptrace_thread *t, uint64_t address)
{
	struct ptrace_page **slot = &t->p->page[address / PTRACE_PAGE % PTRACE_PAGES];

	if (*slot && (*slot)->address == address && (*slot)->bytes == PTRACE_PAGE)
		return *slot;
	if (!*slot)
		*slot = malloc(sizeof(**slot));
	if (*slot)
		read_page(t, *slot, address);
	return *slot;
}

size_t ptrace_code_at(struct ptrace_session *s, struct ptrace_thread *t, uint64_t address,
		      uint8_t code[FLOW_BYTES])
{
	size_t done = 0;

	while (done < FLOW_BYTES) {
		uint64_t at = address + done, base = at & ~(uint64_t)(PTRACE_PAGE - 1);
		struct ptrace_page *page = page_of(t, base);
		size_t skip = (size_t)(at - base), n = FLOW_BYTES - done;

		if (!page || page->bytes <= skip)
			break;
		if (n > page->bytes - skip)
			n = page->bytes - skip;
		if (page->changes) {
			n = read_code(t, at, code + done, n);
			if (!n)
				break;
			if (memcmp(code + done, page->code + skip, n))
				read_page(t, page, base);
		} else {
			memcpy(code + done, page->code + skip, n);
		}
		write_code(s, t, page);
		done += n;
	}
	return done;
}

void ptrace_code_forget(struct ptrace_process *p)
{
	for (unsigned int i = 0; i < PTRACE_PAGES; i++) {
		free(p->page[i]);
		p->page[i] = NULL;
	}
}

void ptrace_code_maps(struct ptrace_session *s, struct ptrace_process *p)
{
	ptrace_out_maps(s, p);
	ptrace_code_forget(p);
}
