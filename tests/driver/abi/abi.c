// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The driver's ABI, asked wrongly in every way we could think of: each bad call must be refused
 * with the error that it deserves, and each good one work. Runs as root in a guest.
 *	abi [NAME]...      these tests, or all
 *	abi trace MS       one short system-wide trace of all that there is, with stacks: its rings
 *			   are checked, and that each kind of record is there
 *	abi spin MS        use the CPU for so long
 *	abi hold on        open a session, map it, switch it on, say "ready", wait to be killed
 *	abi use FD	the answer that this program gets from a session: 0 or an errno
 *	abi sleeper	leave a stopped process behind that was traced; its pid
 *	abi kernel_sleepers	the same of two that sleep in calls whose kernel side was traced
 *	abi hold mapped    the same, but only the mappings are left and nothing is on
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "abi.h"
#include "itrace.h"

static const struct {
	const char *name;
	void (*run)(void);
} tests[] = {
	{ "info", test_info },
	{ "numbers", test_numbers },
	{ "session_sizes", test_session_sizes },
	{ "session_edge", test_session_edge },
	{ "session_fields", test_session_fields },
	{ "session_rounding", test_session_rounding },
	{ "control_page", test_control_page },
	{ "busy", test_busy },
	{ "setup", test_setup },
	{ "states", test_states },
	{ "suspend", test_suspend },
	{ "consume_arguments", test_consume_arguments },
	{ "consume_lies", test_consume_lies },
	{ "mmap", test_mmap },
	{ "mapping_holds", test_mapping_holds },
	{ "zeroed", test_zeroed },
	{ "poll", test_poll },
	{ "clock", test_clock },
	{ "maps", test_maps },
	{ "lives", test_lives },
	{ "overlay_names", test_overlay_names },
	{ "overlay_root", test_overlay_root },
	{ "overlay_changed", test_overlay_changed },
	{ "wrap", test_wrap },
	{ "crash", test_crash },
	{ "rescan", test_rescan },
	{ "mte_full", test_mte_full },
	{ "stop_suspended", test_stop_suspended },
	{ "number_again", test_number_again },
	{ "consumer_at_on", test_consumer_at_on },
	{ "cpu_at_off", test_cpu_at_off },
	{ "wakes_at_close", test_wakes_at_close },
	{ "permissions", test_permissions },
	{ "scope", test_scope },
	{ "memlock", test_memlock },
	{ "handed", test_handed },
	{ "hook_arguments", test_hook_arguments },
	{ "hook_listen", test_hook_listen },
	{ "hook_file", test_hook_file },
	{ "hook_record", test_hook_record },
	{ "hook_crowd", test_hook_crowd },
	{ "hook_budget", test_hook_budget },
	{ "member_rights", test_member_rights },
	{ "member_share", test_member_share },
	{ "member_shown", test_member_shown },
	{ "member_exec", test_member_exec },
	{ "member_rates", test_member_rates },
	{ "follow_sleeper", test_follow_sleeper },
	{ "follow_turns", test_follow_turns },
	{ "follow_pauses", test_follow_pauses },
	{ "event_fields", test_event_fields },
	{ "event_software", test_event_software },
	{ "event_throttled", test_event_throttled },
	{ "event_cycles", test_event_cycles },
	{ "event_cpus", test_event_cpus },
	{ "stack_fields", test_stack_fields },
	{ "stack_chain", test_stack_chain },
	{ "stack_copy", test_stack_copy },
	{ "stack_kernel", test_stack_kernel },
	{ "stack_dispatch", test_stack_dispatch },
	{ "left", test_left },
	{ "woken", test_woken },
	{ "call_contents", test_call_contents },
	{ "fault_contents", test_fault_contents },
	{ "interrupts", test_interrupts },
	{ "ptt_fields", test_ptt_fields },
	{ "ptt_maps", test_ptt_maps },
	{ "ptt_books", test_ptt_books },
	{ "ptt_unwatched", test_ptt_unwatched },
	{ "ptt_kin", test_ptt_kin },
	{ "ptt_clock", test_ptt_clock },
	{ "ptt_own", test_ptt_own },
	{ "ptt_two", test_ptt_two },
	{ "ptt_ends", test_ptt_ends },
	{ "ptt_order", test_ptt_order },
	{ "ptt_reuse", test_ptt_reuse },
	{ "ptt_crowd", test_ptt_crowd },
	{ "ptt_removed", test_ptt_removed },
	{ "ptt_charge", test_ptt_charge },
	{ "ptt_rights", test_ptt_rights },
	{ "ptt_exec", test_ptt_exec },
	{ "ptt_cpus", test_ptt_cpus },
	{ "ptt_event_fields", test_ptt_event_fields },
	{ "ptt_paranoid", test_ptt_paranoid },
	{ "ptt_faults", test_ptt_faults },
	{ "ptt_hardware", test_ptt_hardware },
	{ "ptt_too_many", test_ptt_too_many },
	{ "ptt_event_cpus", test_ptt_event_cpus },
	{ "itrace_fields", test_itrace_fields },
#ifdef TRACED_HERE
	{ "itrace_loop", test_itrace_loop },
	{ "itrace_children", test_itrace_children },
	{ "itrace_scopes", test_itrace_scopes },
	{ "itrace_exec", test_itrace_exec },
	{ "itrace_limits", test_itrace_limits },
	{ "itrace_code", test_itrace_code },
	{ "itrace_debugger", test_itrace_debugger },
	{ "itrace_wait", test_itrace_wait },
	{ "itrace_storm", test_itrace_storm },
	{ "itrace_taken", test_itrace_taken },
	{ "itrace_forks", test_itrace_forks },
	{ "itrace_stopped", test_itrace_stopped },
	{ "itrace_frozen", test_itrace_frozen },
	{ "itrace_consumer", test_itrace_consumer },
	{ "itrace_uprobe", test_itrace_uprobe },
	{ "itrace_member", test_itrace_member },
	{ "itrace_dying", test_itrace_dying },
	{ "itrace_gains", test_itrace_gains },
	{ "itrace_probed", test_itrace_probed },
	{ "itrace_answered", test_itrace_answered },
	{ "itrace_born_in_pause", test_itrace_born_in_pause },
	{ "itrace_crowd", test_itrace_crowd },
	{ "itrace_together", test_itrace_together },
	{ "itrace_overlay", test_itrace_overlay },
	{ "itrace_halt", test_itrace_halt },
#endif
#ifdef __x86_64__
	/* Elsewhere a walk cannot know where a function begins, compilers here make no 32-bit code,
	 * no flags that a program reads hold the trap, no module makes the kernel fault, and whole
	 * programs are compared with a judge who knows the emulator's steps (suite_itrace.sh). */
	{ "member_32bit", test_member_32bit },
	{ "stack_each_instruction", test_stack_each_instruction },
	{ "stack_32bit", test_stack_32bit },
	{ "itrace_equal", test_itrace_equal },
	{ "itrace_flags", test_itrace_flags },
	{ "itrace_32bit", test_itrace_32bit },
	{ "itrace_interrupted", test_itrace_interrupted },
	{ "kernel_itrace_exceptions", test_kernel_itrace_exceptions },
#endif
#ifdef KERNEL_TRACED_HERE
	{ "kernel_itrace_calls", test_kernel_itrace_calls },
	{ "kernel_itrace_alone", test_kernel_itrace_alone },
	{ "kernel_itrace_exec", test_kernel_itrace_exec },
	{ "kernel_itrace_faults", test_kernel_itrace_faults },
	{ "kernel_itrace_sleeps", test_kernel_itrace_sleeps },
	{ "kernel_itrace_signals", test_kernel_itrace_signals },
	{ "kernel_itrace_interrupts", test_kernel_itrace_interrupts },
	{ "kernel_itrace_limits", test_kernel_itrace_limits },
	{ "kernel_itrace_storm", test_kernel_itrace_storm },
#endif
	{ "kernel_itrace_refused", test_kernel_itrace_refused },
};

