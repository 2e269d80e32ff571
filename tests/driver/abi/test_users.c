// SPDX-License-Identifier: GPL-3.0-or-later
/* The rights of an ordinary user, of a member of the device's group, and of users with a single
 * capability. */
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/capability.h>
#include "abi.h"

/* Run part in a child that is an ordinary user, perhaps in the device's group. */
void as_user(gid_t group, void (*part)(int fd), int fd)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		bad = 0;
		if (setgroups(group ? 1 : 0, &group) || setgid(1000) || setuid(1000))
			wrong("cannot become uid 1000");
		/* As after an exec: it holds nothing of root's any more. */
		want(0, prctl(PR_SET_DUMPABLE, 1));
		part(fd);
		fflush(stdout);
		_exit(bad != 0);
	}
	waitpid(pid, &status, 0);
	bad += status != 0;
}

static void outsider(int fd)
{
	(void)fd;
	want(EACCES, open(PITRACE_DEVICE, O_RDWR));
	want(EACCES, open(PITRACE_DEVICE, O_RDONLY));
}

/* More of a descriptor in other hands: test_handed.c. */
static void heir(int fd)
{
	want(EPERM, ioctl(fd, PITRACE_IOC_ON));
	want(EPERM, ioctl(fd, PITRACE_IOC_RESUME));
}

void test_permissions(void)
{
	struct pitrace_session_args args = plain();
	int fd;

	as_user(0, outsider, -1);
	fd = want(0, session(&args));
	as_user(0, heir, fd);
	close(fd);
	no_session_left();
}

void perfmon_only(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2] = { { 0 } };

	want(0, prctl(PR_SET_KEEPCAPS, 1));
	want(0, setgid(1000));
	want(0, setuid(1000));
	caps[CAP_PERFMON / 32].effective = 1u << CAP_PERFMON % 32;
	caps[CAP_PERFMON / 32].permitted = 1u << CAP_PERFMON % 32;
	want(0, syscall(SYS_capset, &header, caps));
}

/* A user who may trace, but not lock memory beyond the limit, gets no more than the limit. */
static void limited(int fd)
{
	struct pitrace_session_args args = plain();
	struct rlimit limit = { 600 * KB, 600 * KB }; /* two CPUs of two rings of 128 KB: fits */

	perfmon_only();
	want(0, setrlimit(RLIMIT_MEMLOCK, &limit));
	want(ENOMEM, ioctl(fd, PITRACE_IOC_SESSION, &args));
	args.mte_bytes = args.trace_bytes = 128 * KB;
	fd = want(0, ioctl(fd, PITRACE_IOC_SESSION, &args));
	want(0, ioctl(fd, PITRACE_IOC_ON));
	want(0, ioctl(fd, PITRACE_IOC_OFF));
	close(fd);
}

void test_memlock(void)
{
	int dev = device(), status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		bad = 0;
		limited(dev);
		fflush(stdout);
		_exit(bad != 0);
	}
	waitpid(pid, &status, 0);
	bad += status != 0;
	close(dev);
	no_session_left();
}
