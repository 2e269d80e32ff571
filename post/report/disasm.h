/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instructions in words. The only place that knows libopcodes. */
#ifndef POST_DISASM_H
#define POST_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/insn.h"

struct disasm;

/* machine: an ELF's e_machine. NULL: no memory, or *why says that the machine is not known. */
struct disasm *disasm_open(unsigned int machine, bool is_32, bool big_endian, const char **why);
/* The instruction at code[at], which stands at address + at; code is `size` bytes of one symbol.
 * Its length; 0: none there. */
size_t disasm_one(struct disasm *d, const uint8_t *code, size_t size, size_t at, uint64_t address,
		  char *text, size_t room);

/* The first instruction of `size` bytes, which stand at address; targets are addresses. */
void disasm_insn(struct disasm *d, const uint8_t *code, size_t size, uint64_t address,
		 struct insn *insn);
void disasm_close(struct disasm *d);

#endif
