// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The collector `ptrace` beside programs of a few instructions, in assembler: the records of each,
 * to the last one, as text; what its options leave out; and that the program does what it does
 * without. (Linked with --wrap=rights_gained.)
 */
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

#if defined(__x86_64__)

/* ---- the programs ---------------------------------------------------------------------------- */

/* Each begins in a call that waits for a byte, and goes on at the address in rbx. The code of
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
    /* two threads that call the same function; the last one ends the process */
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
	X(stay) X(store) X(after) X(once_more) X(left) X(forks) X(last)
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
static unsigned long status_of(pid_t pid, const char *word, bool number)
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
static void wait_blocked(pid_t pid, int in)
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

static void set(unsigned int major)
{
	config.majors[major / 64] |= 1ull << (major & 63);
}

static void configure(void)
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
static void start(const char *where)
{
	CU_ASSERT_FATAL(!pipe2(go, O_CLOEXEC) && !pipe2(other, O_CLOEXEC));
	subject = fork();
	CU_ASSERT_FATAL(subject >= 0);
	if (!subject)
		sub_begin(go[0], where, other[0]);
	wait_blocked(subject, go[0]);
	config.pid = subject;
}

static void trace(void)
{
	int rc = 1;

	b = collector_ptrace.open(&config, &rc, why, sizeof(why));
	CU_ASSERT_FATAL(b != NULL);
	CU_ASSERT_EQUAL_FATAL(collector_ptrace.on(b, &config), 0);
}

static void let_go(void)
{
	CU_ASSERT_EQUAL(write(go[1], "x", 1), 1);
}

static void drain(void)
{
	CU_ASSERT_EQUAL(collector_ptrace.drain(b, true, records_take, NULL), 0);
}

/* Its status, once it has ended. */
static int ended(void)
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

static void is_said(uint32_t tid, const char *want)
{
	if (strcmp(say(tid), want))
		printf("# got  %s\n# want %s\n", said, want);
	CU_ASSERT_STRING_EQUAL(said, want);
}

/* The thread or process that this one made. */
static uint32_t child_of(uint32_t tid)
{
	for (unsigned int i = 0; i < ntold; i++)
		if (told[i].major == PITRACE_ITRACE_START && told[i].mark.tid != tid)
			return told[i].mark.tid;
	return 0;
}

/* The names by which it is known. */
static unsigned int tasks(uint32_t minor, uint32_t pid, uint32_t tid)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < ntold; i++)
		n += told[i].major == PITRACE_MTE && told[i].minor == minor &&
		     told[i].task.pid == pid && told[i].task.tid == tid;
	return n;
}

/* What the wait at the beginning gives, before the program itself: it is interrupted, and done
 * again. */
#define BEGINS "s1:0 go|k6:0,0 go>read|k6:1,0 go>go|"
#define ENDS   "e4:3 0|"

/* All instructions are in the records, and all branches. */
static void is_whole(void)
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
static void begun(void)
{
	for (int i = 0; i < 20000 && !records_nth(PITRACE_ITRACE_START, UINT32_MAX, 0); i++) {
		drain();
		usleep(500);
	}
	usleep(2000);
	wait_blocked(subject, go[0]);
}

static int run(const char *where)
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

static void end(void)
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

/* ---- what is recorded ------------------------------------------------------------------------ */

#define FLOWS                                                                               \
	"b3:1 go>flow|b3:3 jnz>loop|b3:2 jnz>loop|b1:3 call>leaf|b2:2 ret>back|b3:2 jz>on|" \
	"b3:8 out>exit|"

static void flow(void)
{
	const struct told *t;

	configure();
	CU_ASSERT_EQUAL(run(sub_flow), 7 << 8);
	is_said((uint32_t)subject, BEGINS FLOWS ENDS);
	CU_ASSERT_EQUAL(tasks(PITRACE_MTE_PROCESS, (uint32_t)subject, (uint32_t)subject), 1);
	CU_ASSERT_EQUAL(tasks(PITRACE_MTE_PROCESS_EXIT, (uint32_t)subject, (uint32_t)subject), 1);
	CU_ASSERT_EQUAL(records_count(PITRACE_SYNC, PITRACE_SYNC_ON), 1);
	CU_ASSERT_EQUAL(records_count(PITRACE_SYNC, PITRACE_SYNC_OFF), 1);
	t = records_nth(PITRACE_SYSINFO, PITRACE_SYSINFO_INTERVAL, 0);
	CU_ASSERT(t && t->interval.interval == 1 && !t->interval.rate);
	/* What it maps is told before. */
	t = records_nth(PITRACE_MTE, PITRACE_MTE_MODULE, 0);
	CU_ASSERT(t && t->map.pid == (uint32_t)subject && t->map.flags & PITRACE_MAP_EXEC);
	end();
	/* Each instruction. */
	configure();
	config.itrace.flags = PITRACE_ITRACE_STEPS;
	CU_ASSERT_EQUAL(run(sub_flow), 7 << 8);
	is_said((uint32_t)subject, BEGINS
		"b3:1 go>flow|b405:1 flow>loop|b405:1 loop>jnz|b3:1 jnz>loop|b405:1 loop>jnz|"
		"b3:1 jnz>loop|b405:1 loop>jnz|b405:1 jnz>call|b1:1 call>leaf|b405:1 leaf>ret|"
		"b2:1 ret>back|b405:1 back>jz|b3:1 jz>on|b405:1 on>no|b405:1 no>no+3|b405:1 no+3>no+8|"
		"b405:1 no+8>no+10|b405:1 no+10>no+12|b405:1 no+12>no+14|b405:1 no+14>out|"
		"b3:1 out>exit|b405:1 exit>exit+5|b405:1 exit+5>exit+10|e4:1 0|");
	end();
}

