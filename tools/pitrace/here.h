/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds out what this user can do on this machine now. */
#ifndef PITRACE_HERE_H
#define PITRACE_HERE_H

#include <stdbool.h>
#include <stdio.h>

#include "commands.h"

struct here {
	const char *process, *system; /* the collectors for each scope; NULL: none */
	bool module, java;
};

void here_look(struct here *h);

/* Returns why the sub-command cannot work here, or NULL if it can. */
const char *here_lacks(const struct here *h, const struct front_command *c);

/* Prints which collector serves, and how to find out what is missing. */
void here_print(const struct here *h, FILE *out);

/* Returns whether PATH has a program of this name. */
bool here_in_path(const char *name);

#endif
