/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzz: a jitdump, read to its end, what it says told to liba2n, and asked for again. Names have an
 * end, code lies inside the file, an answer covers the address that was asked for.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "a2n.h"
#include "fuzz.h"
#include "jitdump.h"

#define ASK 64		/* addresses to remember */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t asked[ASK] = { 0 };
	struct jitdump_event e;
	struct jitdump_fault fault;
	struct jitdump_line line;
	struct jitdump *d;
	struct a2n_answer r;
	const char *why = NULL;
	uint64_t last = 0;
	unsigned int n = 0, i;
	struct a2n *a;
	int fd = memfd_create("jitdump", MFD_CLOEXEC), rc;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	rc = jitdump_open(&d, fd, &why);
	if (rc) {
		if (!why || d)
			abort();
		return 0;
	}
	a = a2n_open(NULL);
	if (!a)
		abort();
	while ((rc = jitdump_next(d, &e)) > 0) {
		if (e.offset <= last || e.offset >= size || !e.size)
			abort();
		last = e.offset;
		if (e.kind == JITDUMP_MOVE) {
			rc = a2n_jit_move(a, e.time, e.pid, e.from, e.address, e.size);
		} else {
			if (strlen(e.name) != e.name_length ||
			    (e.code_offset && (e.code_offset + e.size > size ||
					       e.code_offset < e.offset)) ||
			    e.eh_frame_offset + e.eh_frame_size > size ||
			    e.eh_frame_hdr_offset + e.eh_frame_hdr_size > size)
				abort();
			while (jitdump_line(d, &line))
				fuzz_touch(line.file, strlen(line.file));
			rc = a2n_jit_load(a, e.time, e.pid, e.address, e.size, e.name,
					  e.name_length);
		}
		if (rc)
			abort();
		asked[n++ % ASK] = e.address;
	}
	if (rc)
		abort();
	jitdump_fault(d, &fault);
	if (fault.what ? fault.offset >= size : fault.records)
		abort();
	for (i = 0; i < ASK; i++) {
		a2n_resolve(a, 77, UINT64_MAX / 2, asked[i], false, &r);
		if (!r.symbol || !r.module || r.symbol->module != r.module)
			abort();
		fuzz_touch(r.symbol->name, strlen(r.symbol->name));
	}
	jitdump_close(d);
	a2n_close(a);
	return 0;
}
