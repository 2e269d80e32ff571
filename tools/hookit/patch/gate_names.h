/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The gates that stubs call. */
#ifndef PATCH_GATE_NAMES_H
#define PATCH_GATE_NAMES_H

#ifndef __ASSEMBLER__
void patch_gate_enter(void);
void patch_gate_leave(void);
void patch_gate_begin(void);
void patch_gate_end(void);
void patch_gate_tail(void);
#endif

#endif
