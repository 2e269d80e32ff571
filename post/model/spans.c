/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Open spans are in hash chains, the newest first, and in a list of their process. The entries of
 * ended spans are reused.
 */
#include "model/spans.h"

#include <string.h>

#define HEADS_LEAST 64

/* ---- names and processes --------------------------------------------------------------------- */

static uint64_t hash_text(const char *text)
{
	uint64_t hash = 0;

	while (*text)
		hash = hash_mix(hash, (unsigned char)*text++);
	return hash;
}

uint32_t spans_named(const struct spans *s, const char *name)
{
	return keys_find(&s->by_name, hash_text(name), s->name, e, !strcmp(*e, name));
}

uint32_t spans_name(struct spans *s, const char *name)
{
	uint32_t i = spans_named(s, name);

	if (i != NO_KEY)
		return i;
	if (array_next(s->name, s->nname, s->room_name))
		return NO_KEY;
	s->name[s->nname] = strdup(name);
	if (!s->name[s->nname])
		return NO_KEY;
	if (!keys_add(&s->by_name, hash_text(name), s->nname))
		return s->nname++;
	free(s->name[s->nname]);
	return NO_KEY;
}

uint32_t spans_process_of(const struct spans *s, uint32_t pid)
{
	return keys_find(&s->by_pid, hash_mix(pid, 8), s->process, e, e->pid == pid);
}

uint32_t spans_process(struct spans *s, uint32_t pid)
{
	uint32_t i = spans_process_of(s, pid);

	if (i != NO_KEY)
		return i;
	if (keys_next(&s->by_pid, hash_mix(pid, 8), s->process, s->nprocess, s->room_process))
		return NO_KEY;
	s->process[s->nprocess] = (struct span_process){ .pid = pid };
	return s->nprocess++;
}

/* ---- chains ---------------------------------------------------------------------------------- */

static uint32_t hash_key(const struct span_key *k)
{
	return (uint32_t)hash_mix(hash_mix((uint64_t)k->scope << 32 | k->name, k->id), k->shared);
}

static bool same_key(const struct span_key *a, const struct span_key *b)
{
	return a->id == b->id && a->name == b->name && a->scope == b->scope &&
	       a->shared == b->shared;
}

/* Doubles the number of chains: splits each in two, keeping its order. */
static int more_heads(struct spans *s)
{
	uint32_t heads = s->heads ? s->heads * 2 : HEADS_LEAST, i, at, next;
	uint32_t *head = heads ? calloc(heads, sizeof(*head)) : NULL;

	if (!head)
		return -ENOMEM;
	for (i = 0; i < s->heads; i++) {
		uint32_t *low = &head[i], *high = &head[i + s->heads];

		for (at = s->head[i]; at; at = next) {
			struct span_open *o = &s->open[at - 1];

			next = o->next;
			o->next = 0;
			if (o->hash & s->heads) {
				*high = at;
				high = &o->next;
			} else {
				*low = at;
				low = &o->next;
			}
		}
	}
	free(s->head);
	s->head = head;
	s->heads = heads;
	return 0;
}

static uint32_t new_place(struct spans *s)
{
	uint32_t at = s->free;

	if (at) {
		s->free = s->open[at - 1].next;
		return at - 1;
	}
	if (array_next(s->open, s->nopen, s->room_open))
		return NO_KEY;
	return s->nopen++;
}

uint32_t spans_begin(struct spans *s, const struct span_key *key)
{
	uint32_t process = key->shared ? NO_KEY : spans_process(s, key->scope), at, *head;
	struct span_process *p;
	struct span_open *o;

	if (process == NO_KEY && !key->shared)
		return NO_KEY;
	if (s->used == s->heads && more_heads(s))
		return NO_KEY;
	at = new_place(s);
	if (at == NO_KEY)
		return NO_KEY;
	s->used++;
	o = &s->open[at];
	*o = (struct span_open){
		.key = *key,
		.hash = hash_key(key),
		.process = process,
		.is_open = true,
	};
	head = &s->head[o->hash & (s->heads - 1)];
	o->next = *head;
	*head = at + 1;
	if (key->shared)
		return at;
	p = &s->process[process];
	o->older = p->newest;
	if (o->older)
		s->open[o->older - 1].newer = at + 1;
	p->newest = at + 1;
	return at;
}

/* Removes the span that `link` refers to from its chain and its process's list. */
static uint32_t take_out(struct spans *s, uint32_t *link)
{
	uint32_t at = *link - 1;
	struct span_open *o = &s->open[at];

	*link = o->next;
	if (o->older)
		s->open[o->older - 1].newer = o->newer;
	if (o->newer)
		s->open[o->newer - 1].older = o->older;
	else if (!o->key.shared)
		s->process[o->process].newest = o->older;
	o->is_open = false;
	o->next = s->free;
	s->free = at + 1;
	s->used--;
	return at;
}

uint32_t spans_end(struct spans *s, const struct span_key *key)
{
	uint32_t *link, hash = hash_key(key);

	if (!s->heads)
		return NO_KEY;
	for (link = &s->head[hash & (s->heads - 1)]; *link; link = &s->open[*link - 1].next) {
		const struct span_open *o = &s->open[*link - 1];

		if (o->hash == hash && same_key(&o->key, key))
			return take_out(s, link);
	}
	return NO_KEY;
}

uint32_t spans_drop(struct spans *s, uint32_t process)
{
	uint32_t newest = s->process[process].newest, *link;

	if (!newest)
		return NO_KEY;
	link = &s->head[s->open[newest - 1].hash & (s->heads - 1)];
	while (*link != newest)
		link = &s->open[*link - 1].next;
	return take_out(s, link);
}

void spans_free(struct spans *s)
{
	uint32_t i;

	for (i = 0; i < s->nopen; i++) {
		if (s->open[i].is_open)
			free(s->open[i].begun.words);
	}
	for (i = 0; i < s->nname; i++)
		free(s->name[i]);
	free(s->name);
	free(s->open);
	free(s->head);
	free(s->process);
	keys_free(&s->by_name);
	keys_free(&s->by_pid);
	*s = (struct spans){ .name = NULL };
}

/* ---- further integers and strings ------------------------------------------------------------ */

int span_words(const struct pifile_user *x, unsigned int ints, unsigned int strs,
	       struct span_words **words)
{
	size_t most = SPAN_WORDS_MOST / sizeof(uint64_t), n = x->ints - ints, size = 0;
	char text[SPAN_WORDS_MOST], room[PITRACE_USER_MAX];
	struct pifile_user rest = *x;
	struct span_words *w;
	uint16_t kept = 0;
	unsigned int i;

	*words = NULL;
	if (x->ints <= ints && x->strs <= strs)
		return 0;
	if (n > most)
		n = most;
	for (i = 0; i < x->strs; i++) {
		size_t length = strlen(user_string(&rest, i, room)) + 1;

		if (i < strs)
			continue;
		if (length > sizeof(text) - n * sizeof(uint64_t) - size)
			break;
		memcpy(text + size, room, length);
		size += length;
		kept++;
	}
	w = malloc(sizeof(*w) + n * sizeof(uint64_t) + size);
	if (!w)
		return -ENOMEM;
	*w = (struct span_words){
		.ints = (uint16_t)n,
		.strs = kept,
		.size = (uint16_t)size,
		.cut = n < x->ints - ints || i < x->strs,
	};
	for (i = 0; i < n; i++)
		w->value[i] = pifile_user_int(x, ints + i);
	memcpy(w->value + n, text, size);
	*words = w;
	return 0;
}
