/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads from a program's file whether, and by which compiler options, its calls can be measured. */
#ifndef COMPILED_H
#define COMPILED_H

#include <stdbool.h>
#include <stddef.h>

enum compiled_loader {
	LOADER_UNKNOWN,
	LOADER_NONE, /* linked statically: nothing can be loaded into the program */
	LOADER_OURS, /* of the C library that libhookit needs, or an unknown one */
	LOADER_MUSL,
};

struct compiled {
	enum compiled_loader loader;
	bool instrumented; /* -finstrument-functions */
	bool fentry;       /* -pg -mfentry */
	bool returns;      /* … with -minstrument-return=call */
	bool patchable;    /* -fpatchable-function-entry */
	bool xray;         /* -fxray-instrument */
	bool linked;       /* linked with libhookit, which need not be loaded then */
};

/* Returns false if the file is not a program of this machine (a script, for example), or is
 * damaged: then `why` says where. */
bool compiled_read(const char *path, struct compiled *c, char *why, size_t size);
/* Returns why libhookit cannot be loaded into the program, or NULL if no reason is known. */
const char *compiled_cannot(const struct compiled *c);
/* Returns the compiler options for a message, or NULL if calls cannot be measured. */
const char *compiled_words(const struct compiled *c);

#endif
