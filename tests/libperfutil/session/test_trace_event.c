// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Named events where programs write them: what stands in the trace, how often each is declared, in
 * threads, children, signal handlers, sessions that begin late, buffers that are full.
 */
#include <trace_event.h>
#include "hook_session.h"

TRACE_EVENT(tick);
TRACE_EVENT(order_done, (u64, number), (i32, amount, "cents"), (f64, took, "ms"), (str, who),
	    (bool, paid), (ptr, at), (enum, state, "idle|busy"), (str, where));
TRACE_EVENT(most, (u8, a), (u16, b), (u32, c), (u64, d), (i8, e), (i16, f), (i32, g), (i64, h),
	    (hex, i), (u8, j), (u8, k), (u8, l), (u8, m), (u8, n), (u8, o), (u8, p));

/* ---- what stands there ----------------------------------------------------------------------- */

struct seen {
	uint32_t pid, minor;
	bool declares;
	uint32_t ints, strs;
	uint64_t value[32];
	char text[4][256];
};
static struct seen *seen;
static size_t nseen;
#define SEEN 400000

static void take(const struct record *r, bool declares)
{
	const uint8_t *p = r->data;
	struct seen *s = &seen[nseen];
	struct pitrace_user u;
	uint32_t length;
	size_t at;

	if (nseen == SEEN)
		return;
	nseen++;
	memcpy(&u, p, sizeof(u));
	*s = (struct seen){ u.pid, r->minor, declares, u.ints, u.strs, { 0 }, { "" } };
	memcpy(s->value, p + sizeof(u), (u.ints > 32 ? 32 : u.ints) * 8ul);
	at = sizeof(u) + u.ints * 8ul + u.strs * 4ul;
	for (unsigned int i = 0; i < u.strs && i < 4; i++) {
		memcpy(&length, p + sizeof(u) + u.ints * 8ul + 4 * i, 4);
		snprintf(s->text[i], sizeof(s->text[i]), "%.*s", (int)length, p + at);
		at += length;
	}
}

static int note(void *arg, const void *segment, size_t size)
{
	struct pitrace_segment h;
	struct record_walk w;
	struct record r;

	(void)arg;
	if (record_walk_begin(&w, segment, size, &h))
		return -EBADMSG;
	while (record_next(&w, &r) > 0) {
		bool declares = r.major == PITRACE_MTE && r.minor == PITRACE_MTE_DECLARE;

		if (declares || r.major == PITRACE_NAMED)
			take(&r, declares);
	}
	return 0;
}

static void start(uint64_t bytes)
{
	nseen = 0;
	session_sink = note;
	begin_with(bytes);
}

/* Records of this event (NULL: of all), or its declarations. */
static size_t count(const char *name, bool declares, uint32_t pid)
{
	uint32_t number = 0;
	size_t n = 0;

	for (size_t i = 0; i < nseen; i++) {
		if (seen[i].declares && name && !strcmp(seen[i].text[0], name))
			number = (uint32_t)seen[i].value[0];
	}
	for (size_t i = 0; i < nseen; i++) {
		uint32_t of = seen[i].declares ? (uint32_t)seen[i].value[0] : seen[i].minor;

		n += seen[i].declares == declares && (!name || of == number) &&
		     (!pid || seen[i].pid == pid);
	}
	return n;
}