/* So many are left out at first, and no more than so many. */
static void bounds(void)
{
	uint64_t all;

	configure();
	run(sub_flow);
	all = info()->instructions;
	CU_ASSERT_EQUAL(all, 1 + 1 + 20 + 3);
	end();
	for (uint64_t n = 1; n < 6; n++) {
		configure();
		config.itrace.skip = n + 2;
		CU_ASSERT_EQUAL(run(sub_flow), 7 << 8);
		/* The call that waits may be seen whole or not: it is one instruction. */
		CU_ASSERT(info()->instructions == all - n - 2 ||
			  info()->instructions == all - n - 3);
		CU_ASSERT_EQUAL(records_count(PITRACE_ITRACE_START, PITRACE_ITRACE_SKIPPED), 1);
		CU_ASSERT_EQUAL(records_count(PITRACE_ITRACE_START, UINT32_MAX), 1);
		end();
		configure();
		config.itrace.limit = n;
		CU_ASSERT_EQUAL(run(sub_flow), 7 << 8);
		CU_ASSERT_EQUAL(info()->instructions, n);
		CU_ASSERT_EQUAL(records_count(PITRACE_ITRACE_STOP, PITRACE_ITRACE_LIMIT), 1);
		CU_ASSERT_EQUAL(records_count(PITRACE_ITRACE_STOP, UINT32_MAX), 1);
		end();
	}
	configure();
	config.itrace.skip = 5;
	config.itrace.limit = 3;
	CU_ASSERT_EQUAL(run(sub_flow), 7 << 8);
	CU_ASSERT_EQUAL(info()->instructions, 3);
	end();
}

/* Memory that holds code is told, and told again when it has changed. */
static void calls(void)
{
	const struct told *t = NULL;

	configure();
	CU_ASSERT_EQUAL(run(sub_calls), 7 << 8);
	is_said((uint32_t)subject,
		BEGINS "b3:1 go>calls|k6:9,9 mapped>mapped|b1:2 first>10000000|c4096 10000000 90|"
		       "b2:2 10000001>firsted|b1:1 firsted>10000000|b2:2 10000001>again|"
		       "b1:2 second>10000000|c4096 10000000 c3|b2:1 10000000>seconded|"
		       "k6:4,157 named>named|k6:4,11 unmapped>unmapped|b3:1 unmapped>exit|" ENDS);
	for (unsigned int i = 0; i < ntold && !t; i++)
		if (told[i].major == PITRACE_MTE && told[i].minor == PITRACE_MTE_MODULE &&
		    told[i].map.start == 0x10000000)
			t = &told[i];
	CU_ASSERT_FATAL(t != NULL);
	CU_ASSERT(t->map.length == 8192 && t->map.flags & PITRACE_MAP_ANON &&
		  t->map.flags & PITRACE_MAP_WRITE && t->map.pid == (uint32_t)subject);
	CU_ASSERT_EQUAL_FATAL(records_count(PITRACE_MTE, PITRACE_MTE_UNMAP), 1);
	t = records_nth(PITRACE_MTE, PITRACE_MTE_UNMAP, 0);
	CU_ASSERT(t->unmap.start == 0x10000000 && t->unmap.length == 8192);
	CU_ASSERT_EQUAL_FATAL(records_count(PITRACE_MTE, PITRACE_MTE_NAME), 1);
	CU_ASSERT_STRING_EQUAL(records_nth(PITRACE_MTE, PITRACE_MTE_NAME, 0)->task.comm, "renamed");
	t = records_nth(PITRACE_CODE, 0, 0);
	CU_ASSERT(t->code.pid == (uint32_t)subject &&
		  t->size == sizeof(struct pitrace_code) + 4096);
	CU_ASSERT_EQUAL(t->data[sizeof(struct pitrace_code) + 1], 0xc3);
	end();
}

/* A signal's handler, and a breakpoint of the program's own. */
static void signals(void)
{
	configure();
	CU_ASSERT_EQUAL(run(sub_signals), 7 << 8);
	is_said((uint32_t)subject,
		BEGINS "b3:1 go>signals|k6:6,13 set>set|k6:3,13 set2>set2|k6:2,39 pid>pid|"
		       "k6:4,62 killed>killed|k4:0,10 killed>handler|b2:2 hret>restorer|"
		       "k5:2,15 restored>killed|k4:2,5 trapped>handler|b2:2 hret>restorer|"
		       "k5:2,15 restored>trapped|b3:1 trapped>exit|" ENDS);
	end();
}

