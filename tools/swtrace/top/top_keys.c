/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Handles keys. */
#include "top_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRACE_NAME "top.nrm2"

static const char help[] =
	"swtrace top\n"
	"\n"
	"  f t p c     by function, thread, process, cgroup\n"
	"  s           sort by the next column; n by name\n"
	"  i           the last interval, or all since the reset\n"
	"  z           reset: count from here on\n"
	"  /           filter: a part of names, or a pattern with * and ?; empty: none\n"
	"  Enter       callers of the function (again: their callers); Backspace: back\n"
	"  a           code of the function with its ticks (post -annotate)\n"
	"  Space       freeze, or go on; tracing goes on meanwhile\n"
	"  w           write what is shown as a trace, for post\n"
	"  Up Down j k, Page Up, Page Down, Home, End\n"
	"              move\n"
	"  q, Ctrl-C   quit\n"
	"\n"
	"Ticks are samples; % is of all ticks but idle ones. ON STACK: ticks that had the\n"
	"function on their call stacks. OFF MS: time off the CPU (--off-cpu).\n"
	"The line of others has what is not in the list, so that the sum is whole.\n"
	"Any key goes back.\n";

const struct top_row *top_keys_row(const struct top_ui *ui, const struct top_list *list)
{
	return ui->cursor < list->n ? list->row[ui->cursor] : NULL;
}

void top_keys_text(struct top_ui *ui, char *text)
{
	free(ui->text);
	ui->text = text;
	ui->mode = text ? TOP_SHOWS_TEXT : TOP_SHOWS_LIST;
	ui->first = 0;
}

static uint32_t lines_of(const char *text)
{
	uint32_t n = 0;

	for (; text && *text; text++)
		n += *text == '\n';
	return n;
}

static void to_begin(struct top_ui *ui)
{
	ui->cursor = ui->first = 0;
}

static void show_by(struct top_ui *ui, enum top_by by)
{
	ui->view->by = by;
	ui->view->depth = 0;
	if (!top_order_fits(ui->view, ui->view->order))
		ui->view->order = TOP_TICKS;
	to_begin(ui);
}

/* ---- moving ---------------------------------------------------------------------------------- */

static bool move(uint32_t *at, uint32_t n, uint32_t page, int key)
{
	uint32_t last = n ? n - 1 : 0, by = page ? page : 1;

	switch (key) {
	case TOP_KEY_UP:
	case 'k':
		*at -= *at > 0;
		break;
	case TOP_KEY_DOWN:
	case 'j':
		*at += *at < last;
		break;
	case TOP_KEY_PAGE_UP:
		*at -= *at < by ? *at : by;
		break;
	case TOP_KEY_PAGE_DOWN:
		*at = last - *at < by ? last : *at + by;
		break;
	case TOP_KEY_HOME:
		*at = 0;
		break;
	case TOP_KEY_END:
		*at = last;
		break;
	default:
		return false;
	}
	return true;
}

static void press_in_text(struct top_ui *ui, int key)
{
	uint32_t lines = lines_of(ui->text), most = lines > ui->page ? lines - ui->page : 0;

	if (move(&ui->first, most + 1, ui->page, key))
		return;
	free(ui->text);
	ui->text = NULL;
	ui->mode = TOP_SHOWS_LIST;
	ui->first = 0;
}

/* ---- a line that is typed -------------------------------------------------------------------- */

static void ask(struct top_ui *ui, int mode, const char *text)
{
	ui->mode = mode;
	snprintf(ui->line, sizeof(ui->line), "%s", text);
}

/* Removes the last character with all its bytes. */
static void take_back(char *line)
{
	size_t n = strlen(line);

	while (n && ((unsigned char)line[--n] & 0xC0) == 0x80)
		;
	line[n] = 0;
}

static void append(char *line, size_t room, uint32_t code)
{
	size_t n = strlen(line), need = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	static const uint8_t marks[] = { 0, 0, 0xC0, 0xE0, 0xF0 };

	if (n + need >= room)
		return;
	for (size_t i = need; i-- > 1; code >>= 6)
		line[n + i] = (char)(0x80 | (code & 0x3F));
	line[n] = (char)(marks[need] | code);
	line[n + need] = 0;
}

static enum top_todo press_in_line(struct top_ui *ui, int key)
{
	bool file = ui->mode == TOP_ASKS_FILE;

	switch (key) {
	case TOP_KEY_ESCAPE:
		ui->mode = TOP_SHOWS_LIST;
		break;
	case TOP_KEY_BACKSPACE:
		take_back(ui->line);
		break;
	case TOP_KEY_ENTER:
		ui->mode = TOP_SHOWS_LIST;
		if (file)
			return *ui->line ? TOP_WRITE : TOP_DRAW;
		snprintf(ui->view->filter, sizeof(ui->view->filter), "%s", ui->line);
		to_begin(ui);
		break;
	default:
		if (key >= ' ' && key != 0x7F && key < 0x110000)
			append(ui->line, sizeof(ui->line), (uint32_t)key);
	}
	return TOP_DRAW;
}

/* ---- the list -------------------------------------------------------------------------------- */

static void enter(struct top_ui *ui, const struct top_list *list)
{
	const struct top_row *row = top_keys_row(ui, list);

	if (!row || (ui->view->by != TOP_BY_FUNCTION && ui->view->by != TOP_BY_CALLER))
		snprintf(ui->said, sizeof(ui->said), "choose a function to see its callers (f)");
	else if (!ui->view->stacks)
		snprintf(ui->said, sizeof(ui->said), "call stacks are not recorded");
	else if (top_view_enter(ui->view, row))
		to_begin(ui);
}

enum top_todo top_keys_press(struct top_ui *ui, const struct top_list *list, int key)
{
	struct top_view *v = ui->view;

	*ui->said = 0;
	if (ui->mode == TOP_SHOWS_TEXT) {
		press_in_text(ui, key);
		return TOP_DRAW;
	}
	if (ui->mode != TOP_SHOWS_LIST)
		return press_in_line(ui, key);
	if (move(&ui->cursor, list->n, ui->page, key))
		return TOP_DRAW;
	switch (key) {
	case 'q':
	case 'Q':
		return TOP_QUIT;
	case 'f':
		show_by(ui, TOP_BY_FUNCTION);
		break;
	case 't':
		show_by(ui, TOP_BY_THREAD);
		break;
	case 'p':
		show_by(ui, TOP_BY_PROCESS);
		break;
	case 'c':
		show_by(ui, TOP_BY_CGROUP);
		break;
	case 's':
		v->order = top_order_next(v, v->order);
		to_begin(ui);
		break;
	case 'n':
		v->order = TOP_NAME;
		to_begin(ui);
		break;
	case 'i':
		v->span = v->span == TOP_SUM ? TOP_INTERVAL : TOP_SUM;
		break;
	case 'z':
		return TOP_RESET;
	case ' ':
		return TOP_FREEZE;
	case '/':
		ask(ui, TOP_ASKS_FILTER, v->filter);
		break;
	case 'w':
		ask(ui, TOP_ASKS_FILE, TRACE_NAME);
		break;
	case 'a':
		return TOP_CODE;
	case TOP_KEY_ENTER:
		enter(ui, list);
		break;
	case TOP_KEY_BACKSPACE:
	case TOP_KEY_ESCAPE:
		top_view_leave(v);
		to_begin(ui);
		break;
	case '?':
	case 'h':
		top_keys_text(ui, strdup(help));
		break;
	default:
		break;
	}
	return TOP_DRAW;
}
