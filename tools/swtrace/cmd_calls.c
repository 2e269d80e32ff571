/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * swtrace calls: loads libhookit into a running program and enables the program's patch sites, and
 * disables them when time is up; after that, the program runs as before. The program writes the log
 * itself, with its own rights.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "attach/attach.h"
#include "base/proc_lines.h"
#include "complain.h"
#include "monotonic.h"
#include "run.h"

#define LIBRARY  "libhookit.so"
#define FUNCTION "hookit_asked"
#define ANSWER   1024
#define NS       1000000000ull
#define LOOK_NS  (NS / 4) /* between two checks of what the process has loaded */

struct attached_calls {
	int pid;
	const char *functions, *not_functions, *folder;
	uint64_t levels, least, duration; /* ns; 0: none */
	bool quiet, off;
	int process; /* pidfd */
	char library[PATH_MAX], own_folder[PATH_MAX], log[ANSWER];
	long measured; /* functions */
	uint64_t loaded;
};

#define CALLS(member) OPTION_TO(struct attached_calls, member)

static const struct option_row rows[] = {
	{ { "-p" },
	  "PID",
	  "the process",
	  option_number,
	  CALLS(pid),
	  .least = 1,
	  .most = INT_MAX,
	  .complete = "@process" },
	{ { "-F", "--functions" },
	  "PATTERN[+PATTERN]...",
	  "only these functions; * matches any text, ? any character",
	  option_text,
	  CALLS(functions) },
	{ { "-N", "--no-functions" },
	  "PATTERN[+PATTERN]...",
	  "not these",
	  option_text,
	  CALLS(not_functions) },
	{ { "-D" },
	  "LEVELS",
	  "at most so many levels of calls",
	  option_number,
	  CALLS(levels),
	  .least = 1,
	  .most = 100000 },
	{ { "--min-time" },
	  "TIME",
	  "omit lines whose calls took less in total (5us)",
	  option_duration,
	  CALLS(least),
	  .least = 1 },
	{ { "-d" },
	  "SECONDS",
	  "stop measuring after this time (5, 500ms, 2m)",
	  option_duration,
	  CALLS(duration),
	  .least = 1 },
	{ { "-o" },
	  "FOLDER",
	  "where the process writes its log (the working folder)",
	  option_text,
	  CALLS(folder),
	  .complete = "@file" },
	{ { "--off" },
	  NULL,
	  "stop measuring a process that a killed swtrace has left patched",
	  option_set,
	  CALLS(off) },
	{ { "-q" }, NULL, "print no messages but errors", option_set, CALLS(quiet) },
	OPTION_ROWS_END
};
static const struct option_part parts[] = { { rows, 0 }, { NULL, 0 } };
const struct option_table cmd_calls_table = { .parts = parts, .letters = true };

/* ---- the process ----------------------------------------------------------------------------- */

static bool lives(const struct attached_calls *c)
{
	struct pollfd p = { .fd = c->process, .events = POLLIN };

	return !poll(&p, 1, 0);
}

/* Reports why it failed; if the process has ended meanwhile, that is the reason. */
static void fail_with(const struct attached_calls *c, const char *why)
{
	fail("calls: process %d: %s", c->pid, lives(c) ? why : "it has ended");
}

/* Sends a request and reads the answer. Returns false after a message. */
static bool ask(const struct attached_calls *c, const char *text, char *answer)
{
	char why[512] = "";

	if (attach_call(c->pid, c->library, FUNCTION, text, answer, ANSWER, why, sizeof(why))) {
		if (*answer == '+')
			return true;
		fail_with(c, *answer == '-' ? answer + 1 : "no answer");
	} else {
		fail_with(c, why);
	}
	return false;
}

static bool open_process(struct attached_calls *c)
{
	c->process = (int)syscall(SYS_pidfd_open, c->pid, 0);
	if (c->process < 0)
		fail("calls: process %d: %s", c->pid, strerror(errno));
	return c->process >= 0;
}

/* Resolves symbolic links: the traced process needs real, absolute paths. */
static bool find_files(struct attached_calls *c)
{
	char path[PATH_MAX];

	if (!run_find(LIBRARY, path) || !realpath(path, c->library)) {
		fail("calls: " LIBRARY " is not installed");
		return false;
	}
	if (!realpath(c->folder ? c->folder : ".", c->own_folder)) {
		fail("calls: %s: %s", c->folder ? c->folder : ".", strerror(errno));
		return false;
	}
	if (strchr(c->own_folder, ',')) {
		fail("calls: the path %s has a comma, which separates options", c->own_folder);
		return false;
	}
	return true;
}

/* ---- on and off ------------------------------------------------------------------------------ */

