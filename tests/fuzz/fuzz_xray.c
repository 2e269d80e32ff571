/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fuzz: XRay logs, and the stacks of their threads. */
#include "fuzz_format.h"
#include "model/callflow.h"
#include "model/functions.h"

static void account(const uint8_t *data, size_t size)
{
	struct pifile_fault fault = { 0 };
	struct input in = { .reader = &reader_xray };
	struct functions f = { 0 };
	struct pirecord r;
	uint64_t calls = 0, ended = 0;
	char path[64];
	uint32_t i;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	in.path = path;
	if (reader_xray.probe(data, size) && !reader_xray.open(&in, &fault)) {
		if (in.reader->begin(&in, PIMERGE_TRACE))
			abort();
		while (in.reader->next(&in, &r) > 0) {
			if (r.major == CALL_RECORD && functions_record(&f, &r))
				abort();
		}
		for (i = 0; i < f.nfunction; i++) {
			struct function *fn = &f.function[i];
			uint64_t median = function_percentile(fn, 0.5);
			uint64_t most = function_percentile(fn, 0.99);

			if (fn->ended && (fn->min > median || median > most || most > fn->max))
				abort();
			calls += fn->calls;
			ended += fn->ended;
		}
		if (calls != f.flow.calls ||
		    ended + f.flow.unleft + callflow_open(&f.flow) != calls)
			abort();
		functions_free(&f);
		reader_xray.close(&in);
	}
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_format(&reader_xray, data, size);
	account(data, size);
	return 0;
}
