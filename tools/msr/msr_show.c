/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the values of one register, CPU by CPU, as text, JSON or CSV. */
#include "msr_show.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "complain.h"
#include "escape.h"
#include "json.h"
#include "msr_names.h"

/* Prints a failure once if it is the same for all CPUs. */
static void show_failures(const struct msr_report *r)
{
	bool same = r->n > 1;

	for (size_t i = 0; i < r->n; i++)
		same &= *r->result[i].why && !strcmp(r->result[i].why, r->result[0].why);
	for (size_t i = 0; i < (same ? 1 : r->n); i++)
		if (same)
			complain("all CPUs: %s", r->result[i].why);
		else if (*r->result[i].why)
			complain("CPU %u: %s", r->result[i].cpu, r->result[i].why);
}

void msr_show_text(const struct msr_report *r)
{
	const char *name = msr_name(r->reg);
	bool head = true;

	for (size_t i = 0; i < r->n; i++) {
		const struct msr_result *a = &r->result[i];

		if (!a->have)
			continue;
		if (head) {
			printf("register 0x%" PRIx32 "%s%s%s\n", r->reg, name ? " " : "",
			       name ? name : "", r->write ? ", read back" : "");
			printf("  CPU  %-18s  %20s", "HEX", "DECIMAL");
			if (r->bits)
				printf("  BITS %u:%u", r->high, r->low);
			putchar('\n');
			head = false;
		}
		printf("%5u  0x%016" PRIx64 "  %20" PRIu64, a->cpu, a->value, a->value);
		if (r->bits)
			printf("  0x%" PRIx64, msr_field(a->value, r->high, r->low));
		putchar('\n');
	}
	fflush(stdout);
	show_failures(r);
}

void msr_show_json(const struct msr_report *r)
{
	const char *name = msr_name(r->reg);
	struct json j;

	json_document(&j, stdout, true);
	json_hex(&j, "register", r->reg);
	if (name)
		json_string(&j, "name", name);
	else
		json_null(&j, "name");
	if (r->bits) {
		json_uint(&j, "high_bit", r->high);
		json_uint(&j, "low_bit", r->low);
	}
	if (r->write)
		json_hex(&j, "write", r->written);
	json_array(&j, "cpus");
	for (size_t i = 0; i < r->n; i++) {
		const struct msr_result *a = &r->result[i];

		json_object(&j, NULL);
		json_uint(&j, "cpu", a->cpu);
		if (r->write)
			json_bool(&j, "written", a->wrote);
		if (a->have)
			json_hex(&j, "value", a->value);
		if (a->have && r->bits)
			json_hex(&j, "field", msr_field(a->value, r->high, r->low));
		if (*a->why)
			json_string(&j, "error", a->why);
		json_end(&j, '}');
	}
	json_end(&j, ']');
	json_end(&j, '}');
}

void msr_show_csv(const struct msr_report *r)
{
	const char *name = msr_name(r->reg);

	puts("cpu,register,name,value,field,error");
	for (size_t i = 0; i < r->n; i++) {
		const struct msr_result *a = &r->result[i];

		printf("%u,0x%" PRIx32 ",%s,", a->cpu, r->reg, name ? name : "");
		if (a->have)
			printf("0x%" PRIx64, a->value);
		putchar(',');
		if (a->have && r->bits)
			printf("0x%" PRIx64, msr_field(a->value, r->high, r->low));
		putchar(',');
		escape_csv(stdout, a->why);
		putchar('\n');
	}
	fflush(stdout);
	show_failures(r);
}

void msr_show_names(void)
{
	printf("%-10s  %-29s  %-10s  %s\n", "REGISTER", "NAME", "MANUAL", "WHAT");
	for (const struct msr_name *n = msr_names; n->name; n++)
		printf("0x%-8" PRIx32 "  %-29s  %-10s  %s\n", n->number, n->name, n->vendor,
		       n->what);
}
