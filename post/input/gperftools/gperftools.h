/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbols in the text of a Java program's profile (gperftools.c), and their new layout
 * (gperftools_java.c). */
#ifndef POST_GPERFTOOLS_H
#define POST_GPERFTOOLS_H

#include "base/blob.h"
#include "record/input.h"

#define JAVA_MODULE "java"
#define JAVA_BASE   (1ull << 40)

struct java_place {
	uint64_t address; /* in the profile */
	uint64_t at;      /* as it is laid out */
	char *name;
};

struct java {
	struct java_place *place;
	uint32_t n, room;
	struct blob symbols; /* saved symbols of JAVA_MODULE, at JAVA_BASE */
};

/* Takes a line of the text: 1: it was a symbol; 0: it was not; -ENOMEM. */
int java_line(struct java *j, const char *line);
/* After all lines. 0 or -ENOMEM. */
int java_lay_out(struct java *j);
uint64_t java_size(const struct java *j);
/* The address in the new layout; one without a symbol stays as it is. */
uint64_t java_address(const struct java *j, uint64_t pc);
void java_free(struct java *j);

#endif
