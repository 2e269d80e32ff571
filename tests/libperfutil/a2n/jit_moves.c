/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Creates a function, announces it in a jitdump, calls it, moves it, announces that, calls it at
 * its new place; then puts another function at the old place. Writes to the folder $JITDUMPDIR, and
 * prints the results of the three calls.
 */
#include <jitdump.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

typedef int (*function)(void);

/* return 5; return 7 */
#if defined(__x86_64__)
static const unsigned char five[] = { 0xb8, 5, 0, 0, 0, 0x90, 0xc3 };
static const unsigned char seven[] = { 0xb8, 7, 0, 0, 0, 0xc3 };
#elif defined(__aarch64__)
static const unsigned int five[] = { 0x528000a0, 0xd503201f, 0xd65f03c0 };
static const unsigned int seven[] = { 0x528000e0, 0xd65f03c0 };
#elif defined(__powerpc64__)
static const unsigned int five[] = { 0x38600005, 0x60000000, 0x4e800020 };
static const unsigned int seven[] = { 0x38600007, 0x4e800020 };
#elif defined(__s390x__)
static const unsigned char five[] = { 0xa7, 0x29, 0, 5, 0x07, 0, 0x07, 0xfe };
static const unsigned char seven[] = { 0xa7, 0x29, 0, 7, 0x07, 0xfe };
#endif

static int run(void *code, size_t size)
{
	__builtin___clear_cache((char *)code, (char *)code + size);
	return ((function)code)();
}

int main(void)
{
	char *area = mmap(NULL, 65536, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *first = area + 256, *later = area + 8192;
	struct jitdump_writer *w;
	uint64_t index, other;
	int a, b, c;

	if (area == MAP_FAILED || jitdump_create(&w, NULL))
		return 1;
	memcpy(first, five, sizeof(five));
	if (jitdump_load(w, "mover", (uintptr_t)first, sizeof(five), first, NULL, 0, &index))
		return 1;
	a = run(first, sizeof(five));
	memcpy(later, five, sizeof(five));
	if (jitdump_move(w, index, (uintptr_t)first, (uintptr_t)later, sizeof(five)))
		return 1;
	b = run(later, sizeof(five));
	memcpy(first, seven, sizeof(seven));
	if (jitdump_load(w, "settler", (uintptr_t)first, sizeof(seven), first, NULL, 0, &other))
		return 1;
	c = run(first, sizeof(seven));
	printf("%d %d %d\n", a, b, c);
	return jitdump_end(w) != 0;
}
