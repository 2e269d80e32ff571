/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Registers of stopped threads, by machine. */
#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include "collect/ptrace/ptrace_regs.h"

#if defined(__x86_64__)

typedef struct user_regs_struct machine_regs;
const uint8_t ptrace_break[] = { 0xCC };
const unsigned int ptrace_break_bytes = 1, ptrace_break_behind = 1;

static void fill_regs(const machine_regs *m, size_t bytes, struct ptrace_regs *r)
{
	(void)bytes;
	r->pc = m->rip;
	r->number = m->rax;
	r->wide = m->cs != 0x23;
	r->argument[0] = r->wide ? m->rdi : m->rbx;
	r->argument[1] = r->wide ? m->rsi : m->rcx;
	r->argument[2] = m->rdx;
	r->result = r->wide ? (int64_t)m->rax : (int32_t)m->rax;
	r->failed = r->result < 0 && r->result >= -4095;
	r->in_syscall = (int64_t)m->orig_rax >= 0;
	r->called = m->orig_rax;
}

bool ptrace_restarts(const struct ptrace_regs *r)
{
	/* ERESTARTSYS, -NOINTR, -NOHAND, -RESTARTBLOCK */
	return r->in_syscall &&
	       (r->result == -512 || r->result == -513 || r->result == -514 || r->result == -516);
}

#elif defined(__aarch64__)

typedef struct user_regs_struct machine_regs;
#define PC(r) ((r)->pc)

const uint8_t ptrace_break[] = { 0x00, 0x00, 0x20, 0xD4 };
const unsigned int ptrace_break_bytes = 4, ptrace_break_behind = 0;

static void fill_regs(const machine_regs *m, size_t bytes, struct ptrace_regs *r)
{
	r->pc = m->pc;
	r->number = m->regs[8];
	r->wide = bytes == sizeof(*m);
	for (int i = 0; i < 3; i++)
		r->argument[i] = m->regs[i];
	r->result = (int64_t)m->regs[0];
	r->failed = r->result < 0 && r->result >= -4095;
}

#elif defined(__powerpc64__)

#include <asm/ptrace.h>

typedef struct pt_regs machine_regs;
#define PC(r) ((r)->nip)

const uint8_t ptrace_break[] = {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	0x08, 0x00, 0xE0, 0x7F
#else
	0x7F, 0xE0, 0x00, 0x08
#endif
};
const unsigned int ptrace_break_bytes = 4, ptrace_break_behind = 0;

static void fill_regs(const machine_regs *m, size_t bytes, struct ptrace_regs *r)
{
	(void)bytes;
	r->pc = m->nip;
	r->number = m->gpr[0];
	r->wide = true;
	for (int i = 0; i < 3; i++)
		r->argument[i] = m->gpr[3 + i];
	r->result = (int64_t)m->gpr[3];
	r->failed = (m->ccr & 0x10000000) || (r->result < 0 && r->result >= -4095);
	r->in_syscall = m->trap == 0xC00 || m->trap == 0x3000;
	r->called = m->gpr[0];
}

bool ptrace_restarts(const struct ptrace_regs *r)
{
	int64_t error = r->result < 0 ? -r->result : r->result;

	/* ERESTARTSYS, -NOINTR, -NOHAND, -RESTARTBLOCK */
	return r->in_syscall && r->failed &&
	       (error == 512 || error == 513 || error == 514 || error == 516);
}

#elif defined(__s390x__)

typedef struct _user_regs_struct machine_regs;
#define PC(r) ((r)->psw.addr)

const uint8_t ptrace_break[] = { 0x00, 0x01 };
const unsigned int ptrace_break_bytes = 2, ptrace_break_behind = 2;

static void fill_regs(const machine_regs *m, size_t bytes, struct ptrace_regs *r)
{
	(void)bytes;
	r->pc = m->psw.addr;
	r->number = m->gprs[1];
	r->wide = true;
	for (int i = 0; i < 3; i++)
		r->argument[i] = m->gprs[2 + i];
	r->result = (int64_t)m->gprs[2];
	r->failed = r->result < 0 && r->result >= -4095;
}

#else
#error "the registers of this machine are unknown"
#endif

#if !defined(__x86_64__) && !defined(__powerpc64__)
/* The kernel resets the program counter before it reports the stop. */
bool ptrace_restarts(const struct ptrace_regs *r)
{
	(void)r;
	return false;
}
#endif

int ptrace_regs_get(pid_t tid, struct ptrace_regs *r)
{
	machine_regs m = { 0 };
	size_t bytes = sizeof(m);

	*r = (struct ptrace_regs){ 0 };
#if defined(__x86_64__)
	/* Reads the full registers, even of 32-bit code. */
	if (ptrace(PTRACE_GETREGS, tid, 0, &m))
		return -errno;
#else
	struct iovec v = { &m, sizeof(m) };

	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &v))
		return -errno;
	bytes = v.iov_len;
#endif
	fill_regs(&m, bytes, r);
	return 0;
}

int ptrace_pc_get(pid_t tid, uint64_t *pc)
{
#if defined(__x86_64__)
	long value;

	errno = 0;
	value = ptrace(PTRACE_PEEKUSER, tid, offsetof(struct user, regs.rip), 0);
	*pc = (uint64_t)value;
	return -errno;
#else
	struct ptrace_regs r;
	int err = ptrace_regs_get(tid, &r);

	*pc = r.pc;
	return err;
#endif
}

int ptrace_pc_set(pid_t tid, uint64_t pc)
{
#if defined(__x86_64__)
	return ptrace(PTRACE_POKEUSER, tid, offsetof(struct user, regs.rip), pc) ? -errno : 0;
#else
	machine_regs m = { 0 };
	struct iovec v = { &m, sizeof(m) };

	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &v))
		return -errno;
	PC(&m) = pc;
	return ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &v) ? -errno : 0;
#endif
}

/*
 * s390x emulated by QEMU 10: when only instruction fetches are requested, the stop after a branch
 * to a fixed target is lost. When branches are requested too it is not; then the stops after
 * branches not taken still are, which the address of the last instruction shows.
 */
#if defined(__s390x__)
#define PER(field) (offsetof(struct user, regs.per_info) + offsetof(struct _user_per_struct, field))

void ptrace_steps(pid_t tid, bool on)
{
	ptrace(PTRACE_POKEUSER, tid, PER(starting_addr), 0);
	ptrace(PTRACE_POKEUSER, tid, PER(ending_addr), on ? -1ul : 0);
	ptrace(PTRACE_POKEUSER, tid, PER(control_regs), on ? 0x80000000ul : 0);
}

uint64_t ptrace_executed(pid_t tid)
{
	return (uint64_t)ptrace(PTRACE_PEEKUSER, tid, PER(address), 0);
}
#else
void ptrace_steps(pid_t tid, bool on)
{
	(void)tid;
	(void)on;
}
#endif
