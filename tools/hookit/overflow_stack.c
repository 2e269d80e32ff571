/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "overflow_stack.h"

#include <signal.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#define ROOM ((size_t)1 << 16) /* besides the registers that the kernel stores there */

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

/* Two sets of registers: a handler may be interrupted by another one. */
static size_t stack_size(void)
{
	return ROOM + 2 * (size_t)getauxval(AT_MINSIGSTKSZ);
}

void *overflow_stack_give(void)
{
	stack_t own, ours = { .ss_size = stack_size() };

	if (sigaltstack(NULL, &own) || !(own.ss_flags & SS_DISABLE))
		return NULL;
	ours.ss_sp = mmap(NULL, ours.ss_size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (ours.ss_sp == MAP_FAILED)
		return NULL;
	if (!sigaltstack(&ours, NULL))
		return ours.ss_sp;
	munmap(ours.ss_sp, ours.ss_size);
	return NULL;
}

/* A thread that ends within a handler still uses it. */
void overflow_stack_take(void *stack)
{
	stack_t none = { .ss_flags = SS_DISABLE }, is;

	if (!stack || sigaltstack(NULL, &is) || is.ss_flags & SS_ONSTACK)
		return;
	if (is.ss_sp != stack || !sigaltstack(&none, NULL))
		munmap(stack, stack_size());
}
