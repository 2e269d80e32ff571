/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The PTT of a daemon, for programs whose structs have another size: base/sized.h. */
#include <pttview.h>
#include "base/sized.h"

#undef pttview_attach

struct pttview *pttview_attach_sized(struct pttview_held *held, int *rc, size_t size)
{
	struct pttview_held own;
	struct pttview *v = whole_pttview_attach(sized_place(held, size, &own, sizeof(own)), rc);

	if (v)
		sized_give(held, size, &own, sizeof(own));
	return v;
}

FIRST(struct pttview *, pttview_attach, struct pttview_held *held, int *rc)
{
	return pttview_attach_sized(held, rc, UP_TO(struct pttview_held, cycles));
}
