/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fuzz: texts of /proc, each line as a mapping, a mount, a cgroup, a kernel symbol, of CPUs, all of
 * it as a task. */
#include <pitrace.h>

#include "fuzz.h"
#include "base/proc_text.h"

#define COLUMNS 5u

static void inside(const char *part, size_t length, const char *text, size_t size)
{
	if (part < text || part > text + size || length > (size_t)(text + size - part))
		abort();
	fuzz_touch(part, length);
}

static void as_map(const char *line, size_t size)
{
	struct proc_map m;

	if (!proc_map_parse(line, size, &m))
		return;
	if (m.end <= m.start || !m.path_len || !(m.flags & PITRACE_MAP_EXEC) ||
	    memchr(m.path, 0, m.path_len))
		abort();
	if (m.path_len == 6 && !memcmp(m.path, "//anon", 6))
		return;
	inside(m.path, m.path_len, line, size);
}

static void as_mount(const char *line, size_t size)
{
	struct proc_mount m;
	char text[64];

	if (!proc_mount_parse(line, size, &m))
		return;
	if (!m.root_len || !m.point_len)
		abort();
	inside(m.root, m.root_len, line, size);
	inside(m.point, m.point_len, line, size);
	if (proc_unescape(m.point, m.point_len, text, sizeof(text)) &&
	    strnlen(text, sizeof(text)) > m.point_len)
		abort();
}

static void as_cgroup(const char *line, size_t size)
{
	struct proc_cgroup_line c;

	if (!proc_cgroup_parse(line, size, &c))
		return;
	if (!c.path_len || *c.path != '/' || memchr(c.path, 0, c.path_len))
		abort();
	inside(c.path, c.path_len, line, size);
}

static void as_symbol(const char *line, size_t size)
{
	struct proc_symbol s;

	if (!proc_symbol_parse(line, size, &s))
		return;
	if (!s.name_len || !s.type)
		abort();
	inside(s.name, s.name_len, line, size);
}

/* The first line may be a table's heads; the others are added to its columns. */
static void as_cpus(const char *line, size_t size, uint32_t *columns)
{
	uint32_t cpus[COLUMNS];
	uint64_t sum[COLUMNS + 1] = { 0 };
	struct proc_sched sched;
	struct proc_cpu cpu;

	proc_cpu_parse(line, size, &cpu);
	proc_sched_parse(line, size, &sched);
	if (!*columns && proc_heads_parse(line, size, cpus, COLUMNS, columns) && !*columns)
		abort();
	if (*columns > COLUMNS)
		abort();
	proc_counts_add(line, size, sum, *columns);
	for (uint32_t i = *columns; i <= COLUMNS; i++)
		if (sum[i])
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct proc_task t;
	uint32_t columns = 0;
	size_t at, n;

	if (proc_task_parse(text, size, &t) && (t.comm[15] || !memchr(text, '(', size)))
		abort();
	for (at = 0; at < size; at += n + 1) {
		const char *nl = memchr(text + at, '\n', size - at);
		char *line;

		n = nl ? (size_t)(nl - text) - at : size - at;
		/* A copy of exactly its size, for the sanitizer. */
		line = malloc(n ? n : 1);
		if (!line)
			abort();
		memcpy(line, text + at, n);
		as_map(line, n);
		as_mount(line, n);
		as_cgroup(line, n);
		as_symbol(line, n);
		as_cpus(line, n, &columns);
		free(line);
	}
	return 0;
}
