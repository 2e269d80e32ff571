/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks declarations as the library does: the contents of a trace are not trusted. */
#include "model/named_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More mean a damaged file: a process has at most 2048. */
#define EVENTS_MAX 65536

/* ---- events ---------------------------------------------------------------------------------- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
	while (*text)
		hash = hash_mix(hash, (unsigned char)*text++);
	return hash;
}

static void free_event(struct named_event *e)
{
	free(e->name);
	free(e->text);
	free(e);
}

/* Creates an event from fields that have been checked. */
static struct named_event *new_event(const char *name, const char *text, uint32_t id)
{
	struct named_event *e = calloc(1, sizeof(*e));
	size_t at;

	if (!e)
		return NULL;
	e->name = strdup(name);
	e->text = strdup(text);
	e->id = id;
	if (e->name && e->text && !named_fields_wrong(e->text, strlen(e->text), &e->fields, &at))
		return e;
	free_event(e);
	return NULL;
}

static uint32_t get_event(struct named_events *n, const char *name, const char *text)
{
	uint64_t hash = hash_mix(hash_text(hash_text(0, name), text), strlen(name));
	uint32_t i = keys_find(&n->by_text, hash, n->event, e,
			       !strcmp((*e)->name, name) && !strcmp((*e)->text, text));

	if (i != NO_KEY)
		return i;
	if (array_next(n->event, n->nevent, n->room_event))
		return NO_KEY;
	n->event[n->nevent] = new_event(name, text, n->nevent);
	if (!n->event[n->nevent])
		return NO_KEY;
	if (!keys_add(&n->by_text, hash, n->nevent))
		return n->nevent++;
	free_event(n->event[n->nevent]);
	return NO_KEY;
}

/* ---- declarations ---------------------------------------------------------------------------- */

static uint64_t hash_of(uint32_t pid, uint32_t number)
{
	return hash_mix((uint64_t)pid << 32 | number, 11);
}

static uint32_t first_of(const struct named_events *n, uint32_t pid, uint32_t number)
{
	return keys_find(&n->by_number, hash_of(pid, number), n->entry, e,
			 e->pid == pid && e->number == number);
}

/* Ignores a repeated declaration by another thread or in another interval. */
static int add(struct named_events *n, const struct named_entry *new)
{
	uint32_t first = first_of(n, new->pid, new->number), i = n->nentry;

	if (first != NO_KEY && n->entry[n->entry[first].last].event == new->event)
		return 0;
	if (array_next(n->entry, i, n->room_entry))
		return -ENOMEM;
	n->entry[i] = *new;
	n->entry[i].last = n->entry[i].at = i;
	if (first == NO_KEY) {
		if (keys_add(&n->by_number, hash_of(new->pid, new->number), i))
			return -ENOMEM;
	} else {
		n->entry[n->entry[first].last].next = i;
		n->entry[first].last = i;
	}
	n->nentry++;
	return 0;
}

static void refuse(struct trace *t, const struct pirecord *r, const char *why)
{
	char what[sizeof(((struct pifile_fault *)0)->what)];

	snprintf(what, sizeof(what), "not a declaration of an event: %s", why);
	trace_malformed(t, r, what);
}

int named_events_declare(struct named_events *n, struct trace *t, const struct pirecord *r)
{
	char name[PITRACE_USER_MAX], text[PITRACE_USER_MAX];
	struct named_entry new = { .time = r->time, .next = NO_KEY };
	struct named_fields fields;
	struct pifile_user x;
	const char *why;
	size_t at;

	if (pifile_user_record(r, &x) || !x.ints || x.strs < 2) {
		refuse(t, r, "no number, name and fields");
		return 0;
	}
	user_string(&x, 0, name);
	user_string(&x, 1, text);
	why = named_name_wrong(name, strlen(name));
	if (!why)
		why = named_fields_wrong(text, strlen(text), &fields, &at);
	if (!why && n->nevent == EVENTS_MAX)
		why = "more than 65536 events";
	if (why) {
		refuse(t, r, why);
		return 0;
	}
	new.pid = x.pid;
	new.number = (uint32_t)pifile_user_int(&x, 0);
	new.event = get_event(n, name, text);
	return new.event == NO_KEY ? -ENOMEM : add(n, &new);
}

const struct named_event *named_events_of(struct named_events *n, const struct pirecord *r,
					  const struct pifile_user *x)
{
	uint32_t first = first_of(n, x->pid, r->minor), i;
	const struct named_event *e;

	if (first == NO_KEY)
		return NULL;
	i = n->entry[first].at;
	if (n->entry[i].time > r->time)
		i = first;
	while (n->entry[i].next != NO_KEY && n->entry[n->entry[i].next].time <= r->time)
		i = n->entry[i].next;
	n->entry[first].at = i;
	e = n->event[n->entry[i].event];
	return named_fits(e, x) ? e : NULL;
}

void named_events_free(struct named_events *n)
{
	uint32_t i;

	for (i = 0; i < n->nevent; i++)
		free_event(n->event[i]);
	free(n->event);
	free(n->entry);
	keys_free(&n->by_text);
	keys_free(&n->by_number);
	*n = (struct named_events){ .event = NULL };
}
