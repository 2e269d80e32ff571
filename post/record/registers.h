/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Registers by perf's numbers and names, for each machine (asm/perf_regs.h). */
#ifndef POST_REGISTERS_H
#define POST_REGISTERS_H

#include <stdint.h>

#define REGISTER_ROOM 12

/* Returns EM_*; 0: the machine's registers are unknown. */
uint32_t registers_machine(const char *machine);
/* Returns the register's name, or its number in the form "r7". */
const char *register_name(uint32_t machine, uint32_t number, char room[REGISTER_ROOM]);

#endif
