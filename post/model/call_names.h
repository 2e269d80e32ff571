/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of system calls and of their errors, as the machine that was traced numbers them. */
#ifndef POST_CALL_NAMES_H
#define POST_CALL_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* call: number | PITRACE_SYSCALL_COMPAT; machine: utsname's. Uses room. */
const char *call_name(const char *machine, uint32_t call, char *room, size_t size);
/* The other way, as a call of a 32-bit program on wish. False: the machine has no such call. */
bool call_number(const char *machine, const char *name, bool compat, uint32_t *call);
const char *error_name(uint32_t error, char *room, size_t size);

#endif
