/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzz: a file of saved symbols, asked at many addresses of modules that it may name.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "a2nint.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("msi", MFD_CLOEXEC), rc, i;
	char path[64];
	SYMDATA d;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || A2nInit())
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	rc = A2nLoadMsiFile(path);
	if ((rc != 0) != (size < 14 || memcmp(data, "pitrace-msi 1\n", 14)))
		abort();
	if (A2nAddModule(7, 0x10000, 0x10000, "/a", 100, 0) ||
	    A2nAddModule(7, 0x20000, 0x10000, "/b", 100, 0))
		abort();
	for (i = 0; i < 64; i++) {
		rc = A2nGetSymbol(7, 0x10000 + (uint64_t)i * 0x800, &d);
		if (rc < 0 || (!rc && (d.sym_addr > 0x10000 + (uint64_t)i * 0x800)))
			abort();
		fuzz_touch(d.sym_name, strlen(d.sym_name));
	}
	A2nTerminate();
	close(fd);
	return 0;
}
