/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of perf.data, and parts whose encoding occurs in several places. */
#include "format/perf_data.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const hardware[] = {
	"cycles",
	"instructions",
	"cache-references",
	"cache-misses",
	"branches",
	"branch-misses",
	"bus-cycles",
	"stalled-cycles-frontend",
	"stalled-cycles-backend",
	"ref-cycles",
};
static const char *const software[] = {
	"cpu-clock",        "task-clock",   "page-faults",  "context-switches",
	"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
	"emulation-faults", "dummy",        "bpf-output",   "cgroup-switches",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const char *perf_generic_name(uint32_t type, uint64_t config)
{
	if (type == PERF_TYPE_HARDWARE && config < COUNT(hardware))
		return hardware[config];
	return type == PERF_TYPE_SOFTWARE && config < COUNT(software) ? software[config] : NULL;
}

bool perf_event_named(const char *name, uint32_t *type, __u64 *config)
{
	size_t n = strcspn(name, ":"), i;

	for (i = 0; i < COUNT(hardware); i++) {
		if (strlen(hardware[i]) == n && !memcmp(name, hardware[i], n)) {
			*type = PERF_TYPE_HARDWARE;
			*config = i;
			return true;
		}
	}
	for (i = 0; i < COUNT(software); i++) {
		if (strlen(software[i]) == n && !memcmp(name, software[i], n)) {
			*type = PERF_TYPE_SOFTWARE;
			*config = i;
			return true;
		}
	}
	return false;
}

const uint8_t perf_branch_width[PERF_BRANCH_FIELDS] = { 1, 1, 1, 1, 16, 4, 2, 4, 3 };

uint64_t perf_branch_flags(uint64_t flags)
{
	unsigned int low = 0;
	uint64_t v = 0;

	if (__BYTE_ORDER__ != __ORDER_BIG_ENDIAN__)
		return flags;
	for (size_t i = 0; i < sizeof(perf_branch_width); i++) {
		v |= (flags >> low & ((1ull << perf_branch_width[i]) - 1))
		     << (64 - low - perf_branch_width[i]);
		low += perf_branch_width[i];
	}
	return v;
}

size_t perf_build_id_entry(void *room, uint16_t misc, int32_t pid, const uint8_t *id, size_t length,
			   const char *path)
{
	size_t n = strlen(path) + 1, size = PERF_BUILD_ID_ENTRY(n);
	const struct perf_event_header header = {
		.misc = misc | 0x8000,
		.size = (uint16_t)size, /* … which has the id's length */
	};
	uint8_t *to = room;

	if (size > UINT16_MAX || length > 20)
		return 0;
	memset(to, 0, size);
	memcpy(to, &header, sizeof(header));
	memcpy(to + 8, &pid, sizeof(pid));
	memcpy(to + 12, id, length);
	to[32] = (uint8_t)length;
	memcpy(to + 36, path, n);
	return size;
}

uint64_t perf_kernel_address(const char *text, size_t size, const char *symbol)
{
	char line[64];
	int n = snprintf(line, sizeof(line), " %s\n", symbol);
	const char *at = memmem(text, size, line, (size_t)n);

	while (at && at > text && at[-1] != '\n')
		at--;
	return at ? strtoull(at, NULL, 16) : 0;
}
