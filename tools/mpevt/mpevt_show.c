/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts as text, JSON or CSV. */
#include <inttypes.h>
#include <string.h>
#include "escape.h"
#include "json.h"
#include "mpevt.h"

static const char *const scopes[] = { "cpus", "process", "thread", "command" };
static const char *const states[] = { "counted", "no counter", "partly" };

static void words_of(FILE *out, const struct counter_value *v)
{
	if (v->state == COUNTER_NO_ROOM)
		fputs(": not counted: no counter was free for it", out);
	if (v->state == COUNTER_PARTLY)
		fprintf(out, ": at least: it had a counter for %.2f %% of the time only",
			100.0 * (double)v->counted / (double)v->wanted);
	if (v->user_only)
		fputs(" (user code only)", out);
	putc('\n', out);
}

static void show_words(FILE *out, const struct mpevt_result *r)
{
	bool cpus = r->held.scope == COUNTERS_CPUS;
	uint64_t sum = 0;

	fprintf(out, "%s%20s  EVENT\n", cpus ? "  CPU" : "", "COUNT");
	for (uint32_t i = 0; i < r->held.values; i++) {
		const struct counter_value *v = &r->list[i];
		bool last = i + 1 == r->held.values || v[1].cpu <= v->cpu;

		if (cpus)
			fprintf(out, "%5d", v->cpu);
		if (v->state == COUNTER_NO_ROOM)
			fprintf(out, "%20s  ", "-");
		else
			fprintf(out, "%20" PRIu64 "  ", v->value);
		escape_print(out, v->name);
		words_of(out, v);
		sum += v->value;
		if (cpus && last) {
			fprintf(out, "  all%20" PRIu64 "  ", sum);
			escape_print(out, v->name);
			putc('\n', out);
			sum = 0;
		}
	}
	fprintf(out, "in %" PRIu64 ".%03" PRIu64 " s\n", r->held.elapsed / 1000000000,
		r->held.elapsed / 1000000 % 1000);
}

static void show_json(FILE *out, const struct mpevt_result *r)
{
	struct json j;

	json_document(&j, out, true);
	json_string(&j, "scope", scopes[r->held.scope]);
	if (r->held.scope != COUNTERS_CPUS)
		json_int(&j, "pid", r->held.pid);
	json_uint(&j, "elapsed_ns", r->held.elapsed);
	json_array(&j, "events");
	for (uint32_t i = 0; i < r->held.values; i++) {
		const struct counter_value *v = &r->list[i];

		json_object(&j, NULL);
		json_string(&j, "event", v->name);
		if (v->cpu >= 0)
			json_int(&j, "cpu", v->cpu);
		json_string(&j, "state", states[v->state]);
		if (v->state == COUNTER_NO_ROOM)
			json_null(&j, "count");
		else
			json_uint(&j, "count", v->value);
		json_bool(&j, "user_only", v->user_only);
		json_uint(&j, "wanted_ns", v->wanted);
		json_uint(&j, "counted_ns", v->counted);
		json_end(&j, '}');
	}
	json_end(&j, ']');
	json_end(&j, '}');
}

static void show_csv(FILE *out, const struct mpevt_result *r)
{
	fputs("event,cpu,count,state,user_only,elapsed_ns\n", out);
	for (uint32_t i = 0; i < r->held.values; i++) {
		const struct counter_value *v = &r->list[i];

		escape_csv(out, v->name);
		putc(',', out);
		if (v->cpu >= 0)
			fprintf(out, "%d", v->cpu);
		putc(',', out);
		if (v->state != COUNTER_NO_ROOM)
			fprintf(out, "%" PRIu64, v->value);
		fprintf(out, ",%s,%u,%" PRIu64 "\n", states[v->state], v->user_only,
			r->held.elapsed);
	}
}

bool show(FILE *out, enum form form, const struct mpevt_result *r)
{
	bool whole = true;

	switch (form) {
	case FORM_WORDS:
		show_words(out, r);
		break;
	case FORM_JSON:
		show_json(out, r);
		break;
	case FORM_CSV:
		show_csv(out, r);
		break;
	}
	for (uint32_t i = 0; i < r->held.values; i++)
		whole &= r->list[i].state == COUNTER_COUNTED;
	return whole;
}
