/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * log-rt: the call trees of threads as written by libjprof and libhookit, in text form. The first
 * lines describe the measurement; the last of them names the columns. They are followed by the
 * nodes, parents before their children, up to an empty line; the rest lists what was left out. A
 * truncated log is read up to its last complete line.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "input/jprof/jprof_tree.h"
#include "input/window.h"

/* Bytes of a line: names have up to 65,535 each; escaped, four times as many. */
#define WINDOW (1u << 20)
#define FIRST  "pitrace log-rt"
#define HEAD   1000 /* maximum lines before the columns */

enum column_is { IS_LEVEL, IS_CALLS, IS_CALLEES, IS_VALUE, IS_NAME };

struct rt_reader {
	struct jprof_tree tree;
	struct window w;
	uint64_t at, line; /* offset of the next line; number of the last one */
	bool cut;          /* the file ends within a line */
	struct {
		enum column_is is;
		char name[32];
		bool met; /* a number was found there */
	} column[JPROF_COLUMNS + 4];
	uint32_t ncolumn, values;
	uint32_t *path; /* by level: the last node */
	uint32_t levels, room_levels;
	uint64_t entries, not_kept, left_out, calls;
	bool has_entries;
	char metrics[4096]; /* lines */
	size_t used_metrics;
	char *name; /* an unescaped name */
	size_t room_name;
};

