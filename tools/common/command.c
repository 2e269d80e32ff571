// SPDX-License-Identifier: GPL-3.0-or-later
/* Forks a child that waits for a byte before its exec and sends back errno if exec fails. */
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "caller.h"
#include "complain.h"

static volatile pid_t child;

static void pass_on(int number)
{
	if (child > 0)
		kill(child, number);
}

static _Noreturn void execute(char **words, int gate, int report, const struct caller *caller)
{
	char byte;
	int err;

	if (read(gate, &byte, 1) != 1)
		_exit(COMMAND_FAILED);
	err = -caller_run_as(caller);
	if (!err) {
		execvp(words[0], words);
		err = errno;
	}
	if (write(report, &err, sizeof(err)) < 0)
		_exit(COMMAND_FAILED);
	_exit(COMMAND_CANNOT);
}

int command_start(struct command *c, char **words)
{
	int gate[2], ends[2];
	struct caller caller;

	if (!caller_get(&caller))
		return -EINVAL;
	if (pipe2(gate, O_CLOEXEC) || pipe2(ends, O_CLOEXEC))
		return -errno;
	child = fork();
	if (child < 0)
		return -errno;
	if (!child) {
		close(gate[1]);
		execute(words, gate[0], ends[1], &caller);
	}
	close(gate[0]);
	close(ends[1]);
	*c = (struct command){ child, words, gate[1], ends[0] };
	return 0;
}

int command_finish(struct command *c, int *status)
{
	int err = 0;

	/* The terminal also sends Ctrl-C to the command, which decides how to handle it. */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGTERM, pass_on);
	signal(SIGHUP, pass_on);
	if (write(c->gate, "", 1) != 1)
		complain("the command cannot be released: %s", strerror(errno));
	close(c->gate);
	if (read(c->report, &err, sizeof(err)) != (ssize_t)sizeof(err))
		err = 0;
	close(c->report);
	while (waitpid(c->pid, status, 0) < 0 && errno == EINTR)
		;
	child = -1;
	if (!err)
		return 0;
	complain("%s: %s", c->words[0], err == ENOENT ? "command not found" : strerror(err));
	return err == ENOENT ? COMMAND_NOT_FOUND : COMMAND_CANNOT;
}

void command_drop(struct command *c)
{
	close(c->gate);
	close(c->report);
	waitpid(c->pid, NULL, 0);
	child = -1;
}

int command_exit_code(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
