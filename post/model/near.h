/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Suggestions for a name that matches nothing: names with similar spelling, and those with the most
 * ticks. */
#ifndef POST_NEAR_H
#define POST_NEAR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define NEAR_NAMES 5

struct near {
	const char *wanted; /* patterns separated by commas */
	struct near_name {
		const char *name;
		uint64_t ticks;
		uint32_t apart;
	} best[NEAR_NAMES];
	uint32_t count;
};

/* Adds a name, which must outlive the struct; the same name again adds its ticks. */
void near_offer(struct near *x, const char *name, uint64_t ticks);
/* Prints "hot, hotter 12", the nearest first; with `alike` only similar names. false: none. */
bool near_print(const struct near *x, FILE *out, bool alike);

#endif
