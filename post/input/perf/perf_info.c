/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Describes a perf.data file in the words of `perf report --header-only -I`. */
#include "input/perf/perf_info.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memstream.h"
#include "input/perf/perf_attr.h"
#include "input/perf/perf_bytes.h"

const char *perf_type_name(unsigned int type)
{
	static const char *const names[] = {
		[PERF_RECORD_MMAP] = "MMAP",
		[PERF_RECORD_LOST] = "LOST",
		[PERF_RECORD_COMM] = "COMM",
		[PERF_RECORD_EXIT] = "EXIT",
		[PERF_RECORD_THROTTLE] = "THROTTLE",
		[PERF_RECORD_UNTHROTTLE] = "UNTHROTTLE",
		[PERF_RECORD_FORK] = "FORK",
		[PERF_RECORD_READ] = "READ",
		[PERF_RECORD_SAMPLE] = "SAMPLE",
		[PERF_RECORD_MMAP2] = "MMAP2",
		[PERF_RECORD_AUX] = "AUX",
		[PERF_RECORD_ITRACE_START] = "ITRACE_START",
		[PERF_RECORD_LOST_SAMPLES] = "LOST_SAMPLES",
		[PERF_RECORD_SWITCH] = "SWITCH",
		[PERF_RECORD_SWITCH_CPU_WIDE] = "SWITCH_CPU_WIDE",
		[PERF_RECORD_NAMESPACES] = "NAMESPACES",
		[PERF_RECORD_KSYMBOL] = "KSYMBOL",
		[PERF_RECORD_BPF_EVENT] = "BPF_EVENT",
		[PERF_RECORD_CGROUP] = "CGROUP",
		[PERF_RECORD_TEXT_POKE] = "TEXT_POKE",
		[21] = "AUX_OUTPUT_HW_ID",
		[PERF_CALLCHAIN_DEFERRED] = "CALLCHAIN_DEFERRED",
		[PERF_HEADER_ATTR] = "ATTR",
		[PERF_HEADER_EVENT_TYPE] = "EVENT_TYPE",
		[PERF_HEADER_TRACING_DATA] = "TRACING_DATA",
		[PERF_HEADER_BUILD_ID] = "BUILD_ID",
		[PERF_FINISHED_ROUND] = "FINISHED_ROUND",
		[PERF_ID_INDEX] = "ID_INDEX",
		[PERF_AUXTRACE_INFO] = "AUXTRACE_INFO",
		[PERF_AUXTRACE] = "AUXTRACE",
		[PERF_AUXTRACE_ERROR] = "AUXTRACE_ERROR",
		[PERF_THREAD_MAP] = "THREAD_MAP",
		[PERF_CPU_MAP] = "CPU_MAP",
		[PERF_STAT_CONFIG] = "STAT_CONFIG",
		[PERF_STAT] = "STAT",
		[PERF_STAT_ROUND] = "STAT_ROUND",
		[PERF_EVENT_UPDATE] = "EVENT_UPDATE",
		[PERF_TIME_CONV] = "TIME_CONV",
		[PERF_HEADER_FEATURE] = "FEATURE",
		[PERF_COMPRESSED] = "COMPRESSED",
		[PERF_FINISHED_INIT] = "FINISHED_INIT",
		[PERF_COMPRESSED2] = "COMPRESSED2",
		[PERF_BPF_METADATA] = "BPF_METADATA",
		[PERF_SCHEDSTAT_CPU] = "SCHEDSTAT_CPU",
		[PERF_SCHEDSTAT_DOMAIN] = "SCHEDSTAT_DOMAIN",
	};

	return type < sizeof(names) / sizeof(names[0]) && names[type] ? names[type] : "";
}

const char *perf_aux_name(unsigned int kind)
{
	static const char *const names[] = {
		NULL,      "Intel PT",    "Intel BTS",     "CoreSight ETM",
		"Arm SPE", "s390 CPU-MF", "HiSilicon PTT", "PowerVM DTL",
	};

	return kind < sizeof(names) / sizeof(names[0]) && names[kind] ? names[kind] :
									"an unknown kind";
}

