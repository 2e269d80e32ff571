// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The collector `ptrace` with programs of a few instructions, in assembler: all records of each, as
 * text; what its options leave out; and that the program behaves as without it. (Linked with
 * --wrap=rights_gained.)
 */
#if defined(__x86_64__)

#include "ptrace_programs.h"

/* ---- what is recorded ------------------------------------------------------------------------ */

#define FLOWS                                                                               \
	"b3:1 go>flow|b3:3 jnz>loop|b3:2 jnz>loop|b1:3 call>leaf|b2:2 ret>back|b3:2 jz>on|" \
	"b3:8 out>exit|"

static void flow(void)
{
	const struct told *t;

	configure();
	CU_ASSERT_EQUAL(run(sub_flow), 7 << 8);
	is_said((uint32_t)subject, BEGINS FLOWS ENDS);
	CU_ASSERT_EQUAL(tasks(PITRACE_MTE_PROCESS, (uint32_t)subject, (uint32_t)subject), 1);
	CU_ASSERT_EQUAL(tasks(PITRACE_MTE_PROCESS_EXIT, (uint32_t)subject, (uint32_t)subject), 1);
	CU_ASSERT_EQUAL(records_count(PITRACE_SYNC, PITRACE_SYNC_ON), 1);
	CU_ASSERT_EQUAL(records_count(PITRACE_SYNC, PITRACE_SYNC_OFF), 1);
	t = records_nth(PITRACE_SYSINFO, PITRACE_SYSINFO_INTERVAL, 0);
	CU_ASSERT(t && t->interval.interval == 1 && !t->interval.rate);
	/* Its mappings are recorded before. */
	t = records_nth(PITRACE_MTE, PITRACE_MTE_MODULE, 0);
	CU_ASSERT(t && t->map.pid == (uint32_t)subject && t->map.flags & PITRACE_MAP_EXEC);
	end();
	/* Each instruction. */
	configure();
	config.itrace.flags = PITRACE_ITRACE_STEPS;
	CU_ASSERT_EQUAL(run(sub_flow), 7 << 8);
	is_said((uint32_t)subject, BEGINS
		"b3:1 go>flow|b405:1 flow>loop|b405:1 loop>jnz|b3:1 jnz>loop|b405:1 loop>jnz|"
		"b3:1 jnz>loop|b405:1 loop>jnz|b405:1 jnz>call|b1:1 call>leaf|b405:1 leaf>ret|"
		"b2:1 ret>back|b405:1 back>jz|b3:1 jz>on|b405:1 on>no|b405:1 no>no+3|b405:1 no+3>no+8|"
		"b405:1 no+8>no+10|b405:1 no+10>no+12|b405:1 no+12>no+14|b405:1 no+14>out|"
		"b3:1 out>exit|b405:1 exit>exit+5|b405:1 exit+5>exit+10|e4:1 0|");
	end();
}

/* Skips some instructions at first, and stops after some. */
static void bounds(void)
{
	uint64_t all;

	configure();
	run(sub_flow);
	all = info()->instructions;
	CU_ASSERT_EQUAL(all, 1 + 1 + 20 + 3);
	end();
	for (uint64_t n = 1; n < 6; n++) {
		configure();
		config.itrace.skip = n + 2;
		CU_ASSERT_EQUAL(run(sub_flow), 7 << 8);
		/* The call that waits may be seen whole or not: it is one instruction. */
		CU_ASSERT(info()->instructions == all - n - 2 ||
			  info()->instructions == all - n - 3);
		CU_ASSERT_EQUAL(records_count(PITRACE_ITRACE_START, PITRACE_ITRACE_SKIPPED), 1);
		CU_ASSERT_EQUAL(records_count(PITRACE_ITRACE_START, UINT32_MAX), 1);
		end();
		configure();
		config.itrace.limit = n;
		CU_ASSERT_EQUAL(run(sub_flow), 7 << 8);
		CU_ASSERT_EQUAL(info()->instructions, n);
		CU_ASSERT_EQUAL(records_count(PITRACE_ITRACE_STOP, PITRACE_ITRACE_LIMIT), 1);
		CU_ASSERT_EQUAL(records_count(PITRACE_ITRACE_STOP, UINT32_MAX), 1);
		end();
	}
	configure();
	config.itrace.skip = 5;
	config.itrace.limit = 3;
	CU_ASSERT_EQUAL(run(sub_flow), 7 << 8);
	CU_ASSERT_EQUAL(info()->instructions, 3);
	end();
}

