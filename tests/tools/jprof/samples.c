/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * samples TRACE: each sample in user code, a line with tabs between: TIME PID TID ADDRESS MODULE
 * NAME LATER, the time by CLOCK_MONOTONIC in nanoseconds. Names come the way that post's own
 * reports get them; LATER is the address's name at the end of the trace, as a map has it that is
 * written then.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/readers.h"
#include "model/feed.h"
#include "model/trace_names.h"
#include "record/record_as.h"
#include "model/trace_books.h"

static void check(int rc, const char *what)
{
	if (rc >= 0)
		return;
	fprintf(stderr, "samples: %s: %s\n", what, strerror(-rc));
	exit(1);
}

static void tell(struct names *n, struct trace *t, const struct pirecord *r)
{
	const struct pitrace_mte_map *map = NULL;

	check(jit_until(&n->jit, r->time), "jit");
	check(feed_record(n->a2n, t, r), "names");
	if (r->major == PITRACE_MTE && r->minor == PITRACE_MTE_MODULE)
		map = record_map(r);
	if (map && !(map->flags & PITRACE_MAP_KERNEL))
		check(jit_mapping(&n->jit, r->time, map), "jitdump");
}

static void show(struct names *n, const struct pirecord *r, uint64_t end)
{
	struct a2n_answer later;
	const struct pitrace_sample *s = RECORD_AS(r, struct pitrace_sample);
	struct sample_place place;

	names_until(n, r->time);
	if (r->ring == PITRACE_RING_MTE) {
		check(names_event(n, r), "names");
		return;
	}
	if (r->major != PITRACE_TPROF || !s ||
	    (r->minor & PITRACE_TPROF_KIND) != PITRACE_TPROF_USER)
		return;
	check(names_sample(n, s, r->time, false, &place), "name");
	a2n_resolve(n->a2n, s->pid, end, s->address, false, &later);
	printf("%" PRIu64 "\t%u\t%u\t0x%" PRIx64 "\t%s\t%s\t%s\n", r->time, s->pid, s->tid,
	       (uint64_t)s->address, n->module[n->symbols.symbol[place.symbol].module].name,
	       n->symbols.symbol[place.symbol].name, later.symbol->name);
}

int main(int argc, char **argv)
{
	const struct names_options options = { 0 };
	struct pifile_fault fault = { 0 };
	struct trace trace = { 0 };
	struct input in;
	struct names names;
	struct pirecord r;
	uint64_t end = 0;

	if (argc != 2)
		return 2;
	check(input_open(&in, argv[1], &fault), fault.what);
	check(names_open(&names, &options), "names");
	check(jit_logs(&names.jit, &in), "logs");
	check(in.reader->begin(&in, PIMERGE_MTE), argv[1]);
	while (in.reader->next(&in, &r) > 0) {
		tell(&names, &trace, &r);
		end = r.time;
	}
	check(jit_emit(&names.jit, JIT_REST), "jitdump");
	jit_finish(&names.jit);
	check(in.reader->begin(&in, PIMERGE_MTE | PIMERGE_TRACE), argv[1]);
	while (in.reader->next(&in, &r) > 0)
		show(&names, &r, end);
	names_close(&names);
	trace_free(&trace);
	input_close(&in);
	return 0;
}