/* A call that a signal interrupts: by a handler, or by one that is ignored. */
static void interrupted(void)
{
	static const char *const want[] = {
		BEGINS
		"b3:1 go>wait|k6:6,13 waits>waits|k6:5,0 waited>waited|k4:0,10 waited>handler|"
		"b2:2 hret>restorer|k5:2,15 restored>waits+13|k6:1,0 waited>waited|"
		"b3:1 waited>exit|" ENDS,
		BEGINS
		"b3:1 go>wait|k6:6,13 waits>waits|k6:5,0 waited>waits+13|k6:1,0 waited>waited|"
		"b3:1 waited>exit|" ENDS,
	};

	for (int how = 0; how < 2; how++) {
		configure();
		start(sub_wait);
		trace();
		begun();
		let_go();
		wait_blocked(subject, other[0]);
		CU_ASSERT_EQUAL(kill(subject, how ? SIGWINCH : SIGUSR1), 0);
		for (int i = 0; i < 20000 && !how &&
				!records_nth(PITRACE_BREAK_USER, PITRACE_BREAK_SIGRETURN, 0);
		     i++) {
			drain();
			usleep(500);
		}
		wait_blocked(subject, other[0]);
		CU_ASSERT_EQUAL(write(other[1], "x", 1), 1);
		CU_ASSERT_EQUAL(ended(), 7 << 8);
		CU_ASSERT_EQUAL(collector_ptrace.off(b), 0);
		drain();
		is_whole();
		is_said((uint32_t)subject, want[how]);
		end();
	}
}

/* Children, if they are asked for; of one that is not nothing but that it does well. */
static void children(void)
{
	static const char forks[] = BEGINS
		"b3:1 go>fork|b3:2 fork+5>split|k6:1,57 forked>forked|k6:8,61 reaped>reaped|"
		"b3:2 well>exit|" ENDS;
	static const char vforks[] = BEGINS
		"b3:1 go>vfork|k6:2,58 forked>forked|k6:8,61 reaped>reaped|b3:2 well>exit|" ENDS;

	for (int how = 0; how < 4; how++) {
		bool follow = how & 1;
		uint32_t child;

		configure();
		config.itrace.flags = follow ? PITRACE_ITRACE_FOLLOW : 0;
		CU_ASSERT_EQUAL(run(how & 2 ? sub_vfork : sub_fork), 7 << 8);
		is_said((uint32_t)subject, how & 2 ? vforks : forks);
		child = child_of((uint32_t)subject);
		CU_ASSERT_EQUAL(child != 0, follow);
		if (follow) {
			is_said(child, "s2:0 forked|b3:2 which>thread_exit|" ENDS);
			CU_ASSERT_EQUAL(tasks(PITRACE_MTE_FORK, child, child), 1);
			CU_ASSERT_EQUAL(tasks(PITRACE_MTE_PROCESS_EXIT, child, child), 1);
		}
		CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_FORK), follow);
		CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_PROCESS_EXIT), 1u + follow);
		end();
	}
}

/* It runs through a sequence; what it did is told all the same. */
static void sequences(void)
{
	configure();
	CU_ASSERT_EQUAL(run(sub_seq), 7 << 8);
	is_said((uint32_t)subject, BEGINS "b3:1 go>seq|b3:9 once_more>reserve|b3:3 leave>left|"
					  "b3:1 left>exit|" ENDS);
	end();
	configure();
	config.itrace.flags = PITRACE_ITRACE_STEPS;
	CU_ASSERT_EQUAL(run(sub_seq), 7 << 8);
	is_said((uint32_t)subject,
		BEGINS "b3:1 go>seq|b405:1 seq>seq+5|b405:1 seq+5>reserve|b405:1 reserve>inside|"
		       "b405:1 inside>leave|b405:1 leave>stay|b405:1 stay>store|b405:1 store>after|"
		       "b405:1 after>once_more|b3:1 once_more>reserve|b405:1 reserve>inside|"
		       "b405:1 inside>leave|b3:1 leave>left|b3:1 left>exit|b405:1 exit>exit+5|"
		       "b405:1 exit+5>exit+10|e4:1 0|");
	end();
	/* The trace ends within it. */
	configure();
	config.itrace.limit = 1 + 1 + 2 + 3;
	CU_ASSERT_EQUAL(run(sub_seq), 7 << 8);
	is_said((uint32_t)subject, BEGINS "b3:1 go>seq|e7:5 stay|");
	end();
	/* It begins there, at a breakpoint that stays. */
	configure();
	config.itrace.flags = PITRACE_ITRACE_FROM | PITRACE_ITRACE_UNTIL;
	config.itrace.start = (uintptr_t)sub_reserve;
	config.itrace.stop = (uintptr_t)sub_after;
	CU_ASSERT_EQUAL(run(sub_seq), 7 << 8);
	is_said((uint32_t)subject, "s5:0 reserve|e5:5 after|s5:0 reserve|b3:3 leave>left|"
				   "b3:1 left>exit|" ENDS);
	end();
}

/* A child that is not followed runs alone, untraced. */
static void let_alone(void)
{
	char path[100], line[100] = "";
	int tracer = -1;
	pid_t child;
	FILE *f;

	configure();
	start(sub_forks);
	trace();
	begun();
	let_go();
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", subject, subject);
	for (int i = 0; i < 20000 && !atoi(line); i++) {
		f = fopen(path, "re");
		if (!f || !fgets(line, sizeof(line), f))
			line[0] = 0;
		if (f)
			fclose(f);
		usleep(500);
	}
	child = atoi(line);
	CU_ASSERT_FATAL(child > 0);
	wait_blocked(child, other[0]);
	for (int i = 0; i < 5000 && tracer; i++) {
		tracer = (int)status_of(child, "TracerPid:\t", true);
		usleep(1000);
	}
	CU_ASSERT_EQUAL(tracer, 0);
	CU_ASSERT_EQUAL(write(other[1], "x", 1), 1);
	CU_ASSERT_EQUAL(ended(), 7 << 8);
	CU_ASSERT_EQUAL(collector_ptrace.off(b), 0);
	end();
}

