/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The live view without a trace and a terminal: tables stay within their bounds and lose no count,
 * rows are chosen and put in order, lines fit whatever is in a name, keys do what help says.
 */
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "top_keys.h"
#include "top_text.h"
#include "top_watch.h"
#include "escape.h"
#include "fit.h"
#include "unit.h"

static const struct top_part nowhere;

static void begin(struct top_model *m)
{
	top_model_init(m);
	top_model_begin(m, 1000, &nowhere, true);
}

static uint32_t thread_of(struct top_model *m, uint32_t pid, uint32_t tid, const char *group)
{
	bool fresh;
	uint32_t at = top_model_thread(m, pid, tid, &fresh);

	if (fresh)
		top_model_name(m, at, "thread", "process", group);
	return at;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static uint64_t ticks_of(const struct top_table *t, enum top_span span)
{
	struct top_count total;

	top_table_total(t, span, &total);
	return total.ticks;
}

/* Far more rows than there is room for: none more, every tick is somewhere, what is hot stays. */
static void bound(void)
{
	enum { MOST = 64, ALL = 10000 };
	struct top_count one = { .ticks = 1, .off = 3 }, total;
	struct top_table t;
	uint64_t added = 0;

	top_table_init(&t, MOST);
	for (uint64_t i = 0; i < ALL; i++) {
		for (uint64_t hot = 0; hot < 2; hot++, added++)
			top_table_add(&t, top_table_get(&t, hot, 7), &one);
		top_table_add(&t, top_table_get(&t, 1000 + i, 0), &one);
		added++;
		CU_ASSERT_FATAL(t.n <= MOST);
		CU_ASSERT_EQUAL(ticks_of(&t, TOP_SUM), added);
	}
	top_table_total(&t, TOP_INTERVAL, &total);
	CU_ASSERT_EQUAL(total.ticks, added);
	CU_ASSERT_EQUAL(total.off, 3 * added);
	for (uint64_t hot = 0; hot < 2; hot++) {
		uint32_t at = top_table_find(&t, hot, 7);

		CU_ASSERT_FATAL(at != NO_KEY);
		CU_ASSERT_EQUAL(t.row[at].count[TOP_SUM].ticks, ALL);
	}
	CU_ASSERT_EQUAL(t.folded + t.n, ALL + 2);
	CU_ASSERT_EQUAL(t.others[TOP_SUM].ticks, t.folded);
	CU_ASSERT(t.generation > 100);
	top_table_free(&t);
}

/* Rows that all count the same: half of them make room, not all. */
static void equal_rows(void)
{
	struct top_count one = { .ticks = 5 };
	struct top_table t;

	top_table_init(&t, 9);
	for (uint64_t i = 0; i < 10; i++)
		top_table_add(&t, top_table_get(&t, i, i), &one);
	CU_ASSERT_EQUAL(t.n, 6);
	CU_ASSERT_EQUAL(t.folded, 4);
	for (uint32_t i = 0; i < t.n; i++)
		CU_ASSERT_EQUAL(top_table_find(&t, t.row[i].key, t.row[i].second), i);
	CU_ASSERT_EQUAL(ticks_of(&t, TOP_SUM), 50);
	top_table_free(&t);
}

static void spans(void)
{
	struct top_count one = { .ticks = 1 };
	struct top_table t, copy;

	top_table_init(&t, 9);
	top_table_add(&t, top_table_get(&t, 1, 1), &one);
	top_table_begin(&t, false);
	top_table_add(&t, top_table_get(&t, 1, 1), &one);
	CU_ASSERT_EQUAL(ticks_of(&t, TOP_INTERVAL), 1);
	CU_ASSERT_EQUAL(ticks_of(&t, TOP_SUM), 2);
	CU_ASSERT_EQUAL(top_name_set(&t.row[0].name, "name"), 0);
	CU_ASSERT_EQUAL(top_table_copy(&copy, &t), 0);
	top_table_begin(&t, true);
	CU_ASSERT_EQUAL(ticks_of(&t, TOP_SUM), 0);
	CU_ASSERT_EQUAL(ticks_of(&copy, TOP_SUM), 2);
	CU_ASSERT_EQUAL(top_table_find(&copy, 1, 1), 0);
	CU_ASSERT(copy.row[0].name != t.row[0].name);
	CU_ASSERT_STRING_EQUAL(copy.row[0].name, "name");
	top_table_free(&t);
	top_table_free(&copy);
}

static void long_names(void)
{
	static char name[65536];
	struct top_model m;
	uint32_t a, b;

	memset(name, 'x', sizeof(name) - 1);
	begin(&m);
	a = top_model_function(&m, name, "module");
	name[sizeof(name) - 2] = 'y';
	b = top_model_function(&m, name, "module");
	CU_ASSERT(a != b);
	CU_ASSERT_EQUAL(strlen(m.function.row[a].name), TOP_NAME_BYTES);
	CU_ASSERT_EQUAL(top_model_function(&m, name, "module"), b);
	top_model_free(&m);
}

/* ---- what happened --------------------------------------------------------------------------- */

static const struct top_count *row_named(const struct top_table *t, const char *name)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (t->row[i].name && !strcmp(t->row[i].name, name))
			return &t->row[i].count[TOP_SUM];
	CU_FAIL_FATAL("no such row");
	return NULL;
}

