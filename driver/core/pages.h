/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that user space may map, and tables too long for one allocation. Its size comes from
 * users, so a failure returns NULL and logs no error.
 */
#ifndef PITRACE_PAGES_H
#define PITRACE_PAGES_H

#include <linux/mm.h>

/* Pages charged to the caller's limit of locked memory. */
struct pages_charge {
	struct mm_struct *mm; /* NULL: nothing is charged */
	unsigned long pages;
};
int pages_charge(struct pages_charge *charge, unsigned long pages); /* 0 or -errno */
void pages_uncharge(struct pages_charge *charge);

/* Zeroed, page-aligned memory, which the caller frees by vfree(); NULL: none. */
void *pages_alloc(size_t bytes);
/* In mmap: maps the area, from page `first` on. */
int pages_map(struct vm_area_struct *vma, void *area, size_t bytes, unsigned long first);

#endif
