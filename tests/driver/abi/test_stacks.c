// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Call stacks that are known to the address: functions say from where they are called, and what the
 * driver wrote must be that, in each sample.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "abi.h"
#include "work.h"

#define RETURN ((uint64_t)(uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0)))

/* A search in the samples of one process, and its results. */
struct search {
	uint32_t pid;
	uint64_t from, to;     /* samples in user code here are looked at */
	const uint64_t *chain; /* … and have these callers (n of them) */
	unsigned int n;
	uint32_t wrong_flags; /* … and none of these */
	unsigned int samples, looked, bad, missed, faults;
	bool may_miss;                     /* the first caller, where no frame is in force */
	const struct pitrace_stack *stack; /* the last of them */
	void (*each)(struct search *f, uint32_t kind, const struct pitrace_sample *s,
		     const struct pitrace_stack *stack);
};

static const uint64_t *user_part(const struct pitrace_stack *stack)
{
	return (const uint64_t *)(stack + 1) + stack->kernel;
}

static uint64_t at(const uint64_t *p, unsigned int i)
{
	uint64_t v;

	/* Records are aligned to 4. */
	memcpy(&v, (const char *)p + 8ul * i, sizeof(v));
	return v;
}

/* A place between push and mov, or pop and ret, that the compiler has separated cannot be
 * recognized. */
static bool between(uint64_t address)
{
	const unsigned char *code = (const unsigned char *)(uintptr_t)address;

	return code[0] != 0x55 && code[0] != 0xc3 && memcmp(code, "\x48\x89\xe5", 3);
}

static bool same(const struct pitrace_stack *stack, const uint64_t *chain, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (stack->user < 2 + i || at(user_part(stack), i + 1) != chain[i])
			return false;
	return true;
}

static void look(const struct pitrace_rec *rec, void *arg)
{
	const struct pitrace_sample *s = (const void *)(rec + 1);
	const struct pitrace_stack *stack = (const void *)(s + 1);
	unsigned int length = rec->type_len & PITRACE_LEN_MASK;
	struct search *f = arg;

	if (rec->major != PITRACE_TPROF || s->pid != f->pid)
		return;
	f->samples++;
	if (!(rec->minor & PITRACE_TPROF_STACK)) {
		wrong("a sample without a stack");
		return;
	}
	if (length != sizeof(*rec) + sizeof(*s) + sizeof(*stack) + stack->bytes +
			      8u * (stack->kernel + stack->user + stack->regs) ||
	    stack->reserved) {
		wrong("%u + %u addresses, %u registers, %u bytes in a record of %u", stack->kernel,
		      stack->user, stack->regs, stack->bytes, length);
		return;
	}
	if (f->each)
		f->each(f, rec->minor & PITRACE_TPROF_KIND, s, stack);
	if ((rec->minor & PITRACE_TPROF_KIND) != PITRACE_TPROF_USER || s->address < f->from ||
	    s->address >= f->to)
		return;
	f->looked++;
	f->stack = stack;
	if (stack->kernel)
		wrong("user code with a kernel stack");
	if (!f->chain)
		return;
	if (f->may_miss && between(s->address) && same(stack, f->chain + 1, f->n - 1)) {
		f->missed++;
		return;
	}
	if ((!same(stack, f->chain, f->n) || at(user_part(stack), 0) != s->address ||
	     stack->flags & f->wrong_flags) &&
	    f->bad++ < 5)
		wrong("at %#llx+%llu: the first of %u callers is %#llx, flags %#x",
		      (unsigned long long)f->from, (unsigned long long)(s->address - f->from), f->n,
		      stack->user > 1 ? (unsigned long long)at(user_part(stack), 1) : 0,
		      stack->flags);
}

#define RATE 10000

