/* SPDX-License-Identifier: GPL-3.0-or-later */
/* -info: the file's own description, one line "key : value" each; CSV: key,value. */
#include "report/report.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>

#include "escape.h"

struct lines {
	FILE *out;
	struct json *j;
	bool csv;
};

/* A line without a colon is only a key. */
static void csv_line(FILE *out, const char *line)
{
	const char *value = strchrnul(line, ':');
	size_t n = (size_t)(value - line);
	char key[256];

	while (n && line[n - 1] == ' ')
		n--;
	value += *value == ':';
	snprintf(key, sizeof(key), "%.*s", (int)n, line);
	escape_csv(out, key);
	putc(',', out);
	escape_csv(out, value + strspn(value, " "));
	putc('\n', out);
}

static void info_line(void *arg, const char *line)
{
	struct lines *t = arg;

	if (t->j) {
		json_string(t->j, NULL, line);
		return;
	}
	if (t->csv) {
		csv_line(t->out, line);
		return;
	}
	escape_print(t->out, line);
	putc('\n', t->out);
}

__attribute__((format(printf, 3, 4))) static void say(struct lines *t, const char *key,
						      const char *format, ...)
{
	char line[PATH_MAX + 64]; /* a file's name is the longest */
	int n = snprintf(line, sizeof(line), "%s : ", key);
	va_list ap;

	va_start(ap, format);
	vsnprintf(line + n, sizeof(line) - (size_t)n, format, ap);
	va_end(ap);
	info_line(t, line);
}

/* Texts in the header may not be NUL-terminated. */
#define TEXT(field) (int)strnlen(field, sizeof(field)), field

static void say_header(struct lines *t, const struct input *in)
{
	const struct pifile_header *h = &in->header;

	say(t, "file", "%s", in->name);
	say(t, "format", "%s", in->reader->name);
	say(t, "size", "%" PRIu64 " bytes", in->size);
	say(t, "complete", "%s", in->complete ? "yes" : "no");
	say(t, "collector", "%.*s", TEXT(h->collector));
	if (h->machine[0])
		say(t, "machine", "%.*s", TEXT(h->machine));
	if (h->release[0])
		say(t, "kernel", "%.*s", TEXT(h->release));
	say(t, "cpus", "%u", h->ncpus);
	say(t, "clock", "%s, %" PRIu64 " stamps a second",
	    h->clock == PITRACE_CLOCK_TSC ? "cycles" : "nanoseconds", h->clock_hz);
	if (h->scope == PITRACE_SCOPE_PROCESS)
		say(t, "scope", "process %d and its children", h->pid);
	if (h->rate)
		say(t, "rate", "%u ticks a second", h->rate);
}

/* Prints the "key: value" lines of the sections unchanged. */
static void say_system(struct lines *t, const struct input_section *s)
{
	const char *text = s->data, *end = text + s->size, *next;
	char line[1024];

	for (; text < end; text = next) {
		next = memchr(text, '\n', (size_t)(end - text));
		next = next ? next + 1 : end;
		snprintf(line, sizeof(line), "%.*s",
			 (int)(next[-1] == '\n' ? next - 1 - text : next - text), text);
		info_line(t, line);
	}
}

static void say_sections(struct lines *t, struct input *in)
{
	static const char *const names[] = {
		[PIFILE_SEC_SEGMENT] = "segments",   [PIFILE_SEC_KALLSYMS] = "kallsyms",
		[PIFILE_SEC_MODULES] = "modules",    [PIFILE_SEC_SYSTEM] = "system",
		[PIFILE_SEC_SNAPSHOT] = "snapshots", [PIFILE_SEC_VDSO] = "vdso",
		[PIFILE_SEC_STATS] = "stats",        [PIFILE_SEC_END] = "end",
		[PIFILE_SEC_INDEX] = "index",        [PIFILE_SEC_INTERRUPTS] = "interrupts",
		[PIFILE_SEC_PERFMAP] = "perf maps",  [PIFILE_SEC_FILE] = "copies of files",
	};
	uint64_t count[sizeof(names) / sizeof(names[0])] = { 0 };
	struct input_section s;
	size_t i;

	for (i = 0; in->reader->section(in, i, &s) > 0; i++) {
		if ((size_t)s.type < sizeof(names) / sizeof(names[0]))
			count[s.type]++;
		if (s.type == PIFILE_SEC_SYSTEM && s.data)
			say_system(t, &s);
	}
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i] && count[i])
			say(t, "sections", "%" PRIu64 " of %s", count[i], names[i]);
	}
}

static int info_write(const struct job *job, FILE *out)
{
	struct lines t = { .out = out, .csv = job->options->csv };
	struct input *in = job->input;
	struct json j;
	int rc = 0;

	if (job->options->json) {
		json_document(&j, out, true);
		json_array(&j, "info");
		t.j = &j;
	}
	if (t.csv)
		fputs("key,value\n", out);
	say_header(&t, in);
	if (in->reader->info)
		rc = in->reader->info(in, info_line, &t);
	else
		say_sections(&t, in);
	if (t.j) {
		json_end(&j, ']');
		json_end(&j, '}');
	}
	return rc;
}

const struct report report_info = {
	.name = "info",
	.usage = "  -info             what the file says of itself, on stdout\n",
	.kinds = REPORT_OF_FILE,
	.path = "-",
	.mode = 0666,
	.write = info_write,
	.csv = info_write,
};
