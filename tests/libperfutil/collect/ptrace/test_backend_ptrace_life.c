/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The collector `ptrace` beside programs of a few instructions, in assembler: from a place until
 * another, exec, on and off, and what it refuses. (Linked with
 * --wrap=rights_gained,flow_here,malloc.)
 */
#if defined(__x86_64__)

#include <inttypes.h>
#include "ptrace_programs.h"

/* ---- from here, until there ------------------------------------------------------------------ */

/* Returns the offset of a byte of this program in its file. */
static uint64_t in_file(const char *at)
{
	unsigned long low, high, offset;
	uint64_t found = 0;
	char line[512];
	FILE *f = fopen("/proc/self/maps", "re");

	while (f && !found && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %*s %lx", &low, &high, &offset) == 3 &&
		    (uintptr_t)at >= low && (uintptr_t)at < high)
			found = (uintptr_t)at - low + offset;
	if (f)
		fclose(f);
	return found;
}

static void set_place(char *file, uint64_t *to, const char *at, bool by_file)
{
	ssize_t n = by_file ? readlink("/proc/self/exe", file, 1023) : 0;

	file[n > 0 ? n : 0] = 0;
	*to = by_file ? in_file(at) : (uintptr_t)at;
}

#define FROM_COMMON(of) "s5:0 common|b2:2 common_ret>" of "|b3:1 " of ">thread_exit|" ENDS

static void places_of(void)
{
	struct tracer_itrace *i = &config.itrace;
	uint32_t tid;

	for (int by_file = 0; by_file < 2; by_file++) {
		configure();
		i->flags = PITRACE_ITRACE_FROM;
		set_place(i->start_file, &i->start, sub_common, by_file);
		CU_ASSERT_EQUAL(run(sub_clone), 0);
		is_said((uint32_t)subject, FROM_COMMON("parent"));
		tid = child_of((uint32_t)subject);
		CU_ASSERT(tid != 0);
		is_said(tid, FROM_COMMON("childs"));
		end();

		configure();
		i->flags = PITRACE_ITRACE_UNTIL;
		set_place(i->stop_file, &i->stop, sub_common, by_file);
		CU_ASSERT_EQUAL(run(sub_clone), 0);
		is_said((uint32_t)subject, BEGINS
			"b3:1 go>clone|k6:7,56 cloned>cloned|b1:3 whose+2>common|e5:0 common|");
		is_said(child_of((uint32_t)subject),
			"s2:0 cloned|b3:2 whose>child|b1:2 child+7>common|e5:0 common|");
		end();

		/* Each time that it comes there. */
		configure();
		i->flags = PITRACE_ITRACE_FROM | PITRACE_ITRACE_UNTIL;
		set_place(i->start_file, &i->start, sub_loop, by_file);
		set_place(i->stop_file, &i->stop, sub_jnz, by_file);
		CU_ASSERT_EQUAL(run(sub_flow), 7 << 8);
		is_said((uint32_t)subject,
			"s5:0 loop|e5:1 jnz|s5:0 loop|e5:1 jnz|s5:0 loop|e5:1 jnz|");
		end();

		/* The threads of one that is recorded; of one that is not. */
		configure();
		i->flags = PITRACE_ITRACE_FROM | PITRACE_ITRACE_NO_THREADS;
		set_place(i->start_file, &i->start, sub_clone, by_file);
		CU_ASSERT_EQUAL(run(sub_clone), 0);
		CU_ASSERT_EQUAL(child_of((uint32_t)subject), 0);
		end();
		configure();
		i->flags = PITRACE_ITRACE_FROM;
		set_place(i->start_file, &i->start, sub_clone, by_file);
		CU_ASSERT_EQUAL(run(sub_clone), 0);
		is_said(child_of((uint32_t)subject), CHILDS);
		end();
	}
	/* A file that is not mapped, an offset that is not. */
	configure();
	i->flags = PITRACE_ITRACE_UNTIL | PITRACE_ITRACE_FROM;
	strcpy(i->start_file, "/nowhere");
	strcpy(i->stop_file, "/bin/true");
	CU_ASSERT_EQUAL(run(sub_flow), 7 << 8);
	is_said((uint32_t)subject, "");
	end();
}

