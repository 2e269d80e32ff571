/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of the perf.data format, and encodings that reader and writer share. */
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

static const char *modifiers_of(const char *name)
{
	const char *colon = strrchr(name, ':'), *slash = strrchr(name, '/');

	if (colon && (!slash || colon > slash))
		return colon + 1;
	/* The terms of a PMU event are between two slashes. */
	return slash && slash > strchr(name, '/') ? slash + 1 : "";
}

/* An event that names modes (u, k, h) counts only in those modes. */
uint64_t perf_event_modifiers(const char *name)
{
	const uint64_t modes = 1ull << PERF_BIT_NO_USER | 1ull << PERF_BIT_NO_KERNEL |
			       1ull << PERF_BIT_NO_HV;
	const uint64_t hosts = 1ull << PERF_BIT_NO_HOST | 1ull << PERF_BIT_NO_GUEST;
	const char *at = modifiers_of(name);
	uint64_t counted = 0, flags = 0, precise = 0;

	for (; *at; at++) {
		switch (*at) {
		case 'u':
			counted |= 1ull << PERF_BIT_NO_USER;
			break;
		case 'k':
			counted |= 1ull << PERF_BIT_NO_KERNEL;
			break;
		case 'h':
			counted |= 1ull << PERF_BIT_NO_HV;
			break;
		case 'H':
			counted |= 1ull << PERF_BIT_NO_HOST;
			break;
		case 'G':
			counted |= 1ull << PERF_BIT_NO_GUEST;
			break;
		case 'p':
			precise++;
			break;
		case 'P':
			precise = 3;
			break;
		case 'D':
			flags |= 1ull << PERF_BIT_PINNED;
			break;
		case 'e':
			flags |= 1ull << PERF_BIT_EXCLUSIVE;
			break;
		case 'I':
			flags |= 1ull << PERF_BIT_NO_IDLE;
			break;
		case 'S':
		case 'W':
		case 'b':
			break; /* affects how the event is read, not what it counts */
		default:
			return 0; /* not modifiers: a tracepoint, or another name with colons */
		}
	}
	if (counted & modes)
		flags |= modes & ~counted;
	if (counted & hosts)
		flags |= hosts & ~counted;
	return precise > 3 ? 0 : flags | precise << PERF_BIT_PRECISE;
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
		.size = (uint16_t)size, /* the entry also holds the id's length */
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
