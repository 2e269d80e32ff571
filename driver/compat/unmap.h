/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The range that unmap_vmas() is about to unmap. Up to 6.12 its arguments say so. Later kernels
 * hand over a struct that no public header describes: where its fields stand is learned at load,
 * from an unmap of our own whose range is known. A range that was not learned is never reported,
 * and the self-test says so.
 */
#ifndef PITRACE_COMPAT_UNMAP_H
#define PITRACE_COMPAT_UNMAP_H

#include <linux/mm_types.h>
#include <linux/ptrace.h>

struct unmap_range {
	struct vm_area_struct *first;
	unsigned long start, end;
};

/* In a kprobe at the beginning of unmap_vmas(). False: not to be had. */
bool compat_unmap_range(struct pt_regs *regs, struct unmap_range *range);

/* From here to compat_unmap_learned() the next unmap of this task is one of just that range, which
 * is one mapping with nothing beside it. */
void compat_unmap_learn(unsigned long start, unsigned long end);
void compat_unmap_learned(void);

#endif
