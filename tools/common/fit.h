/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text that fits a terminal. All of it is escaped before (escape.h), so that of control characters
 * only our own colours are in it; fit_printf does that itself.
 */
#ifndef COMMON_FIT_H
#define COMMON_FIT_H

#include <stddef.h>
#include <stdio.h>

/* Columns of the terminal that the file is, at least 40; 0: it is none, and all text fits. */
unsigned int fit_columns(int fd);
/* Has the C library read how wide characters are, if stdout or stderr is a terminal: a program that
 * shuts itself in calls it before. Without it all but ASCII's are one wide. */
void fit_locale(void);
/* Columns that size bytes take: none for colours and for marks that combine, two for wide ones. */
size_t fit_width(const char *text, size_t size);
/* Writes the line of size bytes, without its newline, and a newline. Is it longer than columns, a
 * row of a table (blanks, then a number) is shortened: first parameters of functions are left out,
 * then what templates are of, then its end, each with an ellipsis in its place. Any other line is
 * folded at blanks, what follows two columns further in. columns 0: as it is. */
void fit_line(FILE *out, const char *line, size_t size, unsigned int columns);

/* Lines that are written bit by bit. */
struct fit {
	unsigned int columns; /* of the terminal; 0: it is none */
	FILE *to, *held;
	char *text;
	size_t size;
};

/* Returns the file to write to, until fit_end() writes it all to `to` at once, so that lines of
 * several programs on one terminal do not mix: `to` itself, if that is no terminal. */
FILE *fit_begin(struct fit *f, FILE *to);
void fit_end(struct fit *f);
/* escape_printf (escape.h) of whole lines that fit. */
void fit_printf(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
