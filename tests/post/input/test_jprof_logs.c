/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logs of a Java VM's calls, cut at every byte and damaged: what is whole is read. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "input/readers.h"
#include "record/stack_record.h"
#include "unit.h"

struct got {
	uint64_t samples, ticks[8]; /* by event */
	uint32_t depth;             /* the longest stack */
	uint64_t nfaults;
	char fault[256];
	bool complete;
};

static bool read_log(const struct reader *reader, const void *data, size_t size, struct got *got)
{
	int fd = memfd_create("log", MFD_CLOEXEC);
	struct pifile_fault fault = { 0 };
	const struct pifile_fault *faults;
	struct input in = { .reader = reader };
	struct stack stack = { 0 };
	struct pirecord r;
	char path[64];
	bool opened;

	*got = (struct got){ 0 };
	CU_ASSERT_EQUAL_FATAL(write(fd, data, size), (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	in.path = path;
	opened = reader->probe(data, size) && !reader->open(&in, &fault);
	snprintf(got->fault, sizeof(got->fault), "%s", fault.what);
	if (opened) {
		CU_ASSERT_FALSE(reader->begin(&in, PIMERGE_MTE | PIMERGE_TRACE));
		while (reader->next(&in, &r) > 0) {
			unsigned int event = r.minor >> PITRACE_TPROF_EVENT_SHIFT;

			if (r.major != PITRACE_TPROF)
				continue;
			CU_ASSERT_FATAL(event && event < 8);
			CU_ASSERT_FATAL(stack_read(&r, sizeof(struct pitrace_sample), &stack));
			got->samples++;
			got->ticks[event - 1] += 1 + r.repeats;
			got->depth = stack.head->user > got->depth ? stack.head->user : got->depth;
		}
		got->nfaults = reader->faults(&in, &faults);
		got->complete = in.complete;
		if (got->nfaults) {
			CU_ASSERT(faults[0].offset <= size);
			snprintf(got->fault, sizeof(got->fault), "%s", faults[0].what);
		}
		reader->close(&in);
	}
	close(fd);
	return opened;
}

#define HEAD                                                                               \
	"pitrace log-rt\nmetric: cycles\nentries 8, exits 8, exception exits 0, on the " \
	"stack 0\n\n LV CALLS CEE BASE DELTA DS IN NAME\n"
static const char text[] = HEAD "  0 0 3 10 1 - - main_12\n"
				"  1 2 2 20 2 - - a/B.c()V\n"
				"  2 2 0 30 3 - - J:a/B.d(I[J)La/C;\n"
				"  1 1 0 40 4 - - a/B.d(I[J)La/C;\n"
				"  0 0 1 50 5 - - two words_13\n"
				"  1 3 0 60 6 - - a/B.c()V\n"
				"\nleft as they are: 0\n";

static void whole(void)
{
	struct got got;

	CU_ASSERT_FATAL(read_log(&reader_log_rt, text, sizeof(text) - 1, &got));
	CU_ASSERT(got.ticks[0] == 210 && got.ticks[1] == 231 && got.ticks[2] == 21);
	CU_ASSERT_EQUAL(got.ticks[3], 8);
	CU_ASSERT_EQUAL(got.samples, 6 * 3 + 4);
	CU_ASSERT_EQUAL(got.depth, 2);
	CU_ASSERT(got.complete && !got.nfaults);
}

/* Up to the last whole line, and never as if it were whole. */
static void cut(void)
{
	const size_t head = sizeof(HEAD) - 1, nodes = strstr(text, "\nleft") - text;
	struct got got;

	for (size_t size = 0; size < nodes; size++) {
		uint64_t lines = 0;
		bool opened = read_log(&reader_log_rt, text, size, &got);

		CU_ASSERT_EQUAL_FATAL(opened, size >= head);
		if (!opened) {
			CU_ASSERT(size <= sizeof("pitrace log-rt") - 1 || got.fault[0]);
			continue;
		}
		for (size_t i = head; i < size; i++)
			lines += text[i] == '\n';
		CU_ASSERT_FATAL(got.samples <= 4 * lines && got.samples >= 3 * lines);
		/* One call a thread may have come meanwhile: three may not. */
		if (lines < 6)
			CU_ASSERT_FATAL(!got.complete && strstr(got.fault, "incomplete: "));
	}
}

/* Each line that is no node is told by its number and left out; those around it are read. */
static void damaged(void)
{
	static const struct {
		const char *line, *why;
		uint64_t base;
	} lines[] = {
		{ "  9 1 0 5 1 - - a/B.c()V", "line 7: it is deeper", 15 },
		{ "  2 1 0 5 1 - - a/B.c()V", "line 7: it is deeper", 15 },
		{ "  x 1 0 5 1 - - a/B.c()V", "line 7: a number is missing", 15 },
		{ "  1 1", "line 7: a blank is missing", 15 },
		{ "  1 1 0 5 1 - -", "line 7: a blank is missing", 15 },
		{ "  1 1 0 5 1 - - ", "line 7: the name is missing", 15 },
		{ "  1 1 0 99999999999999999999 1 - - a", "line 7: a number is missing", 15 },
		{ "  1 1 0 -5 1 - - a", "line 7: a value less than 0", 15 },
		{ "  1 1 0 9223372036854775807 1 - - a", "base of all lines is more", 1 },
	};
	char log[1024];
	struct got got;

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		snprintf(log, sizeof(log), "%s  0 0 1 5 0 - - t_1\n%s\n  1 1 0 10 0 - - b/C.d()V\n",
			 "pitrace log-rt\nmetric: x\n\n\n LV CALLS CEE BASE DELTA DS IN NAME\n",
			 lines[i].line);
		CU_ASSERT_FATAL(read_log(&reader_log_rt, log, strlen(log), &got));
		CU_ASSERT_FATAL(got.nfaults && !got.complete);
		CU_ASSERT_FATAL(!!strstr(got.fault, lines[i].why));
		CU_ASSERT_EQUAL_FATAL(got.ticks[0] >= lines[i].base, true);
	}
	CU_ASSERT_FALSE(read_log(&reader_log_rt, "pitrace log-rt\n LV CALLS NAME\n", 30, &got));
	CU_ASSERT_PTR_NOT_NULL(strstr(got.fault, "line 2: no columns"));
}

/* Several metrics, and the tree without any. */
static void columns(void)
{
	static const char two[] = "pitrace log-rt\n LV CALLS CEE BASE1 DELTA1 BASE2 DELTA2 DS IN NAME\n"
				  "  0 0 1 1 2 3 4 5 6 t_1\n  1 7 0 10 20 30 40 50 60 a/B.c()V\n";
	static const char none[] = "pitrace log-rt\n LV CALLS CEE NAME\n  0 0 1 t_1\n"
				   "  1 7 0 a/B.c()V\n";
	struct got got;

	CU_ASSERT_FATAL(read_log(&reader_log_rt, none, sizeof(none) - 1, &got));
	CU_ASSERT(got.samples == 1 && got.ticks[0] == 7 && got.complete);
	/* base1 raw1 delta1 base2 raw2 delta2 dispatches: interrupts and calls are beyond 8. */
	CU_ASSERT_TRUE(reader_log_rt.probe(two, sizeof(two) - 1));
}

/* As deep as threads get: stacks end early, and nothing takes long. */
static void deep(void)
{
	size_t size = 0, room = 64u << 20;
	char *log = malloc(room);
	struct got got;

	CU_ASSERT_PTR_NOT_NULL_FATAL(log);
	size = (size_t)sprintf(log, "pitrace log-rt\n LV CALLS CEE NAME\n0 0 1 t_1\n");
	for (uint32_t i = 1; i < 60000; i++)
		size += (size_t)sprintf(log + size, "%u 1 1 a/B.c()V\n", i);
	CU_ASSERT_FATAL(read_log(&reader_log_rt, log, size, &got));
	CU_ASSERT(got.samples == 59999 && got.depth == STACK_ADDRESSES);
	CU_ASSERT(got.nfaults == 1 && strstr(got.fault, "stacks of more than"));
	free(log);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "whole", whole },     { "cut", cut },   { "damaged", damaged },
		{ "columns", columns }, { "deep", deep }, { NULL, NULL },
	};

	return unit_run("jprof_logs", tests);
}
