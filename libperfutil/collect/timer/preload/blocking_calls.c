/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Interposes C library calls that may block and that the kernel, after a signal, does not restart
 * or ends with a partial result. The second timer is disarmed before them, so that they behave as
 * without the library.
 */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include "collect/timer/preload/fine.h"
#include "collect/timer/preload/blocking_calls.h"

#define EXPORTED __attribute__((visibility("default")))

/* The variants that _FORTIFY_SOURCE builds call (no header declares them). */
int __poll_chk(struct pollfd *a, nfds_t b, int c, size_t d);
int __ppoll_chk(struct pollfd *a, nfds_t b, const struct timespec *c, const sigset_t *d, size_t e);
ssize_t __read_chk(int a, void *b, size_t c, size_t d);
ssize_t __recv_chk(int a, void *b, size_t c, size_t d, int e);
ssize_t __recvfrom_chk(int a, void *restrict b, size_t c, size_t d, int e, __SOCKADDR_ARG f,
		       socklen_t *restrict g);
int sem_clockwait(sem_t *restrict a, clockid_t b, const struct timespec *restrict c);

#define SLEEPS(X)                                                                                  \
	X(int, poll, (struct pollfd * a, nfds_t b, int c), (a, b, c))                              \
	X(int, __poll_chk, (struct pollfd * a, nfds_t b, int c, size_t d), (a, b, c, d))           \
	X(int, ppoll, (struct pollfd * a, nfds_t b, const struct timespec *c, const sigset_t *d),  \
	  (a, b, c, d))                                                                            \
	X(int, __ppoll_chk,                                                                        \
	  (struct pollfd * a, nfds_t b, const struct timespec *c, const sigset_t *d, size_t e),    \
	  (a, b, c, d, e))                                                                         \
	X(int, select,                                                                             \
	  (int a, fd_set *restrict b, fd_set *restrict c, fd_set *restrict d,                      \
	   struct timeval *restrict e),                                                            \
	  (a, b, c, d, e))                                                                         \
	X(int, pselect,                                                                            \
	  (int a, fd_set *restrict b, fd_set *restrict c, fd_set *restrict d,                      \
	   const struct timespec *restrict e, const sigset_t *restrict f),                         \
	  (a, b, c, d, e, f))                                                                      \
	X(int, epoll_wait, (int a, struct epoll_event *b, int c, int d), (a, b, c, d))             \
	X(int, epoll_pwait, (int a, struct epoll_event *b, int c, int d, const sigset_t *e),       \
	  (a, b, c, d, e))                                                                         \
	X(int, nanosleep, (const struct timespec *a, struct timespec *b), (a, b))                  \
	X(int, clock_nanosleep,                                                                    \
	  (clockid_t a, int b, const struct timespec *c, struct timespec *d), (a, b, c, d))        \
	X(unsigned int, sleep, (unsigned int a), (a))                                              \
	X(int, usleep, (useconds_t a), (a))                                                        \
	X(int, pause, (void), ())                                                                  \
	X(int, sigsuspend, (const sigset_t *a), (a))                                               \
	X(int, sigwaitinfo, (const sigset_t *restrict a, siginfo_t *restrict b), (a, b))           \
	X(int, sigtimedwait,                                                                       \
	  (const sigset_t *restrict a, siginfo_t *restrict b, const struct timespec *restrict c),  \
	  (a, b, c))                                                                               \
	X(int, sem_timedwait, (sem_t *restrict a, const struct timespec *restrict b), (a, b))      \
	X(int, sem_clockwait, (sem_t *restrict a, clockid_t b, const struct timespec *restrict c), \
	  (a, b, c))                                                                               \
	X(int, semop, (int a, struct sembuf *b, size_t c), (a, b, c))                              \
	X(int, semtimedop, (int a, struct sembuf *b, size_t c, const struct timespec *d),          \
	  (a, b, c, d))                                                                            \
	X(int, msgsnd, (int a, const void *b, size_t c, int d), (a, b, c, d))                      \
	X(ssize_t, msgrcv, (int a, void *b, size_t c, long d, int e), (a, b, c, d, e))             \
	X(ssize_t, read, (int a, void *b, size_t c), (a, b, c))                                    \
	X(ssize_t, __read_chk, (int a, void *b, size_t c, size_t d), (a, b, c, d))                 \
	X(ssize_t, readv, (int a, const struct iovec *b, int c), (a, b, c))                        \
	X(ssize_t, write, (int a, const void *b, size_t c), (a, b, c))                             \
	X(ssize_t, writev, (int a, const struct iovec *b, int c), (a, b, c))                       \
	X(ssize_t, recv, (int a, void *b, size_t c, int d), (a, b, c, d))                          \
	X(ssize_t, __recv_chk, (int a, void *b, size_t c, size_t d, int e), (a, b, c, d, e))       \
	X(ssize_t, recvfrom,                                                                       \
	  (int a, void *restrict b, size_t c, int d, __SOCKADDR_ARG e, socklen_t *restrict f),     \
	  (a, b, c, d, e, f))                                                                      \
	X(ssize_t, __recvfrom_chk,                                                                 \
	  (int a, void *restrict b, size_t c, size_t d, int e, __SOCKADDR_ARG f,                   \
	   socklen_t *restrict g),                                                                 \
	  (a, b, c, d, e, f, g))                                                                   \
	X(int, accept, (int a, __SOCKADDR_ARG b, socklen_t *restrict c), (a, b, c))                \
	X(int, accept4, (int a, __SOCKADDR_ARG b, socklen_t *restrict c, int d), (a, b, c, d))     \
	X(int, connect, (int a, __CONST_SOCKADDR_ARG b, socklen_t c), (a, b, c))                   \
	X(ssize_t, recvmsg, (int a, struct msghdr *b, int c), (a, b, c))                           \
	X(ssize_t, send, (int a, const void *b, size_t c, int d), (a, b, c, d))                    \
	X(ssize_t, sendto,                                                                         \
	  (int a, const void *b, size_t c, int d, __CONST_SOCKADDR_ARG e, socklen_t f),            \
	  (a, b, c, d, e, f))                                                                      \
	X(ssize_t, sendmsg, (int a, const struct msghdr *b, int c), (a, b, c))

#define NEXT(type, name, parameters, arguments) __typeof__(&name) name;
static struct {
	SLEEPS(NEXT)
} real;

#define FIND(type, name, parameters, arguments) \
	real.name = (__typeof__(&name))dlsym(RTLD_NEXT, #name);

/* dlsym is not safe in a signal handler, which may call most of these. */
void blocking_calls_init(void)
{
	SLEEPS(FIND)
}

static struct thread_ring *begin_sleep(void)
{
	struct thread_ring *r = timer_control ? pthread_getspecific(timer_thread_key) : NULL;

	if (r)
		fine_pause(r);
	return r;
}

#define INSTEAD(type, name, parameters, arguments)              \
	EXPORTED type name parameters                           \
	{                                                       \
		struct thread_ring *r;                          \
		type got;                                       \
                                                                \
		if (!real.name)                                 \
			FIND(type, name, parameters, arguments) \
		if (!real.name) {                               \
			errno = ENOSYS;                         \
			return (type)-1;                        \
		}                                               \
		r = begin_sleep();                              \
		got = real.name arguments;                      \
		if (r)                                          \
			fine_resume(r);                         \
		return got;                                     \
	}
SLEEPS(INSTEAD)