#define PARENTS                                                                                  \
	BEGINS "b3:1 go>clone|k6:7,56 cloned>cloned|b1:3 whose+2>common|b2:2 common_ret>parent|" \
	       "b3:1 parent>thread_exit|" ENDS
#define CHILDS                                                                     \
	"s2:0 cloned|b3:2 whose>child|b1:2 child+7>common|b2:2 common_ret>childs|" \
	"b3:1 childs>thread_exit|" ENDS

/* All threads, the first alone, those of a list. */
static void threads(void)
{
	for (int how = 0; how < 4; how++) {
		uint32_t tid = 0;

		configure();
		if (how == 1)
			config.itrace.flags = PITRACE_ITRACE_NO_THREADS;
		if (how == 3)
			config.itrace.scope = PITRACE_ITRACE_ALL;
		start(sub_clone);
		if (how == 2) {
			config.itrace.scope = PITRACE_ITRACE_TIDS;
			config.itrace.listed = 1;
			config.itrace.list[0] = subject;
		}
		trace();
		begun();
		let_go();
		CU_ASSERT_EQUAL(ended(), 0);
		CU_ASSERT_EQUAL(collector_ptrace.off(b), 0);
		drain();
		is_whole();
		is_said((uint32_t)subject, PARENTS);
		tid = child_of((uint32_t)subject);
		CU_ASSERT_EQUAL(tid != 0, how == 0 || how == 3);
		if (tid) {
			is_said(tid, CHILDS);
			CU_ASSERT_EQUAL(tasks(PITRACE_MTE_THREAD, (uint32_t)subject, tid), 1);
			CU_ASSERT_EQUAL(tasks(PITRACE_MTE_THREAD_EXIT, (uint32_t)subject, tid), 1);
		}
		CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_THREAD), 1);
		CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_THREAD_EXIT), 1);
		end();
	}
}

/* Two processes that run already, by their numbers. */
static void by_pids(void)
{
	pid_t first;
	int first_go[2], first_other[2];

	configure();
	start(sub_flow);
	first = subject;
	memcpy(first_go, go, sizeof(go));
	memcpy(first_other, other, sizeof(other));
	start(sub_flow);
	config.scope = PITRACE_SCOPE_SYSTEM;
	config.pid = 0;
	config.itrace.scope = PITRACE_ITRACE_PIDS;
	config.itrace.listed = 2;
	config.itrace.list[0] = first;
	config.itrace.list[1] = subject;
	trace();
	for (int i = 0; i < 20000 && !records_nth(PITRACE_ITRACE_START, UINT32_MAX, 1); i++) {
		drain();
		usleep(500);
	}
	usleep(2000);
	wait_blocked(first, first_go[0]);
	wait_blocked(subject, go[0]);
	let_go();
	CU_ASSERT_EQUAL(write(first_go[1], "x", 1), 1);
	/* Only its tracer may wait for it. */
	for (int i = 0; i < 20000 && !records_nth(PITRACE_ITRACE_STOP, UINT32_MAX, 1); i++) {
		drain();
		usleep(500);
	}
	CU_ASSERT_EQUAL(collector_ptrace.off(b), 0);
	drain();
	is_whole();
	is_said((uint32_t)subject, BEGINS FLOWS ENDS);
	is_said((uint32_t)first, BEGINS FLOWS ENDS);
	close(first_go[0]);
	close(first_go[1]);
	close(first_other[0]);
	close(first_other[1]);
	end();
}

/* ---- from here, until there ------------------------------------------------------------------ */

/* Where a byte of this program lies in its file. */
static uint64_t in_file(const char *at)
{
	unsigned long low, high, offset;
	uint64_t found = 0;
	char line[512];
	FILE *f = fopen("/proc/self/maps", "re");

	while (f && !found && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %*s %lx", &low, &high, &offset) == 3 &&
		    (uintptr_t)at >= low && (uintptr_t)at < high)
			found = (uintptr_t)at - low + offset;
	if (f)
		fclose(f);
	return found;
}

static void set_place(char *file, uint64_t *to, const char *at, bool by_file)
{
	ssize_t n = by_file ? readlink("/proc/self/exe", file, 1023) : 0;

	file[n > 0 ? n : 0] = 0;
	*to = by_file ? in_file(at) : (uintptr_t)at;
}

#define FROM_COMMON(of) "s5:0 common|b2:2 common_ret>" of "|b3:1 " of ">thread_exit|" ENDS

