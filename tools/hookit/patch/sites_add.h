/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For the readers of sections: a site more, or one that cannot be patched. */
#ifndef SITES_ADD_H
#define SITES_ADD_H

#include "sites.h"

/* -1: no memory, a fault at that offset of the section. */
int site_add(struct sites *s, const struct patch_site *site, struct patch_fault *f,
	     uint64_t offset);
void site_refused(struct sites *s, uint64_t at, const char *what);

#endif
