/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PTT, for programs whose structs have another size: base/sized.h. */
#include <ptt.h>
#include "base/sized.h"

#undef PttGetThreadData
#undef PttGetInfo

int PttGetThreadData_sized(int tid, struct ptt_thread_data *data, size_t size)
{
	struct ptt_thread_data own;
	int rc = whole_PttGetThreadData(tid, sized_place(data, size, &own, sizeof(own)));

	if (!rc)
		sized_give(data, size, &own, sizeof(own));
	return rc;
}

FIRST(int, PttGetThreadData, int tid, struct ptt_thread_data *data)
{
	return PttGetThreadData_sized(tid, data, UP_TO(struct ptt_thread_data, generation));
}

int PttGetInfo_sized(struct ptt_info *info, size_t size)
{
	struct ptt_info own;
	int rc = whole_PttGetInfo(sized_place(info, size, &own, sizeof(own)));

	if (!rc)
		sized_give(info, size, &own, sizeof(own));
	return rc;
}

FIRST(int, PttGetInfo, struct ptt_info *info)
{
	return PttGetInfo_sized(info, UP_TO(struct ptt_info, note));
}
