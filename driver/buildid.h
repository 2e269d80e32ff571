/* SPDX-License-Identifier: GPL-2.0 */
/* Build ids of files as they are mapped. */
#ifndef PITRACE_BUILDID_H
#define PITRACE_BUILDID_H

struct vm_area_struct;

int build_id_init(void);
void build_id_exit(void);
/* In the mapping hook: ask for the build id of the mapping's file, once a file and session. */
void build_id_ask(struct vm_area_struct *vma);

#endif
