/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading jitdumps, for programs whose structs have another size: base/sized.h. */
#include <jitdump.h>
#include "base/sized.h"

#undef jitdump_next
#undef jitdump_line
#undef jitdump_fault

int jitdump_next_sized(struct jitdump *d, struct jitdump_event *event, size_t size)
{
	struct jitdump_event own;
	int rc = whole_jitdump_next(d, sized_place(event, size, &own, sizeof(own)));

	if (rc > 0)
		sized_give(event, size, &own, sizeof(own));
	return rc;
}

FIRST(int, jitdump_next, struct jitdump *d, struct jitdump_event *event)
{
	return jitdump_next_sized(d, event, UP_TO(struct jitdump_event, eh_frame_hdr_size));
}

bool jitdump_line_sized(struct jitdump *d, struct jitdump_line *line, size_t size)
{
	struct jitdump_line own;
	bool rc = whole_jitdump_line(d, sized_place(line, size, &own, sizeof(own)));

	if (rc)
		sized_give(line, size, &own, sizeof(own));
	return rc;
}

FIRST(bool, jitdump_line, struct jitdump *d, struct jitdump_line *line)
{
	return jitdump_line_sized(d, line, UP_TO(struct jitdump_line, file));
}

void jitdump_fault_sized(const struct jitdump *d, struct jitdump_fault *fault, size_t size)
{
	struct jitdump_fault own;

	whole_jitdump_fault(d, sized_place(fault, size, &own, sizeof(own)));
	sized_give(fault, size, &own, sizeof(own));
}

FIRST(void, jitdump_fault, const struct jitdump *d, struct jitdump_fault *fault)
{
	jitdump_fault_sized(d, fault, UP_TO(struct jitdump_fault, unfinished));
}