static void places_of(void)
{
	struct tracer_itrace *i = &config.itrace;
	uint32_t tid;

	for (int by_file = 0; by_file < 2; by_file++) {
		configure();
		i->flags = PITRACE_ITRACE_FROM;
		set_place(i->start_file, &i->start, sub_common, by_file);
		CU_ASSERT_EQUAL(run(sub_clone), 0);
		is_said((uint32_t)subject, FROM_COMMON("parent"));
		tid = child_of((uint32_t)subject);
		CU_ASSERT(tid != 0);
		is_said(tid, FROM_COMMON("childs"));
		end();

		configure();
		i->flags = PITRACE_ITRACE_UNTIL;
		set_place(i->stop_file, &i->stop, sub_common, by_file);
		CU_ASSERT_EQUAL(run(sub_clone), 0);
		is_said((uint32_t)subject, BEGINS
			"b3:1 go>clone|k6:7,56 cloned>cloned|b1:3 whose+2>common|e5:0 common|");
		is_said(child_of((uint32_t)subject),
			"s2:0 cloned|b3:2 whose>child|b1:2 child+7>common|e5:0 common|");
		end();

		/* Each time that it comes there. */
		configure();
		i->flags = PITRACE_ITRACE_FROM | PITRACE_ITRACE_UNTIL;
		set_place(i->start_file, &i->start, sub_loop, by_file);
		set_place(i->stop_file, &i->stop, sub_jnz, by_file);
		CU_ASSERT_EQUAL(run(sub_flow), 7 << 8);
		is_said((uint32_t)subject,
			"s5:0 loop|e5:1 jnz|s5:0 loop|e5:1 jnz|s5:0 loop|e5:1 jnz|");
		end();

		/* The threads of one that is recorded; of one that is not. */
		configure();
		i->flags = PITRACE_ITRACE_FROM | PITRACE_ITRACE_NO_THREADS;
		set_place(i->start_file, &i->start, sub_clone, by_file);
		CU_ASSERT_EQUAL(run(sub_clone), 0);
		CU_ASSERT_EQUAL(child_of((uint32_t)subject), 0);
		end();
		configure();
		i->flags = PITRACE_ITRACE_FROM;
		set_place(i->start_file, &i->start, sub_clone, by_file);
		CU_ASSERT_EQUAL(run(sub_clone), 0);
		is_said(child_of((uint32_t)subject), CHILDS);
		end();
	}
	/* A file that is not mapped, an offset that is not. */
	configure();
	i->flags = PITRACE_ITRACE_UNTIL | PITRACE_ITRACE_FROM;
	strcpy(i->start_file, "/nowhere");
	strcpy(i->stop_file, "/bin/true");
	CU_ASSERT_EQUAL(run(sub_flow), 7 << 8);
	is_said((uint32_t)subject, "");
	end();
}

/* Two threads run over it, one or both are wanted: each as often as it does. */
static void both(void)
{
	struct tracer_itrace *i = &config.itrace;

	for (int how = 0; how < 4; how++) {
		const char *at;
		unsigned int n = 0;

		configure();
		i->flags = PITRACE_ITRACE_FROM;
		set_place(i->start_file, &i->start, how == 3 ? sub_came : sub_common, how == 1);
		start(sub_both);
		if (how) {
			i->scope = PITRACE_ITRACE_TIDS;
			i->listed = how == 2 ? 0 : 1;
			i->list[0] = subject;
		}
		trace();
		let_go();
		CU_ASSERT_EQUAL(ended(), 7 << 8);
		CU_ASSERT_EQUAL(collector_ptrace.off(b), 0);
		drain();
		is_whole();
		at = say((uint32_t)subject);
		if (how < 2) {
			static const char first[] =
				"s5:0 common|b2:2 common_ret>came|b3:2 more>calling|b1:1 calling>common|";

			if (strncmp(at, first, strlen(first)))
				printf("# %.200s\n", at);
			CU_ASSERT_EQUAL(strncmp(at, first, strlen(first)), 0);
		}
		while ((at = strstr(at, "more>calling")))
			n++, at++;
		CU_ASSERT_EQUAL(n, how == 2 ? 0 : 99);
		CU_ASSERT_EQUAL(records_count(PITRACE_ITRACE_START, UINT32_MAX), how == 0 ? 2 :
										 how == 2 ? 0 :
											    1);
		end();
	}
}

/* Nothing is left behind in who goes on without: neither in who was traced nor in a child. */
static void left_whole(void)
{
	struct tracer_itrace *i = &config.itrace;
	int status;

	configure();
	i->flags = PITRACE_ITRACE_FROM;
	set_place(i->start_file, &i->start, sub_common, false);
	start(sub_clone);
	trace();
	usleep(50000);
	CU_ASSERT_EQUAL(collector_ptrace.off(b), 0);
	let_go();
	CU_ASSERT_EQUAL(waitpid(subject, &status, 0), subject);
	CU_ASSERT_EQUAL(status, 0);
	end();
	for (int how = 0; how < 4; how++) {
		configure();
		i->flags = PITRACE_ITRACE_FROM | (how & 1 ? PITRACE_ITRACE_FOLLOW : 0);
		set_place(i->start_file, &i->start, sub_thread_exit, false);
		CU_ASSERT_EQUAL(run(how & 2 ? sub_vfork : sub_fork), 7 << 8);
		CU_ASSERT_EQUAL(records_count(PITRACE_ITRACE_START, PITRACE_ITRACE_ADDRESS),
				how & 1);
		end();
	}
}

/* ---- other programs -------------------------------------------------------------------------- */

