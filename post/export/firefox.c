/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The Firefox Profiler's processed profile, version 49, which newer versions of the Profiler
 * upgrade. Each thread has its own tables, so the tables of the whole trace are renumbered for each
 * thread.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/firefox_markers.h"
#include "export/frame_list.h"
#include "export/texts.h"
#include "export/thread_samples.h"
#include "export/writer.h"
#include "job.h"
#include "json.h"
#include "model/named_json.h"
#include "report/report.h"

enum { CATEGORY_OTHER, CATEGORY_USER, CATEGORY_KERNEL };

/* Per-thread numbers of items of the whole trace, in the same order. */
struct numbering {
	uint32_t *number; /* number + 1; 0: not in this thread */
	uint32_t *item;
	uint32_t items, of;
};

struct firefox_writing {
	const struct job *job;
	const struct symbol *symbol;
	const struct names *names;
	struct frame_list list;
	struct thread_samples samples;
	struct firefox_markers markers;
	uint64_t first; /* time of the first sample or marker */
	struct numbering stack, frame, func, lib;
	struct texts texts;
	struct json j;
	bool no_memory;
};

static bool numbering_open(struct numbering *n, uint32_t of)
{
	*n = (struct numbering){ .of = of };
	n->number = calloc((size_t)of + 1, sizeof(*n->number));
	n->item = malloc(((size_t)of + 1) * sizeof(*n->item));
	return n->number && n->item;
}

static uint32_t number_of(struct numbering *n, uint32_t item)
{
	if (!n->number[item]) {
		n->item[n->items++] = item;
		n->number[item] = n->items;
	}
	return n->number[item] - 1;
}

static void forget(struct numbering *n)
{
	while (n->items)
		n->number[n->item[--n->items]] = 0;
}

static void numbering_free(struct numbering *n)
{
	free(n->number);
	free(n->item);
}

static uint64_t text(struct firefox_writing *w, const char *name)
{
	uint32_t i = texts_name(&w->texts, name);

	w->no_memory |= i == NO_KEY;
	return i;
}

/* Numbers a stack; callers get smaller numbers than their callees. A stack may be deeper than
 * recursion can be. */
static uint32_t number_stack(struct firefox_writing *w, uint32_t stack)
{
	const struct list_stack *list = w->list.stack;
	uint32_t *path = w->list.path, n = 0;

	for (uint32_t at = stack; at != NO_KEY && !w->stack.number[at]; at = list[at].caller)
		path[n++] = at;
	while (n--)
		number_of(&w->stack, path[n]);
	return number_of(&w->stack, stack);
}

static uint64_t marker_name(void *w, const char *name)
{
	return text(w, name);
}

/* Writes milliseconds since the first sample or marker. */
static void put_time(struct firefox_writing *w, uint64_t time)
{
	json_fixed(&w->j, NULL, (double)(time - w->first) / 1e6, 6);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* A column of a table, and a column with the same value in each row. */
#define COLUMN(w, key, table, i, write)                \
	do {                                           \
		json_array(&(w)->j, key);              \
		for (i = 0; i < (w)->table.items; i++) \
			write;                         \
		json_end(&(w)->j, ']');                \
	} while (0)

static void put_weight(struct firefox_writing *w, const struct thread_sample *s)
{
	if (profile_counted(w->job->trace) && !w->job->trace->events.chosen)
		json_fixed(&w->j, NULL, (double)s->counted / 1e6, 6);
	else
		json_uint(&w->j, NULL, s->ticks);
}

static void put_stack(struct firefox_writing *w, const struct thread_sample *s)
{
	uint32_t stack = frame_list_stack(&w->list, s->stack);

	if (stack == NO_KEY)
		json_null(&w->j, NULL);
	else
		json_uint(&w->j, NULL, number_stack(w, stack));
}

static void put_sample_time(struct firefox_writing *w, const struct thread_sample *s)
{
	put_time(w, s->time);
}

static int write_samples(struct firefox_writing *w, uint32_t thread)
{
	static const struct {
		const char *name;
		void (*put)(struct firefox_writing *w, const struct thread_sample *s);
	} columns[] = { { "weight", put_weight },
			{ "stack", put_stack },
			{ "time", put_sample_time } };
	bool counted = profile_counted(w->job->trace) && !w->job->trace->events.chosen;
	const struct thread_sample *s;
	struct by_thread_reader r;
	struct json *j = &w->j;
	int rc = 0;

	json_object(j, "samples");
	json_string(j, "weightType", counted ? "tracing-ms" : "samples");
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]) && rc >= 0; i++) {
		json_array(j, columns[i].name);
		by_thread_begin(&r, &w->samples.by, thread);
		while ((rc = thread_samples_next(&r, &s)) > 0)
			columns[i].put(w, s);
		json_end(j, ']');
	}
	json_uint(j, "length", by_thread_count(&w->samples.by, thread));
	json_end(j, '}');
	return rc;
}

