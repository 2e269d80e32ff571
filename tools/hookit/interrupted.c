/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel sets the program counter back to the instruction of a system call that is to be
 * restarted. A call that has ended is recognized by the instruction before the program counter.
 */
#include "interrupted.h"

#if defined(__x86_64__)

uintptr_t interrupted_at(const ucontext_t *u)
{
	return (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
}

bool interrupted_in_call(const ucontext_t *u, struct interrupted_call *c)
{
	const uint8_t *pc = (const uint8_t *)interrupted_at(u);

	if (pc[0] == 0x0f && pc[1] == 0x05) {
		*c = (struct interrupted_call){ .number = u->uc_mcontext.gregs[REG_RAX] };
		return true;
	}
	if (pc[-2] != 0x0f || pc[-1] != 0x05)
		return false;
	/* The result has replaced the number: it is known if "mov $number, %eax" precedes. */
	*c = (struct interrupted_call){ true, -1, u->uc_mcontext.gregs[REG_RAX] };
	if (pc[-7] == 0xb8 && !pc[-5] && !pc[-4] && !pc[-3])
		c->number = pc[-6];
	return true;
}

#elif defined(__aarch64__)

#define SVC 0xd4000001u

uintptr_t interrupted_at(const ucontext_t *u)
{
	return (uintptr_t)u->uc_mcontext.pc;
}

bool interrupted_in_call(const ucontext_t *u, struct interrupted_call *c)
{
	const uint32_t *pc = (const uint32_t *)interrupted_at(u);
	const int64_t number = (int64_t)u->uc_mcontext.regs[8];

	*c = (struct interrupted_call){ pc[0] != SVC, number, (int64_t)u->uc_mcontext.regs[0] };
	return !c->ended || pc[-1] == SVC;
}

#elif defined(__powerpc64__)

#define SC   0x44000002u /* an error: positive, and a bit of the condition register */
#define SCV  0x44000001u /* an error: negative */
#define SO   0x10000000u
#define GPR0 0
#define GPR3 3
#define NIP  32
#define CCR  38

uintptr_t interrupted_at(const ucontext_t *u)
{
	return (uintptr_t)u->uc_mcontext.gp_regs[NIP];
}

static bool is_call(uint32_t instruction)
{
	return instruction == SC || instruction == SCV;
}

bool interrupted_in_call(const ucontext_t *u, struct interrupted_call *c)
{
	const uint32_t *pc = (const uint32_t *)interrupted_at(u);
	const unsigned long *r = u->uc_mcontext.gp_regs;

	*c = (struct interrupted_call){ !is_call(pc[0]), (int64_t)r[GPR0], (int64_t)r[GPR3] };
	if (c->ended && pc[-1] == SC && r[CCR] & SO)
		c->result = -c->result;
	return !c->ended || is_call(pc[-1]);
}

#elif defined(__s390x__)

#define SVC 0x0a /* and the number, or 0: the number is in r1 */

uintptr_t interrupted_at(const ucontext_t *u)
{
	return (uintptr_t)u->uc_mcontext.psw.addr;
}

bool interrupted_in_call(const ucontext_t *u, struct interrupted_call *c)
{
	const uint8_t *pc = (const uint8_t *)interrupted_at(u);
	const uint8_t *call = pc[0] == SVC ? pc : pc - 2;

	*c = (struct interrupted_call){ call != pc, call[1], (int64_t)u->uc_mcontext.gregs[2] };
	if (!call[1])
		c->number = (int64_t)u->uc_mcontext.gregs[1];
	return call[0] == SVC;
}

#else

uintptr_t interrupted_at(const ucontext_t *u)
{
	(void)u;
	return 0;
}

bool interrupted_in_call(const ucontext_t *u, struct interrupted_call *c)
{
	(void)u, (void)c;
	return false;
}

#endif