static void execs(void)
{
	const struct told *t;

	for (int how = 0; how < 2; how++) {
		unsigned int before = 0;

		configure();
		config.itrace.limit = 300;
		CU_ASSERT_EQUAL(run(how ? sub_cexec : sub_exec), 0);
		t = records_nth(PITRACE_BREAK_USER, PITRACE_BREAK_EXEC, 0);
		CU_ASSERT_FATAL(t != NULL);
		CU_ASSERT_EQUAL(t->brk.at, (uintptr_t)sub_execed);
		CU_ASSERT(t->brk.to > 0x10000 && t->brk.pid == (uint32_t)subject &&
			  t->brk.tid == (uint32_t)subject);
		CU_ASSERT_EQUAL(records_count(PITRACE_ITRACE_STOP, PITRACE_ITRACE_LIMIT), 1);
		CU_ASSERT_EQUAL(tasks(PITRACE_MTE_PROCESS, (uint32_t)subject, (uint32_t)subject),
				2);
		/* What the new program maps is told before. */
		for (unsigned int i = 0; i < ntold; i++)
			before += told[i].major == PITRACE_MTE &&
				  told[i].minor == PITRACE_MTE_MODULE && told[i].stamp < t->stamp &&
				  t->brk.to - told[i].map.start < told[i].map.length;
		CU_ASSERT_EQUAL(before, 1);
		CU_ASSERT_EQUAL(how || info()->instructions == 300, 1);
		end();
	}
	/* One that gains rights: left out, with a word. */
	for (int how = 0; how < 2; how++) {
		configure();
		config.user = how;
		gains = true;
		config.itrace.limit = 300;
		CU_ASSERT_EQUAL(run(sub_exec), 0);
		CU_ASSERT_EQUAL(records_count(PITRACE_BREAK_USER, PITRACE_BREAK_EXEC),
				geteuid() || !how);
		if (how && !geteuid()) {
			is_said((uint32_t)subject, BEGINS "b3:1 go>exec|e3:5 0|");
			CU_ASSERT_PTR_NOT_NULL(
				strstr(info()->note, "; 1 program that gained rights left out"));
			CU_ASSERT_PTR_NULL(strstr(info()->note, "million"));
		}
		end();
	}
}

/* The command that swtrace starts: from its exec on. */
static void command(void)
{
	configure();
	config.program = "/bin/true";
	config.itrace.limit = 100;
	start(sub_exec);
	trace();
	usleep(20000);
	drain();
	CU_ASSERT_EQUAL(records_count(PITRACE_ITRACE_START, UINT32_MAX), 0);
	let_go();
	CU_ASSERT_EQUAL(ended(), 0);
	CU_ASSERT_EQUAL(collector_ptrace.off(b), 0);
	drain();
	is_whole();
	CU_ASSERT_EQUAL(info()->instructions, 100);
	CU_ASSERT_EQUAL(records_count(PITRACE_BREAK_USER, PITRACE_BREAK_EXEC), 0);
	CU_ASSERT_EQUAL(records_count(PITRACE_ITRACE_START, PITRACE_ITRACE_ON), 1);
	end();
}

/* ---- on, off, suspended ---------------------------------------------------------------------- */

static char state_of(pid_t pid, int *tracer)
{
	char path[64], line[256], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		sscanf(line, "State:\t%c", &state);
		sscanf(line, "TracerPid:\t%d", tracer);
	}
	if (f)
		fclose(f);
	return state;
}

static void until_branches(uint64_t n)
{
	for (int i = 0; i < 20000 && info()->branches < n; i++) {
		drain();
		usleep(500);
	}
	CU_ASSERT(info()->branches >= n);
}

static void suspends(void)
{
	int status, tracer = -1;
	uint64_t n;

	configure();
	start(sub_ever);
	trace();
	CU_ASSERT_EQUAL(info()->state, PITRACE_STATE_ON);
	begun();
	let_go();
	until_branches(100);
	CU_ASSERT_EQUAL(collector_ptrace.suspend(b, true), 0);
	CU_ASSERT_EQUAL(info()->state, PITRACE_STATE_SUSPENDED);
	for (int i = 0; i < 20000 && !records_nth(PITRACE_ITRACE_STOP, PITRACE_ITRACE_ON, 0); i++) {
		drain();
		usleep(500);
	}
	n = info()->instructions;
	is_whole();
	usleep(50000);
	CU_ASSERT_EQUAL(info()->instructions, n);
	CU_ASSERT_EQUAL(state_of(subject, &tracer), 'R');
	CU_ASSERT_EQUAL(collector_ptrace.suspend(b, false), 0);
	CU_ASSERT_EQUAL(info()->state, PITRACE_STATE_ON);
	until_branches(n / 2 + 100);
	CU_ASSERT_EQUAL(records_count(PITRACE_ITRACE_START, PITRACE_ITRACE_ON), 2);
	CU_ASSERT_EQUAL(collector_ptrace.off(b), 0);
	CU_ASSERT_EQUAL(info()->state, PITRACE_STATE_OFF);
	CU_ASSERT_EQUAL(collector_ptrace.off(b), -EALREADY);
	CU_ASSERT_EQUAL(collector_ptrace.on(b, &config), -EALREADY);
	drain();
	is_whole();
	CU_ASSERT_EQUAL(records_count(PITRACE_ITRACE_STOP, PITRACE_ITRACE_ON), 2);
	/* It goes on by itself. */
	CU_ASSERT(state_of(subject, &tracer) == 'R' && tracer == 0);
	CU_ASSERT(!collector_ptrace.ended(b, subject, &status));
	kill(subject, SIGKILL);
	for (int i = 0; i < 5000 && !collector_ptrace.ended(b, subject, &status); i++)
		usleep(1000);
	CU_ASSERT_EQUAL(status, SIGKILL);
	end();
	/* Closed while it runs: likewise. */
	configure();
	start(sub_ever);
	trace();
	begun();
	let_go();
	until_branches(10);
	end();
	CU_ASSERT(state_of(subject, &tracer) == 'R' && tracer == 0);
	kill(subject, SIGKILL);
	CU_ASSERT_EQUAL(waitpid(subject, &status, 0), subject);
	/* Killed while it is traced. */
	configure();
	start(sub_ever);
	trace();
	begun();
	let_go();
	until_branches(10);
	kill(subject, SIGKILL);
	CU_ASSERT_EQUAL(ended(), SIGKILL);
	CU_ASSERT_EQUAL(collector_ptrace.off(b), 0);
	drain();
	is_whole();
	CU_ASSERT_EQUAL(records_count(PITRACE_ITRACE_STOP, PITRACE_ITRACE_EXIT), 1);
	end();
}

