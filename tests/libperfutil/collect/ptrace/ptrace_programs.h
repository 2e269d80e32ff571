/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs of a few instructions, in assembler, a session of the collector `ptrace` that traces
 * them, and its records as text. For x86-64.
 */
#ifndef PTRACE_PROGRAMS_H
#define PTRACE_PROGRAMS_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/now.h"
#include "base/rc.h"
#include "collect/collectors.h"
#include "collect/ptrace/ptrace_session.h"
#include "records.h"

static bool gains;

bool __wrap_rights_gained(int pid);
bool __wrap_rights_gained(int pid)
{
	(void)pid;
	return gains;
}

/* ---- the programs ---------------------------------------------------------------------------- */

/* Each begins with a call that waits for a byte, and continues at the address in rbx. The code of
 * sub_exit is 7. */
asm(".text\n"
    "sub_begin:\n" /* (fd, where, another fd) */
    "	mov %rsi, %rbx\n"
    "	mov %rdx, %r12\n"
    "	sub $256, %rsp\n"
    "	mov %rsp, %rsi\n"
    "	mov $1, %edx\n"
    "	xor %eax, %eax\n"
    "sub_read:\n"
    "	syscall\n"
    "sub_go:\n"
    "	jmp *%rbx\n"
    "sub_exit:\n"
    "	mov $231, %eax\n"
    "	mov $7, %edi\n"
    "	syscall\n"
    "sub_exited:\n"
    "	ud2\n"
    "sub_thread_exit:\n"
    "	mov $60, %eax\n"
    "	xor %edi, %edi\n"
    "	syscall\n"
    "sub_thread_exited:\n"
    "	ud2\n"
    /* branches, taken and not; repeated instructions */
    "sub_flow:\n"
    "	mov $3, %ecx\n"
    "sub_loop:\n"
    "	dec %ecx\n"
    "sub_jnz:\n"
    "	jnz sub_loop\n"
    "sub_call:\n"
    "	call sub_leaf\n"
    "sub_back:\n"
    "	xor %eax, %eax\n"
    "sub_jz:\n"
    "	jz sub_on\n"
    "	nop\n"
    "sub_on:\n"
    "	jc sub_no\n"
    "sub_no:\n"
    "	mov %rsp, %rdi\n"
    "	mov $40, %ecx\n"
    "	rep stosb\n"
    "	xor %eax, %eax\n"
    "	cpuid\n"
    "	nop\n"
    "sub_out:\n"
    "	jmp sub_exit\n"
    "sub_leaf:\n"
    "	nop\n"
    "sub_ret:\n"
    "	ret\n"
    /* code in memory, which changes; a name */
    "sub_calls:\n"
    "	mov $0x10000000, %r13d\n"
    "	mov %r13, %rdi\n"
    "	mov $8192, %esi\n"
    "	mov $7, %edx\n"
    "	mov $0x32, %r10d\n"
    "	mov $-1, %r8\n"
    "	xor %r9d, %r9d\n"
    "	mov $9, %eax\n"
    "	syscall\n"
    "sub_mapped:\n"
    "	movw $0xc390, (%r13)\n"
    "sub_first:\n"
    "	call *%r13\n"
    "sub_firsted:\n"
    "	call *%r13\n"
    "sub_again:\n"
    "	movb $0xc3, (%r13)\n"
    "sub_second:\n"
    "	call *%r13\n"
    "sub_seconded:\n"
    "	lea sub_name(%rip), %rsi\n"
    "	mov $15, %edi\n"
    "	mov $157, %eax\n"
    "	syscall\n"
    "sub_named:\n"
    "	mov %r13, %rdi\n"
    "	mov $8192, %esi\n"
    "	mov $11, %eax\n"
    "	syscall\n"
    "sub_unmapped:\n"
    "	jmp sub_exit\n"
    "sub_name:\n"
    "	.asciz \"renamed\"\n"
    /* a handler, by a signal and by a breakpoint of its own */
    "sub_signals:\n"
    "	mov $10, %edi\n" /* SIGUSR1 */
    "	lea sub_action(%rip), %rsi\n"
    "	xor %edx, %edx\n"
    "	mov $8, %r10d\n"
    "	mov $13, %eax\n"
    "	syscall\n"
    "sub_set:\n"
    "	mov $5, %edi\n" /* SIGTRAP */
    "	mov $13, %eax\n"
    "	syscall\n"
    "sub_set2:\n"
    "	mov $39, %eax\n"
    "	syscall\n"
    "sub_pid:\n"
    "	mov %eax, %edi\n"
    "	mov $10, %esi\n"
    "	mov $62, %eax\n"
    "	syscall\n"
    "sub_killed:\n"
    "	nop\n"
    "sub_trap:\n"
    "	int3\n"
    "sub_trapped:\n"
    "	jmp sub_exit\n"
    "sub_handler:\n"
    "	nop\n"
    "sub_hret:\n"
    "	ret\n"
    "sub_restorer:\n"
    "	mov $15, %eax\n"
    "	syscall\n"
    "sub_restored:\n"
    "	ud2\n"
    /* a call that a signal interrupts; then it is done again */
    "sub_wait:\n"
    "	mov $10, %edi\n"
    "	lea sub_action(%rip), %rsi\n"
    "	xor %edx, %edx\n"
    "	mov $8, %r10d\n"
    "	mov $13, %eax\n"
    "	syscall\n"
    "sub_waits:\n"
    "	mov %r12, %rdi\n"
    "	mov %rsp, %rsi\n"
    "	mov $1, %edx\n"
    "	xor %eax, %eax\n"
    "	syscall\n"
    "sub_waited:\n"
    "	jmp sub_exit\n"
    /* children */
    "sub_fork:\n"
    "	mov $57, %eax\n"
    "	jmp sub_split\n"
    "sub_vfork:\n"
    "	mov $58, %eax\n"
    "sub_split:\n"
    "	syscall\n"
    "sub_forked:\n"
    "	test %eax, %eax\n"
    "sub_which:\n"
    "	jz sub_thread_exit\n"
    "	mov %eax, %edi\n"
    "	mov %rsp, %rsi\n"
    "	xor %edx, %edx\n"
    "	xor %r10d, %r10d\n"
    "	mov $61, %eax\n"
    "	syscall\n"
    "sub_reaped:\n"
    "	cmpl $0, (%rsp)\n" /* the child is well */
    "sub_well:\n"
    "	je sub_exit\n"
    "	ud2\n"
    "sub_clone:\n"
    "	mov $0x50f00, %edi\n"
    "	mov %rsp, %rsi\n"
    "	xor %edx, %edx\n"
    "	xor %r10d, %r10d\n"
    "	xor %r8d, %r8d\n"
    "	mov $56, %eax\n"
    "	syscall\n"
    "sub_cloned:\n"
    "	test %eax, %eax\n"
    "sub_whose:\n"
    "	jz sub_child\n"
    "	call sub_common\n"
    "sub_parent:\n"
    "	jmp sub_thread_exit\n"
    "sub_child:\n"
    "	sub $128, %rsp\n"
    "	call sub_common\n"
    "sub_childs:\n"
    "	jmp sub_thread_exit\n"
    "sub_common:\n"
    "	nop\n"
    "sub_common_ret:\n"
    "	ret\n"
    /* another program */
    "sub_exec:\n"
    "	lea sub_path(%rip), %rdi\n"
    "	xor %esi, %esi\n"
    "	xor %edx, %edx\n"
    "	mov $59, %eax\n"
    "	syscall\n"
    "sub_execed:\n"
    "	jmp sub_exit\n"
    "sub_path:\n"
    "	.asciz \"/bin/true\"\n"
    /* … by a thread that is not the first; that one waits */
    "sub_cexec:\n"
    "	mov $0x50f00, %edi\n"
    "	mov %rsp, %rsi\n"
    "	xor %edx, %edx\n"
    "	xor %r10d, %r10d\n"
    "	xor %r8d, %r8d\n"
    "	mov $56, %eax\n"
    "	syscall\n"
    "	test %eax, %eax\n"
    "	jz sub_exec\n"
    "	mov %r12, %rdi\n"
    "	mov %rsp, %rsi\n"
    "	mov $1, %edx\n"
    "	xor %eax, %eax\n"
    "	syscall\n"
    "	ud2\n"
    /* two threads that call the same function, after a popf if need be; the last one ends it all */
    "sub_flags_both:\n"
    "	pushf\n"
    "	popf\n"
    "sub_both:\n"
    "	lea 64(%rsp), %r14\n"
    "	movl $2, (%r14)\n"
    "	mov $100, %r15d\n"
    "	mov $0x50f00, %edi\n"
    "	lea -512(%rsp), %rsi\n"
    "	xor %edx, %edx\n"
    "	xor %r10d, %r10d\n"
    "	xor %r8d, %r8d\n"
    "	mov $56, %eax\n"
    "	syscall\n"
    "sub_calling:\n"
    "	call sub_common\n"
    "sub_came:\n"
    "	dec %r15d\n"
    "sub_more:\n"
    "	jnz sub_calling\n"
    "	lock decl (%r14)\n"
    "sub_last:\n"
    "	jz sub_exit\n"
    "	jmp sub_thread_exit\n"
    /* for ever, by 2 instructions */
    "sub_ever:\n"
    "	nop\n"
    "sub_evers:\n"
    "	jmp sub_ever\n"
    /* a sequence that no trap may interrupt, through to its end, then left by its branch: see
     * flow_here() below */
    "sub_seq:\n"
    "	mov $1, %eax\n"
    "	test %eax, %eax\n"
    "sub_reserve:\n"
    "	.byte 0x0f, 0x1f, 0x40, 0x01\n"
    "sub_inside:\n"
    "	.byte 0x0f, 0x1f, 0x40, 0x03\n"
    "sub_leave:\n"
    "	.byte 0x2e, 0x2e, 0x74, sub_left - sub_stay\n"
    "sub_stay:\n"
    "	.byte 0x0f, 0x1f, 0x40, 0x03\n"
    "sub_store:\n"
    "	.byte 0x0f, 0x1f, 0x40, 0x02\n"
    "sub_after:\n"
    "	xor %eax, %eax\n"
    "sub_once_more:\n"
    "	jmp sub_reserve\n"
    "sub_left:\n"
    "	jmp sub_exit\n"
    /* flags pushed and popped; a trap flag of its own; a signal that comes before a popf */
    "sub_flags:\n"
    "	pushf\n"
    "	testl $0x100, (%rsp)\n"
    "	jnz sub_exited\n"
    "	pushfw\n"
    "	testw $0x100, (%rsp)\n"
    "	jnz sub_exited\n"
    "	popfw\n"
    "	popf\n"
    "sub_popped:\n"
    "	nop\n"
    "	jmp sub_exit\n"
    "sub_own_flag:\n"
    "	pushf\n"
    "	orl $0x100, (%rsp)\n"
    "	popf\n"
    "	pushf\n"
    "	testl $0x100, (%rsp)\n"
    "	jz sub_exited\n"
    "	andl $0xfffffeff, (%rsp)\n"
    "	popf\n"
    "sub_owned:\n"
    "	jmp sub_exit\n"
    "sub_late_flags:\n"
    "	mov $10, %edi\n" /* SIGUSR1 */
    "	lea sub_action(%rip), %rsi\n"
    "	xor %edx, %edx\n"
    "	mov $8, %r10d\n"
    "	mov $13, %eax\n"
    "	syscall\n"
    "	mov $39, %eax\n"
    "	syscall\n"
    "	mov %eax, %edi\n"
    "	mov $10, %esi\n"
    "	pushf\n"
    "	mov $62, %eax\n"
    "	syscall\n"
    "	popf\n"
    "	jmp sub_exit\n"
    /* a child that waits */
    "sub_forks:\n"
    "	mov $57, %eax\n"
    "	syscall\n"
    "	test %eax, %eax\n"
    "	jz sub_cwait\n"
    "	mov %eax, %edi\n"
    "	mov %rsp, %rsi\n"
    "	xor %edx, %edx\n"
    "	xor %r10d, %r10d\n"
    "	mov $61, %eax\n"
    "	syscall\n"
    "	jmp sub_exit\n"
    "sub_cwait:\n"
    "	mov %r12, %rdi\n"
    "	mov %rsp, %rsi\n"
    "	mov $1, %edx\n"
    "	xor %eax, %eax\n"
    "	syscall\n"
    "	jmp sub_thread_exit\n"
    /* stops itself */
    "sub_stop:\n"
    "	mov $39, %eax\n"
    "	syscall\n"
    "sub_self:\n"
    "	mov %eax, %edi\n"
    "	mov $19, %esi\n"
    "	mov $62, %eax\n"
    "	syscall\n"
    "sub_stopped:\n"
    "	jmp sub_exit\n"
    ".data\n"
    ".balign 8\n"
    "sub_action:\n"
    "	.quad sub_handler, 0x14000004, sub_restorer, 0\n" /* SIGINFO, RESTART, RESTORER */
    ".text\n");

