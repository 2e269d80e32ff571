/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The difference of two inputs as an HTML page (viewer/): its tree merges both trees, its ticks are
 * those of the second input, and further blocks hold those of the first and what is significant.
 * viewer/README.md describes the blocks.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compare/difference.h"
#include "base/memstream.h"
#include "escape.h"
#include "export/html/html_facts.h"
#include "export/html/html_page.h"
#include "export/html/html_tree.h"

struct page_writing {
	const struct compare *c;
	struct html_block block;
	struct texts texts;
	struct difference lines, calls; /* of functions by own values; of calls by totals */
	FILE *out;
};

#define COLUMN(i, count, value)             \
	for ((i) = 0; (i) < (count); (i)++) \
	html_block_number(&w->block, value)

static int begin(struct page_writing *w, const char *name, uint32_t rows)
{
	int rc = html_block_begin(&w->block, w->out, name);

	if (!rc)
		html_block_number(&w->block, rows);
	return rc;
}

/* Functions are compared by own values, calls by totals. */
static struct compare_options keyed(const struct compare *c, enum compare_key key)
{
	struct compare_options how = *c->how;

	how.key = key;
	how.totals = key != BY_NAME;
	return how;
}

/* ---- facts ----------------------------------------------------------------------------------- */

static int header_lines(const struct page_writing *w, struct json *j)
{
	struct compare_options how = keyed(w->c, BY_NAME);
	struct compare as = *w->c;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return -ENOMEM;
	show_inputs(w->c, out);
	putc('\n', out);
	as.how = &how;
	difference_explain(&as, &w->lines, out);
	if (memstream_close(out, &text))
		return -ENOMEM;
	html_facts_lines(j, "header", text);
	free(text);
	return 0;
}

static int write_object(const void *arg, struct json *j)
{
	const struct page_writing *w = arg;
	static const char *const none[] = { "missing", "damage", "about", "warnings" };
	const struct compared *in = w->c->all.input;
	char *a = escape_text(in[0].name), *b = escape_text(in[1].name), *title = NULL;
	unsigned int i;
	int rc = a && b && asprintf(&title, "%s → %s", a, b) >= 0 ? 0 : -ENOMEM;

	json_object(j, NULL);
	json_string(j, "generator", "pitrace post " PITRACE_VERSION);
	json_string(j, "file", rc ? "" : title);
	json_string(j, "unit", in[1].unit);
	json_int(j, "total", in[1].total);
	json_int(j, "base_total", in[0].total);
	json_bool(j, "difference", true);
	json_bool(j, "parts", w->c->parts);
	json_bool(j, "exact", w->c->exact);
	json_string(j, "from", "0");
	json_uint(j, "slices", 0);
	json_uint(j, "slice_ns", 0);
	json_bool(j, "counts_calls", false);
	json_bool(j, "incomplete", in[0].damaged || in[1].damaged);
	if (!rc)
		rc = header_lines(w, j);
	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		html_facts_lines(j, none[i], NULL);
	json_end(j, '}');
	free(a);
	free(b);
	free(rc ? NULL : title);
	return rc;
}

static int write_facts(struct page_writing *w)
{
	return html_block_json(&w->block, w->out, "facts", write_object, w);
}

/* ---- names ----------------------------------------------------------------------------------- */

static int name_all(struct page_writing *w)
{
	for (uint32_t i = 0; i < w->c->all.names; i++) {
		if (texts_name(&w->texts, w->c->all.name[i]) == NO_KEY)
			return -ENOMEM;
	}
	return 0;
}

static uint32_t text_of(struct page_writing *w, uint32_t name)
{
	return texts_name(&w->texts, w->c->all.name[name]);
}

static int write_texts(struct page_writing *w)
{
	int rc = html_block_begin(&w->block, w->out, "texts");

	if (rc)
		return rc;
	for (uint32_t i = 0; i < w->texts.count; i++) {
		if (i)
			html_block_bytes(&w->block, "\n", 1);
		html_block_bytes(&w->block, w->texts.string[i], strlen(w->texts.string[i]));
	}
	html_block_end(&w->block);
	return 0;
}

/* A process row stands for all pids with its name. */
static int write_processes(struct page_writing *w)
{
	uint32_t count = w->c->all.names, i;
	int rc = begin(w, "processes", count);

	if (rc)
		return rc;
	COLUMN(i, count, text_of(w, i));
	COLUMN(i, count, 0);
	COLUMN(i, count, 0);
	html_block_end(&w->block);
	return 0;
}

static unsigned int kind_of(const char *name)
{
	size_t length = strlen(name);

	if (length > 4 && !strcmp(name + length - 4, "_[k]"))
		return HTML_KERNEL;
	if (length > 4 && !strcmp(name + length - 4, "_[i]"))
		return HTML_INLINED;
	return 0;
}

static int write_frames(struct page_writing *w)
{
	uint32_t count = w->c->all.names, i;
	int rc = begin(w, "frames", count);

	if (rc)
		return rc;
	COLUMN(i, count, text_of(w, i));
	COLUMN(i, count, 0);
	COLUMN(i, count, kind_of(w->c->all.name[i]));
	COLUMN(i, count, 0);
	COLUMN(i, count, 0);
	html_block_end(&w->block);
	return 0;
}

