/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes events as records of the trace that is taken of the program (TraceHook): major 0xB0, minor
 * 0 for an entry, 0x80 for an exit, with the function's name. */
#ifndef HOOK_TRACE_CALL_H
#define HOOK_TRACE_CALL_H

#include <stdbool.h>
#include <stdint.h>

void hook_trace_call(uint32_t function, bool ends);

#endif
