// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The collector `perf` on a kernel of the test's own: which events it opens and how, what it says
 * where the kernel refuses, how it turns them on and off, what its modes keep and hand over, and
 * that after an error nothing stays open. (Linked with --wrap: perf_event_open(2) gives files in
 * memory.)
 */
#include "fake_perf.h"

/* ---- attributes ------------------------------------------------------------------------------ */

static void attributes(void)
{
	struct pitrace_event_args *e = config.events;
	struct perf_event_attr a;

	begin();
	a = attr(PERF_NAMES, 0, false);
	CU_ASSERT(a.mmap && a.mmap2 && a.comm && a.comm_exec && a.task && a.ksymbol);
	CU_ASSERT(!a.build_id && !a.context_switch && !a.inherit);
	CU_ASSERT(a.exclude_kernel && a.exclude_hv && a.config == PERF_COUNT_SW_DUMMY &&
		  a.type == PERF_TYPE_SOFTWARE && !a.sample_period);
	a = attr(PERF_SWITCHES, 0, false);
	CU_ASSERT(a.context_switch && !a.mmap && !a.mmap2 && !a.comm && !a.task && !a.inherit);
	a = attr(PERF_SAMPLES, 0, false);
	CU_ASSERT(!a.exclude_kernel && !a.exclude_hv && !a.exclude_callchain_kernel);
	CU_ASSERT(a.config == PERF_COUNT_SW_CPU_CLOCK && a.sample_period == 1000000 && !a.freq);
	CU_ASSERT(a.sample_type & PERF_SAMPLE_IP && a.sample_type & PERF_SAMPLE_PERIOD);
	CU_ASSERT(!(a.sample_type & (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER)));
	a = attr(PERF_SAMPLES, 0, true);
	CU_ASSERT(a.exclude_kernel && a.exclude_hv && a.exclude_callchain_kernel);
	config.scope = PITRACE_SCOPE_PROCESS;
	CU_ASSERT(attr(PERF_NAMES, 0, false).inherit);
	CU_ASSERT(attr(PERF_SAMPLES, 0, false).inherit);
	CU_ASSERT(!attr(PERF_SWITCHES, 0, false).inherit);

	/* Events, by rate and by count. */
	config.nevents = 2;
	e[0] = (struct pitrace_event_args){ .flags = PITRACE_EVENT_RATE | PITRACE_EVENT_USER,
					    .type = PERF_TYPE_HARDWARE,
					    .config = 7,
					    .config1 = 8,
					    .config2 = 9,
					    .period = 500 };
	e[1] = (struct pitrace_event_args){ .flags = PITRACE_EVENT_RATE | PITRACE_EVENT_KERNEL,
					    .type = PERF_TYPE_TRACEPOINT,
					    .config = 3,
					    .period = 600 };
	a = attr(PERF_SAMPLES, 0, false);
	CU_ASSERT(a.type == PERF_TYPE_HARDWARE && a.config == 7 && a.config1 == 8 &&
		  a.config2 == 9);
	CU_ASSERT(a.freq && a.sample_freq == 500 && a.exclude_kernel && !a.exclude_user);
	CU_ASSERT(a.exclude_guest && a.sample_type & PERF_SAMPLE_PERIOD);
	a = attr(PERF_SAMPLES, 1, false);
	CU_ASSERT(a.type == PERF_TYPE_TRACEPOINT && a.config == 3 && a.sample_freq == 600);
	CU_ASSERT(!a.exclude_kernel && a.exclude_user && !a.exclude_guest);
	e[0].flags = 0;
	e[0].type = PERF_TYPE_SOFTWARE;
	a = attr(PERF_SAMPLES, 0, false);
	CU_ASSERT(!a.freq && a.sample_period == 500 && !a.exclude_guest);
	CU_ASSERT(!(a.sample_type & PERF_SAMPLE_PERIOD));
}

