/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The program and its libraries, also those that were closed: which of them a function is in, and
 * what it is called there. Names are looked for when somebody asks for them, not at events.
 */
#ifndef MODULES_H
#define MODULES_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include "hook_functions.h"

/* Sees what is loaded now; functions that have no module yet find theirs. */
void modules_see(void);
/* Of a library that is closed now, functions are gone: before it, modules_see(). */
void modules_closed(void);
/* The function's name, which stays; without one its module and address. Never NULL. */
const char *modules_name(struct hook_function *f);
/* What is asked for of its values; NULL: nothing. */
const struct call_values *modules_values(const struct hook_function *f);
/* Functions of what is loaded now are decided by their names before they are called. */
void modules_foresee(void);
/* While it is held nobody looks for names, nor at what is loaded. */
extern pthread_mutex_t modules_lock;

/* The same with the source file and line behind it, where DWARF tells them: "work [work.c:21]". */
const char *modules_name_placed(struct hook_function *f);
/* The part of a log-rt that tells what is inlined in functions that were met: 0 or -ENOMEM. */
int modules_print_inlined(FILE *out);

#endif
