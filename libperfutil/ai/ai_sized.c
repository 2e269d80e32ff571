/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* AboveIdle, for programs whose structs have another size: base/sized.h. */
#include <ai.h>
#include <stdlib.h>
#include "base/rc.h"
#include "base/sized.h"

#undef AiGetCounters
#undef AiGetInfo

int AiGetCounters_sized(struct ai_counters *list, int room, size_t size)
{
	int most = 0, n;
	struct ai_counters *own;

	if (!list || size == sizeof(*own))
		return whole_AiGetCounters(list, room);
	/* As many as exist, whatever the caller's room is. */
	n = whole_AiGetCounters(NULL, 0);
	if (n > 0 && room > 0)
		most = n < (int)room ? n : (int)room;
	own = calloc((size_t)most + 1, sizeof(*own));
	if (!own)
		return rc_fail(PI_NO_MEMORY, "no memory for the answer");
	n = whole_AiGetCounters(own, most);
	for (int i = 0; i < n && i < most; i++)
		sized_copy(list, (size_t)i, size, &own[i], sizeof(*own));
	free(own);
	return n;
}

FIRST(int, AiGetCounters, struct ai_counters *list, int room)
{
	return AiGetCounters_sized(list, room, UP_TO(struct ai_counters, interrupts));
}

int AiGetInfo_sized(struct ai_info *info, size_t size)
{
	struct ai_info own;
	int rc = whole_AiGetInfo(sized_place(info, size, &own, sizeof(own)));

	if (!rc)
		sized_give(info, size, &own, sizeof(own));
	return rc;
}

FIRST(int, AiGetInfo, struct ai_info *info)
{
	return AiGetInfo_sized(info, UP_TO(struct ai_info, note));
}
