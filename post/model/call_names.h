/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of system calls and of their errors, for the traced machine. */
#ifndef POST_CALL_NAMES_H
#define POST_CALL_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the name of a call: number | PITRACE_SYSCALL_COMPAT; machine: utsname's. May use room. */
const char *call_name(const char *machine, uint32_t call, char *room, size_t size);
/* Finds the number of a call, as a 32-bit program's call with `compat`. false: not on this
 * machine. */
bool call_number(const char *machine, const char *name, bool compat, uint32_t *call);
const char *error_name(uint32_t error, char *room, size_t size);

#endif
