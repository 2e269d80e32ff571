/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Jumps, which training asks for itself. */
#ifndef INTERPOSE_H
#define INTERPOSE_H

#include <setjmp.h>

typedef void hook_jump(struct __jmp_buf_tag *to, int value);

/* longjmp() as programs have it here, and the C library's; NULL: there is none. */
void interpose_jumps(hook_jump **ours, hook_jump **real);

#endif
