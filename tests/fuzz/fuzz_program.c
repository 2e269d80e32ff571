/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzz: a program's file as collectors look at it: can the timer collector enter it, and what build
 * id has it. A script's interpreter is looked for too, wherever the input says that it is.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/drain_ids.h"
#include "fuzz.h"
#include "file/segment.h"
#include "collect/timer/timer_program.h"

static struct buildids *ids;

static int scan(void *arg, const void *segment, size_t size)
{
	(void)arg;
	buildids_scan(ids, segment, size);
	return 0;
}

/* The result is an id or none, whatever the file contains. */
static void check(int fd)
{
	char path[64];
	struct pirecord r;
	struct pimerge *m;
	struct pifile *f;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	f = pifile_open(path, NULL);
	m = f ? pimerge_open(f, PIMERGE_MTE) : NULL;
	if (!m || pifile_faults(f, NULL))
		abort();
	while (pimerge_next(m, &r)) {
		struct pitrace_mte_buildid id;

		if (r.minor != PITRACE_MTE_BUILDID || r.size != sizeof(id))
			abort();
		memcpy(&id, r.data, sizeof(id));
		if (id.length > sizeof(id.id))
			abort();
		for (size_t i = id.length; i < sizeof(id.id); i++)
			if (id.id[i])
				abort();
	}
	pimerge_close(m);
	pifile_close(f);
}

/* As if a process had mapped it. */
static void read_build_id(const char *path, uint64_t inode)
{
	struct segment_out o = { .session = 1, .ring = PITRACE_RING_MTE, .size = 65536 };
	struct pitrace_mte_map m = {
		.pid = (uint32_t)getpid(),
		.flags = PITRACE_MAP_EXEC,
		.start = 0x1000,
		.length = 0x1000,
		.inode = inode,
		.path_len = (uint32_t)strlen(path),
	};
	struct pifile_writer *w;
	int err, fd = memfd_create("trace", MFD_CLOEXEC);
	uint8_t *p;

	ids = buildids_new(true, NULL);
	w = pifile_create_fd(dup(fd), &(struct pifile_header){ .clock = PITRACE_CLOCK_MONOTONIC });
	if (!ids || !w)
		abort();
	for (int again = 0; again < 2; again++) {
		p = segment_put(&o, PITRACE_MTE, PITRACE_MTE_MODULE, PITRACE_TYPE_STRUCT,
				sizeof(m) + m.path_len + 1, 100, scan, NULL, &err);
		if (!p)
			abort();
		memcpy(p, &m, sizeof(m));
		strcpy((char *)p + sizeof(m), path);
		if (segment_close(&o, scan, NULL))
			abort();
	}
	if (buildids_flush(ids, w) || pifile_finish(w))
		abort();
	check(fd);
	close(fd);
	buildids_free(ids);
	segment_free(&o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64], why[400] = "", cure[400] = "";
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct stat st;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || fstat(fd, &st))
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (timer_can_enter(path, why, sizeof(why), cure, sizeof(cure)) != !why[0])
		abort();
	read_build_id(path, st.st_ino);
	close(fd);
	return 0;
}