/* clang-format off */
#define PLACES(X) \
	X(read) X(go) X(exit) X(exited) X(thread_exit) X(thread_exited) X(flow) X(loop) \
	X(jnz) X(call) X(back) X(jz) X(on) X(no) X(out) X(leaf) X(ret) X(calls) X(mapped) \
	X(first) X(firsted) X(again) X(second) X(seconded) X(named) X(unmapped) X(signals) \
	X(set) X(set2) X(pid) X(killed) X(trap) X(trapped) X(handler) X(hret) X(restorer) \
	X(restored) X(wait) X(waits) X(waited) X(fork) X(vfork) X(split) X(forked) X(which) \
	X(reaped) X(clone) X(cloned) X(whose) X(parent) X(child) X(childs) X(common) \
	X(common_ret) X(exec) X(execed) X(ever) X(evers) X(stop) X(self) X(stopped) X(well) \
	X(cexec) X(both) X(calling) X(came) X(more) X(seq) X(reserve) X(inside) X(leave) \
	X(stay) X(store) X(after) X(once_more) X(left) X(forks) X(last) X(flags) \
	X(popped) X(own_flag) X(owned) X(late_flags) X(flags_both)
/* clang-format on */

extern void sub_begin(int fd, const void *where, int other) __attribute__((noreturn));
#define DECLARE(name) extern const char sub_##name[];
PLACES(DECLARE)
static const struct {
	const char *at, *name;
} places[] = {
#define PLACE(name) { sub_##name, #name },
	PLACES(PLACE)
};

