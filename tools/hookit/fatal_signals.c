/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A log needs memory, files and symbols: none of it may be used in a signal handler. The handler
 * therefore waits until its thread holds no lock that the writer needs, and starts a thread that
 * writes. The thread holds none of those locks if it executes code of the program, or if it was
 * blocked in a system call that a signal interrupts. Otherwise (in the C library, the loader, this
 * library) the handler returns, and a timer sends the signal again after a millisecond. A second
 * signal ends the program at once; so does a writer that takes too long.
 *
 * A fault cannot wait: the log is written at once. The new thread has an arena of its own in the
 * allocator, so it needs no lock that the faulting thread holds, except in a program with threads
 * that is within the allocator. If the writer faults itself, as on a damaged heap, it gives up, and
 * the program ends by the first signal.
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
#include <unistd.h>

#include "interrupted.h"

#define RETRIES       2000 /* a millisecond each */
#define WRITE_SECONDS 10
#define RANGES        8

static const int signals[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGILL,    SIGABRT, SIGBUS,
			       SIGFPE,  SIGUSR1, SIGSEGV, SIGUSR2,   SIGPIPE, SIGALRM,
			       SIGTERM, SIGXCPU, SIGXFSZ, SIGVTALRM, SIGTRAP, SIGSYS };
#define SIGNALS (sizeof(signals) / sizeof(signals[0]))

enum signal_state { IDLE, DECIDING, WRITING };

static struct {
	struct fatal_writer writer;
	struct range {
		uintptr_t from, to;
	} range[RANGES]; /* code of libraries whose locks the writer needs */
	uint32_t ranges;
	bool watches;
	bool whole; /* these are separate libraries: the program is not static */
	_Atomic enum signal_state state;
	uint32_t tries;
	int timer;
	bool has_timer;
	pid_t pid;
	int first;                      /* the signal */
	_Atomic pid_t decided, writing; /* threads: the one of the signal, the one that writes */
	sem_t written;
} fatal;

static pid_t this_thread(void)
{
	return (pid_t)syscall(SYS_gettid);
}

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
	else if (strncmp(leaf, "ld-linux", 8) && strncmp(leaf, "ld64.so", 7) &&
		 strncmp(leaf, "libpthread.so", 13) && (own < code.from || own >= code.to))
		return 0;
	if (code.to && fatal.ranges < RANGES)
		fatal.range[fatal.ranges++] = code;
	return 0;
}

/* System calls that the allocator makes while it holds a lock. */
static bool of_allocator(int64_t nr)
{
	return nr == SYS_brk || nr == SYS_mmap || nr == SYS_munmap || nr == SYS_mremap ||
	       nr == SYS_mprotect || nr == SYS_madvise;
}

static bool sends_signal(int64_t nr)
{
	return nr == SYS_kill || nr == SYS_tkill || nr == SYS_tgkill;
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
	struct interrupted_call c;

	if (!interrupted_in_call(u, &c))
		return false;
	if (!c.ended)
		return !of_allocator(c.number);
	return signals_error(c.result) || (!c.result && sends_signal(c.number));
}

static bool may_write(const ucontext_t *u)
{
	const uintptr_t pc = interrupted_at(u);

	if (fatal.writer.busy())
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

/* Signals of a thread's own errors; SIGABRT, because the allocator finds a damaged heap. */
static void add_faults(sigset_t *set)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT };

	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigaddset(set, faults[i]);
}

/* Handles no signals but faults of its own: they would find this library busy. */
static void *write_logs(void *arg)
{
	sigset_t all, faults;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	fatal.writing = this_thread();
	sigemptyset(&faults);
	add_faults(&faults);
	pthread_sigmask(SIG_UNBLOCK, &faults, NULL);
	fatal.writer.finish();
	sem_post(&fatal.written);
	return arg;
}

/* Called in the writer by its own fault. The program is about to end: this thread waits for it. */
static __attribute__((noreturn)) void give_up(void)
{
	fatal.writer.gave_up();
	sem_post(&fatal.written);
	for (;;)
		pause();
}

/* Meanwhile a second signal ends the program, also if this thread waits for a lock of its own. */
static void write_in_thread(void)
{
	pthread_t writer;
	bool started;
	sigset_t ours;

	fatal.decided = this_thread();
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
	syscall(SYS_tgkill, getpid(), this_thread(), sig);
	pthread_sigmask(SIG_UNBLOCK, &one, NULL);
}

static bool is_fault(int sig, const siginfo_t *info)
{
	return info->si_code > 0 &&
	       (sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL);
}

/* The thread's own error: the program does not continue. */
static bool is_error(int sig, const siginfo_t *info)
{
	return is_fault(sig, info) || ((sig == SIGTRAP || sig == SIGSYS) && info->si_code > 0) ||
	       (sig == SIGABRT && info->si_code == SI_TKILL && info->si_pid == getpid());
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

/* An error while the logs are being written. Returns the signal that ends the program: the thread
 * of the first signal has failed to start the writer, as on a damaged heap. */
static int second_error(void)
{
	if (fatal.writing == this_thread())
		give_up();
	while (fatal.decided != this_thread())
		pause(); /* a thread that does not go on: the program ends soon */
	return fatal.first;
}

static void handle(int sig, siginfo_t *info, void *context)
{
	bool fault = is_fault(sig, info), error = is_error(sig, info);
	int err = errno;

	/* A child that shares memory writes nothing. */
	if (fatal.pid == getpid() && decides()) {
		if (error || may_write(context)) {
			fatal.state = WRITING;
			fatal.first = sig;
			send_later(sig, WRITE_SECONDS, 0);
			write_in_thread();
		} else if (fatal.tries++ < RETRIES && send_later(sig, 0, 1000000)) {
			fatal.state = IDLE;
			errno = err;
			return;
		}
	} else if (fatal.pid == getpid() && error) {
		sig = second_error();
		fault = false;
	}
	end_by(sig, fault);
	errno = err;
}

/* ---- the default action ---------------------------------------------------------------------- */

void fatal_signals_watch(const struct fatal_writer *w)
{
	struct sigaction ours = { .sa_sigaction = handle,
				  .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK };
	struct sigaction was;

	if (!INTERRUPTED_KNOWN)
		return;
	sigfillset(&ours.sa_mask);
	fatal.writer = *w;
	fatal.watches = true;
	fatal.ranges = 0;
	fatal.pid = getpid();
	sem_init(&fatal.written, 0, 0);
	dl_iterate_phdr(add_object, (void *)(uintptr_t)add_object);
	for (size_t i = 0; i < SIGNALS; i++)
		if (!sigaction(signals[i], NULL, &was) && !(was.sa_flags & SA_SIGINFO) &&
		    was.sa_handler == SIG_DFL)
			sigaction(signals[i], &ours, NULL);
}

bool fatal_signals_watched(void)
{
	return fatal.watches;
}

void fatal_signals_forked(void)
{
	fatal.pid = getpid();
	fatal.state = IDLE;
	fatal.decided = fatal.writing = 0;
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