/* Two threads run over it, one or both are wanted: each as often as it does. */
static void both(void)
{
	struct tracer_itrace *i = &config.itrace;

	for (int how = 0; how < 4; how++) {
		const char *at;
		unsigned int n = 0;

		configure();
		i->flags = PITRACE_ITRACE_FROM;
		set_place(i->start_file, &i->start, how == 3 ? sub_came : sub_common, how == 1);
		start(sub_both);
		if (how) {
			i->scope = PITRACE_ITRACE_TIDS;
			i->listed = how == 2 ? 0 : 1;
			i->list[0] = subject;
		}
		trace();
		let_go();
		CU_ASSERT_EQUAL(ended(), 7 << 8);
		CU_ASSERT_EQUAL(collector_ptrace.off(b), 0);
		drain();
		is_whole();
		at = say((uint32_t)subject);
		if (how < 2) {
			static const char first[] =
				"s5:0 common|b2:2 common_ret>came|b3:2 more>calling|b1:1 calling>common|";

			if (strncmp(at, first, strlen(first)))
				printf("# %.200s\n", at);
			CU_ASSERT_EQUAL(strncmp(at, first, strlen(first)), 0);
		}
		while ((at = strstr(at, "more>calling")))
			n++, at++;
		CU_ASSERT_EQUAL(n, how == 2 ? 0 : 99);
		CU_ASSERT_EQUAL(records_count(PITRACE_ITRACE_START, UINT32_MAX), how == 0 ? 2 :
										 how == 2 ? 0 :
											    1);
		end();
	}
}

/* Nothing is left behind in a process that continues untraced: neither in a traced one nor in a
 * child. */
static void left_whole(void)
{
	struct tracer_itrace *i = &config.itrace;
	int status;

	configure();
	i->flags = PITRACE_ITRACE_FROM;
	set_place(i->start_file, &i->start, sub_common, false);
	start(sub_clone);
	trace();
	usleep(50000);
	CU_ASSERT_EQUAL(collector_ptrace.off(b), 0);
	let_go();
	CU_ASSERT_EQUAL(waitpid(subject, &status, 0), subject);
	CU_ASSERT_EQUAL(status, 0);
	end();
	for (int how = 0; how < 4; how++) {
		configure();
		i->flags = PITRACE_ITRACE_FROM | (how & 1 ? PITRACE_ITRACE_FOLLOW : 0);
		set_place(i->start_file, &i->start, sub_thread_exit, false);
		CU_ASSERT_EQUAL(run(how & 2 ? sub_vfork : sub_fork), 7 << 8);
		CU_ASSERT_EQUAL(records_count(PITRACE_ITRACE_START, PITRACE_ITRACE_ADDRESS),
				how & 1);
		end();
	}
}

/* The flag by which x86 steps must not be visible to the program, which would be killed by it once
 * it runs untraced. */
static void trap_flag(void)
{
	static const struct {
		const void *program;
		const char *until;
	} runs[] = {
		{ sub_flags, sub_popped },
		{ sub_own_flag, sub_owned },
		{ sub_late_flags, sub_handler },
		{ sub_late_flags, sub_hret },
	};

	for (unsigned int k = 0; k < sizeof(runs) / sizeof(*runs); k++) {
		configure();
		config.itrace.flags = PITRACE_ITRACE_UNTIL;
		set_place(config.itrace.stop_file, &config.itrace.stop, runs[k].until, false);
		CU_ASSERT_EQUAL(run(runs[k].program), 7 << 8);
		CU_ASSERT_EQUAL(records_count(PITRACE_ITRACE_STOP, PITRACE_ITRACE_ADDRESS), 1);
		end();
		/* Each limit: the last step is at every instruction once. Of its own flag it would
		 * die by itself. */
		for (unsigned int limit = 1; limit < 24 && runs[k].program != sub_own_flag;
		     limit++) {
			configure();
			config.itrace.limit = limit;
			CU_ASSERT_EQUAL(run(runs[k].program), 7 << 8);
			end();
		}
	}
}

/* A thread that begins after a popf, and runs. */
static void trap_flag_of_thread(void)
{
	for (int how = 0; how < 2; how++) {
		configure();
		config.itrace.flags = how ? PITRACE_ITRACE_NO_THREADS : 0;
		CU_ASSERT_EQUAL(run(sub_flags_both), 7 << 8);
		end();
	}
}

