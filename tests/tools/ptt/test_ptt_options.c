/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ptt's options: what each sub-command is called with, and which it refuses. The sub-commands are
 * the test's own. (Linked with --wrap: messages.)
 */
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include "unit.h"

int ptt_main(int argc, char **argv);
#define main ptt_main
#include "../../tools/ptt/main.c"
#undef main

/* They are written by the process that runs ptt. */
static char *said, *called;

enum { ROOM = 400 };

void __wrap_complain(const char *format, ...);
void __wrap_complain(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(said, ROOM, format, list);
	va_end(list);
}

/* ---- the sub-commands ------------------------------------------------------------------------ */

enum { CODE_OF_RUN = 41, CODE_OF_DUMP, CODE_OF_TOP, CODE_OF_TERM, CODE_OF_INFO, CODE_OF_INIT };

static size_t note(size_t n, const char *format, ...) __attribute__((format(printf, 2, 3)));
static size_t note(size_t n, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	n += (size_t)vsnprintf(called + n, ROOM - n, format, list);
	va_end(list);
	return n;
}

/* Notes all that is not as without any option. */
static int call(const char *name, const struct ptt_options *o, int code)
{
	static const char *const sorts[] = { "process", "thread", "dispatches", "interrupts",
					     "metric" };
	static const char *const forms[] = { "", " json", " csv" };
	size_t n = note(0, "%s%s", name, forms[o->form]);

	for (int i = 0; i < o->metrics; i++)
		n = note(n, " m=%s", o->metric[i]);
	if (o->priv != TRACE_PRIV_ANY)
		n = note(n, " priv=%s", o->priv == TRACE_PRIV_USER ? "user" : "kernel");
	if (o->threads)
		n = note(n, " n=%d", o->threads);
	n = note(n, "%s%s%s%s", o->charged ? " charged" : "", o->cpus ? " cpus" : "",
		 o->cpi ? " cpi" : "", o->cgroup ? " cgroup" : "");
	if (o->sort)
		n = note(n, " by=%s", sorts[o->sort]);
	if (o->by)
		n = note(n, ",%d", o->by);
	if (o->interval)
		n = note(n, " s=%" PRIu64, o->interval);
	if (o->repeat)
		n = note(n, " r=%" PRIu64, o->repeat);
	for (int i = 0; i < o->pids; i++)
		n = note(n, " p=%d", o->pid[i]);
	if (o->chosen)
		n = note(n, " pl=%s", o->chosen);
	if (o->file)
		n = note(n, " o=%s", o->file);
	for (char **word = o->words; *word; word++)
		n = note(n, " '%s'", *word);
	return code;
}

int cmd_run(const struct ptt_options *o)
{
	return call("run", o, CODE_OF_RUN);
}

int cmd_init(const struct ptt_options *o)
{
	return call("init", o, CODE_OF_INIT);
}

int cmd_term(const struct ptt_options *o)
{
	return call("term", o, CODE_OF_TERM);
}

int cmd_info(const struct ptt_options *o)
{
	return call("info", o, CODE_OF_INFO);
}

int cmd_charge(bool charged)
{
	note(0, "charge %d", charged);
	return 40 - charged;
}

int cmd_dump(const struct ptt_options *o)
{
	return call("dump", o, CODE_OF_DUMP);
}

int cmd_top(const struct ptt_options *o)
{
	return call("top", o, CODE_OF_TOP);
}

/* ---- command lines --------------------------------------------------------------------------- */