/* A clock sync each second. */
static void seconds(void)
{
	uint64_t began = now_ns(), passed = 0;
	unsigned int n = 0;

	configure();
	start(sub_ever);
	trace();
	begun();
	let_go();
	while (passed < 2300) {
		drain();
		n += records_count(PITRACE_SYNC, PITRACE_SYNC_SECOND);
		records_forget();
		usleep(1000);
		passed = (now_ns() - began) / 1000000;
	}
	CU_ASSERT(n >= 1 && n <= passed / 1000);
	CU_ASSERT_EQUAL(collector_ptrace.off(b), 0);
	kill(subject, SIGKILL);
	end();
}

/* Who is stopped stays so until it is told to go on. */
static void stopped(void)
{
	int tracer, status;

	configure();
	start(sub_stop);
	trace();
	begun();
	let_go();
	/* T, or t as it is traced: after its second call, and for long. */
	for (int i = 0;
	     i < 5000 && (info()->instructions < 8 || (state_of(subject, &tracer) | 0x20) != 't');
	     i++)
		usleep(1000);
	usleep(50000);
	CU_ASSERT_EQUAL(state_of(subject, &tracer) | 0x20, 't');
	CU_ASSERT_EQUAL(info()->instructions, 8);
	CU_ASSERT(!collector_ptrace.ended(b, subject, &status));
	kill(subject, SIGCONT);
	CU_ASSERT_EQUAL(ended(), 7 << 8);
	CU_ASSERT_EQUAL(collector_ptrace.off(b), 0);
	drain();
	is_whole();
	is_said((uint32_t)subject, BEGINS
		"b3:1 go>stop|k6:2,39 self>self|k6:4,62 stopped>stopped|b3:1 stopped>exit|" ENDS);
	end();
}

/* The command waits while nobody reads what it did. */
static void waits(void)
{
	uint64_t n;

	configure();
	config.segment_bytes = 512;
	config.itrace.flags = PITRACE_ITRACE_STEPS;
	start(sub_ever);
	trace();
	begun();
	let_go();
	for (int i = 0; i < 20000 && !info()->waits; i++)
		usleep(1000);
	CU_ASSERT_EQUAL(info()->waits, 1);
	n = info()->instructions;
	CU_ASSERT(n > 100);
	usleep(20000);
	CU_ASSERT_EQUAL(info()->instructions, n);
	drain();
	/* … and again. */
	for (uint64_t before = 0; info()->instructions != before;) {
		before = info()->instructions;
		usleep(50000);
	}
	CU_ASSERT(info()->instructions > n && info()->waits >= 2);
	CU_ASSERT(info()->waited > 20000000);
	/* The sink's error ends a drain; what is left is handed over later. */
	sink_fails = nsegments + 2;
	CU_ASSERT_EQUAL(collector_ptrace.drain(b, false, records_take, NULL), -EIO);
	CU_ASSERT_EQUAL(nsegments, sink_fails);
	CU_ASSERT_EQUAL(collector_ptrace.off(b), 0);
	drain();
	CU_ASSERT(records_count(PITRACE_ITRACE_STOP, UINT32_MAX) == 1);
	kill(subject, SIGKILL);
	end();
}

/* ---- what it refuses ------------------------------------------------------------------------- */

