/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the names and lines of sampled methods as code at their frames' addresses (walk_address):
 * the jitdump takes them like names of compiled code.
 */
#ifndef STACK_NAMES_H
#define STACK_NAMES_H

#include <stdbool.h>

#include "vm_layout.h"

/* Writes names that are new since the last call. With `kinds`, a name includes how the method ran.
 * Not safe in signal handlers. */
void stack_names_write(const struct vm_layout *l, bool kinds);

#endif
