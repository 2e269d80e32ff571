/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Disassembly. Only this module uses libopcodes. */
#ifndef POST_DISASM_H
#define POST_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/insn.h"

struct disasm;

/* machine: EM_*. Returns NULL without memory, or with *why set if the machine is not supported. */
struct disasm *disasm_open(unsigned int machine, bool is_32, bool big_endian, const char **why);
/* Disassembles the instruction at code[at], whose address is address + at; code is `size` bytes of
 * one symbol. Returns its length; 0: no valid instruction. */
size_t disasm_one(struct disasm *d, const uint8_t *code, size_t size, size_t at, uint64_t address,
		  char *text, size_t room);

/* Decodes the first instruction of `size` bytes at `address`; targets are absolute addresses. */
void disasm_insn(struct disasm *d, const uint8_t *code, size_t size, uint64_t address,
		 struct insn *insn);
void disasm_close(struct disasm *d);

#endif