/* ---- events ---------------------------------------------------------------------------------- */

static void print_bits(FILE *out, uint64_t value, const char *const *names, unsigned int n)
{
	const char *bar = "";

	for (unsigned int i = 0; i < n; i++) {
		if (names[i] && value >> i & 1) {
			fprintf(out, "%s%s", bar, names[i]);
			bar = "|";
		}
	}
}

/* In perf's order, which is almost that of the bits. */
static void print_sample_type(FILE *out, uint64_t type)
{
	static const struct {
		unsigned int bit;
		const char *name;
	} names[] = {
		{ 0, "IP" },
		{ 1, "TID" },
		{ 2, "TIME" },
		{ 3, "ADDR" },
		{ 4, "READ" },
		{ 5, "CALLCHAIN" },
		{ 6, "ID" },
		{ 7, "CPU" },
		{ 8, "PERIOD" },
		{ 9, "STREAM_ID" },
		{ 10, "RAW" },
		{ 11, "BRANCH_STACK" },
		{ 12, "REGS_USER" },
		{ 13, "STACK_USER" },
		{ 16, "IDENTIFIER" },
		{ 18, "REGS_INTR" },
		{ 15, "DATA_SRC" },
		{ 14, "WEIGHT" },
		{ 19, "PHYS_ADDR" },
		{ 20, "AUX" },
		{ 21, "CGROUP" },
		{ 22, "DATA_PAGE_SIZE" },
		{ 23, "CODE_PAGE_SIZE" },
		{ 24, "WEIGHT_STRUCT" },
	};
	const char *bar = "";

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (type >> names[i].bit & 1) {
			fprintf(out, "%s%s", bar, names[i].name);
			bar = "|";
		}
	}
}

static void print_flags(FILE *out, uint64_t flags)
{
	static const char *const names[] = {
		"disabled",
		"inherit",
		"pinned",
		"exclusive",
		"exclude_user",
		"exclude_kernel",
		"exclude_hv",
		"exclude_idle",
		"mmap",
		"comm",
		"freq",
		"inherit_stat",
		"enable_on_exec",
		"task",
		"watermark",
		"precise_ip",
		NULL,
		"mmap_data",
		"sample_id_all",
		"exclude_host",
		"exclude_guest",
		"exclude_callchain_kernel",
		"exclude_callchain_user",
		"mmap2",
		"comm_exec",
		"use_clockid",
		"context_switch",
		"write_backward",
		"namespaces",
		"ksymbol",
		"bpf_event",
		"aux_output",
		"cgroup",
		"text_poke",
		"build_id",
		"inherit_thread",
		"remove_on_exec",
		"sigtrap",
		"defer_callchain",
		"defer_output",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		uint64_t value = flags >> i & (i == 15 ? 3 : 1);

		if (names[i] && value)
			fprintf(out, ", %s = %" PRIu64, names[i], value);
	}
}

static void print_number(FILE *out, const char *name, uint64_t value, bool hex)
{
	if (value)
		fprintf(out, hex ? ", %s = 0x%" PRIx64 : ", %s = %" PRIu64, name, value);
}

