// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Processes that are over before anyone could look them up: fork, exec, a little work, exit.
 *	brief COUNT [AT_ONCE]
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "work.h"

WORKER(brief_work)

static char self[PATH_MAX];

int main(int argc, char **argv)
{
	int count, at_once, alive = 0, failed = 0, status, i;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return 1;
	if (argc > 1 && !strcmp(argv[1], "child")) {
		brief_work(2);
		return 0;
	}
	count = argc > 1 ? atoi(argv[1]) : 200;
	at_once = argc > 2 ? atoi(argv[2]) : 2;
	for (i = 0; i < count || alive;) {
		if (i < count && alive < at_once) {
			pid_t pid = fork();

			if (!pid) {
				execl(self, "brief", "child", NULL);
				_exit(127);
			}
			failed += pid < 0;
			alive += pid > 0;
			i++;
			continue;
		}
		if (wait(&status) < 0)
			break;
		alive--;
		failed += status != 0;
	}
	printf("%d of %d failed\n", failed, count);
	return failed != 0;
}
