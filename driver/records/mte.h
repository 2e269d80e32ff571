/* SPDX-License-Identifier: GPL-2.0 */
/* Writers of MTE records: into the rings of every session whose scope the task is in. */
#ifndef PITRACE_MTE_H
#define PITRACE_MTE_H

#include <linux/mm_types.h>
#include <linux/sched.h>
#include "pitrace.h"

struct session;
struct module;

/* `only`: this session, whatever its scope (the walk); NULL: all sessions that are on. */
void mte_task(struct session *only, u32 minor, struct task_struct *task, u32 flags);
/* Writes the name that the task is about to get. */
void mte_rename(struct task_struct *task, const char *comm);
/* An executable mapping of pid; the path is looked up here. Task context, without the lock of the
 * mapping's file. */
void mte_map(struct session *only, pid_t pid, struct vm_area_struct *vma, u32 flags);
/* The same for a mapping after mremap moved it there. */
void mte_map_at(pid_t pid, struct vm_area_struct *vma, unsigned long start, unsigned long length,
		unsigned long pgoff);
void mte_unmap(pid_t pid, unsigned long start, unsigned long length);
void mte_module(const struct module *m, bool init, u32 minor);
void mte_build_id(const struct pitrace_mte_buildid *id, pid_t pid);
void mte_sync(struct session *only, enum pitrace_sync_why why);
void mte_interval(struct session *s, u32 flags);

#endif
