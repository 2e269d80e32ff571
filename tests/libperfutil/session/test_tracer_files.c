// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The files of a session: written on request in each mode, ended when the collector stops by itself
 * or fails, and those that follow each other. (Linked with --wrap=kernel_code_new,
 * sysinfo_update, too.)
 */
#include <elf.h>

#include "base/now.h"
#include "fake_collector.h"
#include "image/kernel_code.h"
#include "session/tracer_inner.h"

/* The records of a file's trace ring; -1: it is none, or has faults. */
static int records_of(const char *file, struct pifile_stats *stats)
{
	struct pifile *f = pifile_open(file, NULL);
	void *buffer = NULL;
	int n = 0;

	if (!f)
		return -1;
	for (size_t i = 0; i < pifile_sections(f); i++) {
		const struct pifile_section *s = pifile_section(f, i);

		if (s->type == PIFILE_SEC_SEGMENT && s->ring == PITRACE_RING_TRACE)
			n += (int)s->records;
		if (s->type == PIFILE_SEC_STATS && stats) {
			size_t size;
			const void *p = pifile_payload(f, i, &buffer, &size);

			CU_ASSERT_EQUAL_FATAL(size, sizeof(*stats));
			memcpy(stats, p, size);
		}
	}
	free(buffer);
	n = pifile_complete(f) && !pifile_verify(f) ? n : -1;
	pifile_close(f);
	return n;
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* Writes the trace so far, in each mode, while on and off; to the session's name, to none, to
 * another. */
static void test_written(void)
{
	char other[80], first[80];
	struct trace_info info;
	struct stat st;

	snprintf(other, sizeof(other), "%s/other", folder);
	snprintf(first, sizeof(first), "%s.1", path);
	for (int mode = TRACE_NORMAL; mode <= TRACE_WRAP; mode++)
		for (int on = 0; on < 2; on++)
			for (int way = 0; way < 3; way++) {
				const char *name = way == 0 ? NULL : way == 1 ? path : other;
				bool wrap_on = mode == TRACE_WRAP && on;
				const char *got = wrap_on && !way ? first : name ? name : path;

				afresh();
				options.mode = mode;
				open_it();
				CU_ASSERT_EQUAL(tracer_on(t), PI_OK);
				samples = 20;
				if (!on)
					CU_ASSERT_EQUAL(tracer_off(t), PI_OK);
				if (wrap_on && way == 1) {
					REFUSES(tracer_write(t, name), PI_INVALID_ARGUMENT,
						"is being written");
					close_it();
					continue;
				}
				CU_ASSERT_EQUAL(tracer_write(t, name), PI_OK);
				tracer_info(t, &info);
				CU_ASSERT_STRING_EQUAL(info.got_file, got);
				CU_ASSERT(info.got > 256 && info.got_records >= 20);
				/* The session's own file, while it grows, has no end yet. */
				if (strcmp(got, path) || !on || mode == TRACE_NORMAL)
					CU_ASSERT_EQUAL(records_of(got, NULL), 20);
				if (on)
					CU_ASSERT_EQUAL(tracer_off(t), PI_OK);
				CU_ASSERT(stat(other, &st) == 0 || way != 2);
				close_it();
			}
	/* A copy has a folder of its own, that may not be there. */
	afresh();
	open_it();
	CU_ASSERT_EQUAL(tracer_on(t), PI_OK);
	REFUSES(tracer_write(t, "/not_there/x"), PI_FILE_ERROR, "/not_there/x: No such");
	CU_ASSERT_EQUAL(tracer_off(t), PI_OK);
	close_it();
}

static bool readable(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, ms) == 1;
}