static bool start(struct view *v, pid_t pid, uint32_t stacks, uint16_t depth, uint16_t copy)
{
	struct pitrace_session_args args = plain();
	struct pitrace_setup_args setup = setup_args(copy > 2048 ? RATE / 10 : RATE);

	args.scope = PITRACE_SCOPE_PROCESS;
	args.pid = pid;
	args.trace_bytes = 16 * MB;
	setup.stacks = stacks;
	setup.depth = depth;
	setup.copy = copy;
	if (!begin(v, args, 1000))
		return false;
	return want(0, ioctl(v->fd, PITRACE_IOC_SETUP, &setup)) == 0 &&
	       want(0, ioctl(v->fd, PITRACE_IOC_ON)) == 0;
}

static void finish(struct view *v, struct search *f)
{
	want(0, ioctl(v->fd, PITRACE_IOC_OFF));
	check(lost(v, PITRACE_LOST_TPROF) == 0);
	each_record(v, PITRACE_RING_TRACE, look, f);
	check(f->bad == 0);
}

void test_stack_fields(void)
{
	static const struct {
		int error;
		uint32_t stacks;
		uint16_t depth, copy;
	} tries[] = {
		{ 0, 0, 0, 0 },
		{ 0, PITRACE_WANT_KERNEL, 0, 0 },
		{ 0, PITRACE_WANT_USER, PITRACE_STACK_MAX, 0 },
		{ 0, PITRACE_WANT_COPY, 0, 8 },
		{ 0, PITRACE_WANT_COPY | PITRACE_WANT_KERNEL, 1, PITRACE_STACK_COPY_MAX },
		{ 0, PITRACE_WANT_DISPATCH | PITRACE_WANT_USER, 0, 0 },
		{ EINVAL, PITRACE_WANT_DISPATCH, 0, 0 },
		{ EINVAL, PITRACE_WANT_COPY, 0, 0 },
		{ EINVAL, PITRACE_WANT_COPY, 1, 8 },
		{ EINVAL, PITRACE_WANT_COPY, 0, 4 },
		{ EINVAL, PITRACE_WANT_COPY, 0, PITRACE_STACK_COPY_MAX + 8 },
		{ EINVAL, PITRACE_WANT_USER, 0, 8 },
		{ EINVAL, PITRACE_WANT_USER, PITRACE_STACK_MAX + 1, 0 },
		{ EINVAL, PITRACE_WANT_USER, 0xFFFF, 0 },
		{ EINVAL, 0, 1, 0 },
		{ EINVAL, 0, 0, 8 },
	};
	struct pitrace_session_args args = plain();
	struct pitrace_setup_args setup = setup_args(100);
	int fd = want(0, session(&args));
	unsigned int i;

	for (i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		setup.stacks = tries[i].stacks;
		setup.depth = tries[i].depth;
		setup.copy = tries[i].copy;
		want(tries[i].error, ioctl(fd, PITRACE_IOC_SETUP, &setup));
	}
	for (i = 4; i < 32; i++) {
		setup = setup_args(100);
		setup.stacks = 1u << i | PITRACE_WANT_USER;
		want(EINVAL, ioctl(fd, PITRACE_IOC_SETUP, &setup));
	}
	close(fd);
	no_session_left();
}

/* ---- user code ------------------------------------------------------------------------------- */

static uint64_t callers[3];
extern char chain_loop[], chain_loop_end[];

#ifdef __s390x__
/* There a leaf function keeps its return address in a register. */
__attribute__((noinline, noclone)) static void be_called(void)
{
	__asm__ volatile("");
}
#else
#define be_called()
#endif

__attribute__((noinline, noclone)) static void chain_c(unsigned long n)
{
	be_called();
	callers[0] = RETURN;
	__asm__ volatile(".globl chain_loop, chain_loop_end\n"
#ifdef __x86_64__
			 "chain_loop:\tdec %0\n\tjnz chain_loop\n"
#elif defined(__powerpc64__)
			 "chain_loop:\taddic. %0, %0, -1\n\tbne chain_loop\n"
#elif defined(__s390x__)
			 "chain_loop:\taghi %0, -1\n\tjne chain_loop\n"
#else
			 "chain_loop:\tsubs %0, %0, #1\n\tb.ne chain_loop\n"
#endif
			 "chain_loop_end:"
			 : "+r"(n)
			 :
			 : "cc");
}

