/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * AboveIdle: each CPU's time since AiInit: idle, busy, interrupts, with the numbers of dispatches
 * and interrupts. The pitrace module measures this exactly; without it /proc has the kernel's own
 * accounting: AiGetInfo says what that cannot report. Functions return 0 (or a value as described)
 * or a negative enum pi_rc, with a message in TraceLastError.
 */
#ifndef PITRACE_AI_H
#define PITRACE_AI_H

#include <stddef.h>
#include "perfutil.h"
#include "pitrace_attributes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Before AiInit: "driver" or "proc"; NULL (the default): the first that can serve. */
int AiSetCollector(const char *name);
int AiInit(void) PITRACE_USE_RESULT;
int AiTerminate(void);

#define AI_UNKNOWN UINT64_MAX

struct ai_counters {
	uint32_t cpu;
	uint32_t online;                /* 0: offline, the following values do not change */
	uint64_t current;               /* ns since AiInit, while online; always the sum of */
	uint64_t idle, busy, interrupt; /* these, none of which ever decreases */
	uint64_t steal;                 /* ns stolen by the hypervisor; included in these */
	uint64_t dispatches;            /* to threads and to idle; or AI_UNKNOWN */
	uint64_t interrupts;            /* of devices and of the machine, and softirqs */
};
/* One entry per CPU. Returns their number, of which at most `room` were filled in. */
int AiGetCounters(struct ai_counters *list, int room) PITRACE_WRITES(1, 2) PITRACE_USE_RESULT;

struct ai_info {
	uint32_t size, version; /* set by AiGetInfo: sizeof, 1 */
	uint32_t exact;         /* 1: all time is accounted exactly; 0: see note */
	uint32_t dispatches;    /* 1: dispatches are known */
	char collector[16];     /* "driver", "proc" */
	char note[400];         /* what it cannot report, and why; or "" */
};
int AiGetInfo(struct ai_info *info) PITRACE_WRITES(1);

/* The same for a struct of this size: see libperfutil(3). Programs use the plain names. */
int AiGetCounters_sized(struct ai_counters *list, int room, size_t size)
	PITRACE_WRITES(1, 2) PITRACE_USE_RESULT;
int AiGetInfo_sized(struct ai_info *info, size_t size) PITRACE_WRITES(1);
#ifndef PITRACE_OWN_SOURCE
#define AiGetCounters(...) AiGetCounters_sized(__VA_ARGS__, sizeof(struct ai_counters))
#define AiGetInfo(...)     AiGetInfo_sized(__VA_ARGS__, sizeof(struct ai_info))
#endif

#ifdef __cplusplus
}
#endif
#endif
