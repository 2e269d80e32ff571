/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records of the agent's in a trace of whoever traces this process, by the libperfutil that is
 * installed beside it: an agent needs nothing but the C library, and goes without where that is
 * missing.
 */
#ifndef JPROF_TRACE_RECORDS_H
#define JPROF_TRACE_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

/* Before the others. False: there is no such library. */
bool records_begin(void);
/* Somebody traces, and takes names of threads. */
bool records_wanted(void);
/* This thread is called so from now on. */
void records_thread(const char *name);
/* Code was made, or is there no more. */
void records_code(const char *name, uint64_t address, uint64_t size);
void records_code_gone(uint64_t address, uint64_t size);

#endif
