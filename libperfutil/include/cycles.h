/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The machine's free-running counter, which PTT calls cycles: x86 TSC, arm64 CNTVCT, powerpc
 * timebase, s390x TOD clock (in quarters of a 4096th of a microsecond). Its rate does not depend on
 * the CPU's own clock, on machines that guarantee this (all but old x86).
 */
#ifndef PITRACE_CYCLES_H
#define PITRACE_CYCLES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads the counter; the CPU may reorder this with neighbouring instructions. */
static inline uint64_t GetCycles(void)
{
#if defined(__x86_64__) || defined(__i386__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t now;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
	return now;
#elif defined(__powerpc64__)
	return __builtin_ppc_get_timebase();
#elif defined(__s390x__)
	uint64_t now;

	__asm__ volatile("stckf %0" : "=Q"(now) : : "cc");
	return now >> 2;
#else
#error "the counter of this architecture"
#endif
}

/* Reads the counter after all preceding instructions: of two reads the second is never less. */
static inline uint64_t ReadCycles(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__asm__ volatile("lfence" : : : "memory");
#elif defined(__aarch64__)
	__asm__ volatile("isb" : : : "memory");
#elif defined(__powerpc64__)
	__asm__ volatile("isync" : : : "memory");
#else
	__asm__ volatile("" : : : "memory");
#endif
	return GetCycles();
}

/* Cycles per second; 0: unknown. Determined once. */
double CyclesPerSecond(void);
/* Converts a difference of two reads. */
double CyclesToSeconds(uint64_t cycles);
double CyclesToMilliseconds(uint64_t cycles);
double CyclesToMicroseconds(uint64_t cycles);

#ifdef __cplusplus
}
#endif
#endif
