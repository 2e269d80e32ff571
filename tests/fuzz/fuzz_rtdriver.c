/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzz: requests and answers of the agent's socket, a VM's reply to attaching, and lines of /proc;
 * the first byte chooses. A message that is understood reads the same when it is written again.
 */
#include "attach_reply.h"
#include "fuzz.h"
#include "process_text.h"
#include "rt_protocol.h"

static void request(const uint8_t *data, size_t size)
{
	static struct rt_request r, again;
	char line[RT_LINE];
	size_t n;

	if (rt_request_read(&r, (const char *)data, size))
		return;
	n = rt_request_write(line, &r);
	/* Blanks before an argument are its own but for one. */
	if (!n)
		return;
	if (rt_request_read(&again, line, n - 1) || memcmp(&r, &again, sizeof(r)))
		abort();
}

static void answer(const uint8_t *data, size_t size)
{
	static struct rt_answer a, again;
	char line[RT_LINE];

	if (rt_answer_read(&a, (const char *)data, size))
		return;
	if (strlen(a.words) + 8 < RT_LINE &&
	    (rt_answer_read(&again, line, rt_answer_write(line, a.ok, a.words) - 1) ||
	     again.ok != a.ok || strcmp(again.words, a.words)))
		abort();
}

static void attach(const uint8_t *data, size_t size)
{
	const char *end = (const char *)data + size;
	struct attach_reply r;

	if (attach_reply_read(&r, (const char *)data, size))
		return;
	if (r.text < (const char *)data || r.text > end || r.length > (size_t)(end - r.text))
		abort();
	/* Only final newlines are left out. */
	if (r.length && r.text[r.length - 1] == '\n')
		abort();
	for (const char *p = r.text + r.length; p < end; p++) {
		if (*p != '\n')
			abort();
	}
}

static void proc(const uint8_t *data, size_t size)
{
	struct process_status s = { 0 };
	char agent[64] = "";

	process_status_line(&s, (const char *)data, size);
	if (s.inner < 0)
		abort();
	if (process_library((const char *)data, size, agent, sizeof(agent)) == LIBRARY_AGENT &&
	    *agent != '/')
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const read[])(const uint8_t *data, size_t size) = { request, answer, attach,
									  proc };

	if (size)
		read[data[0] % 4](data + 1, size - 1);
	return 0;
}
