/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "guarded.h"

#include <signal.h>
#include <string.h>
#include <ucontext.h>

#if defined(__x86_64__)
__asm__(".text\n"
	".p2align 4\n"
	".type guarded_access, @function\n"
	"guarded_access:\n"
	"	movq (%rdi), %rax\n"
	"guarded_access_end:\n"
	"	movq %rax, (%rsi)\n"
	"	movl $1, %eax\n"
	"	ret\n"
	"guarded_fault:\n"
	"	xorl %eax, %eax\n"
	"	ret\n"
	".size guarded_access, . - guarded_access\n");
#define PC(u) ((u)->uc_mcontext.gregs[REG_RIP])
typedef greg_t pc_word;
#elif defined(__aarch64__)
__asm__(".text\n"
	".p2align 4\n"
	".type guarded_access, %function\n"
	"guarded_access:\n"
	"	ldr x2, [x0]\n"
	"guarded_access_end:\n"
	"	str x2, [x1]\n"
	"	mov w0, #1\n"
	"	ret\n"
	"guarded_fault:\n"
	"	mov w0, #0\n"
	"	ret\n"
	".size guarded_access, . - guarded_access\n");
#define PC(u) ((u)->uc_mcontext.pc)
typedef unsigned long long pc_word;
#endif

#ifdef PC
extern int guarded_access(uint64_t address, uint64_t *to);
extern const char guarded_access_end[], guarded_fault[];

static struct sigaction before_segv, before_bus;

/* Calls the previous handler, as if ours were not installed. */
static void pass_on(const struct sigaction *before, int number, siginfo_t *info, void *context)
{
	if (before->sa_flags & SA_SIGINFO)
		before->sa_sigaction(number, info, context);
	else if (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN)
		before->sa_handler(number);
	else
		sigaction(number, before, NULL); /* the fault repeats */
}

static void faulted(int number, siginfo_t *info, void *context)
{
	ucontext_t *u = context;
	uintptr_t pc = (uintptr_t)PC(u);

	if (pc >= (uintptr_t)guarded_access && pc < (uintptr_t)guarded_access_end)
		PC(u) = (pc_word)(uintptr_t)guarded_fault;
	else
		pass_on(number == SIGSEGV ? &before_segv : &before_bus, number, info, context);
}

/* Keeps the VM's signal mask and flags. */
static bool stand_before(int number, struct sigaction *before)
{
	struct sigaction how;

	if (sigaction(number, NULL, before))
		return false;
	how = *before;
	how.sa_sigaction = faulted;
	how.sa_flags = (how.sa_flags & ~(int)SA_RESETHAND) | SA_SIGINFO;
	return !sigaction(number, &how, NULL);
}

const char *guarded_begin(void)
{
	return stand_before(SIGSEGV, &before_segv) && stand_before(SIGBUS, &before_bus) ?
		       NULL :
		       "the handlers of memory faults cannot be set";
}

bool guarded_word(uint64_t address, uint64_t *to)
{
	return guarded_access(address, to);
}
#else
const char *guarded_begin(void)
{
	return "stacks are sampled on x86-64 only";
}

bool guarded_word(uint64_t address, uint64_t *to)
{
	(void)address, (void)to;
	return false;
}
#endif

/* Loads aligned words: no load crosses into a page without requested bytes. */
bool guarded_copy(void *to, uint64_t from, size_t n)
{
	uint8_t *out = to;

	while (n) {
		uint64_t word;
		size_t skip = from % 8, part = n < 8 - skip ? n : 8 - skip;

		if (!guarded_word(from - skip, &word))
			return false;
		memcpy(out, (const uint8_t *)&word + skip, part);
		out += part;
		from += part;
		n -= part;
	}
	return true;
}
