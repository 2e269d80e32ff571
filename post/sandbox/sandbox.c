/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The seccomp filters: a list of allowed system calls; all others fail with EPERM. */
#include "sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WORD       0xFFFFFFFFu /* the kernel reads only 32 bits of an int argument */
#define WRITES     (O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY))
#define NAMESPACES 0x7E020080u /* CLONE_NEW*, including flags that older headers lack */
#ifdef __powerpc__
#define TERMINAL 0x402C7413u /* TCGETS with the kernel's struct, not the C library's */
#else
#define TERMINAL TCGETS
#endif
#define TERMINAL2 0x802C542Au /* TCGETS2: few headers define its struct */
#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564D41 /* names malloc's memory */
#endif
#ifdef __s390x__
#define CLONE_FLAGS 1 /* index of the flags among clone's arguments */
#else
#define CLONE_FLAGS 0
#endif

/* System calls on descriptors and memory that already exist. */
static const char *const within[] = {
	"brk",
	"munmap",
	"mremap",
	"madvise",
	"membarrier",
	"mincore",
	"msync",
	"read",
	"readv",
	"pread64",
	"preadv",
	"preadv2",
	"write",
	"writev",
	"pwrite64",
	"pwritev",
	"pwritev2",
	"lseek",
	"_llseek",
	"close",
	"close_range",
	"fstat",
	"fstat64",
	"sendmsg",
	"recvmsg",
	"recvfrom",
	"rt_sigaction",
	"rt_sigprocmask",
	"rt_sigreturn",
	"sigreturn",
	"rt_sigpending",
	"rt_sigtimedwait",
	"rt_sigsuspend",
	"sigaltstack",
	"restart_syscall",
	"alarm",
	"setitimer",
	"getitimer",
	"futex",
	"futex_time64",
	"sched_yield",
	"set_robust_list",
	"get_robust_list",
	"rseq",
	"set_tid_address",
	"gettid",
	"getpid",
	"getppid",
	"getrandom",
	"clock_gettime",
	"clock_gettime64",
	"clock_getres",
	"clock_nanosleep",
	"nanosleep",
	"gettimeofday",
	"time",
	"exit",
	"exit_group",
};

/* System calls of a reader, which opens files and starts a child with even fewer rights. */
static const char *const beyond[] = {
	"stat",
	"stat64",
	"lstat",
	"lstat64",
	"newfstatat",
	"fstatat64",
	"statx",
	"statfs",
	"statfs64",
	"fstatfs",
	"fstatfs64",
	"access",
	"faccessat",
	"faccessat2",
	"readlink",
	"readlinkat",
	"getdents",
	"getdents64",
	"getcwd",
	"fadvise64",
	"readahead",
	"dup",
	"dup2",
	"dup3",
	"pipe",
	"pipe2",
	"poll",
	"ppoll",
	"select",
	"pselect6",
	"memfd_create",
	"ftruncate",
	"ftruncate64",
	"fsync",
	"fdatasync",
	"fallocate",
	"copy_file_range",
	"sendfile",
	"flock",
	"getuid",
	"geteuid",
	"getgid",
	"getegid",
	"getresuid",
	"getresgid",
	"getgroups",
	"getpgrp",
	"getpgid",
	"uname",
	"sysinfo",
	"getrusage",
	"times",
	"getcpu",
	"sched_getaffinity",
	"getpriority",
	"getrlimit",
	"ugetrlimit",
	"setrlimit",
	"fork",
	"vfork",
	"wait4",
	"waitid",
	"seccomp",
	"getsockopt",
	"setsockopt",
	"shutdown",
#ifdef __SANITIZE_ADDRESS__
	"ptrace", /* the leak checker stops its own process */
#endif
};

/* System calls that depend on one argument: allowed if its bits in `mask` equal `value`. */
static const struct {
	const char *call;
	unsigned int arg;
	uint64_t mask, value;
} some[] = {
	{ "open", 1, WRITES, O_RDONLY },         { "openat", 2, WRITES, O_RDONLY },
	{ "clone", CLONE_FLAGS, NAMESPACES, 0 }, { "prlimit64", 0, WORD, 0 },
	{ "ioctl", 1, WORD, TERMINAL },          { "ioctl", 1, WORD, TERMINAL2 },
	{ "ioctl", 1, WORD, TIOCGWINSZ },        { "ioctl", 1, WORD, FIONREAD },
	{ "ioctl", 1, WORD, FS_IOC_GETVERSION }, { "fcntl", 1, WORD, F_DUPFD },
	{ "fcntl", 1, WORD, F_DUPFD_CLOEXEC },   { "fcntl", 1, WORD, F_GETFD },
	{ "fcntl", 1, WORD, F_SETFD },           { "fcntl", 1, WORD, F_GETFL },
	{ "fcntl", 1, WORD, F_SETFL },           { "prctl", 0, WORD, PR_SET_PDEATHSIG },
	{ "prctl", 0, WORD, PR_SET_DUMPABLE },   { "prctl", 0, WORD, PR_GET_DUMPABLE },
	{ "prctl", 0, WORD, PR_SET_VMA },        { "prctl", 0, WORD, PR_SET_NO_NEW_PRIVS },
	{ "prctl", 0, WORD, PR_SET_SECCOMP },    { "prctl", 0, WORD, PR_GET_SECCOMP },
};

