/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The program and its libraries, also closed ones: in which of them a function is, and its name.
 * Names are looked up on request, not at events.
 */
#ifndef MODULES_H
#define MODULES_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include "hook_functions.h"

/* Updates the list of loaded files and assigns a module to functions without one. */
void modules_see(void);
/* Marks functions of closed libraries as gone. Call modules_see() before the library is closed. */
void modules_closed(void);
/* Reads the symbols of all loaded files while they can be opened. */
void modules_load(void);
/* The function's name, valid forever; without a symbol, its module and address. Never NULL. */
const char *modules_name(struct hook_function *f);
/* The requested values of the function; NULL: none. */
const struct call_values *modules_values(const struct hook_function *f);
/* Decides by names about all functions of loaded files, before they are called. */
void modules_foresee(void);
/* Protects the list of loaded files and the look-up of names. */
extern pthread_mutex_t modules_lock;

/* The same, followed by source file and line if DWARF has them: "work [work.c:21]". */
const char *modules_name_placed(struct hook_function *f);
/* Prints the part of a log-rt with the functions that are inlined in known functions. Returns 0 or
 * -ENOMEM. */
int modules_print_inlined(FILE *out);

#endif
