/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a program was compiled with, so that its calls can be seen: read from its file. */
#ifndef COMPILED_H
#define COMPILED_H

#include <stdbool.h>
#include <stddef.h>

struct compiled {
	bool instrumented; /* -finstrument-functions */
	bool fentry;       /* -pg -mfentry */
	bool returns;      /* … with -minstrument-return=call */
	bool patchable;    /* -fpatchable-function-entry */
	bool xray;         /* -fxray-instrument */
	bool linked;       /* with libhookit: it need not be loaded */
};

/* false: it is no program of this machine (a script is none), or *why: damaged, and where. */
bool compiled_read(const char *path, struct compiled *c, char *why, size_t size);
/* In words, for a message; NULL: nothing from which calls could be seen. */
const char *compiled_words(const struct compiled *c);

#endif
