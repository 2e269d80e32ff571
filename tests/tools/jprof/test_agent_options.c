/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of both agents for Java: each option, the whole result, the message of each
 * refusal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent_options.h"
#include "pitrace.h"
#include "unit.h"

const struct agent_kind agent_kind = { "jprof", "libjprof.so", "traces calls", PART_CALLS };

static struct agent_options o;
static char said[8192];

/* Redirects the output of a descriptor to a file. */
struct caught {
	int fd, file, before;
};

static void catch (struct caught *c, int fd)
{
	fflush(NULL);
	c->fd = fd;
	c->file = memfd_create("said", MFD_CLOEXEC);
	c->before = dup(fd);
	CU_ASSERT_FATAL(c->before >= 0 && dup2(c->file, fd) == fd);
}

static void let_go(struct caught *c)
{
	ssize_t n;

	fflush(NULL);
	dup2(c->before, c->fd);
	close(c->before);
	n = pread(c->file, said, sizeof(said) - 1, 0);
	said[n > 0 ? n : 0] = 0;
	close(c->file);
}

static int take_with(const char *environment, const char *text)
{
	struct caught c;
	int rc;

	if (environment)
		setenv("JPROFOPTS", environment, 1);
	else
		unsetenv("JPROFOPTS");
	catch (&c, STDERR_FILENO);
	rc = options_take(&o, text);
	let_go(&c);
	return rc;
}

/* Returns whether the options of this text, with defaults for the others, equal `want`. */
static bool gives(const char *text, const struct agent_options *want)
{
	struct agent_options all = *want;
	bool same;

	if (take_with(NULL, text) != 1 || *said)
		return false;
	all.rate = all.rate ? all.rate : 997;
	all.sampled = all.sampled ? all.sampled : 1u << PITRACE_SAMPLED_CPU;
	all.calls.parts = all.calls.parts ? all.calls.parts : PART_CALLS;
	all.methods = o.methods;
	all.threads = o.threads;
	same = !memcmp(&all, &o, sizeof(o));
	options_free(&o);
	return same;
}

#define GIVES(text, ...)                        \
	do {                                    \
		struct agent_options want;      \
		memset(&want, 0, sizeof(want)); \
		__VA_ARGS__;                    \
		CU_ASSERT(gives(text, &want));  \
	} while (0)

static void each_option(void)
{
	GIVES(NULL, );
	GIVES("", );
	GIVES(",,", );
	GIVES("CALLFLOW", );
	GIVES("CALLTREE", want.calls.tree = true);
	GIVES("CALLTREE,CALLFLOW", );
	GIVES("CALLTRACE", want.calls.trace = true);
	GIVES("METHODTYPES", want.calls.types = true);
	GIVES("STATDYN", want.calls.types = want.static_types = true);
	GIVES("EXITPOP", );
	GIVES("NONATIVES", want.no_natives = true);
	GIVES("MODE=probes", want.probes = true);
	GIVES("MODE=probes,MODE=rewrite", );
	GIVES("CALIBRATION=a/file", strcpy(want.calls.minima, "a/file"));
	GIVES("CALIBRATION=none", want.calls.no_minima = true);
	GIVES("CALIBRATION=none,CALIBRATION=nine", strcpy(want.calls.minima, "nine"));
	GIVES("START=later", want.later = true);
	GIVES("START=later,START", );
	GIVES("START=later,START=now", );
	GIVES("LOGPATH=/logs/here", strcpy(want.calls.path, "/logs/here"));
	GIVES("LOGPREFIX=run", strcpy(want.calls.prefix, "run"));
	GIVES("OBJECTINFO", want.calls.parts = PART_OBJECTS);
	GIVES("SCS", want.calls.parts = PART_STACKS | PART_NAMES);
	GIVES("SCSKINDS", want.calls.parts = PART_STACKS | PART_NAMES; want.kinds = true);
	GIVES("SCSCHECK", want.calls.parts = PART_STACKS | PART_NAMES; want.check = true);
	GIVES("TPROF", want.calls.parts = PART_NAMES | PART_THREADS; want.code = true);
	GIVES("ITRACE", want.calls.parts = PART_NAMES | PART_THREADS; want.code = true);
	GIVES("JITA2N", want.calls.parts = PART_NAMES; want.text = true);
	GIVES("JINSTS", want.calls.parts = PART_NAMES; want.code = true);
	GIVES("code", want.calls.parts = PART_NAMES; want.code = true);
	GIVES("lines", want.calls.parts = PART_NAMES; want.lines = true);
	GIVES("dir=/dumps", want.calls.parts = PART_NAMES; strcpy(want.folder, "/dumps"));
	GIVES("THREADINFO", want.calls.parts = PART_THREADS; want.thread_log = true);
	GIVES("JLM", want.calls.parts = PART_LOCKS; want.gets = true);
	GIVES("JLML", want.calls.parts = PART_LOCKS);
	/* To listen is not part of its own: it does what its kind does without options. */
	GIVES("CONTROL", want.calls.parts = PART_CONTROL | PART_CALLS);
	GIVES("CONTROL=tcp", want.calls.parts = PART_CONTROL | PART_CALLS; want.tcp = true);
	GIVES("CONTROL=tcp:65535,JLML", want.calls.parts = PART_CONTROL | PART_LOCKS;
	      want.tcp = true; want.port = 65535);
	GIVES("JLML,OBJECTINFO,CALLTREE", want.calls.parts = PART_LOCKS | PART_OBJECTS | PART_CALLS;
	      want.calls.tree = true);
}

