/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --jit: has the command and its children report the code that they generate. --calls: has Java VMs
 * log the calls of their methods, by the same agent, and compiled programs log theirs. The request
 * is made in the environment, so that it reaches every program that the command starts; other
 * programs ignore it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "complain.h"
#include "run.h"

#define LOG      "log-rt.1_"
#define SCS_RATE 997 /* the same as a session's default */
/* With an agent that observes compiled code, HotSpot's compilers record where each instruction
 * comes from. That takes longer than all that the agent does. Stacks need it, names do not. */
#define NAMES_ONLY "-XX:+UnlockDiagnosticVMOptions -XX:-DebugNonSafepoints"

/* Writes the trace's folder: post finds jitdumps there. */
static bool folder_of(const char *file, char path[PATH_MAX])
{
	char folder[PATH_MAX];
	const char *slash = strrchr(file, '/');

	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - file + 1) : 1,
		 slash ? file : ".");
	return realpath(folder, path) != NULL;
}

static const char *option_of(const struct trace_run *r)
{
	return r->calls ? "--calls" : "--jit";
}

static const char *agent_of(const struct trace_run *r)
{
	return r->calls ? "pitrace/libjprof.so" : "pitrace/libpijit.so";
}

static const char *without(const struct trace_run *r)
{
	return r->calls ? "there are no calls" : "Java's code will have no names";
}

/* Returns the agent's file name without its folder. */
static const char *name_of(const char *agent)
{
	return strrchr(agent, '/') + 1;
}

static bool has_agent(const struct trace_run *r, char agent[PATH_MAX])
{
	if (run_find(agent_of(r), agent))
		return true;
	/* Calls of other programs do not need the agent. */
	if (!r->calls)
		fail("--jit: %s is not installed: %s; build it where a JDK's headers are (default-jdk-headless), then make install",
		     name_of(agent_of(r)), without(r));
	return false;
}

/*
 * The agent walks the stacks of Java threads, in the sampled thread: a collector cannot walk frames
 * of the interpreter or of compiled methods, nor name inlined methods. The samples are timer ticks.
 */
static bool wants_stacks(const struct trace_run *r)
{
	return r->jit && !r->calls && r->t.stacks & PITRACE_WANT_USER && !r->t.nevents &&
	       !r->t.itrace;
}

static void want_samples(struct trace_run *r)
{
	uint64_t any = 0;

	for (unsigned int i = 0; i < PITRACE_MAJORS / 64; i++)
		any |= r->t.majors[i];
	if (!any)
		r->t.majors[PITRACE_TPROF / 64] |= 1ull << PITRACE_TPROF % 64;
	r->t.majors[PITRACE_HOOKIT / 64] |= 1ull << PITRACE_HOOKIT % 64;
	r->t.prefer_cycles = false;
}

static bool java(struct trace_run *r, const char *folder)
{
	char stacks[64] = "";
	const char *option = option_of(r);
	char agent[PATH_MAX], *word,
		*patterns = r->calls ? run_patterns(r->functions, r->not_functions) : NULL;
	bool good;

	if (!has_agent(r, agent)) {
		free(patterns);
		return false;
	}
	/* The VM splits the variable at blanks, the agent its options at commas. */
	if (strpbrk(agent, " \t\n\"',=") || strpbrk(folder, " \t\n\"',")) {
		fail("%s: the path %s has a blank, a comma or a quote, which Java's variable cannot hold: %s",
		     option, strpbrk(agent, " \t\n\"',=") ? agent : folder, without(r));
		free(patterns);
		return false;
	}
	if (wants_stacks(r)) {
		want_samples(r);
		snprintf(stacks, sizeof(stacks), ",SCS,SCSRATE=%u",
			 r->t.rate ? r->t.rate : SCS_RATE);
	}
	good = asprintf(&word, "-agentpath:%s=%s%s%s%s%s%s%s", agent,
			r->calls ? "METHODTYPES,LOGPATH=" : "", r->calls ? folder : "",
			patterns ? ",CLASSMETHODS=" : "", patterns ? patterns : "",
			!r->jit  ? "" :
			r->calls ? ",dir=" :
				   "dir=",
			r->jit ? folder : "", stacks) >= 0;
	free(patterns);
	if (!good)
		return false;
	good = run_append("JAVA_TOOL_OPTIONS", ' ', word) &&
	       (!r->jit || *stacks || run_append("JAVA_TOOL_OPTIONS", ' ', NAMES_ONLY));
	free(word);
	return good;
}

