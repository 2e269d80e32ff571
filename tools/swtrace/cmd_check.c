/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swtrace check: which collectors can serve here, why the rest cannot, and how to enable them. */
#include <stdio.h>
#include <string.h>
#include "escape.h"
#include "json.h"
#include "option_store.h"
#include "swtrace.h"

#define COLLECTORS 8

static const char *const states[] = { "works", "refused", "absent" };

struct check_answers {
	struct trace_check process[COLLECTORS], system[COLLECTORS];
	int n;
	const struct trace_check *serves[2]; /* a process, the system; NULL: none */
};

static int ask(struct check_answers *a, int pid)
{
	a->n = TraceCheck(TRACE_PROCESS, pid, a->process, COLLECTORS);
	if (a->n >= 0)
		a->n = TraceCheck(TRACE_SYSTEM, 0, a->system, COLLECTORS);
	if (a->n > COLLECTORS)
		a->n = COLLECTORS;
	for (int i = 0; i < a->n; i++) {
		if (a->process[i].serves)
			a->serves[0] = &a->process[i];
		if (a->system[i].serves)
			a->serves[1] = &a->system[i];
	}
	return a->n;
}

static bool same(const struct trace_check *a, const struct trace_check *b)
{
	return a->state == b->state && !strcmp(a->why, b->why) && !strcmp(a->cure, b->cure);
}

static void print_one(const char *scope, const struct trace_check *c)
{
	escape_printf(stdout, "  %-16s %-8s %s\n", scope, states[c->state], c->why);
	if (*c->cure)
		escape_printf(stdout, "  %16s %8s fix it: %s\n", "", "", c->cure);
}

static void print_words(const struct check_answers *a, const char *process)
{
	for (int i = 0; i < a->n; i++) {
		escape_printf(stdout, "%s: %s\n", a->process[i].name, a->process[i].what);
		if (same(&a->process[i], &a->system[i])) {
			print_one("all", &a->process[i]);
			continue;
		}
		print_one(process, &a->process[i]);
		print_one("the system (-a)", &a->system[i]);
	}
	escape_printf(stdout, "%s is traced by %s, the system (-a) by %s.\n", process,
		      a->serves[0] ? a->serves[0]->name : "none",
		      a->serves[1] ? a->serves[1]->name : "none");
}

static void put_one(struct json *j, const char *key, const struct trace_check *c)
{
	json_object(j, key);
	json_string(j, "state", states[c->state]);
	json_string(j, "why", c->why);
	json_string(j, "cure", c->cure);
	json_end(j, '}');
}

static void print_json(const struct check_answers *a)
{
	struct json j;

	json_begin(&j, stdout, true);
	json_object(&j, NULL);
	json_array(&j, "collectors");
	for (int i = 0; i < a->n; i++) {
		json_object(&j, NULL);
		json_string(&j, "name", a->process[i].name);
		json_string(&j, "what", a->process[i].what);
		put_one(&j, "process", &a->process[i]);
		put_one(&j, "system", &a->system[i]);
		json_end(&j, '}');
	}
	json_end(&j, ']');
	json_object(&j, "serves");
	json_string(&j, "process", a->serves[0] ? a->serves[0]->name : "");
	json_string(&j, "system", a->serves[1] ? a->serves[1]->name : "");
	json_end(&j, '}');
	json_end(&j, '}');
	putchar('\n');
}

struct asked {
	uint32_t pid; /* 0: a command */
	bool json;
};

static const struct option_row rows[] = { { { "-p" },
					    "PID",
					    "check for this process",
					    option_number,
					    OPTION_TO(struct asked, pid),
					    .least = 1,
					    .most = 1 << 30,
					    .complete = "@process" },
					  { { "--json" },
					    NULL,
					    "print JSON, for programs",
					    option_set,
					    OPTION_TO(struct asked, json) },
					  OPTION_ROWS_END };
static const struct option_part parts[] = { { rows, 0 }, { NULL, 0 } };
const struct option_table cmd_check_table = { .parts = parts };

int cmd_check(int argc, char **argv)
{
	struct check_answers a = { .n = 0 };
	struct asked asked = { .pid = 0 };
	struct option_rest rest;
	char process[32] = "a command";
	int code;

	if (!take_options(&cmd_check_table, &asked, argc, argv, &rest, &code))
		return code;
	if (rest.count)
		return USAGE;
	if (asked.pid)
		snprintf(process, sizeof(process), "process %u", asked.pid);
	if (ask(&a, (int)asked.pid) < 0)
		return fail_rc(a.n);
	if (asked.json)
		print_json(&a);
	else
		print_words(&a, process);
	return a.serves[0] || a.serves[1] ? 0 : EXIT_SWTRACE;
}
