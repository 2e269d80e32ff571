/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Arrays, strings and places for answers that a program forgot: the public functions refuse them,
 * begun or not, with one and the same answer, and none of them ends the program.
 */
#include <a2n.h>
#include <a2nint.h>
#include <ai.h>
#include <counters.h>
#include <errno.h>
#include <fcntl.h>
#include <itrace.h>
#include <jitdump.h>
#include <jitlog.h>
#include <perfcounter.h>
#include <perfmap.h>
#include <perfutil.h>
#include <pifile.h>
#include <ptt.h>
#include <pttread.h>
#include <pttview.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "unit.h"

static bool died(const char *what, int line)
{
	printf("# line %d: %s\n", line, what);
	return true;
}

/* In a child: a call that ends it fails no more than itself. Answers are -1 to -255. */
#define ANSWERS(call, want)                                                 \
	do {                                                                \
		pid_t child_ = fork();                                      \
		int status_ = 0;                                            \
                                                                            \
		if (!child_)                                                \
			_exit(-(call)&255);                                 \
		waitpid(child_, &status_, 0);                               \
		if (!WIFEXITED(status_) || WEXITSTATUS(status_) != -(want)) \
			CU_ASSERT(!died(#call, __LINE__));                  \
	} while (0)
#define REFUSED(call) ANSWERS(call, PI_INVALID_ARGUMENT)
#define INVALID(call) ANSWERS(call, -EINVAL)
/* It has no code: it is there afterwards. */
#define SURVIVES(call) ANSWERS(((void)(call), -7), -7)

static void each_ptt_function(void)
{
	static const char *const unnamed[] = { "tsc", NULL };

	REFUSED(PttInit(1, NULL, TRACE_PRIV_ANY));
	REFUSED(PttInit(2, unnamed, TRACE_PRIV_ANY));
	REFUSED(PttGetThreadData(0, NULL));
	REFUSED(PttGetInfo(NULL));
	REFUSED(PttReadByCall(NULL));
	REFUSED(PttGetMetricData(NULL));
}

static void ptt(void)
{
	static const char *const metrics[] = { "task-clock" };

	each_ptt_function();
	if (PttInit(1, metrics, TRACE_PRIV_ANY)) {
		unit_skip("ptt_begun", TraceLastError());
		return;
	}
	CU_ASSERT_EQUAL(PttInitThread(0), PI_OK);
	/* A child has no PTT of its own: these are asked here. */
	CU_ASSERT_EQUAL(PttGetThreadData(0, NULL), PI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(PttGetInfo(NULL), PI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(PttReadByCall(NULL), PI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(PttGetMetricData(NULL), PI_INVALID_ARGUMENT);
	PttTerminate();
}

static void pttview(void)
{
	struct pttview_options options = { 0 };
	int rc;

	REFUSED((pttview_open(NULL, &rc), rc));
	REFUSED(pttview_hold(NULL, PTTVIEW_ALL, NULL, 0));
	REFUSED(pttview_hold(&options, PTTVIEW_PROCESS, NULL, 2));
}

static void each_itrace_function(void)
{
	REFUSED(ITraceEnableList(2, NULL));
	REFUSED(ITraceEnableThreads(2, NULL));
}

static void itrace(void)
{
	each_itrace_function();
	CU_ASSERT_EQUAL(ITraceInit(ITRACE_USER), PI_OK);
	each_itrace_function();
	/* No file: the address is one of the kernel, or of memory. */
	CU_ASSERT_EQUAL(ITraceSetFrom(NULL, 0), PI_OK);
	ITraceTerminate();
}

static void each_ai_function(void)
{
	REFUSED(AiGetCounters(NULL, 4));
	REFUSED(AiGetInfo(NULL));
}

static void ai(void)
{
	each_ai_function();
	CU_ASSERT_EQUAL(AiSetCollector("proc"), PI_OK);
	CU_ASSERT_EQUAL(AiInit(), PI_OK);
	each_ai_function();
	CU_ASSERT(AiGetCounters(NULL, 0) > 0);
	AiTerminate();
}

static void counters(void)
{
	struct counters_options options = { .scope = COUNTERS_CPUS, .nevents = 1, .ncpus = 1 };
	unsigned int cpu = 0;
	int rc;

	REFUSED(InitPerfCounterEvent(NULL, TRACE_PRIV_ANY));
	REFUSED(GetPerfCounterEventId(NULL));
	REFUSED(GetPerfCounterEvent(0, NULL));
	REFUSED(ReadPerfCounterEvent(0, -1, NULL));
	rc = InitPerfCounterEvent("context-switches", TRACE_PRIV_ANY);
	if (rc >= 0) {
		REFUSED(ReadPerfCounterEvent(rc, -1, NULL));
		TerminatePerfCounterEvent(rc);
	}
	REFUSED((counters_open(NULL, &rc), rc));
	REFUSED((counters_open(&options, &rc), rc));
	options.cpus = &cpu;
	REFUSED((counters_open(&options, &rc), rc));
	REFUSED(counters_hold(NULL));
	REFUSED(counters_ask(0, NULL, NULL, 3));
}

static void files(void)
{
	static const struct pifile_header header = { .ncpus = 1 };
	static const struct {
		struct pitrace_user u;
		uint32_t length;
	} data = { .u = { .strs = 1 } };
	const struct pirecord record = {
		.type = PITRACE_TYPE_MIXED,
		.data = &data,
		.size = sizeof(data),
	};
	char path[] = "/tmp/test_null.XXXXXX";
	int fd = mkstemp(path);
	struct pifile_writer *w;
	struct pifile_user u;
	struct pifile_fault fault;
	struct pimerge *m;
	struct pifile *f;

	INVALID((errno = 0, pifile_create(NULL, &header) ? 0 : -errno));
	INVALID((errno = 0, pifile_create(path, NULL) ? 0 : -errno));
	INVALID((errno = 0, pifile_create_fd(fd, NULL) ? 0 : -errno));
	INVALID((errno = 0, pifile_open(NULL, &fault) ? 0 : -errno));
	INVALID((errno = 0, pifile_open(NULL, NULL) ? 0 : -errno));
	w = pifile_create_fd(fd, &header);
	CU_ASSERT_PTR_NOT_NULL_FATAL(w);
	INVALID(pifile_write_segment(w, NULL, 100, 0));
	INVALID(pifile_write_section(w, PIFILE_SEC_SYSTEM, NULL, 100));
	INVALID(pifile_write_snapshot(w, NULL, 100, 0));
	SURVIVES(pifile_written(w, NULL));
	CU_ASSERT_EQUAL(pifile_write_section(w, PIFILE_SEC_SYSTEM, "a", 1), 0);
	CU_ASSERT_EQUAL(pifile_finish(w), 0);
	f = pifile_open(path, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	SURVIVES(pifile_faults(f, NULL));
	SURVIVES(pifile_payload(f, 0, NULL, NULL));
	m = pimerge_open(f, PIMERGE_MTE);
	SURVIVES(pimerge_progress(m, NULL, NULL));
	pimerge_close(m);
	pifile_close(f);
	unlink(path);
	INVALID(pifile_user_record(NULL, &u));
	INVALID(pifile_user_record(&(struct pirecord){ .type = PITRACE_TYPE_MIXED }, NULL));
	pifile_user_record(&record, &u);
	CU_ASSERT_EQUAL(u.strs, 1);
	CU_ASSERT_PTR_NOT_NULL(pifile_user_string(&u, 0, NULL));
	CU_ASSERT_PTR_NULL(pifile_user_string(&u, 1, NULL));
}

static void names(void)
{
	struct a2n_map map = { .start = 0x1000, .length = 0x1000, .build_id_size = 20 };
	struct a2n *a = a2n_open(&(struct a2n_options){ 0 });
	struct a2n_answer answer;

	CU_ASSERT_PTR_NOT_NULL_FATAL(a);
	SURVIVES(a2n_open(NULL));
	SURVIVES(a2n_name(a, 1, 1, 1, NULL));
	INVALID(a2n_add_map(a, 1, 1, NULL));
	INVALID(a2n_add_map(a, 1, 1, &map));
	INVALID(a2n_jit_load(a, 1, 1, 1, 1, NULL, 3));
	INVALID(a2n_jit_load_late(a, 1, 1, 1, 1, 1, NULL, 3));
	INVALID(a2n_jit_map(a, 0, 1, 1, 1, 1, NULL, 3));
	INVALID(a2n_jit_lines(a, NULL, 3));
	INVALID(a2n_build_id(a, 1, 1, 1, 1, NULL, 20));
	INVALID(a2n_kallsyms(a, NULL, 3));
	INVALID(a2n_modules(a, NULL, 3));
	INVALID(a2n_symbols(a, NULL, 3));
	INVALID(a2n_vdso(a, NULL, 3));
	INVALID(a2n_kernel_load(a, 1, NULL, 1, 1));
	INVALID(a2n_kernel_unload(a, 1, NULL));
	INVALID(a2n_kernel_code(a, 1, NULL, 1, 1));
	INVALID(a2n_kernel_code_gone(a, 1, NULL, 1, 1));
	INVALID(a2n_feed_record(a, NULL));
	INVALID(a2n_feed_section(a, PIFILE_SEC_KALLSYMS, NULL, 3));
	INVALID(a2n_feed_section(a, PIFILE_SEC_PERFMAP, NULL, 3));
	SURVIVES(a2n_add_process(a, 0, NULL));
	SURVIVES(a2n_add_process(a, UINT32_MAX, NULL));
	SURVIVES(a2n_full(a, NULL));
	SURVIVES(a2n_code(a, A2N_CODE, NULL));
	SURVIVES(a2n_history(a, 1, 1, NULL, NULL));
	SURVIVES(a2n_demangle(NULL));
	a2n_resolve(a, 1, 1, 1, false, &answer);
	SURVIVES(a2n_variable(a, 1, 1, 1, NULL));
	INVALID(a2n_module_open(a, NULL, A2N_FILE_CODE, NULL, 0));
	INVALID(a2n_module_open(a, answer.module, A2N_FILE_CODE, NULL, 3));
	INVALID(a2n_lines(a, answer.module, NULL, 3, false, NULL, NULL));
	SURVIVES(a2n_module_build_id(a, answer.module, NULL));
	a2n_close(a);
}

static void each_a2n_function(void)
{
	const char *file;
	uint32_t line;

	INVALID(A2nSetKernelImageName(NULL));
	INVALID(A2nSetKernelMapName(NULL));
	INVALID(A2nSetProcessName(1, NULL, 1));
	INVALID(A2nAddModule(1, 1, 1, NULL, 1, 0));
	INVALID(A2nAddJittedMethod(1, NULL, 1, 1, NULL, 1));
	INVALID(A2nAddJittedMethodLines(1, "a", 1, 1, NULL, "b", NULL, 3, 1));
	INVALID(A2nGetSymbol(1, 1, NULL));
	INVALID(A2nGetSymbolAt(1, 1, 1, NULL));
	INVALID(A2nGetLineNumber(1, 1, NULL, &line));
	INVALID(A2nGetLineNumberAt(1, 1, 1, &file, NULL));
	INVALID(A2nGetAllFunctions(NULL, NULL, NULL));
	INVALID(A2nCreateMsiFile(NULL));
	INVALID(A2nLoadMsiFile(NULL));
}

static void original_names(void)
{
	A2nTerminate();
	each_a2n_function();
	CU_ASSERT_EQUAL(A2nInit(), 0);
	each_a2n_function();
	CU_ASSERT_EQUAL(A2nAddModule(1, 0x1000, 0x1000, "/x", 1, 0), 0);
	INVALID(A2nGetAllFunctions("/x", NULL, NULL));
	A2nTerminate();
}

static void code_files(void)
{
	static const struct jitdump_unwind bare = { .eh_frame_size = 8 };
	struct jitdump_writer *dump;
	struct jitlog_writer *log;
	char folder[] = "/tmp/test_null.XXXXXX", path[100];
	struct perfmap_part part;
	struct perfmap *map;
	struct jitdump *d;
	struct jitlog *l;
	const char *why;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	INVALID(jitdump_create(NULL, folder));
	INVALID(jitlog_create(NULL, folder));
	INVALID(jitlog_create_files(NULL, folder, JITLOG_CODE));
	CU_ASSERT_EQUAL_FATAL(jitdump_create(&dump, folder), 0);
	INVALID(jitdump_load(dump, NULL, 1, 1, NULL, NULL, 0, NULL));
	INVALID(jitdump_load(dump, "a", 1, 1, NULL, NULL, 3, NULL));
	INVALID(jitdump_load_unwind(dump, 0, "a", 1, 1, NULL, NULL, 0, &bare, NULL));
	snprintf(path, sizeof(path), "%s", jitdump_path(dump));
	CU_ASSERT_EQUAL(jitdump_end(dump), 0);
	INVALID(jitdump_open(&d, open(path, O_RDONLY), NULL));
	INVALID(jitdump_open(NULL, open(path, O_RDONLY), &why));
	unlink(path);
	CU_ASSERT_EQUAL_FATAL(jitlog_create(&log, folder), 0);
	INVALID(jitlog_load(log, NULL, 1, 1, NULL));
	INVALID(jitlog_thread(log, 1, NULL, true));
	CU_ASSERT_EQUAL(jitlog_end(log), 0);
	INVALID(jitlog_open(&l, open("/dev/null", O_RDONLY), false, NULL));
	INVALID(perfmap_open(&map, NULL, 0, &why));
	INVALID(perfmap_open(&map, "/dev/null", 0, NULL));
	INVALID(perfmap_open_fd(NULL, open("/dev/null", O_RDONLY), &why));
	INVALID(perfmap_open_text(&map, NULL, 3));
	INVALID(perfmap_open_part(&map, NULL, 3, &part));
	INVALID(perfmap_open_part(&map, "a", 1, NULL));
	INVALID(perfmap_open_part(NULL, "a", 1, &part));
	snprintf(path, sizeof(path), "rm -rf %s", folder);
	CU_ASSERT_EQUAL(system(path), 0);
}

static const struct unit_test tests[] = {
	{ "ptt", ptt },
	{ "pttview", pttview },
	{ "itrace", itrace },
	{ "ai", ai },
	{ "counters", counters },
	{ "files", files },
	{ "names", names },
	{ "original_names", original_names },
	{ "code_files", code_files },
	{ 0 },
};

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	return unit_run("null", tests);
}
