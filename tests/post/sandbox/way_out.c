/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Preloaded into post (LD_PRELOAD), it simulates a reader that was taken over: where post
 * decompresses a trace, it tries to get out. The result is printed when post exits.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static char told[512];
static size_t (*decompress)(void *context, void *to, size_t room, const void *from, size_t size);
static pid_t began;

size_t ZSTD_decompressDCtx(void *context, void *to, size_t room, const void *from, size_t size);

static void out(char *list, const char *what, bool succeeded)
{
	size_t n = strlen(list);

	snprintf(list + n, sizeof(told) - n, " %s=%s", what,
		 succeeded                         ? "OUT" :
		 errno == EPERM || errno == EACCES ? "refused" :
						     strerror(errno));
}

static void try_all(char *list)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	char *words[] = { (char *)"touch", (char *)"executed", NULL };
	int fd;

	if (*list || getenv("WAY_OUT_REFUSED"))
		return;
	strncpy(name.sun_path, getenv("WAY_OUT_SOCKET"), sizeof(name.sun_path) - 1);
	out(list, "read", open("/etc/passwd", O_RDONLY) >= 0);
	out(list, "write", open("input.nrm2", O_WRONLY) >= 0);
	out(list, "create", open("created", O_WRONLY | O_CREAT, 0600) >= 0);
	out(list, "remove", !unlink("input.nrm2"));
	out(list, "rename", !rename("input.nrm2", "created"));
	out(list, "chmod", !chmod("input.nrm2", 0777));
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	out(list, "socket", fd >= 0);
	/* One that was open before. */
	out(list, "connect", !connect(9, (struct sockaddr *)&name, sizeof(name)));
	out(list, "kill", !kill(getppid(), 0));
	out(list, "trace", ptrace(PTRACE_SEIZE, getppid(), NULL, NULL) == 0);
	ptrace(PTRACE_DETACH, getppid(), NULL, NULL);
	out(list, "execute", !execve("/usr/bin/touch", words, environ));
}

/* A socket that could be connected, and somebody who would take it. */
static void listen_there(void)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	const char *path = getenv("WAY_OUT_SOCKET");
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0);

	strncpy(name.sun_path, path, sizeof(name.sun_path) - 1);
	unlink(path);
	bind(fd, (struct sockaddr *)&name, sizeof(name));
	listen(fd, 5);
	dup2(client, 9);
}

/* Simulates a kernel or a parent that permits no sandbox. */
static void refuse_sandboxes(void)
{
	scmp_filter_ctx f = seccomp_init(SCMP_ACT_ALLOW);

	seccomp_rule_add(f, SCMP_ACT_ERRNO(ENOSYS), 444, 0); /* landlock_create_ruleset */
	seccomp_rule_add(f, SCMP_ACT_ERRNO(EINVAL), SCMP_SYS(seccomp), 0);
	seccomp_rule_add(f, SCMP_ACT_ERRNO(EINVAL), SCMP_SYS(prctl), 1,
			 SCMP_A0(SCMP_CMP_EQ, PR_SET_SECCOMP));
	seccomp_load(f);
	seccomp_release(f);
}

__attribute__((constructor)) static void begin(void)
{
	if (getenv("WAY_OUT_REFUSED"))
		refuse_sandboxes();
	listen_there();
	*(void **)&decompress = dlsym(RTLD_NEXT, "ZSTD_decompressDCtx");
	began = getpid();
}

__attribute__((destructor)) static void end(void)
{
	if (getpid() != began)
		return;
	fprintf(stderr, "reader:%s\n", told);
}

size_t ZSTD_decompressDCtx(void *context, void *to, size_t room, const void *from, size_t size)
{
	try_all(told);
	return decompress(context, to, room, from, size);
}