static void ticks(void)
{
	uint32_t f[4], thread;
	struct top_model m;

	begin(&m);
	thread = thread_of(&m, 7, 8, "/group");
	f[0] = top_model_function(&m, "leaf", "a");
	f[1] = top_model_function(&m, "middle", "a");
	f[2] = f[0]; /* recursion */
	f[3] = top_model_function(&m, "main", "b");
	top_model_tick(&m, thread, f, 4);
	top_model_tick(&m, thread, f + 1, 3);
	top_model_tick(&m, thread, f + 3, 1);
	top_model_idle(&m, 5);
	top_model_lost(&m, 2);
	CU_ASSERT_EQUAL(row_named(&m.function, "leaf")->ticks, 1);
	CU_ASSERT_EQUAL(row_named(&m.function, "leaf")->under, 2);
	CU_ASSERT_EQUAL(row_named(&m.function, "middle")->ticks, 1);
	CU_ASSERT_EQUAL(row_named(&m.function, "main")->under, 3);
	CU_ASSERT_EQUAL(row_named(&m.thread, "thread")->ticks, 3);
	CU_ASSERT_EQUAL(row_named(&m.process, "process")->ticks, 3);
	CU_ASSERT_EQUAL(row_named(&m.cgroup, "/group")->ticks, 3);
	CU_ASSERT_EQUAL(m.period[TOP_SUM].ticks, 3);
	CU_ASSERT_EQUAL(m.period[TOP_SUM].idle, 5);
	CU_ASSERT_EQUAL(m.period[TOP_INTERVAL].lost, 2);
	/* leaf by middle, middle by leaf, leaf by main. */
	CU_ASSERT_EQUAL(m.call.n, 3);
	top_model_begin(&m, 2000, &nowhere, false);
	CU_ASSERT_EQUAL(m.period[TOP_INTERVAL].ticks, 0);
	CU_ASSERT_EQUAL(m.period[TOP_SUM].ticks, 3);
	top_model_free(&m);
}

