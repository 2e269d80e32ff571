/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parsers of the per-CPU tables of /proc. */
#include "base/proc_text.h"
#include "base/text.h"

static struct bytes line_of(const char *text, size_t length)
{
	struct bytes b = bytes_of(text, length ? strnlen(text, length) : 0);

	if (b.size && text[b.size - 1] == '\n')
		b.size--;
	return b;
}

static bool cpu_of(struct bytes *b, const char *word, uint32_t *cpu)
{
	uint64_t n;

	for (; *word; word++)
		if (!text_char(b, *word))
			return false;
	if (!text_number(b, 10, &n) || n > UINT32_MAX)
		return false;
	*cpu = (uint32_t)n;
	return true;
}

/* Reads a number after blanks. */
static bool next(struct bytes *b, uint64_t *value)
{
	text_skip_blanks(b);
	return text_number(b, 10, value);
}

/* "cpu0 user nice system idle iowait irq softirq steal guest guest_nice" */
bool proc_cpu_parse(const char *line, size_t length, struct proc_cpu *c)
{
	struct bytes b = line_of(line, length);
	uint64_t *const column[] = {
		&c->user,   &c->nice, &c->system,  &c->idle,
		&c->iowait, &c->irq,  &c->softirq, &c->steal,
	};

	memset(c, 0, sizeof(*c));
	if (!cpu_of(&b, "cpu", &c->cpu))
		return false;
	for (size_t i = 0; i < sizeof(column) / sizeof(column[0]); i++)
		if (!next(&b, column[i]))
			return i >= 4 && !bytes_left(&b);
	return true;
}

bool proc_heads_parse(const char *line, size_t length, uint32_t *cpus, uint32_t room,
		      uint32_t *columns)
{
	struct bytes b = line_of(line, length);

	for (*columns = 0;; ++*columns) {
		text_skip_blanks(&b);
		if (!bytes_left(&b))
			return *columns != 0;
		if (*columns == room || !cpu_of(&b, "CPU", &cpus[*columns]))
			break;
	}
	*columns = 0;
	return false;
}

static bool is_word(const char *word, size_t length, const char *const *list)
{
	for (; *list; list++)
		if (length == strlen(*list) && !memcmp(word, *list, length))
			return true;
	return false;
}

/* "LOC: 1 2 Local timer interrupts". Skipped lines: errors, retries and polls are not interrupts;
 * x86's NMI line (performance counters) and, on s390x, the kinds of one class are counted in
 * another line as well. */
bool proc_counts_add(const char *line, size_t length, uint64_t *sum, uint32_t columns)
{
	static const char *const not_interrupts[] = {
		"ERR:",
		"Err:",
		"MIS:",
		"RTR:",
		"MCP:",
#if defined(__x86_64__) || defined(__i386__)
		"PMI:",
#endif
		NULL
	};
	static const char *const kinds[] = { "[EXT]", "[I/O]", "[AIO]", NULL };
	struct bytes b = line_of(line, length);
	const char *word;
	size_t n, from;
	uint64_t value;

	if (!text_word(&b, &word, &n) || word[n - 1] != ':' || is_word(word, n, not_interrupts))
		return false;
	from = b.at;
	for (uint32_t i = 0; i < columns; i++)
		if (!next(&b, &value))
			return false;
	if (text_word(&b, &word, &n) && is_word(word, n, kinds))
		return false;
	bytes_seek(&b, from);
	for (uint32_t i = 0; i < columns && next(&b, &value); i++)
		sum[i] += value;
	return true;
}

/* "cpu0 yields 0 calls idle wakeups local run wait slices": each slice is a dispatch. */
bool proc_sched_parse(const char *line, size_t length, struct proc_sched *s)
{
	struct bytes b = line_of(line, length);
	uint64_t value = 0;

	memset(s, 0, sizeof(*s));
	if (!cpu_of(&b, "cpu", &s->cpu))
		return false;
	for (int i = 0; i < 9; i++)
		if (!next(&b, &value))
			return false;
	s->dispatches = value;
	return true;
}
