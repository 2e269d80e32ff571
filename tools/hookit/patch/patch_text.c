/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes code: a page's changes together, then synchronizes all CPUs. */
#include "patch_text.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "raw_call.h"

bool text_open(struct patch_text *t)
{
	t->error = 0;
	t->page = 0;
	t->fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	if (t->fd < 0)
		t->error = -errno;
	return t->fd >= 0;
}

static void write_page(struct patch_text *t)
{
	const uint8_t *from = t->bytes + t->from;
	size_t n = t->to - t->from;
	uint64_t at = t->page + t->from;
	long rc;

	if (!t->page)
		return;
	t->page = 0;
	if (t->error)
		return;
	rc = raw_pwrite(t->fd, from, n, at);
	if (rc != (long)n) {
		t->error = rc < 0 ? (int)rc : -EIO;
		t->error_at = at;
	}
}

/* Writes whole words of eight bytes, wherever the change is in them. */
static void write_part(struct patch_text *t, uint64_t at, const uint8_t *bytes, unsigned int n)
{
	uint64_t page = at & ~(uint64_t)(TEXT_PAGE - 1);
	unsigned int from = (unsigned int)(at - page) & ~7u,
		     to = ((unsigned int)(at - page) + n + 7) & ~7u;

	if (page != t->page) {
		write_page(t);
		t->page = page;
		t->from = from;
		t->to = from;
	}
	if (from < t->from) {
		memcpy(t->bytes + from, (const uint8_t *)(uintptr_t)(page + from), t->from - from);
		t->from = from;
	}
	if (to > t->to) {
		memcpy(t->bytes + t->to, (const uint8_t *)(uintptr_t)(page + t->to), to - t->to);
		t->to = to;
	}
	memcpy(t->bytes + (at - page), bytes, n);
}

void text_write(struct patch_text *t, uint64_t at, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	while (n && !t->error) {
		size_t room = TEXT_PAGE - (at & (TEXT_PAGE - 1));
		unsigned int part = (unsigned int)(n < room ? n : room);

		write_part(t, at, p, part);
		at += part;
		p += part;
		n -= part;
	}
}

/* Fallback without membarrier: removing a right from a page interrupts each CPU that runs this
 * process. */
static bool interrupt_all(void)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
				0);

	if (p == MAP_FAILED)
		return false;
	*p = 1;
	mprotect((void *)p, size, PROT_READ);
	munmap((void *)p, size);
	return true;
}

static bool all_see(void)
{
	static int registered; /* 1: yes, -1: not supported */

	if (!registered)
		registered = raw_call(SYS_membarrier,
				      MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0, 0,
				      0, 0) ?
				     -1 :
				     1;
	if (registered > 0 &&
	    !raw_call(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0, 0, 0, 0))
		return true;
	return interrupt_all();
}

bool text_flush(struct patch_text *t)
{
	write_page(t);
	if (!t->error && !all_see())
		t->error = -ENOMEM;
	return !t->error;
}

void text_close(struct patch_text *t)
{
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
}

void text_why(const struct patch_text *t, char *why, size_t room)
{
	if (t->fd < 0)
		snprintf(why, room,
			 "/proc/self/mem: %s: it is needed to write code (a rule of this system such "
			 "as SELinux's, or no /proc, or a program with another user's rights)",
			 strerror(-t->error));
	else
		snprintf(why, room,
			 "code at 0x%llx: %s: the kernel does not let a process write its own code by "
			 "/proc/self/mem (proc_mem.force_override, or a rule of this system)",
			 (unsigned long long)t->error_at, strerror(-t->error));
}