static void off(void)
{
	struct top_model m;
	uint32_t a, b;

	begin(&m);
	a = thread_of(&m, 1, 1, "/g");
	b = thread_of(&m, 1, 2, NULL);
	top_model_leave(&m, a, 2000, false);
	top_model_come(&m, b, 2000); /* it was away since before the begin */
	top_model_leave(&m, b, 3000, true);
	top_model_come(&m, a, 4000);
	CU_ASSERT_EQUAL(m.thread.row[a].count[TOP_SUM].off, 2000);
	CU_ASSERT_EQUAL(m.thread.row[b].count[TOP_SUM].off, 0);
	top_model_leave(&m, a, 5000, false);
	top_model_end(&m, 9000, &nowhere); /* still away */
	CU_ASSERT_EQUAL(m.thread.row[a].count[TOP_SUM].off, 6000);
	top_model_begin(&m, 9000, &nowhere, false);
	top_model_come(&m, a, 9500);
	CU_ASSERT_EQUAL(m.thread.row[a].count[TOP_INTERVAL].off, 500);
	CU_ASSERT_EQUAL(m.process.row[0].count[TOP_SUM].off, 6500);
	CU_ASSERT_EQUAL(m.cgroup.row[0].count[TOP_SUM].off, 6500);
	top_model_free(&m);
}

/* A file that ends within a period has only a part of it. */
static void parts(void)
{
	struct top_part at = { .file = 3, .first = 10, .end = 10 };
	struct top_model m;

	top_model_init(&m);
	top_model_begin(&m, 1, &at, true);
	at.end = 20;
	top_model_end(&m, 2, &at);
	CU_ASSERT(m.period[TOP_SUM].whole);
	CU_ASSERT_EQUAL(m.period[TOP_SUM].part.first, 10);
	CU_ASSERT_EQUAL(m.period[TOP_SUM].part.end, 20);
	at = (struct top_part){ .file = 4, .first = 5, .end = 5 };
	top_model_begin(&m, 2, &(struct top_part){ .file = 3, .first = 20, .end = 20 }, false);
	top_model_end(&m, 3, &at);
	CU_ASSERT_FALSE(m.period[TOP_INTERVAL].whole);
	CU_ASSERT_EQUAL(m.period[TOP_INTERVAL].part.file, 4);
	CU_ASSERT_EQUAL(m.period[TOP_INTERVAL].part.first, 0);
	CU_ASSERT_EQUAL(m.period[TOP_INTERVAL].part.end, 5);
	top_model_free(&m);
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* Functions f0, f1, … with 1, 2, … ticks, each called by main. */
static void some(struct top_model *m, uint32_t n)
{
	begin(m);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t f[2], thread = thread_of(m, 100 + i, 100 + i, i % 2 ? "/odd" : "/even");
		char name[16];

		snprintf(name, sizeof(name), "f%u", i);
		f[0] = top_model_function(m, name, i % 2 ? "odd.so" : "even.so");
		f[1] = top_model_function(m, "main", "program");
		for (uint32_t k = 0; k <= i; k++)
			top_model_tick(m, thread, f, 2);
	}
}

static uint64_t sum_of(const struct top_list *l, enum top_span span)
{
	uint64_t sum = l->rest.ticks;

	for (uint32_t i = 0; i < l->n; i++)
		sum += l->row[i]->count[span].ticks;
	return sum;
}

static void lists(void)
{
	struct top_view v = { .by = TOP_BY_FUNCTION, .span = TOP_SUM, .stacks = true };
	struct top_list l = { 0 };
	struct top_model m;

	some(&m, 10);
	CU_ASSERT_EQUAL(top_list_make(&l, &v, &m, 3), 0);
	CU_ASSERT_EQUAL(l.n, 3);
	CU_ASSERT_STRING_EQUAL(l.row[0]->name, "f9");
	CU_ASSERT_STRING_EQUAL(l.row[2]->name, "f7");
	CU_ASSERT_EQUAL(l.rest_rows, 8);
	CU_ASSERT_EQUAL(sum_of(&l, TOP_SUM), 55);
	v.order = TOP_NAME;
	CU_ASSERT_EQUAL(top_list_make(&l, &v, &m, 100), 0);
	CU_ASSERT_EQUAL(l.n, 11);
	CU_ASSERT_STRING_EQUAL(l.row[0]->name, "f0");
	CU_ASSERT_STRING_EQUAL(l.row[10]->name, "main");
	for (unsigned int i = 0; i < 3; i++) {
		static const char *const filters[] = { "odd", "f?", "m*n" };
		static const uint32_t rows[] = { 5, 10, 1 };

		strcpy(v.filter, filters[i]);
		CU_ASSERT_EQUAL(top_list_make(&l, &v, &m, 100), 0);
		CU_ASSERT_EQUAL(l.n, rows[i]);
		CU_ASSERT_EQUAL(sum_of(&l, TOP_SUM), 55);
	}
	*v.filter = 0;
	v.order = TOP_TICKS;
	for (enum top_by by = TOP_BY_FUNCTION; by < TOP_BY_CALLER; by++) {
		v.by = by;
		CU_ASSERT_EQUAL(top_list_make(&l, &v, &m, 1), 0);
		CU_ASSERT_EQUAL(sum_of(&l, TOP_SUM), 55);
	}
	CU_ASSERT_STRING_EQUAL(l.row[0]->name, "/odd");
	top_list_free(&l);
	top_model_free(&m);
}