static const struct seen *first(const char *name, bool declares)
{
	uint32_t number = 0;

	for (size_t i = 0; i < nseen; i++) {
		if (!seen[i].declares || strcmp(seen[i].text[0], name))
			continue;
		number = (uint32_t)seen[i].value[0];
		if (declares)
			return &seen[i];
	}
	for (size_t i = 0; i < nseen; i++) {
		if (!seen[i].declares && seen[i].minor == number)
			return &seen[i];
	}
	return NULL;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static unsigned int evaluated;

static uint64_t value(uint64_t v)
{
	evaluated++;
	return v;
}

/* While nobody listens nothing is evaluated. */
static void test_guard(void)
{
	CU_ASSERT_EQUAL(TraceEvent(tick), TRACE_NOBODY);
	evaluated = 0;
	CU_ASSERT_EQUAL(TraceEvent(order_done, value(1), 2, 3, "x", true, NULL, 0, "y"),
			TRACE_NOBODY);
	CU_ASSERT_EQUAL(evaluated, 0);
	CU_ASSERT_EQUAL(TraceEventsEnabled(), 0);
	start(TRACER_TRACE_BYTES);
	CU_ASSERT_EQUAL(TraceEventsEnabled(), 1);
	CU_ASSERT_EQUAL(TraceEvent(order_done, value(1), 2, 3, "x", true, NULL, 0, "y"), PI_OK);
	CU_ASSERT_EQUAL(evaluated, 1);
	end();
	CU_ASSERT_EQUAL(TraceEvent(order_done, value(1), 2, 3, "x", true, NULL, 0, "y"),
			TRACE_NOBODY);
	CU_ASSERT_EQUAL(evaluated, 1);
}

static void test_record(void)
{
	const struct seen *s;
	double took;

	start(TRACER_TRACE_BYTES);
	errno = 4711;
	CU_ASSERT_EQUAL(TraceEvent(order_done, 4711, -250, 1.5, "x\ny", true, (void *)0xabc, 1,
				   NULL),
			PI_OK);
	CU_ASSERT_EQUAL(TraceEvent(tick), PI_OK);
	CU_ASSERT_EQUAL(TraceEvent(most, 255, 65535, 0xFFFFFFFF, ~0ull, -128, -32768, INT32_MIN,
				   INT64_MIN, 1, 2, 3, 4, 5, 6, 7, 8),
			PI_OK);
	CU_ASSERT_EQUAL(errno, 4711);
	end();
	s = first("order_done", true);
	CU_ASSERT_PTR_NOT_NULL_FATAL(s);
	CU_ASSERT_STRING_EQUAL(s->text[1], "number:u64,amount:i32:cents,took:f64:ms,who:str,"
					   "paid:bool,at:ptr,state:enum:idle|busy,where:str");
	s = first("order_done", false);
	CU_ASSERT_PTR_NOT_NULL_FATAL(s);
	CU_ASSERT_EQUAL(s->ints, 6);
	CU_ASSERT_EQUAL(s->strs, 2);
	CU_ASSERT_EQUAL(s->value[0], 4711);
	CU_ASSERT_EQUAL(s->value[1], (uint64_t)-250);
	memcpy(&took, &s->value[2], sizeof(took));
	CU_ASSERT_EQUAL(took, 1.5);
	CU_ASSERT_EQUAL(s->value[3], 1);
	CU_ASSERT_EQUAL(s->value[4], 0xabc);
	CU_ASSERT_EQUAL(s->value[5], 1);
	CU_ASSERT_STRING_EQUAL(s->text[0], "x\ny");
	CU_ASSERT_STRING_EQUAL(s->text[1], "(null)");
	s = first("tick", true);
	CU_ASSERT(s && !*s->text[1]);
	s = first("tick", false);
	CU_ASSERT(s && !s->ints && !s->strs);
	s = first("most", false);
	CU_ASSERT_PTR_NOT_NULL_FATAL(s);
	CU_ASSERT_EQUAL(s->ints, 16);
	CU_ASSERT_EQUAL(s->value[2], 0xFFFFFFFF);
	CU_ASSERT_EQUAL(s->value[4], (uint64_t)-128);
	CU_ASSERT_EQUAL(s->value[7], (uint64_t)INT64_MIN);
	CU_ASSERT_EQUAL(s->value[15], 8);
}

/* Once a session and process, before the first record; each interval anew. */
static void test_declared_once(void)
{
	for (int i = 0; i < 3; i++) {
		pid_t pid;

		start(TRACER_TRACE_BYTES);
		for (int n = 0; n < 100; n++)
			CU_ASSERT_EQUAL(TraceEvent(tick), PI_OK);
		pid = fork();
		if (!pid) {
			TraceEvent(tick);
			_exit(TraceEvent(tick) != PI_OK);
		}
		CU_ASSERT_EQUAL(outcome(pid, 20), 0);
		/* Switches it off and on again. */
		CU_ASSERT_EQUAL(hooks_listen(hooks, NULL), 0);
		drain(true);
		CU_ASSERT_EQUAL(count("tick", true, (uint32_t)getpid()), 1);
		CU_ASSERT_EQUAL(count("tick", false, (uint32_t)getpid()), 100);
		CU_ASSERT_EQUAL(count("tick", true, (uint32_t)pid), 1);
		CU_ASSERT_EQUAL(count("tick", false, (uint32_t)pid), 2);
		nseen = 0;
		CU_ASSERT_EQUAL(hooks_listen(hooks, majors), 0);
		CU_ASSERT_EQUAL(TraceEvent(tick), PI_OK);
		end();
		CU_ASSERT_EQUAL(count("tick", true, 0), 1);
		CU_ASSERT_EQUAL(count("tick", false, 0), 1);
	}
}

/* Each file of several begins with what is needed to read it. */
static void test_another_file(void)
{
	start(TRACER_TRACE_BYTES);
	CU_ASSERT_EQUAL(TraceEvent(tick), PI_OK);
	CU_ASSERT_EQUAL(TraceEvent(tick), PI_OK);
	CU_ASSERT_EQUAL(hooks_again(hooks), 0);
	CU_ASSERT_EQUAL(TraceEvent(tick), PI_OK);
	end();
	CU_ASSERT_EQUAL(count("tick", true, 0), 2);
	CU_ASSERT_EQUAL(count("tick", false, 0), 3);
	CU_ASSERT(nseen == 5 && seen[0].declares);
}

/* An event that found no room is declared again. */
static void test_full(void)
{
	uint64_t full = 0, more = 0;
	uint64_t v[3] = { 0 };
	int filler = TraceEventNew("filler", "a:u64,b:u64,c:u64"),
	    late = TraceEventNew("late", "number:u64");

	start(HOOKS_BYTES_MIN);
	while (TraceEventWrite(filler, v, NULL, NULL) == PI_OK)
		full++;
	CU_ASSERT(full > 100);
	CU_ASSERT_EQUAL(TraceEventWrite(late, v, NULL, NULL), PI_BUFFER_FULL);
	drain(true);
	CU_ASSERT_EQUAL(count("late", true, 0), 0);
	for (int i = 0; i < 100 && TraceEventWrite(late, v, NULL, NULL) != PI_OK; i++)
		drain(true);
	more += TraceEventWrite(late, v, NULL, NULL) == PI_OK;
	end();
	CU_ASSERT_EQUAL(more, 1);
	CU_ASSERT_EQUAL(count("late", true, 0), 1);
	CU_ASSERT_EQUAL(count("late", false, 0), 2);
	CU_ASSERT(lost >= 3);
}

/* The same event has the same number in all processes, different events have different ones. */
static void test_numbers(void)
{
	int a = TraceEventNew("shared", "number:u64,who:str:of all"),
	    b = TraceEventNew("shared", " number:u64: , who:str:of all"),
	    c = TraceEventNew("shared", "number:u32,who:str:of all"),
	    d = TraceEventNew("shared.2", "number:u64,who:str:of all");
	const char *who = "me";
	uint64_t v = 1;

	CU_ASSERT(a > 0);
	CU_ASSERT_EQUAL(a, b);
	CU_ASSERT(c > 0 && c != a);
	CU_ASSERT(d > 0 && d != a && d != c);
	start(TRACER_TRACE_BYTES);
	CU_ASSERT_EQUAL(TraceEventWrite(a, &v, (int[]){ 1 }, &who), PI_OK);
	CU_ASSERT_EQUAL(TraceEventWrite(c, &v, NULL, &who), PI_OK);
	CU_ASSERT_EQUAL(TraceEventWrite(d, &v, NULL, &who), PI_OK);
	end();
	CU_ASSERT_EQUAL(count(NULL, true, 0), 3);
	CU_ASSERT_EQUAL(count(NULL, false, 0), 3);
	CU_ASSERT(seen[0].value[0] != seen[1].value[0] && seen[0].value[0] != seen[2].value[0] &&
		  seen[1].value[0] != seen[2].value[0]);
	for (size_t i = 0; i < nseen; i++) {
		if (!seen[i].declares)
			CU_ASSERT(!strcmp(seen[i].text[0], "me") || !strcmp(seen[i].text[0], "m"));
	}
}

static void test_refused(void)
{
	static const char *const names[] = { "", "a b", "\033[31m", NULL };
	char name[16];
	int rc = 0, made = 0;
	pid_t pid;

	for (size_t i = 0; i < 4; i++)
		CU_ASSERT_EQUAL(TraceEventNew(names[i], ""), PI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(TraceEventNew("a", NULL), PI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(TraceEventNew("a", "b:u65"), PI_INVALID_ARGUMENT);
	CU_ASSERT_PTR_NOT_NULL(strstr(TraceLastError(), "a type that is none of"));
	CU_ASSERT_EQUAL(TraceEventWrite(0, NULL, NULL, NULL), PI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(TraceEventWrite(-1, NULL, NULL, NULL), PI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(TraceEventWrite(INT32_MAX, NULL, NULL, NULL), PI_INVALID_ARGUMENT);
	CU_ASSERT_PTR_NOT_NULL(strstr(TraceLastError(), "no such event"));
	rc = TraceEventNew("needs", "a:u8");
	CU_ASSERT_EQUAL(TraceEventWrite(rc, NULL, NULL, NULL), PI_INVALID_ARGUMENT);
	/* The public function has no such major. */
	CU_ASSERT_EQUAL((TraceHook)(0, PITRACE_NAMED, 1, 0, 0, NULL, NULL, NULL),
			PI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL((TraceHook)(0, PITRACE_MTE, PITRACE_MTE_DECLARE, 0, 0, NULL, NULL, NULL),
			PI_INVALID_ARGUMENT);
	/* As many as there may be; the table is a child's. */
	pid = fork();
	if (!pid) {
		for (int i = 0; i < 3000; i++) {
			snprintf(name, sizeof(name), "n%d", i);
			rc = TraceEventNew(name, "");
			made += rc > 0;
		}
		_exit(made > 2000 && made <= 2048 && rc == PI_NO_MEMORY &&
				      TraceEventNew("n1", "") > 0 ?
			      0 :
			      1);
	}
	CU_ASSERT_EQUAL(outcome(pid, 20), 0);
	/* Too long by a string alone. */
	start(TRACER_TRACE_BYTES);
	{
		static char text[PITRACE_USER_MAX];
		const char *p = memset(text, 'x', sizeof(text) - 1);

		rc = TraceEventNew("long_one", "who:str");
		CU_ASSERT_EQUAL(TraceEventWrite(rc, NULL, NULL, &p), PI_HOOK_TOO_LONG);
		CU_ASSERT_EQUAL(TraceEventWrite(rc, NULL, (int[]){ -1 }, &p), PI_HOOK_TOO_LONG);
		CU_ASSERT_EQUAL(TraceEventWrite(rc, NULL, (int[]){ 3 }, &p), PI_OK);
	}
	end();
	CU_ASSERT_EQUAL(count("long_one", false, 0), 1);
}

/* ---- threads and handlers -------------------------------------------------------------------- */

static sem_t go_on;

static void *declares(void *arg)
{
	char name[16];
	int *ids = arg;

	sem_wait(&go_on);
	for (int i = 0; i < 300; i++) {
		uint64_t v = (uint64_t)i;

		snprintf(name, sizeof(name), "of_%d", i);
		ids[i] = TraceEventNew(name, "number:u64");
		TraceEventWrite(ids[i], &v, NULL, NULL);
	}
	return NULL;
}

static void test_threads(void)
{
	static int ids[THREADS][300];
	pthread_t thread[THREADS];
	unsigned int differ = 0, wrong = 0;

	start(TRACER_TRACE_BYTES);
	sem_init(&go_on, 0, 0);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, declares, ids[i]);
	for (int i = 0; i < THREADS; i++)
		sem_post(&go_on);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	end();
	for (int k = 0; k < 300; k++) {
		char name[16];

		for (int i = 0; i < THREADS; i++)
			differ += ids[i][k] <= 0 || ids[i][k] != ids[0][k];
		snprintf(name, sizeof(name), "of_%d", k);
		wrong += count(name, false, 0) != THREADS || !count(name, true, 0);
		wrong += first(name, false)->value[0] != (uint64_t)k;
	}
	CU_ASSERT_EQUAL(differ, 0);
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_EQUAL(count(NULL, false, 0), 300 * THREADS);
}

static volatile sig_atomic_t handled;

static void on_alarm(int number)
{
	int saved = errno;

	(void)number;
	errno = 4711;
	if (TraceEvent(order_done, 1, 2, 3, "handler", true, NULL, 0, "") == PI_OK &&
	    TraceEvent(tick) == PI_OK && errno == 4711)
		handled = 1;
	errno = saved;
}

/* The first of the process is in a handler that may have interrupted malloc, or another. */
static void test_handler(void)
{
	start(TRACER_TRACE_BYTES);
	for (int i = 0; i < 10; i++) {
		struct itimerval often = { { 0, 700 + i }, { 0, 700 + i } };
		pid_t pid = fork();

		if (pid) {
			CU_ASSERT_EQUAL(outcome(pid, 20), 0);
			continue;
		}
		signal(SIGALRM, on_alarm);
		setitimer(ITIMER_REAL, &often, NULL);
		for (int n = 0; n < 30000 || !handled; n++) {
			free(malloc(3000 + (size_t)n % 999));
			if (i & 1)
				TraceEvent(tick);
		}
		_exit(0);
	}
	end();
	CU_ASSERT(count("tick", false, 0) >= 10);
	CU_ASSERT(count("tick", true, 0) >= 10);
	CU_ASSERT(count("order_done", true, 0) >= 10);
}

/* The environment's choice holds for what is declared after it. */
static void test_chosen(void)
{
	pid_t pid;

	start(TRACER_TRACE_BYTES);
	pid = fork();
	if (!pid) {
		int yes, no;

		setenv("PITRACE_EVENTS", "chosen_*,other", 1);
		yes = TraceEventNew("chosen_one", "");
		no = TraceEventNew("another", "");
		_exit(TraceEventWrite(yes, NULL, NULL, NULL) != PI_OK ||
		      TraceEventWrite(no, NULL, NULL, NULL) != TRACE_NOBODY);
	}
	CU_ASSERT_EQUAL(outcome(pid, 20), 0);
	end();
	CU_ASSERT_EQUAL(count(NULL, true, 0), 1);
	CU_ASSERT_EQUAL(count("chosen_one", false, 0), 1);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "guard", test_guard },
		{ "record", test_record },
		{ "declared_once", test_declared_once },
		{ "another_file", test_another_file },
		{ "full", test_full },
		{ "numbers", test_numbers },
		{ "refused", test_refused },
		{ "threads", test_threads },
		{ "handler", test_handler },
		{ "chosen", test_chosen },
		{ NULL, NULL },
	};

	unsetenv("PITRACE_EVENTS");
	seen = calloc(SEEN, sizeof(*seen));
	return seen ? hook_session_run("trace_event", tests) : 1;
}
