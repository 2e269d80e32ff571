/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swtrace check: prints which collectors work here, why the others do not, and how to enable
 * them. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "check_tracepoints.h"
#include "escape.h"
#include "json.h"
#include "option_store.h"
#include "swtrace.h"

#define COLLECTORS 8

static const char *const states[] = { "works", "refused", "absent" };

struct check_answers {
	struct trace_check process[COLLECTORS], system[COLLECTORS];
	int n;
	const struct trace_check *serves[2]; /* for a process, for the system; NULL: none */
	struct trace_check tracepoints;      /* not a collector: some records need them */
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
	check_tracepoints(&a->tracepoints);
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

/* ---- a process's own records ----------------------------------------------------------------- */

enum records { RECORDS_YES, RECORDS_DROPPED, RECORDS_OTHERS, RECORDS_UNKNOWN };

static FILE *of_process(int pid, const char *leaf)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, leaf);
	return fopen(path, "re");
}

static bool user_of(int pid, unsigned int *uid)
{
	FILE *f = of_process(pid, "status");
	char line[256];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, "Uid: %*u %u", uid) == 1;
	if (f)
		fclose(f);
	return found;
}

/* Returns whether the program still has the key to root's session, which it got if root started it
 * (hook/hook_door.h). */
static bool has_key(int pid)
{
	const char *named = secure_getenv("PITRACE_SOCKET");
	FILE *f = of_process(pid, "maps");
	char path[PATH_MAX], line[PATH_MAX + 128];
	unsigned int high, low;
	unsigned long inode;
	struct stat st;
	bool found = false;

	snprintf(path, sizeof(path), "%s.door", named && *named ? named : "/run/pitrace.sock");
	while (f && !stat(path, &st) && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%*s %*s %*s %x:%x %lu", &high, &low, &inode) == 3 &&
			inode == st.st_ino && makedev(high, low) == st.st_dev;
	if (f)
		fclose(f);
	return found;
}

static enum records records_of(int pid, unsigned int *uid)
{
	if (!user_of(pid, uid))
		return RECORDS_UNKNOWN;
	if (*uid == geteuid())
		return RECORDS_YES;
	return !geteuid() && has_key(pid) ? RECORDS_DROPPED : RECORDS_OTHERS;
}

static const char *const recorded[] = { "yes", "yes", "no", "" };

static void print_records(int pid)
{
	unsigned int uid = 0;

	switch (records_of(pid, &uid)) {
	case RECORDS_YES:
		puts("Its own records (TraceHook) are recorded.");
		break;
	case RECORDS_DROPPED:
		printf("Its own records (TraceHook) are recorded: it is user %u's, and root began it.\n",
		       uid);
		break;
	case RECORDS_OTHERS:
		printf("Its own records (TraceHook) are not recorded without the module: it is user "
		       "%u's. Begin it as this user; rights that it drops later do not matter.\n",
		       uid);
		break;
	case RECORDS_UNKNOWN:
		break;
	}
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
	puts("tracepoints: the kernel's, for system calls, wake-ups and dispatches without the module");
	print_one("all", &a->tracepoints);
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

static void print_json(const struct check_answers *a, int pid)
{
	unsigned int uid;
	struct json j;

	json_document(&j, stdout, true);
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
	put_one(&j, "tracepoints", &a->tracepoints);
	json_object(&j, "serves");
	json_string(&j, "process", a->serves[0] ? a->serves[0]->name : "");
	json_string(&j, "system", a->serves[1] ? a->serves[1]->name : "");
	json_end(&j, '}');
	if (pid)
		json_string(&j, "records", recorded[records_of(pid, &uid)]);
	json_end(&j, '}');
	putchar('\n');
}

struct asked {
	uint32_t pid; /* 0: check for a command */
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
		print_json(&a, (int)asked.pid);
	else
		print_words(&a, process);
	if (asked.pid && !asked.json)
		print_records((int)asked.pid);
	return a.serves[0] || a.serves[1] ? 0 : EXIT_SWTRACE;
}
