/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Unwinders (of exceptions, of cancelled threads, backtrace()) pass through stubs. */
#ifndef PATCH_UNWINDING_H
#define PATCH_UNWINDING_H

#include <stdint.h>

/* An unwinder that is linked into a program or library: the address of its __register_frame. */
void unwinding_also(uint64_t tell);
/* Stubs lie from start to end, for ever. 0 or -errno. */
int unwinding_tell(uint64_t start, uint64_t end);

#endif