__attribute__((noinline, noclone)) static void chain_b(unsigned long n)
{
	callers[1] = RETURN;
	chain_c(n);
	__asm__ volatile("" : : : "memory");
}

__attribute__((noinline, noclone)) static void chain_a(unsigned long n)
{
	callers[2] = RETURN;
	chain_b(n);
	__asm__ volatile("" : : : "memory");
}

static struct search in_loop(void)
{
	return (struct search){
		.pid = (uint32_t)getpid(),
		.from = (uintptr_t)chain_loop,
		.to = (uintptr_t)chain_loop_end,
		.chain = callers,
		.n = 3,
	};
}

void test_stack_chain(void)
{
	struct search f = in_loop();
	struct view v;

	if (!start(&v, getpid(), PITRACE_WANT_USER | PITRACE_WANT_KERNEL, 0, 0))
		return;
	chain_a(50000000);
	finish(&v, &f);
	printf("# %u of %u samples\n", f.looked, f.samples);
	check(f.looked > 100);
	unview(&v);

	/* The same, cut. */
	f = in_loop();
	f.n = 2;
	if (!start(&v, getpid(), PITRACE_WANT_USER, 3, 0))
		return;
	chain_a(50000000);
	finish(&v, &f);
	printf("# %u of %u samples\n", f.looked, f.samples);
	check(f.looked > 100);
	check(f.stack && f.stack->user == 3 && f.stack->flags == PITRACE_STACK_CUT_U);
	unview(&v);
	no_session_left();
}

/* Short functions, called all the time: at their first instruction, at the one that makes the
 * frame, in the midst and at the return nobody is missing; elsewhere one may be, and nobody is
 * wrong. */
static uint64_t hot_callers[3];
extern char __start_code_inner[], __stop_code_inner[], __start_code_outer[], __stop_code_outer[];
static volatile unsigned long sink;

__attribute__((noinline, noclone, section("code_inner"))) static void hot_inner(unsigned long i)
{
	if (!i)
		hot_callers[0] = RETURN;
	sink += i;
}

__attribute__((noinline, noclone, section("code_outer"))) static void hot_outer(unsigned long n)
{
	if (n == 8)
		hot_callers[1] = RETURN;
	while (n--)
		hot_inner(n);
	__asm__ volatile("" : : : "memory");
}

__attribute__((noinline, noclone)) static void hot(unsigned long n)
{
	hot_callers[2] = RETURN;
	while (n--)
		hot_outer(8);
	__asm__ volatile("" : : : "memory");
}

void test_stack_each_instruction(void)
{
	struct search inner = {
		.pid = (uint32_t)getpid(), .chain = hot_callers, .n = 3, .may_miss = true,
		.from = (uintptr_t)__start_code_inner, .to = (uintptr_t)__stop_code_inner,
	}, outer = {
		.pid = (uint32_t)getpid(), .chain = hot_callers + 1, .n = 2, .may_miss = true,
		.from = (uintptr_t)__start_code_outer, .to = (uintptr_t)__stop_code_outer,
	};
	struct view v;
	int turn;

	/* An emulator lets interrupts in where it likes: in short functions, too, at last. */
	for (turn = 0; turn < 10 && inner.looked <= 50; turn++) {
		if (!start(&v, getpid(), PITRACE_WANT_USER, 0, 0))
			return;
		hot(1500000);
		finish(&v, &inner);
		each_record(&v, PITRACE_RING_TRACE, look, &outer);
		unview(&v);
	}
	printf("# %u and %u samples, %u and %u without the first caller\n", inner.looked,
	       outer.looked, inner.missed, outer.missed);
	check(inner.looked > 50 && outer.looked > 50);
	check(2 * inner.missed < inner.looked && 2 * outer.missed < outer.looked);
	no_session_left();
}

/* ---- copies ---------------------------------------------------------------------------------- */

