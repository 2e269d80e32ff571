/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program that has structs filled in and that gives some, built by test_sizes.sh with headers
 * in which they are smaller, as today, and larger (LATER: a member `later`): nothing is written
 * behind any of them, what the library does not know is 0, and the rest is there. PLAIN: by the
 * functions that are not told.
 */
#include <a2n.h>
#include <a2nint.h>
#include <ai.h>
#include <counters.h>
#include <fcntl.h>
#include <jitdump.h>
#include <jitlog.h>
#include <perfcounter.h>
#include <errno.h>
#include <perfmap.h>
#include <pifile.h>
#include <ptt.h>
#include <pttview.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <trace_event.h>
#include <tracer.h>
#include <unistd.h>

#ifdef PLAIN
#undef TraceCheck
#undef TraceGetInfo
#undef tracer_defaults
#undef tracer_open
#undef PttGetThreadData
#undef PttGetInfo
#undef AiGetCounters
#undef AiGetInfo
#undef GetPerfCounterEvent
#undef counters_read
#undef pimerge_next
#undef a2n_resolve
#undef a2n_code
#undef A2nGetSymbol
#undef A2nGetSymbolAt
#undef jitdump_next
#undef jitdump_line
#undef jitdump_fault
#undef jitlog_next
#undef jitlog_fault
#undef perfmap_next
#undef perfmap_fault
#undef perfmap_open_part
#undef pifile_open
#undef pifile_user_record
#undef a2n_history
#undef a2n_lines
#undef A2nAddJittedMethodLines
#undef A2nGetAllFunctions
#endif

#define BEHIND 512
#define FILLED 0xA5

static int failures;

static void tell(const char *name, bool right)
{
	printf("%s %s\n", right ? "ok" : "not ok", name);
	failures += !right;
}

static bool all(const void *from, size_t size, int what)
{
	const unsigned char *p = from;

	for (size_t i = 0; i < size; i++)
		if (p[i] != what)
			return false;
	return true;
}

/* `n` structs with what nobody may write behind them. */
#define PLACE(type, n)                        \
	struct {                              \
		type s[n];                    \
		unsigned char behind[BEHIND]; \
	} *p = malloc(sizeof(*p));            \
	memset(p, FILLED, sizeof(*p))
#ifdef LATER
#define KNOWN(i)   all(p->s[i].later, sizeof(p->s[i].later), 0)
#define IS_ZERO(s) all((s)->later, sizeof((s)->later), 0)
#else
#define KNOWN(i)   true
#define IS_ZERO(s) ((void)(s), true)
#endif
#define TELL(name, condition) \
	tell(name, (condition) && all(p->behind, BEHIND, FILLED) && KNOWN(0)), free(p)

static void session(void)
{
	{
		PLACE(struct trace_check, 20);
		int n = TraceCheck(TRACE_PROCESS, 0, p->s, 20);

		TELL("TraceCheck", n > 2 && !strcmp(p->s[0].name, "driver") && KNOWN(n - 1) &&
					   !strcmp(p->s[1].name, "perf") && *p->s[1].what);
	}
	{
		PLACE(struct tracer_options, 1);
		int rc = 0;

		tracer_defaults(p->s);
		p->s->file = "none/such/file";
		p->s->collector = "none such";
		tell("tracer_open", !tracer_open(p->s, &rc) && rc == PI_INVALID_ARGUMENT);
		TELL("tracer_defaults", p->s->owner == (uid_t)-1);
	}
	if (TraceSetScope(TRACE_PROCESS, getpid()) || TraceInit(0)) {
		printf("skip TraceGetInfo %s\n", TraceLastError());
	} else {
		PLACE(struct trace_info, 1);
		int rc = TraceGetInfo(p->s);

		TELL("TraceGetInfo",
		     !rc && p->s->version == 1 && p->s->pid == getpid() && *p->s->file == '/');
		TraceTerminate();
	}
}

