// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A program that only works, to be run from strange places: plain [MS [NAME]]. Also built static,
 * and once more with its function's name changed (what another program in its place looks like).
 */
#include <stdlib.h>
#include <sys/prctl.h>
#include "work.h"

#ifndef PLAIN
#define PLAIN plain_work
#endif
WORKER(PLAIN)

int main(int argc, char **argv)
{
	if (argc > 2)
		prctl(PR_SET_NAME, argv[2]);
	PLAIN(argc > 1 ? atol(argv[1]) : 50);
	return 0;
}
