/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The merge, for programs whose structs have another size: base/sized.h. */
#include <pifile.h>
#include "base/sized.h"

#undef pimerge_next

int pimerge_next_sized(struct pimerge *m, struct pirecord *r, size_t size)
{
	struct pirecord own;
	int rc = whole_pimerge_next(m, sized_place(r, size, &own, sizeof(own)));

	if (rc > 0)
		sized_give(r, size, &own, sizeof(own));
	return rc;
}

FIRST(int, pimerge_next, struct pimerge *m, struct pirecord *r)
{
	return pimerge_next_sized(m, r, UP_TO(struct pirecord, repeats));
}