static void measures(void)
{
	const char *const metrics[] = { "task-clock" };

	if (PttInit(1, metrics, TRACE_PRIV_USER) || PttInitThread(0)) {
		printf("skip ptt %s\n", TraceLastError());
	} else {
		{
			PLACE(struct ptt_info, 1);
			int rc = PttGetInfo(p->s);

			TELL("PttGetInfo", !rc && p->s->metrics == 1 &&
						   !strncmp(p->s->metric[0], "task-clock", 10));
		}
		{
			PLACE(struct ptt_thread_data, 1);
			int rc = PttGetThreadData(0, p->s);

			TELL("PttGetThreadData", !rc && p->s->tid == gettid() && p->s->value[0]);
		}
		PttTerminate();
	}
	if (!AiSetCollector("proc") && !AiInit()) {
		{
			PLACE(struct ai_counters, 64);
			int n = AiGetCounters(p->s, 64);

			TELL("AiGetCounters",
			     n > 0 && p->s[0].cpu == 0 && p->s[0].online == 1 &&
				     (n < 2 || n > 64 || (p->s[1].cpu == 1 && KNOWN(1))) &&
				     (n > 63 || all(&p->s[63], sizeof(p->s[63]), FILLED)));
		}
		{
			PLACE(struct ai_info, 1);
			int rc = AiGetInfo(p->s);

			TELL("AiGetInfo", !rc && !strcmp(p->s->collector, "proc"));
		}
		AiTerminate();
	}
	{
		PLACE(struct perf_counter_event, 1);
		int rc = GetPerfCounterEvent(0, p->s);

		TELL("GetPerfCounterEvent", !rc && *p->s->name && p->s->description);
	}
}

static void counted(void)
{
	struct pitrace_event_args events[PITRACE_EVENTS];
	int n = TraceFindEvents("task-clock,page-faults", 0, 1, TRACE_PRIV_USER, events), rc = n;
	struct counters_options options = {
		.scope = COUNTERS_PROCESS,
		.pid = getpid(),
		.nevents = n > 0 ? (uint32_t)n : 0,
		.events = events,
	};
	struct counters *c = counters_open(&options, &rc);

	if (!c || counters_on(c)) {
		printf("skip counters_read %s\n", TraceLastError());
	} else {
		PLACE(struct counter_value, 3);

		n = counters_read(c, p->s, 3);
		TELL("counters_read", n == 2 && !strncmp(p->s[0].name, "task-clock", 10) &&
					      !strncmp(p->s[1].name, "page-faults", 11) &&
					      KNOWN(1) && all(&p->s[2], sizeof(p->s[2]), FILLED));
	}
	counters_close(c);
}

static void names(void)
{
	static const char bytes[64] = "code";
	struct a2n *a = a2n_open(NULL);

	if (!a || a2n_process(a, 1, 7, 1) || a2n_jit_load(a, 2, 7, 0x5000, 64, "code", 4))
		return;
	a2n_jit_bytes(a, bytes);
	{
		PLACE(struct a2n_answer, 1);

		a2n_resolve(a, 7, 3, 0x5010, false, p->s);
		{
			uint64_t offset = p->s->module_offset;
			bool right = !strcmp(p->s->symbol->name, "code") &&
				     p->s->symbol_offset == 0x10 && p->s->range_length == 64;

			TELL("a2n_resolve", right);
			{
				PLACE(struct a2n_code, 1);
				right = a2n_code(a, offset, p->s);
				TELL("a2n_code", right && p->s->address == 0x5000);
			}
		}
	}
	a2n_close(a);
	if (A2nInit() || A2nCreateProcess(7, 1) ||
	    A2nAddJittedMethod(7, "method", 0x5000, 64, NULL, 2))
		return;
	{
		PLACE(SYMDATA, 1);
		int rc = A2nGetSymbol(7, 0x5010, p->s);

		TELL("A2nGetSymbol", !rc && !strcmp(p->s->sym_name, "method"));
	}
	{
		PLACE(SYMDATA, 1);
		int rc = A2nGetSymbolAt(7, 0x5010, 3, p->s);

		TELL("A2nGetSymbolAt", !rc && p->s->sym_length == 64);
	}
	A2nTerminate();
}