/* The collector ends the interval by itself: who watches is told, the file has why. */
static void test_stops(void)
{
	struct pifile_stats s = { 0 };
	struct trace_info info;

	for (int again = 0; again < 2; again++) {
		afresh();
		open_it();
		CU_ASSERT_EQUAL(tracer_on(t), PI_OK);
		CU_ASSERT(!readable(tracer_fd(t), 0));
		present.stop_ring = 2;
		present.state = PITRACE_STATE_STOPPED;
		if (!again) {
			close(ends[1]);
			ends[1] = -1;
			CU_ASSERT(readable(tracer_fd(t), 5000));
		}
		fails[OFF] = -EALREADY;
		CU_ASSERT_EQUAL(tracer_off(t), PI_OK);
		CU_ASSERT(!readable(tracer_fd(t), 0));
		tracer_info(t, &info);
		CU_ASSERT_EQUAL(info.stopped, 1);
		CU_ASSERT_EQUAL(records_of(path, &s), 0);
		CU_ASSERT(s.stopped_by == 3 && s.stop_pid == 99);
		close_it();
	}
	afresh();
	open_it();
	CU_ASSERT(!tracer_on(t) && !tracer_off(t));
	tracer_info(t, &info);
	CU_ASSERT_EQUAL(info.stopped, 0);
	CU_ASSERT_EQUAL(records_of(path, &s), 0);
	CU_ASSERT(!s.stopped_by && !s.stop_pid);
	close_it();
	/* Its file fails: told too. */
	afresh();
	open_it();
	CU_ASSERT_EQUAL(tracer_on(t), PI_OK);
	fails[DRAIN] = -EIO;
	CU_ASSERT_EQUAL(write(ends[1], "x", 1), 1);
	CU_ASSERT(readable(tracer_fd(t), 5000));
	REFUSES(tracer_off(t), PI_FILE_ERROR, "Input/output");
	close_it();
}

static void wait_for_files(unsigned int n)
{
	struct trace_info info;

	for (int i = 0; i < 3000; i++) {
		tracer_info(t, &info);
		if (info.files >= n)
			return;
		usleep(10000);
	}
	CU_FAIL("no more files");
}

/* Files that follow each other: each has its own part of the counts and records. */
static void test_rotation(void)
{
	struct pifile_stats s, sum = { 0 };
	struct trace_info info;
	char name[80];
	int records = 0;

	afresh();
	options.rotate_ns = 300000000;
	open_it();
	CU_ASSERT_EQUAL(tracer_on(t), PI_OK);
	lost = 100;
	samples = 11;
	CU_ASSERT_EQUAL(write(ends[1], "x", 1), 1);
	wait_for_files(2);
	lost = 250;
	samples = 12;
	wait_for_files(3);
	CU_ASSERT_EQUAL(tracer_off(t), PI_OK);
	tracer_info(t, &info);
	CU_ASSERT(info.files >= 3 && called[RESCAN] >= 3 && info.records >= 23);
	for (unsigned int i = 0; i <= info.files; i++) {
		int n;

		if (i)
			snprintf(name, sizeof(name), "%s.%u", path, i);
		n = records_of(i ? name : path, &s);
		CU_ASSERT(n >= 0);
		records += n;
		sum.ticks += s.ticks;
		sum.idle_ticks += s.idle_ticks;
		sum.late += s.late;
		sum.out_of_scope += s.out_of_scope;
		sum.trace_bytes += s.trace_bytes;
		sum.lost[PITRACE_LOST_TPROF] += s.lost[PITRACE_LOST_TPROF];
	}
	CU_ASSERT_EQUAL(records, 23);
	CU_ASSERT(sum.ticks == 250 && sum.idle_ticks == 500 && sum.late == 750);
	CU_ASSERT(sum.out_of_scope == 1000 && sum.trace_bytes == 1500);
	CU_ASSERT_EQUAL(sum.lost[PITRACE_LOST_TPROF], 2000);
	close_it();
	/* So many older ones are kept; a folder that has the next one's name makes way. */
	afresh();
	options.rotate_bytes = 1;
	options.rotate_keep = 1;
	snprintf(name, sizeof(name), "%s.1", path);
	CU_ASSERT_EQUAL(mkdir(name, 0700), 0);
	open_it();
	CU_ASSERT_EQUAL(tracer_on(t), PI_OK);
	CU_ASSERT_EQUAL(write(ends[1], "x", 1), 1);
	wait_for_files(3);
	CU_ASSERT_EQUAL(tracer_off(t), PI_OK);
	tracer_info(t, &info);
	for (unsigned int i = 1; i <= info.files; i++) {
		snprintf(name, sizeof(name), "%s.%u", path, i);
		CU_ASSERT_EQUAL(access(name, F_OK) == 0, i == info.files);
	}
	/* The next interval's number goes on. */
	CU_ASSERT_EQUAL(tracer_on(t), PI_OK);
	snprintf(name, sizeof(name), "%s.%u", path, info.files + 1);
	CU_ASSERT_EQUAL(access(name, F_OK), 0);
	CU_ASSERT_EQUAL(tracer_off(t), PI_OK);
	close_it();
}

