/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records are copied, since those of a reader are valid only until the next one. */
#include "export/kept_event.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Returns the size of the integers, lengths and strings, which are contiguous. */
static size_t bytes_of(const struct pifile_user *x)
{
	size_t bytes = (size_t)(x->text - x->values);
	uint32_t length;

	for (uint32_t i = 0; i < x->strs; i++) {
		memcpy(&length, x->lengths + i * sizeof(length), sizeof(length));
		bytes += length;
	}
	return bytes;
}

int kept_events_add(struct kept_events *k, const struct timeline_moment *m, uint64_t *at)
{
	const struct pifile_user *x = m->record;
	const struct kept_event e = {
		.event = m->event,
		.record = *x,
		.bytes = bytes_of(x),
		.lengths_at = (size_t)(x->lengths - x->values),
		.text_at = (size_t)(x->text - x->values),
	};
	int rc;

	*at = k->spill.size;
	rc = spill_add(&k->spill, &e, sizeof(e));
	return rc ? rc : spill_add(&k->spill, x->values, e.bytes);
}

int kept_events_get(struct kept_events *k, uint64_t at, const struct kept_event **event)
{
	struct kept_event *e;
	uint8_t *values;
	int rc = array_room(k->room, k->room_bytes, sizeof(*e));

	if (!rc)
		rc = spill_read(&k->spill, at, k->room, sizeof(*e));
	if (!rc)
		rc = array_room(k->room, k->room_bytes,
				sizeof(*e) + ((const struct kept_event *)k->room)->bytes);
	if (rc)
		return rc;
	e = (struct kept_event *)k->room;
	values = (uint8_t *)(e + 1);
	e->record.values = values;
	e->record.lengths = values + e->lengths_at;
	e->record.text = values + e->text_at;
	*event = e;
	return spill_read(&k->spill, at + sizeof(*e), values, e->bytes);
}

void kept_events_free(struct kept_events *k)
{
	spill_free(&k->spill);
	free(k->room);
	*k = (struct kept_events){ .room = NULL };
}
