/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who unlocks a mutex holds it. A lock that is left out shows only by chance, when two threads
 * meet; by its unlock it shows each time, for glibc notes each mutex's owner. A child of fork holds
 * what its parent did, who is no thread of its own.
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
