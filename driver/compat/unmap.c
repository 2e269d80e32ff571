// SPDX-License-Identifier: GPL-2.0
/* Finds the range of an unmap. */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include "compat/unmap.h"

#ifdef PROBE_unmap_vmas

bool compat_unmap_range(struct pt_regs *regs, struct unmap_range *range)
{
	range->first = (void *)compat_argument(regs, 2);
	range->start = compat_argument(regs, 3);
	range->end = compat_argument(regs, 4);
	return range->first;
}

void compat_unmap_learn(unsigned long start, unsigned long end) { }

void compat_unmap_learned(void) { }

#else

#define WORDS 16 /* of the struct, at most */

static struct task_struct *learner;
static unsigned long want_start, want_end;
static int at_first = -1, at_range = -1; /* words; the end is the word after the start */

static bool is_first(unsigned long word)
{
	struct vm_area_struct *vma = (void *)word;
	unsigned long start, end;

	return !copy_from_kernel_nofault(&start, &vma->vm_start, sizeof(start)) &&
	       !copy_from_kernel_nofault(&end, &vma->vm_end, sizeof(end)) && start == want_start &&
	       end == want_end;
}

static void learn(const unsigned long *desc)
{
	unsigned long word[WORDS];
	int i, n = 0, first = -1, range = -1;

	while (n < WORDS && !copy_from_kernel_nofault(&word[n], &desc[n], sizeof(*word)))
		n++;
	for (i = 0; i < n; i++) {
		if (first < 0 && is_first(word[i]))
			first = i;
		if (range < 0 && i + 1 < n && word[i] == want_start && word[i + 1] == want_end)
			range = i;
	}
	if (first < 0 || range < 0)
		return;
	WRITE_ONCE(at_first, first);
	/* A probe that sees at_range also sees at_first. */
	smp_store_release(&at_range, range);
}

bool compat_unmap_range(struct pt_regs *regs, struct unmap_range *range)
{
	const unsigned long *desc = (void *)compat_argument(regs, 1);
	int at;

	if (unlikely(READ_ONCE(learner) == current))
		learn(desc);
	at = smp_load_acquire(&at_range); /* before at_first */
	if (at < 0)
		return false;
	range->first = (void *)desc[at_first];
	range->start = desc[at];
	range->end = desc[at + 1];
	return range->first;
}

void compat_unmap_learn(unsigned long start, unsigned long end)
{
	want_start = start;
	want_end = end;
	WRITE_ONCE(learner, current);
}

void compat_unmap_learned(void)
{
	WRITE_ONCE(learner, NULL);
}

#endif
