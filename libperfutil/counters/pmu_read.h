/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads a hardware counter from user code where the kernel allows it (PITRACE_HOW_COUNTER);
 * elsewhere the instruction is illegal. Counters are numbered from 1 on, as in perf's pages. arm64:
 * event counters 1 - 31, the cycle counter 32; powerpc: PMC1 - PMC6; x86: rdpmc numbers, which only
 * perf enables.
 */
#ifndef PITRACE_PMU_READ_H
#define PITRACE_PMU_READ_H

#include <stdint.h>

/* Reads counters that the module enables for user code. PMU_USUAL, which perf uses only for
 * instructions, is tried first; PMU_WIDTH: bits of a counter unless set otherwise. */
#if defined(__aarch64__)
#define PMU_READS 1
#define PMU_WIDTH 32
#define PMU_USUAL 1
#define PMU_CASE(n)                                                         \
	case (n) + 1:                                                       \
		__asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(now)); \
		break;
#elif defined(__powerpc64__)
#define PMU_READS 1
#define PMU_WIDTH 31
#define PMU_USUAL 5
#define PMU_CASE(n)                                                  \
	case (n):                                                    \
		__asm__ volatile("mfspr %0, 770 + " #n : "=r"(now)); \
		break;
#elif defined(__x86_64__)
#define PMU_READS 1
#else
#define PMU_READS 0
#endif

#ifdef PMU_USUAL
static __attribute__((noinline)) uint64_t pmu_read_any(uint32_t index)
{
	uint64_t now = 0;

	switch (index) {
#if defined(__aarch64__)
		PMU_CASE(0)
		PMU_CASE(1)
		PMU_CASE(2)
		PMU_CASE(3)
		PMU_CASE(4)
		PMU_CASE(5)
		PMU_CASE(6)
		PMU_CASE(7)
		PMU_CASE(8)
		PMU_CASE(9)
		PMU_CASE(10)
		PMU_CASE(11)
		PMU_CASE(12)
		PMU_CASE(13)
		PMU_CASE(14)
		PMU_CASE(15)
		PMU_CASE(16)
		PMU_CASE(17)
		PMU_CASE(18)
		PMU_CASE(19)
		PMU_CASE(20)
		PMU_CASE(21)
		PMU_CASE(22)
		PMU_CASE(23)
		PMU_CASE(24)
		PMU_CASE(25)
		PMU_CASE(26)
		PMU_CASE(27)
		PMU_CASE(28)
		PMU_CASE(29)
		PMU_CASE(30)
	case 32:
		__asm__ volatile("mrs %0, pmccntr_el0" : "=r"(now));
		break;
#else
		PMU_CASE(1)
		PMU_CASE(2)
		PMU_CASE(3)
		PMU_CASE(4)
		PMU_CASE(5)
		PMU_CASE(6)
#endif
	}
	return now;
}
#undef PMU_CASE
#endif

#if PMU_READS
/* Ordered after the preceding instructions. */
static inline __attribute__((always_inline)) uint64_t pmu_read(uint32_t index)
{
	uint64_t now;

#if defined(__x86_64__)
	__asm__ volatile("lfence" : : : "memory");
	now = __builtin_ia32_rdpmc((int)index - 1);
#elif defined(__aarch64__)
	__asm__ volatile("isb" : : : "memory");
	if (__builtin_expect(index != PMU_USUAL, 0))
		return pmu_read_any(index);
	__asm__ volatile("mrs %0, pmevcntr0_el0" : "=r"(now));
#else
	__asm__ volatile("isync" : : : "memory");
	if (__builtin_expect(index != PMU_USUAL, 0))
		return pmu_read_any(index);
	__asm__ volatile("mfspr %0, 775" : "=r"(now));
#endif
	return now;
}

/* Returns the increase of a counter with `width` (1 - 64) significant bits. */
static inline __attribute__((always_inline)) uint64_t pmu_since(uint32_t index, uint64_t last,
								uint32_t width)
{
	return (pmu_read(index) - last) << (64 - width) >> (64 - width);
}
#endif

#endif
