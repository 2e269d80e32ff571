/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The protocol between rtdriver and the Java agent: each connection carries one request and one
 * answer, one line each, without control characters.
 *
 *   request: pitrace-rt VERSION TOKEN COMMAND [ARGUMENT]     TOKEN is - on a UNIX socket
 *   answer:  ok [WORDS]                                      or: error WORDS
 */
#ifndef COMMON_RT_PROTOCOL_H
#define COMMON_RT_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>

#define RT_VERSION 1
#define RT_LINE    4608 /* the most bytes of a line, with its newline */
#define RT_TOKEN   32   /* hexadecimal digits */
#define RT_COMMAND 32

/* A name in the VM's own /tmp, with the VM's pid in its own pid namespace. */
#define RT_SOCKET ".pitrace_rt.%d"

struct rt_request {
	char token[RT_TOKEN + 1]; /* "": none */
	char command[RT_COMMAND];
	char argument[4096]; /* "": none */
};

struct rt_answer {
	bool ok;
	char words[RT_LINE];
};

/* Parse a line without its newline. Return NULL, or what is wrong with the line. */
const char *rt_request_read(struct rt_request *r, const char *line, size_t length);
const char *rt_answer_read(struct rt_answer *a, const char *line, size_t length);

/* Write a line with its newline and return its length. For a request, 0 means that it does not fit
 * or has control characters; in an answer these become "?", and a long one is truncated. */
size_t rt_request_write(char line[RT_LINE], const struct rt_request *r);
size_t rt_answer_write(char line[RT_LINE], bool ok, const char *words);

/* Compares in constant time: the time does not reveal where the tokens differ. */
bool rt_token_is(const char *token, const char *given);

#endif
