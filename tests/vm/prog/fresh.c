// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * fresh COMMAND [ARG]...: run it as a terminal would start it, in a process group of its own with
 * no signal ignored: shells start what they put in the background with SIGINT ignored.
 */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	setpgid(0, 0);
	if (argc > 1)
		execvp(argv[1], argv + 1);
	perror("fresh");
	return 127;
}