static void rates_and_kinds(void)
{
	const unsigned int stacks = PART_STACKS | PART_NAMES;

	GIVES("SCSRATE=1", want.calls.parts = stacks; want.rate = 1);
	GIVES("SCSRATE=20000", want.calls.parts = stacks; want.rate = 20000);
	GIVES("SCSEVENTS=cpu", want.calls.parts = stacks; want.sampled = 1u << PITRACE_SAMPLED_CPU);
	GIVES("SCSEVENTS=wall", want.calls.parts = stacks;
	      want.sampled = 1u << PITRACE_SAMPLED_WALL);
	GIVES("SCSEVENTS=alloc", want.calls.parts = stacks;
	      want.sampled = 1u << PITRACE_SAMPLED_ALLOC);
	GIVES("SCSEVENTS=lock+wall,SCSRATE=50", want.calls.parts = stacks; want.rate = 50;
	      want.sampled = 1u << PITRACE_SAMPLED_LOCK | 1u << PITRACE_SAMPLED_WALL);
	GIVES("SCSEVENTS=lock,SCSEVENTS=alloc", want.calls.parts = stacks;
	      want.sampled = 1u << PITRACE_SAMPLED_ALLOC);
}

static void filters(void)
{
	CU_ASSERT_EQUAL(take_with(NULL, "CLASSMETHODS=a/*+-a/B.*,THREADS=main"), 1);
	CU_ASSERT_EQUAL(o.calls.parts, PART_CALLS);
	CU_ASSERT(filter_takes(&o.methods, "a/C.f()V") && !filter_takes(&o.methods, "a/B.f()V"));
	CU_ASSERT(filter_takes(&o.threads, "main") && !filter_takes(&o.threads, "other"));
	options_free(&o);
	CU_ASSERT(!o.methods.patterns && !o.threads.patterns);
}

/* The environment comes first; what is wrong there says so. */
static void from_the_environment(void)
{
	CU_ASSERT_EQUAL(take_with("CALLTREE,SCSRATE=5", "SCSRATE=7"), 1);
	CU_ASSERT(o.calls.tree && o.rate == 7 &&
		  o.calls.parts == (PART_CALLS | PART_STACKS | PART_NAMES));
	options_free(&o);
	CU_ASSERT_EQUAL(take_with("CALLTREE,NO", "SCSRATE=7"), -1);
	CU_ASSERT_STRING_EQUAL(said,
			       "jprof: JPROFOPTS: NO: unknown option (HELP lists the options)\n");
}