static bool log_rt_probe(const void *head, size_t size)
{
	return size > sizeof(FIRST) - 1 && !memcmp(head, FIRST, sizeof(FIRST) - 1);
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Returns the next line without its newline; false: no more. Skips a line that exceeds the
 * window. */
static bool next_line(struct rt_reader *l, struct bytes *line, uint64_t *offset)
{
	const uint8_t *p, *end;
	size_t have;

	for (;;) {
		p = window_look(&l->w, l->at, 1, &have);
		end = p ? memchr(p, '\n', have) : NULL;
		if (p && !end) {
			p = window_look(&l->w, l->at, WINDOW, &have);
			end = p ? memchr(p, '\n', have) : NULL;
		}
		if (!p)
			return false;
		*offset = l->at;
		l->line++;
		if (end) {
			*line = bytes_of(p, (size_t)(end - p));
			l->at += line->size + 1;
			return true;
		}
		if (have < WINDOW) {
			l->cut = true;
			l->at += have;
			return false;
		}
		faults_report(&l->tree.faults, *offset,
			      "line %" PRIu64 " has more than %u bytes: left out", l->line, WINDOW);
		while (p && !end) {
			l->at += have;
			p = window_look(&l->w, l->at, 1, &have);
			end = p ? memchr(p, '\n', have) : NULL;
		}
		l->at += end ? (size_t)(end - p) + 1 : 0;
	}
}

static bool begins(const struct bytes *line, const char *word)
{
	size_t n = strlen(word);

	return line->size >= n && !memcmp(line->base, word, n);
}

/* ---- the head -------------------------------------------------------------------------------- */

/* Returns the number after the word in the line. */
static bool number_behind(const struct bytes *line, const char *word, uint64_t *value)
{
	const uint8_t *p = memmem(line->base, line->size, word, strlen(word));
	struct bytes b;

	if (!p)
		return false;
	p += strlen(word);
	b = bytes_of(p, line->size - (size_t)(p - line->base));
	text_skip_blanks(&b);
	return text_number(&b, 10, value);
}

static void read_head_line(struct rt_reader *l, const struct bytes *line)
{
	uint64_t value;

	if (begins(line, "entries "))
		l->has_entries = number_behind(line, "entries ", &l->entries);
	if (begins(line, "not kept:")) {
		if (number_behind(line, "calls deeper than ", &value)) {
			char word[48];

			snprintf(word, sizeof(word), "calls deeper than %" PRIu64 " ", value);
			if (number_behind(line, word, &value))
				l->not_kept = value;
		}
	}
	if (begins(line, "left out: calls that took less than ") &&
	    number_behind(line, "less than ", &value)) {
		char word[48];

		snprintf(word, sizeof(word), "less than %" PRIu64 ": ", value);
		if (number_behind(line, word, &value))
			l->left_out = value;
	}
	if (begins(line, "metric") && line->size < sizeof(l->metrics) - l->used_metrics) {
		memcpy(l->metrics + l->used_metrics, line->base, line->size);
		l->used_metrics += line->size + 1; /* a NUL follows */
	}
}

static bool is_word(const char *word, size_t length, const char *other)
{
	return strlen(other) == length && !memcmp(word, other, length);
}

/* Parses "LV CALLS CEE BASE DELTA DS IN NAME": the columns between CEE and NAME are values. */
static bool read_columns(struct rt_reader *l, struct bytes line)
{
	static const char *const known[] = { "LV", "CALLS", "CEE" };
	const char *word;
	size_t n;

	while (text_word(&line, &word, &n)) {
		uint32_t i = l->ncolumn;

		if (i >= JPROF_COLUMNS + 4 || n >= sizeof(l->column[i].name) ||
		    (i < 3 && !is_word(word, n, known[i])))
			return false;
		memcpy(l->column[i].name, word, n);
		l->column[i].is = i < 3                    ? (enum column_is)i :
				  is_word(word, n, "NAME") ? IS_NAME :
							     IS_VALUE;
		l->ncolumn++;
		if (l->column[i].is == IS_NAME)
			break;
		l->values += i >= 3;
	}
	return l->ncolumn > 3 && l->column[l->ncolumn - 1].is == IS_NAME && !bytes_left(&line);
}

static int read_head(struct rt_reader *l, struct pifile_fault *fault)
{
	struct bytes line, words;
	uint64_t offset = 0;
	const char *word;
	size_t n;

	while (l->line < HEAD && next_line(l, &line, &offset)) {
		words = line;
		if (text_word(&words, &word, &n) && is_word(word, n, "LV")) {
			if (read_columns(l, line))
				return 0;
			fault->offset = offset;
			snprintf(fault->what, sizeof(fault->what),
				 "line %" PRIu64
				 ": no columns of a log-rt (LV CALLS CEE … NAME): nothing is read",
				 l->line);
			return -EINVAL;
		}
		read_head_line(l, &line);
	}
	fault->offset = l->at;
	snprintf(fault->what, sizeof(fault->what),
		 "line %" PRIu64 ": the log ends before its columns are named: nothing is read",
		 l->line);
	return -EINVAL;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static int hex_digit(uint8_t c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes \xNN and \\, as the writer escapes bytes that are not text. */
static int read_name(struct rt_reader *l, const struct bytes *b, size_t *length)
{
	const uint8_t *p = b->base + b->at, *end = b->base + b->size;
	char *to;

	if (array_room(l->name, l->room_name, bytes_left(b) + 1))
		return -ENOMEM;
	for (to = l->name; p < end; p++) {
		if (*p == '\\' && end - p >= 4 && p[1] == 'x' && hex_digit(p[2]) >= 0 &&
		    hex_digit(p[3]) >= 0) {
			*to++ = (char)(hex_digit(p[2]) << 4 | hex_digit(p[3]));
			p += 3;
		} else {
			if (*p == '\\' && end - p >= 2 && p[1] == '\\')
				p++;
			*to++ = (char)*p;
		}
	}
	*length = (size_t)(to - l->name);
	return 0;
}

struct node_line {
	uint64_t level, calls, value[JPROF_COLUMNS];
	bool negative; /* a number was negative, and counts as 0 */
};

/* Reads the numbers before the name; *why: an error message. An unknown value is "-". */
static bool read_numbers(struct rt_reader *l, struct bytes *b, struct node_line *n,
			 const char **why)
{
	uint32_t i, value = 0;

	*n = (struct node_line){ 0 };
	for (i = 0; i + 1 < l->ncolumn; i++) {
		uint64_t number = 0;
		bool minus;

		text_skip_blanks(b);
		minus = text_char(b, '-');
		if (!text_number(b, 10, &number)) {
			if (!minus || i < 3) {
				*why = "a number is missing";
				return false;
			}
		} else if (minus && i == IS_LEVEL) {
			*why = "its level is less than 0";
			return false;
		} else if (minus) {
			n->negative = true;
			number = 0;
		} else if (i >= 3) {
			l->column[i].met = true;
		}
		if (!text_char(b, ' ')) {
			*why = "a blank is missing behind a number";
			return false;
		}
		if (i == IS_LEVEL)
			n->level = number;
		else if (i == IS_CALLS)
			n->calls = number;
		else if (i >= 3)
			n->value[value++] = number;
	}
	if (!bytes_left(b))
		*why = "the name is missing";
	return bytes_left(b);
}

/* A thread is written NAME_TID. */
static int add_thread(struct rt_reader *l, size_t length, uint32_t *node)
{
	size_t at = length;
	uint64_t tid = 0;
	struct bytes b;

	while (at && isdigit((unsigned char)l->name[at - 1]))
		at--;
	b = bytes_of(l->name + at, length - at);
	if (at && l->name[at - 1] == '_' && text_number(&b, 10, &tid) && tid <= INT32_MAX)
		length = at - 1;
	else
		tid = 0;
	return jprof_tree_thread(&l->tree, (uint32_t)tid, l->name, length, node);
}

/* METHODTYPES adds a letter before a method: one that was both interpreted and compiled has two
 * nodes of the same name. */
static size_t type_letter(const char *name, size_t length)
{
	return length > 2 && name[1] == ':' && strchr("IiJjNnCcOoFf", name[0]) ? 2 : 0;
}

static int add_node(struct rt_reader *l, struct bytes *b, const struct node_line *n)
{
	uint32_t node, method;
	size_t length, skip;
	int rc = read_name(l, b, &length);

	if (rc)
		return rc;
	if (!n->level) {
		rc = add_thread(l, length, &node);
	} else {
		skip = type_letter(l->name, length);
		method = jprof_method(&l->tree.methods, l->name + skip, length - skip);
		if (skip && method != NO_KEY && toupper(l->name[0]) == 'F')
			l->tree.methods.text[method].compiled = true;
		rc = method == NO_KEY ?
			     -ENOMEM :
			     jprof_tree_node(&l->tree, l->path[n->level - 1], method, &node);
	}
	if (!rc)
		rc = array_reach(l->path, l->room_levels, (uint32_t)n->level);
	if (rc)
		return rc;
	l->path[n->level] = node;
	l->levels = (uint32_t)n->level + 1;
	l->tree.node[node].calls = n->calls;
	if (l->tree.columns)
		memcpy(jprof_tree_columns(&l->tree, node), n->value,
		       l->tree.columns * sizeof(*n->value));
	l->calls += n->level && n->calls < INT64_MAX - l->calls ? n->calls : 0;
	return 0;
}

static int read_node(struct rt_reader *l, struct bytes line, uint64_t offset)
{
	const char *why = NULL;
	struct node_line n;

	if (!read_numbers(l, &line, &n, &why))
		;
	else if (n.level > l->levels)
		why = "it is deeper than what the line before can have called";
	if (why) {
		faults_report(&l->tree.faults, offset, "line %" PRIu64 ": %s: the line is left out",
			      l->line, why);
		return 0;
	}
	if (n.negative)
		faults_report(&l->tree.faults, offset,
			      "line %" PRIu64 ": a value less than 0, which counts as 0", l->line);
	return add_node(l, &line, &n);
}

/* A thread's last event may have been recorded while the log was written. */
static void check_end(struct rt_reader *l)
{
	uint64_t want = l->entries > l->not_kept ? l->entries - l->not_kept : 0;

	want = want > l->left_out ? want - l->left_out : 0;

	if (l->cut)
		faults_report(&l->tree.faults, l->at,
			      "incomplete: the log ends within line %" PRIu64
			      ": the lines before it are read",
			      l->line);
	else if (l->has_entries && want > l->calls && want - l->calls > l->tree.threads)
		faults_report(&l->tree.faults, l->at,
			      "incomplete: the log has %" PRIu64 " of %" PRIu64
			      " calls: it ends too early, with line %" PRIu64,
			      l->calls, want, l->line);
}

static int read_nodes(struct rt_reader *l)
{
	uint64_t offset;
	struct bytes line;
	int rc = 0;

	while (!rc && next_line(l, &line, &offset) && line.size)
		rc = read_node(l, line, offset);
	if (!rc)
		check_end(l);
	return rc;
}

/* ---- inlined functions ----------------------------------------------------------------------- */

#define INLINED      "inlined, and counted with the function that it is in:"
#define INLINED_MOST 16 /* shown behind a function's name */

struct inlined_of {
	uint32_t method; /* NO_KEY: none, or it is in no tree */
	uint32_t n;
	char *text;
	size_t used, room;
};

static int add_text(struct inlined_of *f, const char *text, size_t length)
{
	if (array_room(f->text, f->room, f->used + length))
		return -ENOMEM;
	memcpy(f->text + f->used, text, length);
	f->used += length;
	return 0;
}

static int end_function(struct rt_reader *l, struct inlined_of *f)
{
	char more[48] = ")";
	int rc;

	if (f->method == NO_KEY || !f->n)
		return 0;
	if (f->n > INLINED_MOST)
		snprintf(more, sizeof(more), " and %" PRIu32 " more)", f->n - INLINED_MOST);
	rc = add_text(f, more, strlen(more));
	return rc ? rc : jprof_method_note(&l->tree.methods, f->method, f->text, f->used);
}

/* "NAME at FILE:LINE" behind a tab. */
static int read_inlined(struct rt_reader *l, struct inlined_of *f, struct bytes line)
{
	size_t length = 0;
	int rc;

	bytes_skip(&line, 1);
	rc = read_name(l, &line, &length);
	if (rc || f->method == NO_KEY || !length || f->n++ >= INLINED_MOST)
		return rc;
	rc = f->n == 1 ? add_text(f, " (inlined: ", 11) : add_text(f, ", ", 2);
	return rc ? rc : add_text(f, l->name, length);
}

static int begin_function(struct rt_reader *l, struct inlined_of *f, struct bytes line)
{
	uint32_t known = l->tree.methods.count;
	size_t length = 0;
	int rc = read_name(l, &line, &length);

	f->n = 0;
	f->used = 0;
	if (rc)
		return rc;
	f->method = jprof_method(&l->tree.methods, l->name, length);
	if (f->method == NO_KEY)
		return -ENOMEM;
	/* MINTIME= leaves functions out of the trees. */
	if (f->method >= known)
		f->method = NO_KEY;
	return 0;
}

/* Reads the part on inlined functions, which follows the nodes, if there is one. */
static int read_all_inlined(struct rt_reader *l)
{
	struct inlined_of f = { .method = NO_KEY };
	struct bytes line = { 0 };
	uint64_t offset;
	bool found = false, was_cut = l->cut;
	int rc = 0;

	while (!found && next_line(l, &line, &offset))
		found = is_word((const char *)line.base, line.size, INLINED);
	while (found && !rc && next_line(l, &line, &offset) && line.size) {
		if (*line.base == '\t') {
			rc = read_inlined(l, &f, line);
			continue;
		}
		rc = end_function(l, &f);
		if (!rc)
			rc = begin_function(l, &f, line);
	}
	if (!rc)
		rc = end_function(l, &f);
	if (l->cut && !was_cut)
		faults_report(&l->tree.faults, l->at,
			      "incomplete: the log ends within line %" PRIu64
			      ": what is inlined behind it is not known",
			      l->line);
	free(f.text);
	return rc;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* BASE and DELTA, or BASE1 and DELTA1, form a metric; other columns are events by their names. */
static void choose_values(struct rt_reader *l)
{
	uint32_t i, k;

	for (i = 3; i + 1 < l->ncolumn; i++) {
		const char *name = l->column[i].name, *next = l->column[i + 1].name;
		char lower[32];

		if (!strncmp(name, "BASE", 4) && !strncmp(next, "DELTA", 5) &&
		    !strcmp(name + 4, next + 5)) {
			jprof_tree_metric(&l->tree, (unsigned int)atoi(name + 4), (int32_t)i - 3,
					  (int32_t)i - 2);
			i++;
			continue;
		}
		if (!l->column[i].met)
			continue;
		for (k = 0; name[k]; k++)
			lower[k] = (char)tolower((unsigned char)name[k]);
		lower[k] = '\0';
		jprof_tree_value(&l->tree,
				 !strcmp(lower, "ds") ? "dispatches" :
				 !strcmp(lower, "in") ? "interrupts" :
							lower,
				 (int32_t)i - 3, -1);
	}
	jprof_tree_calls(&l->tree);
}

/* ---- the reader ------------------------------------------------------------------------------ */

static void log_rt_close(struct input *in)
{
	struct rt_reader *l = in->state;

	window_close(&l->w);
	jprof_tree_free(&l->tree);
	free(l->path);
	free(l->name);
	free(l);
	in->state = NULL;
}

static int read_log(struct input *in, struct rt_reader *l, struct pifile_fault *fault)
{
	int rc = jprof_tree_open(&l->tree, in, "log-rt");

	if (!rc)
		rc = window_open(&l->w, in->path, WINDOW);
	in->size = l->tree.file_size = l->w.size;
	if (!rc)
		rc = read_head(l, fault);
	l->tree.columns = l->values;
	if (!rc)
		rc = read_nodes(l);
	if (!rc && in->inlined)
		rc = read_all_inlined(l);
	if (rc)
		return rc;
	choose_values(l);
	return jprof_tree_finish(&l->tree);
}

/* Parses the lines "metric: wall (cycles) by …" or, for several, "metric 2: …". */
static void set_units(struct input *in, const struct rt_reader *l)
{
	size_t at, skip = strlen("metric");

	for (at = 0; at < l->used_metrics; at += strlen(l->metrics + at) + 1) {
		const char *line = l->metrics + at, *name = strstr(line, ": ");
		uint32_t number = 1;

		if (line[skip] == ' ')
			number = (uint32_t)strtoul(line + skip, NULL, 10);
		if (name)
			jprof_tree_unit(in, number, name + 2, strlen(name + 2));
	}
}

static int log_rt_open(struct input *in, struct pifile_fault *fault)
{
	struct rt_reader *l = calloc(1, sizeof(*l));
	int rc;

	if (!l)
		return -ENOMEM;
	l->w.fd = -1;
	in->state = l;
	rc = read_log(in, l, fault);
	if (rc) {
		if (!fault->what[0]) {
			snprintf(fault->what, sizeof(fault->what), "%s", strerror(-rc));
			fault->offset = NO_OFFSET;
		}
		log_rt_close(in);
		return rc;
	}
	set_units(in, l);
	window_close(&l->w);
	l->tree.faults.all = true;
	in->complete = !l->tree.faults.count;
	return 0;
}

static int log_rt_begin(struct input *in, unsigned int what)
{
	struct rt_reader *l = in->state;

	jprof_tree_begin(&l->tree, what);
	return 0;
}

static int log_rt_next(struct input *in, struct pirecord *r)
{
	struct rt_reader *l = in->state;
	int rc = jprof_tree_first(&l->tree, r);

	return rc ? rc : jprof_tree_next(&l->tree, r);
}

static void log_rt_progress(const struct input *in, uint64_t *done, uint64_t *total)
{
	const struct rt_reader *l = in->state;

	*done = l->tree.at;
	*total = l->tree.nodes;
}

static bool log_rt_place(const struct input *in, uint32_t origin, uint32_t number,
			 struct stack_place *place)
{
	const struct rt_reader *l = in->state;

	(void)origin;
	return jprof_tree_place(&l->tree, number, place);
}

static int log_rt_section(struct input *in, size_t i, struct input_section *section)
{
	const struct rt_reader *l = in->state;

	return jprof_tree_section(&l->tree, i, section);
}

static int log_rt_info(struct input *in, input_say say, void *arg)
{
	const struct rt_reader *l = in->state;
	char text[64];
	size_t at;

	for (at = 0; at < l->used_metrics; at += strlen(l->metrics + at) + 1)
		say(arg, l->metrics + at);
	snprintf(text, sizeof(text), "threads : %u", l->tree.threads);
	say(arg, text);
	snprintf(text, sizeof(text), "nodes : %u", l->tree.nodes);
	say(arg, text);
	return 0;
}

static size_t log_rt_faults(const struct input *in, const struct pifile_fault **list)
{
	const struct rt_reader *l = in->state;

	*list = l->tree.faults.list;
	return l->tree.faults.count;
}

const struct reader reader_log_rt = {
	.name = "log-rt",
	.what = "call trees of threads: libjprof, libhookit",
	.probe = log_rt_probe,
	.open = log_rt_open,
	.begin = log_rt_begin,
	.next = log_rt_next,
	.progress = log_rt_progress,
	.section = log_rt_section,
	.place = log_rt_place,
	.monotonic = jprof_tree_monotonic,
	.realtime = jprof_tree_realtime,
	.info = log_rt_info,
	.faults = log_rt_faults,
	.close = log_rt_close,
};