/* The next wait for one thread is interrupted, as by a request to the worker. */
static bool wait_is_interrupted;
pid_t __real_waitpid(pid_t pid, int *status, int options);
pid_t __wrap_waitpid(pid_t pid, int *status, int options);
pid_t __wrap_waitpid(pid_t pid, int *status, int options)
{
	if (wait_is_interrupted && pid > 0 && options & __WNOTHREAD && !(options & WNOHANG)) {
		wait_is_interrupted = false;
		errno = EINTR;
		return -1;
	}
	return __real_waitpid(pid, status, options);
}

/* Four bytes each, as other machines have them: a load that reserves, the store that ends it, what
 * stands between, a branch out of it. */
struct flow __real_flow_here(const uint8_t *code, size_t n, bool wide);
struct flow __wrap_flow_here(const uint8_t *code, size_t n, bool wide);
struct flow __wrap_flow_here(const uint8_t *code, size_t n, bool wide)
{
	if (n >= 4 && code[0] == 0x0f && code[1] == 0x1f && code[2] == 0x40)
		return (struct flow){ .what = code[3] == 1 ? FLOW_RESERVE :
					      code[3] == 2 ? FLOW_RELEASE :
							     FLOW_NEXT,
				      .length = 4 };
	if (n >= 4 && code[0] == 0x2e && code[1] == 0x2e && code[2] == 0x74)
		return (struct flow){ .what = FLOW_MAYBE,
				      .kind = PITRACE_BRANCH_JUMP,
				      .length = 4,
				      .direct = true,
				      .reach = 4 + (int8_t)code[3] };
	return __real_flow_here(code, n, wide);
}

