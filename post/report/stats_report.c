/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * -stats: the number of records of each kind, in the layout of `perf report --stats`: for all
 * events together, then for each. Formats have their own kinds; otherwise our own are counted.
 */
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "base/keys.h"
#include "report/show_report.h"

struct tally {
	const struct job *job;
	FILE *out;
	struct json *j;
	bool csv;
	const char *event; /* the event being printed */
	bool begun;
	uint64_t total;
};

static void begin_event(struct tally *t, const char *event)
{
	if (t->begun && (t->event == event || (t->event && event && !strcmp(t->event, event))))
		return;
	if (t->j) {
		if (t->begun)
			json_end(t->j, '}');
		if (event && !t->event)
			json_object(t->j, "events");
		json_object(t->j, event ? event : "aggregated");
	} else {
		fputs(event ? "" : "\nAggregated stats:", t->out);
		if (event) {
			escape_print(t->out, event);
			fputs(" stats:", t->out);
		}
		putc('\n', t->out);
	}
	t->begun = true;
	t->event = event;
}

static void print_count(void *arg, const char *event, const char *kind, uint64_t count)
{
	struct tally *t = arg;

	if (t->csv) {
		escape_csv(t->out, event ? event : "");
		putc(',', t->out);
		escape_csv(t->out, kind);
		fprintf(t->out, ",%" PRIu64 "\n", count);
		return;
	}
	begin_event(t, event);
	if (t->j) {
		json_uint(t->j, kind, count);
		return;
	}
	fprintf(t->out, "%16s events: %10" PRIu64, kind, count);
	if (!event && !t->total)
		t->total = count ? count : 1;
	else if (!event)
		fprintf(t->out, "  (%4.1f%%)", percent_of(count, t->total));
	putc('\n', t->out);
}

/* ---- our own kinds --------------------------------------------------------------------------- */

struct kind_count {
	char name[48];
	uint64_t count;
};

struct kinds {
	struct kind_count *kind;
	uint32_t n, room;
	struct keys by_name;
};

static int count_kind(struct kinds *k, const struct pirecord *r)
{
	const struct record_kind *kind = show_kind(r);
	char name[48];
	uint64_t hash = r->major;
	uint32_t i;

	snprintf(name, sizeof(name), "%s%s%s", show_major(r->major), kind ? " " : "",
		 kind ? show_kind_name(kind, r) : "");
	for (i = 0; name[i]; i++)
		hash = hash_mix(hash, (uint8_t)name[i]);
	i = keys_find(&k->by_name, hash, k->kind, e, !strcmp(e->name, name));
	if (i == NO_KEY) {
		if (keys_next(&k->by_name, hash, k->kind, k->n, k->room))
			return -ENOMEM;
		i = k->n++;
		memcpy(k->kind[i].name, name, sizeof(name));
		k->kind[i].count = 0;
	}
	k->kind[i].count++;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct kind_count *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int count_all(struct tally *t, struct kinds *k)
{
	const struct job *job = t->job;
	struct input *in = job->input;
	struct pirecord r;
	uint32_t i;
	int rc = in->reader->begin(in, PIMERGE_MTE | PIMERGE_TRACE);

	while (!rc && (rc = in->reader->next(in, &r)) > 0) {
		rc = r.cpu < TRACE_MAX_CPUS ? trace_record(job->trace, in, &r) : 0;
		if (!rc)
			rc = count_kind(k, &r);
	}
	if (rc)
		return rc;
	if (k->n)
		qsort(k->kind, k->n, sizeof(*k->kind), by_name);
	print_count(t, NULL, "TOTAL", job->trace->records);
	for (i = 0; i < k->n; i++)
		print_count(t, NULL, k->kind[i].name, k->kind[i].count);
	return 0;
}

static int stats_write(const struct job *job, FILE *out)
{
	struct tally t = { .job = job, .out = out, .csv = job->options->csv };
	struct input *in = job->input;
	struct kinds kinds = { 0 };
	struct json j;
	int rc;

	if (job->options->json) {
		json_document(&j, out, true);
		t.j = &j;
	}
	if (t.csv)
		fputs("event,kind,records\n", out);
	rc = in->reader->stats ? in->reader->stats(in, print_count, &t) : count_all(&t, &kinds);
	if (t.j) {
		if (t.begun)
			json_end(&j, '}');
		if (t.event)
			json_end(&j, '}');
		json_end(&j, '}');
	}
	free(kinds.kind);
	keys_free(&kinds.by_name);
	return rc;
}

const struct report report_stats = {
	.name = "stats",
	.usage = "  -stats            how many records of each kind it has, on stdout\n",
	.kinds = REPORT_OF_FILE | REPORT_OF_ONE,
	.path = "-",
	.mode = 0666,
	.write = stats_write,
	.csv = stats_write,
};