/* Threads that have reached a breakpoint when all of them are let go. */
static void let_go_at_breakpoint(void)
{
	struct tracer_itrace *i = &config.itrace;
	int wrong = 0, status;

	for (int k = 0; k < 40; k++) {
		configure();
		i->flags = PITRACE_ITRACE_FROM;
		set_place(i->start_file, &i->start, sub_common, false);
		start(sub_both);
		i->scope = PITRACE_ITRACE_TIDS;
		i->listed = 0;
		trace();
		let_go();
		usleep(k * 100);
		CU_ASSERT_EQUAL(collector_ptrace.off(b), 0);
		status = ended();
		if (status != 7 << 8)
			wrong++;
		end();
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

/* ---- other programs -------------------------------------------------------------------------- */

static void execs(void)
{
	const struct told *t;

	for (int how = 0; how < 2; how++) {
		unsigned int before = 0;

		configure();
		config.itrace.limit = 300;
		CU_ASSERT_EQUAL(run(how ? sub_cexec : sub_exec), 0);
		t = records_nth(PITRACE_BREAK_USER, PITRACE_BREAK_EXEC, 0);
		CU_ASSERT_FATAL(t != NULL);
		CU_ASSERT_EQUAL(t->brk.at, (uintptr_t)sub_execed);
		CU_ASSERT(t->brk.to > 0x10000 && t->brk.pid == (uint32_t)subject &&
			  t->brk.tid == (uint32_t)subject);
		CU_ASSERT_EQUAL(records_count(PITRACE_ITRACE_STOP, PITRACE_ITRACE_LIMIT), 1);
		CU_ASSERT_EQUAL(tasks(PITRACE_MTE_PROCESS, (uint32_t)subject, (uint32_t)subject),
				2);
		/* The mappings of the new program are recorded before. */
		for (unsigned int i = 0; i < ntold; i++)
			before += told[i].major == PITRACE_MTE &&
				  told[i].minor == PITRACE_MTE_MODULE && told[i].stamp < t->stamp &&
				  t->brk.to - told[i].map.start < told[i].map.length;
		CU_ASSERT_EQUAL(before, 1);
		CU_ASSERT_EQUAL(how || info()->instructions == 300, 1);
		end();
	}
	/* One that gains rights: left out, with a word. */
	for (int how = 0; how < 2; how++) {
		configure();
		config.user = how;
		gains = true;
		config.itrace.limit = 300;
		CU_ASSERT_EQUAL(run(sub_exec), 0);
		CU_ASSERT_EQUAL(records_count(PITRACE_BREAK_USER, PITRACE_BREAK_EXEC),
				geteuid() || !how);
		if (how && !geteuid()) {
			is_said((uint32_t)subject, BEGINS "b3:1 go>exec|e3:5 0|");
			CU_ASSERT_PTR_NOT_NULL(
				strstr(info()->note, "; 1 program that gained rights left out"));
			CU_ASSERT_PTR_NULL(strstr(info()->note, "million"));
		}
		end();
	}
}

/* The command that swtrace starts: from its exec on. */
static void command(void)
{
	configure();
	config.program = "/bin/true";
	config.itrace.limit = 100;
	start(sub_exec);
	trace();
	usleep(20000);
	drain();
	CU_ASSERT_EQUAL(records_count(PITRACE_ITRACE_START, UINT32_MAX), 0);
	let_go();
	CU_ASSERT_EQUAL(ended(), 0);
	CU_ASSERT_EQUAL(collector_ptrace.off(b), 0);
	drain();
	is_whole();
	CU_ASSERT_EQUAL(info()->instructions, 100);
	CU_ASSERT_EQUAL(records_count(PITRACE_BREAK_USER, PITRACE_BREAK_EXEC), 0);
	CU_ASSERT_EQUAL(records_count(PITRACE_ITRACE_START, PITRACE_ITRACE_ON), 1);
	end();
}

/* ---- on, off, suspended ---------------------------------------------------------------------- */

static char state_of(pid_t pid, int *tracer)
{
	char path[64], line[256], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		sscanf(line, "State:\t%c", &state);
		sscanf(line, "TracerPid:\t%d", tracer);
	}
	if (f)
		fclose(f);
	return state;
}

static void until_branches(uint64_t n)
{
	for (int i = 0; i < 20000 && info()->branches < n; i++) {
		drain();
		usleep(500);
	}
	CU_ASSERT(info()->branches >= n);
}

static void suspends(void)
{
	int status, tracer = -1;
	uint64_t n;

	configure();
	start(sub_ever);
	trace();
	CU_ASSERT_EQUAL(info()->state, PITRACE_STATE_ON);
	begun();
	let_go();
	until_branches(100);
	CU_ASSERT_EQUAL(collector_ptrace.suspend(b, true), 0);
	CU_ASSERT_EQUAL(info()->state, PITRACE_STATE_SUSPENDED);
	for (int i = 0; i < 20000 && !records_nth(PITRACE_ITRACE_STOP, PITRACE_ITRACE_ON, 0); i++) {
		drain();
		usleep(500);
	}
	n = info()->instructions;
	is_whole();
	usleep(50000);
	CU_ASSERT_EQUAL(info()->instructions, n);
	CU_ASSERT_EQUAL(state_of(subject, &tracer), 'R');
	CU_ASSERT_EQUAL(collector_ptrace.suspend(b, false), 0);
	CU_ASSERT_EQUAL(info()->state, PITRACE_STATE_ON);
	until_branches(n / 2 + 100);
	CU_ASSERT_EQUAL(records_count(PITRACE_ITRACE_START, PITRACE_ITRACE_ON), 2);
	CU_ASSERT_EQUAL(collector_ptrace.off(b), 0);
	CU_ASSERT_EQUAL(info()->state, PITRACE_STATE_OFF);
	CU_ASSERT_EQUAL(collector_ptrace.off(b), -EALREADY);
	CU_ASSERT_EQUAL(collector_ptrace.on(b, &config), -EALREADY);
	drain();
	is_whole();
	CU_ASSERT_EQUAL(records_count(PITRACE_ITRACE_STOP, PITRACE_ITRACE_ON), 2);
	/* It runs untraced. */
	CU_ASSERT(state_of(subject, &tracer) == 'R' && tracer == 0);
	CU_ASSERT(!collector_ptrace.ended(b, subject, &status));
	kill(subject, SIGKILL);
	for (int i = 0; i < 5000 && !collector_ptrace.ended(b, subject, &status); i++)
		usleep(1000);
	CU_ASSERT_EQUAL(status, SIGKILL);
	end();
	/* Closed while it runs: likewise. */
	configure();
	start(sub_ever);
	trace();
	begun();
	let_go();
	until_branches(10);
	end();
	CU_ASSERT(state_of(subject, &tracer) == 'R' && tracer == 0);
	kill(subject, SIGKILL);
	CU_ASSERT_EQUAL(waitpid(subject, &status, 0), subject);
	/* Killed while it is traced. */
	configure();
	start(sub_ever);
	trace();
	begun();
	let_go();
	until_branches(10);
	kill(subject, SIGKILL);
	CU_ASSERT_EQUAL(ended(), SIGKILL);
	CU_ASSERT_EQUAL(collector_ptrace.off(b), 0);
	drain();
	is_whole();
	CU_ASSERT_EQUAL(records_count(PITRACE_ITRACE_STOP, PITRACE_ITRACE_EXIT), 1);
	end();
}

/* A clock sync each second: of two, at most as many as seconds have passed, however long a busy
 * machine takes until it has stepped through a buffer that is given. */
static void seconds(void)
{
	uint64_t began = now_ns(), passed = 0;
	unsigned int n = 0;

	configure();
	config.segment_bytes = 4096;
	start(sub_ever);
	trace();
	begun();
	let_go();
	while (n < 2 && passed < 30000) {
		drain();
		n += records_count(PITRACE_SYNC, PITRACE_SYNC_SECOND);
		records_forget();
		usleep(1000);
		passed = (now_ns() - began) / 1000000;
	}
	CU_ASSERT_EQUAL(collector_ptrace.off(b), 0);
	drain();
	n += records_count(PITRACE_SYNC, PITRACE_SYNC_SECOND);
	passed = (now_ns() - began) / 1000000;
	if (n < 2 || n > passed / 1000)
		printf("# %u syncs in %" PRIu64 " ms\n", n, passed);
	CU_ASSERT(n >= 2 && n <= passed / 1000);
	kill(subject, SIGKILL);
	end();
}

/* A stopped thread stays stopped until it is continued. */
static void stopped(void)
{
	int tracer, status;

	configure();
	start(sub_stop);
	trace();
	begun();
	let_go();
	/* T, or t as it is traced: after its second call, and for long. */
	for (int i = 0;
	     i < 5000 && (info()->instructions < 8 || (state_of(subject, &tracer) | 0x20) != 't');
	     i++)
		usleep(1000);
	usleep(50000);
	CU_ASSERT_EQUAL(state_of(subject, &tracer) | 0x20, 't');
	CU_ASSERT_EQUAL(info()->instructions, 8);
	CU_ASSERT(!collector_ptrace.ended(b, subject, &status));
	kill(subject, SIGCONT);
	CU_ASSERT_EQUAL(ended(), 7 << 8);
	CU_ASSERT_EQUAL(collector_ptrace.off(b), 0);
	drain();
	is_whole();
	is_said((uint32_t)subject, BEGINS
		"b3:1 go>stop|k6:2,39 self>self|k6:4,62 stopped>stopped|b3:1 stopped>exit|" ENDS);
	end();
}

/* The command waits while its records are not read. */
static void waits(void)
{
	uint64_t n, waited;

	configure();
	config.segment_bytes = 512;
	config.itrace.flags = PITRACE_ITRACE_STEPS;
	start(sub_ever);
	trace();
	begun();
	let_go();
	for (int i = 0; i < 20000 && !info()->waits; i++)
		usleep(1000);
	CU_ASSERT_EQUAL(info()->waits, 1);
	n = info()->instructions;
	CU_ASSERT(n > 100);
	usleep(20000);
	CU_ASSERT_EQUAL(info()->instructions, n);
	drain();
	/* … and again, however busy the machine is. It may also have waited while that was
	 * drained. */
	waited = info()->waits;
	for (int i = 0; i < 20000 && info()->waits == waited; i++)
		usleep(1000);
	CU_ASSERT(info()->instructions > n && info()->waits > waited);
	CU_ASSERT(info()->waited > 20000000);
	/* The sink's error ends a drain; what is left is handed over later. */
	sink_fails = nsegments + 2;
	CU_ASSERT_EQUAL(collector_ptrace.drain(b, false, records_take, NULL), -EIO);
	CU_ASSERT_EQUAL(nsegments, sink_fails);
	CU_ASSERT_EQUAL(collector_ptrace.off(b), 0);
	drain();
	CU_ASSERT(records_count(PITRACE_ITRACE_STOP, UINT32_MAX) == 1);
	kill(subject, SIGKILL);
	end();
}

/* ---- what it refuses ------------------------------------------------------------------------- */

static void refuses(void)
{
	static const struct {
		int how;
		enum collector_state state;
		const char *why, *cure;
	} tries[] = {
		{ 0, COLLECTOR_WORKS, "", "" },
		{ 1, COLLECTOR_ABSENT, "records instruction traces and nothing else",
		  "swtrace run --itrace" },
		{ 2, COLLECTOR_ABSENT, "not with the TSC", "" },
		{ 3, COLLECTOR_REFUSED, "neither normal nor wrap mode", "use -t cont" },
		{ 4, COLLECTOR_REFUSED, "neither normal nor wrap mode", "use -t cont" },
		{ 5, COLLECTOR_ABSENT, "takes no samples", "" },
		{ 6, COLLECTOR_ABSENT, "takes no samples", "" },
		{ 7, COLLECTOR_ABSENT, "cannot wait for processes by their numbers",
		  "name the processes" },
		{ 8, COLLECTOR_ABSENT, "not the whole system", "give a command, or -p PID" },
		{ 9, COLLECTOR_WORKS, "", "" },
	};

	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		struct collector_check c;
		int how = tries[i].how, rc = 1;

		configure();
		if (how == 1)
			memset(config.majors, 0, sizeof(config.majors));
		config.clock = how == 2 ? PITRACE_CLOCK_TSC : PITRACE_CLOCK_AUTO;
		config.mode = how == 3 ? PITRACE_MODE_NORMAL :
			      how == 4 ? PITRACE_MODE_WRAP :
					 config.mode;
		config.nevents = how == 5;
		config.stacks = how == 6 ? PITRACE_WANT_USER : 0;
		config.itrace.scope = how == 7 ? PITRACE_ITRACE_RANGE :
				      how == 8 ? PITRACE_ITRACE_TIDS :
				      how == 9 ? PITRACE_ITRACE_PIDS :
						 PITRACE_ITRACE_NONE;
		config.scope = how >= 8 ? PITRACE_SCOPE_SYSTEM : PITRACE_SCOPE_PROCESS;
		collector_ptrace.check(&config, &c);
		CU_ASSERT_EQUAL(c.state, tries[i].state);
		CU_ASSERT_PTR_NOT_NULL(strstr(c.why, tries[i].why));
		CU_ASSERT_STRING_EQUAL(c.cure, tries[i].cure);
		*why = 0;
		b = collector_ptrace.open(&config, &rc, why, sizeof(why));
		/* Majors may be set later. */
		CU_ASSERT_EQUAL(b != NULL, c.state == COLLECTOR_WORKS || how == 1);
		if (b) {
			if (how == 1)
				CU_ASSERT_EQUAL(collector_ptrace.on(b, &config), -EOPNOTSUPP);
			CU_ASSERT_EQUAL(collector_ptrace.off(b), -EALREADY);
			CU_ASSERT(collector_ptrace.fd(b) >= 0);
			CU_ASSERT(info()->state == PITRACE_STATE_OFF && !info()->interval);
			CU_ASSERT_EQUAL(collector_ptrace.suspend(b, true), 0);
			CU_ASSERT_EQUAL(collector_ptrace.clock_hz(b), 1000000000);
			collector_ptrace.close(b);
		} else {
			CU_ASSERT_EQUAL(rc, PI_NOT_SUPPORTED);
			CU_ASSERT_PTR_NOT_NULL(strstr(why, tries[i].why));
			CU_ASSERT_PTR_NOT_NULL(strstr(why, tries[i].cure));
			CU_ASSERT_EQUAL(strstr(why, ": ") != NULL, *tries[i].cure != 0 || how == 7);
		}
	}
	/* The whole system is refused before *on*. */
	configure();
	config.scope = PITRACE_SCOPE_SYSTEM;
	b = collector_ptrace.open(&config, &(int){ 0 }, why, sizeof(why));
	CU_ASSERT_FATAL(b != NULL);
	CU_ASSERT_EQUAL(collector_ptrace.on(b, &config), -EOPNOTSUPP);
	/* A process that is not there. */
	config.scope = PITRACE_SCOPE_PROCESS;
	config.pid = 1 << 29;
	CU_ASSERT_EQUAL(collector_ptrace.on(b, &config), -ESRCH);
	CU_ASSERT_EQUAL(info()->state, PITRACE_STATE_OFF);
	collector_ptrace.close(b);
}

