/* SPDX-License-Identifier: GPL-2.0 */
/* Build ids of files as they are mapped. */
#ifndef PITRACE_BUILDID_H
#define PITRACE_BUILDID_H

struct vm_area_struct;

int build_id_init(void);
/* Called after a session has ended: waits for its requests, usually not at all, so that the module
 * can be unloaded. The wait is limited: a thread may hang on its way back to user space. */
void build_id_settle(void);
void build_id_exit(void);
/* In the mapping hook: requests the build id of the mapping's file, once for each file and
 * session. */
void build_id_ask(struct vm_area_struct *vma);

#endif