bool run_jit(struct trace_run *r)
{
	char folder[PATH_MAX];
	bool has_java;

	if (!folder_of(r->t.file, folder)) {
		fail("%s: the folder of %s: %s", option_of(r), r->t.file, strerror(errno));
		return false;
	}
	has_java = java(r, folder);
	/* The clock that file timestamps come from. */
	clock_gettime(CLOCK_REALTIME_COARSE, &r->begun);
	if (r->calls && strpbrk(folder, " \t\n\"',"))
		return false;
	if (r->calls && !run_hookit(r, folder))
		return false;
	if (!r->jit)
		return true;
	run_append("NODE_OPTIONS", ' ', "--perf-prof");
	setenv("PYTHONPERFSUPPORT", "1", 1);
	/* Python 3.13 writes a jitdump instead, which has times. */
	setenv("PYTHON_PERF_JIT_SUPPORT", "1", 1);
	if (!r->quiet)
		complain("--jit: %s%s%s%s%snode runs with --perf-prof, Python (3.12 or newer) with its perf support",
			 has_java ? "Java loads " : "", has_java ? name_of(agent_of(r)) : "",
			 has_java ? " (jitdumps in " : "", has_java ? folder : "",
			 has_java ? "), " : "");
	return true;
}

/* Returns whether this is a log that was written since the run began. */
static bool is_log(DIR *folder, const char *name, const struct timespec *begun)
{
	struct stat s;

	if (strncmp(name, LOG, strlen(LOG)) ||
	    fstatat(dirfd(folder), name, &s, AT_SYMLINK_NOFOLLOW))
		return false;
	return s.st_mtim.tv_sec > begun->tv_sec ||
	       (s.st_mtim.tv_sec == begun->tv_sec && s.st_mtim.tv_nsec >= begun->tv_nsec);
}

/* A log that is whole and has not a single call. */
static bool is_empty(DIR *folder, const char *name)
{
	int fd = openat(dirfd(folder), name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	static const char none[] = "\nentries 0,";
	char head[8192];
	ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof(head));

	if (fd >= 0)
		close(fd);
	return n > 0 && memmem(head, (size_t)n, none, sizeof(none) - 1);
}

void run_calls_show(const struct trace_run *r)
{
	const struct dirent *e;
	char path[PATH_MAX], first[NAME_MAX + 1];
	DIR *folder;
	unsigned logs = 0;
	bool empty = r->functions || r->not_functions;

	if (!r->calls || !folder_of(r->t.file, path))
		return;
	folder = opendir(path);
	if (!folder)
		return;
	while ((e = readdir(folder))) {
		if (!is_log(folder, e->d_name, &r->begun))
			continue;
		if (!logs++)
			snprintf(first, sizeof(first), "%s", e->d_name);
		empty = empty && is_empty(folder, e->d_name);
	}
	closedir(folder);
	if (logs && empty)
		complain(
			"--calls: no call was counted: no function that was called has a name that --functions and -N take, or it has none (nm PROGRAM)");
	else if (logs > 1 && !r->quiet)
		complain("--calls: %u logs in %s: " LOG "*", logs, path);
	else if (logs && !r->quiet)
		complain("--calls: the calls are in %s/%s", path, first);
	else if (!logs)
		complain(
			"--calls: no Java VM has written calls, and no compiled program: compile with -finstrument-functions, -pg -mfentry -minstrument-return=call or -fpatchable-function-entry=5 (libhookit(3)), and link dynamically; functions of scripts (Python, JavaScript) are not counted; is the environment left as it is?");
}
