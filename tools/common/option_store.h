/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that store the values of an option table's rows. Each prints a message on an error. */
#ifndef COMMON_OPTION_STORE_H
#define COMMON_OPTION_STORE_H

#include "option_table.h"

option_store option_set;    /* a bool: true */
option_store option_assign; /* an integer: the row's value */
option_store option_flags;  /* an integer: the bits of the row's value are set */
option_store option_text;   /* a const char *: the argument */
/* A const char *: a file to be created, which is renamed meanwhile; "-" and "" are refused. */
option_store option_file;
option_store option_number;   /* an integer from least to most */
option_store option_duration; /* uint64_t, ns: 5, 500ms, 2m; from least to most */
option_store option_size;     /* uint64_t, bytes: 64M, or a number of the row's value */

/* A struct cpus: a list like 0,2-5, or all that are online. value 1: offline CPUs are refused. */
option_store option_cpus;

/* Parses an operand in the same way; messages call it `what`. Returns false after a message. */
bool number_of(const char *what, const char *text, uint64_t least, uint64_t most, uint64_t *n);
bool duration_of(const char *what, const char *text, uint64_t least, uint64_t most, uint64_t *ns);

#endif
