/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swtrace check: which collectors can serve here, why the others cannot, and what mends it. */
#include <stdio.h>
#include <string.h>
#include "escape.h"
#include "json.h"
#include "next_option.h"
#include "swtrace.h"

#define COLLECTORS	8

static const char *const states[] = { "works", "refused", "absent" };

struct answers {
	struct trace_check process[COLLECTORS], system[COLLECTORS];
	int n;
	const struct trace_check *serves[2];	/* a process, the system; NULL: none */
};

static int ask(struct answers *a, int pid)
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
		escape_printf(stdout, "  %16s %8s mend it: %s\n", "", "", c->cure);
}

static void print_words(const struct answers *a, const char *process)
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

static void print_json(const struct answers *a)
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

int cmd_check(int argc, char **argv)
{
	static const struct option options[] = {
		{ "p", required_argument, NULL, 'p' }, { "json", no_argument, NULL, 'j' },
		{ NULL, 0, NULL, 0 }
	};
	struct answers a = { .n = 0 };
	bool json = false;
	char process[32] = "a command";
	long pid = 0;
	int c;

	optind = 1;
	while ((c = next_option(argc, argv, "", options)) != -1) {
		switch (c) {
		case 'p':
			if (!number("-p", optarg, 1, 1 << 30, &pid))
				return EXIT_SWTRACE;
			snprintf(process, sizeof(process), "process %ld", pid);
			break;
		case 'j':
			json = true;
			break;
		default:
			return USAGE;
		}
	}
	if (optind < argc)
		return USAGE;
	if (ask(&a, (int)pid) < 0)
		return fail_rc(a.n);
	if (json)
		print_json(&a);
	else
		print_words(&a, process);
	return a.serves[0] || a.serves[1] ? 0 : EXIT_SWTRACE;
}
