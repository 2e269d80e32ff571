/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libdw reads unwinding tables from ELF files only. For code that a program made while it ran, a
 * file is made here that holds the code's .eh_frame and nothing else.
 */
#ifndef POST_MADE_ELF_H
#define POST_MADE_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The code's first byte has address 0, the table address `at`. machine: ELF's number. Returns the
 * file, of *length bytes (free it); NULL: no memory, or no such file is possible. */
uint8_t *made_elf(unsigned int machine, bool is_32, uint64_t code_size, const void *eh_frame,
		  size_t size, uint64_t at, size_t *length);

#endif
