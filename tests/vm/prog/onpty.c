// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Run a command on a terminal of its own:
 *	onpty ROWS COLUMNS SCRIPT COMMAND [ARG]...
 * Its output there is copied to standard output at the end. SCRIPT is done one letter after
 * the other, when something is there, a second between two: _ nothing, ^ a Ctrl-C, ~ half as many
 * rows, others are keys that are pressed. The last lines say whether the terminal is as it was, and
 * the command's end.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include "work.h"

static char output[1 << 20];
static size_t used;

static void die(const char *what)
{
	perror(what);
	exit(2);
}

/* False: nothing more will come. */
static int gather(int master, int64_t until)
{
	for (;;) {
		int64_t left = (until - clock_ns(CLOCK_MONOTONIC)) / 1000000;
		struct pollfd p = { .fd = master, .events = POLLIN };
		ssize_t n;

		if (left <= 0)
			return 1;
		if (poll(&p, 1, (int)left) <= 0)
			continue;
		n = read(master, output + used, sizeof(output) - used);
		if (n <= 0)
			return n < 0 && errno == EINTR;
		used += (size_t)n;
	}
}

static void act(int master, struct winsize *size, char letter)
{
	const char key = letter == '^' ? 3 : letter;

	if (letter == '_')
		return;
	if (letter != '~') {
		if (write(master, &key, 1) != 1)
			die("key");
		return;
	}
	size->ws_row /= 2;
	if (ioctl(master, TIOCSWINSZ, size))
		die("size");
}

int main(int argc, char **argv)
{
	struct winsize size = { 0 };
	struct termios before, after;
	int master, slave, status, on = 1;
	const char *script;
	pid_t pid;

	if (argc < 5)
		return 2;
	size.ws_row = (unsigned short)atoi(argv[1]);
	size.ws_col = (unsigned short)atoi(argv[2]);
	master = posix_openpt(O_RDWR | O_NOCTTY);
	if (master < 0 || grantpt(master) || unlockpt(master))
		die("pty");
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	if (slave < 0 || ioctl(slave, TIOCSWINSZ, &size) || tcgetattr(slave, &before))
		die("terminal");
	pid = fork();
	if (!pid) {
		setsid();
		if (ioctl(slave, TIOCSCTTY, 0))
			_exit(125);
		for (int fd = 0; fd < 3; fd++)
			dup2(slave, fd);
		close(slave);
		close(master);
		setenv("TERM", "xterm", 1);
		execvp(argv[4], argv + 4);
		_exit(127);
	}
	while (!used && on)
		on = gather(master, clock_ns(CLOCK_MONOTONIC) + 10000000);
	for (script = argv[3]; *script && on; script++) {
		on = gather(master, clock_ns(CLOCK_MONOTONIC) + 1000000000);
		act(master, &size, *script);
	}
	/* The calling script reports a program that hangs. */
	while (waitpid(pid, &status, WNOHANG) == 0)
		gather(master, clock_ns(CLOCK_MONOTONIC) + 100000000);
	gather(master, clock_ns(CLOCK_MONOTONIC) + 100000000);
	if (tcgetattr(slave, &after))
		die("terminal");
	fwrite(output, 1, used, stdout);
	printf("\nterminal %s\nend %d\n",
	       before.c_lflag == after.c_lflag && before.c_iflag == after.c_iflag &&
			       before.c_oflag == after.c_oflag && before.c_cflag == after.c_cflag ?
		       "as before" :
		       "changed",
	       WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return 0;
}
