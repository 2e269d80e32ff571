/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Architectural registers by name: those that a vendor's manual promises for future processors. */
#ifndef MSR_NAMES_H
#define MSR_NAMES_H

#include <stdbool.h>
#include <stdint.h>

struct msr_name {
	uint32_t number;
	const char *name, *vendor, *what;
};
/* By rising numbers; ends with a name of NULL. */
extern const struct msr_name msr_names[];

/* A number (0x… or decimal) or a name, in capitals or not; false: neither. */
bool msr_number(const char *text, uint32_t *number);
/* NULL: none of the list. */
const char *msr_name(uint32_t number);
/* 64 bits, 0x… or decimal. */
bool msr_value(const char *text, uint64_t *value);
/* HI:LO, or one bit. */
bool msr_bits(const char *text, unsigned int *high, unsigned int *low);
uint64_t msr_field(uint64_t value, unsigned int high, unsigned int low);

#endif
