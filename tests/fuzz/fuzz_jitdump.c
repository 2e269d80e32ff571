/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzz: a jitdump is read to its end, passed to liba2n, and looked up again. Names are terminated,
 * code is inside the file, an answer covers the requested address, a line is one of the announced
 * ones.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "a2n.h"
#include "fuzz.h"
#include "jitdump.h"

#define ASK   64  /* places to remember */
#define CODE  256 /* bytes to look at */
#define LINES 64  /* of a table */

struct place {
	uint32_t pid;
	uint64_t address, time;
};

static int tell(struct a2n *a, const struct jitdump_event *e)
{
	switch (e->kind) {
	case JITDUMP_MOVE:
		return a2n_jit_move(a, e->time, e->pid, e->from, e->address, e->size);
	case JITDUMP_UNLOAD:
		return a2n_jit_unload(a, e->time, e->pid, e->address, e->size);
	default:
		return a2n_jit_load_late(a, e->earliest, e->time, e->pid, e->address, e->size,
					 e->name, e->name_length);
	}
}

static bool code_is_whole(const struct jitdump *d, const struct jitdump_event *e)
{
	uint8_t code[CODE];
	size_t n = jitdump_code(d, code, sizeof(code));

	fuzz_touch(code, n);
	return n == (!e->code_offset ? 0 : e->size < CODE ? e->size : CODE);
}

static bool table_is_whole(const struct jitdump *d, const struct jitdump_event *e)
{
	uint8_t table[CODE];
	size_t n = jitdump_eh_frame(d, table, sizeof(table));

	fuzz_touch(table, n);
	return n == (e->eh_frame_size < CODE ? e->eh_frame_size : CODE);
}

static uint32_t highest; /* line that was told */

/* Announces lines of the latest load. */
static int tell_lines(struct a2n *a, struct jitdump *d)
{
	struct a2n_jit_line lines[LINES];
	struct jitdump_line line;
	size_t n = 0;

	while (jitdump_line(d, &line)) {
		fuzz_touch(line.file, strlen(line.file));
		if (n < LINES)
			lines[n++] = (struct a2n_jit_line){ line.address, line.line, line.file };
		if (line.line > highest)
			highest = line.line;
	}
	return a2n_jit_lines(a, lines, n);
}

static void take_line(void *arg, size_t i, const struct a2n_frame *frames, size_t n)
{
	(void)arg;
	if (i || n != 1 || frames->inlined || frames->line > highest)
		abort();
	fuzz_touch(frames->function, strlen(frames->function));
	if (frames->file)
		fuzz_touch(frames->file, strlen(frames->file));
}

static void ask(struct a2n *a, const struct place *p, uint64_t time)
{
	struct a2n_answer r;

	a2n_resolve(a, p->pid, time, p->address, false, &r);
	if (!r.symbol || !r.module || r.symbol->module != r.module ||
	    (r.result == A2N_OK && p->address - r.range_start >= r.range_length))
		abort();
	fuzz_touch(r.symbol->name, strlen(r.symbol->name));
	if (r.result == A2N_OK && !strcmp(r.module->name, A2N_JITCODE))
		a2n_lines(a, r.module, &r.module_offset, 1, false, take_line, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct a2n_map heap = {
		.start = 0x1000,
		.length = 1ull << 46,
		.flags = A2N_MAP_ANON,
	};
	struct place place[ASK] = { 0 };
	struct jitdump_event e;
	struct jitdump_fault fault;
	struct jitdump *d;
	const char *why = NULL;
	uint64_t last = 0;
	unsigned int n = 0, i;
	struct a2n *a;
	int fd = memfd_create("jitdump", MFD_CLOEXEC), rc;

	highest = 0;
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	rc = jitdump_open(&d, fd, &why);
	if (rc) {
		if (!why || d)
			abort();
		return 0;
	}
	a = a2n_open(NULL);
	if (!a || a2n_add_map(a, 1, jitdump_info(d)->pid, &heap))
		abort();
	while ((rc = jitdump_next(d, &e)) > 0) {
		if (e.offset <= last || e.offset >= size || !e.size)
			abort();
		last = e.offset;
		if (e.kind == JITDUMP_LOAD &&
		    (strlen(e.name) != e.name_length || e.earliest > e.time ||
		     (e.code_offset &&
		      (e.code_offset + e.size > size || e.code_offset < e.offset)) ||
		     e.eh_frame_offset + e.eh_frame_size > size ||
		     e.eh_frame_hdr_offset + e.eh_frame_hdr_size > size || !code_is_whole(d, &e) ||
		     !table_is_whole(d, &e)))
			abort();
		if (tell(a, &e) || (e.kind == JITDUMP_LOAD && tell_lines(a, d)))
			abort();
		place[n++ % ASK] = (struct place){ e.pid, e.address, e.time };
	}
	if (rc)
		abort();
	jitdump_fault(d, &fault);
	if (fault.what ? fault.offset >= size : fault.records)
		abort();
	for (i = 0; i < ASK && i < n; i++) {
		ask(a, &place[i], place[i].time);
		ask(a, &place[i], place[i].time - jitdump_info(d)->late / 2);
		ask(a, &place[i], UINT64_MAX / 2);
	}
	jitdump_close(d);
	a2n_close(a);
	return 0;
}