static void print_attr(FILE *out, const struct perf_attr *a)
{
	static const char *const formats[] = {
		"TOTAL_TIME_ENABLED", "TOTAL_TIME_RUNNING", "ID", "GROUP", "LOST",
	};
	static const char *const branches[] = {
		"USER",       "KERNEL",     "HV",       "ANY",       "ANY_CALL",
		"ANY_RETURN", "IND_CALL",   "ABORT_TX", "IN_TX",     "NO_TX",
		"COND",       "CALL_STACK", "IND_JUMP", "CALL",      "NO_FLAGS",
		"NO_CYCLES",  "TYPE_SAVE",  "HW_INDEX", "PRIV_SAVE", "COUNTERS",
	};

	print_number(out, "type", a->type, false);
	print_number(out, "size", a->size, false);
	print_number(out, "config", a->config, true);
	print_number(out, "{ sample_period, sample_freq }", a->period, false);
	if (a->shape.sample_type) {
		fputs(", sample_type = ", out);
		print_sample_type(out, a->shape.sample_type);
	}
	if (a->shape.read_format) {
		fputs(", read_format = ", out);
		print_bits(out, a->shape.read_format, formats, 5);
	}
	print_flags(out, a->flags);
	print_number(out, "{ wakeup_events, wakeup_watermark }", a->wakeup, false);
	print_number(out, "bp_type", a->bp_type, false);
	print_number(out, "{ bp_addr, config1 }", a->config1, true);
	print_number(out, "{ bp_len, config2 }", a->config2, true);
	if (a->branch) {
		fputs(", branch_sample_type = ", out);
		print_bits(out, a->branch, branches, 20);
	}
	print_number(out, "sample_regs_user", a->shape.regs_user, true);
	print_number(out, "sample_stack_user", a->stack_user, false);
	if (a->clock)
		fprintf(out, ", clockid = %d", a->clock);
	print_number(out, "sample_regs_intr", a->shape.regs_intr, true);
	print_number(out, "aux_watermark", a->aux_watermark, false);
	print_number(out, "sample_max_stack", a->max_stack, false);
	print_number(out, "aux_sample_size", a->aux_sample, false);
	print_number(out, "sig_data", a->sig_data, false);
	print_number(out, "aux_start_paused", a->aux_action & 1, false);
	print_number(out, "aux_pause", a->aux_action >> 1 & 1, false);
	print_number(out, "aux_resume", a->aux_action >> 2 & 1, false);
}

static void print_event(FILE *out, const char *name, const uint64_t *ids, uint32_t nids,
			const struct perf_attr *a)
{
	fprintf(out, "event : name = %s, ", name);
	if (nids) {
		fputs(", id = {", out);
		for (uint32_t i = 0; i < nids; i++)
			fprintf(out, "%s %" PRIu64, i ? "," : "", ids[i]);
		fputs(" }", out);
	}
	print_attr(out, a);
	putc('\n', out);
}

static void info_events(struct perf *p, struct bytes *b, FILE *out)
{
	uint32_t count = bytes_u32(b), size = bytes_u32(b);

	for (uint32_t i = 0; i < count && !b->bad; i++) {
		const uint8_t *raw = bytes_take(b, size);
		uint32_t n = bytes_u32(b);
		const char *name = perf_text(b);
		struct perf_attr a;
		uint64_t *ids;

		if (!raw || !name || n > bytes_left(b) / 8) {
			b->bad = true;
			return;
		}
		perf_attr_read(p, raw, size, &a);
		ids = calloc(n + 1, sizeof(*ids));
		if (!ids) {
			perf_fault(p, NO_OFFSET, "no memory for the ids of event %s", name);
			return;
		}
		for (uint32_t k = 0; k < n; k++)
			ids[k] = bytes_u64(b);
		print_event(out, name, ids, n, &a);
		free(ids);
	}
}

/* ---- machine --------------------------------------------------------------------------------- */

static void info_texts(struct bytes *b, FILE *out, const char *what)
{
	uint32_t n = bytes_u32(b);

	for (uint32_t i = 0; i < n && !b->bad; i++) {
		const char *text = perf_text(b);

		if (text)
			fprintf(out, "%s : %s\n", what, text);
	}
}

