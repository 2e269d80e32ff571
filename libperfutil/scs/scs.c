/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * InitScs, ScsOn, ScsOff. A thread of the library searches for new threads of the program; each has
 * its own ticks (cpu_ticks.h), whose handler calls the program's function.
 */
#include <scs.h>

#include <errno.h>
#include <perfutil.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "base/rc.h"
#include "scs/sampled_threads.h"

#define LOOK_EVERY 10000000 /* ns */
#define SIGNALS    8        /* real-time signals to try, from the last one */

static struct {
	pthread_mutex_t lock;
	uint64_t period;
	scs_callback *callback;
	pthread_t helper;
	int signal; /* 0: none chosen yet */
	bool is_on;
	atomic_bool listens, ending;
} scs = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void call(struct sampled_thread *t, const siginfo_t *info, void *context)
{
	uint64_t kernel[CPU_TICKS_KERNEL];
	unsigned int n;
	uint32_t ticks;
	bool first = true;

	while (cpu_ticks_next(&t->ticks, info, first, &ticks, kernel, &n)) {
		first = false;
		while (ticks-- && scs.listens)
			scs.callback((int)t->tid, context);
	}
}

static void ticked(int number, siginfo_t *info, void *context)
{
	struct sampled_thread *t = sampled_threads_enter();
	int saved = errno;

	(void)number;
	if (t && scs.listens)
		call(t, info, context);
	sampled_threads_leave();
	errno = saved;
}

static bool take_signal(void)
{
	struct sigaction how = { .sa_sigaction = ticked, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigaction before;

	sigfillset(&how.sa_mask);
	for (int i = 0; i < SIGNALS && !scs.signal; i++) {
		int number = SIGRTMAX - 1 - i;

		if (!sigaction(number, NULL, &before) && !(before.sa_flags & SA_SIGINFO) &&
		    before.sa_handler == SIG_DFL && !sigaction(number, &how, NULL))
			scs.signal = number;
	}
	return scs.signal;
}

static void *look(void *unused)
{
	const struct timespec pause = { 0, LOOK_EVERY };
	pid_t self = gettid();

	(void)unused;
	while (!scs.ending) {
		sampled_threads_scan(self);
		nanosleep(&pause, NULL);
	}
	return NULL;
}

static int start(void)
{
	sigset_t all, before;
	int err;

	if (!take_signal())
		return rc_fail(PI_NOT_SUPPORTED, "no real-time signal is free");
	sampled_threads_begin(scs.period, scs.signal);
	/* Existing threads tick when the call returns. */
	sampled_threads_scan(0);
	scs.ending = false;
	scs.listens = true;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&scs.helper, NULL, look, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!err)
		return PI_OK;
	scs.listens = false;
	sampled_threads_end();
	return rc_errno(-err, "the thread that looks for threads");
}

int InitScs(int rate, scs_callback *callback)
{
	int rc = PI_OK;

	if (rate < 1 || rate > PITRACE_MAX_RATE || !callback)
		return rc_fail(PI_INVALID_ARGUMENT,
			       callback ? "a rate is 1 to 20000 samples a second" :
					  "there is no function to call");
	pthread_mutex_lock(&scs.lock);
	if (scs.is_on) {
		rc = rc_fail(PI_INCORRECT_STATE, "stacks are sampled: ScsOff first");
	} else {
		scs.period = 1000000000ull / (unsigned int)rate;
		scs.callback = callback;
	}
	pthread_mutex_unlock(&scs.lock);
	return rc;
}

int ScsOn(void)
{
	int rc;

	pthread_mutex_lock(&scs.lock);
	if (!scs.callback)
		rc = rc_fail(PI_NOT_INITIALIZED, "InitScs first");
	else if (scs.is_on)
		rc = rc_fail(PI_INCORRECT_STATE, "stacks are sampled already");
	else
		rc = start();
	scs.is_on = scs.is_on || rc == PI_OK;
	pthread_mutex_unlock(&scs.lock);
	return rc;
}

int ScsOff(void)
{
	int rc = PI_OK;

	pthread_mutex_lock(&scs.lock);
	if (!scs.is_on) {
		rc = scs.callback ? rc_fail(PI_INCORRECT_STATE, "stacks are not sampled") :
				    rc_fail(PI_NOT_INITIALIZED, "InitScs first");
	} else {
		scs.listens = false;
		scs.ending = true;
		pthread_join(scs.helper, NULL);
		sampled_threads_end();
		scs.is_on = false;
	}
	pthread_mutex_unlock(&scs.lock);
	return rc;
}
