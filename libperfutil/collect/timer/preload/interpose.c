/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions of the program that the library interposes: start, threads, fork, dlclose,
 * sandboxes, exit; and signals: the library's signal is never blocked and never gets another
 * handler, but the program sees the action that it set for it. dlopen is not interposed, because it
 * depends on its caller. Calls inside the C library are not seen.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include "collect/timer/preload/fine.h"
#include "collect/timer/preload/map_scan.h"
#include "collect/timer/preload/sample.h"
#include "collect/timer/preload/blocking_calls.h"

#define EXPORTED __attribute__((visibility("default")))

/* The interposed functions. They are looked up at start (dlsym is not safe in a signal handler,
 * which may call some of these), or at an earlier call. */
static struct {
	__typeof__(&pthread_create) pthread_create;
	__typeof__(&dlclose) dlclose;
	__typeof__(&sigaction) sigaction;
	__typeof__(&signal) signal;
	__typeof__(&pthread_sigmask) pthread_sigmask;
	__typeof__(&sigprocmask) sigprocmask;
	__typeof__(&prctl) prctl;
} real;
#define REAL(name) \
	(real.name ? real.name : (real.name = (__typeof__(&name))dlsym(RTLD_NEXT, #name)))

pthread_key_t timer_thread_key;

/* Provided by glibc; other C libraries may lack it. Without it children get their rings at exec. */
extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
			     void *dso) __attribute__((weak));

/* ---- start and end ------------------------------------------------------------------------ */

static void thread_ends(void *ring)
{
	int keep = errno;

	if (timer_active())
		rings_release(ring);
	errno = keep;
}

static void begin_process(enum timer_kind kind)
{
	if (!rings_begin(kind))
		return;
	/* A forked child has inherited its parent's key. */
	if (kind == TIMER_START)
		map_scan();
	rings_begin_first(kind);
	pthread_setspecific(timer_thread_key, &timer_rings[0]);
}

static void forked(void)
{
	int keep = errno;

	if (!timer_control)
		return;
	if (timer_sandboxed) {
		timer_control = NULL;
		return;
	}
	rings_forget(pthread_getspecific(timer_thread_key));
	if (timer_load(&timer_control->state) != TIMER_OVER)
		begin_process(TIMER_FORKED);
	errno = keep;
}

static void begin_sampled(const struct timer_control *control)
{
	if (pthread_key_create(&timer_thread_key, thread_ends))
		return;
	blocking_calls_init();
	sample_install(real.sigaction);
	timer_control = control;
	if (__register_atfork)
		__register_atfork(NULL, NULL, forked, NULL);
	begin_process(TIMER_START);
}

__attribute__((constructor)) static void begin(void)
{
	int keep = errno;
	const struct timer_control *control = control_map();

	if (control && REAL(pthread_create) && REAL(dlclose) && REAL(sigaction) && REAL(signal) &&
	    REAL(pthread_sigmask) && REAL(sigprocmask) && REAL(prctl))
		begin_sampled(control);
	errno = keep;
}

__attribute__((destructor)) static void end(void)
{
	uint64_t signals;

	if (!timer_active())
		return;
	map_scan_if_added();
	rings_lock(&signals);
	rings_event(TIMER_EXIT, "", 0);
	rings_unlock(signals);
}

/* ---- threads --------------------------------------------------------------------------------- */

struct thread_start {
	void *(*routine)(void *);
	void *arg;
};

static void *start_thread(void *arg)
{
	struct thread_start s = *(struct thread_start *)arg;
	int keep = errno;

	free(arg);
	if (timer_active()) {
		struct thread_ring *r = rings_take();

		if (r)
			pthread_setspecific(timer_thread_key, r);
	}
	errno = keep;
	return s.routine(s.arg);
}

EXPORTED int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*routine)(void *),
			    void *arg)
{
	__typeof__(&pthread_create) next = REAL(pthread_create);
	struct thread_start *s = timer_control ? malloc(sizeof(*s)) : NULL;
	int rc;

	if (!next)
		return EAGAIN;
	if (!s)
		return next(thread, attr, routine, arg);
	*s = (struct thread_start){ routine, arg };
	rc = next(thread, attr, start_thread, s);
	if (rc)
		free(s);
	return rc;
}

