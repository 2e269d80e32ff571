/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "here.h"

/* Assumes that a command with shell syntax can run: only the shell can interpret it. */
static bool can_run(const char *command)
{
	char word[256];
	size_t n = strcspn(command, " \t");

	if (strpbrk(command, "'\"\\$`|&;<>()="))
		return true;
	if (!n || n >= sizeof(word))
		return false;
	memcpy(word, command, n);
	word[n] = 0;
	return strchr(word, '/') ? !access(word, X_OK) : here_in_path(word);
}

const char *pager_command(void)
{
	const char *pager = getenv("PITRACE_PAGER"), *terminal = getenv("TERM");

	if (!isatty(STDOUT_FILENO) || !terminal || !strcmp(terminal, "dumb"))
		return NULL;
	if (!pager)
		pager = getenv("PAGER");
	if (!pager)
		pager = "less";
	return *pager && strcmp(pager, "cat") && can_run(pager) ? pager : NULL;
}

static pid_t begin_program(const int to[2], const char *path, char **argv)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (isatty(STDERR_FILENO))
		dup2(to[1], STDERR_FILENO);
	dup2(to[1], STDOUT_FILENO);
	execv(path, argv);
	_exit(126);
}

static pid_t begin_pager(const int from[2], const char *pager)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	dup2(from[0], STDIN_FILENO);
	/* less: quit if all fits the screen, show colours, leave the text on the screen. */
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
	_exit(127);
}

static int ended(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int pager_run(const char *pager, const char *path, char **argv)
{
	pid_t reader, writer = -1;
	int ends[2], code;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	/* The pager first: without it, the program has not begun, and can run without one. */
	reader = begin_pager(ends, pager);
	if (reader > 0)
		writer = begin_program(ends, path, argv);
	code = writer < 0 ? -errno : 0;
	/* The program gets SIGPIPE once the pager is gone. */
	close(ends[0]);
	close(ends[1]);
	/* Ctrl-C is for the program and the pager: the user continues to read. */
	if (!code) {
		signal(SIGINT, SIG_IGN);
		signal(SIGQUIT, SIG_IGN);
		code = ended(writer);
	}
	if (reader > 0)
		ended(reader);
	return code;
}