static void stack_attributes(void)
{
	static const struct {
		uint32_t stacks, depth;
		const char *most;
		unsigned int want;
	} tries[] = {
		{ PITRACE_WANT_USER, 0, "127\n", 127 },
		{ PITRACE_WANT_USER, 5, "127\n", 5 },
		{ PITRACE_WANT_KERNEL, 5, "127\n", 5 },
		{ PITRACE_WANT_KERNEL | PITRACE_WANT_USER, 5, "127\n", 10 },
		{ PITRACE_WANT_KERNEL | PITRACE_WANT_USER, 0, "200\n", 200 },
		{ PITRACE_WANT_KERNEL | PITRACE_WANT_USER, 0, "254\n", 254 },
		{ PITRACE_WANT_KERNEL | PITRACE_WANT_USER, 0, "255\n", 254 },
		{ PITRACE_WANT_USER, 50, NULL, 50 },
		{ PITRACE_WANT_USER | PITRACE_WANT_KERNEL, 0, NULL, 127 },
		{ PITRACE_WANT_USER, 50, "many\n", 50 },
	};
	struct perf_event_attr a;

	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		begin();
		config.stacks = tries[i].stacks;
		config.depth = tries[i].depth;
		max_stack = tries[i].most;
		a = attr(PERF_SAMPLES, 0, false);
		CU_ASSERT(a.sample_type & PERF_SAMPLE_CALLCHAIN);
		CU_ASSERT_EQUAL(a.sample_max_stack, tries[i].want);
		CU_ASSERT_EQUAL(!a.exclude_callchain_kernel,
				!!(tries[i].stacks & PITRACE_WANT_KERNEL));
		CU_ASSERT_EQUAL(!a.exclude_callchain_user, !!(tries[i].stacks & PITRACE_WANT_USER));
		CU_ASSERT(!(a.sample_type & (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)));
	}
	config.stacks = PITRACE_WANT_COPY;
	a = attr(PERF_SAMPLES, 0, false);
	CU_ASSERT(a.sample_type & PERF_SAMPLE_REGS_USER && a.sample_type & PERF_SAMPLE_STACK_USER);
	CU_ASSERT(!(a.sample_type & PERF_SAMPLE_CALLCHAIN) && !a.sample_max_stack);
	CU_ASSERT(a.sample_stack_user == PITRACE_STACK_COPY_MAX);
	CU_ASSERT(a.sample_regs_user == perf_user_registers());
	config.copy = 1023;
	CU_ASSERT_EQUAL(attr(PERF_SAMPLES, 0, false).sample_stack_user, 1016);
	config.stacks = PITRACE_WANT_DISPATCH;
	a = attr(PERF_SAMPLES, 0, false);
	CU_ASSERT(!(a.sample_type & (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER)));
}

/* Attributes that an older kernel does not know are dropped one by one, and only those. */
static int knows;

static int refuse_known(const struct perf_event_attr *a, pid_t pid, int cpu)
{
	(void)pid;
	(void)cpu;
	if (knows < 1 && a->ksymbol)
		return EINVAL;
	if (knows < 2 && a->read_format & PERF_FORMAT_LOST)
		return EINVAL;
	return knows == 4 ? EINVAL : knows == 5 ? EACCES : 0;
}

static void older_kernels(void)
{
	static const int gives[] = { 0, 0, 0, 0, -EINVAL, -EACCES };

	for (knows = 0; knows < 6; knows++) {
		struct perf_event_attr a;
		int fd;

		begin();
		a = attr(PERF_NAMES, 0, false);
		refuses = refuse_known;
		fd = perf_open(&a, 5, 1);
		CU_ASSERT_EQUAL(fd < 0 ? fd : 0, gives[knows]);
		if (fd >= 0) {
			CU_ASSERT(event[0].pid == 5 && event[0].cpu == 1);
			CU_ASSERT_EQUAL(!!a.ksymbol, knows > 0);
			CU_ASSERT_EQUAL(!!(a.read_format & PERF_FORMAT_LOST), knows > 1);
			close(fd);
		}
	}
	CU_ASSERT_EQUAL(opened, 1); /* EACCES: at once */
}

/* ---- what is refused ------------------------------------------------------------------------- */

static struct collector_check check;

static bool says(const char *words, const char *cure)
{
	bool is = words ? strstr(check.why, words) != NULL : !*check.why;

	is = is && (cure ? strstr(check.cure, cure) != NULL : !*check.cure);
	if (!is)
		printf("# %s; %s\n", check.why, check.cure);
	return is;
}

