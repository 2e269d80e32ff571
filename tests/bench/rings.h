/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace that is read and another that is made of its records, for programs that repeat traces. */
#ifndef BENCH_RINGS_H
#define BENCH_RINGS_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "pifile.h"
#include "file/segment.h"

#define CPUS          64
#define SEGMENT_BYTES 65536

static struct pifile *in;
static struct pifile_writer *out;
static struct segment_out rings[CPUS][PITRACE_RINGS];

static void check(int rc, const char *what)
{
	if (!rc)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(-rc));
	exit(1);
}

static int sink(void *arg, const void *segment, size_t size)
{
	(void)arg;
	return pifile_write_segment(out, segment, size, 1);
}

static void rings_open(const char *from, const char *to)
{
	struct pifile_fault fault;
	struct pifile_header h;

	in = pifile_open(from, &fault);
	if (!in) {
		fprintf(stderr, "%s: %s\n", from, fault.what);
		exit(1);
	}
	h = *pifile_get_header(in);
	out = pifile_create(to, &h);
	check(out ? 0 : -errno, to);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		for (uint16_t ring = 0; ring < PITRACE_RINGS; ring++)
			rings[cpu][ring] = (struct segment_out){
				.session = 1,
				.cpu = cpu,
				.ring = ring,
				.size = SEGMENT_BYTES,
			};
}

/* The record, so much later; its data may be changed. */
static void *rings_put(const struct pirecord *r, uint64_t shift)
{
	void *data;
	int rc;

	data = segment_put(&rings[r->cpu][r->ring], r->major, r->minor, r->type, r->size,
			   r->stamp + shift, sink, NULL, &rc);
	check(rc, "writing");
	return memcpy(data, r->data, r->size);
}

static void rings_flush(void)
{
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		for (uint16_t ring = 0; ring < PITRACE_RINGS; ring++) {
			check(segment_close(&rings[cpu][ring], sink, NULL), "writing");
			segment_free(&rings[cpu][ring]);
		}
}

static void rings_close(void)
{
	check(pifile_finish(out), "writing");
	pifile_close(in);
}

#endif