static void code_files(void)
{
	static const struct jitdump_line lines[] = {
		{ .address = 0x5000, .line = 7, .file = "b.c" },
		{ .address = 0x5002, .line = 9, .file = "a.c" },
	};
	static const char text[] = "5000 40 mapped\n";
	struct jitdump_writer *dump;
	struct jitlog_writer *log;
	const char *why;
	struct jitdump *d;
	struct jitlog *l;
	struct perfmap *m;
	char path[200];

	if (jitdump_create(&dump, ".") || jitlog_create(&log, ".") ||
	    perfmap_open_text(&m, text, sizeof(text) - 1))
		return;
	jitdump_load(dump, "dumped", 0x5000, 4, "abc", lines, 2, NULL);
	jitlog_load(log, "logged", 0x5000, 4, "abc");
	snprintf(path, sizeof(path), "%s", jitdump_path(dump));
	if (jitdump_end(dump) || jitlog_end(log) || jitdump_open(&d, open(path, O_RDONLY), &why))
		return;
	{
		PLACE(struct jitdump_event, 1);
		int rc = jitdump_next(d, p->s);

		TELL("jitdump_next", rc == 1 && !strcmp(p->s->name, "dumped") && p->s->lines == 2);
	}
	{
		PLACE(struct jitdump_line, 1);
		bool first = jitdump_line(d, p->s) && p->s->line == 7,
		     rc = first && jitdump_line(d, p->s);

		TELL("jitdump_line", rc && p->s->address == 0x5002 && p->s->line == 9);
	}
	{
		PLACE(struct jitdump_fault, 1);

		jitdump_fault(d, p->s);
		TELL("jitdump_fault", !p->s->what && !p->s->records);
	}
	jitdump_close(d);
	snprintf(path, sizeof(path), "log-jita2n_%d", getpid());
	if (jitlog_open(&l, open(path, O_RDONLY), false, &why))
		return;
	{
		PLACE(struct jitlog_event, 1);
		int rc = jitlog_next(l, p->s);

		TELL("jitlog_next", rc == 1 && !strcmp(p->s->name, "logged"));
	}
	{
		PLACE(struct jitlog_fault, 1);

		jitlog_fault(l, p->s);
		TELL("jitlog_fault", !p->s->what && !p->s->lines);
	}
	jitlog_close(l);
	{
		PLACE(struct perfmap_entry, 1);
		int rc = perfmap_next(m, p->s);

		TELL("perfmap_next",
		     rc == 1 && p->s->size == 0x40 && !strncmp(p->s->name, "mapped", 6));
	}
	{
		PLACE(struct perfmap_fault, 1);

		perfmap_fault(m, p->s);
		TELL("perfmap_fault", !p->s->what);
	}
	perfmap_close(m);
}

static void records(const char *path)
{
	struct pifile *f = pifile_open(path, NULL);
	struct pimerge *m = f ? pimerge_open(f, PIMERGE_MTE) : NULL;
	PLACE(struct pirecord, 1);
	int n = 0, mte = 0;

	while (m && pimerge_next(m, p->s) == 1) {
		n++;
		mte += p->s->major == PITRACE_MTE;
	}
	TELL("pimerge_next", n > 3 && mte > 3);
	pimerge_close(m);
	pifile_close(f);
}

/* ---- what callbacks and lists are of --------------------------------------------------------- */

static void see_span(void *arg, const struct a2n_span *span)
{
	unsigned int *n = arg;

	*n += span->kind == A2N_SPAN_CODE && span->start == 0x5000 && span->length == 64 &&
	      !strcmp(span->name, "code") && IS_ZERO(span);
}