static void refusals(void)
{
	static const struct {
		int err;
		uint32_t scope;
		int pid;
		const char *paranoid;
		uint64_t caps;
		const char *status, *lockdown;
		enum collector_state state;
		const char *why, *cure;
	} tries[] = {
		{ EACCES, 0, 0, "1", 0, "", NULL, COLLECTOR_REFUSED,
		  "perf_event_paranoid is 1, and this user has no CAP_PERFMON: the whole system may not be traced",
		  "perf_event_paranoid=0, or run it as root (sudo)" },
		{ EPERM, 1, 5, "3", 0, "", NULL, COLLECTOR_REFUSED,
		  "perf_event_paranoid is 3, and this user has no CAP_PERFMON: no process may be traced",
		  "perf_event_paranoid=1" },
		{ EPERM, 1, 5, "2", 0, "", NULL, COLLECTOR_REFUSED, "process 5 is another user's",
		  "sudo" },
		{ EPERM, 1, 0, "2", 0, "", NULL, COLLECTOR_REFUSED, "a security module?", "sudo" },
		{ EPERM, 0, 0, "0", 0, "", NULL, COLLECTOR_REFUSED, "a security module?", "sudo" },
		{ EPERM, 0, 5, "0", 0, "", NULL, COLLECTOR_REFUSED, "a security module?", "sudo" },
		{ EPERM, 0, 0, "4", 1ull << 38, "", NULL, COLLECTOR_REFUSED, "a security module?",
		  "sudo" },
		{ EPERM, 0, 0, "4", 1ull << CAP_SYS_ADMIN, "", NULL, COLLECTOR_REFUSED,
		  "a security module?", "sudo" },
		{ EPERM, 0, 0, "4", 1ull << 37 | 1ull << 39 | 1 << 6, "", NULL, COLLECTOR_REFUSED,
		  "perf_event_paranoid is 4", "sysctl" },
		{ EPERM, 0, 0, "0", 0, "A: 1\nSeccomp:\t2\nSeccomp_filters: 3\n", NULL,
		  COLLECTOR_REFUSED, "a system call filter (seccomp) refuses", "docker run" },
		{ EPERM, 0, 0, "0", 0, "A: 1\nSeccomp:\t1\n", NULL, COLLECTOR_REFUSED,
		  "a security module?", "sudo" },
		{ EPERM, 0, 0, "0", 0, NULL, NULL, COLLECTOR_REFUSED, "a security module?",
		  "sudo" },
		{ EPERM, 0, 0, "4", 0, "", "none integrity [confidentiality]\n", COLLECTOR_REFUSED,
		  "the kernel is locked down", NULL },
		{ EPERM, 0, 0, "4", 0, "", "none [integrity] confidentiality\n", COLLECTOR_REFUSED,
		  "perf_event_paranoid is 4", "sysctl" },
		{ EPERM, 0, 0, "4", 0, "", "", COLLECTOR_REFUSED, "perf_event_paranoid is 4",
		  "sysctl" },
		{ ENOSYS, 0, 0, "2", 0, "", NULL, COLLECTOR_REFUSED, "hides perf_event_open",
		  "filter" },
		{ ENOSYS, 0, 0, NULL, 0, "Seccomp: 2\n", NULL, COLLECTOR_REFUSED,
		  "hides perf_event_open", "filter" },
		{ ENOSYS, 0, 0, NULL, 0, "", NULL, COLLECTOR_ABSENT,
		  "no perf events (CONFIG_PERF_EVENTS)", NULL },
		{ ENOSYS, 0, 0, "x", 0, "", NULL, COLLECTOR_ABSENT, "no perf events", NULL },
		{ ENOENT, 0, 0, "2", 0, "", NULL, COLLECTOR_ABSENT,
		  "cannot sample the event cpu-clock", "swtrace event list" },
		{ EOPNOTSUPP, 0, 0, "2", 0, "", NULL, COLLECTOR_ABSENT, "cannot sample the event",
		  "swtrace event list" },
		{ ENODEV, 0, 0, "2", 0, "", NULL, COLLECTOR_ABSENT, "cannot sample the event",
		  "swtrace event list" },
		{ ESRCH, 1, 777, "2", 0, "", NULL, COLLECTOR_REFUSED, "no process 777", NULL },
		{ EMFILE, 0, 0, "2", 0, "", NULL, COLLECTOR_REFUSED, "too many open files",
		  "ulimit -n" },
		{ ENFILE, 0, 0, "2", 0, "", NULL, COLLECTOR_REFUSED, "too many open files",
		  "ulimit -n" },
		{ EIO, 0, 0, "2", 0, "", NULL, COLLECTOR_REFUSED,
		  "perf_event_open: Input/output error", NULL },
	};

	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		begin();
		refuses = refuse;
		refuse_with = tries[i].err;
		refuse_kernel = refuse_switches = 0;
		config.scope = tries[i].scope;
		config.pid = tries[i].pid;
		paranoid = tries[i].paranoid;
		capabilities = tries[i].caps;
		status = tries[i].status;
		lockdown = tries[i].lockdown;
		collector_perf.check(&config, &check);
		if (check.state != tries[i].state)
			printf("# refusal %zu\n", i);
		CU_ASSERT_EQUAL(check.state, tries[i].state);
		CU_ASSERT(says(tries[i].why, tries[i].cure));
		/* It is not opened then, with the same words. */
		b = collector_perf.open(&config, &rc, why, sizeof(why));
		CU_ASSERT_PTR_NULL(b);
		CU_ASSERT_EQUAL(rc, check.state == COLLECTOR_REFUSED ? PI_NO_PERMISSION :
								       PI_NOT_SUPPORTED);
		CU_ASSERT(strstr(why, check.why) && strstr(why, check.cure));
		CU_ASSERT(fcntl(0, F_GETFD) >= 0); /* nothing else was closed */
		CU_ASSERT_EQUAL(strstr(why, "; ") != NULL && *check.cure, !!*check.cure);
	}
	begin();
	refuses = refuse;
	refuse_with = ENOENT;
	config.nevents = 1;
	strcpy(config.events[0].name, "bus-cycles");
	collector_perf.check(&config, &check);
	CU_ASSERT(says("cannot sample the event bus-cycles", "swtrace"));
}