/* ---- a session ------------------------------------------------------------------------------- */

static struct trace_config config;
static struct backend *b;
static char why[500];
static int go[2], other[2];
static pid_t subject;

/* One of its words: a state, a mask of signals. */
static inline unsigned long status_of(pid_t pid, const char *word, bool number)
{
	char path[64], line[256];
	unsigned long value = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, word, strlen(word)))
			value = number ? strtoul(line + strlen(word), NULL, 16) :
					 (unsigned long)line[strlen(word)];
	if (f)
		fclose(f);
	return value;
}

/* It sleeps in a read of that file, and no signal is under way to it. */
static inline void wait_blocked(pid_t pid, int in)
{
	char path[64], text[64], want[32];

	snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
	snprintf(want, sizeof(want), "0 0x%x ", (unsigned int)in);
	for (int i = 0; i < 20000; i++) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;

		if (fd >= 0)
			close(fd);
		text[n > 0 ? n : 0] = 0;
		if (!strncmp(text, want, strlen(want)) && !status_of(pid, "ShdPnd:\t", true) &&
		    status_of(pid, "State:\t", false) == 'S')
			return;
		usleep(1000);
	}
	CU_FAIL("the program does not wait");
}

static inline void set(unsigned int major)
{
	config.majors[major / 64] |= 1ull << (major & 63);
}

