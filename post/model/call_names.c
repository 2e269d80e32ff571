/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libseccomp has the system call tables of all machines; this file selects one. */
#include "model/call_names.h"

#include <errno.h>
#include <pitrace.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each machine's table, and that of its 32-bit programs. */
static const struct {
	const char *machine;
	uint32_t table, compat;
} machines[] = {
	{ "x86_64", SCMP_ARCH_X86_64, SCMP_ARCH_X86 },
	{ "aarch64", SCMP_ARCH_AARCH64, SCMP_ARCH_ARM },
	{ "ppc64le", SCMP_ARCH_PPC64LE, 0 },
	{ "s390x", SCMP_ARCH_S390X, SCMP_ARCH_S390 },
};

/* Returns libseccomp's table; 0: unknown machine. */
static uint32_t table_of(const char *machine, bool compat)
{
	size_t i;

	for (i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		if (!strcmp(machines[i].machine, machine))
			return compat ? machines[i].compat : machines[i].table;
	}
	return 0;
}

static char *resolve(const char *machine, uint32_t call)
{
	uint32_t number = call & ~PITRACE_SYSCALL_COMPAT;
	uint32_t table = table_of(machine, call & PITRACE_SYSCALL_COMPAT);

	return table ? seccomp_syscall_resolve_num_arch(table, (int)number) : NULL;
}

bool call_number(const char *machine, const char *name, bool compat, uint32_t *call)
{
	uint32_t table = table_of(machine, compat);
	/* libseccomp uses negative numbers for calls that this machine lacks. */
	int number = table ? seccomp_syscall_resolve_name_arch(table, name) : -1;

	*call = (uint32_t)number | (compat ? PITRACE_SYSCALL_COMPAT : 0);
	return number >= 0;
}

const char *call_name(const char *machine, uint32_t call, char *room, size_t size)
{
	char *name;

	errno = 0;
	name = resolve(machine, call);
	if (!name && errno == ENOMEM)
		snprintf(room, size, "call %u (no memory)", call & ~PITRACE_SYSCALL_COMPAT);
	else if (name)
		snprintf(room, size, "%s%s", name, call & PITRACE_SYSCALL_COMPAT ? "/32" : "");
	else
		snprintf(room, size, "call %u%s", call & ~PITRACE_SYSCALL_COMPAT,
			 call & PITRACE_SYSCALL_COMPAT ? "/32" : "");
	free(name);
	return room;
}

const char *error_name(uint32_t error, char *room, size_t size)
{
	/* Errors internal to the kernel, which only tracers see: the call is restarted, or returns
	 * EINTR. */
	static const char *const inner[] = {
		"ERESTARTSYS", "ERESTARTNOINTR",        "ERESTARTNOHAND",
		"ENOIOCTLCMD", "ERESTART_RESTARTBLOCK",
	};
	const char *name = strerrorname_np((int)error);

	if (!name && error >= 512 && error - 512 < sizeof(inner) / sizeof(inner[0]))
		name = inner[error - 512];
	if (name)
		snprintf(room, size, "%s", name);
	else
		snprintf(room, size, "error %u", error);
	return room;
}
