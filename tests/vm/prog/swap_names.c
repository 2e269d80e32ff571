/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swap_names A B: exchanges what two names mean, as fast as it can, until it is killed. */
#include <fcntl.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	for (;;)
		renameat2(AT_FDCWD, argv[1], AT_FDCWD, argv[2], RENAME_EXCHANGE);
}
