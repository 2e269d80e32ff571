// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Compares records with independent knowledge: processes that leave the CPU for a known reason with
 * a known priority, wake-ups of each kind, results and arguments of system calls, the instruction
 * that faulted.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "abi.h"
#include "work.h"

/* ---- why a thread left, and its priority ----------------------------------------------------- */

#define TIMES  10
#define SLEEPS 100

static volatile int *enough; /* shared with the children */

static void part_sleep(void)
{
	for (int i = 0; i < SLEEPS; i++)
		nap(2);
	*enough = 1;
}

static void part_spin(void)
{
	while (!*enough)
		turns(1000);
}

static void part_read(void)
{
	int zero = open("/dev/zero", O_RDONLY);
	static char buffer[MB];

	while (!*enough)
		if (read(zero, buffer, sizeof(buffer)) < 0)
			break;
}

static void part_stop(void)
{
	for (int i = 0; i < TIMES; i++)
		raise(SIGSTOP);
}

/* Until a child that shares its memory has ended. */
static void part_wait(void)
{
	struct timespec t = { .tv_nsec = 10000000 };

	signal(SIGCHLD, SIG_IGN);
	for (int i = 0; i < TIMES; i++)
		if (!vfork()) {
			syscall(SYS_nanosleep, &t, NULL);
			_exit(0);
		}
}

static void part_traced(void)
{
	for (int i = 0; i < TIMES; i++)
		raise(SIGSTOP);
}

struct part {
	const char *name;
	void (*work)(void);
	int nice, fifo;                /* FIFO with this priority */
	unsigned int why, least, most; /* that it leaves */
	pid_t pid;
	unsigned int left[PITRACE_LEFT_OTHER + 1], strange;
};

/* The first four on one CPU: who sleeps takes it from the two others, each time that it wakes; from
 * which of them, the scheduler knows. In user code that is no preemption. */
static struct part parts[] = {
	{ .name = "sleeps",
	  .work = part_sleep,
	  .nice = 5,
	  .why = PITRACE_LEFT_SLEEP,
	  .least = SLEEPS - 10,
	  .most = SLEEPS },
	{ .name = "sleeps, FIFO",
	  .work = part_sleep,
	  .fifo = 10,
	  .why = PITRACE_LEFT_SLEEP,
	  .least = SLEEPS - 10,
	  .most = SLEEPS },
	{ .name = "spins",
	  .work = part_spin,
	  .nice = 7,
	  .why = PITRACE_LEFT_RUNNING,
	  .least = 3,
	  .most = ~0u },
	{ .name = "reads zeros",
	  .work = part_read,
	  .nice = 3,
	  .why = PITRACE_LEFT_PREEMPTED,
	  .least = 10,
	  .most = ~0u },
	{ .name = "stops",
	  .work = part_stop,
	  .nice = 1,
	  .why = PITRACE_LEFT_STOPPED,
	  .least = TIMES,
	  .most = TIMES },
	{ .name = "is traced",
	  .work = part_traced,
	  .nice = 2,
	  .why = PITRACE_LEFT_TRACED,
	  .least = TIMES,
	  .most = TIMES },
	/* The child may have gone by then; and it may wait for a lock of the kernel's like that. */
	{ .name = "waits for a child",
	  .work = part_wait,
	  .nice = 4,
	  .why = PITRACE_LEFT_BLOCKED,
	  .least = TIMES - 2,
	  .most = TIMES + 2 },
};
#define PARTS (sizeof(parts) / sizeof(parts[0]))

static int priority_of(const struct part *p)
{
	return p->fifo ? 99 - p->fifo : 120 + p->nice;
}

