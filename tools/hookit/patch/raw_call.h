/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System calls made by hooks: without the C library, which may be the patched object, and without
 * changing the program's errno. They return the kernel's result.
 */
#ifndef PATCH_RAW_CALL_H
#define PATCH_RAW_CALL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

static inline long raw_call(long number, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long rc;

	__asm__ volatile("syscall"
			 : "=a"(rc)
			 : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return rc;
#else
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
#endif
}

static inline long raw_mmap(uintptr_t at, size_t size, int protection, int flags)
{
	return raw_call(SYS_mmap, (long)at, (long)size, protection, flags, -1, 0);
}

static inline long raw_munmap(uintptr_t at, size_t size)
{
	return raw_call(SYS_munmap, (long)at, (long)size, 0, 0, 0, 0);
}

static inline long raw_pwrite(int fd, const void *from, size_t size, uint64_t offset)
{
	return raw_call(SYS_pwrite64, fd, (long)from, (long)size, (long)offset, 0, 0);
}

static inline void raw_yield(void)
{
	raw_call(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}

#endif