/* In a process of its own: getopt(3) keeps what it began with. */
static int ptt(const char *words)
{
	char *argv[80] = { "ptt" }, *copy = strdup(words), *rest = copy, *word;
	int argc = 1, status = -1;
	pid_t child;

	*called = *said = 0;
	while ((word = strsep(&rest, " ")))
		if (*word && argc < 79)
			argv[argc++] = strcmp(word, "''") ? word : word + 2;
	fflush(stdout);
	child = fork();
	if (!child)
		_exit(ptt_main(argc, argv));
	CU_ASSERT(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
	free(copy);
	return WEXITSTATUS(status);
}

static void taken(void)
{
	static const struct {
		const char *words, *called;
		int code;
	} cases[] = {
		{ "dump", "dump", CODE_OF_DUMP },
		{ "dump -sp", "dump", CODE_OF_DUMP },
		{ "dump -st -r 1", "dump by=thread r=1", CODE_OF_DUMP },
		{ "dump -sd -r 4294967295", "dump by=dispatches r=4294967295", CODE_OF_DUMP },
		{ "dump -si -s 0.001", "dump by=interrupts s=1000000", CODE_OF_DUMP },
		{ "dump -sm 1 -s 24h", "dump by=metric s=86400000000000", CODE_OF_DUMP },
		{ "dump -sm 8", "dump by=metric,7", CODE_OF_DUMP },
		{ "dump -cpi --cpus -o f -pl a,7", "dump cpus cpi pl=a,7 o=f", CODE_OF_DUMP },
		{ "dump -cgroup", "dump cgroup", CODE_OF_DUMP },
		{ "dump --json", "dump json", CODE_OF_DUMP },
		{ "dump --csv", "dump csv", CODE_OF_DUMP },
		/* The last of these is meant. */
		{ "dump --csv -sd -st --json", "dump json by=thread", CODE_OF_DUMP },
		{ "init --ints --noints", "init", CODE_OF_INIT },
		/* The metric is the counter of the machine, where none is named. */
		{ "top", "top by=metric,-1", CODE_OF_TOP },
		{ "top -sp -d 0.001 -r 2", "top,-1 s=1000000 r=2", CODE_OF_TOP },
		{ "top -sm 2 -p 1,1073741824 -p 3", "top by=metric,1 p=1 p=1073741824 p=3",
		  CODE_OF_TOP },
		{ "top -m tsc,pmu/a=1,b=2/u,x -u -n 1 -pl z",
		  "top m=tsc m=pmu/a=1,b=2/u m=x priv=user n=1 by=metric,-1 pl=z", CODE_OF_TOP },
		{ "init", "init", CODE_OF_INIT },
		{ "init a b,c priv_user -p 5 --ints",
		  "init m=a m=b m=c priv=user charged p=5 'a' "
		  "'b' 'priv_user'",
		  CODE_OF_INIT },
		{ "init priv_user priv_kernel x --noints",
		  "init m=x priv=kernel 'priv_user' 'priv_kernel' 'x'", CODE_OF_INIT },
		{ "init priv_kernel priv_any", "init 'priv_kernel' 'priv_any'", CODE_OF_INIT },
		{ "init 1,2,3,4 5,6,7,8", "init m=1 m=2 m=3 m=4 m=5 m=6 m=7 m=8 '1' '5'",
		  CODE_OF_INIT },
		{ "run x -u --json", "run 'x' '-u' '--json'", CODE_OF_RUN },
		{ "run -k -m a -cpi --cpus -o f --csv --ints -- -x y",
		  "run csv m=a priv=kernel charged cpus cpi o=f '-x' 'y'", CODE_OF_RUN },
		{ "run x", "run 'x'", CODE_OF_RUN },
		{ "info --json", "info json", CODE_OF_INFO },
		{ "term", "term", CODE_OF_TERM },
		{ "ints", "charge 1", 39 },
		{ "noints", "charge 0", 40 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int code = ptt(cases[i].words);

		if (code != cases[i].code || strcmp(called, cases[i].called) != 0)
			printf("# %s: %d, %s; %s\n", cases[i].words, code, called, said);
		CU_ASSERT_EQUAL(code, cases[i].code);
		CU_ASSERT_STRING_EQUAL(called, cases[i].called);
		CU_ASSERT_STRING_EQUAL(said, "");
	}
}

static void refused(void)
{
	char most[100], many[8 * PTTVIEW_HELD_PIDS + 20] = "top -p 1";
	static const struct {
		const char *words, *said;
	} cases[] = {
		{ "dmp", "no sub-command 'dmp'" },
		{ "-x", "option" },
		{ "init ''", "init: no metric is named" },
		{ "top -d 0.0009", "-d" },
		{ "dump -sm 0", "-sm" },
		{ "dump -sm 9", "-sm" },
		{ "dump -sm x", "-sm" },
		{ "dump -s 0.0009", "-s" },
		{ "dump -s 86400.1", "-s" },
		{ "dump -r 0", "-r" },
		{ "dump -r 4294967296", "-r" },
		{ "dump -d 1", "-d" },
		{ "dump -m tsc", "-m" },
		{ "top -s 1", "-s" },
		{ "top -n 0", "-n" },
		{ "top -u -k", "-k" },
		{ "top -p 0", "-p: invalid process id '0'" },
		{ "top -p 1,,2", "-p: invalid process id ''" },
		{ "top -p 1073741825", "-p: invalid process id '1073741825'" },
		{ "top -m 1,2,3,4,5,6,7,8,9", "-m: more than 8 metrics" },
		{ "init 1,2,3,4 5,6,7,8,9", "init: more than 8 metrics" },
		{ "init -u", "-u" },
		{ "info --csv", "--csv" },
		{ "term --json", "--json" },
		{ "run -p 1 x", "-p" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		CU_ASSERT_EQUAL(ptt(cases[i].words), EXIT_PTT);
		CU_ASSERT_STRING_EQUAL(called, "");
		if (!strstr(said, cases[i].said))
			printf("# %s: %s\n", cases[i].words, said);
		CU_ASSERT_PTR_NOT_NULL(strstr(said, cases[i].said));
	}
	snprintf(most, sizeof(most), "top -n %d", PITRACE_PTT_SLOTS);
	CU_ASSERT_EQUAL(ptt(most), CODE_OF_TOP);
	snprintf(most, sizeof(most), "top -n %d", PITRACE_PTT_SLOTS + 1);
	CU_ASSERT_EQUAL(ptt(most), EXIT_PTT);
	for (int i = 1; i < PTTVIEW_HELD_PIDS; i++)
		strcat(many, ",7");
	CU_ASSERT_EQUAL(ptt(many), CODE_OF_TOP);
	strcat(many, ",7");
	CU_ASSERT_EQUAL(ptt(many), EXIT_PTT);
	CU_ASSERT_PTR_NOT_NULL(strstr(said, "-p: more than "));
}

/* Words that a sub-command has no use for, or lacks: all of the help, on the standard error. */
static void misuses(void)
{
	static const char *const wrong[] = { "",       "dump x",   "term x", "info x",
					     "ints x", "noints x", "top x",  "run" };
	int kept = dup(2), helped = memfd_create("help", MFD_CLOEXEC);

	CU_ASSERT_FATAL(kept >= 0 && helped >= 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		char text[80] = "";
		int code;

		CU_ASSERT(!ftruncate(helped, 0) && dup2(helped, 2) == 2);
		code = ptt(wrong[i]);
		fflush(stderr);
		dup2(kept, 2);
		CU_ASSERT_EQUAL(code, EXIT_PTT);
		CU_ASSERT_STRING_EQUAL(called, "");
		CU_ASSERT(pread(helped, text, sizeof(text) - 1, 0) > 0);
		CU_ASSERT_EQUAL(strncmp(text, "usage: ptt init", 15), 0);
		lseek(helped, 0, SEEK_SET);
	}
	close(kept);
	close(helped);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "taken", taken },
		{ "refused", refused },
		{ "misuses", misuses },
		{ NULL, NULL },
	};

	said = mmap(NULL, 2 * ROOM, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (said == MAP_FAILED)
		return 1;
	called = said + ROOM;
	return unit_run("ptt_options", tests);
}