/* ---- sandboxes ------------------------------------------------------------------------------- */

/*
 * A seccomp filter may kill a program for system calls that it does not expect. From the first sign
 * of one (an unprivileged user must set no_new_privs first) the library makes no system calls;
 * samples need none. In seccomp's strict mode, or by request, reading the CPU clock is forbidden:
 * then the thread is not sampled.
 */
static void box(void)
{
	bool active = timer_active();

	__atomic_store_n(&timer_sandboxed, true, __ATOMIC_RELAXED);
	if (active)
		fine_stop_all();
}

EXPORTED int prctl(int option, ...)
{
	__typeof__(&prctl) next = REAL(prctl);
	unsigned long a[4];
	va_list ap;

	va_start(ap, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(ap, unsigned long);
	va_end(ap);
	if ((option == PR_SET_SECCOMP && a[0] == SECCOMP_MODE_STRICT) ||
	    (option == PR_SET_TSC && a[0] == PR_TSC_SIGSEGV)) {
		struct thread_ring *own = timer_active() ? pthread_getspecific(timer_thread_key) :
							   NULL;

		if (own)
			rings_release(own);
	}
	if (option == PR_SET_SECCOMP || option == PR_SET_NO_NEW_PRIVS)
		box();
	if (next)
		return next(option, a[0], a[1], a[2], a[3]);
	errno = ENOSYS;
	return -1;
}

/* ---- dlclose ------------------------------------------------------------------------------- */

EXPORTED int dlclose(void *handle)
{
	__typeof__(&dlclose) next = REAL(dlclose);
	bool active = timer_active();
	int rc;

	if (!next)
		return -1;
	if (active)
		map_scan_if_added();
	rc = next(handle);
	if (active)
		map_scan_if_removed();
	return rc;
}

/* ---- signals --------------------------------------------------------------------------------- */

/* Fault signals are delivered to the thread that caused them. */
static void handles(int number, sighandler_t handler)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS };

	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		if (number == faults[i])
			return;
	if (handler != SIG_DFL && handler != SIG_IGN)
		__atomic_store_n(&fine_handlers, true, __ATOMIC_RELAXED);
}

EXPORTED int sigaction(int number, const struct sigaction *restrict action,
		       struct sigaction *restrict old)
{
	__typeof__(&sigaction) next = REAL(sigaction);

	if (number == TIMER_SIGNAL && timer_control) {
		sample_sigaction(action, old);
		return 0;
	}
	if (action && timer_control)
		handles(number, action->sa_handler);
	if (next)
		return next(number, action, old);
	errno = ENOSYS;
	return -1;
}

EXPORTED sighandler_t signal(int number, sighandler_t wanted)
{
	__typeof__(&signal) next = REAL(signal);
	struct sigaction action = { .sa_handler = wanted, .sa_flags = SA_RESTART }, old;

	if (number == TIMER_SIGNAL && timer_control) {
		sample_sigaction(&action, &old);
		return old.sa_handler;
	}
	if (timer_control)
		handles(number, wanted);
	return next ? next(number, wanted) : SIG_ERR;
}

/* Threads that block all signals are sampled too. */
static const sigset_t *without_ours(int how, const sigset_t *set, sigset_t *room)
{
	if (!timer_control || !set || how == SIG_UNBLOCK)
		return set;
	*room = *set;
	sigdelset(room, TIMER_SIGNAL);
	return room;
}

EXPORTED int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	__typeof__(&pthread_sigmask) next = REAL(pthread_sigmask);
	sigset_t room;

	return next ? next(how, without_ours(how, set, &room), old) : ENOSYS;
}

EXPORTED int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	__typeof__(&sigprocmask) next = REAL(sigprocmask);
	sigset_t room;

	if (next)
		return next(how, without_ours(how, set, &room), old);
	errno = ENOSYS;
	return -1;
}