/* Memory with code is recorded, and recorded again when it has changed. */
static void calls(void)
{
	const struct told *t = NULL;

	configure();
	CU_ASSERT_EQUAL(run(sub_calls), 7 << 8);
	is_said((uint32_t)subject,
		BEGINS "b3:1 go>calls|k6:9,9 mapped>mapped|b1:2 first>10000000|c4096 10000000 90|"
		       "b2:2 10000001>firsted|b1:1 firsted>10000000|b2:2 10000001>again|"
		       "b1:2 second>10000000|c4096 10000000 c3|b2:1 10000000>seconded|"
		       "k6:4,157 named>named|k6:4,11 unmapped>unmapped|b3:1 unmapped>exit|" ENDS);
	for (unsigned int i = 0; i < ntold && !t; i++)
		if (told[i].major == PITRACE_MTE && told[i].minor == PITRACE_MTE_MODULE &&
		    told[i].map.start == 0x10000000)
			t = &told[i];
	CU_ASSERT_FATAL(t != NULL);
	CU_ASSERT(t->map.length == 8192 && t->map.flags & PITRACE_MAP_ANON &&
		  t->map.flags & PITRACE_MAP_WRITE && t->map.pid == (uint32_t)subject);
	CU_ASSERT_EQUAL_FATAL(records_count(PITRACE_MTE, PITRACE_MTE_UNMAP), 1);
	t = records_nth(PITRACE_MTE, PITRACE_MTE_UNMAP, 0);
	CU_ASSERT(t->unmap.start == 0x10000000 && t->unmap.length == 8192);
	CU_ASSERT_EQUAL_FATAL(records_count(PITRACE_MTE, PITRACE_MTE_NAME), 1);
	CU_ASSERT_STRING_EQUAL(records_nth(PITRACE_MTE, PITRACE_MTE_NAME, 0)->task.comm, "renamed");
	t = records_nth(PITRACE_CODE, 0, 0);
	CU_ASSERT(t->code.pid == (uint32_t)subject &&
		  t->size == sizeof(struct pitrace_code) + 4096);
	CU_ASSERT_EQUAL(t->data[sizeof(struct pitrace_code) + 1], 0xc3);
	end();
}

/* A signal's handler, and a breakpoint of the program's own. */
static void signals(void)
{
	configure();
	CU_ASSERT_EQUAL(run(sub_signals), 7 << 8);
	is_said((uint32_t)subject,
		BEGINS "b3:1 go>signals|k6:6,13 set>set|k6:3,13 set2>set2|k6:2,39 pid>pid|"
		       "k6:4,62 killed>killed|k4:0,10 killed>handler|b2:2 hret>restorer|"
		       "k5:2,15 restored>killed|k4:2,5 trapped>handler|b2:2 hret>restorer|"
		       "k5:2,15 restored>trapped|b3:1 trapped>exit|" ENDS);
	end();
}

/* A call that a signal interrupts: by a handler, or by one that is ignored. */
static void interrupted(void)
{
	static const char *const want[] = {
		BEGINS
		"b3:1 go>wait|k6:6,13 waits>waits|k6:5,0 waited>waited|k4:0,10 waited>handler|"
		"b2:2 hret>restorer|k5:2,15 restored>waits+13|k6:1,0 waited>waited|"
		"b3:1 waited>exit|" ENDS,
		BEGINS
		"b3:1 go>wait|k6:6,13 waits>waits|k6:5,0 waited>waits+13|k6:1,0 waited>waited|"
		"b3:1 waited>exit|" ENDS,
	};

	for (int how = 0; how < 2; how++) {
		configure();
		start(sub_wait);
		trace();
		begun();
		let_go();
		wait_blocked(subject, other[0]);
		CU_ASSERT_EQUAL(kill(subject, how ? SIGWINCH : SIGUSR1), 0);
		for (int i = 0; i < 20000 && !how &&
				!records_nth(PITRACE_BREAK_USER, PITRACE_BREAK_SIGRETURN, 0);
		     i++) {
			drain();
			usleep(500);
		}
		wait_blocked(subject, other[0]);
		CU_ASSERT_EQUAL(write(other[1], "x", 1), 1);
		CU_ASSERT_EQUAL(ended(), 7 << 8);
		CU_ASSERT_EQUAL(collector_ptrace.off(b), 0);
		drain();
		is_whole();
		is_said((uint32_t)subject, want[how]);
		end();
	}
}

