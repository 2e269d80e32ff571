/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fits text to a terminal. The text has been escaped (escape.h), so that its only control
 * characters are our own colours; fit_printf escapes it itself.
 */
#ifndef COMMON_FIT_H
#define COMMON_FIT_H

#include <stddef.h>
#include <stdio.h>

/* Returns the terminal's columns, at least 40; 0 if the file is not a terminal: all text fits. */
unsigned int fit_columns(int fd);
/* Loads the locale with the widths of characters if stdout or stderr is a terminal. A program that
 * sandboxes itself calls it first. Without it, all non-ASCII characters count as one column. */
void fit_locale(void);
/* Returns the columns that `size` bytes take: none for colours and combining marks, two for wide
 * characters. */
size_t fit_width(const char *text, size_t size);
/* Writes a line (`size` bytes without the newline) and a newline. If it is wider than `columns`, a
 * row of a table (blanks, then a number) is shortened: first the parameters of functions are left
 * out, then template arguments, then its end, each replaced by an ellipsis. Any other line is
 * folded at blanks and continues two columns further in. With columns 0 the line is written as it
 * is. */
void fit_line(FILE *out, const char *line, size_t size, unsigned int columns);

/* Collects lines that are written in pieces. */
struct fit {
	unsigned int columns; /* of the terminal; 0: not a terminal */
	FILE *to, *held;
	char *text;
	size_t size;
};

/* Returns the file to write to, which is `to` itself if that is not a terminal. fit_end() writes
 * the collected text to `to` in one piece, so that lines of several programs do not mix. */
FILE *fit_begin(struct fit *f, FILE *to);
void fit_end(struct fit *f);
/* Like escape_printf (escape.h), for whole lines, which are fitted to the terminal. */
void fit_printf(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
