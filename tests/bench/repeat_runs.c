/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * repeat_runs IN OUT RUNS: an instruction trace repeated until it has so many runs. What is told of
 * names stays as it is; the records of the threads' runs, from the first START to the last STOP,
 * come again and again under new times, as if the same had been done so often. Each copy begins
 * with START, so that no run follows one of the copy before.
 */
#include "rings.h"

static bool is_run(const struct pirecord *r)
{
	switch (r->major) {
	case PITRACE_BRANCH_KERNEL:
	case PITRACE_BRANCH_USER:
	case PITRACE_BREAK_KERNEL:
	case PITRACE_BREAK_USER:
		return true;
	default:
		return false;
	}
}

static bool is_itrace(const struct pirecord *r)
{
	return is_run(r) || r->major == PITRACE_ITRACE_START || r->major == PITRACE_ITRACE_STOP ||
	       r->major == PITRACE_ITRACE_SWITCH || r->major == PITRACE_CODE;
}

static void copy_sections(void)
{
	for (size_t i = 0; i < pifile_sections(in); i++) {
		enum pifile_section_type type = pifile_section(in, i)->type;
		void *buffer = NULL;
		size_t size;

		if (type == PIFILE_SEC_SEGMENT || type == PIFILE_SEC_SNAPSHOT ||
		    type == PIFILE_SEC_STATS || type == PIFILE_SEC_END || type == PIFILE_SEC_INDEX)
			continue;
		if (!pifile_payload(in, i, &buffer, &size))
			check(-EBADMSG, "reading");
		check(pifile_write_section(out, type, buffer, size), "writing");
		free(buffer);
	}
}

int main(int argc, char **argv)
{
	struct pirecord r, *run = NULL;
	size_t n = 0, room = 0;
	struct pimerge *m;
	uint64_t wanted = argc == 4 ? strtoull(argv[3], NULL, 10) : 0, runs = 0, shift = 0;

	if (!wanted) {
		fputs("usage: repeat_runs IN OUT RUNS\n", stderr);
		return 2;
	}
	rings_open(argv[1], argv[2]);
	copy_sections();
	m = pimerge_open(in, PIMERGE_MTE | PIMERGE_TRACE);
	check(m ? 0 : -ENOMEM, "reading");
	while (pimerge_next(m, &r)) {
		if (r.snapshot || r.cpu >= CPUS)
			continue;
		runs += is_run(&r);
		rings_put(&r, 0);
		if (!is_itrace(&r))
			continue;
		if (n == room) {
			room = 2 * room + 1024;
			run = realloc(run, room * sizeof(r));
		}
		if (!run)
			check(-ENOMEM, "reading");
		run[n] = r;
		run[n].data = memcpy(malloc(r.size), r.data, r.size);
		n++;
	}
	pimerge_close(m);
	if (!runs) {
		fprintf(stderr, "%s: no runs of instructions\n", argv[1]);
		return 1;
	}
	while (runs < wanted) {
		shift += run[n - 1].stamp - run[0].stamp + 1000000;
		for (size_t i = 0; i < n && runs < wanted; i++) {
			runs += is_run(&run[i]);
			rings_put(&run[i], shift);
		}
	}
	rings_flush();
	printf("%llu runs\n", (unsigned long long)runs);
	rings_close();
	return 0;
}
