/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fuzz: a whole trace file through reader, merge and times; wrong CRCs pass: it gets far. */
#include "file.h"
#include "fuzz.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pifile_fault fault = { .what = "" };
	struct pifile *f = file_open_memory(data, size, FILE_IGNORE_CRC, &fault);
	const struct pifile_fault *list;
	size_t n, faults, bytes;
	void *buffer = NULL;

	if (!f) {
		if (!fault.what[0])
			abort();
		return 0;
	}
	merge(f, PIMERGE_MTE | PIMERGE_TRACE);
	faults = pifile_verify(f);
	/* What was said is not said again. */
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

		if (p)
			fuzz_touch(p, bytes < 65536 ? bytes : 65536);
		pifile_realtime(f, pifile_section(f, i)->first);
		pifile_monotonic(f, pifile_section(f, i)->last);
	}
	free(buffer);
	pifile_close(f);
	return 0;
}
