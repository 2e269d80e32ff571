/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stubs of an object's sites, and the memory to which a site's own bytes determine the jump. */
#ifndef PATCH_AREA_H
#define PATCH_AREA_H

#include "loaded_objects.h"
#include "patch_text.h"

/* Writes stubs for all wanted sites that have none. false: `why`. */
bool area_make(struct object *o, struct patch_text *t, char *why, size_t room);

#endif
