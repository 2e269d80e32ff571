/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Offsets in a stub, for C and for gates.S. */
#ifndef PATCH_GATES_H
#define PATCH_GATES_H

#include "gate_names.h"

#define STUB_CALLED   12 /* return address of the first gate */
#define STUB_BACK     24 /* return address of the function */
#define STUB_LEFT     32 /* return address of the second gate */
#define STUB_FUNCTION 56

#endif
