/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fuzz: a whole trace file through reader, merge and times; in memory, where wrong CRCs pass, so
 * that it gets far, then by its path, as programs read it. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "file/trace_file.h"
#include "fuzz.h"
#include "fuzz_trace.h"

static void merge(struct pifile *f, unsigned int what)
{
	struct pimerge *m = pimerge_open(f, what);
	uint64_t done, total, time = 0;
	struct pirecord r;

	if (!m)
		return;
	while (pimerge_next(m, &r)) {
		if ((uintptr_t)r.data % 4 || (!r.snapshot && r.time < time))
			abort();
		if (!r.snapshot)
			time = r.time;
		fuzz_touch(r.data, r.size);
	}
	pimerge_progress(m, &done, &total);
	if (done != total || pimerge_next(m, &r))
		abort();
	pimerge_close(m);
}

static void read_all(struct pifile *f, uint64_t size)
{
	const struct pifile_fault *list;
	size_t n, faults, bytes;
	void *buffer = NULL;

	if (pifile_size(f) != size || (!pifile_complete(f) && !pifile_faults(f, NULL)))
		abort();
	fuzz_touch(pifile_get_header(f), sizeof(struct pifile_header));
	merge(f, PIMERGE_MTE | PIMERGE_TRACE);
	faults = pifile_verify(f);
	/* A message is not repeated. */
	merge(f, PIMERGE_TRACE);
	merge(f, PIMERGE_MTE);
	n = pifile_faults(f, &list);
	if (n != faults)
		abort();
	for (size_t i = 0; i < n && i < FILE_FAULTS; i++)
		if (!memchr(list[i].what, 0, sizeof(list[i].what)) || list[i].offset > size)
			abort();
	for (size_t i = 0; i < pifile_sections(f); i++) {
		const void *p = pifile_payload(f, i, &buffer, &bytes);

		if (pifile_section_offset(f, i) >= size)
			abort();
		if (p)
			fuzz_touch(p, bytes < 65536 ? bytes : 65536);
		pifile_realtime(f, pifile_section(f, i)->first);
		pifile_monotonic(f, pifile_section(f, i)->last);
	}
	if (pifile_section(f, pifile_sections(f)) || pifile_payload(f, SIZE_MAX, &buffer, &bytes))
		abort();
	free(buffer);
	pifile_close(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pifile_fault fault = { .what = "" };
	struct pifile *f = file_open_memory(data, size, FILE_IGNORE_CRC, &fault);
	char path[64];
	int fd;

	if (!f) {
		if (!fault.what[0])
			abort();
		return 0;
	}
	read_all(f, size);
	fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	f = pifile_open(path, &fault);
	close(fd);
	if (f)
		read_all(f, size);
	return 0;
}

#ifdef LIBFUZZER
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	return fuzz_mutate(data, size, max, seed);
}
#endif
