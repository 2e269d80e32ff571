/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logs of a Java VM's calls, cut at every byte and damaged: what is whole is read. */
#include <endian.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "input/readers.h"
#include "log_gen_format.h"
#include "record/call_record.h"
#include "record/stack_place.h"
#include "record/whole_stacks.h"
#include "unit.h"

struct got {
	uint64_t samples, ticks[8]; /* by event */
	uint32_t depth;             /* of the last stack */
	uint64_t nfaults;
	char fault[256];
	char calls[64];  /* > < ! */
	char lines[400]; /* calls with all they say, and names of threads, as they came */
	bool complete;
};

/* Behind the other lines: what a record of a call, or of a thread's name, says. */
static void add_line(struct got *got, const struct pirecord *r)
{
	static const char *const kinds[] = { "enter", "leave", "tail", "enter", "unwind" };
	size_t n = strlen(got->lines);
	char *to = got->lines + n;
	const struct {
		struct call_record call;
		uint64_t argument[3];
	} __attribute__((packed, aligned(4))) *c = r->data;
	const struct {
		struct pitrace_user user;
		uint32_t length;
		char text[];
	} *name = r->data;

	if (r->major == CALL_RECORD && r->size == sizeof(*c)) {
		snprintf(to, sizeof(got->lines) - n, "%s %u/%u %u %u+%u %c\n", kinds[r->minor],
			 c->call.pid, c->call.tid, c->call.function, (unsigned int)c->argument[0],
			 (unsigned int)c->argument[1], (char)c->argument[2]);
		CU_ASSERT(c->call.arguments == 3 && c->call.address != 0);
	} else if (r->major == PITRACE_MTE && r->minor == PITRACE_MTE_JAVA_THREAD) {
		snprintf(to, sizeof(got->lines) - n, "name %u/%u %.*s\n", name->user.pid,
			 name->user.tid, (int)name->length, name->text);
		CU_ASSERT(name->user.strs == 1 && !name->user.ints);
		CU_ASSERT_EQUAL(r->size, sizeof(*name) + ((name->length + 3) & ~3u));
	}
}

/* Calls from the outermost one down to the last sample's; the reader is open. */
static uint32_t callers_of(const struct input *in, uint32_t number)
{
	struct stack_place place;
	uint32_t n = 0;

	for (; number != NO_KEY; number = place.caller, n++) {
		CU_ASSERT_FATAL(stack_place(in, 0, number, &place));
		CU_ASSERT_FATAL(place.address != 0);
	}
	return n;
}

static bool read_pass(const struct reader *reader, const void *data, size_t size, unsigned int what,
		      struct got *got)
{
	int fd = memfd_create("log", MFD_CLOEXEC);
	struct pifile_fault fault = { 0 };
	const struct pifile_fault *faults;
	struct input in = { .reader = reader };
	struct stack stack = { 0 };
	struct stack_place place;
	uint32_t last_place = 0;
	struct pirecord r;
	uint64_t last = 0;
	char path[64];
	bool opened;

