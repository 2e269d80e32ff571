/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Trace files to the live view's tables: names before samples, files that follow one another,
 * files that are gone, and records that are not what they say.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>

#include "gen_trace.h"
#include "image.h"
#include "top_feed.h"
#include "unit.h"

enum { PID = 4242, TID = 4243 };

static const struct pifile_header header = { .clock = PITRACE_CLOCK_MONOTONIC,
					     .clock_hz = 1000000000,
					     .ncpus = 1 };

/* A session's files: of each the image, or none. */
struct files {
	struct image image[4];
	struct gen_ring names[4], trace[4];
	bool there[4];
	uint32_t n;
};

static enum top_file path_of(void *arg, uint32_t number, char *path, size_t room)
{
	const struct files *f = arg;

	if (number >= f->n)
		return TOP_FILE_LATER;
	if (!f->there[number])
		return TOP_FILE_GONE;
	snprintf(path, room, "/proc/self/fd/%d", f->image[number].fd);
	return TOP_FILE_THERE;
}

static void put_task(struct gen_ring *g, uint32_t minor, const char *name, uint64_t time)
{
	struct pitrace_mte_task t = { .pid = PID, .tid = minor == PITRACE_MTE_THREAD ? TID : PID };

	snprintf(t.comm, sizeof(t.comm), "%s", name);
	memcpy(gen_record(g, PITRACE_MTE, minor, PITRACE_TYPE_STRUCT, sizeof(t), time), &t,
	       sizeof(t));
}

static void put_code(struct gen_ring *g, uint64_t start, const char *path, uint64_t time)
{
	struct pitrace_mte_map map = { .pid = PID,
				       .flags = PITRACE_MAP_EXEC | PITRACE_MAP_READ,
				       .start = start,
				       .length = 0x1000,
				       .inode = 1,
				       .path_len = (uint32_t)strlen(path) };
	size_t size = (sizeof(map) + map.path_len + 4) & ~(size_t)3;
	char *to = gen_record(g, PITRACE_MTE, PITRACE_MTE_MODULE, PITRACE_TYPE_STRUCT, size, time);

	memset(to, 0, size);
	memcpy(to, &map, sizeof(map));
	memcpy(to + sizeof(map), path, map.path_len);
}

static void put_sample(struct gen_ring *g, uint64_t address, uint64_t time)
{
	struct pitrace_sample s = { .pid = PID, .tid = TID, .address = address };

	memcpy(gen_record(g, PITRACE_TPROF, PITRACE_TPROF_USER, PITRACE_TYPE_STRUCT, sizeof(s),
			  time),
	       &s, sizeof(s));
}

/* A stack that claims so many addresses, of which `there` are present. */
static void put_stack(struct gen_ring *g, uint64_t time, uint16_t says, uint16_t there, ...)
{
	struct pitrace_stack h = { .user = says };
	struct pitrace_sample s = { .pid = PID, .tid = TID };
	uint64_t address[8];
	char *to;
	va_list args;

	va_start(args, there);
	for (int i = 0; i < there; i++)
		address[i] = va_arg(args, uint64_t);
	va_end(args);
	s.address = there ? address[0] : 0x1010;
	to = gen_record(g, PITRACE_TPROF, PITRACE_TPROF_USER | PITRACE_TPROF_STACK,
			PITRACE_TYPE_STRUCT, sizeof(s) + sizeof(h) + there * sizeof(*address),
			time);
	memcpy(to, &s, sizeof(s));
	memcpy(to + sizeof(s), &h, sizeof(h));
	memcpy(to + sizeof(s) + sizeof(h), address, there * sizeof(*address));
}

static void begin_file(struct files *f)
{
	uint32_t i = f->n++;

	f->image[i] = image_begin(&header);
	f->there[i] = true;
	gen_ring_open(&f->names[i], f->image[i].w, 0, PITRACE_RING_MTE, 16384);
	gen_ring_open(&f->trace[i], f->image[i].w, 0, PITRACE_RING_TRACE, 16384);
	put_task(&f->names[i], PITRACE_MTE_PROCESS, "process", 10);
	put_task(&f->names[i], PITRACE_MTE_NAME, "process", 10);
	put_task(&f->names[i], PITRACE_MTE_THREAD, "thread", 10);
	put_code(&f->names[i], 0x1000, "/nowhere/first", 11);
	put_code(&f->names[i], 0x2000, "/nowhere/second", 11);
}

static void flush_file(struct files *f, uint32_t i)
{
	gen_ring_flush(&f->names[i]);
	gen_ring_flush(&f->trace[i]);
}

