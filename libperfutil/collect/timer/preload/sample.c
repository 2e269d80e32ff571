/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The signal handler: takes one sample. Stacks are read from the interrupted stack pointer to the
 * start of the thread's stack, which is mapped without holes, so no read can fault. With a stack
 * pointer outside the thread's own stack (a coroutine, an alternate stack) there is no stack.
 */
#include <errno.h>
#include <pitrace.h>
#include <string.h>
#include "base/now.h"
#include "collect/timer/preload/fine.h"
#include "collect/timer/preload/machine.h"
#include "collect/timer/preload/sample.h"

/* the action that the program set for this signal */
static struct sigaction program_action;

/* The CPU number is in glibc's rseq area; without it the CPU is unknown. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

static uint16_t this_cpu(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
	if (&__rseq_size && __rseq_size) {
		const char *area = (const char *)__builtin_thread_pointer() + __rseq_offset;
		/* struct rseq: cpu_id_start, cpu_id */
		uint32_t cpu = __atomic_load_n((const uint32_t *)area + 1, __ATOMIC_RELAXED);

		return cpu < UINT16_MAX ? (uint16_t)cpu : 0;
	}
#endif
	return 0;
}

/* Walks frame pointers: each must be above the previous one. */
static uint32_t walk(const struct thread_ring *r, const ucontext_t *c, uint64_t *out,
		     uint32_t depth, uint16_t *flags)
{
	uintptr_t fp = machine_fp(c), low = machine_sp(c);
	uint32_t n = 0;

	out[n++] = machine_pc(c);
	if (!MACHINE_FRAMES || low < r->stack_low || low >= r->stack_top) {
		*flags |= PITRACE_STACK_NONE_U;
		return n;
	}
	while (fp >= low && fp < r->stack_top && r->stack_top - fp >= 16 && !(fp & 7)) {
		const uintptr_t *frame = (const uintptr_t *)fp;

		if (!frame[1])
			break;
		if (n == depth) {
			*flags |= PITRACE_STACK_CUT_U;
			break;
		}
		out[n++] = frame[1];
		low = fp + 16;
		fp = frame[0];
	}
	return n;
}

static uint32_t add_stack(const struct thread_ring *r, const ucontext_t *c, uint8_t *at)
{
	struct pitrace_stack s = { 0 };
	uint64_t *words = (uint64_t *)(at + sizeof(s));
	uintptr_t sp = machine_sp(c);
	uint32_t n, copy = 0;

	s.user = (uint16_t)walk(r, c, words, timer_control->depth, &s.flags);
	n = s.user;
	if (timer_control->stacks & PITRACE_WANT_COPY && MACHINE_REGS && sp >= r->stack_low &&
	    sp < r->stack_top) {
		machine_regs(c, words + n);
		s.regs = MACHINE_REGS;
		s.flags |= PITRACE_STACK_COPY;
		n += MACHINE_REGS;
		copy = (uint32_t)(r->stack_top - sp < timer_control->copy ? r->stack_top - sp :
									    timer_control->copy) &
		       ~7u;
		memcpy(words + n, (const void *)sp, copy);
		s.bytes = copy;
	}
	memcpy(at, &s, sizeof(s));
	return (uint32_t)sizeof(s) + 8 * n + copy;
}

static void add_sample(struct thread_ring *r, uint32_t overruns, uint16_t flags,
		       const ucontext_t *c)
{
	const struct timer_control *control = timer_control;
	struct timer_file *f = r->file;
	bool stack = control->stacks != 0;
	uint32_t bytes = sizeof(struct timer_record) + sizeof(struct timer_sample);
	uint32_t most = bytes;
	struct timer_record *record;
	struct timer_sample *s;

	if (stack)
		most += (uint32_t)sizeof(struct pitrace_stack) +
			8 * (control->depth + MACHINE_REGS) + control->copy;
	record = ring_room(&f->samples, (uint8_t *)f + TIMER_DATA + f->event_bytes, f->sample_bytes,
			   most);
	if (!record)
		return;
	record->kind = TIMER_SAMPLE;
	record->tid = r->tid;
	record->stamp = now_ns();
	s = (struct timer_sample *)(record + 1);
	s->address = machine_pc(c);
	s->overruns = overruns;
	s->flags = flags | (stack ? TIMER_STACK : 0);
	s->cpu = this_cpu();
	if (stack)
		bytes += add_stack(r, c, (uint8_t *)(s + 1));
	ring_done(&f->samples, record, bytes);
}

/* Takes a sample for this number of intervals. */
static void take(struct thread_ring *r, uint32_t intervals, uint16_t flags, const ucontext_t *c)
{
	if (intervals && timer_load(&timer_control->state) == TIMER_ON)
		add_sample(r, intervals - 1, flags, c);
}

/* A signal of this number from another source belongs to the program. */
static void pass_on(int number, siginfo_t *info, void *context)
{
	if (program_action.sa_flags & SA_SIGINFO)
		program_action.sa_sigaction(number, info, context);
	else if (program_action.sa_handler != SIG_DFL && program_action.sa_handler != SIG_IGN)
		program_action.sa_handler(number);
}

static void handler(int number, siginfo_t *info, void *context)
{
	struct thread_ring *r = info->si_value.sival_ptr;
	size_t i = (size_t)(r - timer_rings);
	int keep = errno;

	if (info->si_code != SI_TIMER || r < timer_rings || i >= TIMER_RINGS ||
	    r != &timer_rings[i] ||
	    (r->timer != info->si_timerid &&
	     !(r->fine.has_timer && r->fine.timer == info->si_timerid))) {
		pass_on(number, info, context);
		return;
	}
	if (timer_load(&r->active) && r->timer == info->si_timerid)
		take(r, fine_tick(r, info->si_overrun > 0 ? (uint32_t)info->si_overrun + 1 : 1), 0,
		     context);
	else if (timer_load(&r->active))
		take(r, fine_second_timer(r, machine_interrupted(context)), TIMER_FINE, context);
	errno = keep;
}

void sample_install(int (*set)(int, const struct sigaction *, struct sigaction *))
{
	/* SA_ONSTACK: programs with small stacks of their own (coroutines) have an alternate stack.
	 * */
	struct sigaction a = {
		.sa_sigaction = handler,
		.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK,
	};

	set(TIMER_SIGNAL, &a, &program_action);
}

void sample_sigaction(const struct sigaction *action, struct sigaction *old)
{
	struct sigaction before = program_action;

	if (action)
		program_action = *action;
	if (old)
		*old = before;
}
