/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of the live view; the rarest are removed when the table is full. */
#include "top_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void top_table_init(struct top_table *t, uint32_t most)
{
	*t = (struct top_table){ .most = most };
}

static void free_row(struct top_row *r)
{
	free(r->name);
	free(r->of);
}

void top_table_free(struct top_table *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		free_row(&t->row[i]);
	free(t->row);
	keys_free(&t->keys);
	*t = (struct top_table){ .most = t->most };
}

uint64_t top_hash(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325ull; /* FNV-1a */

	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * 0x100000001b3ull;
	return hash;
}

static uint64_t hash_of(uint64_t key, uint64_t second)
{
	return hash_mix(key, second);
}

void top_count_add(struct top_count *to, const struct top_count *c)
{
	to->ticks += c->ticks;
	to->under += c->under;
	to->off += c->off;
	for (int i = 0; i < PTT_METRICS; i++)
		to->metric[i] += c->metric[i];
}

/* Returns a weight by which rows are kept: rows without counts are removed first. */
static uint64_t worth(const struct top_row *r)
{
	const struct top_count *sum = &r->count[TOP_SUM], *now = &r->count[TOP_INTERVAL];

	/* One tick weighs as much as 1 ms off the CPU: its length at 1 kHz. */
	return sum->ticks + now->ticks + sum->under + now->under + sum->off / 1000000 +
	       now->off / 1000000 + !!r->off_since;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void fold(struct top_table *t, struct top_row *r)
{
	for (int s = 0; s < TOP_SPANS; s++)
		top_count_add(&t->others[s], &r->count[s]);
	t->folded++;
	free_row(r);
	*r = (struct top_row){ 0 };
}

/* Rebuilds the keys after rows have moved. Without memory, folds all rows into `others`. Returns 0
 * or -ENOMEM. */
static int find_again(struct top_table *t)
{
	keys_free(&t->keys);
	t->generation++;
	for (uint32_t i = 0; i < t->n; i++)
		if (keys_add(&t->keys, hash_of(t->row[i].key, t->row[i].second), i)) {
			while (t->n)
				fold(t, &t->row[--t->n]);
			keys_free(&t->keys);
			return -ENOMEM;
		}
	return 0;
}

/* Folds half of the rows into `others`. Returns 0 or -ENOMEM. */
static int make_room(struct top_table *t)
{
	uint64_t *worths = malloc(t->n * sizeof(*worths)), middle, w;
	uint32_t n = 0, equal = t->n - t->n / 2;

	if (!worths)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->n; i++)
		worths[i] = worth(&t->row[i]);
	qsort(worths, t->n, sizeof(*worths), by_number);
	middle = worths[t->n / 2];
	/* `equal` is how many of the rows with the median weight are kept. */
	for (uint32_t i = t->n; i > 0 && worths[i - 1] > middle; i--)
		equal--;
	free(worths);
	for (uint32_t i = 0; i < t->n; i++) {
		w = worth(&t->row[i]);
		if (w > middle || (w == middle && equal && equal--))
			t->row[n++] = t->row[i];
		else
			fold(t, &t->row[i]);
	}
	t->n = n;
	return find_again(t);
}

uint32_t top_table_find(const struct top_table *t, uint64_t key, uint64_t second)
{
	return keys_find(&t->keys, hash_of(key, second), t->row, e,
			 e->key == key && e->second == second);
}

uint32_t top_table_get(struct top_table *t, uint64_t key, uint64_t second)
{
	uint32_t at = top_table_find(t, key, second);

	if (at != NO_KEY)
		return at;
	if (t->n >= t->most && make_room(t))
		return NO_KEY;
	if (keys_next(&t->keys, hash_of(key, second), t->row, t->n, t->room))
		return NO_KEY;
	t->row[t->n] = (struct top_row){ .key = key, .second = second };
	return t->n++;
}

int top_name_set(char **name, const char *text)
{
	size_t n = strnlen(text, TOP_NAME_BYTES);
	char *copy;

	if (*name && !strncmp(*name, text, n) && !(*name)[n])
		return 0;
	copy = strndup(text, n);
	if (!copy)
		return -ENOMEM;
	free(*name);
	*name = copy;
	return 0;
}

void top_table_add(struct top_table *t, uint32_t row, const struct top_count *c)
{
	for (int s = 0; s < TOP_SPANS; s++)
		top_count_add(&t->row[row].count[s], c);
}

void top_table_begin(struct top_table *t, bool sum)
{
	for (uint32_t i = 0; i < t->n; i++) {
		memset(&t->row[i].count[TOP_INTERVAL], 0, sizeof(struct top_count));
		if (sum)
			memset(&t->row[i].count[TOP_SUM], 0, sizeof(struct top_count));
	}
	memset(&t->others[TOP_INTERVAL], 0, sizeof(struct top_count));
	if (sum) {
		memset(&t->others[TOP_SUM], 0, sizeof(struct top_count));
		t->folded = 0;
	}
}

int top_table_copy(struct top_table *to, const struct top_table *from)
{
	top_table_init(to, from->most);
	to->row = calloc(from->n + 1, sizeof(*to->row));
	if (!to->row)
		return -ENOMEM;
	to->room = from->n + 1;
	for (; to->n < from->n; to->n++) {
		const struct top_row *r = &from->row[to->n];
		struct top_row *copy = &to->row[to->n];

		*copy = *r;
		copy->name = r->name ? strdup(r->name) : NULL;
		copy->of = r->of ? strdup(r->of) : NULL;
		if ((r->name && !copy->name) || (r->of && !copy->of) ||
		    keys_add(&to->keys, hash_of(r->key, r->second), to->n)) {
			to->n++;
			top_table_free(to);
			return -ENOMEM;
		}
	}
	memcpy(to->others, from->others, sizeof(to->others));
	to->folded = from->folded;
	to->generation = from->generation;
	return 0;
}

void top_table_total(const struct top_table *t, enum top_span span, struct top_count *total)
{
	*total = t->others[span];
	for (uint32_t i = 0; i < t->n; i++)
		top_count_add(total, &t->row[i].count[span]);
}