/* A user to whom the kernel's code is not shown. */
static void user_only(void)
{
	struct pitrace_event_args *e = config.events;
	bool only;

	begin();
	refuses = refuse;
	refuse_with = refuse_switches = 0;
	refuse_kernel = EACCES;
	paranoid = "2\n";
	config.scope = PITRACE_SCOPE_PROCESS;
	config.pid = 77;
	perf_check(&config, &check, &only);
	CU_ASSERT(only && check.state == COLLECTOR_WORKS);
	CU_ASSERT(says("user code only: perf_event_paranoid is 2", "perf_event_paranoid=1"));
	CU_ASSERT(event[0].pid == 77 && event[0].cpu == -1 && !still_open());
	/* The stacks of both: the user's part is left. */
	config.stacks = PITRACE_WANT_KERNEL | PITRACE_WANT_USER;
	perf_check(&config, &check, &only);
	CU_ASSERT(only && check.state == COLLECTOR_WORKS);
	config.stacks = PITRACE_WANT_KERNEL | PITRACE_WANT_COPY;
	perf_check(&config, &check, &only);
	CU_ASSERT(check.state == COLLECTOR_WORKS);
	config.stacks = PITRACE_WANT_KERNEL | PITRACE_WANT_DISPATCH;
	perf_check(&config, &check, &only);
	CU_ASSERT(check.state == COLLECTOR_REFUSED);
	CU_ASSERT(says("stacks of the kernel alone: perf_event_paranoid 2", "sudo"));
	config.stacks = 0;
	/* Events that count only in the kernel. */
	config.nevents = 2;
	e[1] = (struct pitrace_event_args){ .type = PERF_TYPE_SOFTWARE, .name = "second" };
	e[0] = e[1];
	perf_check(&config, &check, &only);
	CU_ASSERT(check.state == COLLECTOR_WORKS);
	for (int how = 0; how < 6; how++) {
		e[1].flags = how == 0 ? PITRACE_EVENT_KERNEL : 0;
		e[1].type = how == 1 || how == 5 ? PERF_TYPE_TRACEPOINT : PERF_TYPE_SOFTWARE;
		e[1].config = how == 2 ? PERF_COUNT_SW_CONTEXT_SWITCHES :
			      how == 3 ? PERF_COUNT_SW_CPU_MIGRATIONS :
					 PERF_COUNT_SW_PAGE_FAULTS;
		perf_check(&config, &check, &only);
		CU_ASSERT_EQUAL(check.state, how == 4 ? COLLECTOR_WORKS : COLLECTOR_REFUSED);
		CU_ASSERT_EQUAL(perf_in_kernel(&e[1]), how != 4);
		CU_ASSERT(
			how == 4 ||
			says("the event second is counted in the kernel's code, which perf_event_paranoid 2",
			     "sudo"));
	}
	config.nevents = 0;
	e[1].type = PERF_TYPE_HARDWARE;
	e[1].config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	CU_ASSERT(!perf_in_kernel(&e[1]));
	/* There is no partial access for the whole system. */
	config.scope = PITRACE_SCOPE_SYSTEM;
	perf_check(&config, &check, &only);
	CU_ASSERT(!only && check.state == COLLECTOR_REFUSED);
	CU_ASSERT(event[nevents - 1].pid == 77);
	/* And who is refused in both ways is. */
	config.scope = PITRACE_SCOPE_PROCESS;
	refuse_with = EACCES;
	perf_check(&config, &check, &only);
	CU_ASSERT(check.state == COLLECTOR_REFUSED);
	/* Another error is not a sign of that. */
	refuse_kernel = EPERM;
	refuse_with = 0;
	perf_check(&config, &check, &only);
	CU_ASSERT(check.state == COLLECTOR_REFUSED);
	refuse_kernel = 0;
	perf_check(&config, &check, &only);
	CU_ASSERT(!only && check.state == COLLECTOR_WORKS && says(NULL, NULL));
	CU_ASSERT_EQUAL(still_open(), 0);
	config.clock = PITRACE_CLOCK_TSC;
	collector_perf.check(&config, &check);
	CU_ASSERT(check.state == COLLECTOR_ABSENT && says("not with the TSC", NULL));
}