struct marked {
	uint64_t words[4];
};
static const struct marked marks = { { 0x1122334455667788, 2, 3, 0x99AABBCCDDEEFF00 } };
static uint64_t marked_at;

__attribute__((noinline, noclone)) static void chain_marked(void)
{
	volatile struct marked on_stack = marks;

	marked_at = (uintptr_t)&on_stack;
	chain_c(50000000);
	check(on_stack.words[3] == marks.words[3]);
}

/* How many registers there are, and which are the stack and the frame pointer. */
#ifdef __x86_64__
enum { REGISTERS = 17, SP = 7, FP = 6 };
#elif defined(__powerpc64__)
enum { REGISTERS = 34, SP = 1, FP = 31 };
#elif defined(__s390x__)
enum { REGISTERS = 17, SP = 15, FP = 11 };
#else
enum { REGISTERS = 33, SP = 31, FP = 29 };
#endif

static void check_copy(struct search *f, uint32_t kind, const struct pitrace_sample *s,
		       const struct pitrace_stack *stack)
{
	const uint64_t *regs = user_part(stack) + stack->user;
	const unsigned char *copy = (const unsigned char *)(stack + 1) +
				    8u * (stack->kernel + stack->user + stack->regs);
	uint64_t offset;

	if (kind != PITRACE_TPROF_USER || s->address < f->from || s->address >= f->to || f->bad)
		return;
	offset = marked_at - at(regs, SP);
	if (stack->regs != REGISTERS || stack->kernel || stack->user || offset > 1024 ||
	    at(regs, REGISTERS - 1) != s->address || at(regs, FP) < at(regs, SP) ||
	    at(regs, FP) - at(regs, SP) > 256 || !(stack->flags & PITRACE_STACK_COPY) ||
	    stack->bytes < offset + sizeof(marks) || memcmp(copy + offset, &marks, sizeof(marks))) {
		f->bad++;
		wrong("%u registers, pc %#llx, sp %#llx, marks at %#llx, flags %#x, %u bytes",
		      stack->regs, (unsigned long long)at(regs, REGISTERS - 1),
		      (unsigned long long)at(regs, SP), (unsigned long long)marked_at, stack->flags,
		      stack->bytes);
	}
}

void test_stack_copy(void)
{
	struct search f = in_loop();
	struct view v;

	f.chain = NULL;
	f.each = check_copy;
	if (!start(&v, getpid(), PITRACE_WANT_COPY, 0, 512))
		return;
	chain_marked();
	finish(&v, &f);
	printf("# %u of %u samples\n", f.looked, f.samples);
	check(f.looked > 100);
	check(f.stack && f.stack->bytes == 512 && f.stack->flags == PITRACE_STACK_COPY);
	unview(&v);

	/* As much as can be had: the stack ends before the copy does, or the copy is whole. */
	f = in_loop();
	f.chain = NULL;
	f.each = check_copy;
	if (!start(&v, getpid(), PITRACE_WANT_COPY, 0, PITRACE_STACK_COPY_MAX))
		return;
	chain_marked();
	finish(&v, &f);
	check(f.stack &&
	      (f.stack->flags & PITRACE_STACK_FAULT || f.stack->bytes == PITRACE_STACK_COPY_MAX));
	unview(&v);
	no_session_left();
}

/* ---- the kernel ------------------------------------------------------------------------------ */

struct place {
	uint64_t from, to;
};
static struct place vfs_read, text;

static bool within(const struct place *p, uint64_t address)
{
	return address >= p->from && address < p->to;
}

/* Where the kernel and its modules have code. */
static struct place kernel_text(void)
{
	FILE *in = fopen("/proc/kallsyms", "r");
	struct place p = { UINT64_MAX, 0 };
	unsigned long long address;
	char kind;

	while (in && fscanf(in, "%llx %c%*[^\n]", &address, &kind) == 2) {
		if (kind != 't' && kind != 'T')
			continue;
		if (address < p.from)
			p.from = address;
		if (address >= p.to)
			p.to = address + 0x10000;
	}
	if (in)
		fclose(in);
	check(p.from < p.to);
	return p;
}

