/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A session above a collector that is the test's own: it notes what it is given, fails as the test
 * says and hands over as many samples as the test wants. (Linked with --wrap=collector_choose,
 * event_counts,fopen64.)
 */
#ifndef FAKE_COLLECTOR_H
#define FAKE_COLLECTOR_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <pifile.h>
#include <tracer.h>
#include "base/rc.h"
#include "collect/backend.h"
#include "unit.h"

/* ---- the collector --------------------------------------------------------------------------- */

struct backend {
	struct segment_out ring;
};

enum { OPEN, ON, OFF, SUSPEND, DRAIN, MARK, WINDOW, DISCARD, RESCAN, STATS, ENVIRONMENT, CALLS };

static struct backend the_backend;
static int fails[CALLS];           /* -errno of the call; 0: it works */
static unsigned int called[CALLS]; /* how often */
static struct trace_config opened, turned_on, checked;
static bool suspended;
static enum collector_state state_of_check;
static const char *cure;
static struct trace_info present;   /* what it says of itself */
static unsigned int samples;        /* of the next drain or window */
static unsigned int samples_at_off; /* that it still has when it is turned off */
static uint64_t stamp, lost;
static int ends[2]; /* a pipe: its descriptor, and how it ends */

static int call(int which)
{
	called[which]++;
	return fails[which];
}

static void fake_check(const struct trace_config *config, struct collector_check *check)
{
	checked = *config;
	*check = (struct collector_check){ .state = state_of_check, .why = "so it is" };
	snprintf(check->cure, sizeof(check->cure), "%s", cure);
}

static struct backend *fake_open(const struct trace_config *config, int *rc, char *why, size_t room)
{
	opened = *config;
	if (call(OPEN)) {
		*rc = PI_BUSY;
		snprintf(why, room, "%s", fails[OPEN] == -EBUSY ? "others are here" : "");
		return NULL;
	}
	the_backend.ring =
		(struct segment_out){ .session = 1, .ring = PITRACE_RING_TRACE, .size = 65536 };
	return &the_backend;
}

static void fake_close(struct backend *b)
{
	segment_free(&b->ring);
}

static int fake_on(struct backend *b, const struct trace_config *config)
{
	(void)b;
	turned_on = *config;
	if (!fails[ON]) {
		present.interval++;
		present.state = PITRACE_STATE_ON;
	}
	return call(ON);
}

static int fake_off(struct backend *b)
{
	(void)b;
	samples_at_off = samples;
	present.state = PITRACE_STATE_OFF;
	return call(OFF);
}

static int fake_suspend(struct backend *b, bool suspend)
{
	(void)b;
	suspended = suspend;
	return call(SUSPEND);
}

static int give(struct backend *b, segment_sink sink, void *arg)
{
	int err = 0;

	for (; samples && !err; samples--) {
		struct pitrace_sample *s = segment_put(&b->ring, PITRACE_TPROF, PITRACE_TPROF_USER,
						       PITRACE_TYPE_STRUCT, sizeof(*s), ++stamp,
						       sink, arg, &err);

		if (s)
			*s = (struct pitrace_sample){ .pid = 7, .tid = 7 };
	}
	return err ? err : segment_close(&b->ring, sink, arg);
}

static int fake_drain(struct backend *b, bool all, segment_sink sink, void *arg)
{
	int err = call(DRAIN);

	return err || !all || turned_on.mode == PITRACE_MODE_WRAP ? err : give(b, sink, arg);
}

static int fake_mark(struct backend *b)
{
	(void)b;
	return call(MARK);
}

static int fake_window(struct backend *b, segment_sink sink, void *arg)
{
	int err = call(WINDOW);

	return err ? err : give(b, sink, arg);
}

static int fake_discard(struct backend *b)
{
	(void)b;
	return call(DISCARD);
}

static int fake_rescan(struct backend *b, uint64_t *ticket)
{
	(void)b;
	*ticket = 4711;
	return call(RESCAN);
}

static bool fake_rescanned(struct backend *b, uint64_t ticket)
{
	(void)b;
	return ticket == 4711;
}

static int fake_fd(struct backend *b)
{
	(void)b;
	return ends[0];
}

static void fake_info(struct backend *b, struct trace_info *info)
{
	(void)b;
	info->state = present.state;
	info->interval = present.interval;
	info->ncpus = 1;
	info->stop_ring = present.stop_ring;
	info->stop_pid = 99;
	memcpy(info->available, present.available, sizeof(info->available));
}

static uint64_t fake_hz(struct backend *b)
{
	(void)b;
	return 1000000000;
}

static int fake_stats(struct backend *b, struct pifile_stats **stats)
{
	int err = call(STATS);

	(void)b;
	*stats = err ? NULL : calloc(1, sizeof(**stats));
	if (!*stats)
		return err ? err : -ENOMEM;
	**stats = (struct pifile_stats){ .ticks = lost,
					 .idle_ticks = 2 * lost,
					 .late = 3 * lost,
					 .out_of_scope = 4 * lost,
					 .mte_bytes = 5 * lost,
					 .trace_bytes = 6 * lost };
	(*stats)->lost[PITRACE_LOST_MTE] = 7 * lost;
	(*stats)->lost[PITRACE_LOST_TPROF] = 8 * lost;
	return 1;
}