static unsigned int category(const struct firefox_writing *w, uint32_t frame)
{
	return w->list.frame[frame].kernel ? CATEGORY_KERNEL : CATEGORY_USER;
}

static void write_stacks(struct firefox_writing *w)
{
	struct json *j = &w->j;
	uint32_t i;

	json_object(j, "stackTable");
	COLUMN(w, "frame", stack, i,
	       json_uint(j, NULL, number_of(&w->frame, w->list.stack[w->stack.item[i]].frame)));
	json_array(j, "prefix");
	for (i = 0; i < w->stack.items; i++) {
		uint32_t caller = w->list.stack[w->stack.item[i]].caller;

		if (caller == NO_KEY)
			json_null(j, NULL);
		else
			json_uint(j, NULL, number_of(&w->stack, caller));
	}
	json_end(j, ']');
	COLUMN(w, "category", stack, i,
	       json_uint(j, NULL, category(w, w->list.stack[w->stack.item[i]].frame)));
	COLUMN(w, "subcategory", stack, i, json_uint(j, NULL, 0));
	json_uint(j, "length", w->stack.items);
	json_end(j, '}');
}

/* Returns the inline depth at the frame's address: 0 for the outermost function. */
static uint32_t inline_depth(const struct firefox_writing *w, uint32_t frame)
{
	return w->symbol[w->list.frame[frame].symbol].inlined;
}

static void write_line(struct firefox_writing *w, uint32_t frame)
{
	uint32_t line = w->symbol[w->list.frame[frame].symbol].line;

	if (line)
		json_uint(&w->j, NULL, line);
	else
		json_null(&w->j, NULL);
}

static void write_frames(struct firefox_writing *w)
{
	struct json *j = &w->j;
	uint32_t i;

	json_object(j, "frameTable");
	/* JSON numbers are exact only up to 2^53: kernel addresses become -1 (unknown). */
	COLUMN(w, "address", frame, i,
	       json_int(j, NULL,
			w->list.frame[w->frame.item[i]].address >> 53 ?
				-1 :
				(int64_t)w->list.frame[w->frame.item[i]].address));
	COLUMN(w, "inlineDepth", frame, i, json_uint(j, NULL, inline_depth(w, w->frame.item[i])));
	COLUMN(w, "category", frame, i, json_uint(j, NULL, category(w, w->frame.item[i])));
	COLUMN(w, "subcategory", frame, i, json_uint(j, NULL, 0));
	COLUMN(w, "func", frame, i,
	       json_uint(j, NULL, number_of(&w->func, w->list.frame[w->frame.item[i]].symbol)));
	COLUMN(w, "nativeSymbol", frame, i, json_null(j, NULL));
	COLUMN(w, "innerWindowID", frame, i, json_null(j, NULL));
	COLUMN(w, "implementation", frame, i, json_null(j, NULL));
	COLUMN(w, "line", frame, i, write_line(w, w->frame.item[i]));
	COLUMN(w, "column", frame, i, json_null(j, NULL));
	COLUMN(w, "optimizations", frame, i, json_null(j, NULL));
	json_uint(j, "length", w->frame.items);
	json_end(j, '}');
}

static void write_file(struct firefox_writing *w, uint32_t symbol)
{
	if (w->symbol[symbol].file)
		json_uint(&w->j, NULL, text(w, w->symbol[symbol].file));
	else
		json_null(&w->j, NULL);
}

