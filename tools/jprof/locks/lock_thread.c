/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lock_thread.h"

#include <string.h>

void lock_thread_anew(struct lock_thread *t, uint32_t recording)
{
	memset(t, 0, sizeof(*t));
	t->recording = recording;
}

/* Returns the index, -1 if it is not held. The innermost is the most likely. */
static int32_t find(const struct lock_thread *t, struct lock_id id)
{
	int32_t i = (int32_t)t->held_count - 1;

	while (i >= 0 && (t->held[i].id.number != id.number || t->held[i].id.hash != id.hash))
		i--;
	return i;
}

bool lock_thread_enter(struct lock_thread *t, struct lock_id id, uint64_t now)
{
	int32_t i = find(t, id);

	t->entering = 0;
	if (i >= 0) {
		t->held[i].depth++;
		return true;
	}
	if (t->held_count == LOCK_HELD)
		return false;
	t->held[t->held_count++] = (struct lock_hold){ .id = id, .depth = 1, .since = now };
	t->entering = t->held_count;
	return false;
}

void lock_thread_entered(struct lock_thread *t, uint64_t now)
{
	if (t->entering)
		t->held[t->entering - 1].since = now;
	t->entering = 0;
}

bool lock_thread_leave(struct lock_thread *t, struct lock_id id, uint64_t now, uint64_t *ns)
{
	int32_t i = find(t, id);

	t->entering = 0;
	if (i < 0 || --t->held[i].depth)
		return false;
	*ns = now - t->held[i].since;
	t->held_count--;
	memmove(&t->held[i], &t->held[i + 1], (t->held_count - (uint32_t)i) * sizeof(t->held[0]));
	return true;
}

bool lock_thread_wait(const struct lock_thread *t, struct lock_id id, uint64_t now, uint64_t *ns)
{
	int32_t i = find(t, id);

	if (i >= 0)
		*ns = now - t->held[i].since;
	return i >= 0;
}

void lock_thread_back(struct lock_thread *t, struct lock_id id, uint64_t now)
{
	int32_t i = find(t, id);

	t->entering = 0;
	if (i >= 0)
		t->held[i].since = now;
}

bool lock_thread_may_hold(const struct lock_thread *t, struct lock_id id)
{
	return t->held_count == LOCK_HELD || find(t, id) >= 0;
}

bool lock_thread_blocked(struct lock_thread *t, struct lock_id id, uint64_t now)
{
	int32_t i = find(t, id);

	if (i < 0)
		return true;
	t->held[i].since = now;
	return t->entering == (uint32_t)i + 1;
}
