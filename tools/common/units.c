/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses numbers with units: one parser for "digits[.digits]unit", one table of units per kind. */
#include "units.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit counts[] = {
	{ "", 1 }, { "k", 1000 }, { "m", 1000000 }, { "g", 1000000000 }, { NULL, 0 },
};

static const struct unit sizes[] = {
	{ "", 1 },
	{ "b", 1 },
	{ "k", 1ull << 10 },
	{ "kb", 1ull << 10 },
	{ "kib", 1ull << 10 },
	{ "m", 1ull << 20 },
	{ "mb", 1ull << 20 },
	{ "mib", 1ull << 20 },
	{ "g", 1ull << 30 },
	{ "gb", 1ull << 30 },
	{ "gib", 1ull << 30 },
	{ "t", 1ull << 40 },
	{ "tb", 1ull << 40 },
	{ "tib", 1ull << 40 },
	{ NULL, 0 },
};

static const struct unit times[] = {
	{ "", 1000000000ull },
	{ "ns", 1 },
	{ "us", 1000 },
	{ "µs", 1000 },
	{ "ms", 1000000 },
	{ "s", 1000000000ull },
	{ "sec", 1000000000ull },
	{ "m", 60000000000ull },
	{ "min", 60000000000ull },
	{ "h", 3600000000000ull },
	{ NULL, 0 },
};

static bool parse(const char *text, const struct unit *unit, uint64_t *value)
{
	uint64_t whole = 0, part = 0, scale = 1;
	const char *p = text;

	if (!isdigit((unsigned char)*p))
		return false;
	for (; isdigit((unsigned char)*p); p++) {
		if (__builtin_mul_overflow(whole, 10, &whole) ||
		    __builtin_add_overflow(whole, (uint64_t)(*p - '0'), &whole))
			return false;
	}
	if (*p == '.') {
		p++;
		if (!isdigit((unsigned char)*p))
			return false;
		for (; isdigit((unsigned char)*p); p++) {
			if (scale == 1000000) /* finer than needed: ignored */
				continue;
			part = part * 10 + (uint64_t)(*p - '0');
			scale *= 10;
		}
	}
	for (; unit->name; unit++) {
		if (strcasecmp(unit->name, p) != 0)
			continue;
		if (__builtin_mul_overflow(whole, unit->factor, &whole))
			return false;
		return !__builtin_add_overflow(whole,
					       (uint64_t)((unsigned __int128)unit->factor * part /
							  scale),
					       value);
	}
	return false;
}

/* Reports print some numbers as hexadecimal, so users may enter them like that, too. */
static bool parse_hex(const char *digits, uint64_t *value)
{
	if (!*digits || digits[strspn(digits, "0123456789abcdefABCDEF")])
		return false;
	errno = 0;
	*value = strtoull(digits, NULL, 16);
	return !errno;
}

bool unit_count(const char *text, uint64_t *count)
{
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return parse_hex(text + 2, count);
	return parse(text, counts, count);
}

bool unit_size(const char *text, uint64_t *bytes)
{
	return parse(text, sizes, bytes);
}

bool unit_time(const char *text, uint64_t *ns)
{
	return parse(text, times, ns);
}

bool unit_percent(const char *text, double *percent)
{
	char *end;

	if (!isdigit((unsigned char)*text) && *text != '.')
		return false;
	errno = 0;
	*percent = strtod(text, &end);
	if (end == text || errno)
		return false;
	if (*end == '%')
		end++;
	return *end == '\0' && *percent >= 0 && *percent <= 100;
}
