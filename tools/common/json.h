/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes JSON: commas, nesting and escapes in one place. Elements of arrays have the key NULL.
 * Nothing is allocated. Output reaches the FILE at the end of a line; the FILE keeps write errors.
 */
#ifndef COMMON_JSON_H
#define COMMON_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The version of the programs' own JSON: grows when a key changes or is removed (docs/json.md). */
#define JSON_VERSION 1

#define JSON_DEPTH 32
#define JSON_ROOM  1024
#define JSON_KEPT  256

struct json {
	FILE *out;
	int depth;
	bool indent;           /* one line per member; else everything on one line */
	bool as_doubles;       /* readers parse numbers as doubles: see json_uint */
	bool more[JSON_DEPTH]; /* a comma is due at this depth */
	bool whole;            /* the room holds everything since json_keep_begin */
	size_t held;           /* bytes in room, not written yet */
	char room[JSON_ROOM];
};

/* A copy of members as written, to be repeated in other objects. */
struct json_kept {
	size_t size; /* 0: nothing is kept */
	char text[JSON_KEPT];
};

void json_begin(struct json *j, FILE *out, bool indent);
/* Begins an object of the programs' own: on its own, on a line, or an element of a list that is one
 * output. Its first member is the version. */
void json_document(struct json *j, FILE *out, bool indent);
void json_document_element(struct json *j);
void json_object(struct json *j, const char *key);
void json_array(struct json *j, const char *key);
void json_end(struct json *j, char bracket); /* '}' or ']' */
void json_string(struct json *j, const char *key, const char *value);
/* With as_doubles, a value that a double cannot represent exactly is written as a string. */
void json_uint(struct json *j, const char *key, uint64_t value);
void json_int(struct json *j, const char *key, int64_t value);
void json_null(struct json *j, const char *key);
void json_bool(struct json *j, const char *key, bool value);
void json_number(struct json *j, const char *key, const char *digits); /* as they are */
void json_fixed(struct json *j, const char *key, double value, int digits);
void json_hex(struct json *j, const char *key, uint64_t value); /* "0x1f": exact beyond 2^53 */
/* Keeps the text written between these two calls, unless it is too long. The object must already
 * have a member, so that the kept text begins with a comma. */
void json_keep_begin(struct json *j);
void json_keep_end(struct json *j, struct json_kept *kept);
/* Writes the kept text again. Returns false if nothing is kept. */
bool json_again(struct json *j, const struct json_kept *kept);
/* Flushes the room and returns the FILE, for output between members. */
FILE *json_out(struct json *j);

#endif
