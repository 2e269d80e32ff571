/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an instruction does to the flow, by its words as libopcodes writes them. */
#ifndef POST_INSN_H
#define POST_INSN_H

#include "report/disasm.h"

/* machine: ELF's number. From length and text: kind, conditional, and direct, if its target is an
 * address in its words. */
void insn_classify(unsigned int machine, struct insn *insn);

#endif
