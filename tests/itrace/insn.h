/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instructions as libopcodes reads them: by the words of its text. */
#ifndef ITRACE_INSN_H
#define ITRACE_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum insn_kind { INSN_PLAIN = 1, INSN_BRANCH, INSN_CONDITIONAL, INSN_SYSCALL, INSN_REPEAT };

struct insn {
	uint8_t kind;   /* enum insn_kind */
	uint8_t branch; /* BRANCH, CONDITIONAL: enum pitrace_branch_kind */
	uint16_t length;
	bool unknown;    /* libopcodes has no name for it */
	uint32_t number; /* s390x, SYSCALL: in the instruction, 0 not there */
};

/* False: this libopcodes does not know the machine. */
bool insn_open(const char *machine);
/* Returns libopcodes' text of the last instruction. */
const char *insn_text(void);
/* Returns the instruction at address; `length` is 0 if it is invalid. */
struct insn insn_at(uint64_t address, const uint8_t *bytes, size_t n);
/* ppc64le, arm64: is it a load that reserves, or such a store? */
bool insn_reserves(uint32_t word, bool load);

#endif