/* An address in code that was inlined. */
extern const char sizes_place[];
static inline __attribute__((always_inline)) void inlined_one(void)
{
	__asm__ volatile("sizes_place: nop");
}

static __attribute__((noinline, noclone)) void outer_one(void)
{
	inlined_one();
	__asm__ volatile("nop");
}

static void see_frames(void *arg, size_t i, const struct a2n_frame *frames, size_t n)
{
	unsigned int *right = arg;

	*right += i == 0 && n == 2 && frames[0].function && frames[1].function &&
		  !strcmp(frames[0].function, "inlined_one") &&
		  !strcmp(frames[1].function, "outer_one") && frames[1].line > frames[0].line &&
		  IS_ZERO(&frames[0]) && IS_ZERO(&frames[1]);
}

static int see_function(void *arg, const SYMDATA *data)
{
	unsigned int *n = arg;

	*n += !strcmp(data->sym_name, "outer_one") && data->sym_length && !*data->src_file &&
	      IS_ZERO(data);
	return 0;
}

static void called_back(void)
{
	static const A2N_LINE lines[] = { { .offset = 0, .line = 1 }, { .offset = 16, .line = 2 } };
	struct a2n *a = a2n_open(NULL);
	struct a2n_answer answer;
	struct timespec now;
	unsigned int n = 0;
	const char *file;
	uint32_t line;
	SYMDATA own;

	outer_one();
	if (!a || a2n_process(a, 1, 7, 1) || a2n_jit_load(a, 2, 7, 0x5000, 64, "code", 4))
		return;
	a2n_history(a, 7, 0x5010, see_span, &n);
	tell("a2n_history", n == 1);
	a2n_close(a);
	a = a2n_open(NULL);
	if (!a || a2n_add_process(a, 0, NULL))
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	a2n_resolve(a, (uint32_t)getpid(), (uint64_t)now.tv_sec * 1000000000 + 999999999,
		    (uintptr_t)sizes_place, false, &answer);
	n = 0;
	tell("a2n_lines",
	     !a2n_lines(a, answer.module, &answer.module_offset, 1, true, see_frames, &n) &&
		     n == 1);
	a2n_close(a);
	if (A2nInit() || A2nLoadMap((uint32_t)getpid()) || A2nCreateProcess(7, 1))
		return;
	n = 0;
	tell("A2nGetAllFunctions",
	     !A2nGetSymbol((uint32_t)getpid(), (uintptr_t)sizes_place, &own) &&
		     !A2nGetAllFunctions(own.mod_name, see_function, &n) && n == 1);
	tell("A2nAddJittedMethodLines",
	     !A2nAddJittedMethodLines(7, "method", 0x5000, 64, NULL, "a.java", lines, 2, 2) &&
		     !A2nGetLineNumber(7, 0x5010, &file, &line) && line == 2);
	A2nTerminate();
}

/* Two sections whose payloads are damaged. */
static bool damage(const char *path, const char *to, uint64_t where[2])
{
	struct pifile *f = pifile_open(path, NULL);
	unsigned int n = 0;
	FILE *in = fopen(path, "re"), *out = fopen(to, "w+e");
	int c;

	if (!f || !in || !out)
		return false;
	while ((c = fgetc(in)) != EOF)
		fputc(c, out);
	for (size_t i = 0; i < pifile_sections(f) && n < 2; i++) {
		if (!pifile_section(f, i)->stored)
			continue;
		where[n] = pifile_section_offset(f, i);
		fseek(out, (long)(where[n++] + pifile_section(f, i)->size), SEEK_SET);
		fputs("damaged", out);
	}
	pifile_close(f);
	fclose(in);
	return !fclose(out) && n == 2;
}

