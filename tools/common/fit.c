/* SPDX-License-Identifier: GPL-3.0-or-later */
/* C++ names are often longer than a terminal is wide. Decides which part of one is left out, for
 * rows of a table: the text does not mark where in the row the name is. */
#include "fit.h"

#include <ctype.h>
#include <locale.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "base/name_forms.h"
#include "escape.h"

#define LEAST_COLUMNS 40
#define USUAL_COLUMNS 80
#define MOST_COLUMNS  10000
#define ELLIPSIS      "…"
#define FOLDED_IN     2
/* Brackets that may be open at a time; names with more are cut at their end. */
#define MOST_OPEN 64

/* A serial line does not know its size: the user may set COLUMNS. */
static unsigned long columns_set(void)
{
	const char *text = getenv("COLUMNS");
	char *end;
	unsigned long n;

	if (!text || !isdigit((unsigned char)*text))
		return USUAL_COLUMNS;
	n = strtoul(text, &end, 10);
	return *end || n > MOST_COLUMNS ? USUAL_COLUMNS : n;
}

unsigned int fit_columns(int fd)
{
	struct winsize size;
	unsigned long n;

	if (!isatty(fd))
		return 0;
	n = !ioctl(fd, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : columns_set();
	return n < LEAST_COLUMNS ? LEAST_COLUMNS : (unsigned int)n;
}

void fit_locale(void)
{
	if (isatty(STDOUT_FILENO) || isatty(STDERR_FILENO))
		setlocale(LC_CTYPE, "C.UTF-8");
}

/* Returns the columns of the character or colour sequence at `text`, and its length in bytes. */
static size_t one_width(const char *text, size_t size, size_t *length)
{
	uint32_t code;
	int width;

	if (size > 1 && text[0] == '\033' && text[1] == '[') {
		for (*length = 2; *length < size && !isalpha((unsigned char)text[*length]);)
			++*length;
		*length += *length < size;
		return 0;
	}
	*length = escape_char(text, size, &code);
	if (code < 0x80)
		return 1;
	width = wcwidth((wchar_t)code);
	return width < 0 ? 1 : (size_t)width;
}

size_t fit_width(const char *text, size_t size)
{
	size_t columns = 0, at, length;

	for (at = 0; at < size; at += length)
		columns += one_width(text + at, size - at, &length);
	return columns;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Returns the bracket that closes the one at p, or NULL if there is none. */
static const char *closing(const char *begin, const char *p, const char *end)
{
	static const char opening[] = "<([{", closes[] = ">)]}";
	char open[MOST_OPEN];
	size_t n = 0, skip;

	for (; p < end; p++) {
		const char *bracket;

		skip = name_word(begin, p, end);
		if (skip) {
			p += skip - 1;
			continue;
		}
		bracket = memchr(opening, *p, sizeof(opening) - 1);
		if (bracket) {
			if (n == MOST_OPEN)
				return NULL;
			open[n++] = closes[bracket - opening];
			continue;
		}
		if (!memchr(closes, *p, sizeof(closes) - 1) || (*p == '>' && p[-1] == '-'))
			continue;
		if (!n || open[--n] != *p)
			return NULL;
		if (!n)
			return p;
	}
	return NULL;
}

/* Returns whether the brackets that end before p may be a parameter list: in a Go name like
 * "main.(*T).Name" they are not. */
static bool after_parameters(const char *p, const char *end)
{
	return p == end || *p == ' ' || *p == '#' || *p == '\033' ||
	       (end - p > 1 && p[0] == ':' && p[1] == ':');
}

/* Copies the row into room, which has space for it and its ellipses: without parameters of
 * functions, and without template arguments that are nested `deep` or deeper. Returns its length; 0
 * if its brackets do not match. */
static size_t collapse(char *room, const char *row, size_t size, unsigned int deep)
{
	const char *end = row + size, *p = row, *close;
	unsigned int templates = 0;
	char *w = room;
	size_t n;

	while (p < end) {
		n = name_word(row, p, end);
		if (n) {
			w = mempcpy(w, p, n);
			p += n;
			continue;
		}
		if (*p == '>' && templates && p[-1] != '-')
			templates--;
		if (*p != '<' && *p != '(') {
			*w++ = *p++;
			continue;
		}
		close = closing(row, p, end);
		if (!close)
			return 0;
		if (close - p > 1 &&
		    (*p == '<' ? templates >= deep : after_parameters(close + 1, end))) {
			*w++ = *p;
			w = mempcpy(w, ELLIPSIS, strlen(ELLIPSIS));
			*w++ = *close;
			p = close + 1;
			continue;
		}
		templates += *p == '<';
		*w++ = *p++;
	}
	return (size_t)(w - room);
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Returns the length of the longest beginning that takes at most `columns`, without splitting an
 * escape. */
static size_t beginning(const char *text, size_t size, size_t columns)
{
	size_t at = 0, length, taken = 0;

	while (at < size) {
		taken += one_width(text + at, size - at, &length);
		if (text[at] == '\\' && at + 1 < size) {
			length = text[at + 1] == 'x' ? 4 : 2;
			taken += length - 1;
			if (length > size - at)
				length = size - at;
		}
		if (taken > columns)
			break;
		at += length;
	}
	return at;
}

static bool is_row(const char *line, size_t size)
{
	size_t at = 0, length;

	while (at < size && (line[at] == ' ' || line[at] == '\033')) {
		if (line[at] == ' ') {
			at++;
			continue;
		}
		one_width(line + at, size - at, &length);
		at += length;
	}
	return at && at < size && (isdigit((unsigned char)line[at]) || line[at] == '%');
}

static void write_row(FILE *out, const char *line, size_t size, unsigned int columns)
{
	static const unsigned int depths[] = { MOST_OPEN, 1, 0 };
	/* An ellipsis replaces at least one byte and takes three. */
	char *room = malloc(3 * size + 1);
	const char *shown = line;
	size_t n = size, made;

	for (size_t i = 0; room && i < sizeof(depths) / sizeof(*depths); i++) {
		made = collapse(room, line, size, depths[i]);
		if (!made)
			break;
		shown = room;
		n = made;
		if (fit_width(shown, n) <= columns) {
			fwrite(shown, 1, n, out);
			goto done;
		}
	}
	n = beginning(shown, n, columns - 1);
	fwrite(shown, 1, n, out);
	fputs(ELLIPSIS, out);
done:
	free(room);
}

/* Returns the column where a folded line continues: below the second column of a list, as in
 * "  -x FILE  text", or indented a bit further. *blanks: the line's own indentation. */
static size_t indent_of(const char *line, size_t size, unsigned int columns, size_t *blanks)
{
	size_t at = 0, gap;

	while (at < size && line[at] == ' ')
		at++;
	*blanks = at;
	if (!at)
		return FOLDED_IN;
	for (gap = at; gap + 1 < size && (line[gap] != ' ' || line[gap + 1] != ' '); gap++)
		;
	while (gap < size && line[gap] == ' ')
		gap++;
	if (gap < size && fit_width(line, gap) <= columns / 2)
		return fit_width(line, gap);
	return at < columns / 2 ? at + FOLDED_IN : FOLDED_IN;
}

static void fold(FILE *out, const char *line, size_t size, unsigned int columns)
{
	size_t room = columns, blanks, in = indent_of(line, size, columns, &blanks);

	for (;;) {
		size_t n = beginning(line, size, room), blank = n;

		if (n == size)
			break;
		while (blank && line[blank] != ' ')
			blank--;
		/* Keep a path or an address in one piece, so that it can be copied. */
		if (blank <= blanks) {
			blank = n;
			while (blank < size && line[blank] != ' ')
				blank++;
			if (blank == size)
				break;
		}
		fwrite(line, 1, blank, out);
		while (blank < size && line[blank] == ' ')
			blank++;
		line += blank;
		size -= blank;
		if (!size)
			return;
		fprintf(out, "\n%*s", (int)in, "");
		room = columns - in;
		blanks = 0;
	}
	fwrite(line, 1, size, out);
}

void fit_line(FILE *out, const char *line, size_t size, unsigned int columns)
{
	if (!columns || fit_width(line, size) <= columns)
		fwrite(line, 1, size, out);
	else if (is_row(line, size))
		write_row(out, line, size, columns);
	else
		fold(out, line, size, columns);
	putc('\n', out);
}

FILE *fit_begin(struct fit *f, FILE *to)
{
	*f = (struct fit){ .to = to, .columns = fit_columns(fileno(to)) };
	if (f->columns)
		f->held = open_memstream(&f->text, &f->size);
	return f->held ? f->held : to;
}

static void write_lines(FILE *out, const char *text, size_t size, unsigned int columns)
{
	while (size) {
		const char *newline = memchr(text, '\n', size);
		size_t n = newline ? (size_t)(newline - text) : size;

		fit_line(out, text, n, columns);
		n += newline != NULL;
		text += n;
		size -= n;
	}
}

void fit_end(struct fit *f)
{
	char *fitted = NULL;
	size_t size = 0;
	FILE *lines;

	if (!f->held)
		return;
	fclose(f->held);
	lines = f->text ? open_memstream(&fitted, &size) : NULL;
	if (lines) {
		write_lines(lines, f->text, f->size, f->columns);
		fclose(lines);
	}
	if (fitted)
		fwrite(fitted, 1, size, f->to);
	else
		fputs(f->text ? f->text : "(no memory)\n", f->to);
	free(fitted);
	free(f->text);
}

void fit_printf(FILE *out, const char *format, ...)
{
	struct fit f;
	va_list args;

	va_start(args, format);
	escape_vprintf(fit_begin(&f, out), format, args);
	va_end(args);
	fit_end(&f);
}
