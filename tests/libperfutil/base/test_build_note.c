// SPDX-License-Identifier: GPL-3.0-or-later
/* The build id among notes: behind others of each length, aligned to 4 and 8; ids of each size;
 * notes that are cut. */
#include "base/build_note.h"
#include "unit.h"

static uint8_t notes[512];
static size_t used;

static void number(uint32_t v)
{
	memcpy(notes + used, &v, sizeof(v));
	used += sizeof(v);
}

static void note(uint32_t type, const char *name, size_t name_size, size_t size, size_t align)
{
	number((uint32_t)name_size);
	number((uint32_t)size);
	number(type);
	memcpy(notes + used, name, name_size);
	used += name_size;
	used += (align - used % align) % align;
	for (size_t i = 0; i < size; i++)
		notes[used++] = (uint8_t)(i + 1);
	used += (align - used % align) % align;
}

static void begin(void)
{
	memset(notes, 0xee, sizeof(notes));
	used = 0;
}

static const uint8_t *look(size_t size, size_t align, uint32_t *id_size)
{
	return build_note(bytes_of(notes, size), align, 20, id_size);
}

static void behind_others(void)
{
	static const char name[] = "abcdefghij";
	uint32_t size;

	for (size_t align = 4; align <= 8; align += 4) {
		for (size_t n = 0; n <= 9; n++) {
			for (size_t d = 0; d <= 9; d++) {
				const uint8_t *id;

				begin();
				note(7, name, n, d, align);
				note(NT_GNU_BUILD_ID, "GNU", 4, 20, align);
				id = look(used, align, &size);
				CU_ASSERT(id && size == 20 && id[0] == 1 && id[19] == 20);
			}
		}
	}
}

static void sizes(void)
{
	for (uint32_t n = 0; n <= 22; n++) {
		const uint8_t *id;
		uint32_t size;

		begin();
		note(NT_GNU_BUILD_ID, "GNU", 4, n, 4);
		id = look(used, 4, &size);
		CU_ASSERT_EQUAL(id != NULL, n >= 1 && n <= 20);
		CU_ASSERT(!id || (size == n && id[n - 1] == n));
		/* Only the padding of the last note may be missing. */
		if (!id)
			continue;
		CU_ASSERT_PTR_EQUAL(look(16 + n, 4, &size), id);
		CU_ASSERT_PTR_NULL(look(16 + n - 1, 4, &size));
	}
}

/* A note of another type or another owner is not a build id. */
static void not_it(void)
{
	uint32_t size;

	begin();
	note(NT_GNU_BUILD_ID + 1, "GNU", 4, 20, 4);
	note(NT_GNU_BUILD_ID, "GNV", 4, 20, 4);
	note(NT_GNU_BUILD_ID, "GNU\0", 5, 20, 4);
	note(NT_GNU_BUILD_ID, "GN", 3, 20, 4);
	CU_ASSERT_PTR_NULL(look(used, 4, &size));
	CU_ASSERT_PTR_NULL(look(0, 4, &size));
	note(NT_GNU_BUILD_ID, "GNU", 4, 3, 4);
	CU_ASSERT(look(used, 4, &size) && size == 3);
	/* More than there is. */
	begin();
	number(UINT32_MAX);
	number(20);
	number(NT_GNU_BUILD_ID);
	CU_ASSERT_PTR_NULL(look(sizeof(notes), 4, &size));
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "behind_others", behind_others },
		{ "sizes", sizes },
		{ "not_it", not_it },
		{ NULL, NULL },
	};

	return unit_run("build_note", tests);
}
