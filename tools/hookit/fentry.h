/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events of functions whose registers have not been saved (x86-64). ip: an address in the function,
 * which identifies it from then on; sp: the address of its return address. */
#ifndef FENTRY_H
#define FENTRY_H

#include <stdint.h>

void hook_fentry(uintptr_t ip, uintptr_t sp);
void hook_return(uintptr_t ip, uintptr_t sp);
/* The function that had this frame has ended by a jump to the function at ip. */
void hook_follow(uintptr_t ip, uintptr_t sp);

#endif