static int fake_environment(struct backend *b, char ***variables)
{
	(void)b;
	*variables = NULL;
	return call(ENVIRONMENT);
}

static const struct collector whole = {
	.name = "ptrace",
	.dither = 50,
	.repeats = true,
	.check = fake_check,
	.open = fake_open,
	.close = fake_close,
	.environment = fake_environment,
	.on = fake_on,
	.off = fake_off,
	.suspend = fake_suspend,
	.drain = fake_drain,
	.mark = fake_mark,
	.window = fake_window,
	.discard = fake_discard,
	.rescan = fake_rescan,
	.rescanned = fake_rescanned,
	.fd = fake_fd,
	.info = fake_info,
	.clock_hz = fake_hz,
	.stats = fake_stats,
};
static struct collector fake;
static bool none_serves, cycles_stand;

const struct collector *__wrap_collector_choose(const char *name, const struct trace_config *config,
						int *rc, char *why, size_t room);
bool __wrap_event_counts(const struct pitrace_event_args *e);

const struct collector *__wrap_collector_choose(const char *name, const struct trace_config *config,
						int *rc, char *why, size_t room)
{
	(void)name;
	(void)config;
	*rc = none_serves ? PI_NO_PERMISSION : PI_OK;
	snprintf(why, room, "%s", none_serves ? "nobody serves" : "");
	return none_serves ? NULL : &fake;
}

FILE *__real_fopen64(const char *path, const char *mode);
FILE *__wrap_fopen64(const char *path, const char *mode);

/* The kernel has few symbols: there are many files. */
FILE *__wrap_fopen64(const char *path, const char *mode)
{
	static char text[] = "ffffffff81000000 T _text\nffffffff81000000 D data\n";

	return strcmp(path, "/proc/kallsyms") ? __real_fopen64(path, mode) :
						fmemopen(text, sizeof(text) - 1, "r");
}

bool __wrap_event_counts(const struct pitrace_event_args *e)
{
	(void)e;
	return !cycles_stand;
}

/* ---- a session ------------------------------------------------------------------------------- */

static char folder[40], path[64], hooks[64];
static struct tracer_options options;
static struct tracer *t;

static void afresh(void)
{
	char command[100];

	fake = whole;
	memset(fails, 0, sizeof(fails));
	memset(called, 0, sizeof(called));
	memset(&present, 0, sizeof(present));
	memset(present.available, 0xff, sizeof(present.available));
	memset(&turned_on, 0, sizeof(turned_on));
	none_serves = cycles_stand = suspended = false;
	state_of_check = COLLECTOR_WORKS;
	cure = "mend it";
	samples = 0;
	stamp = lost = 0;
	snprintf(command, sizeof(command), "rm -rf %s/*", folder);
	CU_ASSERT_EQUAL(system(command), 0);
	tracer_defaults(&options);
	options.file = path;
	options.hooks = hooks;
}

static bool said(const char *part)
{
	bool is = strstr(TraceLastError(), part) != NULL;

	if (!is)
		printf("# said \"%s\", not \"%s\"\n", TraceLastError(), part);
	return is;
}

static void open_it(void)
{
	int rc = 1;

	CU_ASSERT_EQUAL_FATAL(pipe2(ends, O_CLOEXEC), 0);
	t = tracer_open(&options, &rc);
	CU_ASSERT_FATAL(t != NULL);
	CU_ASSERT_EQUAL(rc, PI_OK);
}

static void close_it(void)
{
	tracer_close(t);
	t = NULL;
	close(ends[0]);
	if (ends[1] >= 0)
		close(ends[1]);
}

#define REFUSES(what, code, words)                                                    \
	do {                                                                          \
		int code_of = what;                                                   \
		if (code_of != (code))                                                \
			printf("# %d: %d %s\n", __LINE__, code_of, TraceLastError()); \
		CU_ASSERT_EQUAL(code_of, code);                                       \
		CU_ASSERT(said(words));                                               \
	} while (0)

/* The tests, in a folder of their own. */
static int run_in_folder(const char *name, const struct unit_test *tests)
{
	char command[100];
	int rc;

	/* In memory: each file is synced. */
	strcpy(folder, "/dev/shm/test_tracer.XXXXXX");
	if (!mkdtemp(folder)) {
		strcpy(folder, "/tmp/test_tracer.XXXXXX");
		if (!mkdtemp(folder))
			return 1;
	}
	snprintf(path, sizeof(path), "%s/trace.nrm2", folder);
	snprintf(hooks, sizeof(hooks), "%s/hooks", folder);
	rc = unit_run(name, tests);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) || rc;
}

#endif