/* The tree without metrics does not show those that were chosen. */
static void tree_without_metrics(void)
{
	CU_ASSERT_EQUAL(take_with(NULL, "CALLTREE,METRICS=wall"), 1);
	CU_ASSERT_STRING_EQUAL(said, "jprof: CALLTREE shows no metrics: METRICS= has no effect\n");
	options_free(&o);
	CU_ASSERT_EQUAL(take_with("METRICS=wall", "CALLTREE,CALLTRACE"), 1);
	CU_ASSERT_STRING_EQUAL(said, "");
	options_free(&o);
	CU_ASSERT_EQUAL(take_with("CALLTREE,METRICS=wall", "CALLFLOW"), 1);
	CU_ASSERT_STRING_EQUAL(said, "");
	options_free(&o);
}

#define REFUSES(text, part, why)                                                               \
	do {                                                                                   \
		CU_ASSERT_EQUAL(take_with(NULL, text), -1);                                    \
		CU_ASSERT_STRING_EQUAL(said,                                                   \
				       "jprof: " part ": " why " (HELP lists the options)\n"); \
		CU_ASSERT(!o.methods.patterns && !o.threads.patterns);                         \
	} while (0)

static void refusals(void)
{
	REFUSES("CALLTREE,WHAT,CALLTRACE", "WHAT", "unknown option");
	REFUSES("CALLTREES", "CALLTREES", "unknown option");
	REFUSES("CALLTREE=1", "CALLTREE=1", "it takes no value");
	REFUSES("calltree", "calltree", "unknown option: upper and lower case differ");
	REFUSES("mode=probes", "mode=probes", "unknown option: upper and lower case differ");
	REFUSES("MODE", "MODE", "it needs a value");
	REFUSES("=", "=", "unknown option");
	REFUSES("CLASSMETHODS=a,MODE=", "MODE=", "it is rewrite or probes");
	REFUSES("MODE=probe", "MODE=probe", "it is rewrite or probes");
	REFUSES("MODE=probess", "MODE=probess", "it is rewrite or probes");
	REFUSES("START=", "START=", "it is now or later");
	REFUSES("START=nows", "START=nows", "it is now or later");
	REFUSES("START=late", "START=late", "it is now or later");
	REFUSES("SCSRATE=", "SCSRATE=", "a rate is 1 to 20000 samples a second");
	REFUSES("SCSRATE=0", "SCSRATE=0", "a rate is 1 to 20000 samples a second");
	REFUSES("SCSRATE=20001", "SCSRATE=20001", "a rate is 1 to 20000 samples a second");
	REFUSES("SCSRATE=9x", "SCSRATE=9x", "a rate is 1 to 20000 samples a second");
	REFUSES("SCSRATE=-9", "SCSRATE=-9", "a rate is 1 to 20000 samples a second");
	REFUSES("SCSRATE=0000000000000009", "SCSRATE=0000000000000009",
		"a rate is 1 to 20000 samples a second");
	REFUSES("SCSEVENTS=", "SCSEVENTS=", "it is cpu, wall, alloc, lock, or several: cpu+wall");
	REFUSES("SCSEVENTS=cpus", "SCSEVENTS=cpus",
		"it is cpu, wall, alloc, lock, or several: cpu+wall");
	REFUSES("SCSEVENTS=cp", "SCSEVENTS=cp",
		"it is cpu, wall, alloc, lock, or several: cpu+wall");
	REFUSES("SCSEVENTS=cpu++wall", "SCSEVENTS=cpu++wall",
		"it is cpu, wall, alloc, lock, or several: cpu+wall");
	REFUSES("CONTROL=", "CONTROL=", "it is tcp or tcp:PORT");
	REFUSES("CONTROL=udp", "CONTROL=udp", "it is tcp or tcp:PORT");
	REFUSES("CONTROL=tcp:", "CONTROL=tcp:", "it is tcp or tcp:PORT");
	REFUSES("CONTROL=tcp7", "CONTROL=tcp7", "it is tcp or tcp:PORT");
	REFUSES("CONTROL=tcp:65536", "CONTROL=tcp:65536", "it is tcp or tcp:PORT");
	REFUSES("CONTROL=tcp:7x", "CONTROL=tcp:7x", "it is tcp or tcp:PORT");
	REFUSES("CLASSMETHODS=", "CLASSMETHODS=", "patterns separated by + are needed");
	REFUSES("THREADS=a+", "THREADS=a+", "patterns separated by + are needed");
	REFUSES("LOGPATH=", "LOGPATH=", "a name is needed");
	REFUSES("LOGPREFIX=a/b", "LOGPREFIX=a/b",
		"a name cannot contain a slash: LOGPATH= sets the folder");
	REFUSES("dir=", "dir=", "a name is needed");
	REFUSES("CALIBRATION=", "CALIBRATION=", "a name is needed");
	REFUSES("THREADS=a,JITA2N,lines", "lines",
		"log-jita2n, which JITA2N selects, has no lines");
	REFUSES("\033[31m", "\\x1b[31m", "unknown option");
}

