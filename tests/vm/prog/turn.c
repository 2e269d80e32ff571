// SPDX-License-Identifier: GPL-3.0-or-later
/* turn N: N turns of a loop of two instructions, and nothing else. */
#include <stdlib.h>
#include "work.h"

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;

	if (!n)
		return 2;
	turns(n);
	return 0;
}