static void faults(const char *path)
{
	const struct pifile_fault *list;
	uint64_t where[2];
	struct pifile *f;
	size_t n = 0;

	{
		PLACE(struct pifile_fault, 1);

		f = pifile_open("/none/such", p->s);
		TELL("pifile_open", !f && !p->s->offset);
	}
	f = damage(path, "damaged.nrm2", where) ? pifile_open("damaged.nrm2", NULL) : NULL;
	if (f)
		n = pifile_verify(f);
	if (f)
		pifile_faults(f, &list);
	tell("pifile_faults", n == 2 && list[0].offset == where[0] && list[1].offset == where[1] &&
				      IS_ZERO(&list[0]) && IS_ZERO(&list[1]));
	pifile_close(f);
}

static const struct {
	struct pitrace_user head;
	uint64_t values[2];
	uint32_t length;
	char text[4];
} __attribute__((packed, aligned(4)))
user_data = { { .pid = 7, .ints = 2, .strs = 1 }, { 11, 12 }, 4, "word" };
static const struct pirecord user_record = {
	.major = 0xD0,
	.minor = 9,
	.type = PITRACE_TYPE_MIXED,
	.data = &user_data,
	.size = sizeof(user_data),
};

static void user_records(void)
{
	PLACE(struct pifile_user, 1);
	int rc = pifile_user_record(&user_record, p->s);
	size_t length = 0;

	TELL("pifile_user_record", !rc && p->s->pid == 7 && p->s->minor == 9 &&
					   pifile_user_int(p->s, 1) == 12 &&
					   pifile_user_string(p->s, 0, &length) && length == 4);
}

static void map_part(void)
{
	static const char text[] = "pid 5 since 0 until 9 offset 3 path /a\n5000 40 x\n";
	PLACE(struct perfmap_part, 1);
	struct perfmap *m;
	int rc = perfmap_open_part(&m, text, sizeof(text) - 1, p->s);

	TELL("perfmap_open_part", !rc && p->s->pid == 5 && p->s->offset == 3);
	if (!rc)
		perfmap_close(m);
}

#ifdef LATER
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif
TRACE_EVENT(of_a_size, (u32, number));

/* ---- what is given --------------------------------------------------------------------------- */

#ifndef PLAIN
/* So much of it, with nothing behind: a library that reads on ends this program. */
static const void *part(const void *from, size_t size)
{
	char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p + 4096, 4096, PROT_NONE))
		abort();
	return memcpy(p + 4096 - size, from, size);
}

static const char *const metrics[] = { "task-clock" };
static const struct counters_options nothing = { .scope = COUNTERS_PROCESS };
static const struct pttview_options options = { .count = 1, .metrics = metrics };
static const struct a2n_options plain = { .sympath = "/none" };
static const struct a2n_map mapped = { .start = 0x1000, .length = 0x1000, .path = "/none/such" };

static void give_more_parts(void)
{
	const size_t size = offsetof(struct tracer_itrace, stop_file);
	struct tracer_itrace i = { .scope = PITRACE_ITRACE_ALL };
	struct tracer_options o;
	int rc = 0;

	{
		PLACE(struct pifile_user, 1);

		rc = pifile_user_record_sized(part(&user_record, offsetof(struct pirecord, gaps)),
					      p->s, offsetof(struct pirecord, gaps),
					      offsetof(struct pifile_user, next));
		tell("pifile_user_record_part", !rc && p->s->strs == 1 &&
							p->s->next == FILLED * 0x01010101u &&
							all(p->behind, BEHIND, FILLED));
		free(p);
	}
	tracer_defaults(&o);
	o.collector = "none such";
	o.itrace = part(&i, size);
	tell("tracer_open_part", !tracer_open_sized(&o, &rc, sizeof(o), size) &&
					 rc == PI_INVALID_ARGUMENT &&
					 strstr(TraceLastError(), "none such"));
}

