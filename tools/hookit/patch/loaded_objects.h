/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is loaded in this process and has sites. */
#ifndef PATCH_OBJECTS_H
#define PATCH_OBJECTS_H

#include <link.h>

#include "sites.h"

/* Where jumps of sites lead that go as far as their bytes say. */
struct object_far {
	int32_t distance;
	uint32_t free;   /* bits of it that were chosen */
	const char *why; /* it is not there */
};

#define OBJECT_FARS 8

struct object {
	struct object *next;
	char *path;
	uint64_t bias;
	const ElfW(Phdr) * headers; /* where it is loaded */
	struct object_file file;    /* its functions; closed otherwise */
	struct sites sites;
	struct object_far far[OBJECT_FARS];
	unsigned int n_far;
	bool gone;
	bool switched; /* its sites were, or found to stay as they are */
	bool blind;    /* exceptions would not find their way through its stubs */
	char fault[256];
};

struct objects {
	struct object *first;
	size_t looked_at; /* objects that were loaded when it was last looked */
};

/* Adds what is new and marks what is gone. false: no memory. */
bool objects_look(struct objects *list);
/* While nothing can be unloaded: calls what is to be done with the objects that are loaded. */
void objects_hold(struct objects *list, void (*act)(struct objects *list, void *arg), void *arg);

#endif
