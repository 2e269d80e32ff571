/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Registers in a signal's context, by machine: program counter, stack, frame, general. */
#ifndef PITRACE_TIMER_MACHINE_H
#define PITRACE_TIMER_MACHINE_H

#include <errno.h>
#include <stdint.h>
#include <ucontext.h>

#if defined(__x86_64__)
#define MACHINE_REGS   17 /* DWARF: 16 registers, the return address's column */
#define MACHINE_FRAMES 1  /* frame pointers: saved one, return address */

static inline uint64_t machine_pc(const ucontext_t *c)
{
	return (uint64_t)c->uc_mcontext.gregs[REG_RIP];
}

static inline uint64_t machine_sp(const ucontext_t *c)
{
	return (uint64_t)c->uc_mcontext.gregs[REG_RSP];
}

static inline uint64_t machine_fp(const ucontext_t *c)
{
	return (uint64_t)c->uc_mcontext.gregs[REG_RBP];
}

static inline void machine_regs(const ucontext_t *c, uint64_t *regs)
{
	static const uint8_t order[] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
		REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
	};

	for (unsigned int i = 0; i < MACHINE_REGS; i++)
		regs[i] = (uint64_t)c->uc_mcontext.gregs[order[i]];
}

#elif defined(__aarch64__)
#define MACHINE_REGS   33 /* x0 … x30, sp, pc */
#define MACHINE_FRAMES 1

static inline uint64_t machine_pc(const ucontext_t *c)
{
	return c->uc_mcontext.pc;
}

static inline uint64_t machine_sp(const ucontext_t *c)
{
	return c->uc_mcontext.sp;
}

static inline uint64_t machine_fp(const ucontext_t *c)
{
	return c->uc_mcontext.regs[29];
}

static inline void machine_regs(const ucontext_t *c, uint64_t *regs)
{
	for (unsigned int i = 0; i < 31; i++)
		regs[i] = c->uc_mcontext.regs[i];
	regs[31] = c->uc_mcontext.sp;
	regs[32] = c->uc_mcontext.pc;
}

#else
/* On other machines samples have no stacks. */
#define MACHINE_REGS   0
#define MACHINE_FRAMES 0

static inline uint64_t machine_pc(const ucontext_t *c)
{
#if defined(__powerpc64__)
	return c->uc_mcontext.gp_regs[32];
#elif defined(__s390x__)
	return c->uc_mcontext.psw.addr;
#else
#error "where is the program counter on this machine?"
#endif
}

static inline uint64_t machine_sp(const ucontext_t *c)
{
	(void)c;
	return 0;
}

static inline uint64_t machine_fp(const ucontext_t *c)
{
	(void)c;
	return 0;
}

static inline void machine_regs(const ucontext_t *c, uint64_t *regs)
{
	(void)c;
	(void)regs;
}
#endif

/* Checks whether the signal may have interrupted a system call. */
static inline int machine_interrupted(const ucontext_t *c)
{
#if defined(__x86_64__)
	return c->uc_mcontext.gregs[REG_RAX] == -EINTR;
#elif defined(__aarch64__)
	return (int64_t)c->uc_mcontext.regs[0] == -EINTR;
#else
	(void)c;
	return 1;
#endif
}

#endif
