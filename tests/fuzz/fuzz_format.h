/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A format's reader from its probe to the end of two passes, as reports read it: every byte that it
 * yields is looked at, and what is promised of records holds.
 */
#ifndef FUZZ_FORMAT_H
#define FUZZ_FORMAT_H

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "input/readers.h"
#include "fuzz.h"

/* Records of a pass. */
static inline uint64_t fuzz_pass(struct input *in, unsigned int what)
{
	struct pirecord r = { 0 };
	uint64_t n = 0, done, total, last = 0;

	if (in->reader->begin(in, what))
		abort();
	while (in->reader->next(in, &r) > 0) {
		if (r.time < last ||
		    !(what & (r.ring == PITRACE_RING_MTE ? PIMERGE_MTE : PIMERGE_TRACE)))
			abort();
		last = r.time;
		fuzz_touch(r.data, r.size);
		in->reader->monotonic(in, r.stamp);
		in->reader->realtime(in, r.stamp);
		n++;
	}
	in->reader->progress(in, &done, &total);
	return n;
}

static inline void fuzz_format(const struct reader *f, const uint8_t *data, size_t size)
{
	struct pifile_fault fault = { 0 };
	const struct pifile_fault *faults;
	struct input_section section = { 0 };
	struct input in = { .reader = f, .inlined = true };
	char path[64];
	uint64_t names, all;
	size_t i, n;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	in.path = path;
	if (f->probe(data, size < INPUT_HEAD ? size : INPUT_HEAD)) {
		if (f->open(&in, &fault)) {
			if (!fault.what[0] || (fault.offset != NO_OFFSET && fault.offset > size))
				abort();
		} else {
			for (i = 0; f->section(&in, i, &section) > 0; i++)
				fuzz_touch(section.data, section.data ? section.size : 0);
			names = fuzz_pass(&in, PIMERGE_MTE);
			all = fuzz_pass(&in, PIMERGE_MTE | PIMERGE_TRACE);
			if (all < names || fuzz_pass(&in, PIMERGE_MTE | PIMERGE_TRACE) != all)
				abort();
			n = f->faults(&in, &faults);
			for (i = 0; i < n && i < 64; i++) {
				if (faults[i].offset > size || !faults[i].what[0])
					abort();
			}
			f->close(&in);
		}
	}
	close(fd);
}

#endif