/* ---- values ---------------------------------------------------------------------------------- */

static int write_nodes(struct page_writing *w)
{
	const struct merged_call *call = w->c->all.call;
	uint32_t count = w->c->all.calls, i;
	int rc = begin(w, "nodes", count);

	if (rc)
		return rc;
	COLUMN(i, count, call[i].parent == NO_KEY ? 0 : i - call[i].parent);
	COLUMN(i, count, call[i].name);
	COLUMN(i, count, 0);
	html_block_end(&w->block);
	return 0;
}

/* Writes one sum per call and one cell per sum. */
static int write_own(struct page_writing *w)
{
	uint32_t count = w->c->all.calls, i;
	int rc = begin(w, "sums", count);

	if (rc)
		return rc;
	for (i = 0; i < count; i++)
		html_block_signed(&w->block, i != 0);
	COLUMN(i, count, 0);
	COLUMN(i, count, 0);
	COLUMN(i, count, 0);
	html_block_end(&w->block);
	rc = begin(w, "cells", count);
	if (rc)
		return rc;
	COLUMN(i, count, 0);
	for (i = 0; i < count; i++)
		html_block_signed(&w->block, i != 0);
	COLUMN(i, count, (uint64_t)values_at(&w->c->all, w->c->all.self, i)[1]);
	html_block_end(&w->block);
	return 0;
}

/* Writes each call's own value in the first input, and whether its difference is significant. */
static int write_base(struct page_writing *w)
{
	const struct difference *d = &w->calls;
	uint32_t count = w->c->all.calls, i;
	uint8_t *sure = calloc((size_t)count + 1, 1);
	int rc = sure ? begin(w, "base", count) : -ENOMEM;

	for (i = 0; i < d->count && !rc; i++)
		sure[d->list[i].line] = d->list[i].significant;
	for (i = 0; i < count && !rc; i++)
		html_block_number(&w->block, (uint64_t)values_at(&w->c->all, w->c->all.self, i)[0]);
	for (i = 0; i < count && !rc; i++)
		html_block_number(&w->block, sure[i]);
	if (!rc)
		html_block_end(&w->block);
	free(sure);
	return rc;
}

/* Writes the lines of the report: numbers that it rounds are texts, as in the report. */
static int write_lines(struct page_writing *w)
{
	const struct difference *d = &w->lines;
	bool parts = w->c->parts;
	char text[128];
	uint32_t i;
	int rc = html_block_begin(&w->block, w->out, "lines");

	if (rc)
		return rc;
	for (i = 0; i < d->count; i++) {
		const struct difference_line *l = &d->list[i];

		snprintf(text, sizeof(text), "%u\t%" PRId64 "\t%" PRId64 "\t%.*f\t", l->line, l->a,
			 l->b, parts ? 3 : 0, l->delta);
		html_block_bytes(&w->block, text, strlen(text));
		if (l->sampled)
			snprintf(text, sizeof(text), "%.*f\t", parts ? 3 : 1, l->error);
		else
			snprintf(text, sizeof(text), "\t");
		html_block_bytes(&w->block, text, strlen(text));
		if (l->tested)
			snprintf(text, sizeof(text), "%.2g\t%d\n", l->adjusted, l->significant);
		else
			snprintf(text, sizeof(text), "\t%d\n", l->significant);
		html_block_bytes(&w->block, text, strlen(text));
	}
	html_block_end(&w->block);
	return 0;
}

/* ---- the page -------------------------------------------------------------------------------- */

static int difference_by(struct difference *d, const struct compare *c, enum compare_key key)
{
	struct compare_options how = keyed(c, key);
	struct compare as = *c;

	as.how = &how;
	return difference_of(d, &as);
}

static int write_blocks(struct page_writing *w)
{
	static int (*const blocks[])(struct page_writing * w) = {
		write_facts, write_texts, write_processes, write_frames,
		write_nodes, write_own,   write_base,      write_lines,
	};
	static const char *const empty[] = { "threads", "tracks", "parts", "stretches", "moments" };
	unsigned int i;
	int rc = 0;

	for (i = 0; i < sizeof(blocks) / sizeof(blocks[0]) && !rc; i++)
		rc = blocks[i](w);
	for (i = 0; i < sizeof(empty) / sizeof(empty[0]) && !rc; i++) {
		rc = begin(w, empty[i], 0);
		if (!rc)
			html_block_end(&w->block);
	}
	return rc;
}

int show_page(const struct compare *c, FILE *out)
{
	struct page_writing *w = calloc(1, sizeof(*w));
	int rc = w ? texts_open(&w->texts) : -ENOMEM;

	if (!w)
		return rc;
	w->c = c;
	w->out = out;
	if (!rc)
		rc = difference_by(&w->lines, c, BY_NAME);
	if (!rc)
		rc = difference_by(&w->calls, c, BY_PROCESS);
	if (!rc)
		rc = name_all(w);
	if (!rc) {
		fwrite(html_page_head, 1, html_page_head_size, out);
		rc = write_blocks(w);
		fwrite(html_page_tail, 1, html_page_tail_size, out);
	}
	difference_free(&w->lines);
	difference_free(&w->calls);
	texts_free(&w->texts);
	free(w);
	return rc;
}