static void info_topology(struct perf *p, struct bytes *b, FILE *out)
{
	uint32_t cpus = p->in->header.ncpus, i;
	struct bytes of_cpus, dies;
	bool has_dies;

	info_texts(b, out, "sibling sockets");
	/* Threads come next in the file, but dies are printed first. */
	of_cpus = *b;
	i = bytes_u32(&of_cpus);
	while (i-- && !of_cpus.bad)
		perf_text(&of_cpus);
	dies = of_cpus;
	bytes_skip(&dies, 8 * (size_t)cpus);
	has_dies = bytes_left(&dies) >= 4;
	if (has_dies)
		info_texts(&dies, out, "sibling dies   ");
	info_texts(b, out, "sibling threads");
	if (bytes_left(&of_cpus) < 8 * (size_t)cpus) {
		fputs("Core ID and Socket ID information is not available\n", out);
		return;
	}
	for (i = 0; i < cpus && !of_cpus.bad; i++) {
		uint32_t core = bytes_u32(&of_cpus), socket = bytes_u32(&of_cpus);

		fprintf(out, "CPU %u: Core ID %d, ", i, (int)core);
		if (has_dies)
			fprintf(out, "Die ID %d, ", (int)bytes_u32(&dies));
		fprintf(out, "Socket ID %d\n", (int)socket);
	}
	b->bad |= dies.bad;
}

static void info_numa(struct bytes *b, FILE *out)
{
	uint32_t n = bytes_u32(b);

	for (uint32_t i = 0; i < n && !b->bad; i++) {
		uint32_t node = bytes_u32(b);
		uint64_t total = bytes_u64(b), unused = bytes_u64(b);
		const char *cpus = perf_text(b);

		if (!cpus)
			return;
		fprintf(out, "node%u meminfo  : total = %" PRIu64 " kB, free = %" PRIu64 " kB\n",
			node, total, unused);
		fprintf(out, "node%u cpu list : %s\n", node, cpus);
	}
}

static void info_pmus(struct bytes *b, FILE *out)
{
	uint32_t n = bytes_u32(b);

	fputs("pmu mappings", out);
	for (uint32_t i = 0; i < n && !b->bad; i++) {
		uint32_t type = bytes_u32(b);
		const char *name = perf_text(b);

		if (name)
			fprintf(out, "%s%s = %u", i ? ", " : ": ", name, type);
	}
	fputs(n ? "\n" : ": not available\n", out);
}

/* Members follow their leader in the list of events. */
static void info_groups(struct perf *p, struct bytes *b, FILE *out)
{
	uint32_t n = bytes_u32(b);

	for (uint32_t i = 0; i < n && !b->bad; i++) {
		const char *name = perf_text(b);
		uint32_t leader = bytes_u32(b), members = bytes_u32(b);

		if (!name || leader >= p->nattrs || members > p->nattrs - leader)
			continue;
		fprintf(out, "group: %s{", strcmp(name, "{anon_group}") ? name : "");
		for (uint32_t k = 0; k < members; k++)
			fprintf(out, "%s%s", k ? "," : "", p->attr[leader + k].name);
		fputs("}\n", out);
	}
}

static void info_caches(struct bytes *b, FILE *out)
{
	uint32_t version = bytes_u32(b), n = bytes_u32(b);

	if (version != 1)
		return;
	fputs("CPU cache info:\n", out);
	for (uint32_t i = 0; i < n && !b->bad; i++) {
		uint32_t level = bytes_u32(b);
		const char *type, *size, *map;

		bytes_skip(b, 12);
		type = perf_text(b);
		size = perf_text(b);
		map = perf_text(b);
		if (map)
			fprintf(out, " L%u %-15s %8s [%s]\n", level, type, size, map);
	}
}

static void print_size(FILE *out, uint64_t n)
{
	int unit = 0;

	for (; n / 1024 > 1 && unit < 3; unit++)
		n /= 1024;
	fprintf(out, "[%" PRIu64 "%c]: ", n, "BKMG"[unit]);
}

static bool bit_of(const struct perf *p, const uint8_t *words, uint64_t i)
{
	return perf_u64(p, words + i / 64 * 8) >> i % 64 & 1;
}

