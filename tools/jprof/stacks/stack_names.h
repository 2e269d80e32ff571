/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The names and lines of the methods that samples found, as code at the addresses that their frames
 * have (walk_address): they go the way of the names of compiled code.
 */
#ifndef STACK_NAMES_H
#define STACK_NAMES_H

#include <stdbool.h>

#include "vm_layout.h"

/* kinds: the name says how the method ran. Not in handlers: writes what is new. */
void stack_names_write(const struct vm_layout *l, bool kinds);

#endif
