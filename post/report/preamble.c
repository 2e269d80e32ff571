/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The beginning of every report: system, trace, damage; as text and as JSON members. */
#include "report/report.h"

#include <inttypes.h>
#include <perfutil.h>
#include <string.h>
#include <strings.h>

#include "escape.h"

/* ---- text ------------------------------------------------------------------------------------ */

static void field(FILE *out, const char *name, const char *value)
{
	if (!*value)
		return;
	fprintf(out, "%-16s", name);
	escape_print(out, value);
	putc('\n', out);
}

/* Facts of the system section that have their own line under this name. */
static const struct {
	const char *key, *name;
} known_facts[] = {
	{ "os", "Platform" },
	{ "cpu model", "CPU model" },
	{ "cpu speed", "CPU speed" },
	{ "cpu mhz", "CPU MHz" },
	{ "command", "Command" },
	/* Already printed from the header. */
	{ "kernel", NULL },
	{ "machine", NULL },
	{ "cpus", NULL },
	{ "collector", NULL },
};

static const char *known_name(const char *key, bool *known)
{
	size_t i;

	for (i = 0; i < sizeof(known_facts) / sizeof(known_facts[0]); i++) {
		if (strcasecmp(known_facts[i].key, key) == 0) {
			*known = true;
			return known_facts[i].name;
		}
	}
	*known = false;
	return NULL;
}

void preamble_system(const struct job *job, FILE *out)
{
	const struct pifile_header *h = &job->input->header;
	const struct trace *t = job->trace;
	char text[128];
	const char *name;
	bool known;
	size_t i;

	for (i = 0; i < t->nfacts; i++) {
		name = known_name(t->facts[i].key, &known);
		if (name && strcmp(name, "Platform") == 0)
			field(out, name, t->facts[i].value);
	}
	snprintf(text, sizeof(text), "Linux %.*s %.*s",
		 (int)strnlen(h->release, sizeof(h->release)), h->release,
		 (int)strnlen(h->machine, sizeof(h->machine)), h->machine);
	field(out, "Kernel", h->release[0] || h->machine[0] ? text : "not recorded");
	if (t->cpus_online && t->cpus_online != h->ncpus)
		snprintf(text, sizeof(text), "%u, %u of them online", h->ncpus, t->cpus_online);
	else if (h->ncpus)
		snprintf(text, sizeof(text), "%u", h->ncpus);
	else
		snprintf(text, sizeof(text), "not recorded");
	field(out, "Processors", text);
	for (i = 0; i < t->nfacts; i++) {
		name = known_name(t->facts[i].key, &known);
		if (name && strcmp(name, "Platform") != 0)
			field(out, name, t->facts[i].value);
		else if (!known)
			field(out, t->facts[i].key, t->facts[i].value);
	}
}

/* Prints the number of user records of each major. */
static void print_user_majors(const struct trace *t, FILE *out)
{
	const char *before = "User records    ";
	unsigned int i;

	for (i = 0; i < PITRACE_MAJORS; i++) {
		if (!pifile_user_major(i) || !t->major[i])
			continue;
		if (i == PITRACE_NAMED) {
			fprintf(out, "%s%" PRIu64 " named events", before, t->major[i]);
			before = ", ";
			continue;
		}
		fprintf(out, "%s%" PRIu64 " of major 0x%02x", before, t->major[i], i);
		before = ", ";
	}
	fputs(before[0] == ',' ? "\n" : "", out);
}

void preamble_run(const struct job *job, FILE *out)
{
	const struct pifile_header *h = &job->input->header;
	const struct trace *t = job->trace;
	char text[64];

	fprintf(out, "%-16s", "Trace file");
	escape_print(out, job->input->name);
	fprintf(out, " (%s, %" PRIu64 " bytes, %" PRIu64 " records)\n", job->input->reader->name,
		job->input->size, t->records);
	fprintf(out, "%-16s", "Trace start");
	print_date(out, t->start_realtime);
	fprintf(out, "\n%-16s", "Trace length");
	print_seconds(out, t->duration);
	if (t->intervals > 1)
		fprintf(out, " in %" PRIu64 " intervals", t->intervals);
	putc('\n', out);
	if (t->unstable_clock)
		field(out, "Clock", "turned unstable while tracing: times after that are unsure");
	if (job->options->kinds & REPORT_TELLS_TOTALS)
		print_mode(job, out);
	snprintf(text, sizeof(text), "%.*s", (int)strnlen(h->collector, sizeof(h->collector)),
		 h->collector);
	field(out, "Collector", text);
	if (h->scope == PITRACE_SCOPE_PROCESS)
		snprintf(text, sizeof(text), "process %d and its children", h->pid);
	else
		snprintf(text, sizeof(text), "system");
	field(out, "Scope", text);
	print_user_majors(t, out);
}

static void print_beside(void *out, const char *line)
{
	fputs("  ", out);
	escape_print(out, line);
	putc('\n', out);
}