/* ---- not tests, but parts of them ------------------------------------------------------------ */

/* Records by their majors, MTE records by their minors. */
struct kinds {
	unsigned long major[PITRACE_MAJORS], mte[256];
};

static void count_kind(const struct pitrace_rec *rec, void *kinds)
{
	struct kinds *k = kinds;

	k->major[rec->major & 0xFF]++;
	if (rec->major == PITRACE_MTE)
		k->mte[rec->minor & 0xFF]++;
}

/* Every hook was there and spoke. */
static void check_kinds(const struct view *v, const __u64 *majors)
{
	static const unsigned char want[] = {
		PITRACE_FAULT, PITRACE_INTERRUPT, PITRACE_SYSCALL, PITRACE_TPROF,
		PITRACE_DISPATCH, PITRACE_WAKEUP, PITRACE_HOOKIT,
	}, want_mte[] = {
		PITRACE_MTE_MODULE, PITRACE_MTE_UNMAP, PITRACE_MTE_NAME, PITRACE_MTE_FORK,
		PITRACE_MTE_THREAD, PITRACE_MTE_THREAD_EXIT, PITRACE_MTE_PROCESS,
		PITRACE_MTE_PROCESS_EXIT,
	};
	struct kinds k = { 0 };
	unsigned int i;

	each_record(v, PITRACE_RING_MTE, count_kind, &k);
	each_record(v, PITRACE_RING_TRACE, count_kind, &k);
	printf("# records of majors");
	for (i = 0; i < sizeof(want); i++) {
		check(majors[want[i] / 64] >> want[i] % 64 & 1);
		printf(" %#x: %lu", want[i], k.major[want[i]]);
		if (!k.major[want[i]])
			wrong("no record of major %#x", want[i]);
	}
	printf(", MTE");
	for (i = 0; i < sizeof(want_mte); i++) {
		printf(" %#x: %lu", want_mte[i], k.mte[want_mte[i]]);
		if (!k.mte[want_mte[i]])
			wrong("no MTE record of minor %#x", want_mte[i]);
	}
	printf("\n");
}

