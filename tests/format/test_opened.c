/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_opened FILE COMMAND...: how often FILE (a device, say) was opened while COMMAND ran, and the
 * command's exit code: "2 opened, code 0". To look at it through O_PATH opens nothing. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC), status, opened = 0;
	struct inotify_event e[64];
	ssize_t n;
	pid_t pid;

	if (argc < 3 || inotify_add_watch(watch, argv[1], IN_OPEN) < 0) {
		perror("test_opened");
		return 2;
	}
	pid = fork();
	if (!pid) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 2;
	/* Of a file, no folder: no names behind the events. Equal ones that follow are one. */
	while ((n = read(watch, e, sizeof(e))) > 0)
		opened += (int)((size_t)n / sizeof(e[0]));
	printf("%d opened, code %d\n", opened, WIFEXITED(status) ? WEXITSTATUS(status) : 128);
	return 0;
}
