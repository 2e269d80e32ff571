/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The session functions, for programs whose structs have another size: base/sized.h. */
#include <perfutil.h>
#include <stdlib.h>
#include "base/rc.h"
#include "base/sized.h"

#undef TraceCheck
#undef TraceGetInfo

int TraceCheck_sized(int scope, int pid, struct trace_check *list, int room, size_t size)
{
	int most = 0, n;
	struct trace_check *own;

	if (!list || size == sizeof(*own))
		return whole_TraceCheck(scope, pid, list, room);
	/* As many as exist, whatever the caller's room is. */
	n = whole_TraceCheck(scope, pid, NULL, 0);
	if (n > 0 && room > 0)
		most = n < (int)room ? n : (int)room;
	own = calloc((size_t)most + 1, sizeof(*own));
	if (!own)
		return rc_fail(PI_NO_MEMORY, "no memory for the answer");
	n = whole_TraceCheck(scope, pid, own, most);
	for (int i = 0; i < n && i < most; i++)
		sized_copy(list, (size_t)i, size, &own[i], sizeof(*own));
	free(own);
	return n;
}

FIRST(int, TraceCheck, int scope, int pid, struct trace_check *list, int room)
{
	return TraceCheck_sized(scope, pid, list, room, UP_TO(struct trace_check, cure));
}

int TraceGetInfo_sized(struct trace_info *info, size_t size)
{
	struct trace_info own;
	int rc = whole_TraceGetInfo(sized_place(info, size, &own, sizeof(own)));

	if (!rc)
		sized_give(info, size, &own, sizeof(own));
	return rc;
}

FIRST(int, TraceGetInfo, struct trace_info *info)
{
	return TraceGetInfo_sized(info, UP_TO(struct trace_info, sampler));
}
