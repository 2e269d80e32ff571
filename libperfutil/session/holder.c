/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Requests to the holder of a session; holder_begin.c starts it, holder_serve.c answers. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "hook/hook_place.h"
#include "session/holder.h"
#include "base/leftovers.h"
#include "base/rc.h"

#define RUN_SOCKET "pitrace-"

static void address(struct sockaddr_un *a, bool make)
{
	service_address(a, "PITRACE_SOCKET", "pitrace", make);
}

/* The socket name of a tracer in this process that also serves its command: beside the holder's. */
static void own_address(struct sockaddr_un *a, char *path, size_t room, uid_t guest)
{
	char folder[80];

	service_folder(folder, sizeof(folder), true);
	leftovers_remove_sockets(folder, RUN_SOCKET, guest);
	snprintf(path, room, "%s/" RUN_SOCKET "%d.sock", folder, getpid());
	memset(a, 0, sizeof(*a));
	a->sun_family = AF_UNIX;
	snprintf(a->sun_path, sizeof(a->sun_path), "%s", path);
}

void holder_hooks(char *path, size_t room)
{
	struct sockaddr_un a;

	address(&a, false);
	snprintf(path, room, "%s.hooks", a.sun_path);
}

/* ---- client ------------------------------------------------------------------------------- */

int holder_hook(void)
{
	static const struct holder_request q = {
		.size = sizeof(q),
		.version = HOLDER_VERSION,
		.op = HOLDER_HOOK,
	};
	static struct holder_reply r;
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = -1, hook = -1;
	ssize_t n = -1;

	/* The caller may be a signal handler: nothing may be allocated. */
	if (!getauxval(AT_SECURE) && hook_place_socket(a.sun_path, sizeof(a.sun_path)))
		fd = service_connect(&a, false);
	if (fd < 0)
		return -1;
	if (service_send(fd, &q, sizeof(q), -1))
		n = service_receive(fd, &r, sizeof(r), &hook);
	close(fd);
	if (hook >= 0 && (n != (ssize_t)sizeof(r) || r.version != HOLDER_VERSION || r.rc)) {
		close(hook);
		hook = -1;
	}
	return hook;
}

/* ---- the socket of a run --------------------------------------------------------------------- */

int tracer_socket(uid_t guest, char *path, size_t room)
{
	struct sockaddr_un a;
	int fd;

	own_address(&a, path, room, guest);
	fd = service_bind(&a);
	if (fd >= 0 && guest != (uid_t)-1 && lchown(path, guest, (gid_t)-1)) {
		int err = -errno;

		close(fd);
		service_unlink(path, (uid_t)-1);
		fd = err;
	}
	return fd < 0 ? rc_errno(fd, "%s", path) : fd;
}
