/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writing JSON: commas, nesting and escapes in one place. Elements of arrays have the key NULL.
 * Nothing is allocated; write errors are reported by the FILE, which has the whole line once it
 * ends.
 */
#ifndef COMMON_JSON_H
#define COMMON_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH 32
#define JSON_ROOM  1024
#define JSON_KEPT  256

struct json {
	FILE *out;
	int depth;
	bool indent;           /* a line a member; else everything on one line */
	bool as_doubles;       /* who reads it takes numbers as such: see json_uint */
	bool more[JSON_DEPTH]; /* a comma is due at this depth */
	bool whole;            /* the room has all since json_keep_begin */
	size_t held;           /* bytes in room, not written yet */
	char room[JSON_ROOM];
};

/* Members of one object as they were written, for objects that have the same ones. */
struct json_kept {
	size_t size; /* 0: nothing is kept */
	char text[JSON_KEPT];
};

void json_begin(struct json *j, FILE *out, bool indent);
void json_object(struct json *j, const char *key);
void json_array(struct json *j, const char *key);
void json_end(struct json *j, char bracket); /* '}' or ']' */
void json_string(struct json *j, const char *key, const char *value);
/* as_doubles: what a double has no exact number for is a string of its digits. */
void json_uint(struct json *j, const char *key, uint64_t value);
void json_int(struct json *j, const char *key, int64_t value);
void json_null(struct json *j, const char *key);
void json_bool(struct json *j, const char *key, bool value);
void json_number(struct json *j, const char *key, const char *digits); /* as they are */
void json_fixed(struct json *j, const char *key, double value, int digits);
void json_hex(struct json *j, const char *key, uint64_t value); /* "0x1f": exact beyond 2^53 */
/* The text between these two calls is kept, unless it is too long; a member must precede it. */
void json_keep_begin(struct json *j);
void json_keep_end(struct json *j, struct json_kept *kept);
/* Write it again; false: nothing is kept. */
bool json_again(struct json *j, const struct json_kept *kept);
/* The FILE, for output between members. */
FILE *json_out(struct json *j);

#endif
