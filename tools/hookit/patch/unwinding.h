/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lets unwinders (of exceptions, cancelled threads, backtrace()) pass through stubs. */
#ifndef PATCH_UNWINDING_H
#define PATCH_UNWINDING_H

#include <stdint.h>

/* Adds an unwinder that is linked into a program or library, by its __register_frame. */
void unwinding_also(uint64_t notify);
/* Registers stubs from start to end, forever. Returns 0 or -errno. */
int unwinding_notify(uint64_t start, uint64_t end);

#endif
