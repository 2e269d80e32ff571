/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ELF's number of the machine that a trace was made on. */
#ifndef POST_ELF_MACHINE_H
#define POST_ELF_MACHINE_H

#include <pifile.h>

/* 0: the trace does not say. */
uint32_t elf_machine(const struct pifile_header *h);

#endif