/* An older program's: the rest is 0. */
static void give_parts(void)
{
	struct {
		uint64_t address, line;
	} short_lines[] = { { 0x5000, 1 }, { 0x5010, 2 } };
	int rc, whole = 0;
	struct a2n *a;

	rc = 0;
	tell("counters_open_part",
	     !counters_open(&nothing, &whole) &&
		     !counters_open_sized(part(&nothing, offsetof(struct counters_options, events)),
					  &rc, offsetof(struct counters_options, events)) &&
		     rc == whole && rc);
	tell("counters_hold_part",
	     counters_hold_sized(part(&nothing, offsetof(struct counters_options, events)),
				 offsetof(struct counters_options, events)) == rc);
	rc = whole = 0;
	pttview_close(pttview_open(&options, &whole));
	pttview_close(pttview_open_sized(part(&options, offsetof(struct pttview_options, threads)),
					 &rc, offsetof(struct pttview_options, threads)));
	tell("pttview_open_part", rc == whole);
	tell("pttview_hold_part",
	     pttview_hold_sized(part(&options, offsetof(struct pttview_options, threads)), 99, NULL,
				0, offsetof(struct pttview_options, threads)) ==
		     pttview_hold(&options, 99, NULL, 0));
	a = a2n_open_sized(part(&plain, offsetof(struct a2n_options, demangle)),
			   offsetof(struct a2n_options, demangle));
	tell("a2n_open_part", a != NULL);
	if (!a || a2n_process(a, 1, 7, 1))
		return;
	tell("a2n_add_map_part",
	     !a2n_add_map_sized(a, 2, 7, part(&mapped, offsetof(struct a2n_map, build_id)),
				offsetof(struct a2n_map, build_id)));
	rc = a2n_jit_load(a, 3, 7, 0x5000, 64, "code", 4);
	tell("a2n_jit_lines_part",
	     !rc && !a2n_jit_lines_sized(a, part(short_lines, sizeof(short_lines)), 2, 16));
	a2n_close(a);
	give_more_parts();
}
#endif

#ifdef LATER
static const struct a2n_jit_line code_lines[] = { { .address = 0x5000, .line = 1 },
						  { .address = 0x5010, .line = 2 } };

static struct tracer *a_tracer(struct tracer_options *o, int *rc)
{
	tracer_defaults(o);
	o->scope = TRACE_PROCESS;
	o->pid = getpid();
	return tracer_open(o, rc);
}

static bool says(int rc, const char *name)
{
	return rc == PI_NOT_SUPPORTED && strstr(TraceLastError(), name);
}

static void give_yet_more(void)
{
	const A2N_LINE lines[] = { { .line = 1 }, { .offset = 8, .line = 2, .later = { 7 } } };
	struct tracer_itrace i = { .scope = PITRACE_ITRACE_ALL, .later = { 0, 1 } };
	struct pirecord r = user_record;
	struct tracer_options o;
	struct pifile_user user;
	struct a2n *a = a2n_open(NULL);
	int rc = 0;

	tracer_defaults(&o);
	o.itrace = &i;
	tell("tracer_open_itrace_more", !tracer_open(&o, &rc) && says(rc, "tracer_itrace"));
	r.later[1] = 1;
	tell("pifile_user_record_more", pifile_user_record(&r, &user) == -E2BIG);
	tell("a2n_feed_record_more",
	     a && !a2n_feed_record(a, &user_record) && a2n_feed_record(a, &r) == -E2BIG);
	a2n_close(a);
	tell("A2nAddJittedMethodLines_more",
	     !A2nInit() && !A2nCreateProcess(7, 1) &&
		     A2nAddJittedMethodLines(7, "m", 0x5000, 64, NULL, "f", lines, 2, 2) == -E2BIG);
	A2nTerminate();
	trace_event_of_of_a_size.id = 0;
	trace_event_of_of_a_size.later[0] = 1;
	tell("trace_event_more",
	     says(trace_event_of_a_size(&trace_event_of_of_a_size, 3), "trace_event"));
}

