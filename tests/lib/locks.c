/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks that a thread that unlocks a mutex holds it. A missing lock is noticed only by chance,
 * when two threads collide; its unlock is noticed every time, because glibc stores each mutex's
 * owner. A child of fork holds the locks of its parent's thread.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int __real_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex);

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	pid_t owner = mutex->__data.__owner;

	if (!owner || (owner != gettid() && !tgkill(getpid(), owner, 0))) {
		dprintf(STDOUT_FILENO,
			"not ok locks a thread unlocks a mutex that it has not locked\n");
		abort();
	}
	return __real_pthread_mutex_unlock(mutex);
}
