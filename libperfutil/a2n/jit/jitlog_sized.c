/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading logs of code, for programs whose structs have another size: base/sized.h. */
#include <jitlog.h>
#include "base/sized.h"

#undef jitlog_next
#undef jitlog_fault

int jitlog_next_sized(struct jitlog *l, struct jitlog_event *event, size_t size)
{
	struct jitlog_event own;
	int rc = whole_jitlog_next(l, sized_place(event, size, &own, sizeof(own)));

	if (rc > 0)
		sized_give(event, size, &own, sizeof(own));
	return rc;
}

FIRST(int, jitlog_next, struct jitlog *l, struct jitlog_event *event)
{
	return jitlog_next_sized(l, event, UP_TO(struct jitlog_event, line));
}

void jitlog_fault_sized(const struct jitlog *l, struct jitlog_fault *fault, size_t size)
{
	struct jitlog_fault own;

	whole_jitlog_fault(l, sized_place(fault, size, &own, sizeof(own)));
	sized_give(fault, size, &own, sizeof(own));
}

FIRST(void, jitlog_fault, const struct jitlog *l, struct jitlog_fault *fault)
{
	jitlog_fault_sized(l, fault, UP_TO(struct jitlog_fault, unfinished));
}
