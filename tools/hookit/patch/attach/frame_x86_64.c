/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The frame that the kernel pushes onto the stack of x86-64 for a signal, and restores by
 * rt_sigreturn: general and vector registers, and the mask of blocked signals.
 */
#if defined(__x86_64__)
#include "frame.h"

#include <cpuid.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <ucontext.h>

#define RED_ZONE   128
#define LEGACY     512 /* bytes of fxsave */
#define SOFTWARE   464 /* offset in them of the kernel's description of what follows */
#define MAGIC_1    0x46505853u
#define MAGIC_2    0x46505845u
#define PARTS      0x2e7u /* state components (vectors, keys) that have a fixed place */
#define UC_FLAGS   7      /* vectors follow; the stack's segment is right */
#define DIRECTION  0x400u
#define NO_SUCH    0x7f /* invalid flags of an alternate stack, so that it stays as it is */
#define RESTARTS   -512 /* to -516: system calls that are to be restarted */
#define RESTARTED  -516
#define MASK_BYTES 8

/* mov $15, %rax; syscall */
const uint8_t frame_restorer[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
const size_t frame_restorer_size = sizeof(frame_restorer);

struct software {
	uint32_t magic, all;
	uint64_t parts;
	uint32_t size, zero[7];
};

/* The kernel's layout, without the C library's longer signal set. */
struct signal_frame {
	uint64_t restorer;
	uint64_t flags, link;
	stack_t stack;
	uint64_t r[8], di, si, bp, bx, dx, ax, cx, sp, ip, eflags;
	uint16_t cs, gs, fs, ss;
	uint64_t err, trap, old_mask, cr2, vectors, zero[8];
	uint64_t mask;
};
_Static_assert(offsetof(struct signal_frame, r) == 8 + 40, "as the kernel has it");
_Static_assert(offsetof(struct signal_frame, mask) == 8 + 296, "as the kernel has it");

/* Whether the thread is in an interrupted system call that waits. */
static bool is_waiting(const struct user_regs_struct *u)
{
	long result = (long)u->rax;

	return (long)u->orig_rax >= 0 && result <= RESTARTS && result >= RESTARTED;
}

bool frame_where(pid_t tid, uint64_t *at, bool *blocked)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &regs))
		return false;
	*at = regs.rip;
	*blocked = is_waiting(&regs);
	return true;
}

void frame_waits(pid_t tid, struct frame_wait *w)
{
	struct user_regs_struct regs;

	memset(w, 0, sizeof(*w));
	if (ptrace(PTRACE_GETREGS, tid, NULL, &regs) || !is_waiting(&regs))
		return;
	w->waits = true;
	w->lock = regs.orig_rax == SYS_futex;
	w->call = regs.orig_rax;
	w->argument = regs.rdi;
	w->stack = regs.rsp;
}

/* Jumps to the handler's end. */
bool frame_leave(pid_t tid, const struct attach_frame *f)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &regs))
		return false;
	regs.rsp = f->stack;
	regs.rip = f->restorer;
	regs.rax = 0;
	regs.orig_rax = (unsigned long long)-1;
	return !ptrace(PTRACE_SETREGS, tid, NULL, &regs);
}

static uint32_t vectors_size(uint64_t *parts)
{
	uint32_t a, b, c, d, size = LEGACY + 64, low, high;

	*parts = 3;
	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
		return 0;
	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	*parts = low & PARTS;
	for (unsigned int i = 2; i < 10; i++) {
		if ((*parts >> i & 1) && __get_cpuid_count(0xd, i, &a, &b, &c, &d) && b + a > size)
			size = b + a;
	}
	return size;
}

/* Reads the vector registers in the form of a signal's frame; returns their size. 0: errno. */
static size_t take_vectors(pid_t tid, uint8_t **out)
{
	uint64_t parts;
	uint32_t size = vectors_size(&parts), magic = MAGIC_2;
	struct iovec all = { NULL, 1 << 16 };
	struct software s = { MAGIC_1, size + 4, parts, size, { 0 } };

	all.iov_base = calloc(1, all.iov_len);
	if (!all.iov_base)
		return 0;
	if (ptrace(PTRACE_GETREGSET, tid, NT_X86_XSTATE, &all) || all.iov_len < size || !size) {
		free(all.iov_base);
		errno = size ? errno : ENOSYS;
		return 0;
	}
	memcpy((uint8_t *)all.iov_base + SOFTWARE, &s, sizeof(s));
	memcpy((uint8_t *)all.iov_base + size, &magic, sizeof(magic));
	*out = all.iov_base;
	return size + sizeof(magic);
}

static struct signal_frame fill(const struct user_regs_struct *u)
{
	struct signal_frame s = {
		.flags = UC_FLAGS,
		.stack = { .ss_flags = NO_SUCH },
		.r = { u->r8, u->r9, u->r10, u->r11, u->r12, u->r13, u->r14, u->r15 },
		.di = u->rdi,
		.si = u->rsi,
		.bp = u->rbp,
		.bx = u->rbx,
		.dx = u->rdx,
		.ax = u->rax,
		.cx = u->rcx,
		.sp = u->rsp,
		.ip = u->rip,
		.eflags = u->eflags,
		.cs = (uint16_t)u->cs,
		.ss = (uint16_t)u->ss,
	};
	/* An interrupted system call is restarted, as after a signal without a handler. */
	if (is_waiting(u)) {
		s.ax = (long)u->rax == RESTARTED ? SYS_restart_syscall : u->orig_rax;
		s.ip -= 2;
	}
	return s;
}

bool frame_make(const struct remote *r, pid_t tid, struct attach_frame *f)
{
	struct user_regs_struct regs;
	struct signal_frame s;
	size_t text = strlen(f->text) + 1, n;
	uint64_t at, text_at;
	uint8_t *vectors = NULL;
	bool good;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &regs))
		return false;
	s = fill(&regs);
	if (ptrace(PTRACE_GETSIGMASK, tid, MASK_BYTES, &s.mask))
		return false;
	n = take_vectors(tid, &vectors);
	if (!n)
		return false;
	at = regs.rsp - RED_ZONE - f->answer_room;
	f->answer = at;
	at -= text;
	text_at = at;
	s.vectors = (at - n) & ~UINT64_C(63);
	at = ((s.vectors - sizeof(s)) & ~UINT64_C(15)) - 8;
	s.restorer = f->restorer;
	good = remote_write(r, text_at, f->text, text) && remote_write(r, s.vectors, vectors, n) &&
	       remote_write(r, at, &s, sizeof(s));
	free(vectors);
	if (!good)
		return false;
	f->stack = at + 8;
	regs.rsp = at;
	regs.rip = f->function;
	regs.rdi = text_at;
	regs.rsi = f->answer_room ? f->answer : f->flags;
	regs.rdx = f->answer_room;
	regs.rax = 0;
	regs.orig_rax = (unsigned long long)-1;
	regs.eflags &= ~(unsigned long long)DIRECTION;
	return !ptrace(PTRACE_SETREGS, tid, NULL, &regs);
}

bool frame_ends(pid_t tid, const struct attach_frame *f)
{
	struct user_regs_struct regs;

	return !ptrace(PTRACE_GETREGS, tid, NULL, &regs) && regs.orig_rax == SYS_rt_sigreturn &&
	       regs.rsp == f->stack;
}
#else
typedef int no_frames_here;
#endif
