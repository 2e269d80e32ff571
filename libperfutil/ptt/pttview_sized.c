/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PTT from outside, for programs whose structs have another size: base/sized.h. */
#include <pttview.h>
#include "base/rc.h"
#include "base/sized.h"

#undef pttview_open
#undef pttview_hold
#undef pttview_thread
#undef pttview_gone
#undef pttview_cpu
#undef pttview_info

struct pttview *pttview_open_sized(const struct pttview_options *options, int *rc, size_t size)
{
	struct pttview_options own = { 0 };

	if (!options)
		return whole_pttview_open(NULL, rc);
	options = sized_take(options, size, &own, sizeof(own));
	if (options)
		return whole_pttview_open(options, rc);
	*rc = rc_say(PI_NOT_SUPPORTED, SIZED_UNKNOWN(struct pttview_options));
	return NULL;
}

FIRST(struct pttview *, pttview_open, const struct pttview_options *options, int *rc)
{
	return pttview_open_sized(options, rc, UP_TO(struct pttview_options, charged));
}

int pttview_hold_sized(const struct pttview_options *options, int whom, const int *pids, int count,
		       size_t size)
{
	struct pttview_options own = { 0 };

	if (!options)
		return whole_pttview_hold(NULL, whom, pids, count);
	options = sized_take(options, size, &own, sizeof(own));
	if (!options)
		return rc_say(PI_NOT_SUPPORTED, SIZED_UNKNOWN(struct pttview_options));
	return whole_pttview_hold(options, whom, pids, count);
}

FIRST(int, pttview_hold, const struct pttview_options *options, int whom, const int *pids,
      int count)
{
	return pttview_hold_sized(options, whom, pids, count,
				  UP_TO(struct pttview_options, charged));
}

int pttview_thread_sized(const struct pttview *v, int slot, struct ptt_thread_data *data,
			 size_t size)
{
	struct ptt_thread_data own;
	int rc = whole_pttview_thread(v, slot, sized_place(data, size, &own, sizeof(own)));

	if (rc > 0)
		sized_give(data, size, &own, sizeof(own));
	return rc;
}

FIRST(int, pttview_thread, const struct pttview *v, int slot, struct ptt_thread_data *data)
{
	return pttview_thread_sized(v, slot, data, UP_TO(struct ptt_thread_data, generation));
}

void pttview_gone_sized(const struct pttview *v, struct pttview_gone *gone, size_t size)
{
	struct pttview_gone own;

	whole_pttview_gone(v, sized_place(gone, size, &own, sizeof(own)));
	sized_give(gone, size, &own, sizeof(own));
}

FIRST(void, pttview_gone, const struct pttview *v, struct pttview_gone *gone)
{
	pttview_gone_sized(v, gone, UP_TO(struct pttview_gone, unwatched));
}

int pttview_cpu_sized(const struct pttview *v, int cpu, struct pttview_cpu *data, size_t size)
{
	struct pttview_cpu own;
	int rc = whole_pttview_cpu(v, cpu, sized_place(data, size, &own, sizeof(own)));

	if (rc > 0)
		sized_give(data, size, &own, sizeof(own));
	return rc;
}

FIRST(int, pttview_cpu, const struct pttview *v, int cpu, struct pttview_cpu *data)
{
	return pttview_cpu_sized(v, cpu, data, UP_TO(struct pttview_cpu, bucket));
}

void pttview_info_sized(const struct pttview *v, struct ptt_info *info, size_t size)
{
	struct ptt_info own;

	whole_pttview_info(v, sized_place(info, size, &own, sizeof(own)));
	sized_give(info, size, &own, sizeof(own));
}

FIRST(void, pttview_info, const struct pttview *v, struct ptt_info *info)
{
	pttview_info_sized(v, info, UP_TO(struct ptt_info, note));
}
