// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The program's functions that the timer's library interposes: the effect of each in each state (no
 * collector, a collector that has ended, a sandbox, a child), and the arguments and results of the
 * C library's. The test replaces the C library's functions and the library's rings. (Linked with
 * --wrap=dlsym,pthread_key_create.)
 */
#include <sys/syscall.h>
#include "collect/timer/preload/interpose.c"
#include "unit.h"

#define JUNK 1234 /* an errno that the library's own work leaves behind */

/* ---- what was done, as text ------------------------------------------------------------------ */

static char did[4096];

static __attribute__((format(printf, 1, 2))) void note(const char *format, ...)
{
	size_t n = strlen(did);
	va_list ap;

	va_start(ap, format);
	if (n)
		did[n++] = ' ';
	vsnprintf(did + n, sizeof(did) - n, format, ap);
	va_end(ap);
	errno = JUNK;
}

/* Was it that, since the last question? */
static bool is(const char *want)
{
	bool same = !strcmp(did, want);

	if (!same)
		printf("# did \"%s\", not \"%s\"\n", did, want);
	did[0] = 0;
	return same;
}

/* ---- the library's other files --------------------------------------------------------------- */

static struct timer_control control = { .state = TIMER_ON };
const struct timer_control *timer_control;
bool timer_sandboxed, fine_handlers;
struct thread_ring timer_rings[TIMER_RINGS];
uint32_t timer_ring_count;
static bool offered, active, rings_refused;
static struct thread_ring *to_take;
static struct sigaction own_action;

const struct timer_control *control_map(void)
{
	note("map");
	return offered ? &control : NULL;
}

bool timer_active(void)
{
	return active;
}

bool rings_begin(enum timer_kind kind)
{
	note("begin:%d", (int)kind);
	return !rings_refused;
}

void rings_begin_first(enum timer_kind kind)
{
	note("first:%d", (int)kind);
}

void rings_forget(const struct thread_ring *own)
{
	note("forget:%d", own ? (int)(own - timer_rings) : -1);
}

struct thread_ring *rings_take(void)
{
	note("take");
	return to_take;
}

void rings_release(struct thread_ring *r)
{
	note("release:%d", (int)(r - timer_rings));
}

bool rings_event(enum timer_kind kind, const void *data, size_t bytes)
{
	(void)data;
	note("event:%d:%zu", (int)kind, bytes);
	return true;
}

void rings_lock(uint64_t *signals)
{
	*signals = 77;
	note("lock");
}

void rings_unlock(uint64_t signals)
{
	note("unlock:%d", (int)signals);
}

void map_scan(void)
{
	note("scan");
}

void map_scan_if_added(void)
{
	note("added");
}

void map_scan_if_removed(void)
{
	note("removed");
}

void fine_pause(struct thread_ring *r)
{
	note("pause:%d", (int)(r - timer_rings));
	r->fine.resting = 1;
}

void fine_stop_all(void)
{
	note("stop");
}

void sample_install(int (*set)(int, const struct sigaction *, struct sigaction *))
{
	set(TIMER_SIGNAL, NULL, NULL);
}

void sample_sigaction(const struct sigaction *action, struct sigaction *old)
{
	note("ours");
	if (old)
		*old = own_action;
	if (action)
		own_action = *action;
}

/* ---- the C library --------------------------------------------------------------------------- */

static int answer, answer_errno; /* of each function */
static long got[8];
static void *(*routine)(void *);
static void *routine_arg;
static const struct sigaction *got_action;
static sigset_t got_set;
static bool got_no_set;

static int answers(void)
{
	errno = answer_errno;
	return answer;
}

static int fake_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
			       void *arg)
{
	note("create");
	got[0] = (long)thread;
	got[1] = (long)attr;
	routine = run;
	routine_arg = arg;
	return answers();
}

static int fake_dlclose(void *handle)
{
	note("close");
	got[0] = (long)handle;
	return answers();
}

static int fake_sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
	note("sigaction:%d", number);
	got_action = action;
	got[2] = (long)old;
	return answers();
}

static sighandler_t fake_signal(int number, sighandler_t wanted)
{
	note("signal:%d", number);
	return wanted == SIG_DFL ? SIG_IGN : SIG_DFL;
}

