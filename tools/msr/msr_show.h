/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of one register, CPU by CPU, as text, JSON or CSV. */
#ifndef MSR_SHOW_H
#define MSR_SHOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct msr_result {
	unsigned int cpu;
	bool wrote, have; /* the value was written; `value` was read (after the write) */
	uint64_t value;
	char why[400]; /* what failed, or "" */
};
struct msr_report {
	uint32_t reg;
	bool bits; /* also show a bit field */
	unsigned int high, low;
	bool write;
	uint64_t written; /* what was to be written */
	struct msr_result *result;
	size_t n;
};

/* Print values on stdout. The text and CSV formats print failures on stderr. */
void msr_show_text(const struct msr_report *r);
void msr_show_json(const struct msr_report *r);
void msr_show_csv(const struct msr_report *r);
/* Prints the list of names. */
void msr_show_names(void);

#endif