void preamble_damage(const struct job *job, FILE *out)
{
	uint32_t beside = 0;
	size_t i;

	if (!job->nfaults && job->input->complete && !jit_damage(&job->model->names.jit, &beside))
		return;
	fputs("\nDamage\n", out);
	if (!job->nfaults && !job->input->complete)
		fputs("  the file has no end: it was cut, or its writer did not finish\n", out);
	for (i = 0; i < job->nfaults; i++) {
		fputs("  ", out);
		if (job->fault[i].offset != NO_OFFSET)
			fprintf(out, "at byte %" PRIu64 ": ", job->fault[i].offset);
		escape_print(out, job->fault[i].what);
		putc('\n', out);
	}
	if (job->more_faults)
		fprintf(out, "  and %zu more\n", job->more_faults);
	damage_beside(job, print_beside, out);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void text_field(struct json *j, const char *key, const char *s, size_t size)
{
	char text[256];

	snprintf(text, sizeof(text), "%.*s", (int)strnlen(s, size), s);
	json_string(j, key, text);
}

static void json_user_majors(const struct trace *t, struct json *j)
{
	unsigned int i;
	char key[8];

	json_object(j, "user_records");
	for (i = 0; i < PITRACE_MAJORS; i++) {
		snprintf(key, sizeof(key), "0x%02x", i);
		if (pifile_user_major(i) && t->major[i])
			json_uint(j, key, t->major[i]);
	}
	json_end(j, '}');
}

static void json_trace(const struct job *job, struct json *j)
{
	const struct pifile_header *h = &job->input->header;
	const struct trace *t = job->trace;
	size_t i;

	json_string(j, "file", job->input->name);
	json_string(j, "format", job->input->reader->name);
	text_field(j, "collector", h->collector, sizeof(h->collector));
	text_field(j, "kernel", h->release, sizeof(h->release));
	text_field(j, "machine", h->machine, sizeof(h->machine));
	json_uint(j, "cpus", h->ncpus);
	json_uint(j, "rate", t->rate);
	json_uint(j, "dither_permille", t->dither);
	json_string(j, "scope", h->scope == PITRACE_SCOPE_PROCESS ? "process" : "system");
	if (h->scope == PITRACE_SCOPE_PROCESS)
		json_int(j, "scope_pid", h->pid);
	json_uint(j, "start_realtime_ns", t->start_realtime);
	json_uint(j, "duration_ns", t->duration);
	json_uint(j, "intervals", t->intervals);
	json_uint(j, "records", t->records);
	json_user_majors(t, j);
	json_object(j, "system");
	for (i = 0; i < t->nfacts; i++) {
		char key[64];
		size_t k, n = 0;

		/* Keys are plain words: other characters become underscores. */
		for (k = 0; t->facts[i].key[k] && n < sizeof(key) - 1; k++) {
			char c = t->facts[i].key[k];

			key[n++] = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c :
				   c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') :
							  '_';
		}
		key[n] = '\0';
		json_string(j, key, t->facts[i].value);
	}
	json_end(j, '}');
}

void json_damage(const struct job *job, struct json *j)
{
	const struct jit_note *n;
	uint32_t beside = 0;
	size_t i;

	json_bool(j, "complete", job->input->complete);
	json_bool(j, "clean", damage_none(job));
	json_array(j, "damage");
	for (i = 0; i < job->nfaults; i++) {
		json_object(j, NULL);
		if (job->fault[i].offset != NO_OFFSET)
			json_uint(j, "offset", job->fault[i].offset);
		json_string(j, "what", job->fault[i].what);
		json_end(j, '}');
	}
	while ((n = jit_damage(&job->model->names.jit, &beside))) {
		json_object(j, NULL);
		json_string(j, "file", n->path);
		json_uint(j, "offset", n->offset);
		json_string(j, "what", n->what);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void json_lost(const struct job *job, struct json *j)
{
	const struct trace *t = job->trace;
	unsigned int kind;
	uint32_t i;

	json_array(j, "lost");
	for (i = 0; i < t->ncpus; i++) {
		for (kind = 0; kind < PITRACE_LOST_KINDS; kind++) {
			if (!t->cpu[i].lost[kind])
				continue;
			json_object(j, NULL);
			json_uint(j, "cpu", i);
			json_string(j, "kind", TraceLostName((int)kind));
			json_uint(j, "count", t->cpu[i].lost[kind]);
			json_end(j, '}');
		}
	}
	json_end(j, ']');
}

/* Writes each CPU's window in wrap mode, and what stopped the trace. */
static void json_held(const struct job *job, struct json *j)
{
	const struct trace *t = job->trace;
	uint32_t i;

	json_array(j, "held");
	for (i = 0; i < t->ncpus; i++) {
		if (!t->wraps || !t->cpu[i].holds)
			continue;
		json_object(j, NULL);
		json_uint(j, "cpu", i);
		json_uint(j, "older_sections", t->cpu[i].older);
		json_uint(j, "since_ns", t->cpu[i].since);
		json_end(j, '}');
	}
	json_end(j, ']');
	json_array(j, "stopped_by");
	for (i = 0; i < t->ncpus; i++) {
		static const char *const why[] = { "", "mte", "trace", "crash" };

		if (!t->cpu[i].stopped_by || t->cpu[i].stopped_by > 3)
			continue;
		json_object(j, NULL);
		json_uint(j, "cpu", i);
		json_string(j, "why", why[t->cpu[i].stopped_by]);
		if (t->cpu[i].stop_pid)
			json_uint(j, "pid", t->cpu[i].stop_pid);
		json_end(j, '}');
	}
	json_end(j, ']');
}

void json_preamble(const struct job *job, struct json *j, bool damage)
{
	json_string(j, "generator", "pitrace post " PITRACE_VERSION);
	json_trace(job, j);
	if (damage)
		json_damage(job, j);
	json_lost(job, j);
	json_held(job, j);
}
