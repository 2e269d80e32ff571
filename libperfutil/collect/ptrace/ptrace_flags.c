/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The trap flag, by which x86 steps, is one of the flags that a program pushes and pops. The kernel
 * hides it elsewhere, but not in the flags that pushf writes. And after a popf was stepped, the
 * kernel takes the flag for the program's own, and leaves it set when the thread runs freely,
 * enters a handler or creates a thread: each of these would be killed by the trap.
 */
#include <errno.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/ucontext.h>
#include <sys/user.h>
#include "collect/ptrace/ptrace_session.h"

#if defined(__x86_64__)

#define TRAP_FLAG 0x100ul
#define PUSHF     0x9c
#define POPF      0x9d
#define IRET      0xcf

/* The flags as the kernel shows them: without the trap flag if it is only ours. */
static bool flags_get(const struct ptrace_thread *t, unsigned long *flags)
{
	errno = 0;
	*flags = (unsigned long)ptrace(PTRACE_PEEKUSER, t->tid, offsetof(struct user, regs.eflags),
				       0);
	return !errno;
}

/* Clears it in flags stored in memory. */
static void clear_at(const struct ptrace_thread *t, uint64_t address)
{
	uint8_t flags[2]; /* pushf of 16 bits has no more */

	if (ptrace_memory_read(t, address, flags, sizeof(flags)) != sizeof(flags) ||
	    !(flags[1] & TRAP_FLAG >> 8))
		return;
	flags[1] &= (uint8_t) ~(TRAP_FLAG >> 8);
	ptrace_memory_write(t, address, flags, sizeof(flags));
}

static uint64_t stack_or_context(const struct ptrace_thread *t, bool context)
{
	struct user_regs_struct r;

	if (ptrace(PTRACE_GETREGS, t->tid, 0, &r))
		return 0;
	return context ? r.rdx + offsetof(ucontext_t, uc_mcontext.gregs[REG_EFL]) : r.rsp;
}

void ptrace_flags_before(struct ptrace_thread *t, const uint8_t *code, size_t n)
{
	size_t i = 0;

	while (i < n && (code[i] == 0x66 || (!t->p->narrow && (code[i] & 0xf0) == 0x40)))
		i++;
	t->flags = PTRACE_FLAGS_KEPT;
	if (i < n && code[i] == PUSHF) {
		t->flags = PTRACE_FLAGS_PUSHED;
	} else if (i < n && (code[i] == POPF || code[i] == IRET)) {
		t->flags = PTRACE_FLAGS_POPPED;
		t->flag_stays = true;
	}
}

void ptrace_flags_after(struct ptrace_thread *t)
{
	unsigned long flags;

	if (t->flags == PTRACE_FLAGS_PUSHED && !t->own_flag)
		clear_at(t, stack_or_context(t, false));
	else if (t->flags == PTRACE_FLAGS_POPPED)
		t->own_flag = flags_get(t, &flags) && flags & TRAP_FLAG;
	t->flags = PTRACE_FLAGS_KEPT;
}

void ptrace_flags_run(struct ptrace_thread *t)
{
	unsigned long flags;

	if (t->flag_stays && !t->own_flag && flags_get(t, &flags) && flags & TRAP_FLAG)
		ptrace(PTRACE_POKEUSER, t->tid, offsetof(struct user, regs.eflags),
		       flags & ~TRAP_FLAG);
	t->own_flag = t->flag_stays = false;
}

void ptrace_flags_handler(struct ptrace_thread *t)
{
	/* The kernel passes the context to each handler of 64-bit code, requested or not. */
	if (t->flag_stays && !t->own_flag && !t->p->narrow)
		clear_at(t, stack_or_context(t, true));
}

#else

void ptrace_flags_before(struct ptrace_thread *t, const uint8_t *code, size_t n)
{
	(void)t, (void)code, (void)n;
}

void ptrace_flags_after(struct ptrace_thread *t)
{
	(void)t;
}

void ptrace_flags_run(struct ptrace_thread *t)
{
	(void)t;
}

void ptrace_flags_handler(struct ptrace_thread *t)
{
	(void)t;
}

#endif
