/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fuzz: a perf.data file, from its header to the records that reports take, in three passes. */
#include "fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "input/readers.h"

/* Seeds of Intel PT have their code behind their own data: a mapped file of this name. */
#define CODE_FD 9

static void take_line(void *arg, const char *line)
{
	(void)arg;
	fuzz_touch(line, strlen(line));
}

static void take_count(void *arg, const char *event, const char *kind, uint64_t count)
{
	(void)arg;
	(void)count;
	fuzz_touch(kind, strlen(kind));
	if (event)
		fuzz_touch(event, strlen(event));
}

static void read_all(struct input *in, unsigned int what)
{
	struct input_section section;
	uint64_t done, total;
	struct pirecord r;
	int rc = in->reader->begin(in, what);

	while (!rc && (rc = in->reader->next(in, &r)) > 0) {
		if (r.major > 255 || r.ring >= PITRACE_RINGS || (uintptr_t)r.data % 4)
			abort();
		fuzz_touch(r.data, r.size);
		rc = 0;
	}
	if (rc)
		abort();
	in->reader->progress(in, &done, &total);
	if (done > total)
		abort();
	for (size_t i = 0; in->reader->section(in, i, &section) > 0; i++) {
		if (!section.data && section.size)
			abort();
		/* This machine's kernel has the same symbols each time. */
		if (section.data && section.type != PIFILE_SEC_KALLSYMS)
			fuzz_touch(section.data, section.size);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { .reader = &reader_perf, .spool = -1 };
	struct input_wall wall;
	const struct pifile_fault *list = NULL;
	struct pifile_fault fault = { 0 };
	char path[64];
	size_t n;
	int made = memfd_create("fuzz", MFD_CLOEXEC), fd = dup2(made, CODE_FD), rc;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(made);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	in.path = in.name = path;
	rc = in.reader->open(&in, &fault);
	if (rc && !fault.what[0])
		abort();
	if (!rc) {
		in.reader->stats(&in, take_count, NULL);
		in.reader->info(&in, take_line, NULL);
		in.reader->wall(&in, 0, &wall);
		if (wall.most && wall.least > wall.most)
			abort();
		read_all(&in, PIMERGE_MTE);
		read_all(&in, PIMERGE_MTE | PIMERGE_TRACE);
		read_all(&in, PIMERGE_MTE | PIMERGE_TRACE | INPUT_DETAILS);
		n = in.reader->faults(&in, &list);
		for (size_t i = 0; i < n && i < INPUT_FAULTS; i++) {
			if (!list[i].what[0])
				abort();
		}
		in.reader->close(&in);
	}
	close(fd);
	return 0;
}
