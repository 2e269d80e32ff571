/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names come from traced programs, which may be hostile: a name must never reach a terminal or a
 * file unescaped. The escaped characters are controls (C0, DEL, C1), marks that reorder text, bytes
 * that are not UTF-8, and the backslash itself, so that escaped text can be decoded again.
 */
#ifndef COMMON_ESCAPE_H
#define COMMON_ESCAPE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Returns a new string for a text report, with \xNN for each harmful byte; NULL: no memory. The
 * caller frees it. */
char *escape_text(const char *name);
/* Does the same into a buffer of `size` bytes; truncates the text, but never within an escape. */
char *escape_into(char *room, size_t size, const char *name);

/* Decodes the first character of `size` bytes, at least one. Returns how many bytes it takes; a
 * byte that does not begin a character counts as one. */
size_t escape_char(const char *text, size_t size, uint32_t *code);

/* Escapes text of any length directly into a file. */
void escape_print(FILE *out, const char *name);
/* Returns the number of leading bytes that need no escape: all of them, for most names. */
size_t escape_plain(const char *name);

/* printf for texts with names, paths and arguments: escapes its whole output, including newlines,
 * except one at the end of the format. */
void escape_printf(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void escape_vprintf(FILE *out, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

/* Writes a JSON string with its quotes: controls as \u00NN. Bytes that are not UTF-8 become the
 * text \xNN, because no JSON notation for them is accepted by every reader. */
void escape_json(FILE *out, const char *name);
/* Returns whether the name needs no escape in JSON: visible ASCII without quotes and
 * backslashes. */
bool escape_is_plain(const char *name);

/* Writes a CSV field as of RFC 4180, quoted when necessary; controls as in text. A field that a
 * spreadsheet would take for a formula, other than a plain number, is prefixed with '. */
void escape_csv(FILE *out, const char *name);

#endif