static inline void configure(void)
{
	memset(&config, 0, sizeof(config));
	config.mode = PITRACE_MODE_CONTINUOUS;
	config.scope = PITRACE_SCOPE_PROCESS;
	config.segment_bytes = 32768;
	set(PITRACE_BRANCH_USER);
	gains = false;
	records_forget();
}

/* The program waits. */
static inline void start(const char *where)
{
	CU_ASSERT_FATAL(!pipe2(go, O_CLOEXEC) && !pipe2(other, O_CLOEXEC));
	subject = fork();
	CU_ASSERT_FATAL(subject >= 0);
	if (!subject)
		sub_begin(go[0], where, other[0]);
	wait_blocked(subject, go[0]);
	config.pid = subject;
}

static inline void trace(void)
{
	int rc = 1;

	b = collector_ptrace.open(&config, &rc, why, sizeof(why));
	CU_ASSERT_FATAL(b != NULL);
	CU_ASSERT_EQUAL_FATAL(collector_ptrace.on(b, &config), 0);
}

static inline void let_go(void)
{
	CU_ASSERT_EQUAL(write(go[1], "x", 1), 1);
}

static inline void drain(void)
{
	CU_ASSERT_EQUAL(collector_ptrace.drain(b, true, records_take, NULL), 0);
}

/* Its status, once it has ended. */
static inline int ended(void)
{
	int status = -1;

	for (int i = 0; i < 20000; i++) {
		if (collector_ptrace.ended(b, subject, &status))
			return status;
		drain();
		usleep(1000);
	}
	CU_FAIL("it does not end");
	kill(subject, SIGKILL);
	return -1;
}

static const struct trace_info *info(void)
{
	static struct trace_info i;

	memset(&i, 0xff, sizeof(i));
	collector_ptrace.info(b, &i);
	return &i;
}

/* ---- records as text ------------------------------------------------------------------------- */

static char said[65536];

static const char *place(uint64_t at)
{
	static char text[4][40];
	static unsigned int turn;
	char *to = text[turn++ % 4];
	const char *best = NULL;
	uint64_t off = 0;

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		uint64_t base = (uintptr_t)places[i].at;

		if (at >= base && at - base < 64 && (!best || at - base < off)) {
			best = places[i].name;
			off = at - base;
		}
	}
	if (best && off)
		snprintf(to, 40, "%s+%u", best, (unsigned int)off);
	else if (best)
		snprintf(to, 40, "%s", best);
	else if (at && at < 0x20000000)
		snprintf(to, 40, "%x", (unsigned int)at);
	else
		snprintf(to, 40, at ? "?" : "0");
	return to;
}

