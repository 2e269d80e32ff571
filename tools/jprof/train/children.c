/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "children.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "complain.h"

#define WORDS_SHOWN 2000

extern char **environ;

volatile sig_atomic_t run_interrupted;
static volatile pid_t running;
static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

/* ---- signals --------------------------------------------------------------------------------- */

static void interrupt(int number)
{
	run_interrupted = number;
	if (running)
		kill(running, SIGTERM);
}

void run_catch(void)
{
	struct sigaction how = { .sa_handler = interrupt }, is;

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (!sigaction(signals[i], NULL, &is) && is.sa_handler != SIG_IGN)
			sigaction(signals[i], &how, NULL);
}

/* Blocks the signals while a child is started: its pid is not known yet. */
static void hold(sigset_t *before)
{
	sigset_t held;

	sigemptyset(&held);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaddset(&held, signals[i]);
	sigprocmask(SIG_BLOCK, &held, before);
}

/* ---- programs -------------------------------------------------------------------------------- */

static int spawn(char *const words[], const char *out, const char *err, pid_t *pid)
{
	const int how = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND;
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t before;
	int rc;

	posix_spawn_file_actions_init(&files);
	if (out)
		posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out, how, 0600);
	if (err && out && !strcmp(err, out))
		posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
	else if (err)
		posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err, how, 0600);
	posix_spawnattr_init(&attributes);
	hold(&before);
	posix_spawnattr_setsigmask(&attributes, &before);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	rc = posix_spawnp(pid, words[0], &files, &attributes, words, environ);
	running = rc ? 0 : *pid;
	/* A signal that arrived before has not been forwarded. */
	if (!rc && run_interrupted)
		kill(*pid, SIGTERM);
	sigprocmask(SIG_SETMASK, &before, NULL);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	return rc;
}

bool run_program(char *const words[], const char *out, const char *err, int *status, pid_t *pid)
{
	int rc = spawn(words, out, err, pid);
	pid_t ended;

	if (rc) {
		complain("%s: %s", words[0], strerror(rc));
		return false;
	}
	do
		ended = waitpid(*pid, status, 0);
	while (ended < 0 && errno == EINTR);
	running = 0;
	if (ended < 0)
		complain("%s: %s", words[0], strerror(errno));
	return ended >= 0;
}

void run_complain(const char *program, int status, const char *words)
{
	FILE *in = fopen(words, "re");
	char text[WORDS_SHOWN + 1];
	size_t n = 0;

	if (in) {
		if (!fseek(in, 0, SEEK_END) && ftell(in) > WORDS_SHOWN)
			fseek(in, -WORDS_SHOWN, SEEK_END);
		else
			rewind(in);
		n = fread(text, 1, WORDS_SHOWN, in);
		fclose(in);
	}
	while (n && text[n - 1] == '\n')
		n--;
	text[n] = 0;
	if (WIFSIGNALED(status))
		complain("%s: ended by signal %d (%s)%s%s", program, WTERMSIG(status),
			 strsignal(WTERMSIG(status)), n ? ": " : "", text);
	else
		complain("%s: exit code %d%s%s", program, WEXITSTATUS(status), n ? ": " : "", text);
}
