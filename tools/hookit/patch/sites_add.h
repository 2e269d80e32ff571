/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For the readers of sections: adds a site, or records one that cannot be patched. */
#ifndef SITES_ADD_H
#define SITES_ADD_H

#include "sites.h"

/* Returns -1 without memory, with a fault at that offset of the section. */
int site_add(struct sites *s, const struct patch_site *site, struct patch_fault *f,
	     uint64_t offset);
void site_refused(struct sites *s, uint64_t at, const char *what);

#endif
