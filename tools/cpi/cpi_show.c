/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cycles per instruction, as text, JSON or CSV. */
#include <inttypes.h>
#include <string.h>
#include "cpi.h"
#include "escape.h"
#include "json.h"

static const char *const states[] = { "counted", "no counter", "partly" };
static const char *const codes[] = {
	[TRACE_PRIV_ANY] = "all",
	[TRACE_PRIV_USER] = "user",
	[TRACE_PRIV_KERNEL] = "kernel",
};
static const char *const share_names[SPAN_SHARES] = {
	"idle_percent",
	"busy_percent",
	"interrupt_percent",
};

bool cpi_of(const struct pair *p, double *cpi)
{
	if (p->state != COUNTER_COUNTED || !p->instructions)
		return false;
	*cpi = (double)p->cycles / (double)p->instructions;
	return true;
}

static const char *code_of(const struct cpi *o, const struct cpi_result *r)
{
	return codes[r->all.user_only ? TRACE_PRIV_USER : o->priv];
}

static const struct ai_counters *span_of(const struct cpi_result *r, const struct pair *p)
{
	if (*r->no_span || !r->of_cpus)
		return NULL;
	if (p->cpu < 0)
		return &r->span.all;
	for (int i = 0; i < r->span.cpus; i++)
		if (r->span.cpu[i].cpu == (uint32_t)p->cpu)
			return &r->span.cpu[i];
	return NULL;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void pair_words(FILE *out, const struct pair *p)
{
	double cpi;

	if (p->state == COUNTER_NO_ROOM)
		fprintf(out, " %20s %20s", "-", "-");
	else
		fprintf(out, " %20" PRIu64 " %20" PRIu64, p->cycles, p->instructions);
	if (cpi_of(p, &cpi))
		fprintf(out, " %7.2f", cpi);
	else
		fprintf(out, " %7s", "-");
}

static void state_words(FILE *out, const struct pair *p)
{
	if (p->state == COUNTER_NO_ROOM)
		fputs("  no counter was free", out);
	if (p->state == COUNTER_PARTLY)
		fputs("  not counted all the time", out);
	putc('\n', out);
}

static void row_words(FILE *out, const struct cpi_result *r, const struct pair *p)
{
	const struct ai_counters *c = span_of(r, p);
	unsigned int share[SPAN_SHARES];
	char room[8];
	bool any = c && span_shares(c, share);

	if (p->cpu < 0)
		fputs(" all", out);
	else
		fprintf(out, "%4d", p->cpu);
	pair_words(out, p);
	for (int i = 0; i < SPAN_SHARES; i++)
		fprintf(out, " %7s", any ? span_percent(room, share[i]) : "-");
	state_words(out, p);
}

static void words_of_cpus(FILE *out, const struct cpi_result *r)
{
	fprintf(out, " CPU %20s %20s %7s %7s %7s %7s\n", "CYCLES", "INSTRUCTIONS", "CPI", "IDLE %",
		"BUSY %", "INTR %");
	for (int i = 0; i < r->pairs; i++)
		row_words(out, r, &r->pair[i]);
	if (r->pairs > 1)
		row_words(out, r, &r->all);
}

static void words_of_command(FILE *out, const struct cpi_result *r)
{
	unsigned int share[SPAN_SHARES];
	char room[SPAN_SHARES][8];

	fprintf(out, "%21s %20s %7s\n", "CYCLES", "INSTRUCTIONS", "CPI");
	pair_words(out, &r->all);
	state_words(out, &r->all);
	if (!*r->no_span && span_shares(&r->span.all, share)) {
		for (int i = 0; i < SPAN_SHARES; i++)
			span_percent(room[i], share[i]);
		fprintf(out,
			"meanwhile the CPUs were %s %% idle, %s %% busy, %s %% serving interrupts\n",
			room[SPAN_IDLE], room[SPAN_BUSY], room[SPAN_INTERRUPT]);
	}
}

static void show_words(FILE *out, const struct cpi *o, const struct cpi_result *r)
{
	if (r->of_cpus)
		words_of_cpus(out, r);
	else
		words_of_command(out, r);
	if (*r->no_span)
		fprintf(out, "idle and busy times are unknown: %s\n", r->no_span);
	else if (*r->info.note)
		escape_printf(out, "idle, busy: %s\n", r->info.note);
	fprintf(out, "in %" PRIu64 ".%03" PRIu64 " s", r->elapsed / 1000000000,
		r->elapsed / 1000000 % 1000);
	if (strcmp(code_of(o, r), "all"))
		fprintf(out, ", %s code only%s", code_of(o, r),
			r->all.user_only ? " (this user may not count the kernel's)" : "");
	putc('\n', out);
}

/* ---- JSON, CSV ------------------------------------------------------------------------------- */

static void json_pair(struct json *j, const struct pair *p)
{
	double cpi;

	if (p->state == COUNTER_NO_ROOM) {
		json_null(j, "cycles");
		json_null(j, "instructions");
	} else {
		json_uint(j, "cycles", p->cycles);
		json_uint(j, "instructions", p->instructions);
	}
	if (cpi_of(p, &cpi))
		json_fixed(j, "cpi", cpi, 4);
	else
		json_null(j, "cpi");
	json_string(j, "state", states[p->state]);
}

static void json_shares(struct json *j, const struct ai_counters *c)
{
	unsigned int share[SPAN_SHARES];
	bool any = c && span_shares(c, share);

	for (int i = 0; i < SPAN_SHARES; i++)
		if (any)
			json_fixed(j, share_names[i], share[i] / 100.0, 2);
		else
			json_null(j, share_names[i]);
}

static void show_json(FILE *out, const struct cpi *o, const struct cpi_result *r)
{
	struct json j;

	json_document(&j, out, true);
	json_string(&j, "scope", r->of_cpus ? "cpus" : "command");
	json_string(&j, "code", code_of(o, r));
	json_uint(&j, "elapsed_ns", r->elapsed);
	json_string(&j, "idle_by", *r->no_span ? "" : r->info.collector);
	json_string(&j, "idle_note", *r->no_span ? r->no_span : r->info.note);
	json_array(&j, "cpus");
	for (int i = 0; r->of_cpus && i < r->pairs; i++) {
		json_object(&j, NULL);
		json_int(&j, "cpu", r->pair[i].cpu);
		json_pair(&j, &r->pair[i]);
		json_shares(&j, span_of(r, &r->pair[i]));
		json_end(&j, '}');
	}
	json_end(&j, ']');
	json_object(&j, "all");
	json_pair(&j, &r->all);
	json_shares(&j, *r->no_span ? NULL : &r->span.all);
	json_end(&j, '}');
	json_end(&j, '}');
}

static void row_csv(FILE *out, const struct cpi_result *r, const char *who, const struct pair *p)
{
	const struct ai_counters *c = r->of_cpus  ? span_of(r, p) :
				      *r->no_span ? NULL :
						    &r->span.all;
	unsigned int share[SPAN_SHARES];
	bool any = c && span_shares(c, share);
	char room[8];
	double cpi;

	if (who)
		fprintf(out, "%s,", who);
	else
		fprintf(out, "%d,", p->cpu);
	if (p->state != COUNTER_NO_ROOM)
		fprintf(out, "%" PRIu64 ",%" PRIu64 ",", p->cycles, p->instructions);
	else
		fputs(",,", out);
	if (cpi_of(p, &cpi))
		fprintf(out, "%.4f", cpi);
	fprintf(out, ",%s", states[p->state]);
	for (int i = 0; i < SPAN_SHARES; i++)
		fprintf(out, ",%s", any ? span_percent(room, share[i]) : "");
	fprintf(out, ",%" PRIu64 "\n", r->elapsed);
}

static void show_csv(FILE *out, const struct cpi_result *r)
{
	fputs("cpu,cycles,instructions,cpi,state,idle_percent,busy_percent,interrupt_percent,elapsed_ns\n",
	      out);
	for (int i = 0; r->of_cpus && i < r->pairs; i++)
		row_csv(out, r, NULL, &r->pair[i]);
	row_csv(out, r, r->of_cpus ? "all" : "command", &r->all);
}

bool show(FILE *out, const struct cpi *o, const struct cpi_result *r)
{
	switch (o->form) {
	case FORM_WORDS:
		show_words(out, o, r);
		break;
	case FORM_JSON:
		show_json(out, o, r);
		break;
	case FORM_CSV:
		show_csv(out, r);
		break;
	}
	return r->all.state == COUNTER_COUNTED;
}
