/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events as records of the trace that is taken of the program (TraceHook): major 0xB0, minor 0
 * where a function begins, 0x80 where it ends, with its name. */
#ifndef HOOK_TELL_H
#define HOOK_TELL_H

#include <stdbool.h>
#include <stdint.h>

void hook_tell(uint32_t function, bool ends);

#endif
