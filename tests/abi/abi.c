// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The driver's ABI, asked wrongly in every way we could think of: each bad call must be refused
 * with the error that it deserves, and each good one work. Runs as root in a guest.
 *	abi [NAME]...      these tests, or all
 *	abi trace MS       one short system-wide trace of all that there is, with stacks: its rings
 *			   are checked, and that each kind of record is there
 *	abi spin MS        use the CPU for so long
 *	abi hold on        open a session, map it, switch it on, say "ready", wait to be killed
 *	abi hold mapped    the same, but only the mappings are left and nothing is on
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "abi.h"

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
	{ "wrap", test_wrap },
	{ "crash", test_crash },
	{ "rescan", test_rescan },
	{ "mte_full", test_mte_full },
	{ "stop_suspended", test_stop_suspended },
	{ "number_again", test_number_again },
	{ "consumer_at_on", test_consumer_at_on },
	{ "cpu_at_off", test_cpu_at_off },
	{ "permissions", test_permissions },
	{ "scope", test_scope },
	{ "memlock", test_memlock },
	{ "hook_arguments", test_hook_arguments },
	{ "hook_listen", test_hook_listen },
	{ "hook_record", test_hook_record },
	{ "hook_crowd", test_hook_crowd },
	{ "hook_budget", test_hook_budget },
	{ "member_rights", test_member_rights },
	{ "member_share", test_member_share },
	{ "member_shown", test_member_shown },
	{ "member_exec", test_member_exec },
	{ "member_32bit", test_member_32bit },
	{ "event_fields", test_event_fields },
	{ "event_software", test_event_software },
	{ "event_throttled", test_event_throttled },
	{ "event_cycles", test_event_cycles },
	{ "event_cpus", test_event_cpus },
	{ "stack_fields", test_stack_fields },
	{ "stack_chain", test_stack_chain },
	{ "stack_each_instruction", test_stack_each_instruction },
	{ "stack_copy", test_stack_copy },
	{ "stack_kernel", test_stack_kernel },
	{ "stack_dispatch", test_stack_dispatch },
	{ "stack_32bit", test_stack_32bit },
	{ "left", test_left },
	{ "woken", test_woken },
	{ "call_contents", test_call_contents },
	{ "fault_contents", test_fault_contents },
	{ "interrupts", test_interrupts },
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
			chosen |= !strcmp(argv[k], tests[i].name);
		if (!chosen)
			continue;
		bad = 0;
		tests[i].run();
		printf(bad ? "not ok abi_%s\n" : "ok abi_%s\n", tests[i].name);
		fflush(stdout);
		failed |= bad;
	}
	return failed != 0;
}