/* A kernel without code, as a file. */
struct kernel_code *__real_kernel_code_new(const char *kcore);
struct kernel_code *__wrap_kernel_code_new(const char *kcore);
struct kernel_code *__wrap_kernel_code_new(const char *kcore)
{
	const Elf64_Ehdr e = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64 },
		.e_phentsize = sizeof(Elf64_Phdr),
	};
	char core[80];
	FILE *f;

	CU_ASSERT_STRING_EQUAL(kcore, "/proc/kcore");
	snprintf(core, sizeof(core), "%s/kcore", folder);
	f = fopen(core, "we");
	CU_ASSERT_FATAL(f && fwrite(&e, sizeof(e), 1, f) == 1 && !fclose(f));
	return __real_kernel_code_new(core);
}

/* The kernel's code is read for all that was recorded: nothing may be left in the rings then. */
static void test_kernel_code(void)
{
	for (int kernel = 0; kernel < 2; kernel++) {
		afresh();
		options.mode = TRACE_CONTINUOUS;
		options.majors[0] = kernel ? 1ull << PITRACE_BRANCH_KERNEL : 0;
		open_it();
		CU_ASSERT_EQUAL(tracer_on(t), PI_OK);
		samples = 20;
		CU_ASSERT_EQUAL(tracer_off(t), PI_OK);
		CU_ASSERT(!kernel || !samples_at_off);
		CU_ASSERT_EQUAL(records_of(path, NULL), 20);
		close_it();
	}
}

static _Atomic uint64_t looked, looked_since, looked_at;

int __real_sysinfo_update(struct pifile_writer *w, int compression, char **modules, uint64_t then,
			  uint64_t now);
int __wrap_sysinfo_update(struct pifile_writer *w, int compression, char **modules, uint64_t then,
			  uint64_t now);
int __wrap_sysinfo_update(struct pifile_writer *w, int compression, char **modules, uint64_t then,
			  uint64_t now)
{
	if (!looked) {
		looked_since = then;
		looked_at = now;
	}
	looked++;
	return __real_sysinfo_update(w, compression, modules, then, now);
}

/* A collector that does not see modules: the drain looks for them, from the file's beginning on. */
static void test_modules(void)
{
	uint64_t from, to;

	afresh();
	fake.modules = MODULES_BY_DRAIN;
	looked = 0;
	from = now_ns();
	open_it();
	CU_ASSERT_EQUAL(tracer_on(t), PI_OK);
	to = now_ns();
	for (int i = 0; !looked && i < 500; i++)
		usleep(20000);
	CU_ASSERT(looked > 0);
	CU_ASSERT(looked_since >= from && looked_since <= to);
	CU_ASSERT(looked_at >= looked_since + OUT_UPDATE_MS * 1000000ull);
	CU_ASSERT_EQUAL(tracer_off(t), PI_OK);
	close_it();
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "written", test_written },   { "stops", test_stops },
		{ "rotation", test_rotation }, { "kernel_code", test_kernel_code },
		{ "modules", test_modules },   {},
	};

	return run_in_folder("tracer_files", tests);
}
