/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The holder program: reads its start packet, begins, reports, and answers requests until one of
 * them ends it.
 *
 * There is at most one holder per address: a starting one keeps the lock from the check for another
 * one until it can be reached. A holder that can no longer be reached, because its socket was
 * removed, ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/now.h"
#include "base/rc.h"
#include "base/service.h"

#define LOCK_WAIT_NS 20000000000ull /* time limit for another process that is starting */

/* The socket of this process. */
static struct {
	struct sockaddr_un address;
	int listener, watch; /* watch: inotify, -1: none */
	dev_t dev;
	ino_t ino;
	bool bound;
} own = { .listener = -1, .watch = -1 };

/* ---- the lock -------------------------------------------------------------------------------- */

static void lock_name(const struct sockaddr_un *a, char *path, size_t room)
{
	snprintf(path, room, "%.*s.lock", (int)sizeof(a->sun_path), a->sun_path);
}

static bool is_at(const char *path, const struct stat *st)
{
	struct stat now;

	return !lstat(path, &now) && now.st_dev == st->st_dev && now.st_ino == st->st_ino;
}

/* The previous owner of the lock may have removed the file that was opened here: then it locks
 * nothing. */
static int try_lock(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600), err = 0;
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		err = -errno;
	else if (!S_ISREG(st.st_mode))
		err = -EEXIST;
	else if (st.st_uid != geteuid())
		err = -EPERM;
	else if (flock(fd, LOCK_EX | LOCK_NB))
		err = -errno;
	else if (!is_at(path, &st))
		err = -EAGAIN;
	if (!err)
		return fd;
	close(fd);
	return err;
}

int service_lock(const struct sockaddr_un *a)
{
	const struct timespec some = { .tv_nsec = 5000000 };
	uint64_t until = now_ns() + LOCK_WAIT_NS;
	char path[sizeof(a->sun_path) + 8];
	int fd;

	lock_name(a, path, sizeof(path));
	while ((fd = try_lock(path)) == -EAGAIN) {
		if (now_ns() > until)
			return -EBUSY;
		nanosleep(&some, NULL);
	}
	return fd;
}

void service_unlock(const struct sockaddr_un *a, int lock)
{
	char path[sizeof(a->sun_path) + 8];

	lock_name(a, path, sizeof(path));
	unlink(path);
	close(lock);
}

/* ---- its socket ------------------------------------------------------------------------------ */

/* Without inotify the holder stays even if it becomes unreachable. */
static void watch_address(void)
{
	own.watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (own.watch >= 0 && inotify_add_watch(own.watch, own.address.sun_path,
						IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF) < 0) {
		close(own.watch);
		own.watch = -1;
	}
}

static int bind_address(const struct sockaddr_un *a)
{
	struct stat st;

	own.address = *a;
	own.listener = service_bind(a);
	if (own.listener < 0)
		return own.listener;
	own.bound = !lstat(a->sun_path, &st);
	own.dev = st.st_dev;
	own.ino = st.st_ino;
	watch_address();
	return 0;
}

static bool is_reachable(void)
{
	struct stat st = { .st_dev = own.dev, .st_ino = own.ino };

	return is_at(own.address.sun_path, &st);
}

/* A socket that has replaced ours stays. */
void service_withdraw(void)
{
	if (own.bound && is_reachable())
		unlink(own.address.sun_path);
	own.bound = false;
	if (own.listener >= 0)
		close(own.listener);
	own.listener = -1;
}

/* Returns whether the holder is still reachable. */
static bool look_at_address(void)
{
	_Alignas(struct inotify_event) char events[4096];

	while (read(own.watch, events, sizeof(events)) > 0)
		;
	return is_reachable();
}

/* ---- signals --------------------------------------------------------------------------------- */

static volatile sig_atomic_t ended;

static void on_signal(int number)
{
	ended = number;
}

static void ending_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
}

/* SIGTERM and SIGHUP are unblocked only while it waits: none interrupts an answer, none is
 * missed. */
static void block_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	sigset_t set;

	ending_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
}

/* Returns -1 when the service must end, else the result of ppoll. While clients are waiting ppoll
 * checks no signals, so they are checked first. */
static int wait_for_events(struct pollfd *p, unsigned int n)
{
	const struct timespec none = { 0 };
	sigset_t ending, open;
	int got;

	ending_signals(&ending);
	if (sigtimedwait(&ending, NULL, &none) > 0)
		return -1;
	sigprocmask(SIG_SETMASK, NULL, &open);
	sigdelset(&open, SIGTERM);
	sigdelset(&open, SIGHUP);
	got = ppoll(p, n, NULL, &open);
	return ended ? -1 : got < 0 ? 0 : got;
}

/* ---- answering ------------------------------------------------------------------------------- */

uint32_t service_op(const struct service *h, const void *request)
{
	struct service_question q;

	memcpy(&q, request, sizeof(q));
	return q.size == sizeof(q) && q.version == h->version && !q.reserved ? q.op : 0;
}

/* Serves one request; each connection has one. Returns true if it was the last. */
static bool serve(const struct service *h, void *held, void *request)
{
	int fd = service_accept(own.listener, (uid_t)-1, request, h->request);
	bool last;

	if (fd < 0)
		return false;
	last = h->answer(held, fd, request);
	close(fd);
	return last;
}