static void end_file(struct files *f, uint32_t i)
{
	flush_file(f, i);
	gen_ring_close(&f->names[i]);
	gen_ring_close(&f->trace[i]);
	CU_ASSERT_EQUAL(pifile_finish(f->image[i].w), 0);
	f->image[i].w = NULL;
}

static void begin(struct top_model *m)
{
	static const struct top_part nowhere;

	top_model_init(m);
	top_model_begin(m, 1, &nowhere, true);
}

static void more(struct top_feed *feed, struct top_model *m)
{
	char why[256] = "";

	CU_ASSERT_EQUAL(top_feed_more(feed, m, UINT64_MAX, false, why, sizeof(why)), 0);
	if (*why)
		printf("# %s\n", why);
}

/* Ticks in functions of this module; on: that it was on the stack of. */
static uint64_t ticks_in(const struct top_model *m, const char *module, bool on)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < m->function.n; i++)
		if (!strcmp(m->function.row[i].of, module))
			n += on ? m->function.row[i].count[TOP_SUM].under :
				  m->function.row[i].count[TOP_SUM].ticks;
	return n;
}

static void finish(struct files *f, struct top_feed *feed, struct top_model *m)
{
	top_feed_close(feed);
	top_model_free(m);
	for (uint32_t i = 0; i < f->n; i++) {
		if (f->image[i].w)
			end_file(f, i);
		image_free(&f->image[i]);
	}
}

/* ---- the tests ------------------------------------------------------------------------------- */

static void samples(void)
{
	struct files f = { .n = 0 };
	struct top_feed *feed = top_feed_open(path_of, &f);
	struct top_part at;
	struct top_model m;

	begin(&m);
	more(feed, &m); /* there is no file yet */
	begin_file(&f);
	put_sample(&f.trace[0], 0x1010, 100);
	put_sample(&f.trace[0], 0x1010, 101);
	put_sample(&f.trace[0], 0x2010, 102);
	/* From here on the second is where the first was. */
	put_code(&f.names[0], 0x1000, "/nowhere/second", 103);
	put_sample(&f.trace[0], 0x1010, 104);
	flush_file(&f, 0);
	more(feed, &m);
	CU_ASSERT_EQUAL(m.period[TOP_SUM].ticks, 4);
	CU_ASSERT_EQUAL(ticks_in(&m, "/nowhere/first", false), 2);
	CU_ASSERT_EQUAL(ticks_in(&m, "/nowhere/second", false), 2);
	CU_ASSERT_STRING_EQUAL(m.thread.row[0].name, "thread");
	CU_ASSERT_STRING_EQUAL(m.process.row[0].name, "process");
	CU_ASSERT_STRING_EQUAL(m.cgroup.row[0].name, "unknown"); /* there is no such process */
	top_feed_place(feed, &at);
	CU_ASSERT_EQUAL(at.first, 2);
	more(feed, &m);
	CU_ASSERT_EQUAL(m.period[TOP_SUM].ticks, 4);
	finish(&f, feed, &m);
}

/* A file ends and the next begins: nothing is counted twice, and names are the new file's. */
static void next_files(void)
{
	struct files f = { .n = 0 };
	struct top_feed *feed = top_feed_open(path_of, &f);
	struct top_part at;
	struct top_model m;

	begin(&m);
	begin_file(&f);
	put_sample(&f.trace[0], 0x1010, 100);
	flush_file(&f, 0);
	more(feed, &m);
	put_sample(&f.trace[0], 0x1010, 101);
	end_file(&f, 0);
	/* The next one is not there yet. */
	more(feed, &m);
	CU_ASSERT_EQUAL(m.period[TOP_SUM].ticks, 2);
	begin_file(&f);
	put_sample(&f.trace[1], 0x2010, 102);
	flush_file(&f, 1);
	more(feed, &m);
	CU_ASSERT_EQUAL(m.period[TOP_SUM].ticks, 3);
	top_feed_place(feed, &at);
	CU_ASSERT_EQUAL(at.file, 1);
	/* Two more, of which one is gone before it is looked at. */
	put_sample(&f.trace[1], 0x2010, 103);
	end_file(&f, 1);
	begin_file(&f);
	end_file(&f, 2);
	f.there[2] = false;
	begin_file(&f);
	put_sample(&f.trace[3], 0x1010, 104);
	flush_file(&f, 3);
	more(feed, &m);
	CU_ASSERT_EQUAL(m.period[TOP_SUM].ticks, 5);
	CU_ASSERT_EQUAL(m.period[TOP_SUM].lost, 1);
	CU_ASSERT_EQUAL(ticks_in(&m, "/nowhere/first", false), 3);
	top_feed_place(feed, &at);
	CU_ASSERT_EQUAL(at.file, 3);
	finish(&f, feed, &m);
}