/* A function of the kernel's, up to the next symbol. */
static struct place kernel_function(const char *wanted)
{
	FILE *in = fopen("/proc/kallsyms", "r");
	struct place p = { 0, UINT64_MAX };
	unsigned long long address;
	char name[256];

	while (in && fscanf(in, "%llx %*c %255s%*[^\n]", &address, name) == 2)
		if (!strcmp(name, wanted))
			p.from = address;
	if (in)
		rewind(in);
	while (in && fscanf(in, "%llx %*c %255s%*[^\n]", &address, name) == 2)
		if (address > p.from && address < p.to)
			p.to = address;
	if (in)
		fclose(in);
	check(p.from);
	return p;
}

static void check_kernel(struct search *f, uint32_t kind, const struct pitrace_sample *s,
			 const struct pitrace_stack *stack)
{
	unsigned int i;

	if (!stack->kernel) {
		/* The sample is in user code, or the kernel could not walk, as the flag says. */
		if (kind == PITRACE_TPROF_KERNEL && !(stack->flags & PITRACE_STACK_NONE_K))
			wrong("no kernel stack at %#llx, flags %#x", (unsigned long long)s->address,
			      stack->flags);
		return;
	}
	f->looked++;
	if (kind != PITRACE_TPROF_KERNEL)
		wrong("user code with a kernel stack");
	if (at((const uint64_t *)(stack + 1), 0) != s->address && f->bad++ < 5)
		wrong("a kernel stack from %#llx on, not %#llx",
		      (unsigned long long)at((const uint64_t *)(stack + 1), 0),
		      (unsigned long long)s->address);
	for (i = 0; i < stack->kernel; i++) {
		uint64_t a = at((const uint64_t *)(stack + 1), i);

		if (!within(&text, a))
			wrong("no kernel address: %#llx", (unsigned long long)a);
		if (!within(&vfs_read, a))
			continue;
		/* The caller of read() is known: the user part leads to it. */
		for (i = 0; i < stack->user; i++)
			if (at(user_part(stack), i) == callers[0]) {
				f->n++;
				return;
			}
		/* Its stack may be paged out at that moment, which is recorded. */
		if (stack->flags & PITRACE_STACK_FAULT) {
			f->faults++;
			return;
		}
		wrong("vfs_read of somebody else: %u callers, the first %#llx, not %#llx; flags %#x",
		      stack->user, (unsigned long long)at(user_part(stack), stack->user > 1),
		      (unsigned long long)callers[0], stack->flags);
		return;
	}
}

/* By syscall(), which has no frame: those of s390x's C library do not lead to their callers'. */
__attribute__((noinline, noclone)) static void read_zeros(int fd, char *to, size_t size)
{
	callers[0] = RETURN;
	for (int i = 0; i < 100; i++)
		check(syscall(SYS_read, fd, to, size) == (long)size);
}

void test_stack_kernel(void)
{
	struct search f = { .pid = (uint32_t)getpid(), .each = check_kernel };
	int zero = open("/dev/zero", O_RDONLY);
	char *buffer = malloc(MB);
	struct view v;

	vfs_read = kernel_function("vfs_read");
	text = kernel_text();
	if (!start(&v, getpid(), PITRACE_WANT_USER | PITRACE_WANT_KERNEL, 0, 0))
		return;
	read_zeros(zero, buffer, MB);
	finish(&v, &f);
	printf("# %u samples, %u in the kernel, %u in vfs_read, the user's stack unreadable in %u\n",
	       f.samples, f.looked, f.n, f.faults);
	check(f.looked > 20 && f.n > f.looked / 2 && f.faults * 20 <= f.looked);
	unview(&v);
	free(buffer);
	close(zero);
	no_session_left();
}

/* ---- where a thread waits -------------------------------------------------------------------- */

struct waits {
	uint32_t tid;
	struct place schedule;
	unsigned int all, kernel, user;
};