static void dispatches_refused(void)
{
	bool only;

	for (int how = 0; how < 7; how++) {
		begin();
		refuses = refuse;
		refuse_with = 0;
		refuse_kernel = how == 6 ? EACCES : 0;
		refuse_switches = how == 2 ? EMFILE : how == 4 ? EPERM : EACCES;
		config.scope = PITRACE_SCOPE_PROCESS;
		config.pid = 77;
		paranoid = how == 3 ? "0\n" : how == 5 ? "1\n" : "2\n";
		if (how)
			set(config.majors, PITRACE_DISPATCH);
		perf_check(&config, &check, &only);
		CU_ASSERT_EQUAL(check.state, how ? COLLECTOR_REFUSED : COLLECTOR_WORKS);
		CU_ASSERT_EQUAL(strstr(check.why, "dispatch records are of whole CPUs: ") ==
					check.why,
				how == 1 || how >= 4);
		CU_ASSERT_EQUAL(strstr(check.why, "the whole system may not be traced") != NULL,
				how == 1 || how >= 4);
		CU_ASSERT_EQUAL(still_open(), 0);
	}
	refuse_switches = 0;
	perf_check(&config, &check, &only);
	CU_ASSERT(check.state == COLLECTOR_WORKS && !still_open());
	/* For the whole system: on the first CPU, for all threads. */
	CU_ASSERT(event[nevents - 1].attr.context_switch && event[nevents - 1].pid == -1 &&
		  event[nevents - 1].cpu == 0);
}

/* ---- events and rings ------------------------------------------------------------------------ */

static int goes_offline(const struct perf_event_attr *a, pid_t pid, int cpu)
{
	(void)pid;
	return cpu == 1 && !a->mmap2 ? ENODEV : 0;
}

