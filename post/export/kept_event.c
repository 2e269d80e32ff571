/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records are copied: those of a reader last until the next one. */
#include "export/kept_event.h"

#include <stdlib.h>
#include <string.h>

/* Of the integers, the lengths and the strings, which stand one after the other. */
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

struct kept_event *kept_event_of(const struct timeline_moment *m)
{
	size_t bytes = bytes_of(m->record);
	struct kept_event *e = malloc(sizeof(*e) + bytes);
	uint8_t *p;

	if (!e)
		return NULL;
	p = memcpy(e + 1, m->record->values, bytes);
	e->time = m->time;
	e->event = m->event;
	e->record = *m->record;
	e->record.values = p;
	e->record.lengths = p + (m->record->lengths - m->record->values);
	e->record.text = p + (m->record->text - m->record->values);
	return e;
}
