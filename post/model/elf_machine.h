/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ELF machine number of the traced machine. */
#ifndef POST_ELF_MACHINE_H
#define POST_ELF_MACHINE_H

#include <pifile.h>

/* Returns EM_*; 0: unknown. */
uint32_t elf_machine(const struct pifile_header *h);

#endif
