/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A log needs memory, files and symbols: none of it may be used in a signal handler. The handler
 * therefore waits until its thread holds no lock that the writer needs, and starts a thread that
 * writes. The thread holds none of those locks if it executes code of the program, or if it was
 * blocked in a system call that a signal interrupts. Otherwise (in the C library, the loader, this
 * library) the handler returns, and a timer sends the signal again after a millisecond. A second
 * signal ends the program at once; so does a writer that takes too long.
 */
#include "fatal_signals.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__x86_64__)

#define RETRIES       2000 /* a millisecond each */
#define WRITE_SECONDS 10
#define RANGES        8

static const int signals[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGILL,   SIGABRT, SIGBUS,
			       SIGFPE,  SIGUSR1, SIGSEGV, SIGUSR2,  SIGPIPE, SIGALRM,
			       SIGTERM, SIGXCPU, SIGXFSZ, SIGVTALRM };
#define SIGNALS (sizeof(signals) / sizeof(signals[0]))

enum signal_state { IDLE, DECIDING, WRITING };

static struct {
	void (*finish)(void);
	bool (*busy)(void);
	struct range {
		uintptr_t from, to;
	} range[RANGES]; /* code of libraries whose locks the writer needs */
	uint32_t ranges;
	bool whole; /* these are separate libraries: the program is not static */
	_Atomic enum signal_state state;
	uint32_t tries;
	int timer;
	bool has_timer;
	pid_t pid;
	sem_t written;
} fatal;

/* ---- where the thread is --------------------------------------------------------------------- */

static int add_object(struct dl_phdr_info *o, size_t size, void *arg)
{
	const char *leaf = strrchr(o->dlpi_name, '/');
	const uintptr_t own = (uintptr_t)arg;
	struct range code = { UINTPTR_MAX, 0 };

	(void)size;
	for (int i = 0; i < o->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &o->dlpi_phdr[i];

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		if (o->dlpi_addr + p->p_vaddr < code.from)
			code.from = o->dlpi_addr + p->p_vaddr;
		if (o->dlpi_addr + p->p_vaddr + p->p_memsz > code.to)
			code.to = o->dlpi_addr + p->p_vaddr + p->p_memsz;
	}
	leaf = leaf ? leaf + 1 : o->dlpi_name;
	if (!strncmp(leaf, "libc.so", 7))
		fatal.whole = true;
	else if (strncmp(leaf, "ld-linux", 8) && (own < code.from || own >= code.to))
		return 0;
	if (code.to && fatal.ranges < RANGES)
		fatal.range[fatal.ranges++] = code;
	return 0;
}

/* System calls that the allocator makes while it holds a lock. */
static bool of_allocator(uint64_t nr)
{
	return nr == SYS_brk || nr == SYS_mmap || nr == SYS_munmap || nr == SYS_mremap ||
	       nr == SYS_mprotect || nr == SYS_madvise;
}

/* Errors of calls that a signal interrupts, or that send one (SIGPIPE, SIGXFSZ). */
static bool signals_error(int64_t result)
{
	return result == -EINTR || result == -EPIPE || result == -EFBIG;
}

/* The thread was blocked in a system call that the signal interrupts, or the call sent the signal:
 * no lock of the allocator is held there. */
static bool in_system_call(const ucontext_t *u)
{
	const uint8_t *pc = (const uint8_t *)u->uc_mcontext.gregs[REG_RIP];
	const long long rax = u->uc_mcontext.gregs[REG_RAX];

	if (pc[0] == 0x0f && pc[1] == 0x05)
		return !of_allocator((uint64_t)rax); /* it is restarted, or not yet begun */
	if (pc[-2] != 0x0f || pc[-1] != 0x05)
		return false;
	return signals_error(rax) ||
	       (!rax && pc[-7] == 0xb8 && !pc[-5] && !pc[-4] && !pc[-3] &&
		(pc[-6] == SYS_kill || pc[-6] == SYS_tkill || pc[-6] == SYS_tgkill));
}

static bool may_write(const ucontext_t *u)
{
	const uintptr_t pc = (uintptr_t)u->uc_mcontext.gregs[REG_RIP];

	if (fatal.busy())
		return false;
	for (uint32_t i = 0; i < fatal.ranges; i++)
		if (pc >= fatal.range[i].from && pc < fatal.range[i].to)
			return in_system_call(u);
	return fatal.whole;
}

/* ---- the signal ------------------------------------------------------------------------------ */

