/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The links under /dev and /proc by which users name descriptors that the process already has. */
#include "descriptor.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DIGITS_MAX 9

int own_descriptor(const char *path)
{
	static const char *const links[] = { "/dev/fd/", "/proc/self/fd/" };
	static const char *const names[] = { "/dev/stdin", "/dev/stdout", "/dev/stderr" };
	const char *number;
	size_t i, n;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(path, names[i]))
			return (int)i;
	for (i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		if (strncmp(path, links[i], strlen(links[i])) != 0)
			continue;
		number = path + strlen(links[i]);
		n = strspn(number, "0123456789");
		return n && n <= DIGITS_MAX && !number[n] ? atoi(number) : -1;
	}
	return -1;
}
