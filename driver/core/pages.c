// SPDX-License-Identifier: GPL-2.0
/* Memory that user space may map. vmalloc_user would log a warning when there is none. */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/vmalloc.h>
#include "core/pages.h"

/* Refuses more than half of the machine's memory, or nearly all that is available, so that the OOM
 * killer never kills a process for a trace's buffers. */
int pages_charge(struct pages_charge *charge, unsigned long pages)
{
	struct sysinfo machine;
	int err;

	si_meminfo(&machine);
	if (pages > machine.totalram / 2 || (long)pages > si_mem_available() / 8 * 7)
		return -ENOMEM;
	err = account_locked_vm(current->mm, pages, true);
	if (err)
		return err;
	charge->pages = pages;
	charge->mm = current->mm;
	mmgrab(charge->mm);
	return 0;
}

void pages_uncharge(struct pages_charge *charge)
{
	if (!charge->mm)
		return;
	account_locked_vm(charge->mm, charge->pages, false);
	mmdrop(charge->mm);
	charge->mm = NULL;
}

void *pages_alloc(size_t bytes)
{
	return __vmalloc(bytes, GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
}

int pages_map(struct vm_area_struct *vma, void *area, size_t bytes, unsigned long first)
{
	unsigned long pages = PAGE_ALIGN(bytes) >> PAGE_SHIFT, i;
	int err;

	if (first > pages || vma_pages(vma) > pages - first)
		return -EINVAL;
	for (i = 0; i < vma_pages(vma); i++) {
		err = vm_insert_page(vma, vma->vm_start + (i << PAGE_SHIFT),
				     vmalloc_to_page(area + ((first + i) << PAGE_SHIFT)));
		if (err)
			return err;
	}
	return 0;
}
