/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of hdump, and its reports. Each returns 0, or an exit code after a message. */
#ifndef HDUMP_H
#define HDUMP_H

#include <stdio.h>

#include "form.h"
#include "heap.h"
#include "output.h"

#define EXIT_DAMAGED 1 /* a dump is damaged: the readable part was shown */
#define EXIT_HDUMP   2

enum heap_what {
	SHOW_CLASSES,
	SHOW_BIGGEST,
	SHOW_DOMINATORS,
	SHOW_PATHS,
	SHOW_DIFFERENCE,
	SHOW_REVERSE,
	SHOW_SUSPECTS,
	SHOW_STRINGS,
	SHOW_PPROF,
};

struct hdump {
	enum heap_what what;
	enum form form;
	const char *id_text;
	uint64_t id;
	uint64_t rows; /* at most; HDUMP_ROWS: the default of the output format */
	const char *file;
	bool quiet;
	char **paths;
	int count;
	FILE *out; /* see hdump_begin() */
	struct output output;
	bool damaged;
};

#define HDUMP_ROWS UINT64_MAX

/* ---- read_dump.c ---- */

/* Opens a dump and reads as much as `depth` says; prints messages. */
enum depth { READ_OBJECTS, READ_GRAPH, READ_DOMINATORS, READ_CLASSES };
int hdump_read(struct hdump *o, struct heap *h, const char *path, enum depth depth,
	       unsigned int more);
/* Prints where and why reading ended early, if it did; hdump_read() does so for its passes. */
void hdump_report(struct hdump *o, const struct heap *h, const char *path);
/* Opens the output, once everything that it needs was read: a dump that is refused leaves no file,
 * and an older one in its place. Returns 0, or EXIT_HDUMP after a message. */
int hdump_begin(struct hdump *o);
/* Prints the message of a failure and returns EXIT_HDUMP. */
int hdump_failed(const struct heap *h, const char *path, int rc);
/* Returns how many of `all` rows are shown. */
uint64_t hdump_rows(const struct hdump *o, uint64_t all);

/* ---- the reports ---- */

int show_classes(struct hdump *o);
int show_difference(struct hdump *o);
int show_suspects(struct hdump *o);
int show_biggest(struct hdump *o);
int show_dominators(struct hdump *o);
int show_pprof(struct hdump *o);
int show_paths(struct hdump *o);
int show_strings(struct hdump *o);

#endif
