/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The walk: libdw requests registers and memory, and reports each frame. When a frame is in a file
 * that libdw does not have yet, the file is added and the walk starts again.
 */
#include "model/unwind.h"

#include <elfutils/libdwfl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/unwind_space.h"

#define SPACES     16 /* processes kept at a time: each keeps files open */
#define REGS       128
#define STACK_NEAR (16ull << 20) /* beyond the copy, but still the stack */

/* Each machine and its 32-bit programs: EM_*, the DWARF number of the stack pointer and of the
 * program counter (0: none), which the x86 unwind tables of PLTs use. */
static const struct unwind_machine {
	const char *name;
	unsigned int elf, elf_32, sp, sp_32, pc, pc_32;
} machines[] = {
	{ "x86_64", EM_X86_64, EM_386, 7, 4, 16, 8 },
	{ "aarch64", EM_AARCH64, EM_ARM, 31, 13, 0, 15 },
	{ "ppc64le", EM_PPC64, EM_PPC, 1, 1, 0, 0 },
	{ "s390x", EM_S390, EM_S390, 15, 15, 0, 0 },
	{ "i686", EM_386, EM_386, 4, 4, 8, 8 },
};

/* Whether unwind tables cover an address, cached because most addresses repeat. */
struct covered {
	Dwfl_Module *mod;
	uint64_t address;
	bool yes;
};
#define COVERED 4096

struct unwind {
	struct a2n *a2n;
	struct unwind_space space[SPACES];
	uint64_t clock;
	struct covered covered[COVERED];

	/* State of the current walk: */
	const struct unwind_machine *machine;
	struct unwind_space *now;
	const struct stack *stack;
	uint64_t time, sp;
	struct unwound *out;
	bool again;  /* a file was added */
	bool blind;  /* no table covers the last frame */
	bool beyond; /* a read went beyond the copy since then */
};

/* ---- callbacks of libdw ---------------------------------------------------------------------- */

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread_arg)
{
	(void)dwfl;
	(void)arg;
	(void)thread_arg;
	return 0;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread_arg)
{
	(void)dwfl;
	(void)tid;
	*thread_arg = arg;
	return true;
}

/* Return addresses in memory may be signed: user addresses of arm64 end at bit 47 unless a program
 * requests more, and the signature is in the bits above. */
static uint64_t unsigned_address(const struct unwind *u, uint64_t value)
{
	if (u->machine->elf != EM_AARCH64 || u->now->is_32 || value >> 55 & 1)
		return value;
	return value & ((1ull << 48) - 1);
}

static bool memory_read(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *result, void *arg)
{
	struct unwind *u = arg;
	uint32_t bytes = u->stack->head->bytes;
	uint64_t at = address - u->sp, value = 0;
	uint32_t narrow = 0;
	size_t size = u->now->is_32 ? sizeof(narrow) : sizeof(value);
	void *to = u->now->is_32 ? (void *)&narrow : (void *)&value;

	(void)dwfl;
	if (at < bytes && bytes - at >= size) {
		memcpy(to, u->stack->copy + at, size);
	} else if (!unwind_space_read(u->now, address, to, size)) {
		u->beyond |= at < STACK_NEAR;
		return false;
	}
	*result = u->now->is_32 ? narrow : unsigned_address(u, value);
	return true;
}

static bool set_initial_registers(Dwfl_Thread *thread, void *arg)
{
	struct unwind *u = arg;
	Dwarf_Word regs[REGS];
	unsigned int n = u->stack->head->regs, i;
	unsigned int pc = u->now->is_32 ? u->machine->pc_32 : u->machine->pc;

	if (n < 2 || n > REGS)
		return false;
	for (i = 0; i < n; i++)
		regs[i] = unsigned_address(u, u->stack->regs[i]);
	if (!dwfl_thread_state_registers(thread, 0, pc == n - 1 ? n : n - 1, regs))
		return false;
	dwfl_thread_state_register_pc(thread, regs[n - 1]);
	return true;
}

static const Dwfl_Thread_Callbacks callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = memory_read,
	.set_initial_registers = set_initial_registers,
};

/* ---- the walk -------------------------------------------------------------------------------- */

static bool is_covered(struct unwind *u, Dwfl_Module *mod, uint64_t address)
{
	uint64_t hash = (address ^ (uintptr_t)mod >> 4) * 0x9E3779B97F4A7C15ull >> 52;
	struct covered *c = &u->covered[hash % COVERED];
	Dwarf_CFI *(*const tables[])(Dwfl_Module *, Dwarf_Addr *) = {
		dwfl_module_eh_cfi,
		dwfl_module_dwarf_cfi,
	};
	Dwarf_Frame *frame;
	Dwarf_Addr bias;
	unsigned int i;

	if (c->mod == mod && c->address == address)
		return c->yes;
	*c = (struct covered){ .mod = mod, .address = address };
	for (i = 0; i < 2 && !c->yes; i++) {
		Dwarf_CFI *cfi = tables[i](mod, &bias);

		if (cfi && !dwarf_cfi_addrframe(cfi, address - bias, &frame)) {
			free(frame);
			c->yes = true;
		}
	}
	return c->yes;
}

