// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A session in other hands than those that made it: passed on, inherited by a child with other
 * credentials or by a set-user-ID program, or kept when its maker gave up his. One rule for every
 * call: CAP_PERFMON, or the very credentials of the user who made it.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include "abi.h"

#define OTHER "/home/handed-abi"

static int own(void)
{
	struct pitrace_session_args args = plain();

	args.scope = PITRACE_SCOPE_PROCESS;
	args.pid = getpid();
	args.mte_bytes = 128 * KB;
	return (int)want(0, session(&args));
}

/* Nothing is answered but that it is not for the caller. */
static void refused(int fd)
{
	struct pitrace_setup_args setup = setup_args(1000);
	struct pitrace_event_args event = {
		.size = sizeof(event),
		.version = PITRACE_ABI_VERSION,
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.period = 1000000,
	};
	struct pitrace_itrace_args itrace = {
		.size = sizeof(itrace),
		.version = PITRACE_ABI_VERSION,
	};
	struct pitrace_consume_args consume = { 0 };
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint32_t what = PITRACE_FLUSH_MTE;

	want(EPERM, ioctl(fd, PITRACE_IOC_SETUP, &setup));
	want(EPERM, ioctl(fd, PITRACE_IOC_EVENT, &event));
	want(EPERM, ioctl(fd, PITRACE_IOC_ITRACE, &itrace));
	want(EPERM, ioctl(fd, PITRACE_IOC_ON));
	want(EPERM, ioctl(fd, PITRACE_IOC_OFF));
	want(EPERM, ioctl(fd, PITRACE_IOC_SUSPEND));
	want(EPERM, ioctl(fd, PITRACE_IOC_RESUME));
	want(EPERM, ioctl(fd, PITRACE_IOC_CONSUME, &consume));
	want(EPERM, ioctl(fd, PITRACE_IOC_FLUSH, &what));
	want(EPERM, ioctl(fd, PITRACE_IOC_RESCAN));
	want(EPERM, mmap(NULL, (size_t)getpagesize(), PROT_READ, MAP_SHARED, fd, 0));
	want(0, poll(&p, 1, 0));
	check(p.revents == POLLERR);
}

static void allowed(int fd)
{
	struct pitrace_setup_args setup = setup_args(1000);
	uint32_t what = PITRACE_FLUSH_MTE;
	void *page = mmap(NULL, (size_t)getpagesize(), PROT_READ, MAP_SHARED, fd, 0);

	check(page != MAP_FAILED);
	munmap(page, (size_t)getpagesize());
	want(0, ioctl(fd, PITRACE_IOC_SETUP, &setup));
	want(0, ioctl(fd, PITRACE_IOC_ON));
	want(0, ioctl(fd, PITRACE_IOC_FLUSH, &what));
	want(0, ioctl(fd, PITRACE_IOC_OFF));
}

static void in_child(void (*part)(int fd), int fd)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		bad = 0;
		part(fd);
		fflush(stdout);
		_exit(bad != 0);
	}
	waitpid(pid, &status, 0);
	bad += status != 0;
}

/* Root's, by one who stops being root: it runs on until it is closed. */
static void drops(int unused)
{
	int fd = own();

	(void)unused;
	want(0, ioctl(fd, PITRACE_IOC_ON));
	want(0, setgid(1000));
	want(0, setuid(1000));
	want(0, prctl(PR_SET_DUMPABLE, 1));
	refused(fd);
	close(fd);
}

static void stranger(int fd)
{
	want(0, setgid(1001));
	want(0, setuid(1001));
	want(0, prctl(PR_SET_DUMPABLE, 1));
	refused(fd);
}

static void pass(int socket, int fd)
{
	char room[CMSG_SPACE(sizeof(int))] = { 0 }, byte = 0;
	struct iovec iov = { &byte, 1 };
	struct msghdr m = { .msg_iov = &iov,
			    .msg_iovlen = 1,
			    .msg_control = room,
			    .msg_controllen = sizeof(room) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(int));
	check(sendmsg(socket, &m, 0) == 1);
}

static int take(int socket)
{
	char room[CMSG_SPACE(sizeof(int))], byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr m = { .msg_iov = &iov,
			    .msg_iovlen = 1,
			    .msg_control = room,
			    .msg_controllen = sizeof(room) };
	int fd = -1;

	if (recvmsg(socket, &m, 0) == 1 && CMSG_FIRSTHDR(&m))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(int));
	check(fd >= 0);
	return fd;
}

/* The program's answer when it inherits the session: 0 or an errno. */
static int asked_by(int fd, const char *program)
{
	char number[16];
	int status = -1;
	pid_t pid;

	snprintf(number, sizeof(number), "%d", fd);
	pid = fork();
	if (!pid) {
		int kept = dup(fd);

		snprintf(number, sizeof(number), "%d", kept);
		execl(program, program, "use", number, (char *)NULL);
		_exit(255);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void hands_on(int socket)
{
	int fd = own();

	allowed(fd);
	in_child(allowed, fd);
	/* As another user; as root; as himself. */
	check(asked_by(fd, OTHER "-1001") == EPERM);
	check(asked_by(fd, OTHER "-0") == 0);
	check(asked_by(fd, OTHER "-1000") == 0);
	pass(socket, fd);
	close(fd);
}

static void program(uid_t uid)
{
	char path[64];

	snprintf(path, sizeof(path), OTHER "-%u", uid);
	check(copy_self(path));
	check(!chown(path, uid, 0) && !chmod(path, 04755));
}

void test_handed(void)
{
	struct pitrace_event_args event = {
		.size = sizeof(event),
		.version = PITRACE_ABI_VERSION,
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.period = 1000000,
	};
	static const uid_t users[] = { 0, 1000, 1001 };
	int fd = own(), pair[2];
	unsigned int i;

	in_child(stranger, fd);
	close(fd);
	in_child(drops, -1);
	no_session_left();

	mkdir("/home", 0755);
	for (i = 0; i < 3; i++)
		program(users[i]);
	check(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	as_member(hands_on, pair[0]);
	fd = take(pair[1]);
	in_child(stranger, fd);
	/* Root may use it, for what its maker might. */
	allowed(fd);
	want(EPERM, ioctl(fd, PITRACE_IOC_EVENT, &event));
	close(fd);
	close(pair[0]);
	close(pair[1]);
	for (i = 0; i < 3; i++) {
		char path[64];

		snprintf(path, sizeof(path), OTHER "-%u", users[i]);
		unlink(path);
	}
	no_session_left();
}

/* A part of it: what this program is answered. */
int use_session(int fd)
{
	struct pitrace_setup_args setup = setup_args(1000);

	return ioctl(fd, PITRACE_IOC_SETUP, &setup) ? errno : 0;
}