/* Names, then pairs that take turns; the first of a kind has the ring. */
static void system_events(void)
{
	struct fake_event *first;

	struct rlimit r, low;

	begin();
	conf = 4;
	offline = 1;
	config.dither = 50;
	CU_ASSERT_EQUAL(getrlimit(RLIMIT_NOFILE, &r), 0);
	low = (struct rlimit){ r.rlim_max - 1, r.rlim_max };
	CU_ASSERT_EQUAL(setrlimit(RLIMIT_NOFILE, &low), 0);
	open_it();
	CU_ASSERT(!getrlimit(RLIMIT_NOFILE, &low) && low.rlim_cur == r.rlim_max);
	CU_ASSERT_EQUAL(setrlimit(RLIMIT_NOFILE, &r), 0);
	CU_ASSERT_EQUAL(info()->ncpus, 3);
	CU_ASSERT_EQUAL(still_open(), 9);
	CU_ASSERT_EQUAL(watched, 9);
	for (int cpu = 0; cpu < 4; cpu++) {
		if (cpu == 1)
			continue;
		first = find(cpu, PERF_NAMES, 0);
		CU_ASSERT_FATAL(first && !find(cpu, PERF_NAMES, 1));
		CU_ASSERT(first->ring.bytes == 65536 && first->pid == -1);
		first = find(cpu, PERF_SAMPLES, 0);
		CU_ASSERT_FATAL(first && find(cpu, PERF_SAMPLES, 1) && !find(cpu, PERF_SAMPLES, 2));
		CU_ASSERT_EQUAL(first->ring.bytes, 131072);
		CU_ASSERT_EQUAL(find(cpu, PERF_SAMPLES, 1)->output, first->fd);
		CU_ASSERT_PTR_NULL(find(cpu, PERF_SAMPLES, 1)->ring.page);
		CU_ASSERT_EQUAL(first->attr.sample_period, perf_dither_period(&config, 0, 0));
		CU_ASSERT_EQUAL(find(cpu, PERF_SAMPLES, 1)->attr.sample_period,
				perf_dither_period(&config, 0, 1));
	}
	CU_ASSERT(info()->mte_bytes == 65536 && info()->trace_bytes == 131072);
	CU_ASSERT_STRING_EQUAL(info()->note, "");
	close_it();

	/* A CPU that goes offline at that moment leaves nothing, and its place is used for the next
	 * one. */
	begin();
	conf = 3;
	refuses = goes_offline;
	open_it();
	CU_ASSERT(info()->ncpus == 2 && still_open() == 4 && watched == 4);
	turn_on();
	tick(2, now_ns());
	drain(true);
	CU_ASSERT(info()->ticks == 1 && told[ntold - 1].cpu == 2);
	close_it();

	/* Clocks by a rate, in turns: of fixed periods. */
	begin();
	config.dither = 50;
	config.nevents = 1;
	config.events[0] = (struct pitrace_event_args){ .flags = PITRACE_EVENT_RATE,
							.type = PERF_TYPE_SOFTWARE,
							.config = PERF_COUNT_SW_TASK_CLOCK,
							.period = 1000 };
	open_it();
	CU_ASSERT(still_open() == 6 && !find(0, PERF_SAMPLES, 0)->attr.freq);
	CU_ASSERT_EQUAL(find(0, PERF_SAMPLES, 1)->attr.sample_period,
			perf_dither_period(&config, 0, 1));
	turn_on();
	CU_ASSERT_EQUAL(threads(false), 2);
	CU_ASSERT_EQUAL(threads(true), 1);
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	CU_ASSERT_EQUAL(threads(false), 1);
	close_it();

	/* Many events: the table grows. */
	begin();
	conf = 20;
	config.nevents = 7;
	for (unsigned int i = 0; i < 7; i++) {
		config.events[i].period = 100 + i;
		sprintf(config.events[i].name, "e%u", i);
	}
	open_it();
	CU_ASSERT_EQUAL(still_open(), 160);
	for (unsigned int i = 0; i < 7; i++)
		CU_ASSERT_EQUAL(find(19, PERF_SAMPLES, i)->attr.sample_period, 100 + i);
	close_it();
}

/* Events are opened for each of its threads, on each CPU. */
static void *sleeper(void *arg)
{
	char c;

	return __real_read(*(int *)arg, &c, 1) < 0 ? arg : NULL;
}

static int gone_thread;

static int refuse_thread(const struct perf_event_attr *a, pid_t pid, int cpu)
{
	(void)a;
	(void)cpu;
	return pid == gone_thread || gone_thread == -1 ? ESRCH : 0;
}

static void process_events(void)
{
	pthread_t thread[3];
	int ends[2];

	begin();
	CU_ASSERT_EQUAL_FATAL(pipe(ends), 0);
	others = 3;
	for (int i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, sleeper, &ends[0]);
	config.scope = PITRACE_SCOPE_PROCESS;
	config.pid = getpid();
	open_it();
	CU_ASSERT_EQUAL(info()->ncpus, 2);
	CU_ASSERT_EQUAL(still_open(), 2 * 4 * 2);
	CU_ASSERT_EQUAL(find(1, PERF_SAMPLES, 3)->output, find(1, PERF_SAMPLES, 0)->fd);
	CU_ASSERT_EQUAL(find(1, PERF_NAMES, 3)->output, find(1, PERF_NAMES, 0)->fd);
	close_it();
	/* One that ended meanwhile is left out; if all did, it is gone. */
	refuses = refuse_thread;
	gone_thread = event[nevents - 1].pid;
	nevents = 0;
	open_it();
	CU_ASSERT(info()->ncpus == 2 && still_open() == 2 * 3 * 2);
	close_it();
	gone_thread = -1;
	b = collector_perf.open(&config, &rc, why, sizeof(why));
	CU_ASSERT_PTR_NULL(b);
	refuses = NULL;
	config.pid = 1 << 29;
	b = collector_perf.open(&config, &rc, why, sizeof(why));
	CU_ASSERT_PTR_NULL(b);
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "no process"));
	CU_ASSERT_EQUAL(still_open(), 0);
	CU_ASSERT_EQUAL(write(ends[1], "abc", 3), 3);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	others = 0;
	close(ends[0]);
	close(ends[1]);
}

