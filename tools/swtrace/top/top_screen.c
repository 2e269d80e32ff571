/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ncurses draws. It does not handle signals: they are blocked, and top_run.c reads them from a
 * signalfd, so that none interrupts drawing.
 */
#include "top_screen.h"

#include <stdlib.h>
#include <unistd.h>
#ifndef HAVE_NCURSES

bool top_screen_there(const char **why)
{
	*why = isatty(STDOUT_FILENO) ? "swtrace was built without ncurses" : NULL;
	return false;
}
bool top_screen_begin(void)
{
	return false;
}
void top_screen_end(void) { }
void top_screen_resized(void) { }
void top_screen_stop(void) { }
int top_screen_key(void)
{
	return TOP_KEY_NONE;
}
void top_screen_draw(struct top_ui *ui, const struct top_model *m, const struct top_list *list)
{
	(void)ui;
	(void)m;
	(void)list;
}

#else

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
/* term.h defines these capabilities as macros. */
#undef columns
#undef lines

#include "base/memstream.h"
#include "escape.h"
#include "fit.h"
#include "top_text.h"

static SCREEN *screen;

bool top_screen_there(const char **why)
{
	const char *term = getenv("TERM"), *move;
	int rc;

	*why = NULL;
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return false;
	if (!term || !*term) {
		*why = "TERM is not set";
		return false;
	}
	if (setupterm(term, STDOUT_FILENO, &rc) != OK) {
		*why = "the terminal of that TERM is not known";
		return false;
	}
	/* A terminal that cannot move its cursor cannot be drawn on. */
	move = tigetstr("cup");
	if (move && move != (char *)-1)
		return true;
	*why = "the terminal cannot be drawn on";
	return false;
}

bool top_screen_begin(void)
{
	/* The locale for the widths of characters: see fit_locale(). */
	fit_locale();
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return false;
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(50);
	curs_set(0);
	return true;
}

void top_screen_end(void)
{
	if (!screen)
		return;
	endwin();
	delscreen(screen);
	screen = NULL;
}

void top_screen_resized(void)
{
	struct winsize size;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
	clearok(curscr, TRUE);
}

void top_screen_stop(void)
{
	struct sigaction usual = { .sa_handler = SIG_DFL }, before;
	sigset_t stop;

	def_prog_mode();
	endwin();
	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	sigaction(SIGTSTP, &usual, &before);
	raise(SIGTSTP);
	/* The process stops here until SIGCONT. */
	sigprocmask(SIG_UNBLOCK, &stop, NULL);
	sigprocmask(SIG_BLOCK, &stop, NULL);
	sigaction(SIGTSTP, &before, NULL);
	reset_prog_mode();
	top_screen_resized();
}

