/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "process_text.h"

#include <string.h>

#include "base/text.h"

static bool key_is(const char *key, size_t n, const char *name)
{
	return n == strlen(name) && !memcmp(key, name, n);
}

static bool number_at(struct bytes *b, unsigned int base, uint64_t *n)
{
	text_skip_blanks(b);
	return text_number(b, base, n);
}

void process_status_line(struct process_status *s, const char *line, size_t length)
{
	struct bytes b = bytes_of(line, length);
	const char *key, *word;
	uint64_t n, effective;
	size_t size;

	if (!text_word(&b, &key, &size))
		return;
	if (key_is(key, size, "State:")) {
		if (text_word(&b, &word, &size))
			s->state = *word;
	} else if (key_is(key, size, "Tgid:")) {
		s->process = number_at(&b, 10, &n) && n <= INT32_MAX ? (pid_t)n : 0;
	} else if (key_is(key, size, "Uid:")) {
		s->has_uid = number_at(&b, 10, &n) && number_at(&b, 10, &effective) &&
			     effective <= UINT32_MAX;
		s->uid = s->has_uid ? (uid_t)effective : 0;
	} else if (key_is(key, size, "NSpid:")) {
		while (number_at(&b, 10, &n) && n <= INT32_MAX)
			s->inner = (pid_t)n;
	} else if (key_is(key, size, "SigCgt:")) {
		s->caught = number_at(&b, 16, &n) ? n : 0;
	}
}

static bool ends_in(const char *path, size_t n, const char *name)
{
	size_t length = strlen(name);

	return n >= length && !memcmp(path + n - length, name, length);
}

enum process_library process_library(const char *line, size_t length, char *agent, size_t room)
{
	const char *path = memchr(line, '/', length);
	size_t n = path ? length - (size_t)(path - line) : 0;

	if (n && path[n - 1] == '\n')
		n--;
	if (ends_in(path, n, "/libjvm.so"))
		return LIBRARY_VM;
	if ((!ends_in(path, n, "/libjprof.so") && !ends_in(path, n, "/libpijit.so")) || n >= room)
		return LIBRARY_NONE;
	memcpy(agent, path, n);
	agent[n] = 0;
	return LIBRARY_AGENT;
}
