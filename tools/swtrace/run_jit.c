/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --jit: the command and its children report the code that they make while they run. The request
 * is made in the environment, so that it reaches every program that the command starts; other
 * programs ignore it.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "complain.h"
#include "run.h"

#define AGENT "libpijit.so"
/* With an agent for compiled code HotSpot's compilers note where each instruction comes from, which
 * takes them longer than all that the agent does: names need it not. */
#define NAMES_ONLY "-XX:+UnlockDiagnosticVMOptions -XX:-DebugNonSafepoints"

/* Looks for the agent beside this program, else where it was installed. */
static bool find_agent(char path[PATH_MAX])
{
	char exe[PATH_MAX], beside[PATH_MAX + 64];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	const char *slash;

	exe[n > 0 ? n : 0] = 0;
	slash = strrchr(exe, '/');
	if (slash) {
		snprintf(beside, sizeof(beside), "%.*s/../lib/pitrace/" AGENT, (int)(slash - exe),
			 exe);
		if (realpath(beside, path))
			return true;
	}
	return realpath(PITRACE_LIBDIR "/" AGENT, path) != NULL;
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

static bool java(struct trace_run *r, char folder[PATH_MAX])
{
	char agent[PATH_MAX], word[2 * PATH_MAX + 64];

	if (!find_agent(agent)) {
		fail("--jit: " AGENT
		     " is not installed: Java's code will have no names; build it where a JDK's headers are (default-jdk-headless), then make install");
		return false;
	}
	if (!folder_of(r->t.file, folder)) {
		fail("--jit: the folder of %s: %s", r->t.file, strerror(errno));
		return false;
	}
	/* The VM splits its variable at blanks, the agent its options at commas. */
	if (strpbrk(agent, " \t\n\"',=") || strpbrk(folder, " \t\n\"',")) {
		fail("--jit: the path %s has a blank, a comma or a quote, which Java's variable cannot hold: Java's code will have no names",
		     strpbrk(agent, " \t\n\"',=") ? agent : folder);
		return false;
	}
	snprintf(word, sizeof(word), "-agentpath:%s=dir=%s", agent, folder);
	return append("JAVA_TOOL_OPTIONS", word) && append("JAVA_TOOL_OPTIONS", NAMES_ONLY);
}

void run_jit(struct trace_run *r)
{
	char folder[PATH_MAX];
	bool has_java = java(r, folder);

	append("NODE_OPTIONS", "--perf-prof");
	setenv("PYTHONPERFSUPPORT", "1", 1);
	/* 3.13's: a jitdump instead, which has times. */
	setenv("PYTHON_PERF_JIT_SUPPORT", "1", 1);
	if (!r->quiet)
		complain("--jit: %s%s%snode runs with --perf-prof, Python (3.12 or newer) with its perf support",
			 has_java ? "Java loads " AGENT " (jitdumps in " : "",
			 has_java ? folder : "", has_java ? "), " : "");
}
