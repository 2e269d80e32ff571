/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The agent's records in each trace session of this process. They are written by the libperfutil
 * that is installed beside the agent. The agent itself links only to the C library and writes no
 * records if libperfutil is missing.
 */
#ifndef JPROF_TRACE_RECORDS_H
#define JPROF_TRACE_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

/* Call it before the others. Returns false if the library is missing. */
bool records_begin(void);
/* Returns whether a trace session collects names of threads. */
bool records_wanted(void);
/* Records the new name of this thread. */
void records_thread(const char *name);
/* Record that code was loaded or unloaded. */
void records_code(const char *name, uint64_t address, uint64_t size);
void records_code_gone(uint64_t address, uint64_t size);

#endif