static void write_funcs(struct firefox_writing *w)
{
	struct json *j = &w->j;
	uint32_t i;

	json_object(j, "funcTable");
	COLUMN(w, "name", func, i, json_uint(j, NULL, text(w, w->symbol[w->func.item[i]].name)));
	COLUMN(w, "isJS", func, i, json_bool(j, NULL, false));
	COLUMN(w, "relevantForJS", func, i, json_bool(j, NULL, false));
	COLUMN(w, "resource", func, i,
	       json_uint(j, NULL, number_of(&w->lib, w->symbol[w->func.item[i]].module)));
	COLUMN(w, "fileName", func, i, write_file(w, w->func.item[i]));
	COLUMN(w, "lineNumber", func, i, json_null(j, NULL));
	COLUMN(w, "columnNumber", func, i, json_null(j, NULL));
	json_uint(j, "length", w->func.items);
	json_end(j, '}');
}

static void write_resources(struct firefox_writing *w)
{
	struct json *j = &w->j;
	uint32_t i;

	json_object(j, "resourceTable");
	COLUMN(w, "lib", lib, i, json_uint(j, NULL, w->lib.item[i]));
	COLUMN(w, "name", lib, i,
	       json_uint(j, NULL, text(w, w->names->module[w->lib.item[i]].name)));
	COLUMN(w, "host", lib, i, json_null(j, NULL));
	COLUMN(w, "type", lib, i, json_uint(j, NULL, 1)); /* a library */
	json_uint(j, "length", w->lib.items);
	json_end(j, '}');
}

static void empty_table(struct json *j, const char *key, const char *const *columns)
{
	json_object(j, key);
	for (; *columns; columns++) {
		json_array(j, *columns);
		json_end(j, ']');
	}
	json_uint(j, "length", 0);
	json_end(j, '}');
}

static void write_texts(struct firefox_writing *w)
{
	uint32_t i;

	json_array(&w->j, "stringArray");
	for (i = 0; i < w->texts.count; i++)
		json_string(&w->j, NULL, w->texts.string[i]);
	json_end(&w->j, ']');
}

/* ---- threads --------------------------------------------------------------------------------- */

/* A thread that has only markers may be unknown until these are read. */
static int write_thread(struct firefox_writing *w, uint32_t thread)
{
	static const char *const natives[] = {
		"libIndex", "address", "name", "functionSize", NULL,
	};
	const struct trace_thread *t = &w->names->thread[thread];
	const struct trace_process *p = profile_process(w->names, t->process);
	struct json *j = &w->j;
	char number[16];
	int rc;

	texts_free(&w->texts);
	rc = texts_open(&w->texts);
	if (rc)
		return rc;
	forget(&w->stack);
	forget(&w->frame);
	forget(&w->func);
	forget(&w->lib);
	json_object(j, NULL);
	json_string(j, "processType", "default");
	json_string(j, "processName", p->name);
	json_string(j, "name", t->name);
	json_bool(j, "isMainThread", t->tid == p->pid);
	snprintf(number, sizeof(number), "%u", names_unique(p));
	json_string(j, "pid", number);
	json_uint(j, "tid", t->tid);
	json_uint(j, "processStartupTime", 0);
	json_null(j, "processShutdownTime");
	json_uint(j, "registerTime", 0);
	json_null(j, "unregisterTime");
	json_array(j, "pausedRanges");
	json_end(j, ']');
	json_bool(j, "showMarkersInTimeline", true);
	rc = write_samples(w, thread);
	if (!rc)
		rc = firefox_markers_write(&w->markers, j, thread, w->first, marker_name, w);
	write_stacks(w);
	write_frames(w);
	write_funcs(w);
	write_resources(w);
	empty_table(j, "nativeSymbols", natives);
	write_texts(w);
	json_end(j, '}');
	return w->no_memory ? -ENOMEM : rc;
}

static void write_category(struct json *j, const char *name, const char *colour)
{
	json_object(j, NULL);
	json_string(j, "name", name);
	json_string(j, "color", colour);
	json_array(j, "subcategories");
	json_string(j, NULL, "Other");
	json_end(j, ']');
	json_end(j, '}');
}