/* Children, if requested; a child that is not followed just has to succeed. */
static void children(void)
{
	static const char forks[] = BEGINS
		"b3:1 go>fork|b3:2 fork+5>split|k6:1,57 forked>forked|k6:8,61 reaped>reaped|"
		"b3:2 well>exit|" ENDS;
	static const char vforks[] = BEGINS
		"b3:1 go>vfork|k6:2,58 forked>forked|k6:8,61 reaped>reaped|b3:2 well>exit|" ENDS;

	for (int how = 0; how < 4; how++) {
		bool follow = how & 1;
		uint32_t child;

		configure();
		config.itrace.flags = follow ? PITRACE_ITRACE_FOLLOW : 0;
		CU_ASSERT_EQUAL(run(how & 2 ? sub_vfork : sub_fork), 7 << 8);
		is_said((uint32_t)subject, how & 2 ? vforks : forks);
		child = child_of((uint32_t)subject);
		CU_ASSERT_EQUAL(child != 0, follow);
		if (follow) {
			is_said(child, "s2:0 forked|b3:2 which>thread_exit|" ENDS);
			CU_ASSERT_EQUAL(tasks(PITRACE_MTE_FORK, child, child), 1);
			CU_ASSERT_EQUAL(tasks(PITRACE_MTE_PROCESS_EXIT, child, child), 1);
		}
		CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_FORK), follow);
		CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_PROCESS_EXIT), 1u + follow);
		end();
	}
}

/* It runs through a sequence without stops; its instructions are still recorded. */
static void sequences(void)
{
	configure();
	wait_is_interrupted = true;
	CU_ASSERT_EQUAL(run(sub_seq), 7 << 8);
	CU_ASSERT(!wait_is_interrupted);
	is_said((uint32_t)subject, BEGINS "b3:1 go>seq|b3:9 once_more>reserve|b3:3 leave>left|"
					  "b3:1 left>exit|" ENDS);
	end();
	configure();
	config.itrace.flags = PITRACE_ITRACE_STEPS;
	CU_ASSERT_EQUAL(run(sub_seq), 7 << 8);
	is_said((uint32_t)subject,
		BEGINS "b3:1 go>seq|b405:1 seq>seq+5|b405:1 seq+5>reserve|b405:1 reserve>inside|"
		       "b405:1 inside>leave|b405:1 leave>stay|b405:1 stay>store|b405:1 store>after|"
		       "b405:1 after>once_more|b3:1 once_more>reserve|b405:1 reserve>inside|"
		       "b405:1 inside>leave|b3:1 leave>left|b3:1 left>exit|b405:1 exit>exit+5|"
		       "b405:1 exit+5>exit+10|e4:1 0|");
	end();
	/* The trace ends within it. */
	configure();
	config.itrace.limit = 1 + 1 + 2 + 3;
	CU_ASSERT_EQUAL(run(sub_seq), 7 << 8);
	is_said((uint32_t)subject, BEGINS "b3:1 go>seq|e7:5 stay|");
	end();
	/* It begins there, at a breakpoint that stays. */
	configure();
	config.itrace.flags = PITRACE_ITRACE_FROM | PITRACE_ITRACE_UNTIL;
	config.itrace.start = (uintptr_t)sub_reserve;
	config.itrace.stop = (uintptr_t)sub_after;
	CU_ASSERT_EQUAL(run(sub_seq), 7 << 8);
	is_said((uint32_t)subject, "s5:0 reserve|e5:5 after|s5:0 reserve|b3:3 leave>left|"
				   "b3:1 left>exit|" ENDS);
	end();
}

