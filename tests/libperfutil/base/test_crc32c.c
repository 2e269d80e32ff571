/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CRC32C: known answers, and both ways of computing it against each other. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/crc32c.h"
#include "unit.h"

/* RFC 3720 B.4, and the usual check value. */
static void vectors(uint32_t (*crc)(uint32_t, const void *, size_t))
{
	uint8_t b[32];

	CU_ASSERT_EQUAL(crc(0, "123456789", 9), 0xE3069283);
	CU_ASSERT_EQUAL(crc(0, "", 0), 0);
	memset(b, 0, sizeof(b));
	CU_ASSERT_EQUAL(crc(0, b, 32), 0x8A9136AA);
	memset(b, 0xFF, sizeof(b));
	CU_ASSERT_EQUAL(crc(0, b, 32), 0x62A8AB43);
	for (int i = 0; i < 32; i++)
		b[i] = (uint8_t)i;
	CU_ASSERT_EQUAL(crc(0, b, 32), 0x46DD794E);
	for (int i = 0; i < 32; i++)
		b[i] = (uint8_t)(31 - i);
	CU_ASSERT_EQUAL(crc(0, b, 32), 0x113FDB5C);
}

static void cpu_vectors(void)
{
	printf("# method: %s\n", crc32c_method());
	vectors(crc32c);
}

static void table_vectors(void)
{
	vectors(crc32c_table);
}

static void same_at_all_lengths_and_places(void)
{
	uint8_t b[300];

	for (size_t i = 0; i < sizeof(b); i++)
		b[i] = (uint8_t)(i * 131 + 7);
	for (size_t from = 0; from < 17; from++)
		for (size_t n = 0; n + from <= sizeof(b); n++)
			if (crc32c(0, b + from, n) != crc32c_table(0, b + from, n))
				CU_FAIL("differ");
}

static void parts_make_the_whole(void)
{
	uint8_t b[200];
	uint32_t whole;

	memset(b, 0x5A, sizeof(b));
	whole = crc32c(0, b, sizeof(b));
	for (size_t n = 0; n <= sizeof(b); n++) {
		CU_ASSERT_EQUAL(crc32c(crc32c(0, b, n), b + n, sizeof(b) - n), whole);
		CU_ASSERT_EQUAL(crc32c_table(crc32c_table(0, b, n), b + n, sizeof(b) - n), whole);
	}
}

static const struct unit_test tests[] = {
	{ "cpu_vectors", cpu_vectors },
	{ "table_vectors", table_vectors },
	{ "same_at_all_lengths_and_places", same_at_all_lengths_and_places },
	{ "parts_make_the_whole", parts_make_the_whole },
	{ 0 },
};

int main(void)
{
	return unit_run("crc32c", tests);
}
