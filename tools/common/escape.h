/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names come from traced programs, which may be hostile: a name must never reach a terminal or a
 * file as it is. Escaped are control characters (C0, DEL, C1), marks that reorder text, bytes that
 * are not UTF-8, and the backslash itself, so that what is printed can be read back.
 */
#ifndef COMMON_ESCAPE_H
#define COMMON_ESCAPE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A new string for a text report: \xNN for each byte that must not pass. NULL: no memory. */
char *escape_text(const char *name);
/* The same into a fixed room, cut where it is full; never half an escape. */
char *escape_into(char *room, size_t size, const char *name);

/* One character of size bytes, of which there is one at least: its code, and how many bytes it
 * takes. A byte that begins none is one. */
size_t escape_char(const char *text, size_t size, uint32_t *code);

/* The same straight into a file, however long. */
void escape_print(FILE *out, const char *name);
/* Number of leading bytes that need no escape: all of them, in most names. */
size_t escape_plain(const char *name);

/* printf for texts that hold names, paths and arguments: all that it makes is escaped. A newline at
 * the format's end is one, others are escaped too. */
void escape_printf(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void escape_vprintf(FILE *out, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

/* A JSON string with its quotes: controls as \u00NN. Bytes that are not UTF-8 become the text \xNN,
 * because no JSON notation for them is accepted by every reader. */
void escape_json(FILE *out, const char *name);
/* Whether it needs no escape in JSON: visible ASCII without quotes and backslashes. */
bool escape_is_plain(const char *name);

/* A CSV field after RFC 4180, quoted when it must be; controls as in text. What a spreadsheet would
 * take for a formula, and is no plain number, gets a ' before it. */
void escape_csv(FILE *out, const char *name);

#endif