/* Whichever call fails, opening reports it and leaves nothing behind. */
static void open_fails(void)
{
	int *const knobs[] = { &fails_alloc,   &fails_id,         &fails_output, &fails_epoll,
			       &fails_eventfd, &fails_socketpair, &fails_mmap };

	for (size_t k = 0; k < sizeof(knobs) / sizeof(*knobs); k++)
		for (int at = 1; at < (k ? 8 : 40); at++) {
			begin();
			config.dither = 50;
			*knobs[k] = at;
			b = collector_perf.open(&config, &rc, why, sizeof(why));
			/* It came to that call. */
			CU_ASSERT(b ? *knobs[k] || !k : !*knobs[k]);
			CU_ASSERT(b || (rc != PI_OK && *why));
			if (b)
				close_it();
			CU_ASSERT_EQUAL(still_open(), 0);
		}
	begin();
	refuses = refuse;
	refuse_kernel = 0;
	refuse_with = EMFILE;
	config.clock = PITRACE_CLOCK_TSC;
	CU_ASSERT_PTR_NULL(collector_perf.open(&config, &rc, why, sizeof(why)));
	CU_ASSERT_EQUAL(rc, PI_NOT_SUPPORTED);
	CU_ASSERT_EQUAL(opened, 0);
}

/* Rings as large as the user may lock, 64 KB at least. */
static void ring_sizes(void)
{
	static const struct {
		uint64_t wanted;
		size_t lockable, got;
	} tries[] = {
		{ 1 << 20, 0, 1 << 20 }, { (1 << 20) + 1, 0, 2 << 20 }, { 1 << 20, 200000, 131072 },
		{ 1, 0, 65536 },         { 65536, 65536, 65536 },       { 65537, 65536, 65536 },
		{ 1 << 20, 65535, 0 },
	};

	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		begin();
		config.trace_bytes = tries[i].wanted;
		lockable = tries[i].lockable;
		b = collector_perf.open(&config, &rc, why, sizeof(why));
		CU_ASSERT_EQUAL(b != NULL, tries[i].got > 0);
		if (!b)
			continue;
		CU_ASSERT_EQUAL(info()->trace_bytes, tries[i].got);
		CU_ASSERT_EQUAL(strstr(info()->note, "more this user may not lock") != NULL,
				tries[i].got < tries[i].wanted);
		if (tries[i].got < tries[i].wanted)
			CU_ASSERT_PTR_NOT_NULL(strstr(info()->note, tries[i].got == 65536 ?
									    "rings of 64 KB" :
									    "rings of 128 KB"));
		close_it();
	}
}

static void notes(void)
{
	begin();
	config.stacks = PITRACE_WANT_DISPATCH | PITRACE_WANT_USER;
	config.scope = PITRACE_SCOPE_PROCESS;
	config.pid = getpid();
	refuses = refuse;
	refuse_kernel = EACCES;
	refuse_with = refuse_switches = 0;
	lockable = 65536;
	paranoid = "2";
	open_it();
	CU_ASSERT_STRING_EQUAL(info()->note,
			       "user code only: perf_event_paranoid is 2; "
			       "rings of 64 KB a CPU: more this user may not lock (ulimit -l)");
	CU_ASSERT(find(0, PERF_SAMPLES, 0)->attr.exclude_kernel);
	close_it();
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "attributes", attributes },
		{ "stack_attributes", stack_attributes },
		{ "older_kernels", older_kernels },
		{ "refusals", refusals },
		{ "user_only", user_only },
		{ "dispatches_refused", dispatches_refused },
		{ "system_events", system_events },
		{ "process_events", process_events },
		{ "open_fails", open_fails },
		{ "ring_sizes", ring_sizes },
		{ "notes", notes },
		{},
	};

	return unit_run("backend_perf", tests);
}
