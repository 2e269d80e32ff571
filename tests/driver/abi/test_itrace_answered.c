// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * System calls that are answered before the tracepoint of their entry: by seccomp, or by the
 * dispatch of system calls to user code. Each is told, no instruction is missing, and the program
 * never finds the trap in the flags that the call has left.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include "itrace.h"

#ifdef TRACED_HERE

#define CALLS 200

static volatile int seen_trap, signals;

static void filter(uint32_t answer)
{
	struct sock_filter program[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpgid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, answer),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog f = { sizeof(program) / sizeof(*program), program };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &f))
		_exit(4);
}

/* Only calls; also checks a register that holds flags (x86). */
static void calls(void)
{
	int i;

	for (i = 0; i < CALLS; i++) {
#ifdef __x86_64__
		unsigned long flags;
		long number = SYS_getpgid;

		asm volatile("syscall\n\tmov %%r11, %1"
			     : "+a"(number), "=r"(flags)
			     : "D"(0l)
			     : "rcx", "r11", "memory");
		seen_trap |= !!(flags & 0x100);
#else
		syscall(SYS_getpgid, 0);
#endif
	}
	if (seen_trap)
		_exit(5);
}

static void on_sys(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
#ifdef __x86_64__
	seen_trap |= !!((unsigned long)((ucontext_t *)context)->uc_mcontext.gregs[REG_R11] & 0x100);
	seen_trap |= !!((unsigned long)((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] & 0x100);
#endif
	signals++;
}

static void handle_sys(void)
{
	struct sigaction action = { .sa_sigaction = on_sys, .sa_flags = SA_SIGINFO };

	sigaction(SIGSYS, &action, NULL);
}

static void part_plain(void)
{
	calls();
}

static void part_errno(void)
{
	filter(SECCOMP_RET_ERRNO | EPERM);
	calls();
}

static void part_trap(void)
{
	handle_sys();
	filter(SECCOMP_RET_TRAP);
	calls();
	if (signals != CALLS)
		_exit(6);
}

#ifdef PR_SET_SYSCALL_USER_DISPATCH
static char selector = 0;

/* The handler's own return must not be taken for one more. */
static void on_dispatched(int number, siginfo_t *info, void *context)
{
	selector = 0;
	on_sys(number, info, context);
}

static void part_dispatched(void)
{
	struct sigaction action = { .sa_sigaction = on_dispatched, .sa_flags = SA_SIGINFO };
	int i;

	sigaction(SIGSYS, &action, NULL);
	if (prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0, 0, &selector))
		_exit(errno == EINVAL ? 77 : 4);
	for (i = 0; i < CALLS; i++) {
		selector = 1;
		syscall(SYS_getpgid, 0);
		selector = 0;
	}
	if (seen_trap)
		_exit(5);
	if (signals != CALLS)
		_exit(6);
}
#endif

static struct seen traced(void (*part)(void), int *status)
{
	struct pitrace_itrace_args it;
	struct seen s = { 0 };
	struct gate g;
	struct view v;
	int32_t pid = child_of(&g, part);

	it = itrace_of(&pid);
	if (begin_itrace(&v, itrace_plain(), &it)) {
		want(0, ioctl(v.fd, PITRACE_IOC_ON));
		let_go(&g);
		*status = status_of(pid);
		want(0, ioctl(v.fd, PITRACE_IOC_OFF));
		s = seen_of(&v, pid);
		unview(&v);
	} else {
		*status = -1;
		kill(pid, SIGKILL);
		status_of(pid);
	}
	done(&g);
	return s;
}

void test_itrace_answered(void)
{
	struct seen plain_calls, s;
	int status;

	plain_calls = traced(part_plain, &status);
	check(status == 0 && plain_calls.gaps == 0);
	check(plain_calls.breaks[PITRACE_BREAK_SYSCALL] >= CALLS);

	s = traced(part_errno, &status);
	if (status)
		wrong("the child whose calls are refused: status %#x", status);
	printf("# %lu calls, refused %lu\n", plain_calls.breaks[PITRACE_BREAK_SYSCALL],
	       s.breaks[PITRACE_BREAK_SYSCALL]);
	check(s.gaps == 0);
	/* Two more for the filter; the C library's own calls may differ. */
	check(s.breaks[PITRACE_BREAK_SYSCALL] == plain_calls.breaks[PITRACE_BREAK_SYSCALL] + 2);
#ifdef __x86_64__
	check(s.instructions >= plain_calls.instructions &&
	      s.instructions - plain_calls.instructions < CALLS);
#endif

	s = traced(part_trap, &status);
	if (status)
		wrong("the child whose calls are signals: status %#x", status);
	check(s.gaps == 0 && s.breaks[PITRACE_BREAK_SIGNAL] == CALLS);
	check(s.breaks[PITRACE_BREAK_EXCEPTION] == 0);
#ifdef PR_SET_SYSCALL_USER_DISPATCH
	s = traced(part_dispatched, &status);
	if (status == 77 << 8)
		return;
	if (status)
		wrong("the child whose calls are dispatched: status %#x", status);
	printf("# dispatched: %lu calls, %lu signals\n", s.breaks[PITRACE_BREAK_SYSCALL],
	       s.breaks[PITRACE_BREAK_SIGNAL]);
	check(s.gaps == 0 && s.breaks[PITRACE_BREAK_SIGNAL] == CALLS);
	check(s.breaks[PITRACE_BREAK_EXCEPTION] == 0);
#endif
	no_session_left();
}

void part_refused(void)
{
	filter(SECCOMP_RET_ERRNO | EPERM);
	for (;;)
		calls();
}

#endif
