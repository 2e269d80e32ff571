/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sample's place has a symbol and an address. Symbols are few, and only the hottest ones are
 * disassembled. */
#include "export/html/html_code.h"

#include <errno.h>
#include <stdlib.h>

#include "report/annotate.h"

#define HOT_MOST  12        /* functions */
#define CODE_MOST 0x40000   /* maximum bytes of a function that is shown */
#define TEXT_MOST (4 << 20) /* bytes of JSON: further functions are omitted */

struct hot {
	uint32_t symbol;
	uint64_t ticks;
};

/* Returns the symbol of a place; NO_KEY: its code cannot be shown. */
static uint32_t symbol_of(const struct names *n, uint32_t place)
{
	const struct symbol *s = &n->symbols.symbol[place], *base = &n->symbols.symbol[s->base];

	if (!s->is_spot || !base->a2n || base->result != A2N_OK || base->a2n->size > CODE_MOST)
		return NO_KEY;
	return s->base;
}

static int hotter(const void *pa, const void *pb)
{
	const struct hot *a = pa, *b = pb;

	if (a->ticks != b->ticks)
		return a->ticks > b->ticks ? -1 : 1;
	return a->symbol < b->symbol ? -1 : a->symbol > b->symbol;
}

/* Lists the symbols and their ticks, most ticks first. The caller frees *list. */
static int gather_symbols(const struct job *job, struct hot **list)
{
	const struct names *n = &job->model->names;
	const struct sums *sums = &job->model->sums;
	const struct call *call = job->stacks->calls.call;
	uint32_t i, symbol;

	*list = calloc((size_t)n->symbols.count + 1, sizeof(**list));
	if (!*list)
		return -ENOMEM;
	for (i = 0; i < n->symbols.count; i++)
		(*list)[i].symbol = i;
	for (i = 0; i < sums->count; i++) {
		const struct call *c = &call[sums->sum[i].stack];

		symbol = c->parent == NO_KEY ? NO_KEY : symbol_of(n, c->id);
		if (symbol != NO_KEY)
			(*list)[symbol].ticks += sums->sum[i].ticks;
	}
	qsort(*list, n->symbols.count, sizeof(**list), hotter);
	return 0;
}

static int gather_hits(const struct job *job, uint32_t symbol, struct spot_hits *h)
{
	const struct symbol *list = job->model->names.symbols.symbol;
	const struct sums *sums = &job->model->sums;
	const struct call *call = job->stacks->calls.call;
	uint64_t from = list[symbol].a2n ? list[symbol].a2n->value : 0;
	uint32_t i;

	for (i = 0; i < sums->count; i++) {
		const struct call *c = &call[sums->sum[i].stack];
		const struct symbol *s = &list[c->id];

		if (c->parent == NO_KEY || symbol_of(&job->model->names, c->id) != symbol)
			continue;
		if (array_next(h->list, h->n, h->room))
			return -ENOMEM;
		h->list[h->n++] = (struct offset_ticks){
			profile_is_made(&job->model->names, s) ? s->at : s->at - from,
			sums->sum[i].ticks,
		};
	}
	return 0;
}

static int write_hottest(const struct job *job, struct json *j)
{
	struct hot *hot = NULL;
	uint32_t i;
	int rc = gather_symbols(job, &hot);

	for (i = 0; i < HOT_MOST && i < job->model->names.symbols.count && !rc; i++) {
		struct spot_hits hits = { 0 };

		if (!hot[i].ticks || ftell(j->out) > TEXT_MOST)
			break;
		rc = gather_hits(job, hot[i].symbol, &hits);
		if (!rc)
			rc = annotate_symbol(job, j, hot[i].symbol, &hits);
		free(hits.list);
	}
	free(hot);
	return rc;
}

static int write_list(const void *arg, struct json *j)
{
	const struct job *job = arg;
	int rc = 0;

	json_array(j, NULL);
	if (job->model->sums.wanted)
		rc = write_hottest(job, j);
	json_end(j, ']');
	return rc;
}

int html_code_write(struct html_block *b, const struct job *job, FILE *out)
{
	return html_block_json(b, out, "code", write_list, job);
}
