/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes a trace with copies of its own stack, as `-g dwarf` records them: test_unwind FILE [BYTES].
 * Built without frame pointers. Each scene is a process of its own in the trace; the functions that
 * begin with call_ or end_ are the truth: they never appear in another order.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <ucontext.h>

#include "gen_trace.h"

#define MS       1000000ull
#define START    (10000 * MS)
#define TICKS    10
#define FUNCTION __attribute__((noinline, noclone, used))
/* The caller continues after the call, so that it stays on the stack. */
#define STAY() __asm__ volatile("" ::: "memory")

static struct pifile_writer *writer;
static struct gen_ring mte, trace;
static uint64_t now = START;
static uint32_t pid = 100, copy_bytes = PITRACE_STACK_COPY_MAX;
static const char *stack_top; /* of the thread that runs */

/* ---- the trace ------------------------------------------------------------------------------- */

static void map(const char *path, uint64_t start, uint64_t end, uint64_t offset, uint64_t inode,
		uint32_t flags)
{
	struct pitrace_mte_map m = {
		.pid = pid,
		.flags = PITRACE_MAP_READ | PITRACE_MAP_EXEC | flags,
		.start = start,
		.length = end - start,
		.offset = offset,
		.inode = inode,
		.path_len = (uint32_t)strlen(path),
	};
	char *data = gen_record(&mte, PITRACE_MTE, PITRACE_MTE_MODULE, PITRACE_TYPE_STRUCT,
				(uint32_t)(sizeof(m) + strlen(path) + 1), now);

	memcpy(data, &m, sizeof(m));
	strcpy(data + sizeof(m), path);
}

/* A process with this one's memory. Each scene is one. */
static void begin_scene(const char *name)
{
	struct pitrace_mte_task t = { .pid = ++pid, .tid = pid, .ppid = 1, .start = now };
	char line[4096], path[4096], x;
	uint64_t start, end, offset, inode;
	FILE *maps = fopen("/proc/self/maps", "r");

	snprintf(t.comm, sizeof(t.comm), "%s", name);
	memcpy(gen_record(&mte, PITRACE_MTE, PITRACE_MTE_PROCESS, PITRACE_TYPE_STRUCT, sizeof(t),
			  now),
	       &t, sizeof(t));
	while (maps && fgets(line, sizeof(line), maps)) {
		path[0] = '\0';
		if (sscanf(line, "%lx-%lx %*2c%c%*c %lx %*s %lu %4095s", &start, &end, &x, &offset,
			   &inode, path) < 5 ||
		    x != 'x')
			continue;
		map(path[0] ? path : "//anon", start, end, offset, inode,
		    !strcmp(path, "[vdso]") ? PITRACE_MAP_VDSO :
		    path[0]                 ? 0 :
					      PITRACE_MAP_ANON);
	}
	if (maps)
		fclose(maps);
	now += MS;
}

/* Registers in DWARF's order, the program counter last. */
static unsigned int registers(const ucontext_t *c, uint64_t *to)
{
#if defined(__x86_64__)
	static const int order[] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
		REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
	};
	unsigned int i;

	for (i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		to[i] = (uint64_t)c->uc_mcontext.gregs[order[i]];
	return i;
#elif defined(__aarch64__)
	memcpy(to, c->uc_mcontext.regs, 31 * 8);
	to[31] = c->uc_mcontext.sp;
	to[32] = c->uc_mcontext.pc;
	return 33;
#endif
}

#if defined(__x86_64__)
#define TRAP() __asm__ volatile("int3" ::: "memory")
#define SP     7
#define AFTER  0 /* the processor is past it already */
#elif defined(__aarch64__)
#define TRAP() __asm__ volatile("brk #0" ::: "memory")
#define SP     31
#define AFTER  4
#endif

static void record_stack(int sig, siginfo_t *info, void *context)
{
	struct pitrace_sample s = { .pid = pid, .tid = pid, .period = MS };
	struct pitrace_stack h = { .flags = PITRACE_STACK_COPY };
	uint64_t regs[64];
	uint8_t *p;
	unsigned int i;

	(void)sig;
	(void)info;
	h.regs = (uint16_t)registers(context, regs);
	s.address = regs[h.regs - 1];
	h.bytes = copy_bytes;
	if (regs[SP] + h.bytes > (uintptr_t)stack_top)
		h.bytes = (uint32_t)((uintptr_t)stack_top - regs[SP]) & ~7u;
	for (i = 0; i < TICKS; i++) {
		now += MS;
		p = gen_record(&trace, PITRACE_TPROF, PITRACE_TPROF_USER | PITRACE_TPROF_STACK,
			       PITRACE_TYPE_STRUCT,
			       (uint32_t)(sizeof(s) + sizeof(h) + 8 * h.regs + h.bytes), now);
		memcpy(p, &s, sizeof(s));
		memcpy(p + sizeof(s), &h, sizeof(h));
		memcpy(p + sizeof(s) + sizeof(h), regs, 8 * h.regs);
		memcpy(p + sizeof(s) + sizeof(h) + 8 * h.regs, (const void *)regs[SP], h.bytes);
	}
#if defined(__aarch64__)
	((ucontext_t *)context)->uc_mcontext.pc += AFTER;
#endif
}

/* ---- what is on the stack -------------------------------------------------------------------- */

