/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts about the perf.data format that reader and writer share. */
#ifndef POST_PERF_DATA_H
#define POST_PERF_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/types.h>

/* Records that perf itself writes. */
enum perf_user_type {
	PERF_USER_FIRST = 64,
	PERF_HEADER_ATTR = 64,
	PERF_HEADER_EVENT_TYPE,
	PERF_HEADER_TRACING_DATA,
	PERF_HEADER_BUILD_ID,
	PERF_FINISHED_ROUND,
	PERF_ID_INDEX,
	PERF_AUXTRACE_INFO,
	PERF_AUXTRACE,
	PERF_AUXTRACE_ERROR,
	PERF_THREAD_MAP,
	PERF_CPU_MAP,
	PERF_STAT_CONFIG,
	PERF_STAT,
	PERF_STAT_ROUND,
	PERF_EVENT_UPDATE,
	PERF_TIME_CONV,
	PERF_HEADER_FEATURE,
	PERF_COMPRESSED,
	PERF_FINISHED_INIT,
	PERF_COMPRESSED2,
	PERF_BPF_METADATA,
	PERF_SCHEDSTAT_CPU,
	PERF_SCHEDSTAT_DOMAIN,
};

/* HEADER_*: the optional sections of a file. */
enum perf_feature {
	PERF_TRACING_DATA = 1,
	PERF_BUILD_ID,
	PERF_HOSTNAME,
	PERF_OSRELEASE,
	PERF_VERSION,
	PERF_ARCH,
	PERF_NRCPUS,
	PERF_CPUDESC,
	PERF_CPUID,
	PERF_TOTAL_MEM,
	PERF_CMDLINE,
	PERF_EVENT_DESC,
	PERF_CPU_TOPOLOGY,
	PERF_NUMA_TOPOLOGY,
	PERF_BRANCH_STACK,
	PERF_PMU_MAPPINGS,
	PERF_GROUP_DESC,
	PERF_AUXTRACE_INDEX,
	PERF_STAT_MARK,
	PERF_CACHE,
	PERF_SAMPLE_TIMES,
	PERF_MEM_TOPOLOGY,
	PERF_CLOCKID,
	PERF_DIR_FORMAT,
	PERF_BPF_PROG,
	PERF_BPF_BTF,
	PERF_COMPRESSION,
	PERF_CPU_PMU_CAPS,
	PERF_CLOCK_DATA,
	PERF_HYBRID_TOPOLOGY,
	PERF_PMU_CAPS,
	PERF_CPU_DOMAIN,
	PERF_E_MACHINE,
	PERF_CLN_SIZE,
};

/* Returns the size of one build id entry for a path. perf_build_id_entry() writes the entry into a
 * buffer of at least that size. */
#define PERF_BUILD_ID_ENTRY(path_size) (8 + 4 + 24 + (((path_size) + 63) & ~(size_t)63))
size_t perf_build_id_entry(void *room, uint16_t misc, int32_t pid, const uint8_t *id, size_t length,
			   const char *path);

/* The bit widths of a branch's flags: starting at the lowest bit on little-endian machines, at the
 * highest bit on others. */
#define PERF_BRANCH_FIELDS 9
extern const uint8_t perf_branch_width[PERF_BRANCH_FIELDS];
/* Converts a branch's flags (detail.h) to this machine's layout. */
uint64_t perf_branch_flags(uint64_t flags);

/* Flags of a perf_event_attr that restrict what an event counts: their bit numbers. */
enum perf_attr_bit {
	PERF_BIT_PINNED = 2,
	PERF_BIT_EXCLUSIVE,
	PERF_BIT_NO_USER,
	PERF_BIT_NO_KERNEL,
	PERF_BIT_NO_HV,
	PERF_BIT_NO_IDLE,
	PERF_BIT_PRECISE = 15, /* two bits */
	PERF_BIT_NO_HOST = 19,
	PERF_BIT_NO_GUEST,
};

/* Convert between a generic event and perf's name for it. NULL or false: unknown. */
const char *perf_generic_name(uint32_t type, uint64_t config);
bool perf_event_named(const char *name, uint32_t *type, __u64 *config);
/* Returns the attr flags that the modifiers in an event's name select; 0: no modifiers. */
uint64_t perf_event_modifiers(const char *name);

/* The address of a symbol in a kallsyms text; 0: missing. */
uint64_t perf_kernel_address(const char *text, size_t size, const char *symbol);

#endif