/* The records of a thread: START s, STOP e, branches b, breaks k, code c; kind, instructions. */
static const char *say(uint32_t tid)
{
	char *at = said;

	*at = 0;
	for (unsigned int i = 0; i < ntold; i++) {
		const struct told *t = &told[i];

		switch (t->major) {
		case PITRACE_ITRACE_START:
		case PITRACE_ITRACE_STOP:
			if (t->mark.tid == tid)
				at += sprintf(at, "%c%u:%u %s|",
					      t->major == PITRACE_ITRACE_START ? 's' : 'e',
					      t->minor, t->mark.count, place(t->mark.address));
			break;
		case PITRACE_BRANCH_USER:
			if (t->branch.tid == tid)
				at += sprintf(at, "b%x:%u %s>%s|", t->minor, t->branch.count,
					      place(t->branch.from), place(t->branch.to));
			break;
		case PITRACE_BREAK_USER:
			if (t->brk.tid == tid)
				at += sprintf(at, "k%x:%u,%u %s>%s|", t->minor, t->brk.count,
					      t->brk.number, place(t->brk.at), place(t->brk.to));
			break;
		case PITRACE_CODE:
			at += sprintf(at, "c%u %s %02x|", t->code.bytes, place(t->code.address),
				      t->data[sizeof(struct pitrace_code)]);
			break;
		}
		CU_ASSERT_FATAL(at - said < (long)sizeof(said) - 200);
	}
	return said;
}

static inline void is_said(uint32_t tid, const char *want)
{
	if (strcmp(say(tid), want))
		printf("# got  %s\n# want %s\n", said, want);
	CU_ASSERT_STRING_EQUAL(said, want);
}

/* The thread or process that this one made. */
static inline uint32_t child_of(uint32_t tid)
{
	for (unsigned int i = 0; i < ntold; i++)
		if (told[i].major == PITRACE_ITRACE_START && told[i].mark.tid != tid)
			return told[i].mark.tid;
	return 0;
}

/* The names by which it is known. */
static inline unsigned int tasks(uint32_t minor, uint32_t pid, uint32_t tid)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < ntold; i++)
		n += told[i].major == PITRACE_MTE && told[i].minor == minor &&
		     told[i].task.pid == pid && told[i].task.tid == tid;
	return n;
}

/* The result of the wait at the beginning, before the program itself: it is interrupted and
 * restarted. */
#define BEGINS "s1:0 go|k6:0,0 go>read|k6:1,0 go>go|"
#define ENDS   "e4:3 0|"

/* All instructions are in the records, and all branches. */
static inline void is_whole(void)
{
	uint64_t instructions = 0, branches = 0;

	for (unsigned int i = 0; i < ntold; i++) {
		const struct told *t = &told[i];

		if (t->major == PITRACE_BRANCH_USER) {
			instructions += t->branch.count;
			branches += !(t->minor & PITRACE_BRANCH_STEP);
		} else if (t->major == PITRACE_BREAK_USER) {
			instructions += t->brk.count;
		} else if (t->major == PITRACE_ITRACE_STOP) {
			instructions += t->mark.count;
		}
		CU_ASSERT(!i || t->ring != told[i - 1].ring || t->stamp >= told[i - 1].stamp);
	}
	CU_ASSERT_EQUAL(instructions, info()->instructions);
	CU_ASSERT_EQUAL(branches, info()->branches);
}

/* Begun, it waits again, unless its trace is to begin elsewhere. */
static inline void begun(void)
{
	for (int i = 0; i < 20000 && !records_nth(PITRACE_ITRACE_START, UINT32_MAX, 0); i++) {
		drain();
		usleep(500);
	}
	usleep(2000);
	wait_blocked(subject, go[0]);
}

static inline int run(const char *where)
{
	int status;

	start(where);
	trace();
	if (!(config.itrace.flags & PITRACE_ITRACE_FROM) && !config.itrace.skip)
		begun();
	let_go();
	status = ended();
	CU_ASSERT_EQUAL(collector_ptrace.off(b), 0);
	drain();
	is_whole();
	return status;
}

static inline void end(void)
{
	int status;

	collector_ptrace.close(b);
	while (waitpid(-1, &status, WNOHANG | __WALL) > 0)
		;
	close(go[0]);
	close(go[1]);
	close(other[0]);
	close(other[1]);
}

#define CHILDS                                                                     \
	"s2:0 cloned|b3:2 whose>child|b1:2 child+7>common|b2:2 common_ret>childs|" \
	"b3:1 childs>thread_exit|" ENDS

#endif
