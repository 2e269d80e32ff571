// SPDX-License-Identifier: GPL-3.0-or-later
/* anon_code MS: has executable memory of its own making, as a JIT compiler has, for so long. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long ms = argc > 1 ? atol(argv[1]) : 1000;

	if (mmap(NULL, 65536, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		 0) == MAP_FAILED)
		return perror("anon_code"), 1;
	usleep((useconds_t)ms * 1000);
	return 0;
}