/* A process that forks, runs a program, maps, unmaps, takes a name, has a thread, and ends. */
static void one_life(void)
{
	pid_t pid = fork();
	int status = -1;

	if (!pid) {
		execlp("load", "load", "child", (char *)NULL);
		_exit(127);
	}
	check(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
}

static int trace(long ms)
{
	struct pitrace_session_args args = plain();
	struct pitrace_setup_args setup = setup_args(5000);
	struct pitrace_info i = info();
	struct view v;
	int hook;

	memcpy(setup.majors, i.majors, sizeof(setup.majors));
	setup.stacks = PITRACE_WANT_KERNEL | PITRACE_WANT_USER | PITRACE_WANT_DISPATCH;
	args.mte_bytes = 4 * MB;
	args.trace_bytes = 4 * MB;
	if (!begin(&v, args, 5000))
		return 1;
	want(0, ioctl(v.fd, PITRACE_IOC_SETUP, &setup));
	hook = hook_open();
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	want(0, hook_put(hook, PITRACE_HOOKIT, 1, 2));
	one_life();
	nap(ms);
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	close(hook);
	check(check_rings(&v) > 0);
	check(lost(&v, PITRACE_LOST_MTE) == 0);
	check_kinds(&v, i.majors);
	unview(&v);
	return bad != 0;
}

static int hold(const char *how)
{
	struct view v;

	if (!begin(&v, plain(), 1000))
		return 1;
	if (!strcmp(how, "on") && want(0, ioctl(v.fd, PITRACE_IOC_ON)))
		return 1;
	if (!strcmp(how, "mapped"))
		close(v.fd);
	printf("ready\n");
	fflush(stdout);
	for (;;)
		pause();
}

/* With how long it took, to find the slow ones. */
static void run(unsigned int i)
{
	struct timespec from, to;

	bad = 0;
	clock_gettime(CLOCK_MONOTONIC, &from);
	tests[i].run();
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("# %s: %ld ms\n", tests[i].name,
	       (to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / 1000000);
	printf(bad ? "not ok abi_%s\n" : "ok abi_%s\n", tests[i].name);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	unsigned int i;
	int failed = 0, k;

	if (argc == 3 && !strcmp(argv[1], "trace"))
		return trace(atol(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "spin")) {
		spin(atol(argv[2]));
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "use"))
		return use_session(atoi(argv[2]));
#ifdef TRACED_HERE
	if (argc == 2 && !strcmp(argv[1], "sleeper"))
		return leave_sleeper();
#endif
#ifdef KERNEL_TRACED_HERE
	if (argc == 2 && !strcmp(argv[1], "kernel_sleepers"))
		return leave_kernel_sleepers();
#endif
	if (argc == 3 && !strcmp(argv[1], "hold"))
		return hold(argv[2]);
	/* Nothing else can be tested after it. */
	if (argc == 2 && !strcmp(argv[1], "locked_down")) {
		test_locked_down();
		puts(bad ? "not ok abi_locked_down" : "ok abi_locked_down");
		return bad != 0;
	}
	for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		bool chosen = argc < 2;

		for (k = 1; k < argc; k++)
			chosen |= !fnmatch(argv[k], tests[i].name, 0);
		if (!chosen)
			continue;
		/* If the driver does not support instruction traces, the test checks that it
		 * refuses them. */
		if (!strncmp(tests[i].name, "itrace_", 7) &&
		    strcmp(tests[i].name, "itrace_fields") && !(info().have & PITRACE_HAVE_ITRACE))
			continue;
		if (!strncmp(tests[i].name, "kernel_", 7) &&
		    strcmp(tests[i].name, "kernel_itrace_refused") &&
		    !(info().majors[0] >> PITRACE_BRANCH_KERNEL & 1))
			continue;
		/* abi.sh loads it where there is one: the debug kernel has none. */
		if (strstr(tests[i].name, "overlay") && access("/sys/module/overlay", F_OK))
			continue;
		run(i);
		failed |= bad;
	}
	return failed != 0;
}
