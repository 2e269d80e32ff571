// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The states of a session: which requests are refused in which state, what of the options the
 * collector gets, what is said of each of its errors, and what the holder and swtrace run answer.
 */
#include "fake_collector.h"
#include "session/holder.h"

/* ---- tests ----------------------------------------------------------------------------------- */

/* Options reach the collector; others have defaults. */
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
	/* Only for a process; not more events than allowed; no seed that cannot be repeated. */
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

/* Settings that are made while it is off reach the collector at *on*. */
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
	/* A refusal of the collector leaves everything unchanged. */
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
		  turned_on.majors[3] == (1ull << 63 | 1ull << PITRACE_NAMED % 64));
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

/* An error of the collector is reported; then everything is as before. */
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

/* ---- requests -------------------------------------------------------------------------------- */

static struct holder_request request;
static struct holder_reply reply;

/* The answer, by the holder; `guest`: by swtrace run to its program. */
static int ask(bool guest)
{
	int pair[2];

	memset(&reply, 0xff, sizeof(reply));
	CU_ASSERT_EQUAL_FATAL(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	CU_ASSERT_FALSE(holder_answer(t, pair[0], &request, guest));
	CU_ASSERT_EQUAL(recv(pair[1], &reply, sizeof(reply), MSG_DONTWAIT), (ssize_t)sizeof(reply));
	close(pair[0]);
	close(pair[1]);
	CU_ASSERT(reply.size == sizeof(reply) && reply.version == HOLDER_VERSION);
	CU_ASSERT_STRING_EQUAL(reply.info.collector, "ptrace");
	return reply.rc;
}

/* The limits of events and instruction traces. */
static void test_checks(void)
{
	struct pitrace_event_args e[PITRACE_EVENTS] = { { .name = "e", .period = 1 } };
	struct tracer_itrace i = { .scope = PITRACE_ITRACE_RANGE, .listed = PITRACE_ITRACE_LIST };

	CU_ASSERT_EQUAL(holder_check_events(e, 1), PI_OK);
	e[0].flags = PITRACE_EVENT_RATE | PITRACE_EVENT_USER | PITRACE_EVENT_KERNEL;
	CU_ASSERT_EQUAL(holder_check_events(e, 1), PI_OK);
	CU_ASSERT_EQUAL(holder_check_events(e, 0), PI_OK);
	REFUSES(holder_check_events(e, 2), PI_INVALID_ARGUMENT, "event 1 is invalid");
	REFUSES(holder_check_events(e, PITRACE_EVENTS + 1), PI_TOO_MANY_METRICS, "at most 8");
	e[0].flags |= 1u << 31;
	REFUSES(holder_check_events(e, 1), PI_INVALID_ARGUMENT, "event 0 is invalid");
	e[0].flags = 0;
	memset(e[0].name, 'x', sizeof(e[0].name));
	REFUSES(holder_check_events(e, 1), PI_INVALID_ARGUMENT, "event 0 is invalid");
	for (int k = 0; k < PITRACE_EVENTS; k++)
		e[k] = (struct pitrace_event_args){ .name = "e", .period = 1 };
	CU_ASSERT_EQUAL(holder_check_events(e, PITRACE_EVENTS), PI_OK);

	CU_ASSERT_EQUAL(holder_check_itrace(&i), PI_OK);
	for (int k = 0; k < 5; k++) {
		struct tracer_itrace bad = i;

		if (k == 0)
			bad.scope++;
		else if (k == 1)
			bad.listed++;
		else if (k == 2)
			memset(bad.start_file, 'x', sizeof(bad.start_file));
		else if (k == 3)
			memset(bad.stop_file, 'x', sizeof(bad.stop_file));
		else
			bad.flags = 1u << 31;
		REFUSES(holder_check_itrace(&bad), PI_INVALID_ARGUMENT, "instruction trace");
	}
}

/* The requests that each user may make, and the content of answers. */
static void test_requests(void)
{
	static const struct {
		uint32_t op;
		int32_t a, b;
		const char *path;
		int rc, guest_rc; /* 1: not asked */
		const char *says, *guest_says;
	} rows[] = {
		{ HOLDER_INFO, 0, 0, "", PI_OK, PI_OK, "", "" },
		{ HOLDER_OFF, 0, 0, "", PI_INCORRECT_STATE, PI_INCORRECT_STATE, "not on",
		  "not on" },
		{ HOLDER_RATE, 0, 0, "", PI_INVALID_ARGUMENT, PI_NOT_SUPPORTED, "invalid rate",
		  "an option of swtrace run" },
		{ HOLDER_RATE, 77, 0, "", PI_OK, PI_NOT_SUPPORTED, "", "an option" },
		{ HOLDER_MAJOR, 256, 1, "", PI_INVALID_ARGUMENT, PI_NOT_SUPPORTED, "0 to 255",
		  "an option" },
		{ HOLDER_MAJOR, 65, 1, "", PI_OK, PI_NOT_SUPPORTED, "", "an option" },
		{ HOLDER_EVENTS, -1, 0, "", PI_TOO_MANY_METRICS, PI_NOT_SUPPORTED, "at most",
		  "an option" },
		{ HOLDER_EVENTS, 1, 0, "", PI_INVALID_ARGUMENT, PI_NOT_SUPPORTED, "event 0",
		  "an option" },
		{ HOLDER_EVENTS, 0, 0, "", PI_OK, 1, "", "" },
		{ HOLDER_ITRACE, 0, 0, "", PI_OK, PI_NOT_SUPPORTED, "", "an option" },
		{ HOLDER_WRITE, 0, 0, "", PI_INCORRECT_STATE, PI_INCORRECT_STATE, "nothing has",
		  "nothing has" },
		{ HOLDER_WRITE, 0, 0, "/x", PI_INCORRECT_STATE, PI_NO_PERMISSION, "nothing has",
		  "cannot be given a name" },
		{ 99, 0, 0, "", PI_NOT_SUPPORTED, PI_NOT_SUPPORTED, "unknown request 99",
		  "an option" },
		{ HOLDER_ON, 0, 0, "", 1, PI_INCORRECT_STATE, "", "turns tracing on, once" },
		{ HOLDER_ON, 0, 0, "", PI_OK, PI_INCORRECT_STATE, "", "turns tracing on, once" },
		{ HOLDER_ON, 0, 0, "", PI_INCORRECT_STATE, 1, "on already", "" },
		{ HOLDER_SUSPEND, 0, 0, "", PI_OK, PI_OK, "", "" },
		{ HOLDER_RESUME, 0, 0, "", PI_OK, PI_OK, "", "" },
		{ HOLDER_DISCARD, 0, 0, "", PI_OK, PI_OK, "", "" },
		{ HOLDER_HOOK, 0, 0, "", PI_NOT_SUPPORTED, PI_NOT_SUPPORTED, "hook files",
		  "hook files" },
		{ HOLDER_WRITE, 0, 0, "", PI_OK, PI_OK, "", "" },
		{ HOLDER_TERMINATE, 0, 0, "", 1, PI_NOT_SUPPORTED, "", "an option" },
		{ HOLDER_OFF, 0, 0, "", PI_OK, 1, "", "" },
	};
	unsigned int allowed = 0;

	afresh();
	fake.hook_files = true;
	open_it();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (int guest = 0; guest < 2; guest++) {
			int want = guest ? rows[i].guest_rc : rows[i].rc, rc;
			const char *says = guest ? rows[i].guest_says : rows[i].says;

			if (want == 1)
				continue;
			request = (struct holder_request){ .size = sizeof(request),
							   .version = HOLDER_VERSION,
							   .op = rows[i].op,
							   .a = rows[i].a,
							   .b = rows[i].b };
			snprintf(request.path, sizeof(request.path), "%s", rows[i].path);
			rc = ask(guest);
			if (rc != want || !strstr(reply.why, says) || (!*says && *reply.why))
				printf("# row %zu %d: %d \"%s\"\n", i, guest, rc, reply.why);
			CU_ASSERT_EQUAL(rc, want);
			CU_ASSERT(strstr(reply.why, says) && !*says == !*reply.why);
			if (rows[i].op == HOLDER_SUSPEND)
				CU_ASSERT(suspended);
			if (rows[i].op == HOLDER_RESUME)
				CU_ASSERT(!suspended);
		}
	CU_ASSERT_EQUAL(opened.majors[1], 0);
	CU_ASSERT(turned_on.majors[1] == 2 && turned_on.rate == 77);
	/* A program's snapshots: a burst, then as time goes on. */
	request = (struct holder_request){ .version = HOLDER_VERSION, .op = HOLDER_WRITE };
	while (allowed < 40 && ask(true) == PI_OK)
		allowed++;
	CU_ASSERT(allowed >= 12 && allowed < 40 && reply.rc == PI_BUSY);
	CU_ASSERT_PTR_NOT_NULL(strstr(reply.why, "one snapshot a second"));
	CU_ASSERT_EQUAL(ask(false), PI_OK);
	/* A request of another release. */
	request = (struct holder_request){ .version = HOLDER_VERSION + 1, .op = HOLDER_INFO };
	CU_ASSERT_EQUAL(ask(false), PI_NOT_SUPPORTED);
	CU_ASSERT_EQUAL(ask(true), PI_NOT_SUPPORTED);
	close_it();
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "options", test_options },   { "not_opened", test_not_opened },
		{ "cycles", test_cycles },     { "states", test_states },
		{ "settings", test_settings }, { "errors", test_errors },
		{ "places", test_places },     { "checks", test_checks },
		{ "requests", test_requests }, {},
	};

	return run_in_folder("tracer", tests);
}