	*got = (struct got){ 0 };
	CU_ASSERT_EQUAL_FATAL(write(fd, data, size), (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	in.path = path;
	opened = reader->probe(data, size) && !reader->open(&in, &fault);
	snprintf(got->fault, sizeof(got->fault), "%s", fault.what);
	if (opened) {
		CU_ASSERT_FALSE(reader->begin(&in, what));
		while (reader->next(&in, &r) > 0) {
			unsigned int event = r.minor >> PITRACE_TPROF_EVENT_SHIFT;

			CU_ASSERT(r.time >= last && r.stamp == r.time);
			last = r.time;
			add_line(got, &r);
			if (r.major == CALL_RECORD)
				strncat(got->calls,
					r.minor == CALL_UNWIND ? "! " :
					r.minor == CALL_POPPED ? "^ " :
					r.minor == CALL_EXIT   ? "< " :
								 "> ",
					sizeof(got->calls) - strlen(got->calls) - 1);
			if (r.major != PITRACE_TPROF)
				continue;
			CU_ASSERT_FATAL(event && event < 8);
			CU_ASSERT_FATAL(stack_read(&r, sizeof(struct pitrace_sample), &stack));
			got->samples++;
			got->ticks[event - 1] += 1 + r.repeats;
			last_place = stack_place_of(&stack);
			CU_ASSERT_FATAL(stack.head->flags == STACK_PLACE);
			CU_ASSERT_FATAL(stack_place(&in, 0, last_place, &place) &&
					place.address == stack.user[0]);
		}
		if (got->samples)
			got->depth = callers_of(&in, last_place);
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

static bool read_log(const struct reader *reader, const void *data, size_t size, struct got *got)
{
	return read_pass(reader, data, size, PIMERGE_MTE | PIMERGE_TRACE, got);
}

#define HEAD                                                                             \
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
	CU_ASSERT_EQUAL(got.depth, 1);
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

/* Each line that is not a node is reported by its number and left out; those around it are read. */
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
	static const char two[] =
		"pitrace log-rt\n LV CALLS CEE BASE1 DELTA1 BASE2 DELTA2 DS IN NAME\n"
		"  0 0 1 1 2 3 4 5 6 t_1\n  1 7 0 10 20 30 40 50 60 a/B.c()V\n";
	static const char none[] = "pitrace log-rt\n LV CALLS CEE NAME\n  0 0 1 t_1\n"
				   "  1 7 0 a/B.c()V\n";
	struct got got;

	CU_ASSERT_FATAL(read_log(&reader_log_rt, none, sizeof(none) - 1, &got));
	CU_ASSERT(got.samples == 1 && got.ticks[0] == 7 && got.complete);
	/* base1 raw1 delta1 base2 raw2 delta2 dispatches: interrupts and calls are beyond 8. */
	CU_ASSERT_TRUE(reader_log_rt.probe(two, sizeof(two) - 1));
}

/* ---- log-gen --------------------------------------------------------------------------------- */

struct image {
	uint8_t data[4096];
	size_t size, chunk;
};

static void put(struct image *i, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		i->data[i->size++] = (uint8_t)(value | 0x80);
	i->data[i->size++] = (uint8_t)value;
}

static void put_text(struct image *i, const char *words)
{
	put(i, strlen(words));
	memcpy(i->data + i->size, words, strlen(words));
	i->size += strlen(words);
}

static void chunk(struct image *i, char kind)
{
	i->chunk = i->size;
	i->data[i->size] = (uint8_t)kind;
	i->size += 8;
}

static void end_chunk(struct image *i)
{
	uint32_t length = (uint32_t)(i->size - i->chunk - 8);

	length = htole32(length);
	memcpy(i->data + i->chunk + 4, &length, 4);
}

/* step: from the method before. */
static void event(struct image *i, enum log_gen_event kind, int step, uint64_t base, uint64_t delta)
{
	uint64_t zigzag = step < 0 ? -2 * step - 1 : 2 * step;

	put(i, kind == LOG_GEN_ENTER ? zigzag << 6 | 2 << 3 | kind : zigzag << 3 | kind);
	put(i, base);
	put(i, delta);
}

/* main calls a, which calls b twice: once b throws, which a catches; then a returns. */
static struct image log_gen(uint32_t state)
{
	struct log_gen_head head = {
		.version = htole32(LOG_GEN_VERSION),
		.pid = htole32(99),
		.metrics = htole32(1),
		.state = htole32(state),
	};
	struct image i = { .size = sizeof(head) };

	memcpy(head.magic, LOG_GEN_MAGIC, sizeof(head.magic));
	memcpy(i.data, &head, sizeof(head));
	chunk(&i, 'N');
	put_text(&i, "cycles");
	end_chunk(&i);
	chunk(&i, 'M');
	put(&i, 0);
	put_text(&i, "a/A.a()V");
	put_text(&i, "a/B.b(I)V");
	end_chunk(&i);
	chunk(&i, 'T');
	put(&i, 1);
	put(&i, 77);
	put_text(&i, "main");
	end_chunk(&i);
	chunk(&i, 'E');
	put(&i, 1);
	put(&i, 1000);
	event(&i, LOG_GEN_ENTER, 0, 10, 1);
	event(&i, LOG_GEN_ENTER, 1, 20, 2);
	event(&i, LOG_GEN_LEAVE, 0, 300, 3);
	event(&i, LOG_GEN_ENTER, 0, 40, 4);
	event(&i, LOG_GEN_CAUGHT, -1, 500, 5);
	event(&i, LOG_GEN_LEAVE, 0, 6000, 6);
	end_chunk(&i);
	return i;
}

static void gen_whole(void)
{
	struct image i = log_gen(LOG_GEN_WHOLE);
	struct got got;

	CU_ASSERT_FATAL(read_log(&reader_log_gen, i.data, i.size, &got));
	CU_ASSERT(got.complete && !got.nfaults);
	CU_ASSERT(got.ticks[0] == 6870 && got.ticks[1] == 6891 && got.ticks[2] == 21);
	CU_ASSERT(got.ticks[3] == 3 && got.depth == 2);
	CU_ASSERT_STRING_EQUAL(got.calls, "> > < > ! < ");
	/* The writer was killed, or had no more room. */
	i = log_gen(LOG_GEN_OPEN);
	CU_ASSERT_FATAL(read_log(&reader_log_gen, i.data, i.size, &got));
	CU_ASSERT(!got.complete && strstr(got.fault, "incomplete: the program ended"));
	CU_ASSERT_EQUAL(got.ticks[0], 6870);
	i = log_gen(LOG_GEN_FAILED);
	i.data[offsetof(struct log_gen_head, error)] = ENOSPC;
	i.data[offsetof(struct log_gen_head, unwritten)] = 9;
	CU_ASSERT_FATAL(read_log(&reader_log_gen, i.data, i.size, &got));
	CU_ASSERT_PTR_NOT_NULL(strstr(got.fault, "No space left on device: the last 9 events"));
	/* Events that a ring had no room for. */
	i = log_gen(LOG_GEN_WHOLE);
	chunk(&i, 'E');
	put(&i, 1);
	put(&i, 1000);
	put(&i, 4 << 3 | LOG_GEN_LOST);
	event(&i, LOG_GEN_LEAVE, 1, 1, 1);
	end_chunk(&i);
	CU_ASSERT_FATAL(read_log(&reader_log_gen, i.data, i.size, &got));
	CU_ASSERT_PTR_NOT_NULL(strstr(got.fault, "incomplete: 4 events are missing"));
	CU_ASSERT_STRING_EQUAL(got.calls, "> > < > ! < < ");
}

/* All records in order, in a pass over both and over one kind; a thread that gets another name, and
 * a second thread between its events. */
static void gen_records(void)
{
	/* Behind the log's the threads of the sums, by their last names. */
	static const char sums[] = "name 99/77 later\nname 99/78 \n";
	/* Methods have the numbers of the sums, whose first is the thread's own line. */
	static const char calls[] = "enter 99/77 2 10+1 J\nenter 99/77 3 20+2 J\n"
				    "leave 99/77 3 300+3 J\nenter 99/77 3 40+4 J\n"
				    "unwind 99/77 3 500+5 J\nleave 99/77 2 6000+6 J\n";
	static const char more[] = "enter 99/78 2 7+1 J\nunwind 99/78 3 9+2 O\n";
	struct image i = log_gen(LOG_GEN_WHOLE);
	struct got got;
	char want[400];

	chunk(&i, 'T');
	put(&i, 2);
	put(&i, 78);
	put_text(&i, "");
	end_chunk(&i);
	chunk(&i, 'E');
	put(&i, 2);
	put(&i, 2000);
	event(&i, LOG_GEN_ENTER, 0, 7, 1);
	event(&i, LOG_GEN_UNWIND, 1, 9, 2);
	end_chunk(&i);
	chunk(&i, 'T');
	put(&i, 1);
	put(&i, 77);
	put_text(&i, "later");
	end_chunk(&i);
	CU_ASSERT_FATAL(read_pass(&reader_log_gen, i.data, i.size, PIMERGE_MTE, &got));
	snprintf(want, sizeof(want), "name 99/77 main\nname 99/77 later\n%s", sums);
	CU_ASSERT_STRING_EQUAL(got.lines, want);
	CU_ASSERT_EQUAL(got.samples, 0);
	CU_ASSERT_FATAL(read_pass(&reader_log_gen, i.data, i.size, PIMERGE_TRACE, &got));
	snprintf(want, sizeof(want), "%s%s", calls, more);
	CU_ASSERT_STRING_EQUAL(got.lines, want);
	snprintf(want, sizeof(want), "name 99/77 main\n%s%sname 99/77 later\n%s", calls, more,
		 sums);
	CU_ASSERT_FATAL(read_log(&reader_log_gen, i.data, i.size, &got));
	CU_ASSERT_STRING_EQUAL(got.lines, want);
}

/* Frames that longjmp() has left are reported as such. */
static void gen_popped(void)
{
	struct image i = log_gen(LOG_GEN_WHOLE);
	struct got got;

	chunk(&i, 'E');
	put(&i, 1);
	put(&i, 3000);
	event(&i, LOG_GEN_ENTER, 0, 1, 0);
	event(&i, LOG_GEN_ENTER, 1, 1, 0);
	event(&i, LOG_GEN_POPPED, 0, 9, 0);
	event(&i, LOG_GEN_POPPED, -1, 0, 0);
	end_chunk(&i);
	CU_ASSERT_FATAL(read_log(&reader_log_gen, i.data, i.size, &got));
	CU_ASSERT_STRING_EQUAL(got.calls, "> > < > ! < > > ^ ^ ");
	CU_ASSERT(got.complete && !got.nfaults);
	/* No kind of event is numbered so. */
	i = log_gen(LOG_GEN_WHOLE);
	chunk(&i, 'E');
	put(&i, 1);
	put(&i, 3000);
	event(&i, LOG_GEN_POPPED + 1, 0, 1, 0);
	end_chunk(&i);
	CU_ASSERT_FATAL(read_log(&reader_log_gen, i.data, i.size, &got));
	CU_ASSERT(got.nfaults == 1 && strstr(got.fault, "no event"));
}

/* Up to the last whole event. */
static void gen_cut(void)
{
	struct image i = log_gen(LOG_GEN_WHOLE);
	uint64_t last = 0;
	struct got got;

	for (size_t size = 0; size < i.size; size++) {
		bool opened = read_log(&reader_log_gen, i.data, size, &got);

		CU_ASSERT_EQUAL_FATAL(opened, size >= sizeof(struct log_gen_head));
		/* A cut between two chunks cannot be recognized. */
		if (opened && size > i.chunk)
			CU_ASSERT_FATAL(!got.complete && strstr(got.fault, "incomplete: "));
		if (size == i.size - 1)
			CU_ASSERT_STRING_EQUAL(got.calls, "> > < > ! ");
		CU_ASSERT_FATAL(got.ticks[0] >= last);
		last = got.ticks[0];
	}
	CU_ASSERT_EQUAL(last, 870);
}

/* Each byte of another value: never a crash, and what is read is no more than there is. */
static void gen_damaged(void)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
	struct got got;

	for (size_t at = 16; at < log_gen(LOG_GEN_WHOLE).size; at++) {
		for (size_t k = 0; k < sizeof(values); k++) {
			struct image i = log_gen(LOG_GEN_WHOLE);

			i.data[at] = values[k];
			CU_ASSERT_FATAL(read_log(&reader_log_gen, i.data, i.size, &got) ?
						got.ticks[3] <= 6 :
						got.fault[0] != 0);
		}
	}
}

/* A log of one thread whose every call calls another one. */
static char *deep_log(uint32_t deep, size_t *size)
{
	char *log = malloc(64 + 24ul * deep);
	uint32_t i;

	CU_ASSERT_PTR_NOT_NULL_FATAL(log);
	*size = (size_t)sprintf(log, "pitrace log-rt\n LV CALLS CEE NAME\n0 0 1 t_1\n");
	for (i = 1; i <= deep; i++)
		*size += (size_t)sprintf(log + *size, "%u 1 1 a/B.c()V\n", i);
	return log;
}

/* A sample contains only its own call, however deep, and callers are found from there. */
static void deep(void)
{
	static const uint32_t depths[] = { 1, 2, 8192, 8193, 10000, 65536, 131072, 1000000 };

	for (size_t i = 0; i < sizeof(depths) / sizeof(*depths); i++) {
		size_t size;
		char *log = deep_log(depths[i], &size);
		struct got got;

		CU_ASSERT_FATAL(read_log(&reader_log_rt, log, size, &got));
		CU_ASSERT_EQUAL(got.samples, depths[i]);
		CU_ASSERT_EQUAL(got.depth, depths[i]);
		CU_ASSERT(got.complete && !got.nfaults);
		free(log);
	}
}

/* Impossible levels are reported with their lines, and the others are read. */
static void levels(void)
{
	static const char *const wrong[] = {
		"3",  "4294967295", "4294967296", "18446744073709551615", "18446744073709551616",
		"-1", "x"
	};
	char log[512];
	struct got got;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		int n = snprintf(log, sizeof(log),
				 "pitrace log-rt\n LV CALLS CEE NAME\n0 0 1 t_1\n1 1 1 a/B.c()V\n"
				 "%s 1 0 a/B.d()V\n2 1 0 a/B.e()V\n",
				 wrong[i]);

		CU_ASSERT_FATAL(read_log(&reader_log_rt, log, (size_t)n, &got));
		CU_ASSERT_EQUAL(got.samples, 2);
		CU_ASSERT_EQUAL(got.depth, 2);
		CU_ASSERT(!got.complete && got.nfaults == 1 && strstr(got.fault, "line 5: ") &&
			  strstr(got.fault, "the line is left out"));
	}
}

/* Requested places that do not exist. */
static void places(void)
{
	struct pifile_fault fault = { 0 };
	struct input in = { .reader = &reader_log_rt, .path = "/proc/self/fd/9" };
	struct stack_place place;
	int fd = memfd_create("log", MFD_CLOEXEC);
	char path[64];

	CU_ASSERT_EQUAL_FATAL(write(fd, text, sizeof(text) - 1), (ssize_t)sizeof(text) - 1);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	in.path = path;
	CU_ASSERT_FATAL(!reader_log_rt.open(&in, &fault));
	/* Two threads and four methods. */
	CU_ASSERT(stack_place(&in, 0, 5, &place) && place.caller == NO_KEY);
	CU_ASSERT(stack_place(&in, 0, 2, &place) && place.caller == 1);
	CU_ASSERT_FALSE(stack_place(&in, 0, 6, &place));
	CU_ASSERT_FALSE(stack_place(&in, 0, UINT32_MAX, &place));
	in.reader->close(&in);
	in.reader = &reader_native;
	CU_ASSERT_FALSE(stack_place(&in, 0, 0, &place));
	close(fd);
}

/* Complete lists of stacks: beyond so many calls only the innermost one. */
static void whole_lists(void)
{
	struct whole_stacks w = whole_stacks(1);
	uint64_t all = 0;

	while (!w.cut)
		all += whole_stacks_take(&w, 1000);
	CU_ASSERT_EQUAL(all, (WHOLE_STACKS + WHOLE_STACKS_PER) / 1000 * 1000 + 1);
	CU_ASSERT_EQUAL(whole_stacks_take(&w, 2000), 1);
	CU_ASSERT_EQUAL(whole_stacks_take(&w, 1), 1);
	CU_ASSERT_EQUAL(whole_stacks_take(&w, 0), 0);
	CU_ASSERT_EQUAL(w.cut, 2);
	w = whole_stacks(UINT64_MAX);
	CU_ASSERT(w.left > WHOLE_STACKS && w.left < INT64_MAX);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "whole", whole },
		{ "cut", cut },
		{ "damaged", damaged },
		{ "columns", columns },
		{ "gen_whole", gen_whole },
		{ "gen_records", gen_records },
		{ "gen_cut", gen_cut },
		{ "gen_damaged", gen_damaged },
		{ "gen_popped", gen_popped },
		{ "deep", deep },
		{ "levels", levels },
		{ "places", places },
		{ "whole_lists", whole_lists },
		{ NULL, NULL },
	};

	return unit_run("jprof_logs", tests);
}