static int fake_mask(int how, const sigset_t *set, sigset_t *old)
{
	note("mask:%d", how);
	got_no_set = !set;
	if (set)
		got_set = *set;
	got[2] = (long)old;
	return answers();
}

static int fake_prctl(int option, ...)
{
	va_list ap;

	note("prctl");
	got[0] = option;
	va_start(ap, option);
	for (int i = 1; i < 5; i++)
		got[i] = va_arg(ap, long);
	va_end(ap);
	return answers();
}

/* Calls that may block, and their arguments. */
/* clang-format off */
#define CALLS(X) \
	X(poll, 3) X(__poll_chk, 4) X(ppoll, 4) X(__ppoll_chk, 5) X(select, 5) \
	X(pselect, 6) X(epoll_wait, 4) X(epoll_pwait, 5) X(nanosleep, 2) \
	X(clock_nanosleep, 4) X(sleep, 1) X(usleep, 1) X(pause, 0) X(sigsuspend, 1) \
	X(sigwaitinfo, 2) X(sigtimedwait, 3) X(sem_timedwait, 2) X(sem_clockwait, 3) \
	X(semop, 3) X(semtimedop, 4) X(msgsnd, 4) X(msgrcv, 5) X(read, 3) \
	X(__read_chk, 4) X(readv, 3) X(write, 3) X(writev, 3) X(recv, 4) X(__recv_chk, 5) \
	X(recvfrom, 6) X(__recvfrom_chk, 7) X(accept, 3) X(accept4, 4) X(connect, 3) \
	X(recvmsg, 3) X(send, 4) X(sendto, 6) X(sendmsg, 3)
/* clang-format on */

static int blocks(const char *name, const long a[7])
{
	note("%s%s", name, timer_rings[3].fine.resting ? ":resting" : "");
	memcpy(got, a, 7 * sizeof(*a));
	return answers();
}

#define FAKE(name, arguments)                                                          \
	static int fake_##name(long a, long b, long c, long d, long e, long f, long g) \
	{                                                                              \
		return blocks(#name, (const long[7]){ a, b, c, d, e, f, g });          \
	}
CALLS(FAKE)

static const struct {
	const char *name;
	void *fake;
	int arguments; /* -1: not one that blocks */
} calls[] = {
#define CALL(name, arguments) { #name, (void *)fake_##name, arguments },
	CALLS(CALL)
#undef CALL
		{ "pthread_create", (void *)fake_pthread_create, -1 },
	{ "dlclose", (void *)fake_dlclose, -1 },
	{ "sigaction", (void *)fake_sigaction, -1 },
	{ "signal", (void *)fake_signal, -1 },
	{ "pthread_sigmask", (void *)fake_mask, -1 },
	{ "sigprocmask", (void *)fake_mask, -1 },
	{ "prctl", (void *)fake_prctl, -1 },
};
#define NCALLS (sizeof(calls) / sizeof(*calls))

static const char *lacking; /* what the C library does not have; "": anything */
static unsigned int looked_up;

void *__real_dlsym(void *handle, const char *name);
void *__wrap_dlsym(void *handle, const char *name);
int __real_pthread_key_create(pthread_key_t *key, void (*ends)(void *));
int __wrap_pthread_key_create(pthread_key_t *key, void (*ends)(void *));

void *__wrap_dlsym(void *handle, const char *name)
{
	looked_up++;
	if (handle != RTLD_NEXT || (lacking && (!*lacking || !strcmp(lacking, name))))
		return NULL;
	for (size_t i = 0; i < NCALLS; i++)
		if (!strcmp(calls[i].name, name))
			return calls[i].fake;
	return NULL;
}

static bool no_keys;
static void (*key_ends)(void *);

int __wrap_pthread_key_create(pthread_key_t *key, void (*ends)(void *))
{
	key_ends = ends;
	errno = JUNK;
	return no_keys ? EAGAIN : __real_pthread_key_create(key, ends);
}

static void (*in_child)(void);

int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *dso)
{
	(void)dso;
	note("%s", prepare || parent ? "wrong" : "atfork");
	in_child = child;
	return 0;
}

/* ---- states ---------------------------------------------------------------------------------- */

