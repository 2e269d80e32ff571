/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The collector's side of the door. Anybody may connect: the state per caller is bounded, and the
 * collector waits for nobody. Only files in memory are accepted, because they never block a reader.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/now.h"
#include "hook/hook_door.h"

#define BACKLOG 256
#define AT_ONCE 256           /* callers per drain */
#define SILENT  1000000000ull /* ns until a silent caller is disconnected */

static int bind_to(struct hook_door *d)
{
	struct sockaddr_un a;
	socklen_t length = hook_door_address(&a, d->page.name);

	return bind(d->listener, (struct sockaddr *)&a, length) || listen(d->listener, BACKLOG) ?
		       -errno :
		       0;
}

/* Uses another name if the default one is taken. */
static int listen_somewhere(struct hook_door *d, const char *folder)
{
	uint64_t random[2];
	int err = -ENAMETOOLONG;

	d->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (d->listener < 0)
		return -errno;
	if (hook_door_name(d->page.name, sizeof(d->page.name), folder))
		err = bind_to(d);
	if (!err || (err != -EADDRINUSE && err != -ENAMETOOLONG))
		return err;
	if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return -errno;
	snprintf(d->page.name, sizeof(d->page.name), "pitrace-%016llx%016llx",
		 (unsigned long long)random[0], (unsigned long long)random[1]);
	return bind_to(d);
}

static int put_page(const struct hook_door *d)
{
	const struct hook_door_page page = d->page;
	ssize_t n = pwrite(d->page_fd, &page, sizeof(page), 0);

	return n == (ssize_t)sizeof(page) ? 0 : n < 0 ? -errno : -ENOSPC;
}

int hook_door_open(struct hook_door *d, int page_fd, const char *folder, uint32_t generation)
{
	int err;

	*d = (struct hook_door){
		.listener = -1,
		.page_fd = page_fd,
		.page = {
			.magic = HOOK_DOOR_MAGIC,
			.version = HOOK_DOOR_VERSION,
			.generation = generation,
			.owner = geteuid(),
		},
	};
	err = listen_somewhere(d, folder);
	if (!err && getrandom(d->page.key, sizeof(d->page.key), 0) != (ssize_t)sizeof(d->page.key))
		err = -errno;
	if (!err)
		err = put_page(d);
	if (err)
		hook_door_close(d);
	return err;
}

void hook_door_close(struct hook_door *d)
{
	if (!d->page.magic)
		return;
	while (d->ncallers)
		close(d->caller[--d->ncallers].fd);
	if (d->listener >= 0)
		close(d->listener);
	d->page = (struct hook_door_page){ .magic = HOOK_DOOR_MAGIC, .version = HOOK_DOOR_VERSION };
	if (put_page(d))
		errno = 0;
	d->listener = d->page_fd = -1;
	d->page.magic = 0;
}

void hook_door_restart(struct hook_door *d)
{
	d->refused = d->nseen = 0;
	*d->names = 0;
}

/* callers */

static void refuse(struct hook_door *d, const struct hook_door_caller *c,
		   const struct hook_door_packet *p)
{
	size_t used = strlen(d->names);
	char name[sizeof(p->name) + 1] = "";

	for (unsigned int i = 0; i < d->nseen; i++)
		if (d->seen[i] == c->pid)
			return;
	d->refused++;
	if (d->nseen < HOOK_DOOR_REFUSED)
		d->seen[d->nseen++] = c->pid;
	if (d->nseen > HOOK_DOOR_NAMED || d->refused > d->nseen)
		return;
	memcpy(name, p->name, sizeof(p->name));
	for (char *n = name; *n; n++)
		if (*n < ' ' || *n > '~')
			*n = '?';
	snprintf(d->names + used, sizeof(d->names) - used, "%s%s (%d, uid %u)", used ? ", " : "",
		 *name ? name : "?", c->pid, c->uid);
}

/* Reading any other file could block: a file system or a device that a caller controls would make
 * the collector wait. */
static bool is_memory(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && fcntl(fd, F_GET_SEALS) >= 0;
}

/* Reads a caller's packet: returns a descriptor, -1: nothing yet, or -2: it was refused. */
static int receive(struct hook_door *d, const struct hook_door_caller *c)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))]; /* the kernel closes any others */
	} control;
	struct hook_door_packet p = { 0 };
	struct iovec data = { .iov_base = &p, .iov_len = sizeof(p) };
	struct msghdr m = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control.room),
	};
	ssize_t n = recvmsg(c->fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	struct cmsghdr *head = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
	int fd = -1;

	if (n < 0 && (errno == EAGAIN || errno == EINTR) && now_ns() - c->since < SILENT)
		return -1;
	if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
	    head->cmsg_len == CMSG_LEN(sizeof(fd)))
		memcpy(&fd, CMSG_DATA(head), sizeof(fd));
	if (n == (ssize_t)sizeof(p) && p.magic == HOOK_DOOR_MAGIC &&
	    p.version == HOOK_DOOR_VERSION && p.key[0] == d->page.key[0] &&
	    p.key[1] == d->page.key[1] && fd >= 0 && is_memory(fd))
		return fd;
	if (fd >= 0)
		close(fd);
	if (n == (ssize_t)sizeof(p) && p.magic == HOOK_DOOR_MAGIC && c->uid != d->page.owner)
		refuse(d, c, &p);
	return -2;
}

static bool accept_one(struct hook_door *d)
{
	struct hook_door_caller *c = &d->caller[d->ncallers];
	struct ucred who;
	socklen_t n = sizeof(who);

	if (d->ncallers == HOOK_DOOR_CALLERS)
		return false;
	c->fd = accept4(d->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (c->fd < 0)
		return false;
	/* A caller in a pid namespace that is not visible here has no pid to report. */
	if (getsockopt(c->fd, SOL_SOCKET, SO_PEERCRED, &who, &n) || !who.pid) {
		close(c->fd);
		return true;
	}
	c->pid = who.pid;
	c->uid = who.uid;
	c->since = now_ns();
	d->ncallers++;
	return true;
}

int hook_door_next(struct hook_door *d, pid_t *pid, uid_t *uid)
{
	if (!d->page.magic)
		return -1;
	for (int i = 0; i < AT_ONCE && accept_one(d); i++)
		;
	for (unsigned int i = 0; i < d->ncallers;) {
		struct hook_door_caller c = d->caller[i];
		int fd = receive(d, &c);

		if (fd == -1) {
			i++;
			continue;
		}
		close(c.fd);
		d->caller[i] = d->caller[--d->ncallers];
		if (fd < 0)
			continue;
		*pid = c.pid;
		*uid = c.uid;
		return fd;
	}
	return -1;
}