static void info_memory(struct perf *p, struct bytes *b, FILE *out)
{
	uint64_t version = bytes_u64(b), block = bytes_u64(b), n = bytes_u64(b), i, k;

	if (version != 1 || b->bad)
		return;
	fprintf(out, "memory nodes (nr %" PRIu64 ", block size 0x%" PRIx64 "):\n", n, block);
	for (i = 0; i < n && !b->bad; i++) {
		uint64_t node = bytes_u64(b), size = bytes_u64(b), bits = bytes_u64(b), weight = 0;
		const uint8_t *words = bits > 8 * bytes_left(b) ?
					       NULL :
					       bytes_take(b, (bits + 63) / 64 * 8);
		const char *comma = "";

		(void)size;
		if (!words)
			return;
		for (k = 0; k < bits; k++)
			weight += bit_of(p, words, k);
		fprintf(out, " %3" PRIu64 " ", node);
		print_size(out, block * weight);
		for (k = 0; k < bits; k++) {
			uint64_t from = k;

			if (!bit_of(p, words, k))
				continue;
			while (k + 1 < bits && bit_of(p, words, k + 1))
				k++;
			fprintf(out, "%s%" PRIu64, comma, from);
			if (k > from)
				fprintf(out, "-%" PRIu64, k);
			comma = ",";
		}
		putc('\n', out);
	}
}

static void info_times(struct bytes *b, FILE *out)
{
	uint64_t first = bytes_u64(b), last = bytes_u64(b), us;

	us = first / 1000;
	fprintf(out, "time of first sample : %" PRIu64 ".%06" PRIu64 "\n", us / 1000000,
		us % 1000000);
	us = last / 1000;
	fprintf(out, "time of last sample : %" PRIu64 ".%06" PRIu64 "\n", us / 1000000,
		us % 1000000);
	fprintf(out, "sample duration : %10.3f ms\n", (double)(last - first) / 1e6);
}

static const char *clock_name(uint32_t clock)
{
	static const char *const names[] = {
		[CLOCK_REALTIME] = "realtime",
		[CLOCK_MONOTONIC] = "monotonic",
		[CLOCK_PROCESS_CPUTIME_ID] = "cputime",
		[CLOCK_THREAD_CPUTIME_ID] = "thread",
		[CLOCK_MONOTONIC_RAW] = "monotonic_raw",
		[CLOCK_BOOTTIME] = "boottime",
		[CLOCK_TAI] = "tai",
	};

	return clock < sizeof(names) / sizeof(names[0]) && names[clock] ? names[clock] : "unknown";
}

static void info_clock(struct bytes *b, FILE *out)
{
	uint32_t version = bytes_u32(b), clock = bytes_u32(b);
	uint64_t wall = bytes_u64(b), time = bytes_u64(b);
	time_t seconds = (time_t)(wall / 1000000000);
	char day[64] = "";
	struct tm tm;

	if (version != 1 || b->bad)
		return;
	if (localtime_r(&seconds, &tm))
		strftime(day, sizeof(day), "%F %T", &tm);
	fprintf(out, "clockid: %s (%u)\n", clock_name(clock), clock);
	fprintf(out, "reference time: %s.%06u = %" PRIu64 ".%06u (TOD) = %" PRIu64 ".%09u (%s)\n",
		day, (unsigned int)(wall % 1000000000 / 1000), wall / 1000000000,
		(unsigned int)(wall % 1000000000 / 1000), time / 1000000000,
		(unsigned int)(time % 1000000000), clock_name(clock));
}

static void info_capabilities(struct bytes *b, FILE *out, bool named)
{
	uint32_t pmus = named ? bytes_u32(b) : 1, i, k;

	for (i = 0; i < pmus && !b->bad; i++) {
		uint32_t n = bytes_u32(b);
		struct bytes at = *b;
		const char *pmu = "cpu";

		for (k = 0; k < 2 * (uint64_t)n && !b->bad; k++)
			perf_text(b);
		if (named)
			pmu = perf_text(b);
		if (b->bad || !pmu)
			return;
		fprintf(out, "%s pmu capabilities: %s", pmu, n ? "" : "not available");
		for (k = 0; k < n; k++) {
			const char *name = perf_text(&at), *value = perf_text(&at);

			fprintf(out, "%s%s=%s", k ? ", " : "", name, value);
		}
		putc('\n', out);
	}
}

