/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * TraceHook where little is allowed: in signal handlers, first and later, with errno that may not
 * change, and in sandboxes.
 */
#include "hook_session.h"

/* ---- signal handlers ------------------------------------------------------------------------- */

static volatile sig_atomic_t handled;

static void on_alarm(int number)
{
	const char *word = "tick";
	uint64_t value = 1;

	(void)number;
	if (!handled && !TraceHook(0, MAJOR, MINOR, 1, 1, &value, NULL, &word))
		handled = 1;
}

static void *idle(void *arg)
{
	pause();
	return arg;
}

/* A threaded program that takes the locks of malloc nearly all the time. */
static _Noreturn void allocate_much(void)
{
	struct itimerval often = { { 0, 700 + getpid() % 977 }, { 0, 700 + getpid() % 977 } };
	pthread_t thread;

	pthread_create(&thread, NULL, idle, NULL);
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < 60000 || !handled; i++) {
		void *p = malloc(3000 + (size_t)i % 999), *q = malloc(5000);

		memset(p, 1, 16);
		free(p);
		free(q);
	}
	_exit(0);
}

static void test_first_in_handler(void)
{
	begin();
	for (int i = 0; i < 20; i++) {
		pid_t pid = fork();

		if (!pid)
			allocate_much();
		CU_ASSERT_EQUAL(outcome(pid, 20), 0);
		drain(false);
	}
	end();
	/* Either thread may have got the signal, or both. */
	CU_ASSERT(records >= 20);
}

/* … and the other functions that write records, each as a program's first. */
static int other_record(int which)
{
	switch (which % 4) {
	case 0:
		return TraceJitLoad("code", 0x1000, 0x100);
	case 1:
		return TraceJitMove(0x1000, 0x2000, 0x100);
	case 2:
		return TraceJitUnload(0x2000, 0x100);
	default:
		return TraceThreadName("thread");
	}
}

static volatile sig_atomic_t other, others_changed;

static void on_alarm_other(int number)
{
	(void)number;
	errno = 4711;
	if (!handled && !other_record(other))
		handled = 1;
	others_changed += errno != 4711;
}

static void test_others_in_handler(void)
{
	struct itimerval often = { { 0, 900 }, { 0, 900 } };

	begin();
	for (int i = 0; i < 8; i++) {
		pid_t pid = fork();

		if (pid) {
			CU_ASSERT_EQUAL(outcome(pid, 20), 0);
			drain(false);
			continue;
		}
		other = i;
		signal(SIGALRM, on_alarm_other);
		setitimer(ITIMER_REAL, &often, NULL);
		for (int n = 0; n < 20000 || !handled; n++)
			free(malloc(3000 + (size_t)n % 999));
		_exit(others_changed != 0);
	}
	end();
}

/* A refused call does not change errno, either. */
static void test_errno_of_refusals(void)
{
	static char longest[PITRACE_USER_MAX + 1];
	const char *text = longest;
	unsigned int changed = 0;

	memset(longest, 'x', sizeof(longest) - 1);
	begin();
	for (int i = 0; i < 4; i++) {
		errno = 4711;
		CU_ASSERT_EQUAL((TraceHook)(0, 0xC0, MINOR, 0, 0, NULL, NULL, NULL),
				PI_INVALID_ARGUMENT);
		changed += errno != 4711;
		errno = 4711;
		CU_ASSERT_EQUAL((TraceHook)(0, MAJOR, MINOR, 0, 1, NULL, NULL, &text),
				PI_HOOK_TOO_LONG);
		changed += errno != 4711;
		errno = 4711;
		CU_ASSERT_EQUAL((TraceHook)(0, MAJOR, MINOR, -1, 0, NULL, NULL, NULL),
				PI_INVALID_ARGUMENT);
		changed += errno != 4711;
		/* A name may be as long as it likes: it is cut. */
		errno = 4711;
		CU_ASSERT_EQUAL(TraceJitLoad(longest, 0x1000, 0x100), PI_OK);
		CU_ASSERT_EQUAL(TraceThreadName(longest), PI_OK);
		changed += errno != 4711;
	}
	end();
	CU_ASSERT_EQUAL(changed, 0);
}

