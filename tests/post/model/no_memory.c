/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loaded into post (LD_PRELOAD) it lets one of its requests for memory fail: NO_MEMORY=N, the N-th
 * place that asks, the first time that it does. A place is where post's own code calls malloc or
 * one of its kin, and from where that was called, three calls up. Libraries have what they ask
 * for. NO_MEMORY=0 lets none fail and tells them all, a line each.
 */
#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLACES 8192 /* a power of two */
#define CALLS  3
#define STACK  (1 << 20)

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t align, size_t size);

static uintptr_t from, to; /* the program's code */
static uint64_t places[PLACES];
static unsigned int seen, fails;
static bool counts, tells;

static int program(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X) {
			from = info->dlpi_addr + p->p_vaddr;
			to = from + p->p_memsz;
		}
	}
	return 1; /* the first is the program */
}

__attribute__((constructor)) static void begin(void)
{
	const char *n = getenv("NO_MEMORY");

	dl_iterate_phdr(program, NULL);
	fails = n ? (unsigned int)atoi(n) : 0;
	counts = n != NULL;
	tells = counts && !fails;
}

/* By frame pointers, which all of post's code keeps. */
static bool refused(uintptr_t caller, const uintptr_t *frame)
{
	uint64_t place = 0;
	uint32_t at;

	if (!counts || caller < from || caller >= to)
		return false;
	for (int i = 0; i < CALLS; i++) {
		const uintptr_t *next = (const uintptr_t *)frame[0];

		place = (place ^ (frame[1] - from)) * 0x9e3779b97f4a7c15u;
		if (next <= frame || next > frame + STACK || frame[1] < from || frame[1] >= to)
			break;
		frame = next;
	}
	for (at = (uint32_t)(place >> 40) % PLACES; places[at]; at = (at + 1) % PLACES)
		if (places[at] == place)
			return false;
	if (seen < PLACES / 2)
		places[at] = place;
	if (tells) {
		char line[32];
		int n = snprintf(line, sizeof(line), "place %016" PRIx64 "\n", place);

		n = (int)write(STDERR_FILENO, line, (size_t)n);
	}
	if (++seen == fails)
		errno = ENOMEM;
	return seen == fails;
}
#define REFUSED() refused((uintptr_t)__builtin_return_address(0), __builtin_frame_address(0))

void *malloc(size_t size)
{
	return REFUSED() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return REFUSED() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	return REFUSED() ? NULL : __libc_realloc(p, size);
}

void *reallocarray(void *p, size_t n, size_t size)
{
	size_t all;

	return REFUSED() || __builtin_mul_overflow(n, size, &all) ? NULL : __libc_realloc(p, all);
}

void *aligned_alloc(size_t align, size_t size)
{
	return REFUSED() ? NULL : __libc_memalign(align, size);
}

static char *copy_of(const char *text, size_t n)
{
	char *copy = __libc_malloc(n + 1);

	if (!copy)
		return NULL;
	copy[n] = '\0';
	return memcpy(copy, text, n);
}

char *strdup(const char *text)
{
	return REFUSED() ? NULL : copy_of(text, strlen(text));
}

char *strndup(const char *text, size_t most)
{
	return REFUSED() ? NULL : copy_of(text, strnlen(text, most));
}
