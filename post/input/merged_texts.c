/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Labels, sections and faults of several traces: a label for each trace, the tables of each with
 * merged numbers, the faults of all. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memstream.h"
#include "input/merged_inner.h"

/* ---- labels ---------------------------------------------------------------------------------- */

static bool is_border(char c)
{
	return c == '/' || c == '.';
}

static const char *base_of(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

/* The files' base names are used if they differ; else directories are needed, too. */
static bool bases_differ(struct merged *m, uint32_t count)
{
	uint32_t i, k;

	for (i = 0; i < count; i++) {
		for (k = 0; k < i; k++) {
			if (!strcmp(base_of(m->part[i].in.name), base_of(m->part[k].in.name)))
				return false;
		}
	}
	return true;
}

/* Returns the lengths of the names' common prefix, in whole directories, and common suffix, in
 * whole components. */
static void same_ends(const char *const *name, uint32_t count, size_t *head, size_t *tail)
{
	const char *a = name[0], *b;
	size_t n = strlen(a), i, k;
	uint32_t p;

	*head = *tail = n;
	for (p = 1; p < count; p++) {
		b = name[p];
		for (i = 0; i < *head && a[i] == b[i]; i++)
			;
		*head = i;
		k = strlen(b);
		for (i = 0; i < *tail && i < k && a[n - 1 - i] == b[k - 1 - i]; i++)
			;
		*tail = i;
	}
	while (*head && a[*head - 1] != '/')
		--*head;
	while (*tail && !is_border(a[n - *tail]))
		--*tail;
}

/* Labels each trace with the part of its name that differs; with a number if none does. */
int merged_labels(struct merged *m, uint32_t count)
{
	const char **names = calloc(count, sizeof(*names));
	bool bases = bases_differ(m, count);
	size_t head, tail, n;
	uint32_t i, k;
	char *label;
	int rc = 0;

	if (!names)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		names[i] = bases ? base_of(m->part[i].in.name) : m->part[i].in.name;
	same_ends(names, count, &head, &tail);
	for (i = 0; !rc && i < count; i++) {
		const char *name = names[i];

		n = strlen(name);
		if (head + tail >= n) { /* no distinct part */
			name = base_of(name);
			n = strlen(name);
		} else {
			name += head;
			n -= head + tail;
		}
		for (k = 0; k < i; k++) {
			if (!strncmp(m->origin[k].label, name, n) && !m->origin[k].label[n])
				break;
		}
		if (k < i ? asprintf(&label, "%.*s#%u", (int)n, name, i + 1) < 0 :
			    asprintf(&label, "%.*s", (int)n, name) < 0)
			rc = -ENOMEM;
		else
			m->origin[i].label = label;
	}
	free(names);
	return rc;
}

/* ---- system texts ---------------------------------------------------------------------------- */

/* Returns whether the text contains this line. */
static bool has_line(const char *text, size_t size, const char *line, size_t n)
{
	const char *end = text + size, *next;

	for (; text < end; text = next + 1) {
		next = memchr(text, '\n', (size_t)(end - text));
		next = next ? next : end;
		if ((size_t)(next - text) == n && !memcmp(text, line, n))
			return true;
	}
	return false;
}

static bool find_text(struct merged_part *p, struct input_section *s)
{
	size_t i;

	for (i = 0; p->in.reader->section(&p->in, i, s) > 0; i++) {
		if (s->type == PIFILE_SEC_SYSTEM && s->data)
			return true;
	}
	return false;
}

/* Writes the system facts that are the same in all traces. */
static void write_common(struct input *in, struct merged *m, FILE *out)
{
	const char *text, *end, *next;
	struct input_section s;
	char *copy = NULL;
	uint32_t i;

	if (find_text(&m->part[0], &s))
		copy = malloc(s.size);
	if (!copy)
		return;
	memcpy(copy, s.data, s.size);
	for (text = copy, end = copy + s.size; text < end; text = next + 1) {
		next = memchr(text, '\n', (size_t)(end - text));
		next = next ? next : end;
		for (i = 1; i < in->origins; i++) {
			if (!find_text(&m->part[i], &s) ||
			    !has_line(s.data, s.size, text, (size_t)(next - text)))
				break;
		}
		if (i == in->origins)
			fprintf(out, "%.*s\n", (int)(next - text), text);
	}
	free(copy);
}

static void write_one(struct merged *m, uint32_t i, FILE *out)
{
	const struct input *in = &m->part[i].in;
	int64_t shift = m->origin[i].shift;
	uint64_t ns = shift < 0 ? -(uint64_t)shift : (uint64_t)shift;

	fprintf(out, "input %u: %s: %s (%s, %u CPUs", i + 1, m->origin[i].label, in->name,
		in->reader->name, in->header.ncpus);
	if (ns)
		fprintf(out, ", its times %s %" PRIu64 ".%09" PRIu64 " s", shift < 0 ? "-" : "+",
			ns / 1000000000, ns % 1000000000);
	fputs(")\n", out);
}

int merged_texts(struct input *in, struct merged *m)
{
	size_t size;
	FILE *out = open_memstream(&m->system, &size);
	uint32_t i;

	if (!out)
		return -ENOMEM;
	for (i = 0; i < in->origins; i++)
		write_one(m, i, out);
	fprintf(out, "times: %s\n",
		m->walls ? "by the wall clock" :
			   "each input from 0: not all of them know the wall clock");
	write_common(in, m, out);
	if (memstream_close(out, &m->system))
		return -ENOMEM;
	out = open_memstream(&m->name, &size);
	if (!out)
		return -ENOMEM;
	for (i = 0; i < in->origins; i++)
		fprintf(out, "%s%s", i ? " + " : "", m->part[i].in.name);
	return memstream_close(out, &m->name);
}

int merged_info(struct input *in, input_say say, void *arg)
{
	struct merged *m = in->state;
	const char *line, *next;
	char text[1024];
	uint32_t i;
	int rc = 0;

	for (line = m->system; *line; line = next + 1) {
		next = strchrnul(line, '\n');
		snprintf(text, sizeof(text), "%.*s", (int)(next - line), line);
		say(arg, text);
		if (!*next)
			break;
	}
	for (i = 0; !rc && i < in->origins; i++) {
		struct input *one = &m->part[i].in;

		snprintf(text, sizeof(text), "of input %u: %s", i + 1, m->origin[i].label);
		say(arg, text);
		rc = one->reader->info ? one->reader->info(one, say, arg) : 0;
	}
	return rc;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static int patch_stats(struct merged *m, struct merged_part *p, struct input_section *s)
{
	struct pifile_stats stats;
	char *copy;
	size_t at;

	if (array_room(m->section, m->room_section, s->size + 1))
		return -ENOMEM;
	copy = m->section;
	memcpy(copy, s->data, s->size);
	for (at = 0; s->size - at >= sizeof(stats); at += sizeof(stats)) {
		memcpy(&stats, copy + at, sizeof(stats));
		stats.cpu = merged_cpu(m, p, stats.cpu);
		memcpy(copy + at, &stats, sizeof(stats));
	}
	s->data = copy;
	return m->no_memory ? -ENOMEM : 0;
}

/* A perf map starts with "pid P since T until T …". */
static int patch_map(struct merged *m, const struct merged_part *p, struct input_section *s)
{
	uint32_t i = (uint32_t)(p - m->part), pid;
	uint64_t since, until;
	char head[128], *copy;
	int used = 0, n;

	n = snprintf(head, sizeof(head), "%.*s", (int)(s->size < 127 ? s->size : 127),
		     (const char *)s->data);
	if (n < 0 ||
	    sscanf(head, "pid %" SCNu32 " since %" SCNu64 " until %" SCNu64 "%n", &pid, &since,
		   &until, &used) != 3 ||
	    !used)
		return 0;
	n = snprintf(head, sizeof(head), "pid %" PRIu32 " since %" PRIu64 " until %" PRIu64,
		     origin_pid(i, pid), since ? origin_time(&m->origin[i], since) : 0,
		     origin_time(&m->origin[i], until));
	if (array_room(m->section, m->room_section, (size_t)n + s->size))
		return -ENOMEM;
	copy = m->section;
	memcpy(copy, head, (size_t)n);
	memcpy(copy + n, (const char *)s->data + used, s->size - (size_t)used);
	s->data = copy;
	s->size += (size_t)n - (size_t)used;
	return 0;
}

/* Returns 1: use the section; 0: drop it; -ENOMEM. */
static int patch_section(struct merged *m, struct merged_part *p, struct input_section *s)
{
	int rc = 0;

	s->origin = (uint32_t)(p - m->part);
	switch ((unsigned int)s->type) {
	case PIFILE_SEC_SYSTEM:
	case PIFILE_SEC_INTERRUPTS: /* numbers differ between machines */
		return 0;
	case PIFILE_SEC_SEGMENT:
		s->cpu = merged_cpu(m, p, s->cpu);
		rc = m->no_memory ? -ENOMEM : 0;
		break;
	case PIFILE_SEC_STATS:
		rc = s->data ? patch_stats(m, p, s) : 0;
		break;
	case PIFILE_SEC_PERFMAP:
		rc = s->data ? patch_map(m, p, s) : 0;
		break;
	}
	return rc ? rc : 1;
}

int merged_section(struct input *in, size_t i, struct input_section *s)
{
	struct merged *m = in->state;
	int rc;

	if (!i) {
		m->at_part = 0;
		m->at_section = m->at = 0;
		*s = (struct input_section){
			.type = PIFILE_SEC_SYSTEM,
			.data = m->system,
			.size = strlen(m->system),
		};
		return 1;
	}
	if (i <= m->at)
		return merged_section(in, 0, s) < 0 ? -ENOMEM : merged_section(in, i, s);
	while (m->at_part < in->origins) {
		struct merged_part *p = &m->part[m->at_part];

		if (p->in.reader->section(&p->in, m->at_section, s) <= 0) {
			m->at_part++;
			m->at_section = 0;
			continue;
		}
		m->at_section++;
		rc = patch_section(m, p, s);
		if (rc < 0)
			return rc;
		m->at += (size_t)rc;
		if (rc && m->at == i)
			return 1;
	}
	return 0;
}

/* ---- faults ---------------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static void report_fault(struct merged *m, uint64_t offset,
							       const char *format, ...)
{
	struct pifile_fault *f;
	va_list args;

	m->nfaults++;
	if (m->reported == INPUT_FAULTS)
		return;
	f = &m->faults[m->reported++];
	f->offset = offset;
	va_start(args, format);
	vsnprintf(f->what, sizeof(f->what), format, args);
	va_end(args);
}

size_t merged_faults(const struct input *in, const struct pifile_fault **list)
{
	struct merged *m = in->state;
	uint32_t i;
	size_t k, n;

	*list = NULL;
	if (!m->faults)
		m->faults = calloc(INPUT_FAULTS, sizeof(*m->faults));
	if (!m->faults)
		return 0;
	m->nfaults = m->reported = 0;
	for (i = 0; i < in->origins; i++) {
		const struct merged_part *p = &m->part[i];
		const struct pifile_fault *own = NULL;

		n = p->in.reader->faults(&p->in, &own);
		for (k = 0; k < n && k < INPUT_FAULTS; k++)
			report_fault(m, own[k].offset, "%s: %.120s", m->origin[i].label,
				     own[k].what);
		m->nfaults += n - k;
		if (p->failed)
			report_fault(m, NO_OFFSET, "%s: %s", m->origin[i].label,
				     strerror(-p->failed));
	}
	if (m->missing)
		report_fault(m, NO_OFFSET, "%u of the traces cannot be read", m->missing);
	*list = m->faults;
	return m->nfaults;
}