static void info_hybrid(struct bytes *b, FILE *out)
{
	uint32_t n = bytes_u32(b);

	fputs("hybrid cpu system:\n", out);
	for (uint32_t i = 0; i < n && !b->bad; i++) {
		const char *pmu = perf_text(b), *cpus = perf_text(b);

		if (cpus)
			fprintf(out, "%s cpu list : %s\n", pmu, cpus);
	}
}

static void info_command(struct bytes *b, FILE *out)
{
	uint32_t n = bytes_u32(b);

	fputs("cmdline : ", out);
	for (uint32_t i = 0; i < n && !b->bad; i++) {
		const char *word = perf_text(b);

		for (; word && *word; word++)
			fprintf(out, *word == '\'' ? "\\%c" : "%c", *word);
		putc(' ', out);
	}
	putc('\n', out);
}

static void info_btf(struct bytes *b, FILE *out)
{
	uint32_t n = bytes_u32(b);

	for (uint32_t i = 0; i < n && !b->bad; i++) {
		uint32_t id = bytes_u32(b), size = bytes_u32(b);

		if (bytes_skip(b, size))
			fprintf(out, "btf info of id %u\n", id);
	}
}

/* ---- features -------------------------------------------------------------------------------- */

static void info_text(struct bytes *b, FILE *out, const char *what)
{
	const char *text = perf_text(b);

	if (text)
		fprintf(out, "%s : %s\n", what, text);
}

static void info_compression(struct bytes *b, FILE *out)
{
	uint32_t type, level, ratio;

	bytes_skip(b, 4);
	type = bytes_u32(b);
	level = bytes_u32(b);
	ratio = bytes_u32(b);
	fprintf(out, "compressed : %s, level = %u, ratio = %u\n", type == 1 ? "Zstd" : "Unknown",
		level, ratio);
}

static void info_feature(struct perf *p, unsigned int i, struct bytes *b, FILE *out)
{
	uint32_t a, c;

	switch (i) {
	case PERF_TRACING_DATA:
		fprintf(out, "contains tracing data: %zu bytes\n", b->size);
		break;
	case PERF_BUILD_ID:
		break; /* printed after all others */
	case PERF_HOSTNAME:
		info_text(b, out, "hostname");
		break;
	case PERF_OSRELEASE:
		info_text(b, out, "os release");
		break;
	case PERF_VERSION:
		info_text(b, out, "perf version");
		break;
	case PERF_ARCH:
		info_text(b, out, "arch");
		break;
	case PERF_NRCPUS:
		a = bytes_u32(b);
		c = bytes_u32(b);
		fprintf(out, "nrcpus online : %u\nnrcpus avail : %u\n", c, a);
		break;
	case PERF_CPUDESC:
		info_text(b, out, "cpudesc");
		break;
	case PERF_CPUID:
		info_text(b, out, "cpuid");
		break;
	case PERF_TOTAL_MEM:
		fprintf(out, "total memory : %" PRIu64 " kB\n", bytes_u64(b));
		break;
	case PERF_CMDLINE:
		info_command(b, out);
		break;
	case PERF_EVENT_DESC:
		info_events(p, b, out);
		break;
	case PERF_CPU_TOPOLOGY:
		info_topology(p, b, out);
		break;
	case PERF_NUMA_TOPOLOGY:
		info_numa(b, out);
		break;
	case PERF_BRANCH_STACK:
		fputs("contains samples with branch stack\n", out);
		break;
	case PERF_PMU_MAPPINGS:
		info_pmus(b, out);
		break;
	case PERF_GROUP_DESC:
		info_groups(p, b, out);
		break;
	case PERF_AUXTRACE_INDEX:
		fputs("contains AUX area data (e.g. instruction trace)\n", out);
		break;
	case PERF_STAT_MARK:
		fputs("contains stat data\n", out);
		break;
	case PERF_CACHE:
		info_caches(b, out);
		break;
	case PERF_SAMPLE_TIMES:
		info_times(b, out);
		break;
	case PERF_MEM_TOPOLOGY:
		info_memory(p, b, out);
		break;
	case PERF_CLOCKID:
		fprintf(out, "clockid frequency: %" PRIu64 " MHz\n", bytes_u64(b) * 1000);
		break;
	case PERF_DIR_FORMAT:
		fprintf(out, "directory data version : %" PRIu64 "\n", bytes_u64(b));
		break;
	case PERF_BPF_PROG:
		a = bytes_u32(b);
		if (a)
			fprintf(out, "bpf programs : %u\n", a);
		break;
	case PERF_BPF_BTF:
		info_btf(b, out);
		break;
	case PERF_COMPRESSION:
		info_compression(b, out);
		break;
	case PERF_CPU_PMU_CAPS:
	case PERF_PMU_CAPS:
		info_capabilities(b, out, i == PERF_PMU_CAPS);
		break;
	case PERF_CLOCK_DATA:
		info_clock(b, out);
		break;
	case PERF_HYBRID_TOPOLOGY:
		info_hybrid(b, out);
		break;
	case PERF_E_MACHINE:
		a = bytes_u32(b);
		c = bytes_left(b) >= 4 ? bytes_u32(b) : 0;
		fprintf(out, "e_machine : %u, e_flags : %#x\n", a, c);
		break;
	case PERF_CLN_SIZE:
		fprintf(out, "cacheline size : %u\n", bytes_u32(b));
		break;
	default:
		if (b->size) /* in pipes an empty feature ends the list */
			fprintf(out, "feature %u : %zu bytes\n", i, b->size);
		break;
	}
}

