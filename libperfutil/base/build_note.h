/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The GNU build id among ELF notes. (The timer library, which is loaded into programs, has its own:
 * it depends on nothing else here.) */
#ifndef PITRACE_BUILD_NOTE_H
#define PITRACE_BUILD_NOTE_H

#include <elf.h>
#include <string.h>

#include "base/cursor.h"

static inline void build_note_align(struct bytes *b, size_t align)
{
	size_t pad = (align - b->at % align) % align;

	/* After the last note the padding may be missing. */
	bytes_skip(b, pad < bytes_left(b) ? pad : bytes_left(b));
}

/* Returns its bytes, 1 to `most` of them; NULL: there is none, or the notes end within one.
 * Descriptions are aligned to 4 bytes, or to 8 if the segment is. */
static inline const uint8_t *build_note(struct bytes b, size_t align, uint32_t most, uint32_t *size)
{
	while (bytes_left(&b)) {
		uint32_t name_size = bytes_u32(&b), type;
		const uint8_t *id;
		const char *name;

		*size = bytes_u32(&b);
		type = bytes_u32(&b);
		name = bytes_take(&b, name_size);
		build_note_align(&b, align);
		id = bytes_take(&b, *size);
		if (b.bad)
			return NULL;
		if (type == NT_GNU_BUILD_ID && name_size == 4 && !memcmp(name, "GNU", 4) && *size &&
		    *size <= most)
			return id;
		build_note_align(&b, align);
	}
	return NULL;
}

#endif
