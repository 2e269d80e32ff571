/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzz: log-jita2n or, if the first byte is odd, log-jtnm: read to its end, passed to liba2n,
 * looked up again. A record that is read and written again reads the same.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "a2n.h"
#include "fuzz.h"
#include "jitlog.h"

#define ASK 64 /* addresses to remember */

static void tell(struct a2n *a, const struct jitlog_event *e)
{
	int rc;

	if (e->kind == JITLOG_LOAD)
		rc = a2n_jit_load(a, e->time, 7, e->address, e->size, e->name, e->name_length);
	else if (e->kind == JITLOG_MOVE)
		rc = a2n_jit_move(a, e->time, 7, e->from, e->address, e->size);
	else
		rc = a2n_jit_unload(a, e->time, 7, e->address, e->size);
	if (rc)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t asked[ASK] = { 0 }, last = 0;
	bool threads = size && data[0] & 1;
	struct jitlog_fault fault;
	struct jitlog_event e;
	struct a2n_answer r;
	const char *why = NULL;
	uint8_t code[64];
	struct jitlog *l;
	struct a2n *a;
	int fd = memfd_create("jitlog", MFD_CLOEXEC), rc;
	unsigned int n = 0, i;

	if (size) {
		data++;
		size--;
	}
	if (fd < 0 || write(fd, data, size) != (ssize_t)size || jitlog_open(&l, fd, threads, &why))
		abort();
	a = a2n_open(NULL);
	if (!a)
		abort();
	while ((rc = jitlog_next(l, &e)) > 0) {
		if (e.offset >= size || (n && e.offset <= last) ||
		    (e.kind >= JITLOG_START) != threads || (threads ? !e.tid : !e.size))
			abort();
		last = e.offset;
		fuzz_touch(e.name, e.name_length);
		if (jitlog_code(l, code, sizeof(code)) && e.kind != JITLOG_LOAD && threads)
			abort();
		if (!threads)
			tell(a, &e);
		asked[n++ % ASK] = e.address;
	}
	if (rc)
		abort();
	jitlog_fault(l, &fault);
	if (fault.what ? fault.offset >= size : fault.lines)
		abort();
	for (i = 0; i < n && i < ASK; i++) {
		a2n_resolve(a, 7, UINT64_MAX / 2, asked[i], false, &r);
		if (!r.symbol || !r.module || r.symbol->module != r.module)
			abort();
		fuzz_touch(r.symbol->name, strlen(r.symbol->name));
	}
	jitlog_close(l);
	a2n_close(a);
	return 0;
}