/* As before the program's start. */
static void afresh(void)
{
	if (timer_control)
		pthread_key_delete(timer_thread_key);
	timer_control = NULL;
	memset(&real, 0, sizeof(real));
	memset(&own_action, 0, sizeof(own_action));
	memset(got, 0, sizeof(got));
	memset(timer_rings, 0, 8 * sizeof(*timer_rings));
	control.state = TIMER_ON;
	timer_sandboxed = fine_handlers = rings_refused = no_keys = false;
	offered = active = true;
	lacking = NULL;
	to_take = NULL;
	answer = answer_errno = 0;
	did[0] = 0;
}

static void started(void)
{
	afresh();
	begin();
	CU_ASSERT_PTR_EQUAL(timer_control, &control);
	did[0] = 0;
}

#define OWN(i) \
	CU_ASSERT_EQUAL(pthread_setspecific(timer_thread_key, (i) < 0 ? NULL : &timer_rings[i]), 0)

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_start(void)
{
	static const struct {
		const char *lacking;
		bool offered, no_keys, rings_refused;
		const char *did;
		bool on;
	} rows[] = {
		{ NULL, true, false, false, "map sigaction:57 atfork begin:2 scan first:2", true },
		{ NULL, false, false, false, "map", false },
		{ NULL, true, true, false, "map", false },
		{ NULL, true, false, true, "map sigaction:57 atfork begin:2", true },
		{ "pthread_create", true, false, false, "map", false },
		{ "dlclose", true, false, false, "map", false },
		{ "sigaction", true, false, false, "map", false },
		{ "signal", true, false, false, "map", false },
		{ "pthread_sigmask", true, false, false, "map", false },
		{ "sigprocmask", true, false, false, "map", false },
		{ "prctl", true, false, false, "map", false },
		/* One of those that may block. */
		{ "poll", true, false, false, "map sigaction:57 atfork begin:2 scan first:2",
		  true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		afresh();
		lacking = rows[i].lacking;
		offered = rows[i].offered;
		no_keys = rows[i].no_keys;
		rings_refused = rows[i].rings_refused;
		errno = 7;
		begin();
		CU_ASSERT_EQUAL(errno, 7); /* the program begins as without */
		CU_ASSERT(is(rows[i].did));
		CU_ASSERT_EQUAL(timer_control != NULL, rows[i].on);
		if (rows[i].on)
			CU_ASSERT_PTR_EQUAL(pthread_getspecific(timer_thread_key),
					    rows[i].rings_refused ? NULL : &timer_rings[0]);
	}
}

static void test_end(void)
{
	started();
	end();
	CU_ASSERT(is("added lock event:7:0 unlock:77"));
	active = false;
	end();
	CU_ASSERT(is(""));
	/* A thread's. */
	errno = 7;
	key_ends(&timer_rings[5]);
	CU_ASSERT(is("") && errno == 7);
	active = true;
	key_ends(&timer_rings[5]);
	CU_ASSERT(is("release:5") && errno == 7);
}

static void test_child(void)
{
	static const struct {
		bool on, sandboxed, rings_refused;
		uint32_t state;
		int own;
		const char *did;
		bool still; /* a collector */
	} rows[] = {
		{ true, false, false, TIMER_ON, 4, "forget:4 begin:3 first:3", true },
		{ true, false, false, TIMER_PAUSED, -1, "forget:-1 begin:3 first:3", true },
		{ true, false, false, TIMER_OVER, 4, "forget:4", true },
		{ true, false, true, TIMER_ON, 4, "forget:4 begin:3", true },
		{ true, true, false, TIMER_ON, 4, "", false },
		{ false, false, false, TIMER_ON, 4, "", false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		pthread_key_t key;

		started();
		OWN(rows[i].own);
		key = timer_thread_key;
		timer_sandboxed = rows[i].sandboxed;
		rings_refused = rows[i].rings_refused;
		control.state = rows[i].state;
		if (!rows[i].on)
			timer_control = NULL;
		errno = 7;
		in_child();
		CU_ASSERT_EQUAL(errno, 7);
		CU_ASSERT(is(rows[i].did));
		CU_ASSERT_EQUAL(timer_control != NULL, rows[i].still);
		if (strstr(rows[i].did, "first"))
			CU_ASSERT_PTR_EQUAL(pthread_getspecific(timer_thread_key), &timer_rings[0]);
		if (!timer_control)
			pthread_key_delete(key);
	}
}

static void *program(void *arg)
{
	note("program:%d", errno == 7);
	return (char *)arg + 1;
}

static void test_threads(void)
{
	static const struct {
		bool on, active, take;
		const char *did;
	} rows[] = {
		{ true, true, true, "create take program:1" },
		{ true, true, false, "create take program:1" },
		{ true, false, true, "create program:1" },
		{ false, true, true, "create program:1" },
	};
	char here[2];
	pthread_t t;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		pthread_key_t key;

		started();
		key = timer_thread_key;
		OWN(-1);
		active = rows[i].active;
		to_take = rows[i].take ? &timer_rings[6] : NULL;
		if (!rows[i].on)
			timer_control = NULL;
		CU_ASSERT_EQUAL(pthread_create(&t, (const void *)here, program, here), 0);
		CU_ASSERT(got[0] == (long)&t && got[1] == (long)here);
		CU_ASSERT(rows[i].on == (routine != program));
		errno = 7;
		CU_ASSERT_PTR_EQUAL(routine(routine_arg), here + 1);
		CU_ASSERT(is(rows[i].did));
		CU_ASSERT_PTR_EQUAL(pthread_getspecific(key),
				    strstr(rows[i].did, "take") ? to_take : NULL);
		if (!timer_control)
			pthread_key_delete(key);
	}
	/* One that cannot be made leaves nothing: the leaks' test sees it. */
	started();
	answer = EAGAIN;
	for (int i = 0; i < 100; i++)
		CU_ASSERT_EQUAL(pthread_create(&t, NULL, program, here), EAGAIN);
	afresh();
	lacking = "pthread_create";
	CU_ASSERT_EQUAL(pthread_create(&t, NULL, program, here), EAGAIN);
	CU_ASSERT(is(""));
}

static void test_prctl(void)
{
	static const struct {
		int option;
		unsigned long value;
		bool active;
		int own;
		const char *did;
		bool sandboxed;
	} rows[] = {
		{ PR_SET_NAME, 1, true, 4, "prctl", false },
		{ PR_SET_NO_NEW_PRIVS, 1, true, 4, "stop prctl", true },
		{ PR_SET_NO_NEW_PRIVS, 1, false, 4, "prctl", true },
		{ PR_GET_NO_NEW_PRIVS, 0, true, 4, "prctl", false },
		{ PR_SET_SECCOMP, SECCOMP_MODE_STRICT, true, 4, "release:4 stop prctl", true },
		{ PR_SET_SECCOMP, SECCOMP_MODE_STRICT, true, -1, "stop prctl", true },
		{ PR_SET_SECCOMP, SECCOMP_MODE_STRICT, false, 4, "prctl", true },
		{ PR_SET_SECCOMP, SECCOMP_MODE_FILTER, true, 4, "stop prctl", true },
		{ PR_SET_TSC, PR_TSC_SIGSEGV, true, 4, "release:4 prctl", false },
		{ PR_SET_TSC, PR_TSC_SIGSEGV, false, 4, "prctl", false },
		{ PR_SET_TSC, PR_TSC_ENABLE, true, 4, "prctl", false },
		/* The same values for something else. */
		{ PR_SET_DUMPABLE, PR_TSC_SIGSEGV, true, 4, "prctl", false },
		{ PR_SET_DUMPABLE, SECCOMP_MODE_STRICT, true, 4, "prctl", false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		started();
		OWN(rows[i].own);
		active = rows[i].active;
		answer = i % 2 ? -1 : 5;
		answer_errno = 9;
		CU_ASSERT_EQUAL(prctl(rows[i].option, rows[i].value, 12ul, 13ul, 14ul), answer);
		CU_ASSERT_EQUAL(errno, 9);
		CU_ASSERT(is(rows[i].did));
		CU_ASSERT_EQUAL(timer_sandboxed, rows[i].sandboxed);
		CU_ASSERT(got[0] == rows[i].option && got[1] == (long)rows[i].value);
		CU_ASSERT(got[2] == 12 && got[3] == 13 && got[4] == 14);
	}
}

static void test_dlclose(void)
{
	char here;

	started();
	answer = 3;
	CU_ASSERT(dlclose(&here) == 3 && got[0] == (long)&here && is("added close removed"));
	active = false;
	CU_ASSERT(dlclose(&here) == 3 && is("close"));
}

static void handler(int number)
{
	(void)number;
}

static void test_signals(void)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS };
	static const struct {
		bool on;
		sighandler_t wanted;
		bool counts;
	} rows[] = {
		{ true, handler, true },
		{ true, SIG_DFL, false },
		{ true, SIG_IGN, false },
		{ false, handler, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (int number = 1; number < 32; number++)
			for (int way = 0; way < 2; way++) {
				struct sigaction a = { .sa_handler = rows[i].wanted }, old;
				bool fault = false;
				char want[40];

				for (size_t k = 0; k < sizeof(faults) / sizeof(*faults); k++)
					fault |= number == faults[k];
				if (rows[i].on)
					started();
				else
					afresh();
				answer = -1;
				answer_errno = 9;
				snprintf(want, sizeof(want), "%s:%d", way ? "signal" : "sigaction",
					 number);
				if (way) {
					sighandler_t was = signal(number, rows[i].wanted);

					CU_ASSERT(was == (rows[i].wanted ? SIG_DFL : SIG_IGN));
				} else {
					CU_ASSERT(sigaction(number, &a, &old) == -1 && errno == 9);
					CU_ASSERT(got_action == &a && got[2] == (long)&old);
				}
				CU_ASSERT(is(want));
				CU_ASSERT_EQUAL(fine_handlers, rows[i].counts && !fault);
			}
	/* A query does not count. */
	started();
	CU_ASSERT(!sigaction(SIGUSR1, NULL, NULL) && !fine_handlers && is("sigaction:10"));
}

/* The library's own signal. */
static void test_own_signal(void)
{
	struct sigaction a = { .sa_handler = handler }, old;

	started();
	CU_ASSERT(!sigaction(TIMER_SIGNAL, &a, &old) && old.sa_handler == SIG_DFL && is("ours"));
	CU_ASSERT_PTR_EQUAL(signal(TIMER_SIGNAL, SIG_IGN), handler);
	CU_ASSERT(is("ours"));
	CU_ASSERT(own_action.sa_handler == SIG_IGN && own_action.sa_flags == SA_RESTART);
	CU_ASSERT(!fine_handlers);
	CU_ASSERT(!sigaction(TIMER_SIGNAL, NULL, NULL) && is("ours"));
	/* Its neighbours are not. */
	CU_ASSERT(!sigaction(TIMER_SIGNAL + 1, &a, &old) && is("sigaction:58"));
	CU_ASSERT(signal(TIMER_SIGNAL - 1, SIG_IGN) == SIG_DFL && is("signal:56"));
	/* Without a collector it is as any other. */
	afresh();
	CU_ASSERT(!sigaction(TIMER_SIGNAL, &a, &old) && is("sigaction:57"));
	CU_ASSERT(signal(TIMER_SIGNAL, SIG_IGN) == SIG_DFL && is("signal:57"));
}

static void test_masks(void)
{
	static const int hows[] = { SIG_BLOCK, SIG_UNBLOCK, SIG_SETMASK, 1234 };
	sigset_t all, old;

	sigfillset(&all);
	for (int on = 0; on < 2; on++)
		for (size_t i = 0; i < sizeof(hows) / sizeof(*hows); i++)
			for (int way = 0; way < 4; way++) {
				int (*f)(int, const sigset_t *,
					 sigset_t *) = way & 1 ? pthread_sigmask : sigprocmask;
				char want[20];

				if (on)
					started();
				else
					afresh();
				answer = -1;
				answer_errno = 9;
				snprintf(want, sizeof(want), "mask:%d", hows[i]);
				CU_ASSERT_EQUAL(f(hows[i], way & 2 ? &all : NULL, &old), -1);
				CU_ASSERT(is(want) && errno == 9 && got[2] == (long)&old);
				CU_ASSERT_EQUAL(got_no_set, !(way & 2));
				if (got_no_set)
					continue;
				CU_ASSERT_EQUAL(!sigismember(&got_set, TIMER_SIGNAL),
						on && hows[i] != SIG_UNBLOCK);
				CU_ASSERT(sigismember(&got_set, TIMER_SIGNAL - 1) &&
					  sigismember(&got_set, TIMER_SIGNAL + 1));
				/* The program's own set is not touched. */
				CU_ASSERT(sigismember(&all, TIMER_SIGNAL));
			}
}

/* A C library that has none of them. */
static void test_lacking(void)
{
	struct sigaction a = { .sa_handler = handler };
	sigset_t set;

	sigemptyset(&set);
	afresh();
	lacking = "";
#define LACKS(what, code)                     \
	do {                                  \
		errno = 0;                    \
		CU_ASSERT(what);              \
		CU_ASSERT_EQUAL(errno, code); \
	} while (0)
	LACKS(prctl(PR_SET_NAME, 1, 2, 3, 4) == -1, ENOSYS);
	LACKS(dlclose(&a) == -1, 0);
	LACKS(sigaction(SIGUSR1, &a, NULL) == -1, ENOSYS);
	LACKS(signal(SIGUSR1, handler) == SIG_ERR, 0);
	LACKS(sigprocmask(SIG_BLOCK, &set, NULL) == -1, ENOSYS);
	LACKS(pthread_sigmask(SIG_BLOCK, &set, NULL) == ENOSYS, 0);
#undef LACKS
	CU_ASSERT(is(""));
}

typedef int (*any_call)(long, long, long, long, long, long, long);

/* Calls the one at `i` for a thread with or without a ring: is it paused meanwhile, and all else as
 * without the library? */
static bool calls_well(size_t i, bool own, int result)
{
	/* The program's own functions, found as any other library would. */
	void *at = __real_dlsym(RTLD_DEFAULT, calls[i].name);
	bool paused = timer_control && own, wrong;
	any_call call = (any_call)at;
	char want[80] = "";

	if (!at || at == __real_dlsym(RTLD_NEXT, calls[i].name))
		return false;
	answer = result;
	answer_errno = 9;
	errno = 0;
	wrong = call(1, 2, 3, 4, 5, 6, 7) != (lacking ? -1 : result);
	wrong |= errno != (lacking ? ENOSYS : 9);
	if (!lacking)
		snprintf(want, sizeof(want), "%s%s%s", paused ? "pause:3 " : "", calls[i].name,
			 paused ? ":resting" : "");
	wrong |= !is(want) || timer_rings[3].fine.resting;
	for (int n = 0; !lacking && n < calls[i].arguments; n++)
		wrong |= (int)got[n] != n + 1;
	return !wrong;
}

/* Calls that may block: first before their addresses are looked up. */
static void test_blocking(void)
{
	unsigned int before, wrong = 0;

	for (size_t i = 0; i < NCALLS && calls[i].arguments >= 0; i++) {
		afresh();
		lacking = "";
		wrong += !calls_well(i, false, -1);
		lacking = NULL;
		wrong += i % 2 && !calls_well(i, false, 8);
	}
	started();
	before = looked_up;
	for (size_t i = 0; i < NCALLS && calls[i].arguments >= 0; i++) {
		bool good = true;

		OWN(3);
		for (int result = -1; result < 3; result++)
			good = good && calls_well(i, true, result);
		OWN(-1);
		good = good && calls_well(i, false, -1);
		OWN(3);
		timer_control = NULL;
		good = good && calls_well(i, true, 7);
		timer_control = &control;
		if (!good)
			printf("# %s\n", calls[i].name);
		wrong += !good;
	}
	CU_ASSERT_EQUAL(wrong, 0);
	/* In a signal handler none may be looked for. */
	CU_ASSERT_EQUAL(looked_up, before);
}

int main(void)
{
	/* In this order: what is found once is not looked for again. */
	static const struct unit_test tests[] = {
		{ "blocking", test_blocking },
		{ "start", test_start },
		{ "end", test_end },
		{ "child", test_child },
		{ "threads", test_threads },
		{ "prctl", test_prctl },
		{ "dlclose", test_dlclose },
		{ "signals", test_signals },
		{ "own_signal", test_own_signal },
		{ "masks", test_masks },
		{ "lacking", test_lacking },
		{},
	};

	return unit_run("timer_calls", tests);
}