static void stacks(void)
{
	struct files f = { .n = 0 };
	struct top_feed *feed = top_feed_open(path_of, &f);
	struct top_model m;

	begin(&m);
	begin_file(&f);
	/* 0x2000 is where a call returns to that is the last instruction of the first. */
	put_stack(&f.trace[0], 100, 2, 2, (uint64_t)0x1010, (uint64_t)0x2000);
	flush_file(&f, 0);
	more(feed, &m);
	CU_ASSERT_EQUAL(ticks_in(&m, "/nowhere/first", false), 1);
	CU_ASSERT_EQUAL(ticks_in(&m, "/nowhere/first", true), 1);
	CU_ASSERT_EQUAL(ticks_in(&m, "/nowhere/second", true), 0);
	CU_ASSERT_EQUAL(m.call.n, 1);
	/* Stacks that say more than they have, or are no stacks at all. */
	put_stack(&f.trace[0], 101, 65535, 2, (uint64_t)0x1010, (uint64_t)0x2010);
	put_stack(&f.trace[0], 102, 0, 0);
	memset(gen_record(&f.trace[0], PITRACE_TPROF, PITRACE_TPROF_USER | PITRACE_TPROF_STACK,
			  PITRACE_TYPE_STRUCT, 20, 103),
	       0, 20);
	flush_file(&f, 0);
	more(feed, &m);
	CU_ASSERT_EQUAL(m.period[TOP_SUM].ticks, 4);
	CU_ASSERT_EQUAL(ticks_in(&m, "/nowhere/second", true), 1);
	CU_ASSERT_EQUAL(ticks_in(&m, "/nowhere/second", false), 0);
	finish(&f, feed, &m);
}

/* Records that are shorter than what they are. */
static void short_records(void)
{
	static const struct {
		uint16_t major;
		uint32_t minor;
	} kinds[] = { { PITRACE_TPROF, PITRACE_TPROF_USER },
		      { PITRACE_TPROF, PITRACE_TPROF_IDLE },
		      { PITRACE_DISPATCH, 0 },
		      { PITRACE_LOST, 0 } };
	struct files f = { .n = 0 };
	struct top_feed *feed = top_feed_open(path_of, &f);
	struct top_model m;

	begin(&m);
	begin_file(&f);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		memset(gen_record(&f.trace[0], kinds[i].major, kinds[i].minor, PITRACE_TYPE_STRUCT,
				  8, 100 + i),
		       0xFF, 8);
	for (uint32_t minor = 0; minor < 0x80; minor++)
		memset(gen_record(&f.names[0], PITRACE_MTE, minor, PITRACE_TYPE_STRUCT, 4, 100),
		       0xFF, 4);
	put_sample(&f.trace[0], 0x1010, 200);
	flush_file(&f, 0);
	more(feed, &m);
	CU_ASSERT_EQUAL(m.period[TOP_SUM].ticks, 1);
	CU_ASSERT_EQUAL(m.period[TOP_SUM].lost, 0);
	finish(&f, feed, &m);
}

/* Only those of the session: an ancestor is recorded, but not traced. */
static void dispatches(void)
{
	struct pitrace_dispatch d = { .old_pid = PID, .old_tid = TID, .new_pid = 1, .new_tid = 1 };
	struct pitrace_dispatch back = { .old_pid = 1,
					 .old_tid = 1,
					 .new_pid = PID,
					 .new_tid = TID };
	struct pitrace_mte_task t = { .pid = 1, .tid = 1, .flags = PITRACE_TASK_ANCESTOR };
	struct files f = { .n = 0 };
	struct top_feed *feed = top_feed_open(path_of, &f);
	struct top_model m;

	begin(&m);
	begin_file(&f);
	memcpy(gen_record(&f.names[0], PITRACE_MTE, PITRACE_MTE_PROCESS, PITRACE_TYPE_STRUCT,
			  sizeof(t), 12),
	       &t, sizeof(t));
	memcpy(gen_record(&f.trace[0], PITRACE_DISPATCH, PITRACE_LEFT_SLEEP, PITRACE_TYPE_STRUCT,
			  sizeof(d), 100),
	       &d, sizeof(d));
	memcpy(gen_record(&f.trace[0], PITRACE_DISPATCH, PITRACE_LEFT_SLEEP, PITRACE_TYPE_STRUCT,
			  sizeof(d), 150),
	       &back, sizeof(back));
	flush_file(&f, 0);
	more(feed, &m);
	CU_ASSERT_EQUAL(m.thread.n, 1);
	CU_ASSERT_EQUAL(m.thread.row[0].tid, TID);
	CU_ASSERT_EQUAL(m.thread.row[0].count[TOP_SUM].off, 50);
	finish(&f, feed, &m);
}

