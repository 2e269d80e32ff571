/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rt_protocol.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define GREETING "pitrace-rt"

static bool is_control(unsigned char c)
{
	return c < ' ' || c == 0x7f;
}

static bool has_control(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_control((unsigned char)text[i]))
			return true;
	return false;
}

/* Takes the next word, which must fit. */
static bool take_word(struct bytes *b, char *to, size_t room)
{
	const char *word;
	size_t n;

	if (!text_word(b, &word, &n) || n >= room)
		return false;
	memcpy(to, word, n);
	to[n] = 0;
	return true;
}

/* Takes the rest of the line, without the blank before it. */
static bool take_rest(struct bytes *b, char *to, size_t room)
{
	size_t n;

	text_char(b, ' ');
	n = bytes_left(b);
	if (n >= room)
		return false;
	bytes_copy(b, to, n);
	to[n] = 0;
	return true;
}

static bool is_token(const char *token)
{
	return strlen(token) == RT_TOKEN && strspn(token, "0123456789abcdef") == RT_TOKEN;
}

const char *rt_request_read(struct rt_request *r, const char *line, size_t length)
{
	struct bytes b = bytes_of(line, length);
	uint64_t version;
	char word[16];

	*r = (struct rt_request){ 0 };
	if (has_control(line, length))
		return "control characters in a request";
	if (!take_word(&b, word, sizeof(word)) || strcmp(word, GREETING) != 0)
		return "no request of rtdriver";
	text_skip_blanks(&b);
	if (!text_number(&b, 10, &version) || version != RT_VERSION || !text_char(&b, ' '))
		return "a request of another release";
	if (!take_word(&b, r->token, sizeof(r->token)))
		return "a request without a token";
	if (!strcmp(r->token, "-"))
		*r->token = 0;
	else if (!is_token(r->token))
		return "the token is none";
	if (!take_word(&b, r->command, sizeof(r->command)))
		return "a request without a command";
	if (!take_rest(&b, r->argument, sizeof(r->argument)))
		return "the argument is too long";
	return NULL;
}

size_t rt_request_write(char line[RT_LINE], const struct rt_request *r)
{
	int n = snprintf(line, RT_LINE, GREETING " %d %s %s%s%s\n", RT_VERSION,
			 *r->token ? r->token : "-", r->command, *r->argument ? " " : "",
			 r->argument);

	return n < 0 || n >= RT_LINE || has_control(line, (size_t)n - 1) ? 0 : (size_t)n;
}

const char *rt_answer_read(struct rt_answer *a, const char *line, size_t length)
{
	struct bytes b = bytes_of(line, length);
	char word[8];

	*a = (struct rt_answer){ 0 };
	if (has_control(line, length))
		return "control characters in an answer";
	if (!take_word(&b, word, sizeof(word)) || (strcmp(word, "ok") && strcmp(word, "error")))
		return "no answer of the agent";
	a->ok = !strcmp(word, "ok");
	return take_rest(&b, a->words, sizeof(a->words)) ? NULL : "the answer is too long";
}

size_t rt_answer_write(char line[RT_LINE], bool ok, const char *words)
{
	int n = snprintf(line, RT_LINE, "%s%s%s", ok ? "ok" : "error", *words ? " " : "", words);
	size_t length = n < 0 ? 0 : n < RT_LINE - 1 ? (size_t)n : RT_LINE - 2;

	for (size_t i = 0; i < length; i++)
		if (is_control((unsigned char)line[i]))
			line[i] = '?';
	line[length++] = '\n';
	return length;
}

bool rt_token_is(const char *token, const char *given)
{
	unsigned char differ = 0;

	if (strlen(token) != RT_TOKEN || strlen(given) != RT_TOKEN)
		return false;
	for (size_t i = 0; i < RT_TOKEN; i++)
		differ |= (unsigned char)(token[i] ^ given[i]);
	return !differ;
}
