/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --jit: the command and its children report the code that they make while they run; --calls: Java
 * VMs among them the calls of their methods, by the same agent. The request is made in the
 * environment, so that it reaches every program that the command starts; other programs ignore it.
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

#define LOG "log-rt.1_"
/* With an agent for compiled code HotSpot's compilers note where each instruction comes from, which
 * takes them longer than all that the agent does: names need it not. */
#define NAMES_ONLY "-XX:+UnlockDiagnosticVMOptions -XX:-DebugNonSafepoints"

/* Looks for the agent beside this program, else where it was installed. */
static bool find_agent(const char *agent, char path[PATH_MAX])
{
	char exe[PATH_MAX], beside[PATH_MAX + 64], installed[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	const char *slash;

	exe[n > 0 ? n : 0] = 0;
	slash = strrchr(exe, '/');
	if (slash) {
		snprintf(beside, sizeof(beside), "%.*s/../lib/pitrace/%s", (int)(slash - exe), exe,
			 agent);
		if (realpath(beside, path))
			return true;
	}
	snprintf(installed, sizeof(installed), "%s/%s", PITRACE_LIBDIR, agent);
	return realpath(installed, path) != NULL;
}

/* Append a word to what the variable holds already, a blank between. */
static bool append(const char *name, const char *word)
{
	const char *old = getenv(name);
	char *text;
	bool done;

	if (old && strstr(old, word))
		return true;
	if (asprintf(&text, "%s%s%s", old ? old : "", old && *old ? " " : "", word) < 0)
		return false;
	done = !setenv(name, text, 1);
	free(text);
	return done;
}

/* The trace's folder: jitdumps that lie there are found with the trace. */
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
	return r->calls ? "libjprof.so" : "libpijit.so";
}

static const char *without(const struct trace_run *r)
{
	return r->calls ? "there are no calls" : "Java's code will have no names";
}

static bool java(struct trace_run *r, char folder[PATH_MAX])
{
	const char *option = option_of(r);
	char agent[PATH_MAX], word[3 * PATH_MAX + 64];

	if (!find_agent(agent_of(r), agent)) {
		fail("%s: %s is not installed: %s; build it where a JDK's headers are (default-jdk-headless), then make install",
		     option, agent_of(r), without(r));
		return false;
	}
	if (!folder_of(r->t.file, folder)) {
		fail("%s: the folder of %s: %s", option, r->t.file, strerror(errno));
		return false;
	}
	/* The VM splits its variable at blanks, the agent its options at commas. */
	if (strpbrk(agent, " \t\n\"',=") || strpbrk(folder, " \t\n\"',")) {
		fail("%s: the path %s has a blank, a comma or a quote, which Java's variable cannot hold: %s",
		     option, strpbrk(agent, " \t\n\"',=") ? agent : folder, without(r));
		return false;
	}
	snprintf(word, sizeof(word), "-agentpath:%s=%s%s%s%s", agent,
		 r->calls ? "METHODTYPES,LOGPATH=" : "", r->calls ? folder : "",
		 !r->jit  ? "" :
		 r->calls ? ",dir=" :
			    "dir=",
		 r->jit ? folder : "");
	return append("JAVA_TOOL_OPTIONS", word) &&
	       (!r->jit || append("JAVA_TOOL_OPTIONS", NAMES_ONLY));
}

bool run_jit(struct trace_run *r)
{
	char folder[PATH_MAX];
	bool has_java = java(r, folder);

	/* The clock of files' times. */
	clock_gettime(CLOCK_REALTIME_COARSE, &r->begun);
	if (r->calls && !has_java)
		return false;
	if (r->calls && !r->quiet)
		complain("--calls: Java loads %s (calls in %s/" LOG "PID)", agent_of(r), folder);
	if (!r->jit)
		return true;
	append("NODE_OPTIONS", "--perf-prof");
	setenv("PYTHONPERFSUPPORT", "1", 1);
	/* 3.13's: a jitdump instead, which has times. */
	setenv("PYTHON_PERF_JIT_SUPPORT", "1", 1);
	if (!r->quiet)
		complain("--jit: %s%s%s%s%snode runs with --perf-prof, Python (3.12 or newer) with its perf support",
			 has_java ? "Java loads " : "", has_java ? agent_of(r) : "",
			 has_java ? " (jitdumps in " : "", has_java ? folder : "",
			 has_java ? "), " : "");
	return true;
}

/* Written since the run began. */
static bool is_log(DIR *folder, const char *name, const struct timespec *begun)
{
	struct stat s;

	if (strncmp(name, LOG, strlen(LOG)) ||
	    fstatat(dirfd(folder), name, &s, AT_SYMLINK_NOFOLLOW))
		return false;
	return s.st_mtim.tv_sec > begun->tv_sec ||
	       (s.st_mtim.tv_sec == begun->tv_sec && s.st_mtim.tv_nsec >= begun->tv_nsec);
}

void run_calls_show(const struct trace_run *r)
{
	const struct dirent *e;
	char path[PATH_MAX];
	DIR *folder;
	bool any = false;

	if (!r->calls || !folder_of(r->t.file, path))
		return;
	folder = opendir(path);
	if (!folder)
		return;
	while (!any && (e = readdir(folder)))
		any = is_log(folder, e->d_name, &r->begun);
	closedir(folder);
	if (!any)
		complain(
			"--calls: no Java VM has written calls: is the command one, and is its environment left as it is?");
}
