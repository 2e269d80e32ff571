/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two system calls by the C library's functions: docs/itrace-example.md shows the trace. */
#include <unistd.h>

int main(void)
{
	getpid();
	return write(1, "hello\n", 6) != 6;
}