static void callers(void)
{
	struct top_view v = { .by = TOP_BY_FUNCTION, .span = TOP_SUM, .stacks = true };
	struct top_list l = { 0 };
	struct top_model m;

	some(&m, 4);
	CU_ASSERT_EQUAL(top_list_make(&l, &v, &m, 100), 0);
	strcpy(v.filter, "f");
	CU_ASSERT(top_view_enter(&v, l.row[0]));
	CU_ASSERT_STRING_EQUAL(v.filter, "");
	CU_ASSERT_EQUAL(v.by, TOP_BY_CALLER);
	CU_ASSERT_EQUAL(top_list_make(&l, &v, &m, 100), 0);
	CU_ASSERT_EQUAL(l.n, 1);
	CU_ASSERT_STRING_EQUAL(l.row[0]->name, "main");
	CU_ASSERT_EQUAL(l.row[0]->count[TOP_SUM].under, 4);
	CU_ASSERT(top_view_enter(&v, l.row[0]));
	CU_ASSERT_EQUAL(top_list_make(&l, &v, &m, 100), 0);
	CU_ASSERT_EQUAL(l.n, 0); /* nobody calls main */
	CU_ASSERT_STRING_EQUAL(v.place[1].name, "main");
	top_view_leave(&v);
	CU_ASSERT_EQUAL(v.by, TOP_BY_CALLER);
	top_view_leave(&v);
	CU_ASSERT_EQUAL(v.by, TOP_BY_FUNCTION);
	v.stacks = false;
	CU_ASSERT_EQUAL(top_list_make(&l, &v, &m, 100), 0);
	CU_ASSERT_FALSE(top_view_enter(&v, l.row[0]));
	top_list_free(&l);
	top_model_free(&m);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static const char *const hostile[] = {
	"\033[2J\033]0;title\007",
	"a\nb\r\tc",
	"\xE2\x80\xAE"
	"txt.exe",
	"\xFF\xC0\x80",
	"\xE4\xB8\xAD\xE6\x96\x87",
	"e\xCC\x81\xCC\x81",
	"std::vector<std::map<int, long>, char>::f(int)",
	"",
};

static void assert_clean(const char *text, unsigned int columns)
{
	for (const char *p = text; *p; p++)
		CU_ASSERT((unsigned char)*p >= 0x20 && *p != 0x7F);
	CU_ASSERT(!strstr(text, "\xE2\x80\xAE"));
	CU_ASSERT(!strstr(text, "\xFF"));
	if (columns && fit_width(text, strlen(text)) > columns)
		printf("# %u columns: %s\n", columns, text);
	CU_ASSERT(!columns || fit_width(text, strlen(text)) <= columns);
}

static void lines(void)
{
	static const struct top_metrics metrics = { 2, { "INSTR", "\033[31mbad" } };
	struct top_view v = { .span = TOP_SUM, .stacks = true, .off = true, .metrics = &metrics };
	struct top_list l = { 0 };
	struct top_model m;

	begin(&m);
	for (size_t i = 0; i < sizeof(hostile) / sizeof(*hostile); i++) {
		uint32_t thread = thread_of(&m, 4000000000u, (uint32_t)i, hostile[i]), f;

		top_model_name(&m, thread, hostile[i], hostile[i], hostile[i]);
		f = top_model_function(&m, hostile[i], hostile[i]);
		top_model_tick(&m, thread, &f, 1);
	}
	strcpy(v.filter, "\033[5m");
	strcpy(v.sampler, "\033[5m");
	for (unsigned int columns = 0; columns <= 130; columns++) {
		v.by = (enum top_by)(columns % TOP_BY_CALLER);
		*v.filter = 0;
		CU_ASSERT_EQUAL(top_list_make(&l, &v, &m, 5), 0);
		strcpy(v.filter, "\033[5m");
		for (int line = 0; line < TOP_HEAD + 6; line++) {
			char *text = NULL;
			size_t size;
			FILE *out = open_memstream(&text, &size);

			if (line < TOP_HEAD)
				top_text_head(out, &v, &m, line, columns);
			else if (line - TOP_HEAD < (int)l.n)
				top_text_row(out, &v, &l, l.row[line - TOP_HEAD], columns);
			else
				top_text_rest(out, &v, &l, columns);
			fclose(out);
			assert_clean(text, columns);
			free(text);
		}
	}
	top_list_free(&l);
	top_model_free(&m);
}

/* ---- keys ------------------------------------------------------------------------------------ */

static void type(struct top_ui *ui, const struct top_list *l, const char *text)
{
	for (; *text; text++)
		CU_ASSERT_EQUAL(top_keys_press(ui, l, *text), TOP_DRAW);
}

static void keys(void)
{
	struct top_view v = { .span = TOP_INTERVAL, .stacks = true };
	struct top_ui ui = { .view = &v, .page = 4 };
	struct top_list l = { 0 };
	struct top_model m;

	some(&m, 10);
	CU_ASSERT_EQUAL(top_list_make(&l, &v, &m, 100), 0);
	top_keys_press(&ui, &l, TOP_KEY_UP);
	CU_ASSERT_EQUAL(ui.cursor, 0);
	top_keys_press(&ui, &l, TOP_KEY_PAGE_DOWN);
	top_keys_press(&ui, &l, 'j');
	CU_ASSERT_EQUAL(ui.cursor, 5);
	top_keys_press(&ui, &l, TOP_KEY_END);
	top_keys_press(&ui, &l, TOP_KEY_DOWN);
	CU_ASSERT_EQUAL(ui.cursor, 10);
	top_keys_press(&ui, &l, TOP_KEY_HOME);
	CU_ASSERT_EQUAL(ui.cursor, 0);
	/* A filter of several characters, of which some are taken back. */
	type(&ui, &l, "/fq");
	top_keys_press(&ui, &l, 0x4E2D);
	CU_ASSERT_STRING_EQUAL(ui.line, "fq\xE4\xB8\xAD");
	top_keys_press(&ui, &l, TOP_KEY_BACKSPACE);
	top_keys_press(&ui, &l, TOP_KEY_BACKSPACE);
	top_keys_press(&ui, &l, '9');
	CU_ASSERT_STRING_EQUAL(v.filter, "");
	top_keys_press(&ui, &l, TOP_KEY_ENTER);
	CU_ASSERT_STRING_EQUAL(v.filter, "f9");
	/* It is given up; no more is taken than there is room for. */
	type(&ui, &l, "/");
	for (int i = 0; i < 1000; i++)
		top_keys_press(&ui, &l, 0x10FFFF);
	CU_ASSERT(strlen(ui.line) < sizeof(ui.line));
	top_keys_press(&ui, &l, TOP_KEY_ESCAPE);
	CU_ASSERT_STRING_EQUAL(v.filter, "f9");
	*v.filter = 0;
	/* Views and orders: only those that there are columns for. */
	for (const char *by = "ftpc"; *by; by++) {
		top_keys_press(&ui, &l, *by);
		for (int i = 0; i < 20; i++) {
			top_keys_press(&ui, &l, 's');
			CU_ASSERT(top_order_fits(&v, v.order));
		}
	}
	CU_ASSERT_EQUAL(v.by, TOP_BY_CGROUP);
	top_keys_press(&ui, &l, TOP_KEY_ENTER);
	CU_ASSERT(strstr(ui.said, "choose a function") != NULL);
	top_keys_press(&ui, &l, 'i');
	CU_ASSERT_EQUAL(v.span, TOP_SUM);
	CU_ASSERT_EQUAL(top_keys_press(&ui, &l, ' '), TOP_FREEZE);
	CU_ASSERT_EQUAL(top_keys_press(&ui, &l, 'z'), TOP_RESET);
	CU_ASSERT_EQUAL(top_keys_press(&ui, &l, 'a'), TOP_CODE);
	type(&ui, &l, "w");
	CU_ASSERT_STRING_EQUAL(ui.line, "top.nrm2");
	CU_ASSERT_EQUAL(top_keys_press(&ui, &l, TOP_KEY_ENTER), TOP_WRITE);
	CU_ASSERT_EQUAL(top_keys_press(&ui, &l, 'q'), TOP_QUIT);
	/* Help lists each of them, and is closed by a key; scrolling stops at the end of a text. */
	top_keys_press(&ui, &l, '?');
	CU_ASSERT_EQUAL_FATAL(ui.mode, TOP_SHOWS_TEXT);
	CU_ASSERT(strstr(ui.text, "  q, Ctrl-C") != NULL);
	for (int i = 0; i < 100; i++)
		top_keys_press(&ui, &l, TOP_KEY_DOWN);
	CU_ASSERT(ui.first < 30);
	CU_ASSERT_EQUAL(top_keys_press(&ui, &l, 'q'), TOP_DRAW);
	CU_ASSERT_EQUAL(ui.mode, TOP_SHOWS_LIST);
	CU_ASSERT_PTR_NULL(ui.text);
	top_list_free(&l);
	top_model_free(&m);
}

/* ---- signals --------------------------------------------------------------------------------- */

static void tell(void *arg)
{
	if (write(*(int *)arg, "abandoned", 9) < 0)
		_exit(1);
}

/* A signal that is not read, and an exit that takes too long: the program exits nevertheless. */
static void watched(void)
{
	for (int i = 0; i < 2; i++) {
		char text[16] = "";
		int ends[2], status;
		sigset_t set;
		pid_t child;

		CU_ASSERT_EQUAL_FATAL(pipe(ends), 0);
		child = fork();
		if (!child) {
			sigemptyset(&set);
			sigaddset(&set, SIGTERM);
			sigprocmask(SIG_BLOCK, &set, NULL);
			if (top_watch_begin(tell, &ends[1]))
				_exit(1);
			if (i)
				top_watch_ending();
			else
				kill(getpid(), SIGTERM);
			sleep(20);
			_exit(2);
		}
		close(ends[1]);
		CU_ASSERT_EQUAL(read(ends[0], text, sizeof(text) - 1), 9);
		CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
		CU_ASSERT_EQUAL(status, 0);
		CU_ASSERT_STRING_EQUAL(text, "abandoned");
		close(ends[0]);
	}
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "bound", bound },
		{ "equal_rows", equal_rows },
		{ "spans", spans },
		{ "long_names", long_names },
		{ "ticks", ticks },
		{ "off", off },
		{ "parts", parts },
		{ "lists", lists },
		{ "callers", callers },
		{ "lines", lines },
		{ "keys", keys },
		{ "watched", watched },
		{ 0 },
	};

	return unit_run("top", tests);
}
