/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the user asked for: filled by main.c, read by whoever it concerns. */
#ifndef POST_OPTIONS_H
#define POST_OPTIONS_H

#include "model/names.h"

struct options {
	const char *input;
	const char *output;		/* NULL: the report's own default */
	const char *kernel_map;
	struct names_options names;
	double clip;			/* percent: lines below are left out */
	bool per_cpu, offsets;
	bool show, json, csv;
	bool verbose, quiet;
};

#endif
