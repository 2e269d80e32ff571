/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A list by time; links skip ended waits, which are removed when they outnumber the open ones. */
#include "model/open_waits.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"

#define FEW 64 /* shorter lists are not compacted */

static void drop_ended(struct open_waits *w)
{
	uint32_t i, n = 0;

	for (i = 0; i < w->count; i++) {
		if (w->list[i].next != i)
			continue;
		w->list[n] = w->list[i];
		w->list[n].next = n;
		w->place[w->list[n].thread] = n + 1;
		n++;
	}
	w->count = n;
}

int open_waits_begin(struct open_waits *w, uint32_t thread, uint64_t from)
{
	open_waits_end(w, thread);
	if (w->count >= FEW && w->open < w->count / 2)
		drop_ended(w);
	if (array_reach(w->place, w->places, thread) || array_next(w->list, w->count, w->room))
		return -ENOMEM;
	if (w->count && from < w->list[w->count - 1].from)
		from = w->list[w->count - 1].from;
	w->list[w->count] = (struct open_wait){ from, thread, w->count };
	w->place[thread] = ++w->count;
	w->open++;
	return 0;
}

void open_waits_end(struct open_waits *w, uint32_t thread)
{
	uint32_t at;

	if (thread >= w->places || !w->place[thread])
		return;
	at = w->place[thread] - 1;
	w->place[thread] = 0;
	w->list[at].next = at + 1;
	w->open--;
}

/* Returns the first open wait at or after this index; count: none. */
static uint32_t next_open(struct open_waits *w, uint32_t at)
{
	uint32_t end = at, step;

	while (end < w->count && w->list[end].next != end)
		end = w->list[end].next;
	for (; at < end; at = step) {
		step = w->list[at].next;
		w->list[at].next = end;
	}
	return end;
}

uint64_t open_waits_oldest(struct open_waits *w)
{
	uint32_t at = next_open(w, 0);

	return at < w->count ? w->list[at].from : UINT64_MAX;
}

bool open_waits_within(struct open_waits *w, uint64_t from, uint64_t to)
{
	uint32_t at = next_open(w, search_sorted(i, 0, w->count, w->list[i].from <= from));

	return at < w->count && w->list[at].from < to;
}

void open_waits_free(struct open_waits *w)
{
	free(w->list);
	free(w->place);
	*w = (struct open_waits){ 0 };
}
