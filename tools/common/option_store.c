/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses and stores option values that several programs share. */
#include "option_store.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "complain.h"
#include "cpus.h"
#include "units.h"

/* Durations are added to clock readings: a sum of a few must not overflow. */
#define DURATION_MOST (INT64_MAX / 4)

static void store(const struct option_row *row, void *to, uint64_t n)
{
	switch (row->size) {
	case 1:
		*(uint8_t *)to = (uint8_t)n;
		break;
	case 2:
		*(uint16_t *)to = (uint16_t)n;
		break;
	case 4:
		*(uint32_t *)to = (uint32_t)n;
		break;
	case 8:
		*(uint64_t *)to = n;
		break;
	}
}

bool option_set(const struct option_given *given, void *to)
{
	(void)given;
	*(bool *)to = true;
	return true;
}

bool option_assign(const struct option_given *given, void *to)
{
	store(given->row, to, given->row->value);
	return true;
}

bool option_flags(const struct option_given *given, void *to)
{
	uint64_t old = given->row->size == 8 ? *(uint64_t *)to : *(uint32_t *)to;

	store(given->row, to, old | given->row->value);
	return true;
}

bool option_text(const struct option_given *given, void *to)
{
	*(const char **)to = given->text;
	return true;
}

bool option_file(const struct option_given *given, void *to)
{
	if (*given->text && strcmp(given->text, "-") != 0)
		return option_text(given, to);
	complain("%s: '%s' is not a file's name: a trace goes to a file, not to standard output",
		 given->name, given->text);
	return false;
}

bool number_of(const char *what, const char *text, uint64_t least, uint64_t most, uint64_t *n)
{
	if (unit_count(text, n) && *n >= least && *n <= most)
		return true;
	if (most == UINT64_MAX)
		complain("%s: invalid number '%s': expected a whole number of at least %" PRIu64,
			 what, text, least);
	else
		complain("%s: invalid number '%s': expected a whole number from %" PRIu64
			 " to %" PRIu64,
			 what, text, least, most);
	return false;
}

bool option_number(const struct option_given *given, void *to)
{
	const struct option_row *row = given->row;
	uint64_t n, most = row->size < 8 ? (1ull << 8 * row->size) - 1 : UINT64_MAX;

	if (row->most)
		most = row->most;
	if (!number_of(given->name, given->text, row->least, most, &n))
		return false;
	store(row, to, n);
	return true;
}

/* Prints a duration in the largest unit that divides it: 1ms, 24h. */
static const char *in_words(uint64_t ns, char out[32])
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = {
		{ 3600000000000, "h" },
		{ 1000000000, "s" },
		{ 1000000, "ms" },
		{ 1, "ns" },
	};
	size_t i = 0;

	while (ns % units[i].ns)
		i++;
	snprintf(out, 32, "%" PRIu64 "%s", ns / units[i].ns, units[i].name);
	return out;
}

bool duration_of(const char *what, const char *text, uint64_t least, uint64_t most, uint64_t *ns)
{
	char from[32], to[32];

	if (unit_time(text, ns) && *ns >= least && *ns <= (most ? most : DURATION_MOST))
		return true;
	if (least > 1 && most)
		complain("%s: invalid duration '%s': expected %s to %s", what, text,
			 in_words(least, from), in_words(most, to));
	else if (least > 1)
		complain("%s: invalid duration '%s': expected at least %s", what, text,
			 in_words(least, from));
	else
		complain("%s: invalid duration '%s': expected seconds or a unit, like 5, 500ms or 2m",
			 what, text);
	return false;
}

bool option_duration(const struct option_given *given, void *to)
{
	return duration_of(given->name, given->text, given->row->least, given->row->most, to);
}

bool option_size(const struct option_given *given, void *to)
{
	const char *text = given->text;
	uint64_t n, unit = given->row->value;

	if (unit_count(text, &n) && n && n <= UINT32_MAX && !text[strspn(text, "0123456789")]) {
		*(uint64_t *)to = n * unit;
		return true;
	}
	if (unit_size(text, to) && *(uint64_t *)to)
		return true;
	complain("%s: invalid size '%s': expected a number of %s or a unit, like 512k or 64M",
		 given->name, text, unit == 1 << 10 ? "KB" : "MB");
	return false;
}

bool option_cpus(const struct option_given *given, void *to)
{
	struct cpus online, *cpus = to;
	int rc;

	if (!cpus_online("", &online))
		cpus_of("0", &online);
	if (!strcmp(given->text, "all")) {
		*cpus = online;
		return true;
	}
	rc = cpus_of(given->text, cpus);
	if (rc) {
		complain("%s: invalid list of CPUs '%s': %s", given->name, given->text,
			 rc == -ERANGE ? "a range ends before it begins" :
					 "expected numbers like 0,2-5, or all");
		return false;
	}
	for (unsigned int cpu = 0; cpu < CPUS_MAX && given->row->value; cpu++)
		if (cpus_has(cpus, cpu) && !cpus_has(&online, cpu)) {
			complain("%s: CPU %u is not online", given->name, cpu);
			return false;
		}
	return true;
}
