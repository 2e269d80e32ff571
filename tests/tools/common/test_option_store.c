/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of options, each kind and size: what is stored, its bounds, the words of refusals. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "complain.h"
#include "cpus.h"
#include "option_store.h"
#include "unit.h"

static char said[512];
static const char *online; /* NULL: this kernel does not say */

void __wrap_complain(const char *format, ...);
void __wrap_complain(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(said, sizeof(said), format, list);
	va_end(list);
}

bool __wrap_cpus_online(const char *root, struct cpus *c);
bool __wrap_cpus_online(const char *root, struct cpus *c)
{
	CU_ASSERT_STRING_EQUAL(root, "");
	return online && !cpus_of(online, c);
}

static bool store(option_store *how, const struct option_row *row, const char *text, void *to)
{
	const struct option_given given = { .row = row, .name = "-o", .text = (char *)text };

	*said = 0;
	return how(&given, to);
}

#define REFUSES(how, row, text, to, words)                  \
	do {                                                \
		CU_ASSERT_FALSE(store(how, row, text, to)); \
		CU_ASSERT_STRING_EQUAL(said, "-o: " words); \
	} while (0)

/* Only the bytes of a value of this size change. */
static void sizes(void)
{
	for (size_t size = 1; size <= 8; size *= 2) {
		const struct option_row row = { .size = size, .value = 0x1122334455667788 };
		const struct option_row odd = { .size = 3, .value = 1 };
		uint8_t to[16];

		memset(to, 0xee, sizeof(to));
		CU_ASSERT_TRUE(store(option_assign, &row, NULL, to));
		for (size_t i = 0; i < sizeof(to); i++)
			CU_ASSERT_EQUAL(to[i], i < size ? 0x88 - 0x11 * i : 0xee);
		CU_ASSERT_TRUE(store(option_assign, &odd, NULL, to));
		CU_ASSERT_EQUAL(to[0], 0x88);
	}
}

static void flags(void)
{
	uint32_t four[2] = { 0x10, 0x77 };
	uint64_t eight = 0x8000000000000010;
	bool set[2] = { false, false };

	CU_ASSERT_TRUE(
		store(option_flags, &(struct option_row){ .size = 4, .value = 6 }, NULL, four));
	CU_ASSERT(four[0] == 0x16 && four[1] == 0x77);
	CU_ASSERT_TRUE(
		store(option_flags, &(struct option_row){ .size = 8, .value = 6 }, NULL, &eight));
	CU_ASSERT_EQUAL(eight, 0x8000000000000016);
	CU_ASSERT_TRUE(store(option_set, &(struct option_row){ .size = 1 }, NULL, set));
	CU_ASSERT(set[0] && !set[1]);
}

static void texts(void)
{
	const struct option_row row = { .size = sizeof(char *) };
	const char *to = NULL;

	CU_ASSERT(store(option_text, &row, "", &to) && !strcmp(to, ""));
	CU_ASSERT(store(option_file, &row, "--", &to) && !strcmp(to, "--"));
	CU_ASSERT(store(option_file, &row, "-a", &to) && !strcmp(to, "-a"));
	REFUSES(option_file, &row, "-", &to,
		"'-' is not a file's name: a trace goes to a file, not to standard output");
	REFUSES(option_file, &row, "", &to,
		"'' is not a file's name: a trace goes to a file, not to standard output");
	CU_ASSERT_STRING_EQUAL(to, "-a");
}

/* As large as the value is, unless the row says how large. */
static void numbers(void)
{
	static const struct {
		size_t size;
		const char *most, *more, *words;
	} cases[] = {
		{ 1, "255", "256",
		  "-o: invalid number '256': expected a whole number from 0 to 255" },
		{ 2, "0xffff", "0x10000",
		  "-o: invalid number '0x10000': expected a whole number from 0 to 65535" },
		{ 4, "4294967295", "4294967296",
		  "-o: invalid number '4294967296': expected a whole number from 0 to 4294967295" },
		{ 8, "18446744073709551615", "18446744073709551616",
		  "-o: invalid number '18446744073709551616': expected a whole number of at least 0" },
	};
	const struct option_row some = { .size = 4, .least = 5, .most = 7 };
	const struct option_row at_least = { .size = 8, .least = 5 };
	uint64_t n = 0;
	uint32_t four;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct option_row row = { .size = cases[i].size };

		n = 0;
		CU_ASSERT_TRUE(store(option_number, &row, cases[i].most, &n));
		CU_ASSERT_EQUAL(n, UINT64_MAX >> (64 - 8 * cases[i].size));
		CU_ASSERT_FALSE(store(option_number, &row, cases[i].more, &n));
		CU_ASSERT_STRING_EQUAL(said, cases[i].words);
		CU_ASSERT_EQUAL(n, UINT64_MAX >> (64 - 8 * cases[i].size));
	}
	CU_ASSERT(store(option_number, &some, "5", &four) && four == 5);
	CU_ASSERT(store(option_number, &some, "7", &four) && four == 7);
	REFUSES(option_number, &some, "4", &four,
		"invalid number '4': expected a whole number from 5 to 7");
	REFUSES(option_number, &some, "8", &four,
		"invalid number '8': expected a whole number from 5 to 7");
	REFUSES(option_number, &some, "6x", &four,
		"invalid number '6x': expected a whole number from 5 to 7");
	CU_ASSERT_EQUAL(four, 7);
	REFUSES(option_number, &at_least, "4", &n,
		"invalid number '4': expected a whole number of at least 5");
}