/* It takes its priority, says so, and waits for the gate to be closed. */
static void start_part(struct part *p, const int *ready, const int *gate)
{
	struct sched_param fifo = { .sched_priority = p->fifo };
	char c;

	fflush(stdout);
	p->pid = fork();
	if (p->pid)
		return;
	close(gate[1]);
	if (p < parts + 4)
		on_cpu(0);
	if (p->fifo ? sched_setscheduler(0, SCHED_FIFO, &fifo) :
		      setpriority(PRIO_PROCESS, 0, p->nice))
		_exit(1);
	if (p->work == part_traced && ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(1);
	if (write(ready[1], "", 1) != 1 || read(gate[0], &c, 1))
		_exit(1);
	p->work();
	_exit(0);
}

static void count_left(const struct pitrace_rec *rec, void *unused)
{
	const struct pitrace_dispatch *d = (const void *)(rec + 1);

	(void)unused;
	if (rec->major != PITRACE_DISPATCH)
		return;
	for (struct part *p = parts; p < parts + PARTS; p++) {
		if (d->old_tid == (uint32_t)p->pid) {
			if (rec->minor > PITRACE_LEFT_OTHER || d->old_pid != d->old_tid ||
			    d->old_priority != priority_of(p))
				p->strange++;
			else
				p->left[rec->minor]++;
		}
		if (d->new_tid == (uint32_t)p->pid &&
		    (d->new_pid != d->new_tid || d->new_priority != priority_of(p)))
			p->strange++;
	}
}

/* Waits until it has left its CPU: the kernel does so before it reports what a thread is blocked
 * in, and otherwise says "running". */
static void await_left(pid_t pid)
{
	char path[64], line[16] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
	do {
		f = fopen(path, "r");
		check(f && fgets(line, sizeof(line), f));
		if (f)
			fclose(f);
	} while (!strncmp(line, "running", 7));
}

/* Waits until the children have exited and continues those that stop. A child that stops notifies
 * its parent before it leaves its CPU, and if it is continued by then, it never leaves: so its
 * parent waits until it has left. (For a traced one, the kernel itself waits.) */
static void see_them_through(void)
{
	int status, living = PARTS;

	while (living) {
		pid_t pid = waitpid(-1, &status, WUNTRACED);

		if (pid < 0) {
			wrong("waitpid: %s", strerror(errno));
			return;
		}
		if (!WIFSTOPPED(status)) {
			check(status == 0);
			living--;
		} else if (parts[5].pid == pid) {
			check(ptrace(PTRACE_CONT, pid, NULL, NULL) == 0);
		} else {
			await_left(pid);
			check(kill(pid, SIGCONT) == 0);
		}
	}
}

/* The share of preemptions in which the thread was not executing kernel code. */
static double running_share(const struct part *p)
{
	return (double)p->left[PITRACE_LEFT_RUNNING] /
	       (p->left[PITRACE_LEFT_RUNNING] + p->left[PITRACE_LEFT_PREEMPTED] + 1e-9);
}

void test_left(void)
{
	int ready[2], gate[2];
	struct view v;
	char c;

	enough = mmap(NULL, sizeof(*enough), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	on_all_cpus();
	if (!begin_major(&v, PITRACE_DISPATCH))
		return;
	check(pipe(ready) == 0 && pipe(gate) == 0);
	for (struct part *p = parts; p < parts + PARTS; p++) {
		start_part(p, ready, gate);
		check(read(ready[0], &c, 1) == 1);
	}
	nap(20); /* they wait at the gate */
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	close(gate[1]);
	see_them_through();
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	check(lost(&v, PITRACE_LOST_DISPATCH) == 0);
	each_record(&v, PITRACE_RING_TRACE, count_left, NULL);
	for (struct part *p = parts; p < parts + PARTS; p++) {
		printf("# %s: left", p->name);
		for (int i = 0; i <= PITRACE_LEFT_OTHER; i++)
			printf(" %u", p->left[i]);
		printf("\n");
		if (p->left[p->why] < p->least || p->left[p->why] > p->most)
			wrong("%s: %u times for reason %u, not %u to %u", p->name, p->left[p->why],
			      p->why, p->least, p->most);
		if (p->strange)
			wrong("%s: %u with another priority than %d, or another thread's process",
			      p->name, p->strange, priority_of(p));
		check(p->left[PITRACE_LEFT_DEAD] == 1);
		for (unsigned int i = PITRACE_LEFT_SLEEP; i <= PITRACE_LEFT_OTHER; i++)
			/* A thread that waits for a lock also sleeps. */
			if (i != p->why && i != PITRACE_LEFT_DEAD && p->left[i] > 3)
				wrong("%s: %u times for reason %u", p->name, p->left[i], i);
	}
	/* A thread that only runs user code is preempted in kernel code only during interrupts: far
	 * less often than one that runs kernel code. */
	check(running_share(&parts[2]) > 2 * running_share(&parts[3]));
	munmap((void *)enough, sizeof(*enough));
	close(ready[0]);
	close(ready[1]);
	close(gate[0]);
	unview(&v);
	no_session_left();
}

/* ---- wake-ups ------------------------------------------------------------------------------- */

struct wakes {
	uint32_t self, child, first, last; /* of the new ones */
	int cpu, priority;
	unsigned int by_timer, by_signal, new, strange;
};

static void count_woken(const struct pitrace_rec *rec, void *arg)
{
	const struct pitrace_wakeup *w = (const void *)(rec + 1);
	struct wakes *k = arg;
	bool mine;

	if (rec->major != PITRACE_WAKEUP)
		return;
	mine = w->waker_tid == k->self && w->waker_pid == k->self;
	if (w->tid == k->self && rec->minor == PITRACE_WAKE_INTERRUPT)
		k->by_timer++;
	else if (w->tid == k->child && mine && rec->minor == 0)
		k->by_signal++;
	else if (rec->minor == PITRACE_WAKE_NEW && mine && w->tid >= k->first && w->tid <= k->last)
		k->new ++;
	else
		return;
	if (w->pid != w->tid || w->reserved || w->priority != k->priority ||
	    (w->tid == k->child && w->cpu != (uint32_t)k->cpu))
		k->strange++;
}

void test_woken(void)
{
	struct wakes k = {
		.self = (uint32_t)getpid(),
		.cpu = (int)sysconf(_SC_NPROCESSORS_ONLN) - 1,
		.priority = 120 + getpriority(PRIO_PROCESS, 0),
	};
	int status, i;
	struct view v;
	pid_t pid;

	on_all_cpus();
	if (!begin_major(&v, PITRACE_WAKEUP))
		return;
	fflush(stdout);
	k.child = (uint32_t)fork();
	if (!k.child) {
		on_cpu((unsigned int)k.cpu);
		for (i = 0; i < TIMES + 1; i++)
			raise(SIGSTOP);
		_exit(0);
	}
	/* It is on its CPU when it has stopped. */
	check(waitpid((pid_t)k.child, &status, WUNTRACED) == (pid_t)k.child);
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	for (i = 0; i < TIMES; i++)
		nap(2);
	for (i = 0; i < TIMES; i++) {
		/* Seen to have stopped a moment before it leaves the CPU for it. */
		nap(2);
		check(kill((pid_t)k.child, SIGCONT) == 0);
		check(waitpid((pid_t)k.child, &status, WUNTRACED) == (pid_t)k.child &&
		      WIFSTOPPED(status));
	}
	for (i = 0; i < TIMES; i++) {
		pid = fork();
		if (!pid)
			_exit(0);
		if (!i)
			k.first = (uint32_t)pid;
		k.last = (uint32_t)pid;
		waitpid(pid, &status, 0);
	}
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	kill((pid_t)k.child, SIGCONT);
	waitpid((pid_t)k.child, &status, 0);
	check(lost(&v, PITRACE_LOST_WAKEUP) == 0);
	each_record(&v, PITRACE_RING_TRACE, count_woken, &k);
	printf("# woken by a timer %u, by a signal %u, new %u, other fields wrong %u\n", k.by_timer,
	       k.by_signal, k.new, k.strange);
	check(k.by_timer == 2 * TIMES && k.by_signal == TIMES && k.new == TIMES &&k.strange == 0);
	unview(&v);
	no_session_left();
}

/* ---- system calls ---------------------------------------------------------------------------- */

struct call {
	long number;
	uint32_t compat;
	bool anything; /* arguments that nobody has set */
	uint64_t arguments[3];
	int64_t result;
	unsigned int entries, exits;
};

static struct call known_calls[] = {
	{ .number = SYS_lseek, .arguments = { 54321, 0x123456789abcdef0, 7 }, .result = -EBADF },
	{ .number = SYS_getppid, .anything = true },
	{ .number = SYS_close, .arguments = { 54322, 0xfedcba9876543210, 1 }, .result = -EBADF },
#ifdef __x86_64__
	/* getppid by the 32-bit table */
	{ .number = 64, .compat = PITRACE_SYSCALL_COMPAT, .anything = true },
#endif
	{ .number = SYS_read, .arguments = { 0, 0, 1234 }, .result = 1234 },
};
#define CALLS     (sizeof(known_calls) / sizeof(known_calls[0]))
#define CALL_READ (known_calls + CALLS - 1)

static void count_call(const struct pitrace_rec *rec, void *unused)
{
	const struct pitrace_sysenter *in = (const void *)(rec + 1);
	const struct pitrace_sysexit *out = (const void *)(rec + 1);
	bool leaves = rec->minor & PITRACE_EXIT;
	struct call *c;

	(void)unused;
	if (rec->major != PITRACE_SYSCALL || in->tid != (uint32_t)getpid() || in->pid != in->tid)
		return;
	for (c = known_calls; c < known_calls + CALLS; c++) {
		if ((rec->minor & ~PITRACE_EXIT) != ((uint32_t)c->number | c->compat))
			continue;
		if (leaves && out->result == c->result)
			c->exits++;
		if (!leaves &&
		    (c->anything || !memcmp(in->arguments, c->arguments, sizeof(c->arguments))))
			c->entries++;
	}
}

void test_call_contents(void)
{
	int zero = open("/dev/zero", O_RDONLY);
	static char buffer[1234];
	struct call *c;
	struct view v;
	int i;

	known_calls[1].result = getppid();
#ifdef __x86_64__
	known_calls[3].result = getppid();
#endif
	CALL_READ->arguments[0] = (uint64_t)zero;
	CALL_READ->arguments[1] = (uint64_t)(uintptr_t)buffer;
	on_all_cpus();
	if (!begin_major(&v, PITRACE_SYSCALL))
		return;
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	for (i = 0; i < TIMES; i++)
		for (c = known_calls; c < known_calls + CALLS; c++) {
#ifdef __x86_64__
			if (c->compat) {
				long result;

				__asm__ volatile("int $0x80"
						 : "=a"(result)
						 : "a"(c->number)
						 : "memory", "r8", "r9", "r10", "r11");
				check(result == c->result);
				continue;
			}
#endif
			syscall(c->number, c->arguments[0], c->arguments[1], c->arguments[2]);
		}
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	close(zero);
	check(lost(&v, PITRACE_LOST_SYSCALL) == 0);
	each_record(&v, PITRACE_RING_TRACE, count_call, NULL);
	for (c = known_calls; c < known_calls + CALLS; c++)
		if (c->entries != TIMES || c->exits != TIMES)
			wrong("call %ld: %u entries with its arguments, %u exits with its result %lld of %d",
			      c->number, c->entries, c->exits, (long long)c->result, TIMES);
	unview(&v);
	no_session_left();
}

/* ---- page faults ----------------------------------------------------------------------------- */

#define PAGES 20

/* Alone in a section: the linker says where it begins and ends. */
#define TOUCHES __attribute__((noinline, noclone, section("touches")))
extern const char __start_touches[], __stop_touches[];

TOUCHES static void touch_each(volatile char *p, size_t page, bool write)
{
	for (size_t i = 0; i < PAGES; i++) {
		if (write)
			p[i * page] = 1;
		else
			(void)p[i * page];
	}
}

static const unsigned char *back_to_caller(size_t *size)
{
#if defined(__x86_64__)
	static const unsigned char code[] = { 0xc3 };
#elif defined(__aarch64__)
	static const unsigned char code[] = { 0xc0, 0x03, 0x5f, 0xd6 };
#elif defined(__powerpc64__)
	static const unsigned char code[] = { 0x20, 0x00, 0x80, 0x4e };
#elif defined(__s390x__)
	static const unsigned char code[] = { 0x07, 0xfe };
#endif
	*size = sizeof(code);
	return code;
}

struct range {
	const char *name;
	uint64_t start, end;
	uint64_t ip, ip_end; /* where the instructions are; of the kernel: 0 */
	uint32_t flags, privilege;
	unsigned int faults, right;
};

static struct range fault_ranges[] = {
	{ .name = "written", .flags = PITRACE_FAULT_WRITE, .privilege = PITRACE_TPROF_USER },
	{ .name = "read", .privilege = PITRACE_TPROF_USER },
	{ .name = "written by the kernel",
	  .flags = PITRACE_FAULT_WRITE,
	  .privilege = PITRACE_TPROF_KERNEL },
	{ .name = "executed", .flags = PITRACE_FAULT_EXEC, .privilege = PITRACE_TPROF_USER },
};
#define RANGES (sizeof(fault_ranges) / sizeof(fault_ranges[0]))

static void count_fault(const struct pitrace_rec *rec, void *unused)
{
	const struct pitrace_fault *f = (const void *)(rec + 1);

	(void)unused;
	if (rec->major != PITRACE_FAULT || f->tid != (uint32_t)getpid() || f->pid != f->tid)
		return;
	for (struct range *r = fault_ranges; r < fault_ranges + RANGES; r++) {
		bool there = r->ip ? f->ip >= r->ip && f->ip < r->ip_end : (int64_t)f->ip < 0;
		uint32_t flags = f->flags;

#ifdef __s390x__
		/* Its kernel is not part of the same space of addresses. */
		if (!r->ip)
			there = f->ip && (f->ip < (uintptr_t)__start_touches ||
					  f->ip >= (uintptr_t)__stop_touches);
		/* Nor does it say what was executed. */
		if (r->flags == PITRACE_FAULT_EXEC)
			flags |= PITRACE_FAULT_EXEC;
#endif
		if (f->address < r->start || f->address >= r->end)
			continue;
		r->faults++;
		if (there && flags == r->flags && rec->minor == r->privilege && !f->reserved)
			r->right++;
		else if (r->faults < 3)
			wrong("%s: fault at %#llx by %#llx, flags %u, privilege %u", r->name,
			      (unsigned long long)f->address, (unsigned long long)f->ip, f->flags,
			      rec->minor);
	}
}

/* Untouched pages, one mapping each, so that they are not huge pages. */
static char *fresh(struct range *r, size_t page, int fd)
{
	char *p = mmap(NULL, PAGES * page, fd < 0 ? PROT_READ | PROT_WRITE : PROT_READ | PROT_EXEC,
		       fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		wrong("mmap: %s", strerror(errno));
	madvise(p, PAGES * page, MADV_NOHUGEPAGE);
	r->start = (uintptr_t)p;
	r->end = r->start + PAGES * page;
	r->ip = (uintptr_t)__start_touches;
	r->ip_end = (uintptr_t)__stop_touches;
	return p;
}

void test_fault_contents(void)
{
	size_t page = (size_t)getpagesize(), size;
	int zero = open("/dev/zero", O_RDONLY), code_file = memfd_create("code", 0);
	const unsigned char *code = back_to_caller(&size);
	char *written, *seen, *filled, *executed;
	struct range *r = fault_ranges;
	struct view v;

	written = fresh(r, page, -1);
	seen = fresh(r + 1, page, -1);
	filled = fresh(r + 2, page, -1);
	check(pwrite(code_file, code, size, 0) == (ssize_t)size);
	check(ftruncate(code_file, (off_t)(PAGES * page)) == 0);
	executed = fresh(r + 3, page, code_file);
	r[2].ip = 0;
	r[3].ip = r[3].start;
	r[3].ip_end = r[3].start + 1;
	on_all_cpus();
	if (!begin_major(&v, PITRACE_FAULT))
		return;
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	touch_each(written, page, true);
	touch_each(seen, page, false);
	for (size_t i = 0; i < PAGES; i++)
		check(read(zero, filled + i * page, 1) == 1);
	((void (*)(void))(uintptr_t)executed)();
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	check(lost(&v, PITRACE_LOST_FAULT) == 0);
	each_record(&v, PITRACE_RING_TRACE, count_fault, NULL);
	for (r = fault_ranges; r < fault_ranges + RANGES; r++) {
		unsigned int n = r->flags == PITRACE_FAULT_EXEC ? 1 : PAGES;

		printf("# %s: %u faults, %u right of %u\n", r->name, r->faults, r->right, n);
		check(r->faults == n && r->right == n);
		munmap((void *)(uintptr_t)r->start, r->end - r->start);
	}
	close(code_file);
	close(zero);
	unview(&v);
	no_session_left();
}
