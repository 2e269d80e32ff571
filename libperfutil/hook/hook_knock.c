/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The program's side of the door: it never waits for the collector. */
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "hook/hook_door.h"
#include "hook/hook_text.h"

/* attempts, 1 ms apart, while other callers are queued */
#define TRIES 20

bool hook_door_name(char *name, size_t room, const char *folder)
{
	struct hook_text t = hook_text(name, room);

	hook_text_add(&t, folder);
	hook_text_add(&t, "/" HOOK_FOLDER_DOOR);
	return !t.cut;
}

/* Abstract address: the name begins with a NUL. */
socklen_t hook_door_address(struct sockaddr_un *a, const char *name)
{
	struct hook_text t = hook_text(a->sun_path + 1, sizeof(a->sun_path) - 1);

	a->sun_family = AF_UNIX;
	a->sun_path[0] = 0;
	hook_text_add(&t, name);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + t.used);
}

static bool is_of(int s, uint32_t owner)
{
	struct ucred peer;
	socklen_t n = sizeof(peer);

	return !getsockopt(s, SOL_SOCKET, SO_PEERCRED, &peer, &n) && peer.uid == owner;
}

static int reach(const char *name, int tries)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	struct sockaddr_un a;
	socklen_t length = hook_door_address(&a, name);
	int s = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), err = EAGAIN;

	for (int i = 0; s >= 0 && i < tries && err == EAGAIN; i++) {
		if (i)
			nanosleep(&pause, NULL);
		err = connect(s, (const struct sockaddr *)&a, length) ? errno : 0;
	}
	if (s < 0 || !err)
		return s;
	close(s);
	errno = err;
	return -1;
}

static bool send_packet(int s, const struct hook_door_packet *packet, int pass)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(pass))];
	} control = { .room = { 0 } };
	struct iovec data = { .iov_base = (void *)packet, .iov_len = sizeof(*packet) };
	struct msghdr m = { .msg_iov = &data, .msg_iovlen = 1 };

	if (pass >= 0) {
		m.msg_control = &control;
		m.msg_controllen = sizeof(control.room);
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(sizeof(pass));
		memcpy(CMSG_DATA(&control.head), &pass, sizeof(pass));
	}
	return sendmsg(s, &m, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof(*packet);
}

bool hook_door_pass(const struct hook_door_page *page, uint32_t generation, int fd)
{
	struct hook_door_page now = *(const volatile struct hook_door_page *)page;
	struct hook_door_packet packet = { HOOK_DOOR_MAGIC,
					   HOOK_DOOR_VERSION,
					   { now.key[0], now.key[1] },
					   "" };
	bool sent = false;
	int s, err;

	now.name[sizeof(now.name) - 1] = 0;
	if (now.magic != HOOK_DOOR_MAGIC || now.version != HOOK_DOOR_VERSION ||
	    now.generation != generation || !*now.name) {
		errno = EACCES;
		return false;
	}
	s = reach(now.name, TRIES);
	if (s < 0)
		return false;
	errno = EACCES;
	if (is_of(s, now.owner))
		sent = send_packet(s, &packet, fd);
	err = errno;
	close(s);
	errno = err;
	return sent;
}

void hook_door_notify(const char *folder)
{
	struct hook_door_packet packet = { .magic = HOOK_DOOR_MAGIC, .version = HOOK_DOOR_VERSION };
	char name[sizeof(((struct hook_door_page *)0)->name)];
	int s = hook_door_name(name, sizeof(name), folder) ? reach(name, 1) : -1;

	if (s < 0)
		return;
	/* The process may have exited before the collector could query its name. */
	prctl(PR_GET_NAME, packet.name);
	send_packet(s, &packet, -1);
	close(s);
}
