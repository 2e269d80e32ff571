/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbols in the text of a Java program's profile (gperftools.c), and their new address layout
 * (gperftools_java.c). */
#ifndef POST_GPERFTOOLS_H
#define POST_GPERFTOOLS_H

#include "base/blob.h"
#include "record/input.h"

#define JAVA_MODULE "java"
#define JAVA_BASE   (1ull << 40)

struct java_place {
	uint64_t address; /* in the profile */
	uint64_t at;      /* in the new layout */
	char *name;
};

struct java {
	struct java_place *place;
	uint32_t n, room;
	struct blob symbols; /* saved symbols of JAVA_MODULE, at JAVA_BASE */
};

/* Parses a line of the text. Returns 1: a symbol; 0: another line; -ENOMEM. */
int java_line(struct java *j, const char *line);
/* Call after all lines. Returns 0 or -ENOMEM. */
int java_lay_out(struct java *j);
uint64_t java_size(const struct java *j);
/* Returns the address in the new layout; one without a symbol is unchanged. */
uint64_t java_address(const struct java *j, uint64_t pc);
void java_free(struct java *j);

#endif
