/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events of functions whose registers nobody has saved (x86-64). ip: where in the function, which
 * is its name from then on; sp: where its return address lies. */
#ifndef FENTRY_H
#define FENTRY_H

#include <stdint.h>

void hook_fentry(uintptr_t ip, uintptr_t sp);
void hook_return(uintptr_t ip, uintptr_t sp);
/* The function that has this frame has ended by a jump to that one. */
void hook_follow(uintptr_t ip, uintptr_t sp);

#endif