static void hold(const struct service *h, void *held, void *request)
{
	struct pollfd p[3] = {
		{ .fd = own.listener, .events = POLLIN },
		{ .fd = h->fd ? h->fd(held) : -1, .events = POLLIN },
		{ .fd = own.watch, .events = POLLIN },
	};
	int n;

	while ((n = wait_for_events(p, 3)) >= 0) {
		if (n && p[1].revents)
			h->event(held);
		if (n && p[2].revents && !look_at_address())
			break;
		if (n && p[0].revents && serve(h, held, request))
			return;
	}
	if (h->end)
		h->end(held);
	service_withdraw();
}

/* ---- beginning ------------------------------------------------------------------------------- */

const struct service_start *service_start_read(const struct service *h, const void *packet,
					       size_t size, struct service_started *s)
{
	const struct service_start *start = packet;

	s->rc = PI_NOT_SUPPORTED;
	if (size < sizeof(*start) || start->size != size || start->version != h->version ||
	    strnlen(start->release, SERVICE_RELEASE) == SERVICE_RELEASE ||
	    strcmp(start->release, PITRACE_VERSION)) {
		snprintf(s->why, sizeof(s->why),
			 "%s is of release " PITRACE_VERSION
			 " and was started by another one: install both together",
			 h->holder);
		return NULL;
	}
	s->rc = PI_INVALID_ARGUMENT;
	if (!start->address[0] ||
	    strnlen(start->address, sizeof(start->address)) == sizeof(start->address) ||
	    start->reserved) {
		snprintf(s->why, sizeof(s->why), "%s was started with an invalid address",
			 h->holder);
		return NULL;
	}
	s->rc = PI_OK;
	return start;
}

static int reach_rc(const struct service *h, const struct sockaddr_un *a, int err)
{
	if (err == -EADDRINUSE)
		return rc_fail(PI_BUSY, "%s", h->busy);
	if (err == -EBUSY)
		return rc_fail(PI_BUSY, "busy: another program has been starting %s for a while",
			       h->holder);
	return rc_errno(err, "%s", a->sun_path);
}

/* Called with the lock held. */
static void *begin(const struct service *h, const struct service_start *start,
		   const struct sockaddr_un *a, int *rc)
{
	int err = service_make_way(a);
	void *held;

	if (err) {
		*rc = reach_rc(h, a, err);
		return NULL;
	}
	held = h->begin(start + 1, start->size - sizeof(*start), a->sun_path, rc);
	if (!held)
		return NULL;
	err = bind_address(a);
	if (!err)
		return held;
	if (h->end)
		h->end(held);
	*rc = reach_rc(h, a, err);
	return NULL;
}

static bool report(struct service_started *s)
{
	bool sent;

	s->size = sizeof(*s);
	snprintf(s->release, sizeof(s->release), "%s", PITRACE_VERSION);
	sent = service_send(SERVICE_FD, s, sizeof(*s), -1);
	close(SERVICE_FD);
	return sent;
}

/* The caller is gone: nobody knows about the held object. */
static void end_unknown(const struct service *h, void *held)
{
	if (h->end)
		h->end(held);
	service_withdraw();
}

static int run(const struct service *h, void *packet, size_t size, void *request)
{
	struct service_started s = { .rc = PI_OK };
	const struct service_start *start = service_start_read(h, packet, size, &s);
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	void *held = NULL;
	bool sent;
	int lock;

	if (!start) {
		report(&s);
		return 1;
	}
	memcpy(a.sun_path, start->address, sizeof(a.sun_path));
	/* Changes the working folder to keep no file system busy, unless the address is relative to
	 * the caller's folder. */
	if (a.sun_path[0] == '/' && chdir("/"))
		return 1;
	lock = service_lock(&a);
	if (lock < 0)
		s.rc = reach_rc(h, &a, lock);
	else
		held = begin(h, start, &a, &s.rc);
	snprintf(s.why, sizeof(s.why), "%s", s.rc ? TraceLastError() : "");
	sent = report(&s);
	if (held && !sent)
		end_unknown(h, held);
	if (lock >= 0)
		service_unlock(&a, lock);
	if (!held || !sent)
		return 1;
	hold(h, held, request);
	return 0;
}

static void close_others(void)
{
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
	long most = sysconf(_SC_OPEN_MAX);

	if (!syscall(SYS_close_range, SERVICE_FD + 1, ~0u, 0))
		return;
	for (int fd = SERVICE_FD + 1; fd < most && fd < 1 << 20; fd++)
		close(fd);
}

static bool is_socket(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISSOCK(st.st_mode);
}

int service_program(const struct service *const list[], const char *kind)
{
	static uint64_t packet[SERVICE_START_MAX / sizeof(uint64_t)];
	const struct service *h;
	void *request;
	ssize_t n;
	pid_t pid;

	while ((h = *list) && strcmp(h->kind, kind))
		list++;
	if (!h || !is_socket(SERVICE_FD))
		return 2;
	block_signals();
	close_others();
	pid = fork();
	if (pid)
		return pid < 0;
	setsid();
	n = recv(SERVICE_FD, packet, sizeof(packet), MSG_TRUNC);
	request = malloc(h->request);
	if (n < 0 || (size_t)n > sizeof(packet) || !request)
		return 1;
	return run(h, packet, (size_t)n, request);
}