/* A member that a newer caller sets is refused if this library does not know it. */
static void give_more(void)
{
	struct counters_options c = nothing;
	struct pttview_options v = options;
	struct a2n_options o = plain;
	struct a2n_map m = mapped;
	struct a2n_jit_line lines[2];
	struct tracer_options t;
	struct tracer_itrace i = { .scope = PITRACE_ITRACE_ALL };
	struct jitdump_unwind unwind = { .later = { 1 } };
	struct jitdump_line line = { .address = 0x5000, .later = { 0, 0, 1 } };
	const struct jitdump_line known[] = { { .address = 0x5000, .line = 3 },
					      { .address = 0x5002, .line = 4 } };
	const struct jitdump_unwind none = { .eh_frame = NULL };
	struct jitdump_writer *dump;
	struct tracer *tracer;
	struct a2n *a;
	int rc = 0;

	c.later[2] = v.later[0] = o.later[1] = 1;
	tell("counters_open_more", !counters_open(&c, &rc) && says(rc, "counters_options"));
	tell("counters_hold_more", says(counters_hold(&c), "counters_options"));
	tell("pttview_open_more", !pttview_open(&v, &rc) && says(rc, "pttview_options"));
	tell("pttview_hold_more", says(pttview_hold(&v, 0, NULL, 0), "pttview_options"));
	errno = 0;
	tell("a2n_open_more", !a2n_open(&o) && errno == E2BIG);
	a = a2n_open(&plain);
	if (!a || a2n_process(a, 1, 7, 1) || a2n_jit_load(a, 3, 7, 0x5000, 64, "code", 4))
		return;
	m.later[0] = 1;
	tell("a2n_add_map_more",
	     !a2n_add_map(a, 2, 7, &mapped) && a2n_add_map(a, 2, 7, &m) == -E2BIG);
	memcpy(lines, code_lines, sizeof(lines));
	lines[1].later[2] = 1;
	tell("a2n_jit_lines_more",
	     !a2n_jit_lines(a, code_lines, 2) && a2n_jit_lines(a, lines, 2) == -E2BIG);
	a2n_close(a);
	tracer = a_tracer(&t, &rc);
	t.later[0] = 1;
	tell("tracer_open_more", !tracer_open(&t, &rc) && says(rc, "tracer_options"));
	i.later[1] = 1;
	if (tracer)
		tell("tracer_itrace_more", says(tracer_itrace(tracer, &i), "tracer_itrace"));
	else
		printf("skip tracer_itrace_more %s\n", TraceLastError());
	tracer_close(tracer);
	if (jitdump_create(&dump, "."))
		return;
	tell("jitdump_load_more",
	     jitdump_load(dump, "x", 0x5000, 4, "abc", &line, 1, NULL) == -E2BIG &&
		     jitdump_load_late(dump, 1, "x", 0x5000, 4, "abc", &line, 1, NULL) == -E2BIG);
	tell("jitdump_load_unwind_more",
	     jitdump_load_unwind(dump, 1, "x", 0x5000, 4, "abc", NULL, 0, &unwind, NULL) ==
			     -E2BIG &&
		     jitdump_load_unwind(dump, 1, "x", 0x5000, 4, "abc", known, 2, &unwind, NULL) ==
			     -E2BIG);
	tell("jitdump_load_known",
	     !jitdump_load_late(dump, 1, "x", 0x5000, 4, "abc", known, 2, NULL) &&
		     !jitdump_load_unwind(dump, 1, "x", 0x5000, 4, "abc", known, 2, &none, NULL));
	remove(jitdump_path(dump));
	jitdump_end(dump);
	give_yet_more();
}
#endif

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	session();
	measures();
	counted();
	names();
	code_files();
	records(argc > 1 ? argv[1] : "");
	called_back();
	faults(argc > 1 ? argv[1] : "");
	user_records();
	map_part();
	tell("trace_event", trace_event_of_a_size(&trace_event_of_of_a_size, 3) == TRACE_NOBODY);
#ifndef PLAIN
	give_parts();
#endif
#ifdef LATER
	give_more();
#endif
	return failures != 0;
}