static void notes(void)
{
	configure();
	CU_ASSERT_EQUAL(run(sub_flow), 7 << 8);
	CU_ASSERT_STRING_EQUAL(info()->note,
			       "the slow one: each instruction is a stop; user code only; "
			       "no more than 10 million instructions of a thread (-n)");
	CU_ASSERT(info()->interval == 1 && info()->clock == PITRACE_CLOCK_MONOTONIC);
	CU_ASSERT(info()->ncpus == 1 && !info()->ticks && !info()->rate && !info()->taken);
	CU_ASSERT(!info()->waits && !info()->waited && info()->segment_bytes == 32768);
	end();
}

/* ---- no memory ------------------------------------------------------------------------------- */

static bool no_segments;
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
	return no_segments && size > config.segment_bytes ? NULL : __real_malloc(size);
}

/* A segment that has no room in the queue is an error of the session's, and the program goes on. */
static void full_of_memory(void)
{
	int rc = 0, status = -1;

	configure();
	start(sub_flow);
	trace();
	no_segments = true;
	let_go();
	for (int i = 0; i < 5000 && !rc; i++) {
		rc = collector_ptrace.drain(b, true, records_take, NULL);
		usleep(1000);
	}
	CU_ASSERT_EQUAL(rc, -ENOMEM);
	no_segments = false;
	for (int i = 0; i < 5000 && !collector_ptrace.ended(b, subject, &status); i++)
		usleep(1000);
	CU_ASSERT_EQUAL(status, 7 << 8);
	end();
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "seconds", seconds },
		{ "places", places_of },
		{ "both", both },
		{ "left_whole", left_whole },
		{ "execs", execs },
		{ "command", command },
		{ "suspends", suspends },
		{ "stopped", stopped },
		{ "waits", waits },
		{ "refuses", refuses },
		{ "notes", notes },
		{ "trap_flag", trap_flag },
		{ "trap_flag_of_thread", trap_flag_of_thread },
		{ "let_go_at_breakpoint", let_go_at_breakpoint },
		{ "full_of_memory", full_of_memory },
		{},
	};

	return unit_run("backend_ptrace_life", tests);
}

#else

#include "unit.h"

static void elsewhere(void)
{
	unit_skip(NULL, "its programs are x86's");
}

int main(void)
{
	static const struct unit_test tests[] = { { "all", elsewhere }, {} };

	return unit_run("backend_ptrace_life", tests);
}

#endif