static void no_trace(void)
{
	struct files f = { .n = 1 };
	struct top_feed *feed = top_feed_open(path_of, &f);
	char why[256] = "";
	struct top_model m;

	begin(&m);
	f.there[0] = true;
	f.image[0].fd = memfd_create("none", MFD_CLOEXEC);
	CU_ASSERT_EQUAL(pwrite(f.image[0].fd, "what is this?", 13, 0), 13);
	CU_ASSERT(top_feed_more(feed, &m, UINT64_MAX, false, why, sizeof(why)) < 0);
	CU_ASSERT(strstr(why, "offset 0: not a trace file") != NULL);
	top_feed_close(feed);
	top_model_free(&m);
	close(f.image[0].fd);
}

/* Time is up at once: each call reads a piece, and says that there is more; what is appended
 * meanwhile is not waited for. What is skipped is counted as lost, and its names are known. */
static void pieces(void)
{
	struct files f = { .n = 0 };
	struct top_feed *feed = top_feed_open(path_of, &f);
	char why[256] = "";
	struct top_model m;
	uint64_t ticks;

	begin(&m);
	begin_file(&f);
	for (uint64_t i = 0; i < 200; i++)
		put_sample(&f.trace[0], 0x1010, 100 + i);
	flush_file(&f, 0);
	CU_ASSERT_EQUAL(top_feed_more(feed, &m, 0, false, why, sizeof(why)), 1);
	CU_ASSERT(m.period[TOP_SUM].ticks < 50);
	for (int i = 0; i < 3; i++)
		CU_ASSERT_EQUAL(top_feed_more(feed, &m, 0, false, why, sizeof(why)), 1);
	ticks = m.period[TOP_SUM].ticks;
	CU_ASSERT(ticks > 0 && ticks < 100);
	put_code(&f.names[0], 0x1000, "/nowhere/second", 400);
	put_sample(&f.trace[0], 0x1010, 401);
	flush_file(&f, 0);
	CU_ASSERT_EQUAL(top_feed_more(feed, &m, UINT64_MAX, true, why, sizeof(why)), 0);
	CU_ASSERT_EQUAL(m.period[TOP_SUM].ticks, ticks);
	CU_ASSERT_EQUAL(m.period[TOP_SUM].lost, 200 - ticks);
	/* All of a part is skipped, with a change of what is mapped in it; then one is read. */
	CU_ASSERT_EQUAL(top_feed_more(feed, &m, UINT64_MAX, true, why, sizeof(why)), 0);
	CU_ASSERT_EQUAL(m.period[TOP_SUM].lost, 201 - ticks);
	put_sample(&f.trace[0], 0x1010, 402);
	flush_file(&f, 0);
	/* Fewer than a piece. */
	CU_ASSERT_EQUAL(top_feed_more(feed, &m, 0, false, why, sizeof(why)), 0);
	CU_ASSERT_EQUAL(m.period[TOP_SUM].ticks, ticks + 1);
	CU_ASSERT_EQUAL(ticks_in(&m, "/nowhere/second", false), 1);
	finish(&f, feed, &m);
}

/* Each file has ended when it is looked at: who skips stops behind one, then reads the next. */
static void skipped_files(void)
{
	struct files f = { .n = 0 };
	struct top_feed *feed = top_feed_open(path_of, &f);
	char why[256] = "";
	struct top_model m;

	begin(&m);
	for (uint32_t i = 0; i < 4; i++) {
		begin_file(&f);
		put_sample(&f.trace[i], 0x1010, 100 + i);
		put_sample(&f.trace[i], 0x2010, 200 + i);
		end_file(&f, i);
	}
	for (uint32_t i = 0; i < 2; i++) {
		for (int n = 0; n < 5 && m.period[TOP_SUM].lost < 2 * (i + 1); n++)
			CU_ASSERT_EQUAL(top_feed_more(feed, &m, 0, true, why, sizeof(why)), 0);
		CU_ASSERT_EQUAL(m.period[TOP_SUM].lost, 2 * (i + 1));
	}
	more(feed, &m);
	CU_ASSERT_EQUAL(m.period[TOP_SUM].ticks + m.period[TOP_SUM].lost, 8);
	CU_ASSERT_EQUAL(m.period[TOP_SUM].ticks, 4);
	finish(&f, feed, &m);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "samples", samples },
		{ "next_files", next_files },
		{ "stacks", stacks },
		{ "short_records", short_records },
		{ "dispatches", dispatches },
		{ "no_trace", no_trace },
		{ "pieces", pieces },
		{ "skipped_files", skipped_files },
		{ 0 },
	};

	return unit_run("top_feed", tests);
}
