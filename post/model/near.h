/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a name that nothing has may have meant: those that are spelt like it, and what has the most
 * ticks. */
#ifndef POST_NEAR_H
#define POST_NEAR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define NEAR_NAMES 5

struct near {
	const char *wanted; /* patterns may have commas between */
	struct near_name {
		const char *name;
		uint64_t ticks;
		uint32_t apart;
	} best[NEAR_NAMES];
	uint32_t count;
};

/* One more name, which must live on; the same again adds its ticks. */
void near_offer(struct near *x, const char *name, uint64_t ticks);
/* "hot, hotter 12": the nearest first; only those that are like it with alike. Nothing: false. */
bool near_print(const struct near *x, FILE *out, bool alike);

#endif