static void look_wait(const struct pitrace_rec *rec, void *arg)
{
	const struct pitrace_dispatch *d = (const void *)(rec + 1);
	const struct pitrace_stack *stack = (const void *)(d + 1);
	struct waits *w = arg;
	unsigned int i;

	if (rec->major != PITRACE_DISPATCH)
		return;
	if (d->old_tid != w->tid) {
		/* For other processes, only the fact of the dispatch is recorded. */
		if (rec->minor & PITRACE_DISPATCH_STACK)
			wrong("the stack of thread %u", d->old_tid);
		return;
	}
	if ((rec->minor & PITRACE_LEFT_MASK) != PITRACE_LEFT_SLEEP)
		return;
	w->all++;
	if (!(rec->minor & PITRACE_DISPATCH_STACK))
		return;
	for (i = 0; i < stack->kernel; i++)
		if (within(&w->schedule, at((const uint64_t *)(stack + 1), i)))
			break;
	w->kernel += i < stack->kernel;
	for (i = 0; i < stack->user && at(user_part(stack), i) != callers[0]; i++)
		;
	w->user += i < stack->user;
}

__attribute__((noinline, noclone)) static void nap_often(void)
{
	struct timespec t = { .tv_nsec = 2000000 };

	callers[0] = RETURN;
	for (int i = 0; i < 50; i++)
		syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &t, NULL);
}

void test_stack_dispatch(void)
{
	struct waits w = {
		.tid = (uint32_t)getpid(),
		.schedule = kernel_function("schedule"),
	};
	struct pitrace_setup_args setup = setup_args(1000);
	struct pitrace_session_args args = plain();
	struct view v;

	args.scope = PITRACE_SCOPE_PROCESS;
	args.pid = getpid();
	setup.majors[0] = 1ull << PITRACE_DISPATCH;
	setup.stacks = PITRACE_WANT_USER | PITRACE_WANT_KERNEL | PITRACE_WANT_DISPATCH;
	if (!begin(&v, args, 1000))
		return;
	want(0, ioctl(v.fd, PITRACE_IOC_SETUP, &setup));
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	nap_often();
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	each_record(&v, PITRACE_RING_TRACE, look_wait, &w);
	printf("# %u waits, %u through schedule(), %u known callers\n", w.all, w.kernel, w.user);
	check(w.all >= 40 && w.kernel == w.all && w.user >= 40);
	unview(&v);
	no_session_left();
}

/* ---- 32-bit code ----------------------------------------------------------------------------- */

void test_stack_32bit(void)
{
	struct search f = { .wrong_flags = PITRACE_STACK_FAULT | PITRACE_STACK_CUT_U };
	int in[2], out[2], status;
	uint64_t chain[2];
	uint32_t told[4] = { 0 };
	struct view v;
	pid_t pid;

	if (pipe(in) || pipe(out)) {
		wrong("pipe");
		return;
	}
	pid = fork();
	if (!pid) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		execlp("chain32", "chain32", (char *)NULL);
		_exit(127);
	}
	close(out[1]);
	check(read(out[0], told, sizeof(told)) == sizeof(told));
	f.pid = (uint32_t)pid;
	f.from = told[0];
	f.to = told[1];
	chain[0] = told[2];
	chain[1] = told[3];
	f.chain = chain;
	f.n = 2;
	if (start(&v, pid, PITRACE_WANT_USER | PITRACE_WANT_COPY, 0, 256)) {
		check(write(in[1], "", 1) == 1);
		waitpid(pid, &status, 0);
		check(status == 0);
		finish(&v, &f);
		check(f.looked > 100);
		check(f.stack && f.stack->flags & PITRACE_STACK_32BIT && f.stack->regs == 9);
		if (f.stack)
			check(at(user_part(f.stack), f.stack->user + 8u) ==
			      at(user_part(f.stack), 0));
		unview(&v);
	}
	close(in[0]);
	close(in[1]);
	close(out[0]);
	no_session_left();
}
