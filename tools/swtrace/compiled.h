/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a program was compiled with, so that its calls can be seen: read from its file. */
#ifndef COMPILED_H
#define COMPILED_H

#include <stdbool.h>
#include <stddef.h>

enum compiled_loader {
	LOADER_UNKNOWN,
	LOADER_NONE, /* it is linked statically: nothing can be loaded into it */
	LOADER_OURS, /* of the C library that libhookit needs, or one that is not known */
	LOADER_MUSL,
};

struct compiled {
	enum compiled_loader loader;
	bool instrumented; /* -finstrument-functions */
	bool fentry;       /* -pg -mfentry */
	bool returns;      /* … with -minstrument-return=call */
	bool patchable;    /* -fpatchable-function-entry */
	bool xray;         /* -fxray-instrument */
	bool linked;       /* with libhookit: it need not be loaded */
};

/* false: it is no program of this machine (a script is none), or *why: damaged, and where. */
bool compiled_read(const char *path, struct compiled *c, char *why, size_t size);
/* Why libhookit cannot be loaded into it, in words; NULL: nothing is known against it. */
const char *compiled_cannot(const struct compiled *c);
/* In words, for a message; NULL: nothing from which calls could be seen. */
const char *compiled_words(const struct compiled *c);

#endif
