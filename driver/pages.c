// SPDX-License-Identifier: GPL-2.0
/* Memory that user space may map. vmalloc_user says loudly when there is none. */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/vmalloc.h>
#include "pages.h"

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
