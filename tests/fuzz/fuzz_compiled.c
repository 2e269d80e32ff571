/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fuzz: what a program was compiled with, as swtrace run --calls reads it from its file. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "compiled.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char path[64], why[256];
	struct compiled c;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (compiled_read(path, &c, why, sizeof(why)) && *why)
		abort();
	if (compiled_words(&c) && !memmem(data, size, "_", 1))
		abort();
	close(fd);
	return 0;
}
