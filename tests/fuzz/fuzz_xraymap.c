/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fuzz: the instrumentation map of a program, which is read if a log has only numbers. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "input/xray/xray_map.h"
#include "fuzz_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xray_map m = { 0 };
	char folder[64], path[80], why[256] = "";
	uint32_t i;
	int fd;

	fuzz_folder(folder);
	snprintf(path, sizeof(path), "%s/program", folder);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
	if (xray_map_read(&m, path, why, sizeof(why)) && !why[0])
		abort();
	/* An entry of the map is at least 16 bytes, a header of a segment 32. */
	if (m.count > size / 16 || m.nsegment > size / 32)
		abort();
	fuzz_touch(m.address, m.count * sizeof(*m.address));
	for (i = 0; i < m.nsegment; i++)
		fuzz_touch(m.segment[i], sizeof(*m.segment[i]) + m.segment[i]->path_len);
	xray_map_free(&m);
	if (unlink(path) || rmdir(folder))
		abort();
	return 0;
}