int top_screen_key(void)
{
	static const struct {
		int theirs, ours;
	} keys[] = {
		{ KEY_UP, TOP_KEY_UP },
		{ KEY_DOWN, TOP_KEY_DOWN },
		{ KEY_PPAGE, TOP_KEY_PAGE_UP },
		{ KEY_NPAGE, TOP_KEY_PAGE_DOWN },
		{ KEY_HOME, TOP_KEY_HOME },
		{ KEY_END, TOP_KEY_END },
		{ KEY_BACKSPACE, TOP_KEY_BACKSPACE },
		{ KEY_LEFT, TOP_KEY_BACKSPACE },
		{ KEY_ENTER, TOP_KEY_ENTER },
		{ KEY_RIGHT, TOP_KEY_ENTER },
	};
	wint_t c;
	int rc = get_wch(&c);

	if (rc == ERR)
		return TOP_KEY_NONE;
	if (rc == KEY_CODE_YES) {
		for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
			if ((int)c == keys[i].theirs)
				return keys[i].ours;
		return 0; /* a key without a function */
	}
	switch (c) {
	case '\r':
	case '\n':
		return TOP_KEY_ENTER;
	case 0x7F:
	case '\b':
		return TOP_KEY_BACKSPACE;
	case 0x1B:
		return TOP_KEY_ESCAPE;
	default:
		return c < TOP_KEY_UP ? (int)c : 0;
	}
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* Writes a line that is at most as wide as the screen. */
typedef void write_line(FILE *out, const void *what, unsigned int columns);

struct top_drawn {
	const struct top_view *view;
	const struct top_model *model;
	const struct top_list *list;
	uint32_t number; /* of the header line or the row */
};

static void head_line(FILE *out, const void *what, unsigned int columns)
{
	const struct top_drawn *d = what;

	top_text_head(out, d->view, d->model, (int)d->number, columns);
}

static void row_line(FILE *out, const void *what, unsigned int columns)
{
	const struct top_drawn *d = what;

	top_text_row(out, d->view, d->list, d->list->row[d->number], columns);
}

static void rest_line(FILE *out, const void *what, unsigned int columns)
{
	const struct top_drawn *d = what;

	top_text_rest(out, d->view, d->list, columns);
}

/* Writes typed text or a message: if it is too long, shows its end. */
static void words_line(FILE *out, const void *what, unsigned int columns)
{
	const char *words = what;
	size_t n = strlen(words);

	while (fit_width(words, n) > columns) {
		uint32_t code;
		size_t one = escape_char(words, n, &code);

		words += one;
		n -= one;
	}
	fwrite(words, 1, n, out);
}

static void draw_line(int y, attr_t how, write_line *put, const void *what)
{
	unsigned int columns = (unsigned int)(COLS > 0 ? COLS : 1);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (y >= LINES || !out) {
		if (out)
			fclose(out);
		free(text);
		return;
	}
	put(out, what, columns);
	if (memstream_close(out, &text))
		return;
	attrset(how);
	mvaddstr(y, 0, text);
	if (how & A_REVERSE && fit_width(text, size) < columns)
		hline(' ' | how, (int)(columns - fit_width(text, size)));
	attrset(A_NORMAL);
	free(text);
}

/* Scrolls so that the cursor's row is on the screen. */
static void scroll_to(struct top_ui *ui, uint32_t n)
{
	if (n && ui->cursor >= n)
		ui->cursor = n - 1;
	if (ui->cursor < ui->first)
		ui->first = ui->cursor;
	if (ui->page && ui->cursor >= ui->first + ui->page)
		ui->first = ui->cursor - ui->page + 1;
	if (ui->first >= n)
		ui->first = 0;
}

static void draw_list(struct top_ui *ui, const struct top_model *m, const struct top_list *list)
{
	struct top_drawn d = { ui->view, m, list, 0 };
	int y = 0;

	for (; d.number < TOP_HEAD; d.number++)
		draw_line(y++, d.number == TOP_HEAD - 1 ? A_BOLD : A_NORMAL, head_line, &d);
	scroll_to(ui, list->n);
	for (d.number = ui->first; d.number < list->n && d.number < ui->first + ui->page;
	     d.number++)
		draw_line(y++, d.number == ui->cursor ? A_REVERSE : A_NORMAL, row_line, &d);
	if (list->rest_rows)
		draw_line(y, A_NORMAL, rest_line, &d);
}

/* Writes a line and truncates it at the edge of the screen. */
static void plain_line(FILE *out, const void *what, unsigned int columns)
{
	top_text_cut(out, what, columns);
}

/* Draws post's output, or help. All of it is escaped before it reaches the terminal. */
static void draw_text(const struct top_ui *ui)
{
	const char *line = ui->text, *end;
	char one[TOP_NAME_BYTES], shown[4 * TOP_NAME_BYTES];
	int y = 0;

	for (uint32_t n = 0; line && *line && y < LINES - 1; line = *end ? end + 1 : end, n++) {
		size_t at = 0;

		end = strchrnul(line, '\n');
		if (n < ui->first)
			continue;
		for (const char *p = line; p < end && at + 9 < sizeof(one); p++) {
			if (*p != '\t')
				one[at++] = *p;
			else
				do
					one[at++] = ' ';
				while (at % 8);
		}
		one[at] = 0;
		draw_line(y++, A_NORMAL, plain_line, escape_into(shown, sizeof(shown), one));
	}
}

static void draw_last(const struct top_ui *ui)
{
	static const char keys[] =
		"? help  f t p c views  s sort  / filter  Enter callers  w write  q quit";
	char shown[4 * sizeof(ui->said) + 32], *end = shown;

	if (ui->mode == TOP_ASKS_FILTER || ui->mode == TOP_ASKS_FILE) {
		end += snprintf(shown, sizeof(shown), "%s",
				ui->mode == TOP_ASKS_FILE ? "write to: " : "filter: ");
		escape_into(end, sizeof(shown) - (size_t)(end - shown), ui->line);
		draw_line(LINES - 1, A_BOLD, words_line, shown);
	} else if (*ui->said) {
		draw_line(LINES - 1, A_BOLD, words_line,
			  escape_into(shown, sizeof(shown), ui->said));
	} else {
		draw_line(LINES - 1, A_DIM, plain_line,
			  ui->mode == TOP_SHOWS_TEXT ? "any key goes back" : keys);
	}
}

void top_screen_draw(struct top_ui *ui, const struct top_model *m, const struct top_list *list)
{
	int room = LINES - (ui->mode == TOP_SHOWS_TEXT ? 1 : TOP_HEAD + 2);

	ui->page = room > 0 ? (uint32_t)room : 0;
	erase();
	if (ui->mode == TOP_SHOWS_TEXT)
		draw_text(ui);
	else
		draw_list(ui, m, list);
	draw_last(ui);
	refresh();
}
#endif