/* The session begins while the program runs. */
static void test_later_in_handler(void)
{
	for (int i = 0; i < 5; i++) {
		pid_t pid = fork();

		if (!pid) {
			write_one(0, 0);
			allocate_much();
		}
		usleep(50000);
		begin();
		CU_ASSERT_EQUAL(outcome(pid, 20), 0);
		end();
		CU_ASSERT(records > 0);
	}
}

/* Whatever happens to the record, errno is unchanged. */
static void test_errno(void)
{
	unsigned int changed = 0;
	uint64_t rc[3] = { 0 };

	setenv("PITRACE_SOCKET", "/nonexistent/socket", 1);
	for (int i = 0; i < 3; i++) {
		pid_t pid;

		/* Before the fork: two at once would dispute the folder. */
		if (i == 1) {
			setenv("PITRACE_SOCKET", socket_path, 1);
			begin();
			hooks_listen(hooks, NULL);
		}
		pid = fork();
		if (pid) {
			CU_ASSERT_EQUAL(outcome(pid, 20), 0);
			continue;
		}
		for (int n = 0; n < 300; n++) {
			errno = 4711;
			(TraceHook)(0, MAJOR, MINOR, 0, 0, NULL, NULL, NULL);
			changed += errno != 4711;
		}
		_exit(changed != 0);
	}
	end();
	/* More than there is room for. */
	begin();
	errno = 4711;
	for (int i = 0; i < 2500000; i++)
		rc[-write_one(1, 1) == -PI_BUFFER_FULL] += 1;
	CU_ASSERT_EQUAL(errno, 4711);
	CU_ASSERT(rc[0] > 1000000 && rc[1] > 1000);
	end();
	CU_ASSERT_EQUAL(records, rc[0]);
	CU_ASSERT_EQUAL(lost, rc[1]);
}

/* ---- sandboxes ------------------------------------------------------------------------------- */

/* No system calls but these and the end; any other kills. */
static void sandbox(long one, long two)
{
	const uint32_t nr = offsetof(struct seccomp_data, nr);
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, nr),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)one, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)two, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(99);
}

static void test_sandbox(void)
{
	pid_t pid = fork();

	/* For more than two seconds, with nobody listening. */
	if (!pid) {
		uint64_t from, n = 0;

		write_one(0, 0);
		sandbox(-1, -1);
		for (from = now_ns(); now_ns() - from < 2500000000u; n++)
			if ((TraceHook)(0, MAJOR, MINOR, 0, 0, NULL, NULL, NULL) != TRACE_NOBODY)
				_exit(1);
		_exit(n < 1000);
	}
	CU_ASSERT_EQUAL(outcome(pid, 30), 0);
	/* And in a session, for what there is room for. */
	begin();
	pid = fork();
	if (!pid) {
		if (write_one(0, 0))
			_exit(1);
		sandbox(SYS_madvise, SYS_futex);
		for (uint64_t i = 1; i < 100000; i++)
			if (write_one(0, i))
				_exit(2);
		_exit(0);
	}
	CU_ASSERT_EQUAL(outcome(pid, 30), 0);
	end();
	CU_ASSERT_EQUAL(records, 100000);
}

int main(void)
{
	static const struct unit_test tests[] = {
		/* Before this process has ever looked for listeners. */
		{ "first_in_handler", test_first_in_handler },
		{ "later_in_handler", test_later_in_handler },
		{ "others_in_handler", test_others_in_handler },
		{ "errno", test_errno },
		{ "errno_of_refusals", test_errno_of_refusals },
		{ "sandbox", test_sandbox },
		{ NULL, NULL },
	};

	return hook_session_run("trace_hook_handlers", tests);
}