/* A prefix and folders have room for so many bytes, including the NUL. */
static void lengths(void)
{
	char text[6000], name[5000];

	for (size_t n = 255; n <= 256; n++) {
		memset(name, 'a', n);
		name[n] = 0;
		snprintf(text, sizeof(text), "LOGPREFIX=%s", name);
		CU_ASSERT_EQUAL(take_with(NULL, text), n < 256 ? 1 : -1);
		CU_ASSERT(n < 256 ? !strcmp(o.calls.prefix, name) :
				    strstr(said, ": it is too long (HELP") != NULL);
		options_free(&o);
	}
	for (size_t n = 4095; n <= 4096; n++) {
		memset(name, 'a', n);
		name[n] = 0;
		snprintf(text, sizeof(text), "dir=%s", name);
		CU_ASSERT_EQUAL(take_with(NULL, text), n < 4096 ? 1 : -1);
		CU_ASSERT(n >= 4096 || !strcmp(o.folder, name));
		options_free(&o);
	}
}

static void help(void)
{
	static const char first[] =
		"jprof: traces calls\n"
		"  -agentpath:.../libjprof.so[=OPTION[,OPTION]...], and before that JPROFOPTS=OPTION,... in the environment\n"
		"  CALLFLOW                  the tree of calls with what each method took\n";
	static const char mode[] =
		"\n  MODE=rewrite|probes       how calls are recorded: by changed classes (default), or the VM's own probes\n";
	struct caught c;

	unsetenv("JPROFOPTS");
	for (int i = 0; i < 2; i++) {
		catch (&c, STDOUT_FILENO);
		CU_ASSERT_EQUAL(options_take(&o, i ? "THREADS=a,HELP,nonsense" : "help"), 0);
		let_go(&c);
		CU_ASSERT_EQUAL(strncmp(said, first, strlen(first)), 0);
		CU_ASSERT_PTR_NOT_NULL(strstr(said, mode));
		CU_ASSERT_PTR_NOT_NULL(strstr(said, "\n  help                      the same\n"));
		CU_ASSERT_PTR_NULL(o.threads.patterns);
	}
}

/* For an agent that is loaded already, only CONTROL counts. */
static void control_alone(void)
{
	CU_ASSERT_FALSE(options_ask_control(&o, NULL));
	CU_ASSERT_FALSE(options_ask_control(&o, ""));
	CU_ASSERT_FALSE(options_ask_control(&o, "CALLTREE,NONSENSE,SCSRATE=x"));
	CU_ASSERT_FALSE(options_ask_control(&o, "CONTROL=udp"));
	CU_ASSERT_FALSE(options_ask_control(&o, "CONTROLS"));
	CU_ASSERT_TRUE(options_ask_control(&o, "CONTROL"));
	CU_ASSERT(!o.tcp && !o.calls.tree && !o.rate);
	CU_ASSERT_TRUE(options_ask_control(&o, "CALLTREE,CONTROL=tcp:99,NONSENSE"));
	CU_ASSERT(o.tcp && o.port == 99 && !o.calls.tree && !o.calls.parts);
	CU_ASSERT_TRUE(options_ask_control(&o, "CONTROL=tcp,CONTROL=no"));
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "each_option", each_option },
		{ "rates_and_kinds", rates_and_kinds },
		{ "filters", filters },
		{ "from_the_environment", from_the_environment },
		{ "tree_without_metrics", tree_without_metrics },
		{ "refusals", refusals },
		{ "lengths", lengths },
		{ "help", help },
		{ "control_alone", control_alone },
		{ NULL, NULL },
	};

	return unit_run("agent_options", tests);
}
