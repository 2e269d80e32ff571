/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers with units as people type them: 5ms, 512k, 64M. Each function parses the whole text: a
 * sign, trailing characters and values that do not fit 64 bits are refused.
 */
#ifndef COMMON_UNITS_H
#define COMMON_UNITS_H

#include <stdbool.h>
#include <stdint.h>

bool unit_count(const char *text, uint64_t *count); /* 997, 10k, 2M: powers of 1000; 0x80 */
bool unit_size(const char *text, uint64_t *bytes);  /* 512k, 64M, 1GiB: powers of 1024 */
/* 5ms, 1.5s, 2m, 1h; seconds without a unit. */
bool unit_time(const char *text, uint64_t *ns);
bool unit_percent(const char *text, double *percent); /* 0.5, 0.5% */

#endif
