/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loaded before a program it patches its functions and counts events: one line a function at the
 * end. PATCH_WANTED is the beginning of names, PATCH_PLAIN=1 calls events without their vector
 * registers being kept, PATCH_OUT says where to write. Functions of the program may call
 * patch_counter_on() and patch_counter_off(). PATCH_DENY=mem or exec denies what patching needs.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "patch.h"
#include "patch_counter.h"

#define FUNCTIONS (1u << 17)

struct count {
	uintptr_t function;
	const char *name;
	uint64_t enters, leaves, tails;
};

static struct count counts[FUNCTIONS];
static struct patch_events events;
static const char *beginning, *path;

__attribute__((target("general-regs-only"))) static struct count *find(uintptr_t function)
{
	unsigned int i = (unsigned int)(function * 0x9e3779b97f4a7c15u >> 40) % FUNCTIONS;

	while (counts[i].function != function) {
		uintptr_t none = 0;

		if (__atomic_compare_exchange_n(&counts[i].function, &none, function, false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
		    none == function)
			break;
		i = (i + 1) % FUNCTIONS;
	}
	return &counts[i];
}

__attribute__((target("general-regs-only"))) static bool plain_enter(uintptr_t f, uintptr_t at)
{
	(void)at;
	__atomic_fetch_add(&find(f)->enters, 1, __ATOMIC_RELAXED);
	return true;
}

__attribute__((target("general-regs-only"))) static void plain_leave(uintptr_t f, uintptr_t at)
{
	(void)at;
	__atomic_fetch_add(&find(f)->leaves, 1, __ATOMIC_RELAXED);
}

__attribute__((target("general-regs-only"))) static void plain_tail(uintptr_t f, uintptr_t at)
{
	(void)at;
	__atomic_fetch_add(&find(f)->tails, 1, __ATOMIC_RELAXED);
}

/* Overwrites what these functions must not rely on. */
static void spoil(void)
{
#if defined(__x86_64__)
	__asm__ volatile("pcmpeqd %%xmm0, %%xmm0\n\tpcmpeqd %%xmm1, %%xmm1\n\t"
			 "pcmpeqd %%xmm2, %%xmm2\n\tpcmpeqd %%xmm7, %%xmm7\n\t"
			 "pcmpeqd %%xmm9, %%xmm9\n\tpcmpeqd %%xmm15, %%xmm15\n\t"
			 "mov $-1, %%rax\n\tmov %%rax, %%rcx\n\tmov %%rax, %%rdx\n\t"
			 "mov %%rax, %%rsi\n\tmov %%rax, %%rdi\n\tmov %%rax, %%r8\n\t"
			 "mov %%rax, %%r9\n\tmov %%rax, %%r10\n\tmov %%rax, %%r11"
			 :
			 :
			 : "xmm0", "xmm1", "xmm2", "xmm7", "xmm9", "xmm15", "rax", "rcx", "rdx",
			   "rsi", "rdi", "r8", "r9", "r10", "r11");
	if (__builtin_cpu_supports("avx"))
		__asm__ volatile("vzeroall" : : : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5");
#endif
}

static bool enter(uintptr_t f, uintptr_t at)
{
	spoil();
	return plain_enter(f, at);
}

static void leave(uintptr_t f, uintptr_t at)
{
	plain_leave(f, at);
	spoil();
}

static void tail(uintptr_t f, uintptr_t at)
{
	plain_tail(f, at);
	spoil();
}

static bool wanted(void *arg, const char *name, uintptr_t function)
{
	struct count *c;

	(void)arg;
	if (!name || strncmp(name, beginning, strlen(beginning)) != 0)
		return false;
	c = find(function);
	if (!c->name)
		c->name = strdup(name);
	return true;
}

static void say(void *arg, const char *line)
{
	fprintf(arg, "%s\n", line);
}

/* As a rule of the system would: writing by /proc/self/mem, or executable memory. */
static void deny(const char *what)
{
	int mem = !strcmp(what, "mem");
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, mem ? SYS_pwrite64 : SYS_mmap, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, mem ? offsetof(struct seccomp_data, nr) :
							 offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, mem ? SYS_pwrite64 : PROT_EXEC, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (mem ? EPERM : EACCES)),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(f) / sizeof(f[0]), f };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(4);
}

static void stop(const char *why)
{
	fprintf(stderr, "patch: %s\n", why);
	_exit(3);
}

long patch_counter_on(void)
{
	char why[512] = "";
	long n = patch_on(wanted, NULL, why, sizeof(why));

	if (n < 0)
		stop(why);
	return n;
}

void patch_counter_off(void)
{
	char why[512] = "";

	if (patch_off(why, sizeof(why)))
		stop(why);
}

void patch_counter_find(void)
{
	char why[512] = "";

	long n = patch_find(why, sizeof(why));

	if (getenv("PATCH_TELL"))
		patch_report(say, stderr);
	if (n <= 0)
		stop(why);
}

unsigned long long patch_counter_events(void)
{
	unsigned long long n = 0;

	for (unsigned int i = 0; i < FUNCTIONS; i++)
		n += counts[i].enters;
	return n;
}

void patch_counter_asked(const char *word, char *answer, size_t room)
{
	if (!strcmp(word, "on")) {
		snprintf(answer, room, "%ld functions", patch_counter_on());
	} else if (!strcmp(word, "off")) {
		patch_counter_off();
		snprintf(answer, room, "off");
	} else {
		snprintf(answer, room, "%llu", patch_counter_events());
	}
}

static int by_name(const void *a, const void *b)
{
	const struct count *x = a, *y = b;

	return strcmp(x->name ? x->name : "", y->name ? y->name : "");
}

__attribute__((destructor)) static void end(void)
{
	FILE *out = path ? fopen(path, "w") : NULL;

	if (!out)
		return;
	patch_counter_off();
	qsort(counts, FUNCTIONS, sizeof(counts[0]), by_name);
	for (unsigned int i = 0; i < FUNCTIONS; i++) {
		if (counts[i].enters || counts[i].leaves || counts[i].tails)
			fprintf(out, "%s %llu %llu %llu\n", counts[i].name ? counts[i].name : "?",
				(unsigned long long)counts[i].enters,
				(unsigned long long)counts[i].leaves,
				(unsigned long long)counts[i].tails);
	}
	fprintf(out, "missed %llu\n", (unsigned long long)patch_missed());
	fclose(out);
}

__attribute__((constructor)) static void begin(void)
{
	const char *why;

	beginning = getenv("PATCH_WANTED") ? getenv("PATCH_WANTED") : "";
	path = getenv("PATCH_OUT");
	events = getenv("PATCH_PLAIN") ?
			 (struct patch_events){ plain_enter, plain_leave, plain_tail, NULL, true } :
			 (struct patch_events){ enter, leave, tail, NULL, false };
	unsetenv("LD_PRELOAD");
	why = patch_begin(&events);
	if (why)
		stop(why);
	if (getenv("PATCH_LATER"))
		return;
	patch_counter_find();
	if (getenv("PATCH_DENY"))
		deny(getenv("PATCH_DENY"));
	patch_counter_on();
}
