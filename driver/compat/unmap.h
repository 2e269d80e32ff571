/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The range that unmap_vmas() is about to unmap. Up to 6.12 it is in the arguments. Later kernels
 * pass a struct that no public header describes: the offsets of its fields are learned at load,
 * from an unmap of our own with a known range. If that fails, no range is reported, and the
 * self-test says so.
 */
#ifndef PITRACE_COMPAT_UNMAP_H
#define PITRACE_COMPAT_UNMAP_H

#include <linux/mm_types.h>
#include <linux/ptrace.h>

struct unmap_range {
	struct vm_area_struct *first;
	unsigned long start, end;
};

/* Call in a kprobe at the beginning of unmap_vmas(). False: the range is unknown. */
bool compat_unmap_range(struct pt_regs *regs, struct unmap_range *range);

/* Between these two calls the next unmap of this task is of exactly that range, which is one
 * mapping with no neighbours. */
void compat_unmap_learn(unsigned long start, unsigned long end);
void compat_unmap_learned(void);

#endif
