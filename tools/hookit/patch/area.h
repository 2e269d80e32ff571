/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stubs of an object's sites, and the places that sites lead to by themselves. */
#ifndef PATCH_AREA_H
#define PATCH_AREA_H

#include "loaded_objects.h"
#include "text.h"

/* Stubs for all sites that are wanted and have none, written. false: `why`. */
bool area_make(struct object *o, struct patch_text *t, char *why, size_t room);

#endif
