// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The states of a session above a collector that is the test's own: which requests are refused in
 * which state, what of the options the collector gets, what is said of each of its errors, and what
 * stands in the files. (Linked with --wrap=collector_choose,event_counts,
 * fopen64.)
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
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
static struct trace_info present; /* what it says of itself */
static unsigned int samples;      /* of the next drain or window */
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

/* The records of a file's trace ring; -1: it is none, or has faults. */
static int records_of(const char *file, struct pifile_stats *stats)
{
	struct pifile *f = pifile_open(file, NULL);
	void *buffer = NULL;
	int n = 0;

	if (!f)
		return -1;
	for (size_t i = 0; i < pifile_sections(f); i++) {
		const struct pifile_section *s = pifile_section(f, i);

		if (s->type == PIFILE_SEC_SEGMENT && s->ring == PITRACE_RING_TRACE)
			n += (int)s->records;
		if (s->type == PIFILE_SEC_STATS && stats) {
			size_t size;
			const void *p = pifile_payload(f, i, &buffer, &size);

			CU_ASSERT_EQUAL_FATAL(size, sizeof(*stats));
			memcpy(stats, p, size);
		}
	}
	free(buffer);
	n = pifile_complete(f) && !pifile_verify(f) ? n : -1;
	pifile_close(f);
	return n;
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* What is asked for reaches the collector; what is not has a default. */
static void test_options(void)
{
	static const struct pitrace_event_args events[PITRACE_EVENTS + 1] = {
		{ .name = "one" },
		{ .name = "two" },
	};
	struct tracer_itrace itrace = { .scope = PITRACE_ITRACE_ALL, .skip = 5 };

	afresh();
	options.file = NULL;
	options.dither = 0;
	open_it();
	CU_ASSERT(opened.rate == TRACE_DEFAULT_RATE && opened.seed != 0 && !opened.nevents);
	CU_ASSERT(opened.mte_bytes == TRACER_MTE_BYTES && opened.trace_bytes == TRACER_TRACE_BYTES);
	CU_ASSERT(opened.segment_bytes == 64 << 10 && opened.user == geteuid() && !opened.flags);
	CU_ASSERT(opened.mode == TRACE_CONTINUOUS && opened.scope == TRACE_SYSTEM &&
		  !opened.dither);
	close_it();
	afresh();
	options.mode = TRACE_WRAP;
	options.scope = TRACE_PROCESS;
	options.pid = 12;
	options.stop_on_crash = true;
	options.clock = PITRACE_CLOCK_MONOTONIC;
	options.rate = 31;
	options.dither = 51;
	options.seed = 32;
	options.mte_bytes = 1 << 20;
	options.trace_bytes = 1 << 30;
	options.section_bytes = 32 << 10;
	options.stacks = 3;
	options.depth = 34;
	options.copy = 35;
	options.program = "/prog";
	options.owner = 36;
	options.group = 37;
	options.majors[1] = 38;
	options.itrace = &itrace;
	options.events = events;
	options.nevents = 2;
	open_it();
	CU_ASSERT(opened.mode == TRACE_WRAP && opened.scope == TRACE_PROCESS && opened.pid == 12);
	CU_ASSERT(opened.flags == PITRACE_SESSION_STOP_ON_CRASH && opened.rate == 31);
	CU_ASSERT(opened.clock == PITRACE_CLOCK_MONOTONIC && opened.seed == 32);
	CU_ASSERT_EQUAL(opened.dither, 50); /* what it does, not what was asked for */
	CU_ASSERT(opened.mte_bytes == 1 << 20 && opened.trace_bytes == 1 << 30);
	CU_ASSERT(opened.segment_bytes == 32 << 10 && opened.stacks == 3 && opened.depth == 34);
	CU_ASSERT(opened.copy == 35 && !strcmp(opened.program, "/prog") && opened.user == 36);
	CU_ASSERT(opened.majors[1] == 38 && opened.itrace.skip == 5);
	CU_ASSERT(opened.nevents == 2 && !strcmp(opened.events[1].name, "two"));
	close_it();
	/* Of a process alone; no more events than there may be; no seed that repeats nothing. */
	options.seed = 0;
	options.scope = TRACE_SYSTEM;
	options.nevents = PITRACE_EVENTS + 1;
	fake.repeats = false;
	open_it();
	CU_ASSERT(!opened.flags && opened.nevents == PITRACE_EVENTS && !opened.seed);
	close_it();
}

enum { NO_WINDOW = 1, NO_RESCAN = 2, NO_REPEATS = 4, NOBODY = 8, BUSY = 16, MUTE = 32 };

static void test_not_opened(void)
{
	static const struct {
		uint64_t mte, trace, section, rotate_bytes, rotate_ns, seed;
		int mode, lacks, rc;
		const char *says; /* NULL: it opens */
	} rows[] = {
		{ (1 << 30) + 1, 0, 0, 0, 0, 0, TRACE_NORMAL, 0, PI_INVALID_ARGUMENT, "at most" },
		{ 0, (1 << 30) + 1, 0, 0, 0, 0, TRACE_NORMAL, 0, PI_INVALID_ARGUMENT, "at most" },
		{ 1 << 30, 1 << 30, 1 << 20, 0, 0, 0, TRACE_NORMAL, 0, 0, NULL },
		{ 0, 0, 16 << 10, 0, 0, 0, TRACE_NORMAL, 0, PI_INVALID_ARGUMENT, "sections of" },
		{ 0, 0, 2 << 20, 0, 0, 0, TRACE_NORMAL, 0, PI_INVALID_ARGUMENT, "sections of" },
		{ 0, 0, 96 << 10, 0, 0, 0, TRACE_NORMAL, 0, PI_INVALID_ARGUMENT, "sections of" },
		{ 0, 0, 32 << 10, 0, 0, 0, TRACE_NORMAL, 0, 0, NULL },
		{ 0, 0, 0, 1, 0, 0, TRACE_WRAP, 0, PI_INVALID_ARGUMENT, "only rotate" },
		{ 0, 0, 0, 0, 1, 0, TRACE_NORMAL, 0, PI_INVALID_ARGUMENT, "only rotate" },
		{ 0, 0, 0, 1, 0, 0, TRACE_CONTINUOUS, 0, 0, NULL },
		{ 0, 0, 0, 1, 0, 0, TRACE_CONTINUOUS, NO_RESCAN, PI_NOT_SUPPORTED, "rotate" },
		{ 0, 0, 0, 0, 1, 0, TRACE_CONTINUOUS, NO_RESCAN, PI_NOT_SUPPORTED, "rotate" },
		{ 0, 0, 0, 0, 0, 0, TRACE_CONTINUOUS, NO_RESCAN, 0, NULL },
		{ 0, 0, 0, 0, 0, 0, TRACE_WRAP, NO_WINDOW, PI_NOT_SUPPORTED, "no wrap mode" },
		{ 0, 0, 0, 0, 0, 0, TRACE_CONTINUOUS, NO_WINDOW, 0, NULL },
		{ 0, 0, 0, 0, 0, 7, TRACE_CONTINUOUS, NO_REPEATS, PI_NOT_SUPPORTED, "dither" },
		{ 0, 0, 0, 0, 0, 0, TRACE_CONTINUOUS, NO_REPEATS, 0, NULL },
		{ 0, 0, 0, 0, 0, 0, TRACE_NORMAL, NOBODY, PI_NO_PERMISSION, "nobody serves" },
		{ 0, 0, 0, 0, 0, 0, TRACE_NORMAL, BUSY, PI_BUSY, "others are here" },
		{ 0, 0, 0, 0, 0, 0, TRACE_NORMAL, MUTE, PI_BUSY, "" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		int rc = 1;

		afresh();
		options.mte_bytes = rows[i].mte;
		options.trace_bytes = rows[i].trace;
		options.section_bytes = rows[i].section;
		options.rotate_bytes = rows[i].rotate_bytes;
		options.rotate_ns = rows[i].rotate_ns;
		options.seed = rows[i].seed;
		options.mode = rows[i].mode;
		options.owner = 1;
		fake.window = rows[i].lacks & NO_WINDOW ? NULL : fake.window;
		fake.rescan = rows[i].lacks & NO_RESCAN ? NULL : fake.rescan;
		fake.repeats = !(rows[i].lacks & NO_REPEATS);
		none_serves = rows[i].lacks & NOBODY;
		fails[OPEN] = rows[i].lacks & BUSY ? -EBUSY : rows[i].lacks & MUTE ? -EIO : 0;
		t = tracer_open(&options, &rc);
		if (!t != (rows[i].says != NULL) || rc != rows[i].rc)
			printf("# row %zu: %d %s\n", i, rc, TraceLastError());
		CU_ASSERT_EQUAL(!t, rows[i].says != NULL);
		CU_ASSERT_EQUAL(rc, rows[i].rc);
		if (rows[i].says)
			CU_ASSERT(said(rows[i].says) && *TraceLastError());
		tracer_close(t);
	}
}

/* Cycles where nothing else was chosen, if they can be had. */
static void test_cycles(void)
{
	static const struct {
		bool prefer, stand, own;
		enum collector_state state;
		const char *sampler;
	} rows[] = {
		{ true, false, false, COLLECTOR_WORKS, "cycles" },
		{ true, false, false, COLLECTOR_REFUSED, "the timer" },
		{ true, true, false, COLLECTOR_WORKS, "the timer" },
		{ false, false, false, COLLECTOR_WORKS, "the timer" },
		{ true, false, true, COLLECTOR_WORKS, "mine" },
	};
	static const struct pitrace_event_args own = { .name = "mine", .period = 9 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct trace_info info;

		afresh();
		options.prefer_cycles = rows[i].prefer;
		cycles_stand = rows[i].stand;
		state_of_check = rows[i].state;
		options.rate = 123;
		options.events = rows[i].own ? &own : NULL;
		options.nevents = rows[i].own;
		open_it();
		tracer_info(t, &info);
		CU_ASSERT_STRING_EQUAL(info.sampler, rows[i].sampler);
		if (!strcmp(rows[i].sampler, "cycles"))
			CU_ASSERT(opened.nevents == 1 && opened.events[0].period == 123 &&
				  opened.events[0].flags & PITRACE_EVENT_RATE);
		close_it();
	}
}

#define REFUSES(what, code, words)                                                    \
	do {                                                                          \
		int code_of = what;                                                   \
		if (code_of != (code))                                                \
			printf("# %d: %d %s\n", __LINE__, code_of, TraceLastError()); \
		CU_ASSERT_EQUAL(code_of, code);                                       \
		CU_ASSERT(said(words));                                               \
	} while (0)

/* Each request while it is on, and while it is off. */
static void test_states(void)
{
	static const struct pitrace_event_args event = { .name = "e" };
	static const struct tracer_itrace itrace = { .scope = PITRACE_ITRACE_ALL };

	afresh();
	open_it();
	REFUSES(tracer_off(t), PI_INCORRECT_STATE, "not on");
	REFUSES(tracer_suspend(t, true), PI_INCORRECT_STATE, "not on");
	REFUSES(tracer_write(t, NULL), PI_INCORRECT_STATE, "nothing has been traced");
	CU_ASSERT_EQUAL(tracer_discard(t), PI_OK);
	CU_ASSERT_EQUAL(tracer_on(t), PI_OK);
	REFUSES(tracer_on(t), PI_INCORRECT_STATE, "on already");
	REFUSES(tracer_enable(t, PITRACE_TPROF, true), PI_INCORRECT_STATE, "while tracing is off");
	REFUSES(tracer_events(t, &event, 1), PI_INCORRECT_STATE, "while tracing is off");
	REFUSES(tracer_itrace(t, &itrace), PI_INCORRECT_STATE, "while tracing is off");
	REFUSES(tracer_rate(t, 5), PI_INCORRECT_STATE, "while tracing is off");
	CU_ASSERT(!tracer_suspend(t, true) && suspended);
	CU_ASSERT(!tracer_suspend(t, false) && !suspended);
	CU_ASSERT_EQUAL(tracer_discard(t), PI_OK);
	CU_ASSERT_EQUAL(called[DISCARD], 2);
	CU_ASSERT_EQUAL(tracer_off(t), PI_OK);
	REFUSES(tracer_off(t), PI_INCORRECT_STATE, "not on");
	CU_ASSERT(!tracer_rate(t, 5) && !tracer_events(t, &event, 1) && !tracer_itrace(t, &itrace));
	close_it();
}

/* What is set while it is off is what the collector gets at *on*. */
static void test_settings(void)
{
	struct pitrace_event_args events[PITRACE_EVENTS + 1] = {
		{ .name = "one", .flags = PITRACE_EVENT_RATE, .period = 7 },
		{ .name = "two", .period = 8 },
	};
	struct tracer_itrace itrace = { .scope = PITRACE_ITRACE_NONE, .skip = 3 };
	struct trace_info info;

	afresh();
	open_it();
	REFUSES(tracer_enable(t, -1, true), PI_INVALID_ARGUMENT, "majors are 0 to 255");
	REFUSES(tracer_enable(t, 256, true), PI_INVALID_ARGUMENT, "majors are 0 to 255");
	CU_ASSERT_EQUAL(tracer_enable(t, 255, true), PI_OK);
	CU_ASSERT_EQUAL(tracer_enable(t, 0, true), PI_OK);
	CU_ASSERT_EQUAL(tracer_enable(t, 65, true), PI_OK);
	CU_ASSERT_EQUAL(tracer_enable(t, 66, true), PI_OK);
	CU_ASSERT_EQUAL(tracer_enable(t, 66, false), PI_OK);
	memset(present.available, 0, sizeof(present.available));
	REFUSES(tracer_enable(t, PITRACE_DISPATCH, true), PI_NOT_SUPPORTED, "no records of");
	CU_ASSERT_EQUAL(tracer_enable(t, 0, false), PI_OK);
	REFUSES(tracer_rate(t, 0), PI_INVALID_ARGUMENT, "invalid rate");
	REFUSES(tracer_rate(t, TRACE_MAX_RATE + 1), PI_INVALID_ARGUMENT, "invalid rate");
	REFUSES(tracer_events(t, events, PITRACE_EVENTS + 1), PI_TOO_MANY_METRICS, "at most 8");
	CU_ASSERT_EQUAL(tracer_events(t, events, PITRACE_EVENTS), PI_OK);
	CU_ASSERT_EQUAL(tracer_events(t, events, 2), PI_OK);
	CU_ASSERT(checked.nevents == 2 && checked.events[1].period == 8);
	CU_ASSERT_EQUAL(tracer_rate(t, 1), PI_OK);
	CU_ASSERT_EQUAL(tracer_rate(t, TRACE_MAX_RATE), PI_OK);
	/* What the collector refuses leaves all as it was. */
	state_of_check = COLLECTOR_REFUSED;
	REFUSES(tracer_events(t, events, 1), PI_NO_PERMISSION, "so it is: mend it");
	cure = "";
	REFUSES(tracer_events(t, events, 1), PI_NO_PERMISSION, "so it is");
	CU_ASSERT_STRING_EQUAL(TraceLastError(), "so it is");
	state_of_check = COLLECTOR_ABSENT;
	REFUSES(tracer_events(t, events, 1), PI_EVENT_UNSUPPORTED, "so it is");
	/* Nothing is no question to it. */
	CU_ASSERT_EQUAL(tracer_itrace(t, &itrace), PI_OK);
	itrace = (struct tracer_itrace){ .scope = PITRACE_ITRACE_ALL, .skip = 4 };
	REFUSES(tracer_itrace(t, &itrace), PI_NOT_SUPPORTED, "so it is");
	state_of_check = COLLECTOR_REFUSED;
	cure = "mend it";
	REFUSES(tracer_itrace(t, &itrace), PI_NO_PERMISSION, "so it is: mend it");
	fake.name = "timer";
	REFUSES(tracer_itrace(t, &itrace), PI_NOT_SUPPORTED, "the collector timer has no records");
	fake.name = "ptrace";
	tracer_info(t, &info);
	CU_ASSERT_STRING_EQUAL(info.sampler, "one,two");
	CU_ASSERT_EQUAL_FATAL(tracer_on(t), PI_OK);
	CU_ASSERT(turned_on.rate == TRACE_MAX_RATE && turned_on.nevents == 2);
	CU_ASSERT(turned_on.events[0].period == TRACE_MAX_RATE && turned_on.events[1].period == 8);
	CU_ASSERT(turned_on.itrace.skip == 3);
	CU_ASSERT(!turned_on.majors[0] && turned_on.majors[1] == 2 && !turned_on.majors[2] &&
		  turned_on.majors[3] == 1ull << 63);
	CU_ASSERT_EQUAL(tracer_off(t), PI_OK);
	/* Majors are an interval's; without any it samples. */
	state_of_check = COLLECTOR_WORKS;
	CU_ASSERT(!tracer_itrace(t, &itrace) && checked.itrace.skip == 4);
	CU_ASSERT(checked.majors[0] >> PITRACE_BRANCH_USER & 1);
	CU_ASSERT_EQUAL(tracer_events(t, NULL, 0), PI_OK);
	CU_ASSERT_EQUAL(tracer_on(t), PI_OK);
	CU_ASSERT(turned_on.majors[0] == 1ull << PITRACE_TPROF && !turned_on.majors[1] &&
		  !turned_on.majors[3] && !turned_on.nevents && turned_on.itrace.skip == 4);
	CU_ASSERT_EQUAL(tracer_off(t), PI_OK);
	close_it();
	/* Programs' own records come another way, where there are hook files. */
	afresh();
	fake.hook_files = true;
	open_it();
	CU_ASSERT(tracer_hooks(t) && !strcmp(tracer_hooks(t), hooks));
	CU_ASSERT(!tracer_enable(t, PITRACE_HOOKIT, true) && !tracer_enable(t, 0xff, true) &&
		  !tracer_enable(t, PITRACE_USER_FIRST, true) &&
		  !tracer_enable(t, PITRACE_USER_FIRST - 1, true));
	CU_ASSERT_EQUAL(tracer_on(t), PI_OK);
	CU_ASSERT(!turned_on.majors[2] &&
		  turned_on.majors[3] == 1ull << (PITRACE_USER_FIRST - 1) % 64);
	tracer_info(t, &info);
	CU_ASSERT(info.majors[2] == 1ull << PITRACE_HOOKIT % 64);
	CU_ASSERT_EQUAL(tracer_off(t), PI_OK);
	close_it();
}

/* What the collector fails at is said; then all is as before. */
static void test_errors(void)
{
	static const struct {
		int err;
		enum collector_state state;
		int rc;
		const char *says;
	} rows[] = {
		{ -ENODATA, COLLECTOR_REFUSED, PI_ERROR, "turning tracing on: No data" },
		{ -EDQUOT, COLLECTOR_WORKS, PI_BUSY, "20000 samples a second" },
		{ -ENOBUFS, COLLECTOR_WORKS, PI_BUFFER_FULL, "make it larger" },
		{ -EACCES, COLLECTOR_REFUSED, PI_NO_PERMISSION, "so it is: mend it" },
		{ -EPERM, COLLECTOR_REFUSED, PI_NO_PERMISSION, "so it is: mend it" },
		{ -EPERM, COLLECTOR_WORKS, PI_NO_PERMISSION, "turning tracing on: Operation" },
		{ -EIO, COLLECTOR_REFUSED, PI_FILE_ERROR, "turning tracing on: Input/output" },
	};
	char none_such[80];
	struct stat st;

	snprintf(none_such, sizeof(none_such), "%s/none", folder);
	for (int mode = TRACE_NORMAL; mode <= TRACE_WRAP; mode++)
		for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
			afresh();
			options.mode = mode;
			open_it();
			fails[ON] = rows[i].err;
			state_of_check = rows[i].state;
			REFUSES(tracer_on(t), rows[i].rc, rows[i].says);
			CU_ASSERT(stat(path, &st) && errno == ENOENT);
			fails[ON] = 0;
			CU_ASSERT_EQUAL(tracer_on(t), PI_OK);
			CU_ASSERT_EQUAL(tracer_off(t), PI_OK);
			close_it();
		}
	afresh();
	open_it();
	fails[DISCARD] = fails[SUSPEND] = -EIO;
	fails[ENVIRONMENT] = -ENOMEM;
	CU_ASSERT_EQUAL(tracer_on(t), PI_OK);
	REFUSES(tracer_suspend(t, true), PI_FILE_ERROR, "suspending: Input");
	REFUSES(tracer_suspend(t, false), PI_FILE_ERROR, "resuming: Input");
	REFUSES(tracer_discard(t), PI_FILE_ERROR, "discarding: Input");
	REFUSES(tracer_environment(t, &(char **){ NULL }), PI_NO_MEMORY, "environment");
	fake.discard = NULL;
	REFUSES(tracer_discard(t), PI_NOT_SUPPORTED, "cannot discard");
	fails[OFF] = -EIO;
	REFUSES(tracer_off(t), PI_FILE_ERROR, "Input/output");
	/* It had stopped by itself: no fault. */
	fails[OFF] = -EALREADY;
	CU_ASSERT_EQUAL(tracer_on(t), PI_OK);
	CU_ASSERT_EQUAL(tracer_off(t), PI_OK);
	fails[OFF] = 0;
	for (int which = DRAIN; which <= WINDOW; which++) {
		char **none = (char **)&t;
		struct trace_info info;

		close_it();
		afresh();
		options.mode = TRACE_WRAP;
		open_it();
		CU_ASSERT_EQUAL(tracer_on(t), PI_OK);
		fails[which] = -EIO;
		REFUSES(tracer_write(t, none_such), PI_FILE_ERROR, "Input/output");
		REFUSES(tracer_off(t), PI_FILE_ERROR, "stays readable");
		tracer_info(t, &info);
		CU_ASSERT_EQUAL(info.file_error, EIO);
		/* Neither is a must. */
		fake.environment = NULL;
		CU_ASSERT(!tracer_environment(t, &none) && !none);
	}
	close_it();
}

static void test_places(void)
{
	char long_one[PATH_MAX + 10];
	static const struct {
		const char *file, *says;
	} rows[] = {
		{ "/not_there/x", "cannot be written" },
		{ "/folder", "not a regular file" },
		{ "/pipe", "not a regular file" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		afresh();
		snprintf(long_one, sizeof(long_one), "%s/folder", folder);
		CU_ASSERT_EQUAL(mkdir(long_one, 0700), 0);
		snprintf(long_one, sizeof(long_one), "%s/pipe", folder);
		CU_ASSERT_EQUAL(mkfifo(long_one, 0700), 0);
		snprintf(long_one, sizeof(long_one), "%s%s", folder, rows[i].file);
		options.file = long_one;
		open_it();
		REFUSES(tracer_on(t), PI_FILE_ERROR, rows[i].says);
		CU_ASSERT(!called[ON] && said(long_one));
		close_it();
	}
}

/* What was traced so far, in each mode, on and off; by the session's name, by none, by another. */
static void test_written(void)
{
	char other[80], first[80];
	struct trace_info info;
	struct stat st;

	snprintf(other, sizeof(other), "%s/other", folder);
	snprintf(first, sizeof(first), "%s.1", path);
	for (int mode = TRACE_NORMAL; mode <= TRACE_WRAP; mode++)
		for (int on = 0; on < 2; on++)
			for (int way = 0; way < 3; way++) {
				const char *name = way == 0 ? NULL : way == 1 ? path : other;
				bool wrap_on = mode == TRACE_WRAP && on;
				const char *got = wrap_on && !way ? first : name ? name : path;

				afresh();
				options.mode = mode;
				open_it();
				CU_ASSERT_EQUAL(tracer_on(t), PI_OK);
				samples = 20;
				if (!on)
					CU_ASSERT_EQUAL(tracer_off(t), PI_OK);
				if (wrap_on && way == 1) {
					REFUSES(tracer_write(t, name), PI_INVALID_ARGUMENT,
						"is being written");
					close_it();
					continue;
				}
				CU_ASSERT_EQUAL(tracer_write(t, name), PI_OK);
				tracer_info(t, &info);
				CU_ASSERT_STRING_EQUAL(info.got_file, got);
				CU_ASSERT(info.got > 256 && info.got_records >= 20);
				/* The session's own file, while it grows, has no end yet. */
				if (strcmp(got, path) || !on || mode == TRACE_NORMAL)
					CU_ASSERT_EQUAL(records_of(got, NULL), 20);
				if (on)
					CU_ASSERT_EQUAL(tracer_off(t), PI_OK);
				CU_ASSERT(stat(other, &st) == 0 || way != 2);
				close_it();
			}
	/* A copy has a folder of its own, that may not be there. */
	afresh();
	open_it();
	CU_ASSERT_EQUAL(tracer_on(t), PI_OK);
	REFUSES(tracer_write(t, "/not_there/x"), PI_FILE_ERROR, "/not_there/x: No such");
	CU_ASSERT_EQUAL(tracer_off(t), PI_OK);
	close_it();
}

static bool readable(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, ms) == 1;
}

/* The collector ends the interval by itself: who watches is told, the file has why. */
static void test_stops(void)
{
	struct pifile_stats s = { 0 };
	struct trace_info info;

	for (int again = 0; again < 2; again++) {
		afresh();
		open_it();
		CU_ASSERT_EQUAL(tracer_on(t), PI_OK);
		CU_ASSERT(!readable(tracer_fd(t), 0));
		present.stop_ring = 2;
		present.state = PITRACE_STATE_STOPPED;
		if (!again) {
			close(ends[1]);
			ends[1] = -1;
			CU_ASSERT(readable(tracer_fd(t), 5000));
		}
		fails[OFF] = -EALREADY;
		CU_ASSERT_EQUAL(tracer_off(t), PI_OK);
		CU_ASSERT(!readable(tracer_fd(t), 0));
		tracer_info(t, &info);
		CU_ASSERT_EQUAL(info.stopped, 1);
		CU_ASSERT_EQUAL(records_of(path, &s), 0);
		CU_ASSERT(s.stopped_by == 3 && s.stop_pid == 99);
		close_it();
	}
	afresh();
	open_it();
	CU_ASSERT(!tracer_on(t) && !tracer_off(t));
	tracer_info(t, &info);
	CU_ASSERT_EQUAL(info.stopped, 0);
	CU_ASSERT_EQUAL(records_of(path, &s), 0);
	CU_ASSERT(!s.stopped_by && !s.stop_pid);
	close_it();
	/* Its file fails: told too. */
	afresh();
	open_it();
	CU_ASSERT_EQUAL(tracer_on(t), PI_OK);
	fails[DRAIN] = -EIO;
	CU_ASSERT_EQUAL(write(ends[1], "x", 1), 1);
	CU_ASSERT(readable(tracer_fd(t), 5000));
	REFUSES(tracer_off(t), PI_FILE_ERROR, "Input/output");
	close_it();
}

static void wait_for_files(unsigned int n)
{
	struct trace_info info;

	for (int i = 0; i < 3000; i++) {
		tracer_info(t, &info);
		if (info.files >= n)
			return;
		usleep(10000);
	}
	CU_FAIL("no more files");
}

/* Files that follow each other: each has its own part of the counts and records. */
static void test_rotation(void)
{
	struct pifile_stats s, sum = { 0 };
	struct trace_info info;
	char name[80];
	int records = 0;

	afresh();
	options.rotate_ns = 300000000;
	open_it();
	CU_ASSERT_EQUAL(tracer_on(t), PI_OK);
	lost = 100;
	samples = 11;
	CU_ASSERT_EQUAL(write(ends[1], "x", 1), 1);
	wait_for_files(2);
	lost = 250;
	samples = 12;
	wait_for_files(3);
	CU_ASSERT_EQUAL(tracer_off(t), PI_OK);
	tracer_info(t, &info);
	CU_ASSERT(info.files >= 3 && called[RESCAN] >= 3 && info.records >= 23);
	for (unsigned int i = 0; i <= info.files; i++) {
		int n;

		if (i)
			snprintf(name, sizeof(name), "%s.%u", path, i);
		n = records_of(i ? name : path, &s);
		CU_ASSERT(n >= 0);
		records += n;
		sum.ticks += s.ticks;
		sum.idle_ticks += s.idle_ticks;
		sum.late += s.late;
		sum.out_of_scope += s.out_of_scope;
		sum.trace_bytes += s.trace_bytes;
		sum.lost[PITRACE_LOST_TPROF] += s.lost[PITRACE_LOST_TPROF];
	}
	CU_ASSERT_EQUAL(records, 23);
	CU_ASSERT(sum.ticks == 250 && sum.idle_ticks == 500 && sum.late == 750);
	CU_ASSERT(sum.out_of_scope == 1000 && sum.trace_bytes == 1500);
	CU_ASSERT_EQUAL(sum.lost[PITRACE_LOST_TPROF], 2000);
	close_it();
	/* So many older ones are kept; a folder that has the next one's name makes way. */
	afresh();
	options.rotate_bytes = 1;
	options.rotate_keep = 1;
	snprintf(name, sizeof(name), "%s.1", path);
	CU_ASSERT_EQUAL(mkdir(name, 0700), 0);
	open_it();
	CU_ASSERT_EQUAL(tracer_on(t), PI_OK);
	CU_ASSERT_EQUAL(write(ends[1], "x", 1), 1);
	wait_for_files(3);
	CU_ASSERT_EQUAL(tracer_off(t), PI_OK);
	tracer_info(t, &info);
	for (unsigned int i = 1; i <= info.files; i++) {
		snprintf(name, sizeof(name), "%s.%u", path, i);
		CU_ASSERT_EQUAL(access(name, F_OK) == 0, i == info.files);
	}
	/* The next interval's number goes on. */
	CU_ASSERT_EQUAL(tracer_on(t), PI_OK);
	snprintf(name, sizeof(name), "%s.%u", path, info.files + 1);
	CU_ASSERT_EQUAL(access(name, F_OK), 0);
	CU_ASSERT_EQUAL(tracer_off(t), PI_OK);
	close_it();
}

static void test_end(void)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	CU_ASSERT_EQUAL(system(command), 0);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "options", test_options },   { "not_opened", test_not_opened },
		{ "cycles", test_cycles },     { "states", test_states },
		{ "settings", test_settings }, { "errors", test_errors },
		{ "places", test_places },     { "written", test_written },
		{ "stops", test_stops },       { "rotation", test_rotation },
		{ "end", test_end },           {},
	};

	/* In memory: each file is synced. */
	strcpy(folder, "/dev/shm/test_tracer.XXXXXX");
	if (!mkdtemp(folder)) {
		strcpy(folder, "/tmp/test_tracer.XXXXXX");
		if (!mkdtemp(folder))
			return 1;
	}
	snprintf(path, sizeof(path), "%s/trace.nrm2", folder);
	snprintf(hooks, sizeof(hooks), "%s/hooks", folder);
	return unit_run("tracer", tests);
}