static void info_header(const struct perf *p, FILE *out)
{
	fprintf(out, "header version : %d\n", p->pipe || p->version == 2);
	fprintf(out, "data offset    : %" PRIu64 "\n", p->pipe ? 0 : p->data.offset);
	fprintf(out, "data size      : %" PRIu64 "\n", p->pipe ? 0 : p->data.size);
	fprintf(out, "feat offset    : %" PRIu64 "\n", p->pipe ? 0 : p->data.offset + p->data.size);
}

/* Prints facts that perf does not print, or prints elsewhere. */
static void info_rest(struct perf *p, FILE *out)
{
	uint32_t i, k;

	if (!(p->feature_bits[0] >> PERF_EVENT_DESC & 1)) {
		for (i = 0; i < p->nattrs; i++)
			print_event(out, p->attr[i].name, p->attr[i].ids, p->attr[i].nids,
				    &p->attr[i]);
	}
	for (i = 0; i < p->nbuild_ids; i++) {
		const struct perf_build_id *b = &p->build_id[i];

		fputs("build id : ", out);
		for (k = 0; k < b->size; k++)
			fprintf(out, "%02x", b->id[k]);
		fprintf(out, " %s\n", b->path);
	}
	if (p->pokes)
		fprintf(out, "kernel code changed : %" PRIu64 " times\n", p->pokes);
	if (p->aux_bytes)
		fprintf(out,
			"aux data : %" PRIu64 " bytes of %s, %sdecoded; cut by the kernel %" PRIu64
			" times\n",
			p->aux_bytes, perf_aux_name(p->aux_kind), p->pt ? "" : "not ", p->aux_lost);
}

int perf_info(struct input *in, input_say say, void *arg)
{
	struct perf *p = in->state;
	char *text = NULL, *line, *next;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return -ENOMEM;
	info_header(p, out);
	for (unsigned int i = 0; i < PERF_FEATURES; i++) {
		struct perf_view v = perf_feature(p, i);
		struct bytes b = perf_view_bytes(p, &v);

		if (v.data)
			info_feature(p, i, &b, out);
		if (v.data && b.bad)
			perf_fault(p, p->feature[i].offset + b.at, "feature %u is damaged", i);
		perf_view_free(&v);
	}
	info_rest(p, out);
	if (memstream_close(out, &text))
		return -ENOMEM;
	for (line = text; *line; line = next) {
		next = strchr(line, '\n');
		*next++ = '\0';
		say(arg, line);
	}
	free(text);
	return 0;
}
