/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the owner by the credentials of a datagram, and by /proc. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "hook/hookfile_owner.h"
#include "base/proc_text.h"
#include "base/rights.h"

int hookfile_socket(int folder, uid_t user)
{
	const struct rights as = { .uid = user, .gid = getegid() };
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	struct rights_saved kept;
	int s = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1, err;

	if (s < 0)
		return -errno;
	snprintf(a.sun_path, sizeof(a.sun_path), "/proc/self/fd/%d/" HOOKFILE_SOCKET, folder);
	/* The umask sets the mode at bind: the folder is the user's, so a chmod by name would not
	 * be safe. */
	err = fchmod(s, 0600) || setsockopt(s, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) ?
		      -errno :
		      rights_take(user == geteuid() ? NULL : &as, &kept);
	if (!err) {
		err = bind(s, (struct sockaddr *)&a, sizeof(a)) ? -errno : 0;
		rights_restore(&kept);
	}
	if (!err)
		return s;
	close(s);
	return err;
}

bool hookfile_announced(int socket, char name[HOOKFILE_NAME], pid_t *pid, uid_t *uid)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(struct ucred))]; /* accepts no descriptors */
	} control;
	struct iovec iov = { name, HOOKFILE_NAME - 1 };
	struct msghdr m = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct ucred who = { 0 };
	struct cmsghdr *c;
	ssize_t n;

	if (socket < 0)
		return false;
	n = recvmsg(socket, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (n < 0)
		return false;
	name[n] = 0;
	for (c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS &&
		    c->cmsg_len == CMSG_LEN(sizeof(who)))
			memcpy(&who, CMSG_DATA(c), sizeof(who));
	/* 0: a process in a pid namespace that is not visible here. */
	*pid = who.pid;
	*uid = who.pid ? who.uid : (uid_t)-1;
	return true;
}

static int64_t ns_of(struct timespec t)
{
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

#define SLACK_NS 1000000000ll /* start times are in ticks, file times are coarse */

bool hookfile_of_process(pid_t pid, uid_t user, const struct stat *file)
{
	struct timespec boot, real;
	struct proc_task task;
	struct rights rights;
	char name[64], text[1024];
	ssize_t n;
	int fd;

	if (rights_of_process(pid, &rights) || rights.uid != user)
		return false;
	snprintf(name, sizeof(name), "/proc/%d/stat", pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? read(fd, text, sizeof(text)) : -1;
	if (fd >= 0)
		close(fd);
	if (n <= 0 || !proc_task_parse(text, (size_t)n, &task))
		return false;
	clock_gettime(CLOCK_BOOTTIME, &boot);
	clock_gettime(CLOCK_REALTIME, &real);
	return ns_of(real) - (ns_of(boot) - (int64_t)task.start) <= ns_of(file->st_ctim) + SLACK_NS;
}