static void durations(void)
{
	const struct option_row any = { .size = 8 };
	const struct option_row one = { .size = 8, .least = 1 };
	const struct option_row two = { .size = 8, .least = 2 };
	const struct option_row two_to_nine = { .size = 8, .least = 2, .most = 9 };
	const struct option_row least = { .size = 8, .least = 2000000 };
	const struct option_row both = { .size = 8, .least = 1500, .most = 7200000000000 };
	const struct option_row seconds = { .size = 8, .least = 61000000000, .most = 90000000000 };
	uint64_t ns;

	CU_ASSERT(store(option_duration, &any, "0", &ns) && ns == 0);
	CU_ASSERT(store(option_duration, &any, "2305843009213693951ns", &ns) &&
		  ns == INT64_MAX / 4);
	REFUSES(option_duration, &any, "2305843009213693952ns", &ns,
		"invalid duration '2305843009213693952ns': expected seconds or a unit, like 5, 500ms or 2m");
	REFUSES(option_duration, &one, "0", &ns,
		"invalid duration '0': expected seconds or a unit, like 5, 500ms or 2m");
	REFUSES(option_duration, &two, "1ns", &ns, "invalid duration '1ns': expected at least 2ns");
	REFUSES(option_duration, &two_to_nine, "10ns", &ns,
		"invalid duration '10ns': expected 2ns to 9ns");
	CU_ASSERT(store(option_duration, &two_to_nine, "9ns", &ns) && ns == 9);
	CU_ASSERT(store(option_duration, &least, "2ms", &ns) && ns == 2000000);
	REFUSES(option_duration, &least, "1.999ms", &ns,
		"invalid duration '1.999ms': expected at least 2ms");
	CU_ASSERT(store(option_duration, &both, "1500ns", &ns) && ns == 1500);
	CU_ASSERT(store(option_duration, &both, "2h", &ns) && ns == 7200000000000);
	REFUSES(option_duration, &both, "121m", &ns,
		"invalid duration '121m': expected 1500ns to 2h");
	REFUSES(option_duration, &seconds, "60", &ns, "invalid duration '60': expected 61s to 90s");
}

static void lengths(void)
{
	const struct option_row mb = { .size = 8, .value = 1 << 20 };
	const struct option_row kb = { .size = 8, .value = 1 << 10 };
	uint64_t n;

	CU_ASSERT(store(option_size, &mb, "3", &n) && n == 3 << 20);
	CU_ASSERT(store(option_size, &kb, "3", &n) && n == 3 << 10);
	CU_ASSERT(store(option_size, &mb, "512k", &n) && n == 512 << 10);
	CU_ASSERT(store(option_size, &mb, "4294967295", &n) && n == 4294967295ull << 20);
	CU_ASSERT(store(option_size, &mb, "4294967296", &n) && n == 4294967296);
	REFUSES(option_size, &mb, "0", &n,
		"invalid size '0': expected a number of MB or a unit, like 512k or 64M");
	REFUSES(option_size, &kb, "0k", &n,
		"invalid size '0k': expected a number of KB or a unit, like 512k or 64M");
	REFUSES(option_size, &kb, "x", &n,
		"invalid size 'x': expected a number of KB or a unit, like 512k or 64M");
}

static bool are(const struct cpus *c, const char *list)
{
	struct cpus want;

	return !cpus_of(list, &want) && !memcmp(c, &want, sizeof(want));
}

static void cpu_lists(void)
{
	const struct option_row any = { .size = sizeof(struct cpus) };
	const struct option_row here = { .size = sizeof(struct cpus), .value = 1 };
	struct cpus c;

	online = "0-3,8191";
	CU_ASSERT(store(option_cpus, &here, "all", &c) && are(&c, "0-3,8191"));
	CU_ASSERT(store(option_cpus, &here, "1,3", &c) && are(&c, "1,3"));
	CU_ASSERT(store(option_cpus, &here, "8191", &c) && are(&c, "8191"));
	CU_ASSERT(store(option_cpus, &any, "4-6", &c) && are(&c, "4-6"));
	REFUSES(option_cpus, &here, "3-4", &c, "CPU 4 is not online");
	REFUSES(option_cpus, &here, "8190,8191", &c, "CPU 8190 is not online");
	REFUSES(option_cpus, &any, "1-", &c,
		"invalid list of CPUs '1-': expected numbers like 0,2-5, or all");
	REFUSES(option_cpus, &any, "0,5-4", &c,
		"invalid list of CPUs '0,5-4': a range ends before it begins");
	REFUSES(option_cpus, &here, "", &c,
		"invalid list of CPUs '': expected numbers like 0,2-5, or all");
	/* One there is for certain. */
	online = NULL;
	CU_ASSERT(store(option_cpus, &here, "all", &c) && are(&c, "0"));
	REFUSES(option_cpus, &here, "1", &c, "CPU 1 is not online");
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "sizes", sizes },         { "flags", flags },
		{ "texts", texts },         { "numbers", numbers },
		{ "durations", durations }, { "lengths", lengths },
		{ "cpu_lists", cpu_lists }, { NULL, NULL },
	};

	return unit_run("option_store", tests);
}
