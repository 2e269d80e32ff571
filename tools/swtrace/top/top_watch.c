/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A thread that polls for pending signals, which the main thread does not read while it is busy. */
#include "top_watch.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS 100000000
#define LOOKS   6 /* until the program is ended */

const int top_watch_signals[4] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };

static void (*abandons)(void *);
static void *its_arg;
static atomic_bool ending;

void top_watch_ending(void)
{
	ending = true;
}

static bool asked(void)
{
	sigset_t pending;

	if (ending)
		return true;
	sigpending(&pending);
	for (int i = 0; i < 4; i++)
		if (sigismember(&pending, top_watch_signals[i]))
			return true;
	return false;
}

static void *watch(void *arg)
{
	const struct timespec pause = { .tv_nsec = LOOK_NS };

	for (int n = 0; n < LOOKS; n = asked() ? n + 1 : 0)
		nanosleep(&pause, NULL);
	abandons(its_arg);
	_exit(0);
	return arg;
}

int top_watch_begin(void (*abandon)(void *), void *arg)
{
	pthread_t thread;
	int err;

	abandons = abandon;
	its_arg = arg;
	err = pthread_create(&thread, NULL, watch, NULL);
	if (!err)
		pthread_detach(thread);
	return -err;
}