static char *options_of(const struct attached_calls *c)
{
	char *patterns = run_patterns(c->functions, c->not_functions), *text;
	char depth[40] = "", least[40] = "";
	int n;

	if (c->levels)
		snprintf(depth, sizeof(depth), ",DEPTH=%" PRIu64, c->levels);
	if (c->least)
		snprintf(least, sizeof(least), ",MINTIME=%" PRIu64 "ns", c->least);
	n = asprintf(&text, "on METHODTYPES,LOGPATH=%s%s%s%s%s", c->own_folder,
		     patterns ? ",FUNCTIONS=" : "", patterns ? patterns : "", depth, least);
	free(patterns);
	return n < 0 ? NULL : text;
}

static bool add_code(void *arg, const char *line, size_t length)
{
	const char *rights = memchr(line, ' ', length), *end = line + length;
	uint64_t *sum = arg;

	if (!rights || end - rights < 5 || rights[3] != 'x' || !memchr(line, '/', length))
		return true;
	/* FNV-1a */
	for (; line < end; line++)
		*sum = (*sum ^ (uint8_t)*line) * UINT64_C(0x100000001b3);
	return true;
}

/* Returns a hash over the files mapped with code, which changes when they do; 0 if the process has
 * none any more. */
static uint64_t what_is_loaded(const struct attached_calls *c)
{
	uint64_t sum = 0;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/maps", c->pid);
	return proc_lines(path, add_code, &sum) ? 0 : sum;
}

/* Also measures libraries that were opened meanwhile. */
static void look_for_more(struct attached_calls *c)
{
	uint64_t loaded = what_is_loaded(c);
	char answer[ANSWER];
	long had = c->measured;

	if (!loaded || loaded == c->loaded || !lives(c))
		return;
	c->loaded = loaded;
	if (!ask(c, "more", answer))
		return;
	c->measured = strtol(answer + 1, NULL, 10);
	if (!c->quiet && c->measured != had)
		complain("calls: process %d has opened or closed libraries: %ld functions are measured",
			 c->pid, c->measured);
}

static bool turn_on(struct attached_calls *c)
{
	char why[512] = "", answer[ANSWER], *text, *log;
	bool good;

	if (!attach_load(c->pid, c->library, why, sizeof(why))) {
		fail_with(c, why);
		return false;
	}
	c->loaded = what_is_loaded(c);
	text = options_of(c);
	good = text && lives(c) && ask(c, text, answer);
	free(text);
	if (!good)
		return false;
	log = strchr(answer, ' ');
	snprintf(c->log, sizeof(c->log), "%s", log ? log + 1 : "");
	c->measured = strtol(answer + 1, NULL, 10);
	if (!c->quiet)
		complain("calls: process %d: %ld functions are measured", c->pid, c->measured);
	return true;
}

/* The process may have exited before, with or without having written its log. */
static int turn_off(const struct attached_calls *c)
{
	char answer[ANSWER];

	if (!lives(c)) {
		if (!c->quiet)
			complain("calls: process %d has ended; what it has written of its calls is in %s",
				 c->pid, c->log);
		return 0;
	}
	if (!ask(c, "off", answer))
		return EXIT_SWTRACE;
	if (!c->quiet)
		complain("calls: process %d is not measured any more; its calls are in %s", c->pid,
			 strchr(answer, ' ') ? strchr(answer, ' ') + 1 : "");
	return 0;
}

/* Waits until time is up, a signal arrives, or the process exits. */
static void wait_for_end(struct attached_calls *c, int signals)
{
	struct pollfd p[] = { { .fd = signals, .events = POLLIN },
			      { .fd = c->process, .events = POLLIN } };
	uint64_t until = now_ns() + c->duration;

	for (;;) {
		uint64_t now = now_ns(), left = until > now ? until - now : 0;
		bool last = c->duration && left <= LOOK_NS;
		struct timespec t = { 0, (long)(last ? left : LOOK_NS) };
		int n = ppoll(p, 2, &t, NULL);

		if (n > 0 || (!n && last) || (n < 0 && errno != EINTR))
			return;
		if (!n)
			look_for_more(c);
	}
}

/* Called before the process is patched: a signal that arrives meanwhile must not leave it
 * patched. */
static int signals_open(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

int cmd_calls(int argc, char **argv)
{
	struct attached_calls c = { 0 };
	struct option_rest rest;
	int code, signals;

	if (!take_options(&cmd_calls_table, &c, argc, argv, &rest, &code))
		return code;
	if (!c.pid || rest.count)
		return USAGE;
	if (!run_calls_right(c.functions, c.not_functions, NULL) || !open_process(&c) ||
	    !find_files(&c))
		return EXIT_SWTRACE;
	if (c.off)
		return turn_off(&c);
	signals = signals_open();
	if (signals < 0)
		return fail("calls: signals: %s", strerror(errno));
	if (!turn_on(&c))
		return EXIT_SWTRACE;
	wait_for_end(&c, signals);
	return turn_off(&c);
}
