/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What can be done on this machine, by this user, now. */
#ifndef PITRACE_HERE_H
#define PITRACE_HERE_H

#include <stdbool.h>
#include <stdio.h>

#include "commands.h"

struct here {
	const char *process, *system; /* the collectors that serve; NULL: none */
	bool module, java;
};

void here_look(struct here *h);

/* Why the sub-command cannot work here; NULL: it can. */
const char *here_lacks(const struct here *h, const struct front_command *c);

/* One or two sentences on stdout: which collector serves, and where to read what is missing. */
void here_print(const struct here *h, FILE *out);

/* Is there a program of this name? */
bool here_in_path(const char *name);

#endif
