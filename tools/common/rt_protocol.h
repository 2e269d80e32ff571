/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What rtdriver and the agent for Java say to each other: a connection has one request and one
 * answer, a line each, without control characters.
 *
 *   request: pitrace-rt VERSION TOKEN COMMAND [ARGUMENT]     TOKEN is - on a UNIX socket
 *   answer:  ok [WORDS]                                      or: error WORDS
 */
#ifndef COMMON_RT_PROTOCOL_H
#define COMMON_RT_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>

#define RT_VERSION 1
#define RT_LINE    4608 /* of any line, with its newline */
#define RT_TOKEN   32   /* hexadecimal digits */
#define RT_COMMAND 32

/* In the /tmp of the VM, by the VM's number in its own namespace of processes. */
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

/* Of a line without its newline. NULL, or what is wrong with it. */
const char *rt_request_read(struct rt_request *r, const char *line, size_t length);
const char *rt_answer_read(struct rt_answer *a, const char *line, size_t length);

/* Into a line with its newline; its length, 0: it does not fit, or has characters that must not
 * be. In an answer these become "?", and what does not fit is cut. */
size_t rt_request_write(char line[RT_LINE], const struct rt_request *r);
size_t rt_answer_write(char line[RT_LINE], bool ok, const char *words);

/* In a time that does not show where they differ. */
bool rt_token_is(const char *token, const char *given);

#endif
