/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Native methods of Cycles. */
#include "pitrace_jperf_Cycles.h"
#include "cycles.h"
#include "jperf_entry.h"

JPERF_ENTRY(Cycles, jlong, GetCycles)
{
	return (jlong)GetCycles();
}

JPERF_ENTRY(Cycles, jlong, ReadCycles)
{
	return (jlong)ReadCycles();
}

JPERF_ENTRY(Cycles, jdouble, CyclesPerSecond)
{
	return CyclesPerSecond();
}

JPERF_ENTRY(Cycles, jdouble, CyclesToSeconds, jlong cycles)
{
	return CyclesToSeconds((uint64_t)cycles);
}

JPERF_ENTRY(Cycles, jdouble, CyclesToMilliseconds, jlong cycles)
{
	return CyclesToMilliseconds((uint64_t)cycles);
}

JPERF_ENTRY(Cycles, jdouble, CyclesToMicroseconds, jlong cycles)
{
	return CyclesToMicroseconds((uint64_t)cycles);
}