static void refuses(void)
{
	static const struct {
		int how;
		enum collector_state state;
		const char *why, *cure;
	} tries[] = {
		{ 0, COLLECTOR_WORKS, "", "" },
		{ 1, COLLECTOR_ABSENT, "records instruction traces and nothing else",
		  "swtrace run --itrace" },
		{ 2, COLLECTOR_ABSENT, "not with the TSC", "" },
		{ 3, COLLECTOR_REFUSED, "neither normal nor wrap mode", "use -t cont" },
		{ 4, COLLECTOR_REFUSED, "neither normal nor wrap mode", "use -t cont" },
		{ 5, COLLECTOR_ABSENT, "takes no samples", "" },
		{ 6, COLLECTOR_ABSENT, "takes no samples", "" },
		{ 7, COLLECTOR_ABSENT, "cannot wait for processes by their numbers",
		  "name the processes" },
		{ 8, COLLECTOR_ABSENT, "not the whole system", "give a command, or -p PID" },
		{ 9, COLLECTOR_WORKS, "", "" },
	};

	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		struct collector_check c;
		int how = tries[i].how, rc = 1;

		configure();
		if (how == 1)
			memset(config.majors, 0, sizeof(config.majors));
		config.clock = how == 2 ? PITRACE_CLOCK_TSC : PITRACE_CLOCK_AUTO;
		config.mode = how == 3 ? PITRACE_MODE_NORMAL :
			      how == 4 ? PITRACE_MODE_WRAP :
					 config.mode;
		config.nevents = how == 5;
		config.stacks = how == 6 ? PITRACE_WANT_USER : 0;
		config.itrace.scope = how == 7 ? PITRACE_ITRACE_RANGE :
				      how == 8 ? PITRACE_ITRACE_TIDS :
				      how == 9 ? PITRACE_ITRACE_PIDS :
						 PITRACE_ITRACE_NONE;
		config.scope = how >= 8 ? PITRACE_SCOPE_SYSTEM : PITRACE_SCOPE_PROCESS;
		collector_ptrace.check(&config, &c);
		CU_ASSERT_EQUAL(c.state, tries[i].state);
		CU_ASSERT_PTR_NOT_NULL(strstr(c.why, tries[i].why));
		CU_ASSERT_STRING_EQUAL(c.cure, tries[i].cure);
		*why = 0;
		b = collector_ptrace.open(&config, &rc, why, sizeof(why));
		/* Majors may be set later. */
		CU_ASSERT_EQUAL(b != NULL, c.state == COLLECTOR_WORKS || how == 1);
		if (b) {
			if (how == 1)
				CU_ASSERT_EQUAL(collector_ptrace.on(b, &config), -EOPNOTSUPP);
			CU_ASSERT_EQUAL(collector_ptrace.off(b), -EALREADY);
			CU_ASSERT(collector_ptrace.fd(b) >= 0);
			CU_ASSERT(info()->state == PITRACE_STATE_OFF && !info()->interval);
			CU_ASSERT_EQUAL(collector_ptrace.suspend(b, true), 0);
			CU_ASSERT_EQUAL(collector_ptrace.clock_hz(b), 1000000000);
			collector_ptrace.close(b);
		} else {
			CU_ASSERT_EQUAL(rc, PI_NOT_SUPPORTED);
			CU_ASSERT_PTR_NOT_NULL(strstr(why, tries[i].why));
			CU_ASSERT_PTR_NOT_NULL(strstr(why, tries[i].cure));
			CU_ASSERT_EQUAL(strstr(why, ": ") != NULL, *tries[i].cure != 0 || how == 7);
		}
	}
	/* The whole system is not asked for before *on*. */
	configure();
	config.scope = PITRACE_SCOPE_SYSTEM;
	b = collector_ptrace.open(&config, &(int){ 0 }, why, sizeof(why));
	CU_ASSERT_FATAL(b != NULL);
	CU_ASSERT_EQUAL(collector_ptrace.on(b, &config), -EOPNOTSUPP);
	/* A process that is not there. */
	config.scope = PITRACE_SCOPE_PROCESS;
	config.pid = 1 << 29;
	CU_ASSERT_EQUAL(collector_ptrace.on(b, &config), -ESRCH);
	CU_ASSERT_EQUAL(info()->state, PITRACE_STATE_OFF);
	collector_ptrace.close(b);
}

static void notes(void)
{
	configure();
	CU_ASSERT_EQUAL(run(sub_flow), 7 << 8);
	CU_ASSERT_STRING_EQUAL(info()->note,
			       "the slow one: each instruction is a stop; user code only; "
			       "no more than 10 million instructions of a thread (-n)");
	CU_ASSERT(info()->interval == 1 && info()->clock == PITRACE_CLOCK_MONOTONIC);
	CU_ASSERT(info()->ncpus == 1 && !info()->ticks && !info()->rate && !info()->taken);
	CU_ASSERT(!info()->waits && !info()->waited && info()->segment_bytes == 32768);
	end();
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "flow", flow },
		{ "bounds", bounds },
		{ "calls", calls },
		{ "signals", signals },
		{ "interrupted", interrupted },
		{ "children", children },
		{ "sequences", sequences },
		{ "let_alone", let_alone },
		{ "seconds", seconds },
		{ "threads", threads },
		{ "by_pids", by_pids },
		{ "places", places_of },
		{ "both", both },
		{ "left_whole", left_whole },
		{ "execs", execs },
		{ "command", command },
		{ "suspends", suspends },
		{ "stopped", stopped },
		{ "waits", waits },
		{ "refuses", refuses },
		{ "notes", notes },
		{},
	};

	return unit_run("backend_ptrace", tests);
}

#else

static void elsewhere(void)
{
	unit_skip(NULL, "its programs are x86's");
}

int main(void)
{
	static const struct unit_test tests[] = { { "all", elsewhere }, {} };

	return unit_run("backend_ptrace", tests);
}

#endif