/* A child that is not followed runs untraced. */
static void let_alone(void)
{
	char path[100], line[100] = "";
	int tracer = -1;
	pid_t child;
	FILE *f;

	configure();
	start(sub_forks);
	trace();
	begun();
	let_go();
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", subject, subject);
	for (int i = 0; i < 20000 && !atoi(line); i++) {
		f = fopen(path, "re");
		if (!f || !fgets(line, sizeof(line), f))
			line[0] = 0;
		if (f)
			fclose(f);
		usleep(500);
	}
	child = atoi(line);
	CU_ASSERT_FATAL(child > 0);
	wait_blocked(child, other[0]);
	for (int i = 0; i < 5000 && tracer; i++) {
		tracer = (int)status_of(child, "TracerPid:\t", true);
		usleep(1000);
	}
	CU_ASSERT_EQUAL(tracer, 0);
	CU_ASSERT_EQUAL(write(other[1], "x", 1), 1);
	CU_ASSERT_EQUAL(ended(), 7 << 8);
	CU_ASSERT_EQUAL(collector_ptrace.off(b), 0);
	end();
}

#define PARENTS                                                                                  \
	BEGINS "b3:1 go>clone|k6:7,56 cloned>cloned|b1:3 whose+2>common|b2:2 common_ret>parent|" \
	       "b3:1 parent>thread_exit|" ENDS

/* All threads, only the first one, those of a list. */
static void threads(void)
{
	for (int how = 0; how < 4; how++) {
		uint32_t tid = 0;

		configure();
		if (how == 1)
			config.itrace.flags = PITRACE_ITRACE_NO_THREADS;
		if (how == 3)
			config.itrace.scope = PITRACE_ITRACE_ALL;
		start(sub_clone);
		if (how == 2) {
			config.itrace.scope = PITRACE_ITRACE_TIDS;
			config.itrace.listed = 1;
			config.itrace.list[0] = subject;
		}
		trace();
		begun();
		let_go();
		CU_ASSERT_EQUAL(ended(), 0);
		CU_ASSERT_EQUAL(collector_ptrace.off(b), 0);
		drain();
		is_whole();
		is_said((uint32_t)subject, PARENTS);
		tid = child_of((uint32_t)subject);
		CU_ASSERT_EQUAL(tid != 0, how == 0 || how == 3);
		if (tid) {
			is_said(tid, CHILDS);
			CU_ASSERT_EQUAL(tasks(PITRACE_MTE_THREAD, (uint32_t)subject, tid), 1);
			CU_ASSERT_EQUAL(tasks(PITRACE_MTE_THREAD_EXIT, (uint32_t)subject, tid), 1);
		}
		CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_THREAD), 1);
		CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_THREAD_EXIT), 1);
		end();
	}
}

/* Two processes that run already, by their numbers. */
static void by_pids(void)
{
	pid_t first;
	int first_go[2], first_other[2];

	configure();
	start(sub_flow);
	first = subject;
	memcpy(first_go, go, sizeof(go));
	memcpy(first_other, other, sizeof(other));
	start(sub_flow);
	config.scope = PITRACE_SCOPE_SYSTEM;
	config.pid = 0;
	config.itrace.scope = PITRACE_ITRACE_PIDS;
	config.itrace.listed = 2;
	config.itrace.list[0] = first;
	config.itrace.list[1] = subject;
	trace();
	for (int i = 0; i < 20000 && !records_nth(PITRACE_ITRACE_START, UINT32_MAX, 1); i++) {
		drain();
		usleep(500);
	}
	usleep(2000);
	wait_blocked(first, first_go[0]);
	wait_blocked(subject, go[0]);
	let_go();
	CU_ASSERT_EQUAL(write(first_go[1], "x", 1), 1);
	/* Only its tracer may wait for it. */
	for (int i = 0; i < 20000 && !records_nth(PITRACE_ITRACE_STOP, UINT32_MAX, 1); i++) {
		drain();
		usleep(500);
	}
	CU_ASSERT_EQUAL(collector_ptrace.off(b), 0);
	drain();
	is_whole();
	is_said((uint32_t)subject, BEGINS FLOWS ENDS);
	is_said((uint32_t)first, BEGINS FLOWS ENDS);
	close(first_go[0]);
	close(first_go[1]);
	close(first_other[0]);
	close(first_other[1]);
	end();
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "flow", flow },
		{ "bounds", bounds },
		{ "calls", calls },
		{ "signals", signals },
		{ "interrupted", interrupted },
		{ "children", children },
		{ "sequences", sequences },
		{ "let_alone", let_alone },
		{ "threads", threads },
		{ "by_pids", by_pids },
		{},
	};

	return unit_run("backend_ptrace", tests);
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

	return unit_run("backend_ptrace", tests);
}

#endif
