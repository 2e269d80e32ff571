/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The minima of earlier runs: loaded, completed by a run's own, saved; why not, in words, once. */
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "metrics.h"
#include "minima.h"
#include "unit.h"

#define KEY "vm: A\ncpu: B\n"

static const struct call_source source = { .program = "pijit\x1b" };
static char folder[] = "/tmp/minima.XXXXXX", path[64];
static uint16_t one, two;

/* Passes on what a child prints on stderr; returns its exit code, the number of what is wrong. */
static int said(int (*what)(void), char *text, size_t size)
{
	int ends[2], code;
	ssize_t n;
	pid_t pid;

	fflush(stdout);
	CU_ASSERT_EQUAL_FATAL(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		dup2(ends[1], STDERR_FILENO);
		_exit(what());
	}
	close(ends[1]);
	for (*text = 0; size > 1 && (n = read(ends[0], text, size - 1)) > 0; size -= (size_t)n) {
		text += n;
		*text = 0;
	}
	close(ends[0]);
	CU_ASSERT_EQUAL(waitpid(pid, &code, 0), pid);
	return WEXITSTATUS(code);
}

static int check(bool is, int number)
{
	return is ? 0 : number;
}

/* Without values there are no minima; without a path those of the run alone count. */
static void not_asked_for(void)
{
	struct log_rt log = { .source = &source };

	minima_begin(&log, KEY, path);
	CU_ASSERT(!log.key && !log.trained && !log.file && !log.no_file);
	CU_ASSERT(access(path, F_OK) < 0);
	log.values = true;
	minima_begin(&log, KEY, NULL);
	CU_ASSERT(log.key && !strcmp(log.key, KEY));
	CU_ASSERT(!log.trained && !log.file && !log.no_file);
}

static int refuse(void)
{
	struct log_rt log = { .source = &source, .values = true };
	const char *why;

	minima_begin(&log, KEY, "/dev/null/minima");
	why = log.no_file;
	minima_report(&log, "/dev/null/minima"); /* once is enough */
	return check(!log.trained && !log.file, 1) + check(why && *why, 2) +
	       check(log.key != NULL, 4);
}

/* The default path is not in the user's hands: nothing is said of it. */
static int refuse_default(void)
{
	struct log_rt log = { .source = &source, .values = true };

	setenv("HOME", "/dev/null/home", 1);
	setenv("XDG_CACHE_HOME", "/dev/null/cache", 1);
	minima_begin(&log, KEY, "");
	minima_report(&log, "");
	minima_report(&log, NULL);
	return check(!log.file && log.no_file != NULL, 1);
}

static int nothing_to_tell(void)
{
	struct log_rt log = { .source = &source, .values = true };

	minima_report(&log, path);
	return 0;
}

static void refused(void)
{
	static const char words[] = ": only this run's minima are used\n";
	char text[400], *found;

	CU_ASSERT_EQUAL(said(refuse, text, sizeof(text)), 0);
	CU_ASSERT_EQUAL(strncmp(text, "pijit\\x1b: ", 10), 0);
	found = strstr(text, words);
	CU_ASSERT_PTR_NOT_NULL_FATAL(found);
	CU_ASSERT_STRING_EQUAL(found, words);
	CU_ASSERT_EQUAL(said(refuse_default, text, sizeof(text)), 0);
	CU_ASSERT_STRING_EQUAL(text, "");
	CU_ASSERT_EQUAL(said(nothing_to_tell, text, sizeof(text)), 0);
	CU_ASSERT_STRING_EQUAL(text, "");
}

static uint64_t saved(uint16_t sequence)
{
	struct calibration_file f;
	struct calibration c;
	uint64_t least;

	CU_ASSERT_EQUAL_FATAL(calibration_init(&c, metrics_count()), 0);
	CU_ASSERT(calibration_file_open(&f, path, KEY) && calibration_file_load(&f, &c, KEY));
	least = c.minimum[(size_t)sequence * c.metrics];
	calibration_file_close(&f);
	calibration_free(&c);
	return least;
}

static void learnt(void)
{
	struct log_rt log = { .source = &source, .values = true }, alone = log;
	struct rlimit before, none;
	struct calibration c;

	minima_begin(&log, KEY, path);
	CU_ASSERT_PTR_NOT_NULL_FATAL(log.trained);
	CU_ASSERT(log.file && !log.no_file);
	CU_ASSERT_EQUAL_FATAL(calibration_init(&c, metrics_count()), 0);
	c.minimum[(size_t)one * c.metrics] = 70;
	minima_learn(&log, &c);
	CU_ASSERT_PTR_NULL(log.no_file);
	CU_ASSERT_EQUAL(log.trained->minimum[(size_t)one * c.metrics], 70);
	CU_ASSERT_EQUAL(saved(one), 70);
	/* Not saved, but known. */
	c.minimum[(size_t)two * c.metrics] = 80;
	minima_learn(&alone, &c);
	CU_ASSERT_PTR_NULL(alone.no_file);
	CU_ASSERT_EQUAL(log.trained->minimum[(size_t)two * c.metrics], 80);
	CU_ASSERT_EQUAL(saved(two), 0);
	/* The file cannot be written: the run's are known, and why they are not saved. */
	c.minimum[(size_t)one * c.metrics] = 60;
	CU_ASSERT_EQUAL_FATAL(getrlimit(RLIMIT_FSIZE, &before), 0);
	none = (struct rlimit){ 8, before.rlim_max };
	signal(SIGXFSZ, SIG_IGN);
	CU_ASSERT_EQUAL(setrlimit(RLIMIT_FSIZE, &none), 0);
	minima_learn(&log, &c);
	CU_ASSERT_EQUAL(setrlimit(RLIMIT_FSIZE, &before), 0);
	CU_ASSERT(log.no_file && *log.no_file);
	CU_ASSERT_EQUAL(log.trained->minimum[(size_t)one * c.metrics], 60);
	calibration_free(&c);
	calibration_file_close(log.file);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "not_asked_for", not_asked_for },
		{ "refused", refused },
		{ "learnt", learnt },
		{},
	};
	int rc;

	if (!mkdtemp(folder) || metrics_set("wall", 4))
		return 1;
	snprintf(path, sizeof(path), "%s/minima", folder);
	one = sequence(TYPE_JITTED, EVENT_ENTER, TYPE_JITTED, EVENT_LEAVE, TYPE_JITTED);
	two = sequence(TYPE_JITTED, EVENT_LEAVE, TYPE_JITTED, EVENT_ENTER, TYPE_JITTED);
	rc = unit_run("minima", tests);
	unlink(path);
	rmdir(folder);
	return rc;
}