static void write_meta(struct firefox_writing *w)
{
	const struct trace *t = w->job->trace;
	const struct pifile_header *h = &w->job->input->header;
	struct json *j = &w->j;
	char text_room[sizeof(h->machine) + 1];

	json_object(j, "meta");
	json_fixed(j, "interval", t->rate ? 1000.0 / t->rate : 1.0, 6);
	json_fixed(j, "startTime", (double)t->start_realtime / 1e6, 6);
	json_uint(j, "processType", 0);
	json_uint(j, "version", 24);
	json_uint(j, "preprocessedProfileVersion", 49);
	json_string(j, "product", w->job->input->path);
	json_uint(j, "stackwalk", 1);
	json_uint(j, "debug", 0);
	json_bool(j, "symbolicated", true);
	json_bool(j, "doesNotUseFrameImplementation", true);
	json_bool(j, "usesOnlyOneStackType", true);
	json_bool(j, "sourceCodeIsNotOnSearchfox", true);
	json_string(j, "importedFrom", "pitrace " PITRACE_VERSION);
	snprintf(text_room, sizeof(text_room), "%.*s", (int)sizeof(h->machine), h->machine);
	json_string(j, "oscpu", text_room);
	json_array(j, "categories");
	write_category(j, "Other", "grey");
	write_category(j, "User", "yellow");
	write_category(j, "Kernel", "orange");
	json_end(j, ']');
	firefox_markers_schema(j, &w->job->model->named);
	json_end(j, '}');
}

static void write_libs(struct firefox_writing *w)
{
	char digits[PROFILE_ID_DIGITS];
	struct json *j = &w->j;
	uint32_t i;

	json_array(j, "libs");
	for (i = 0; i < w->names->nmodule; i++) {
		const char *name = w->names->module[i].name;
		const char *id = profile_build_id_text(w->names, i, digits);

		json_object(j, NULL);
		json_string(j, "name", short_module(name));
		json_string(j, "path", name);
		json_string(j, "debugName", short_module(name));
		json_string(j, "debugPath", name);
		json_string(j, "breakpadId", "");
		if (id)
			json_string(j, "codeId", id);
		else
			json_null(j, "codeId");
		json_string(j, "arch", "");
		json_end(j, '}');
	}
	json_end(j, ']');
}

static int write_all(struct firefox_writing *w, FILE *out)
{
	struct json *j = &w->j;
	uint32_t i;
	int rc = 0;

	w->first = w->samples.first < w->markers.first ? w->samples.first : w->markers.first;
	json_begin(j, out, false);
	json_object(j, NULL);
	write_meta(w);
	write_libs(w);
	json_array(j, "threads");
	for (i = 0; i < w->names->nthread && !rc; i++) {
		if (by_thread_count(&w->samples.by, i) || by_thread_count(&w->markers.by, i))
			rc = write_thread(w, i);
	}
	json_end(j, ']');
	json_array(j, "pages");
	json_end(j, ']');
	json_array(j, "counters");
	json_end(j, ']');
	json_end(j, '}');
	return rc;
}

static int firefox_write(const struct job *job, FILE *out)
{
	const struct names *n = &job->model->names;
	struct firefox_writing w = { .job = job, .names = n, .symbol = n->symbols.symbol };
	int rc = thread_samples_read(&w.samples, job);

	if (!rc)
		rc = firefox_markers_read(&w.markers, job);
	if (!rc)
		rc = frame_list_make(&w.list, job, true);
	if (!rc &&
	    !(numbering_open(&w.stack, w.list.stacks) && numbering_open(&w.frame, w.list.frames) &&
	      numbering_open(&w.func, n->symbols.count) && numbering_open(&w.lib, n->nmodule)))
		rc = -ENOMEM;
	if (!rc)
		rc = write_all(&w, out);
	numbering_free(&w.stack);
	numbering_free(&w.frame);
	numbering_free(&w.func);
	numbering_free(&w.lib);
	texts_free(&w.texts);
	frame_list_free(&w.list);
	thread_samples_free(&w.samples);
	firefox_markers_free(&w.markers);
	return rc;
}

const struct writer writer_firefox = {
	.name = "firefox",
	.what = "JSON for the Firefox Profiler (profiler.firefox.com), processed",
	.path = "post.firefox.json",
	.needs = NEED_SAMPLES | NEED_STACKS | NEED_PLACES | NEED_MARKS,
	.write = firefox_write,
};