static int allow(scmp_filter_ctx f, const char *call)
{
	int number = seccomp_syscall_resolve_name(call);

	/* Not every architecture has every call. */
	return number < 0 ? 0 : seccomp_rule_add(f, SCMP_ACT_ALLOW, number, 0);
}

static int allow_if(scmp_filter_ctx f, const char *call, unsigned int arg, uint64_t mask,
		    uint64_t value)
{
	int number = seccomp_syscall_resolve_name(call);

	return number < 0 ? 0 :
			    seccomp_rule_add(f, SCMP_ACT_ALLOW, number, 1,
					     SCMP_CMP(arg, SCMP_CMP_MASKED_EQ, mask, value));
}

static int allow_list(scmp_filter_ctx f, const char *const *list, size_t n)
{
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++)
		rc = allow(f, list[i]);
	return rc;
}
#define ALLOW_LIST(f, list) allow_list(f, list, sizeof(list) / sizeof((list)[0]))

/* Allows memory that is not executable. On s390x mmap() takes its arguments in memory, where no
 * filter can read them. */
static int allow_memory(scmp_filter_ctx f)
{
	int rc = allow_if(f, "mprotect", 2, PROT_EXEC, 0);

#ifdef __s390x__
	return rc ? rc : allow(f, "mmap");
#else
	return rc ? rc : allow_if(f, "mmap", 2, PROT_EXEC, 0);
#endif
}

/* Allows the system calls of abort(). */
static int allow_own_signals(scmp_filter_ctx f)
{
	uint64_t self = (uint64_t)getpid();
	int rc = allow_if(f, "kill", 0, WORD, self);

	return rc ? rc : allow_if(f, "tgkill", 0, WORD, self);
}

static int allow_some(scmp_filter_ctx f)
{
	int rc = 0;

	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]) && !rc; i++)
		rc = allow_if(f, some[i].call, some[i].arg, some[i].mask, some[i].value);
	return rc;
}

/* Allows socket pairs of one type only, whose ends reach only each other: a datagram socket could
 * send to any address. */
static int allow_pair(scmp_filter_ctx f)
{
	return seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(socketpair), 2,
				SCMP_A0(SCMP_CMP_MASKED_EQ, WORD, AF_UNIX),
				SCMP_A1(SCMP_CMP_MASKED_EQ, WORD, SOCK_SEQPACKET | SOCK_CLOEXEC));
}

/* Allows sending without an address only: to the other end. */
static int allow_send(scmp_filter_ctx f)
{
	int rc = allow(f, "send");

	return rc ? rc :
		    seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(sendto), 1,
				     SCMP_A4(SCMP_CMP_EQ, 0));
}

/* Their arguments are in memory, where no filter can check them. On ENOSYS the C library falls back
 * to the older calls. */
static int hide_new(scmp_filter_ctx f)
{
	int rc = 0;

#ifdef __NR_clone3
	rc = seccomp_rule_add(f, SCMP_ACT_ERRNO(ENOSYS), __NR_clone3, 0);
#endif
#ifdef __NR_openat2
	rc = rc ? rc : seccomp_rule_add(f, SCMP_ACT_ERRNO(ENOSYS), __NR_openat2, 0);
#endif
	return rc;
}

static int filter(bool child)
{
	scmp_filter_ctx f = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int rc = f ? ALLOW_LIST(f, within) : -ENOMEM;

	if (!rc)
		rc = allow_memory(f);
	if (!rc)
		rc = allow_own_signals(f);
	if (!rc)
		rc = allow_send(f);
	if (!rc)
		rc = hide_new(f);
	if (!rc && !child)
		rc = ALLOW_LIST(f, beyond);
	if (!rc && !child)
		rc = allow_some(f);
	if (!rc && !child)
		rc = allow_pair(f);
	/* A binary tree is faster than a list; older versions of the library lack it. */
	if (!rc)
		seccomp_attr_set(f, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (!rc)
		rc = seccomp_load(f);
	if (f)
		seccomp_release(f);
	return rc;
}

struct sandbox sandbox_enter(void)
{
	struct sandbox s = { NULL, NULL };
	int rc;

	/* Both seccomp and Landlock need no_new_privs. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return (struct sandbox){ "no_new_privs is refused", "no_new_privs is refused" };
	s.files = sandbox_landlock();
	rc = filter(false);
	if (rc)
		s.calls = strerror(-rc);
	return s;
}

static void limit(int what, rlim_t most)
{
	setrlimit((__rlimit_resource_t)what, &(struct rlimit){ most, most });
}

static void limit_memory(size_t more)
{
#ifndef __SANITIZE_ADDRESS__ /* its shadow is larger than any limit */
	FILE *f = fopen("/proc/self/statm", "re");
	unsigned long pages;

	if (f && fscanf(f, "%lu", &pages) == 1)
		limit(RLIMIT_AS, (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + more);
	if (f)
		fclose(f);
#else
	(void)more;
#endif
}

bool sandbox_child(int last, size_t memory)
{
	int rc;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_DUMPABLE, 0);
	limit_memory(memory);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, 0);
	limit(RLIMIT_NPROC, 0);
	rc = filter(true);
	if (close_range((unsigned int)last + 1, ~0u, 0))
		for (int i = last + 1; i < 65536; i++)
			close(i);
	limit(RLIMIT_NOFILE, 0);
	return !rc;
}
