/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where in a stub what is: for C and for gates.S. */
#ifndef PATCH_GATES_H
#define PATCH_GATES_H

#include "gate_names.h"

#define STUB_CALLED   6  /* where the first gate returns to */
#define STUB_BACK     22 /* where the function returns to */
#define STUB_LEFT     33 /* where its gate returns to */
#define STUB_FUNCTION 40

#endif
