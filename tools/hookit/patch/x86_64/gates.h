/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What stubs call, and where in a stub what is: for C and for gates.S. */
#ifndef PATCH_GATES_H
#define PATCH_GATES_H

#define STUB_CALLED   6  /* where the first gate returns to */
#define STUB_BACK     22 /* where the function returns to */
#define STUB_LEFT     33 /* where its gate returns to */
#define STUB_FUNCTION 40

#ifndef __ASSEMBLER__
void patch_gate_enter(void);
void patch_gate_leave(void);
void patch_gate_begin(void);
void patch_gate_end(void);
void patch_gate_tail(void);
#endif

#endif
