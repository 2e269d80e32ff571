/* SPDX-License-Identifier: GPL-2.0 */
/* Build ids of files as they are mapped. */
#ifndef PITRACE_BUILDID_H
#define PITRACE_BUILDID_H

struct vm_area_struct;

int build_id_init(void);
/* A session has ended: what was asked for in it is waited for, as a rule for no time at all, so
 * that the module can be unloaded. Not for long: a thread may hang on its way back to user
 * space. */
void build_id_settle(void);
void build_id_exit(void);
/* In the mapping hook: ask for the build id of the mapping's file, once a file and session. */
void build_id_ask(struct vm_area_struct *vma);

#endif
