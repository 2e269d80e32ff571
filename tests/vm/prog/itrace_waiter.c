// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * itrace_waiter FIFO: a byte from there lets it make a few system calls, the next one as many
 * again; between them it waits. Statically linked: nothing else runs in it.
 */
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int go = argc == 2 ? open(argv[1], O_RDWR) : -1, fd[2];
	char c[64];

	if (go < 0 || pipe(fd))
		return 2;
	while (read(go, c, 1) == 1) {
		syscall(SYS_getpid);
		if (write(fd[1], c, sizeof(c)) != sizeof(c) ||
		    read(fd[0], c, sizeof(c)) != sizeof(c))
			return 3;
		if (write(-1, c, 1) != -1)
			return 4;
	}
	return 0;
}
