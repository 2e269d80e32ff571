/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The client of the process that decodes tracepoints. */
#include "record/tracepoints.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/tracepoints_serve.h"
#include "sandbox/sandbox.h"

#define MEMORY (512ul << 20) /* for libtraceevent: formats take megabytes */

struct tracepoints {
	int fd; /* -1: the process is gone */
	pid_t pid;
};

static void give_up(struct tracepoints *t)
{
	if (t->fd < 0)
		return;
	close(t->fd);
	t->fd = -1;
	/* The process exits when its socket closes; its alarm ends a reply that takes too long. The
	 * sandbox does not permit killing it. */
	while (waitpid(t->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* Reads a reply. Returns -1 on failure; no reply follows then. */
static ssize_t answer(struct tracepoints *t, void *room, size_t size)
{
	ssize_t n;

	do
		n = recv(t->fd, room, size, 0);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		give_up(t);
	return n > 0 ? n : -1;
}

static ssize_t ask(struct tracepoints *t, bool text, const void *data, size_t size, void *room,
		   size_t room_size)
{
	struct tracepoints_question q = { .text = text };
	struct iovec part[] = { { &q, sizeof(q) }, { (void *)data, size } };
	struct msghdr m = { .msg_iov = part, .msg_iovlen = 2 };

	if (!t || t->fd < 0 || size > TRACEPOINTS_ROOM)
		return -1;
	if (sendmsg(t->fd, &m, MSG_NOSIGNAL) < 0) {
		give_up(t);
		return -1;
	}
	return answer(t, room, room_size);
}

#if TRACEPOINTS_READ
/* The child keeps only the socket and the memory of its parent. */
static _Noreturn void be_the_other(int fd, const void *data, size_t size)
{
	int null = open("/dev/null", O_RDONLY); /* writes to it fail, which is fine */
	sigset_t none;

	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0 ||
	    dup2(fd, 3) < 0)
		_exit(1);
	for (int i = 1; i < 32; i++)
		signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	sandbox_child(3, MEMORY);
	tracepoints_serve(3, data, size);
}
#endif

struct tracepoints *tracepoints_open(const void *data, size_t size)
{
#if TRACEPOINTS_READ
	struct timeval patience = { .tv_sec = TRACEPOINTS_PATIENCE };
	struct tracepoints *t;
	int room = 4 * TRACEPOINTS_ROOM, pair[2];
	char ready;

	if (!size || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return NULL;
	t = malloc(sizeof(*t));
	if (t) {
		*t = (struct tracepoints){ .fd = pair[0], .pid = fork() };
		if (!t->pid)
			be_the_other(pair[1], data, size);
	}
	close(pair[1]);
	if (!t || t->pid < 0) {
		close(pair[0]);
		free(t);
		return NULL;
	}
	setsockopt(t->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(t->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	setsockopt(t->fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	if (answer(t, &ready, sizeof(ready)) < 0) {
		free(t);
		return NULL;
	}
	return t;
#else
	(void)data;
	(void)size;
	return NULL;
#endif
}

void tracepoints_close(struct tracepoints *t)
{
	if (!t)
		return;
	give_up(t);
	free(t);
}

bool tracepoints_fell(const struct tracepoints *t)
{
	return t->fd < 0;
}

bool tracepoints_text(struct tracepoints *t, const void *raw, size_t bytes, char *room, size_t size)
{
	ssize_t n = ask(t, true, raw, bytes, room, size - 1);

	/* The first byte says whether a text follows. */
	if (n < 1 || !room[0])
		return false;
	memmove(room, room + 1, (size_t)n - 1);
	room[n - 1] = '\0';
	return true;
}

bool tracepoints_field(struct tracepoints *t, const char *system, const char *event,
		       const char *name, struct tracepoint_field *field)
{
	char names[3][64] = { "" };

	strncpy(names[0], system, 63);
	strncpy(names[1], event, 63);
	strncpy(names[2], name, 63);
	return ask(t, false, names, sizeof(names), field, sizeof(*field)) == sizeof(*field) &&
	       (field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8);
}

static uint64_t number(const uint8_t *at, uint32_t size, bool big)
{
	uint64_t v = 0;

	for (uint32_t i = 0; i < size; i++)
		v = v << 8 | at[big ? i : size - 1 - i];
	return v;
}

bool tracepoint_number(const struct tracepoint_field *f, const void *raw, size_t bytes,
		       uint64_t *value)
{
	unsigned int above = 64 - 8 * (f->size & 15);

	if (!f->size || bytes < 2 || number(raw, 2, f->big) != (uint32_t)f->event ||
	    f->offset > bytes || f->size > bytes - f->offset)
		return false;
	*value = number((const uint8_t *)raw + f->offset, f->size, f->big);
	if (f->is_signed)
		*value = (uint64_t)((int64_t)(*value << above) >> above);
	return true;
}
