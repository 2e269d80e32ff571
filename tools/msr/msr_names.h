/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Architectural registers by name: a vendor's manual guarantees them for future processors. */
#ifndef MSR_NAMES_H
#define MSR_NAMES_H

#include <stdbool.h>
#include <stdint.h>

struct msr_name {
	uint32_t number;
	const char *name, *vendor, *what;
};
/* Sorted by number; ends with a name of NULL. */
extern const struct msr_name msr_names[];

/* Parses a number (0x… or decimal) or a name of any case. Returns false for anything else. */
bool msr_number(const char *text, uint32_t *number);
/* Returns NULL if the register is not in the list. */
const char *msr_name(uint32_t number);
/* Parses 64 bits, 0x… or decimal. */
bool msr_value(const char *text, uint64_t *value);
/* Parses HI:LO, or a single bit's number. */
bool msr_bits(const char *text, unsigned int *high, unsigned int *low);
uint64_t msr_field(uint64_t value, unsigned int high, unsigned int low);

#endif
