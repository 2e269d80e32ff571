/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Uses the strings of the end; those of the begin may be truncated. */
#include "model/span_metrics.h"

#include <string.h>

#define PREFIX "ptt:"

/* Returns the i-th string after the name; NULL: missing or truncated. */
static const char *word_of(const struct span_words *w, unsigned int i)
{
	const char *text = span_words_text(w);

	if (i >= w->strs)
		return NULL;
	while (i--)
		text += strlen(text) + 1;
	return text;
}

static struct span_metric *get(struct span_metrics *m, uint32_t name, uint32_t metric)
{
	uint64_t hash = hash_mix(name, metric);
	uint32_t i = keys_find(&m->by_key, hash, m->metric, e,
			       e->name == name && e->metric == metric);

	if (i != NO_KEY)
		return &m->metric[i];
	if (keys_next(&m->by_key, hash, m->metric, m->count, m->room))
		return NULL;
	m->metric[m->count] = (struct span_metric){ .name = name, .metric = metric };
	return &m->metric[m->count++];
}

int span_metrics_add(struct span_metrics *m, struct spans *s, uint32_t name,
		     const struct span_words *began, const struct pifile_user *ended,
		     unsigned int ints)
{
	struct pifile_user x = *ended;
	char word[PITRACE_USER_MAX];
	unsigned int i;

	for (i = 0; began && i < began->ints && ints + i < x.ints && 1 + i < x.strs; i++) {
		const char *before = word_of(began, i);
		uint64_t value = pifile_user_int(&x, ints + i);
		struct span_metric *metric;
		uint32_t text;

		user_string(&x, 1 + i, word);
		if (strncmp(word, PREFIX, strlen(PREFIX)) != 0 || value < began->value[i] ||
		    (before ? strcmp(before, word) != 0 : !began->cut))
			continue;
		text = spans_name(s, word + strlen(PREFIX));
		metric = text == NO_KEY ? NULL : get(m, name, text);
		if (!metric)
			return -ENOMEM;
		named_stat_add(&metric->used, NAMED_UNSIGNED, value - began->value[i]);
	}
	return 0;
}

void span_metrics_free(struct span_metrics *m)
{
	free(m->metric);
	keys_free(&m->by_key);
	*m = (struct span_metrics){ .metric = NULL };
}
