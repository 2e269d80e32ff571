/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading perf maps, for programs whose structs have another size: base/sized.h. */
#include <perfmap.h>
#include "base/sized.h"

#undef perfmap_next
#undef perfmap_fault
#undef perfmap_open_part

int perfmap_next_sized(struct perfmap *m, struct perfmap_entry *entry, size_t size)
{
	struct perfmap_entry own;
	int rc = whole_perfmap_next(m, sized_place(entry, size, &own, sizeof(own)));

	if (rc > 0)
		sized_give(entry, size, &own, sizeof(own));
	return rc;
}

FIRST(int, perfmap_next, struct perfmap *m, struct perfmap_entry *entry)
{
	return perfmap_next_sized(m, entry, UP_TO(struct perfmap_entry, line));
}

void perfmap_fault_sized(const struct perfmap *m, struct perfmap_fault *fault, size_t size)
{
	struct perfmap_fault own;

	whole_perfmap_fault(m, sized_place(fault, size, &own, sizeof(own)));
	sized_give(fault, size, &own, sizeof(own));
}

FIRST(void, perfmap_fault, const struct perfmap *m, struct perfmap_fault *fault)
{
	perfmap_fault_sized(m, fault, UP_TO(struct perfmap_fault, unfinished));
}

int perfmap_open_part_sized(struct perfmap **m, const void *section, size_t size,
			    struct perfmap_part *part, size_t part_size)
{
	struct perfmap_part own;
	int rc = whole_perfmap_open_part(m, section, size,
					 sized_place(part, part_size, &own, sizeof(own)));

	if (!rc)
		sized_give(part, part_size, &own, sizeof(own));
	return rc;
}

FIRST(int, perfmap_open_part, struct perfmap **m, const void *section, size_t size,
      struct perfmap_part *part)
{
	return perfmap_open_part_sized(m, section, size, part, UP_TO(struct perfmap_part, path));
}
