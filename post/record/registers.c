/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/registers.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

static const char *const x86[] = {
	"AX", "BX", "CX", "DX", "SI", "DI", "BP",  "SP",  "IP",  "FLAGS", "CS",  "SS",
	"DS", "ES", "FS", "GS", "R8", "R9", "R10", "R11", "R12", "R13",   "R14", "R15",
};
static const char *const arm64[] = {
	"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",  "x10",
	"x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
	"x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "lr",  "sp",  "pc",
};
static const char *const powerpc[] = {
	"r0",  "r1",      "r2",  "r3",   "r4",  "r5",  "r6",    "r7",   "r8",  "r9",    "r10",
	"r11", "r12",     "r13", "r14",  "r15", "r16", "r17",   "r18",  "r19", "r20",   "r21",
	"r22", "r23",     "r24", "r25",  "r26", "r27", "r28",   "r29",  "r30", "r31",   "nip",
	"msr", "orig_r3", "ctr", "link", "xer", "ccr", "softe", "trap", "dar", "dsisr",
};
static const char *const s390[] = {
	"R0",  "R1",  "R2",   "R3",   "R4",   "R5",   "R6",   "R7",   "R8",   "R9",  "R10", "R11",
	"R12", "R13", "R14",  "R15",  "FP0",  "FP1",  "FP2",  "FP3",  "FP4",  "FP5", "FP6", "FP7",
	"FP8", "FP9", "FP10", "FP11", "FP12", "FP13", "FP14", "FP15", "MASK", "PC",
};

#define NAMES(of) of, sizeof(of) / sizeof((of)[0])
static const struct {
	const char *name;
	uint32_t machine;
	const char *const *names;
	uint32_t count;
} machines[] = {
	{ "x86_64", EM_X86_64, NAMES(x86) },
	{ "aarch64", EM_AARCH64, NAMES(arm64) },
	{ "ppc64le", EM_PPC64, NAMES(powerpc) },
	{ "s390x", EM_S390, NAMES(s390) },
};
#define MACHINES (sizeof(machines) / sizeof(machines[0]))

uint32_t registers_machine(const char *machine)
{
	for (size_t i = 0; i < MACHINES; i++) {
		if (!strcmp(machines[i].name, machine))
			return machines[i].machine;
	}
	return 0;
}

const char *register_name(uint32_t machine, uint32_t number, char room[REGISTER_ROOM])
{
	for (size_t i = 0; i < MACHINES; i++) {
		if (machines[i].machine == machine && number < machines[i].count)
			return machines[i].names[number];
	}
	snprintf(room, REGISTER_ROOM, "r%u", number);
	return room;
}
