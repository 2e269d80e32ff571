/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch_attach PID LIBRARY [WORD...]: loads the library there and calls
 * patch_counter_asked(WORD). */
#include <stdio.h>
#include <stdlib.h>

#include "attach/attach.h"

int main(int argc, char **argv)
{
	char why[512] = "", answer[256];
	pid_t pid = argc > 2 ? atoi(argv[1]) : 0;

	if (pid <= 0)
		return 2;
	if (!attach_load(pid, argv[2], why, sizeof(why))) {
		fprintf(stderr, "patch_attach: %s\n", why);
		return 1;
	}
	for (int i = 3; i < argc; i++) {
		if (!attach_call(pid, argv[2], "patch_counter_asked", argv[i], answer,
				 sizeof(answer), why, sizeof(why))) {
			fprintf(stderr, "patch_attach: %s\n", why);
			return 1;
		}
		puts(answer);
	}
	return 0;
}