/* Sends the signal that came first to the process after this time. glibc's timer_create() may
 * allocate. */
static bool send_later(int sig, time_t seconds, long ns)
{
	struct sigevent to = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = sig };
	struct itimerspec at = { .it_value = { seconds, ns } };

	fatal.has_timer = fatal.has_timer ||
			  !syscall(SYS_timer_create, CLOCK_MONOTONIC, &to, &fatal.timer);
	return fatal.has_timer && !syscall(SYS_timer_settime, fatal.timer, 0, &at, NULL);
}

/* Handles no signals: they would find this library busy. */
static void *write_logs(void *arg)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	fatal.finish();
	sem_post(&fatal.written);
	return arg;
}

/* Meanwhile a second signal ends the program, also if this thread waits for a lock of its own. */
static void write_in_thread(void)
{
	pthread_t writer;
	bool started;
	sigset_t ours;

	sigemptyset(&ours);
	for (size_t i = 0; i < SIGNALS; i++)
		sigaddset(&ours, signals[i]);
	pthread_sigmask(SIG_UNBLOCK, &ours, NULL);
	started = !pthread_create(&writer, NULL, write_logs, NULL);
	while (started && sem_wait(&fatal.written) && errno == EINTR)
		;
}

/* A fault happens again when the handler returns, at the same instruction and so with the right
 * core dump; other signals are sent again. */
static void end_by(int sig, bool fault)
{
	struct sigaction normal = { .sa_handler = SIG_DFL };
	sigset_t one;

	sigaction(sig, &normal, NULL);
	if (fault)
		return;
	sigemptyset(&one);
	sigaddset(&one, sig);
	syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), sig);
	pthread_sigmask(SIG_UNBLOCK, &one, NULL);
}

static bool is_fault(int sig, const siginfo_t *info)
{
	return info->si_code > 0 &&
	       (sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL);
}

/* Another thread may be deciding, for some instructions: signals are blocked in it meanwhile.
 * false: the logs are being written already. */
static bool decides(void)
{
	enum signal_state was = IDLE;

	while (!atomic_compare_exchange_weak(&fatal.state, &was, DECIDING)) {
		if (was == WRITING)
			return false;
		was = IDLE;
	}
	return true;
}

static void handle(int sig, siginfo_t *info, void *context)
{
	bool fault = is_fault(sig, info);
	int err = errno;

	/* A child that shares memory writes nothing. */
	if (fatal.pid == getpid() && decides()) {
		if (may_write(context)) {
			fatal.state = WRITING;
			send_later(sig, WRITE_SECONDS, 0);
			write_in_thread();
		} else if (!fault && fatal.tries++ < RETRIES && send_later(sig, 0, 1000000)) {
			fatal.state = IDLE;
			errno = err;
			return;
		}
	}
	end_by(sig, fault);
	errno = err;
}

/* ---- the default action ---------------------------------------------------------------------- */

void fatal_signals_watch(void (*finish)(void), bool (*busy)(void))
{
	struct sigaction ours = { .sa_sigaction = handle,
				  .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK };
	struct sigaction was;

	sigfillset(&ours.sa_mask);
	fatal.finish = finish;
	fatal.busy = busy;
	fatal.ranges = 0;
	fatal.pid = getpid();
	sem_init(&fatal.written, 0, 0);
	dl_iterate_phdr(add_object, (void *)(uintptr_t)add_object);
	for (size_t i = 0; i < SIGNALS; i++)
		if (!sigaction(signals[i], NULL, &was) && !(was.sa_flags & SA_SIGINFO) &&
		    was.sa_handler == SIG_DFL)
			sigaction(signals[i], &ours, NULL);
}

void fatal_signals_forked(void)
{
	fatal.pid = getpid();
	fatal.state = IDLE;
	fatal.has_timer = false;
	fatal.tries = 0;
}

void fatal_signals_restore(void)
{
	struct sigaction normal = { .sa_handler = SIG_DFL }, is;

	for (size_t i = 0; i < SIGNALS; i++)
		if (!sigaction(signals[i], NULL, &is) && is.sa_flags & SA_SIGINFO &&
		    is.sa_sigaction == handle)
			sigaction(signals[i], &normal, NULL);
}

#else

void fatal_signals_watch(void (*finish)(void), bool (*busy)(void))
{
	(void)finish, (void)busy;
}

void fatal_signals_restore(void) { }

void fatal_signals_forked(void) { }

#endif
