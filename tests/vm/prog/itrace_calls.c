/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two system calls by C library functions: docs/itrace-example.md has -arc of them. */
#include <unistd.h>

int main(void)
{
	getpid();
	return write(1, "hello\n", 6) != 6;
}
