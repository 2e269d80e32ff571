// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The timer's library in a program; the test calls it instead of the kernel: samples and their
 * stacks at a signal, the program's own signals, rings that are full or too many. (Linked with
 * --wrap=syscall.)
 */
#include <dirent.h>
#include <pitrace.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include "collect/timer/preload/fine.h"
#include "collect/timer/preload/machine.h"
#include "collect/timer/preload/sample.h"
#include "unit.h"

#define MS 1000000ull

static struct timer_control control;

/* ---- the kernel ------------------------------------------------------------------------------ */

static bool no_timers, no_timer_set, no_space;
static int timers; /* made and not deleted */
static int last_timer;
static struct sigevent last_event;
static struct itimerspec last_set;
static uint64_t cpu = 5 * MS, masked; /* the signal mask */
static unsigned int masks;
static bool fake;

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

long __wrap_syscall(long number, ...)
{
	long a[6];
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (fake)
		switch (number) {
		case SYS_clock_gettime:
			*(struct timespec *)a[1] = (struct timespec){ 0, (long)cpu };
			return 0;
		case SYS_timer_create:
			if (no_timers)
				return -1;
			if (a[0] == CLOCK_THREAD_CPUTIME_ID)
				last_event = *(struct sigevent *)a[1];
			*(int *)a[2] = last_timer = 100 + timers++;
			return 0;
		case SYS_timer_settime:
			last_set = *(struct itimerspec *)a[2];
			return no_timer_set ? -1 : 0;
		case SYS_timer_delete:
			timers--;
			return 0;
		case SYS_fallocate:
			if (no_space)
				return -1;
			break;
		case SYS_rt_sigprocmask: {
			uint64_t old = masked;

			masks++;
			if (a[1])
				masked = a[0] == SIG_BLOCK   ? masked | *(uint64_t *)a[1] :
					 a[0] == SIG_UNBLOCK ? masked & ~*(uint64_t *)a[1] :
							       *(uint64_t *)a[1];
			if (a[2])
				*(uint64_t *)a[2] = old;
			CU_ASSERT_EQUAL(a[3], 8);
			return 0;
		}
		}
	return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* ---- a program ------------------------------------------------------------------------------- */

static struct thread_ring *ring;

static void begin(void)
{
	control = (struct timer_control){
		.state = TIMER_ON,
		.interval = 10 * MS,
		.tick = 4 * MS,
		.event_bytes = 4096,
		.sample_bytes = 4096,
		.depth = 8,
	};
	timer_control = &control;
	timer_sandboxed = fine_handlers = false;
	no_timers = no_timer_set = no_space = false;
	masked = 0;
	fake = true;
	strcpy(timer_folder, "/tmp/test_timer_sample.XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(timer_folder));
}

static void began(void)
{
	begin();
	CU_ASSERT_FATAL(rings_begin(TIMER_START));
	rings_begin_first(TIMER_START);
	ring = &timer_rings[0];
}

static unsigned int empty_folder(void)
{
	DIR *d = opendir(timer_folder);
	unsigned int n = 0;
	struct dirent *e;

	while (d && (e = readdir(d)))
		n += !unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	return n;
}

static void end(void)
{
	rings_forget(NULL);
	empty_folder();
	CU_ASSERT_EQUAL(rmdir(timer_folder), 0);
	fake = false;
	timers = 0;
}

/* The record at that place of a ring of samples, or of the process's events. */
static const struct timer_record *record(const struct thread_ring *r, bool event, uint64_t at)
{
	const struct timer_file *f = r->file;
	const uint8_t *data = (const uint8_t *)f + TIMER_DATA + (event ? 0 : f->event_bytes);

	if (at >= (event ? f->events.head : f->samples.head))
		return NULL;
	return (const void *)(data + (at & 4095));
}

/* ---- signals --------------------------------------------------------------------------------- */

static struct sigaction installed;

static int install(int number, const struct sigaction *action, struct sigaction *old)
{
	CU_ASSERT_EQUAL(number, TIMER_SIGNAL);
	installed = *action;
	memset(old, 0, sizeof(*old));
	return 0;
}

static ucontext_t context;
static uint64_t frames[64];

/* The thread is at 0x1000 in a function with two callers. */
static void stand(void)
{
	memset(&context, 0, sizeof(context));
	memset(frames, 0, sizeof(frames));
	ring->stack_low = (uintptr_t)frames;
	ring->stack_top = (uintptr_t)(frames + 64);
#if defined(__x86_64__)
	context.uc_mcontext.gregs[REG_RIP] = 0x1000;
	context.uc_mcontext.gregs[REG_RSP] = (greg_t)(frames + 2);
	context.uc_mcontext.gregs[REG_RBP] = (greg_t)(frames + 4);
#elif defined(__aarch64__)
	context.uc_mcontext.pc = 0x1000;
	context.uc_mcontext.sp = (uintptr_t)(frames + 2);
	context.uc_mcontext.regs[29] = (uintptr_t)(frames + 4);
#else
	unit_skip("registers", "a sample of other machines has no address here");
#endif
	frames[4] = (uintptr_t)(frames + 8);
	frames[5] = 0x2000;
	frames[8] = (uintptr_t)(frames + 62);
	frames[9] = 0x3000;
	frames[62] = 0;
	frames[63] = 0x4000; /* the outermost */
}

static void raise_timer(int timer, int overrun, int code)
{
	siginfo_t info = { .si_signo = TIMER_SIGNAL, .si_code = code };

	info.si_value.sival_ptr = ring;
	info.si_timerid = timer;
	info.si_overrun = overrun;
	installed.sa_sigaction(TIMER_SIGNAL, &info, &context);
}

static unsigned int called;
static int with_info;

static void own_handler(int number)
{
	called += number == TIMER_SIGNAL;
}

static void own_action(int number, siginfo_t *info, void *c)
{
	called += number == TIMER_SIGNAL && c == &context;
	with_info = info->si_code;
}

/* A tick is a sample for as many intervals as it stands for. */
static void ticks(void)
{
	const struct timer_sample *s;
	const struct timer_record *r;
	uint64_t at;

	cpu_set_t cpus;
	int here = -1;

	began();
	/* On one CPU, as far from the first as may be. */
	CU_ASSERT_EQUAL(sched_getaffinity(0, sizeof(cpus), &cpus), 0);
	for (int i = 0; i < CPU_SETSIZE; i++)
		here = CPU_ISSET(i, &cpus) ? i : here;
	CPU_ZERO(&cpus);
	CPU_SET(here, &cpus);
	CU_ASSERT_EQUAL(sched_setaffinity(0, sizeof(cpus), &cpus), 0);
	sample_install(install);
	CU_ASSERT_EQUAL(installed.sa_flags, SA_SIGINFO | SA_RESTART | SA_ONSTACK);
	stand();
	at = ring->file->samples.head;
	raise_timer(ring->timer, 0, SI_TIMER);
	r = record(ring, false, at);
	CU_ASSERT_FATAL(r != NULL);
	CU_ASSERT(r->kind == TIMER_SAMPLE && r->tid == (uint32_t)gettid());
	CU_ASSERT_EQUAL(r->length, sizeof(*r) + sizeof(*s));
	s = (const void *)(r + 1);
	CU_ASSERT(s->address == 0x1000 && !s->overruns && !s->flags);
#if defined(__x86_64__) || defined(__aarch64__)
	if (s->cpu != here)
		printf("# on CPU %u, not %d; sched_getcpu() says %d\n", s->cpu, here,
		       sched_getcpu());
	CU_ASSERT_EQUAL(s->cpu, here);
#else
	unit_skip("cpu", "the CPU is not known without a system call");
#endif
	at += r->length;
	raise_timer(ring->timer, 3, SI_TIMER);
	s = (const void *)(record(ring, false, at) + 1);
	CU_ASSERT_EQUAL(s->overruns, 3);
	at += r->length;
	raise_timer(ring->timer, -1, SI_TIMER);
	s = (const void *)(record(ring, false, at) + 1);
	CU_ASSERT_EQUAL(s->overruns, 0);
	at += r->length;
	/* Paused, or after its end: none. */
	control.state = TIMER_PAUSED;
	raise_timer(ring->timer, 0, SI_TIMER);
	CU_ASSERT_PTR_NULL(record(ring, false, at));
	control.state = TIMER_ON;
	ring->active = 0;
	raise_timer(ring->timer, 0, SI_TIMER);
	CU_ASSERT_PTR_NULL(record(ring, false, at));
	ring->active = 1;
	/* The second timer's, once it is armed. */
	ring->fine.has_timer = ring->fine.armed = true;
	ring->fine.timer = 777;
	ring->fine.first = 1;
	raise_timer(777, 0, SI_TIMER);
	s = (const void *)(record(ring, false, at) + 1);
	CU_ASSERT(record(ring, false, at) && s->flags == TIMER_FINE);
	end();
}

/* Other signals of this number are the program's. */
static void passed_on(void)
{
	static const struct sigaction none = { .sa_handler = SIG_IGN };
	struct sigaction a = { .sa_handler = own_handler }, old;
	siginfo_t info = { .si_signo = TIMER_SIGNAL, .si_code = SI_TIMER };
	uint64_t at;

	began();
	sample_install(install);
	stand();
	at = ring->file->samples.head;
	for (int how = 0; how < 3; how++) {
		called = 0;
		a.sa_flags = how == 2 ? SA_SIGINFO : 0;
		if (how == 2)
			a.sa_sigaction = own_action;
		sample_sigaction(how ? &a : &none, &old);
		sample_sigaction(NULL, &old);
		CU_ASSERT(how ? old.sa_sigaction == a.sa_sigaction : old.sa_handler == SIG_IGN);
		raise_timer(ring->timer, 0, SI_USER);
		CU_ASSERT_EQUAL(called, how > 0);
		/* A timer of its own. */
		raise_timer(ring->timer + 1, 0, SI_TIMER);
		CU_ASSERT_EQUAL(called, how ? 2 : 0);
		/* … with a value of its own, which may look like ours. */
		info.si_timerid = ring->timer;
		for (int value = 0; value < 4; value++) {
			info.si_value.sival_ptr = value == 0 ? NULL :
						  value == 1 ? (char *)ring + 1 :
						  value == 2 ? (char *)timer_rings - sizeof(*ring) :
							       (char *)&timer_rings[TIMER_RINGS];
			installed.sa_sigaction(TIMER_SIGNAL, &info, &context);
		}
		CU_ASSERT_EQUAL(called, how ? 6 : 0);
	}
	CU_ASSERT_EQUAL(with_info, SI_TIMER);
	sample_sigaction(&(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
	called = 0;
	raise_timer(1, 0, SI_USER);
	CU_ASSERT_EQUAL(called, 0);
	/* A second timer that is not created yet does not count. */
	sample_sigaction(&a, NULL);
	ring->fine.timer = 555;
	raise_timer(555, 0, SI_TIMER);
	CU_ASSERT_EQUAL(called, 1);
	CU_ASSERT_PTR_NULL(record(ring, false, at));
	sample_sigaction(&none, NULL);
	end();
}

#if MACHINE_FRAMES
static const struct pitrace_stack *taken(const uint64_t **words)
{
	uint64_t at = ring->file->samples.head;
	const struct timer_record *r;
	const struct pitrace_stack *k;

	raise_timer(ring->timer, 0, SI_TIMER);
	r = record(ring, false, at);
	CU_ASSERT_FATAL(r != NULL);
	CU_ASSERT_EQUAL(((const struct timer_sample *)(r + 1))->flags, TIMER_STACK);
	k = (const void *)((const uint8_t *)(r + 1) + sizeof(struct timer_sample));
	*words = (const void *)(k + 1);
	CU_ASSERT_EQUAL(r->length, (sizeof(*r) + sizeof(struct timer_sample) + sizeof(*k) +
				    8u * (k->user + k->regs) + k->bytes + 7) &
					   ~7u);
	/* Read at once, as the collector does. */
	ring->file->samples.tail = ring->file->samples.head;
	return k;
}

/* Both in bytes from the stack's lowest. */
static void set_frame(long fp, long sp)
{
#ifndef __x86_64__
	context.uc_mcontext.regs[29] = (uintptr_t)frames + (uintptr_t)fp;
	context.uc_mcontext.sp = (uintptr_t)frames + (uintptr_t)sp;
#else
	context.uc_mcontext.gregs[REG_RBP] = (greg_t)frames + fp;
	context.uc_mcontext.gregs[REG_RSP] = (greg_t)frames + sp;
#endif
}

static void chains(void)
{
	const struct pitrace_stack *k;
	const uint64_t *w;

	began();
	sample_install(install);
	control.stacks = PITRACE_WANT_USER;
	stand();
	k = taken(&w);
	CU_ASSERT(k->user == 4 && !k->flags && !k->kernel && !k->regs && !k->bytes);
	CU_ASSERT(w[0] == 0x1000 && w[1] == 0x2000 && w[2] == 0x3000 && w[3] == 0x4000);
	/* As deep as requested: exactly, and one less. */
	control.depth = 4;
	k = taken(&w);
	CU_ASSERT(k->user == 4 && !k->flags);
	control.depth = 3;
	k = taken(&w);
	CU_ASSERT(k->user == 3 && k->flags == PITRACE_STACK_CUT_U && w[2] == 0x3000);
	control.depth = 1;
	k = taken(&w);
	CU_ASSERT(k->user == 1 && k->flags == PITRACE_STACK_CUT_U);
	control.depth = 8;
	/* A frame ends the walk if it is below, outside or across the stack, or not aligned to a
	 * word; or if it has no caller. */
	frames[8] = (uintptr_t)(frames + 9);
	frames[10] = 0x7777;
	k = taken(&w);
	CU_ASSERT(k->user == 3); /* frames + 9 lies within its own frame */
	frames[8] = (uintptr_t)(frames + 10);
	frames[10] = 0;
	frames[11] = 0x7777;
	k = taken(&w);
	CU_ASSERT(k->user == 4 && w[3] == 0x7777);
	frames[8] = (uintptr_t)(frames + 63);
	k = taken(&w);
	CU_ASSERT(k->user == 3);
	frames[8] = (uintptr_t)(frames + 64);
	k = taken(&w);
	CU_ASSERT(k->user == 3);
	frames[8] = (uintptr_t)(frames + 20) + 4;
	k = taken(&w);
	CU_ASSERT(k->user == 3);
	frames[8] = (uintptr_t)(frames + 2);
	k = taken(&w);
	CU_ASSERT(k->user == 3);
	frames[9] = 0;
	k = taken(&w);
	CU_ASSERT(k->user == 2 && !k->flags);
	/* The frame at the stack pointer itself. */
	stand();
	set_frame(8 * 4, 8 * 4);
	CU_ASSERT_EQUAL(taken(&w)->user, 4);
	set_frame(8 * 4, 8 * 5);
	CU_ASSERT_EQUAL(taken(&w)->user, 1);
	/* Outside its own stack there is no frame; at its ends there is. */
	set_frame(8 * 4, 0);
	CU_ASSERT(taken(&w)->user == 4);
	set_frame(8 * 4, -8);
	k = taken(&w);
	CU_ASSERT(k->user == 1 && k->flags == PITRACE_STACK_NONE_U && w[0] == 0x1000);
	set_frame(8 * 4, 8 * 64);
	k = taken(&w);
	CU_ASSERT(k->user == 1 && k->flags == PITRACE_STACK_NONE_U);
	set_frame(8 * 4, 8 * 63);
	k = taken(&w);
	CU_ASSERT(k->user == 1 && !k->flags);
	end();
}

static void copies(void)
{
	const struct pitrace_stack *k;
	const uint64_t *w;

	began();
	sample_install(install);
	control.stacks = PITRACE_WANT_COPY;
	control.copy = 256;
	control.depth = 1;
	stand();
	for (int i = 10; i < 60; i++)
		frames[i] = 0x1111u * (unsigned int)i;
	k = taken(&w);
	CU_ASSERT(k->user == 1 && k->regs == MACHINE_REGS && k->bytes == 256);
	CU_ASSERT_EQUAL(k->flags, PITRACE_STACK_COPY | PITRACE_STACK_CUT_U);
	CU_ASSERT_EQUAL(w[MACHINE_REGS], 0x1000); /* the program counter is the last */
	CU_ASSERT(!memcmp(w + 1 + MACHINE_REGS, frames + 2, 256));
#if defined(__x86_64__)
	CU_ASSERT(w[1 + 6] == (uintptr_t)(frames + 4) && w[1 + 7] == (uintptr_t)(frames + 2));
#else
	unit_skip("copies_registers", "their order is x86-64's");
#endif
	/* As much as there is. */
	set_frame(8 * 4, 8 * 60);
	k = taken(&w);
	CU_ASSERT(k->bytes == 32 && !memcmp(w + 1 + MACHINE_REGS, frames + 60, 32));
	set_frame(8 * 4, 8 * 60 + 4);
	CU_ASSERT_EQUAL(taken(&w)->bytes, 24);
	/* Nothing is taken from another stack. */
	set_frame(8 * 4, 8 * 64);
	k = taken(&w);
	CU_ASSERT(!k->regs && !k->bytes && k->flags == PITRACE_STACK_NONE_U);
	set_frame(8 * 4, -8);
	k = taken(&w);
	CU_ASSERT(!k->regs && !k->bytes);
	set_frame(8 * 4, 0);
	k = taken(&w);
	CU_ASSERT(k->regs == MACHINE_REGS && k->bytes == 256);
	end();
}
#endif

/* ---- rings ----------------------------------------------------------------------------------- */

/* Full it loses, and counts; space is used to the last byte, around the end. */
static void full(void)
{
	unsigned int n = 0;
	uint64_t lost;

	began();
	sample_install(install);
	stand();
	while (!ring->file->samples.lost)
		raise_timer(ring->timer, 0, SI_TIMER), n++;
	CU_ASSERT_EQUAL(n - 1, 4096 / 32);
	CU_ASSERT_EQUAL(ring->file->samples.head, 4096);
	raise_timer(ring->timer, 0, SI_TIMER);
	CU_ASSERT_EQUAL(ring->file->samples.lost, 2);
	/* 24 bytes are not enough for 32. */
	ring->file->samples.tail = 24;
	raise_timer(ring->timer, 0, SI_TIMER);
	CU_ASSERT_EQUAL(ring->file->samples.lost, 3);
	ring->file->samples.tail = 32;
	raise_timer(ring->timer, 0, SI_TIMER);
	CU_ASSERT(ring->file->samples.lost == 3 && ring->file->samples.head == 4128);
	/* Events likewise: the reports of a process. */
	lost = ring->file->events.lost;
	CU_ASSERT_EQUAL(lost, 0);
	while (rings_event(TIMER_MAP, "a line", 6))
		;
	CU_ASSERT_EQUAL(ring->file->events.lost, 1);
	CU_ASSERT(ring->file->events.head > 4096 - 64);
	/* A record does not wrap: what is left over is skipped. */
	ring->file->events.tail = ring->file->events.head = 4096 - 16;
	CU_ASSERT(rings_event(TIMER_MAP, "another line", 12));
	CU_ASSERT_EQUAL(record(ring, true, 4096 - 16)->kind, TIMER_PAD);
	CU_ASSERT(record(ring, true, 4096)->kind == TIMER_MAP &&
		  record(ring, true, 4096)->length == sizeof(struct timer_record) + 16);
	CU_ASSERT_STRING_EQUAL((const char *)(record(ring, true, 4096) + 1), "another line");
	end();
}

/* A process announces itself. */
static void tells(void)
{
	const struct timer_record *r;
	char path[200];
	struct stat st;

	began();
	r = record(ring, true, 0);
	CU_ASSERT_FATAL(r != NULL);
	CU_ASSERT(r->kind == TIMER_START && r->tid == (uint32_t)gettid() && r->stamp);
	CU_ASSERT_EQUAL(atoi((const char *)(r + 1)), getpid());
	CU_ASSERT(ring->file->magic == TIMER_MAGIC && ring->file->version == TIMER_VERSION);
	CU_ASSERT(ring->file->pid == (uint32_t)getpid() && !ring->file->number &&
		  !ring->file->parent);
	CU_ASSERT(ring->file->event_bytes == 4096 && ring->file->sample_bytes == 4096);
	snprintf(path, sizeof(path), "%s/%d-%lx-0", timer_folder, getpid(),
		 (unsigned long)ring->file->image);
	CU_ASSERT(!stat(path, &st) && st.st_size == TIMER_DATA + 8192 &&
		  (st.st_mode & 07777) == 0600);
	CU_ASSERT_EQUAL(last_event.sigev_notify, SIGEV_THREAD_ID);
	CU_ASSERT(last_event.sigev_signo == TIMER_SIGNAL &&
		  last_event.sigev_value.sival_ptr == ring);
	CU_ASSERT_EQUAL(last_event._sigev_un._tid, gettid());
	CU_ASSERT(last_set.it_interval.tv_sec == 0 &&
		  last_set.it_interval.tv_nsec == 10 * (long)MS);
	CU_ASSERT(last_set.it_value.tv_nsec > 0 && last_set.it_value.tv_nsec < 10 * (long)MS);
	CU_ASSERT(ring->taken && ring->active && timer_ring_count == 1 && !rings_shared());
	CU_ASSERT(timer_active());
	/* The main thread's stack. */
	CU_ASSERT(ring->stack_top > (uintptr_t)&st && ring->stack_low < (uintptr_t)&st);
	control.state = TIMER_OVER;
	CU_ASSERT(!timer_active());
	control.state = TIMER_PAUSED;
	CU_ASSERT(timer_active());
	timer_sandboxed = true;
	CU_ASSERT(!timer_active());
	timer_sandboxed = false;
	timer_control = NULL;
	CU_ASSERT(!timer_active());
	timer_control = &control;
	/* A forked child's own. */
	rings_forget(ring);
	CU_ASSERT(timer_ring_count == 0 && !timer_rings[0].file && timer_rings[0].stack_top);
	CU_ASSERT(!timer_active());
	CU_ASSERT(rings_begin(TIMER_FORKED));
	CU_ASSERT_EQUAL(ring->file->parent, (uint32_t)getpid());
	CU_ASSERT_EQUAL(record(ring, true, 0)->kind, TIMER_FORKED);
	rings_begin_first(TIMER_FORKED);
	CU_ASSERT(ring->stack_top > (uintptr_t)&st);
	end();
	/* More than a second. */
	begin();
	control.interval = 3500 * MS;
	control.tick = 3000 * MS;
	CU_ASSERT(rings_begin(TIMER_START));
	for (int i = 0; i < 30; i++) {
		rings_begin_first(TIMER_START);
		CU_ASSERT(last_set.it_interval.tv_sec == 3 &&
			  last_set.it_interval.tv_nsec == 500 * (long)MS);
		CU_ASSERT(last_set.it_value.tv_sec == 0 &&
			  last_set.it_value.tv_nsec <= 500 * (long)MS);
	}
	end();
	begin();
	control.tick = 1;
	control.interval = 7000 * MS;
	CU_ASSERT(rings_begin(TIMER_START));
	for (int i = 0, whole = 0; i < 60; i++) {
		rings_begin_first(TIMER_START);
		CU_ASSERT(last_set.it_value.tv_sec < 7 && last_set.it_value.tv_nsec < 1000000000);
		whole += last_set.it_value.tv_sec > 3;
		CU_ASSERT(i < 59 || (whole > 10 && whole < 50));
	}
	end();
	/* It is never 0, which would be no timer: not even a tick before it. */
	begin();
	control.tick = 1;
	control.interval = 4;
	CU_ASSERT(rings_begin(TIMER_START));
	for (int i = 0; i < 100; i++) {
		rings_begin_first(TIMER_START);
		CU_ASSERT(last_set.it_value.tv_nsec == 1 || last_set.it_value.tv_nsec == 2);
	}
	end();
}

/* Threads take rings that others left, and name themselves at their end. */
static void passes_on(void)
{
	struct thread_ring *a, *c;
	const struct timer_record *r;
	uint64_t at;

	began();
	a = rings_take();
	CU_ASSERT_PTR_EQUAL(a, &timer_rings[1]);
	CU_ASSERT(a->taken && a->active && a->file->number == 1 && !a->file->event_bytes);
	CU_ASSERT(a->tid == (uint32_t)gettid() && !a->stack_top);
	CU_ASSERT(rings_shared());
	control.stacks = PITRACE_WANT_USER;
	c = rings_take();
	CU_ASSERT_PTR_EQUAL(c, &timer_rings[2]);
	CU_ASSERT(c->stack_low < (uintptr_t)&at && c->stack_top > (uintptr_t)&at);
	CU_ASSERT_EQUAL(timers, 3);
	at = a->file->samples.head;
	masked = 0;
	rings_release(a);
	CU_ASSERT_EQUAL(masked, 1ull << (TIMER_SIGNAL - 1));
	CU_ASSERT(!a->taken && !a->active && timers == 2);
	r = record(a, false, at);
	CU_ASSERT_FATAL(r != NULL);
	CU_ASSERT(r->kind == TIMER_THREAD_EXIT && r->tid == (uint32_t)gettid() && r->length == 32);
	CU_ASSERT_STRING_EQUAL((const char *)(r + 1), "test_timer_samp");
	CU_ASSERT_PTR_EQUAL(rings_take(), a);
	CU_ASSERT_EQUAL(masked, 0);
	CU_ASSERT_EQUAL(ring->file->unsampled, 0);
	/* No timer: counted, and the ring is free for others. */
	no_timers = true;
	CU_ASSERT_PTR_NULL(rings_take());
	CU_ASSERT(ring->file->unsampled == 1 && !timer_rings[3].taken && !timer_rings[3].active);
	no_timers = false;
	no_timer_set = true;
	CU_ASSERT_PTR_NULL(rings_take());
	CU_ASSERT(ring->file->unsampled == 2 && !timer_rings[3].active);
	no_timer_set = false;
	CU_ASSERT_PTR_EQUAL(rings_take(), &timer_rings[3]);
	/* No space: an empty file says so, and its number is not tried again. */
	no_space = true;
	CU_ASSERT_PTR_NULL(rings_take());
	CU_ASSERT(ring->file->unsampled == 3 && !timer_rings[4].file);
	no_space = false;
	CU_ASSERT_PTR_EQUAL(rings_take(), &timer_rings[5]);
	end();
	begin();
	no_space = true;
	CU_ASSERT(!rings_begin(TIMER_START));
	CU_ASSERT(!timer_active());
	CU_ASSERT_EQUAL(empty_folder(), 1);
	end();
}

/* As many threads as there are rings; one more is counted. */
static void many(void)
{
	struct thread_ring *last = NULL;

	began();
	control.sample_bytes = 64;
	for (int i = 1; i < TIMER_RINGS; i++)
		last = rings_take();
	CU_ASSERT_PTR_EQUAL(last, &timer_rings[TIMER_RINGS - 1]);
	CU_ASSERT_EQUAL(ring->file->unsampled, 0);
	for (uint32_t i = 1; i < 4; i++) {
		CU_ASSERT_PTR_NULL(rings_take());
		CU_ASSERT(ring->file->unsampled == i && timer_ring_count == TIMER_RINGS);
	}
	rings_release(&timer_rings[77]);
	CU_ASSERT_PTR_EQUAL(rings_take(), &timer_rings[77]);
	fine_stop_all();
	rings_forget(&timer_rings[5]);
	for (int i = 0; i < TIMER_RINGS; i++)
		if (timer_rings[i].file || timer_rings[i].taken)
			CU_FAIL("a ring is left");
	CU_ASSERT_EQUAL(empty_folder(), TIMER_RINGS);
	end();
}

static void locks(void)
{
	uint64_t signals = 0;

	begin();
	masked = 0x15;
	rings_lock(&signals);
	CU_ASSERT(masked == ~0ull && signals == 0x15);
	rings_unlock(signals);
	CU_ASSERT_EQUAL(masked, 0x15);
	rings_lock(&signals); /* it is free again */
	rings_unlock(signals);
	end();
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "ticks", ticks },
		{ "passed_on", passed_on },
#if MACHINE_FRAMES
		{ "chains", chains },
		{ "copies", copies },
#endif
		{ "full", full },
		{ "tells", tells },
		{ "passes_on", passes_on },
		{ "many", many },
		{ "locks", locks },
		{},
	};

	return unit_run("timer_sample", tests);
}
