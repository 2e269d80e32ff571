/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Jumps, as training executes them. */
#ifndef INTERPOSE_H
#define INTERPOSE_H

#include <setjmp.h>

typedef void hook_jump(struct __jmp_buf_tag *to, int value);

/* Returns our longjmp() and the C library's; NULL: there is none. */
void interpose_jumps(hook_jump **ours, hook_jump **real);

#endif