static FUNCTION void end_leaf(void)
{
	volatile char room[200];

	room[0] = 1;
	TRAP();
	STAY();
	room[1] = room[0];
}

static FUNCTION int call_again(int n)
{
	volatile int here[64];

	here[n] = n;
	if (n)
		here[n] = call_again(n - 1) + 1;
	else
		end_leaf();
	STAY();
	return here[n];
}

/* Called by libc. */
static FUNCTION int call_compare(const void *a, const void *b)
{
	static bool done;

	if (!done) {
		done = true;
		call_again(3);
		STAY();
	}
	return *(const int *)a - *(const int *)b;
}

/* A stack frame whose size is not known beforehand. */
static FUNCTION void call_variable(unsigned int n)
{
	volatile int values[n];

	for (unsigned int i = 0; i < n; i++)
		values[i] = (int)(n - i);
	qsort((void *)(uintptr_t)values, n, sizeof(int), call_compare);
	STAY();
	values[0] = 1;
}

static FUNCTION void call_plain(void)
{
	call_variable(50);
	STAY();
}

static FUNCTION void call_handler(int sig)
{
	(void)sig;
	end_leaf();
	STAY();
}

static FUNCTION void call_raise(void)
{
	raise(SIGUSR1);
	STAY();
}

static void find_top(void)
{
	pthread_attr_t attr;
	void *stack;
	size_t size;

	pthread_getattr_np(pthread_self(), &attr);
	pthread_attr_getstack(&attr, &stack, &size);
	pthread_attr_destroy(&attr);
	stack_top = (char *)stack + size;
}

static FUNCTION void *call_thread(void *arg)
{
	const char *top = stack_top;

	find_top();
	end_leaf();
	STAY();
	stack_top = top;
	return arg;
}

static FUNCTION void call_deep(int n)
{
	if (n)
		call_deep(n - 1);
	else
		end_leaf();
	STAY();
}

#if defined(__x86_64__)
/* Code made at run time: no table describes it, but it has a frame pointer. */
static FUNCTION void call_made(void)
{
	static const uint8_t code[] = {
		0x55, 0x48, 0x89, 0xe5, /* push %rbp; mov %rsp,%rbp */
		0xff, 0xd7,             /* call *%rdi */
		0x5d, 0xc3,             /* pop %rbp; ret */
	};
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
	void (*made)(void (*)(void));

	memcpy(p, code, sizeof(code));
	memcpy(&made, &p, sizeof(made));
	begin_scene("made");
	made(end_leaf);
	STAY();
}
#endif

static void run_scenes(void)
{
	struct sigaction trap = { .sa_sigaction = record_stack, .sa_flags = SA_SIGINFO };
	pthread_t thread;

	sigaction(SIGTRAP, &trap, NULL);
	signal(SIGUSR1, call_handler);
	begin_scene("plain");
	call_plain();
	begin_scene("signal");
	call_raise();
	begin_scene("thread");
	if (!pthread_create(&thread, NULL, call_thread, NULL))
		pthread_join(thread, NULL);
	begin_scene("deep");
	call_deep(150);
#if defined(__x86_64__)
	call_made();
#endif
}

/* ---- the file -------------------------------------------------------------------------------- */

static void sync_at(uint32_t why)
{
	struct pitrace_sync s = {
		.stamp = now,
		.monotonic = now,
		.boottime = now,
		.realtime = now + (uint64_t)time(NULL) * 1000 * MS,
	};

	memcpy(gen_record(&mte, PITRACE_SYNC, why, PITRACE_TYPE_STRUCT, sizeof(s), now), &s,
	       sizeof(s));
}

static void write_vdso(void)
{
	const Elf64_Ehdr *vdso = (const void *)getauxval(AT_SYSINFO_EHDR);

	/* Its section headers are at its end. A small kernel's fits into a page. */
	if (vdso)
		pifile_write_section(writer, PIFILE_SEC_VDSO, vdso,
				     vdso->e_shoff + (size_t)vdso->e_shnum * vdso->e_shentsize);
}

int main(int argc, char **argv)
{
	struct pifile_header h = {
		.clock = PITRACE_CLOCK_MONOTONIC,
		.clock_hz = 1000 * MS,
		.ncpus = 1,
		.rate = 1000,
		.mode = PITRACE_MODE_CONTINUOUS,
		.collector = "generator",
		.release = "none",
		.page_size = 4096,
	};
	struct utsname name;

	if (argc < 2)
		return 2;
	if (argc > 2)
		copy_bytes = (uint32_t)strtoul(argv[2], NULL, 0) & ~7u;
	find_top();
	uname(&name);
	snprintf(h.machine, sizeof(h.machine), "%.31s", name.machine);
	writer = pifile_create(argv[1], &h);
	if (!writer) {
		perror(argv[1]);
		return 1;
	}
	gen_ring_open(&mte, writer, 0, PITRACE_RING_MTE, 65536);
	gen_ring_open(&trace, writer, 0, PITRACE_RING_TRACE, 65536);
	sync_at(PITRACE_SYNC_ON);
	run_scenes();
	sync_at(PITRACE_SYNC_OFF);
	gen_ring_flush(&mte);
	gen_ring_flush(&trace);
	write_vdso();
	gen_ring_close(&mte);
	gen_ring_close(&trace);
	return pifile_finish(writer) ? 1 : 0;
}