static int take_frame(Dwfl_Frame *frame, void *arg)
{
	struct unwind *u = arg;
	struct unwound *out = u->out;
	struct unwind_module *m = NULL;
	Dwarf_Addr pc, address;
	Dwfl_Module *mod;
	bool exact, added;

	u->beyond = false;
	if (!dwfl_frame_pc(frame, &pc, &exact))
		return DWARF_CB_ABORT;
	if (!pc && out->count) {
		out->end = UNWIND_WHOLE; /* a thread's first function, if no table describes it */
		return DWARF_CB_ABORT;
	}
	if (out->count == PITRACE_STACK_MAX) {
		out->end = UNWIND_CUT;
		return DWARF_CB_ABORT;
	}
	address = exact ? pc : pc - 1;
	mod = dwfl_addrmodule(u->now->dwfl, address);
	if (!mod) {
		m = unwind_space_at(u->now, u->a2n, u->time, address, &added);
		u->again = added;
		if (u->now->swept)
			memset(u->covered, 0, sizeof(u->covered));
		u->now->swept = false;
		if (added)
			return DWARF_CB_ABORT;
	}
	if (u->blind) {
		if (!mod && !m)
			return DWARF_CB_ABORT; /* no code there: the frame pointer was wrong */
		out->guessed = true;
	}
	/* Users of the addresses treat all but the first as return addresses. */
	out->address[out->count] = address + (out->count ? 1 : 0);
	out->count++;
	u->blind = !mod || !is_covered(u, mod, address);
	return DWARF_CB_OK;
}

static struct unwind_space *get_space(struct unwind *u, uint32_t pid, bool is_32)
{
	struct unwind_space *oldest = &u->space[0];
	unsigned int i, machine = is_32 ? u->machine->elf_32 : u->machine->elf;

	for (i = 0; i < SPACES; i++) {
		struct unwind_space *s = &u->space[i];

		if (s->dwfl && s->pid == pid && s->is_32 == is_32)
			return s;
		if (s->used < oldest->used)
			oldest = s;
	}
	unwind_space_close(oldest);
	memset(u->covered, 0, sizeof(u->covered));
	return unwind_space_open(oldest, pid, machine, is_32, &callbacks, u) ? NULL : oldest;
}

int unwind_stack(struct unwind *u, const struct unwind_machine *machine, uint32_t pid,
		 uint64_t time, uint64_t epoch, const struct stack *s, struct unwound *out)
{
	bool is_32 = s->head->flags & PITRACE_STACK_32BIT;
	unsigned int regs = s->head->regs, sp;
	int rc;

	out->count = 0;
	out->guessed = false;
	out->end = UNWIND_LOST;
	if (!machine || !regs)
		return 0;
	u->machine = machine;
	out->address[0] = s->regs[regs - 1];
	sp = is_32 ? machine->sp_32 : machine->sp;
	u->now = get_space(u, pid, is_32);
	if (!u->now || sp >= regs)
		goto none;
	u->now->used = ++u->clock;
	u->stack = s;
	u->time = time;
	u->sp = s->regs[sp];
	u->out = out;
	if (u->now->epoch != epoch)
		memset(u->covered, 0, sizeof(u->covered));
	rc = unwind_space_check(u->now, u->a2n, time, epoch);
	if (rc)
		return rc;
	do {
		out->count = 0;
		out->guessed = u->again = u->beyond = u->blind = false;
		out->end = UNWIND_LOST;
		if (!dwfl_getthread_frames(u->now->dwfl, 1, take_frame, u))
			out->end = UNWIND_WHOLE;
		/* libdw reports an unreadable caller as the end of the stack. */
		if (u->beyond && out->end != UNWIND_CUT)
			out->end = UNWIND_SHORT;
	} while (u->again);
none:
	/* The program counter is always known. */
	if (!out->count)
		out->count = 1;
	return 0;
}

const struct unwind_machine *unwind_machine(const char *name)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		if (!strcmp(name, machines[i].name))
			return &machines[i];
	}
	return NULL;
}

struct unwind *unwind_open(struct a2n *a)
{
	struct unwind *u = calloc(1, sizeof(*u));

	if (u)
		u->a2n = a;
	return u;
}

void unwind_close(struct unwind *u)
{
	unsigned int i;

	for (i = 0; u && i < SPACES; i++)
		unwind_space_close(&u->space[i]);
	free(u);
}
