/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The loaded objects of this process that have sites. */
#ifndef PATCH_OBJECTS_H
#define PATCH_OBJECTS_H

#include <link.h>

#include "sites.h"

/* The memory to which sites jump if their bytes determine the distance. */
struct object_far {
	int32_t distance;
	uint32_t free;   /* bits of it that could be chosen */
	const char *why; /* NULL, or why it is not available */
};

#define OBJECT_FARS 8

struct object {
	struct object *next;
	char *path;
	uint64_t bias;
	const ElfW(Phdr) * headers; /* program headers in memory */
	struct object_file file;    /* its functions; otherwise closed */
	struct sites sites;
	struct object_far far[OBJECT_FARS];
	unsigned int n_far;
	bool gone;
	bool switched; /* its sites were switched, or are to stay as they are */
	bool blind;    /* exceptions could not pass through its stubs */
	char fault[256];
};

struct objects {
	struct object *first;
	size_t looked_at; /* loaded objects at the last look */
};

/* Whether the program itself, not its libraries, calls or defines that function. */
bool objects_program_names(const char *function);
/* Adds new objects. false: no memory. */
bool objects_look(struct objects *list);
/* Marks unloaded objects as gone and calls act(), while nothing can be loaded or unloaded. */
void objects_hold(struct objects *list, void (*act)(struct objects *list, void *arg), void *arg);

#endif
