// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The driver's ABI, asked wrongly in every way we could think of: each bad call must be refused
 * with the error that it deserves, and each good one work. Runs as root in a guest.
 *	abi [NAME]...      these tests, or all
 *	abi trace MS       one short system-wide trace of all that there is, its rings checked
 *	abi spin MS        use the CPU for so long
 *	abi hold on        open a session, map it, switch it on, say "ready", wait to be killed
 *	abi hold mapped    the same, but only the mappings are left and nothing is on
 */
#include <stdio.h>
#include <stdlib.h>
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
};

/* ---- not tests, but parts of them ------------------------------------------------------------ */

static int trace(long ms)
{
	struct pitrace_session_args args = plain();
	struct pitrace_setup_args setup = setup_args(5000);
	struct pitrace_info i = info();
	long records;
	struct view v;

	memcpy(setup.majors, i.majors, sizeof(setup.majors));
	args.mte_bytes = 4 * MB;
	args.trace_bytes = 1 * MB;
	if (!begin(&v, args, 5000))
		return 1;
	want(0, ioctl(v.fd, PITRACE_IOC_SETUP, &setup));
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	nap(ms);
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	records = check_rings(&v);
	check(records > 0);
	check(lost(&v, PITRACE_LOST_MTE) == 0);
	printf("# %ld records\n", records);
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
