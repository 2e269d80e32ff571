/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The protocol between rtdriver and the agent, a VM's reply to attaching, and /proc. */
#include <CUnit/CUnit.h>
#include <string.h>

#include "attach_reply.h"
#include "process_text.h"
#include "rt_protocol.h"
#include "unit.h"

#define TOKEN "0123456789abcdef0123456789abcdef"

static const char *read_request(struct rt_request *r, const char *line)
{
	return rt_request_read(r, line, strlen(line));
}

static void requests(void)
{
	struct rt_request r = { .token = TOKEN, .command = "heapdump", .argument = "/a b/c" }, back;
	char line[RT_LINE];
	size_t n = rt_request_write(line, &r);

	CU_ASSERT_STRING_EQUAL(line, "pitrace-rt 1 " TOKEN " heapdump /a b/c\n");
	CU_ASSERT_PTR_NULL(rt_request_read(&back, line, n - 1));
	CU_ASSERT(!memcmp(&r, &back, sizeof(r)));
	/* Cut anywhere it is refused, or has less of its last word. */
	for (size_t i = 0; i < n - 1; i++) {
		const char *why = rt_request_read(&back, line, i);

		CU_ASSERT(why || i > strlen("pitrace-rt 1 " TOKEN " "));
	}
	CU_ASSERT_PTR_NULL(read_request(&back, "pitrace-rt 1 - stop"));
	CU_ASSERT_STRING_EQUAL(back.token, "");
	CU_ASSERT_STRING_EQUAL(back.command, "stop");
	CU_ASSERT_STRING_EQUAL(back.argument, "");
	CU_ASSERT_STRING_EQUAL(read_request(&back, "pitrace-rt 2 - stop"),
			       "a request of another release");
	CU_ASSERT_STRING_EQUAL(read_request(&back, "pitrace-rt 1x - stop"),
			       "a request of another release");
	CU_ASSERT_STRING_EQUAL(read_request(&back, "GET / HTTP/1.0"), "no request of rtdriver");
	CU_ASSERT_STRING_EQUAL(read_request(&back, "pitrace-rt 1 abc stop"), "the token is none");
	CU_ASSERT_STRING_EQUAL(read_request(&back, "pitrace-rt 1 -"),
			       "a request without a command");
	CU_ASSERT_STRING_EQUAL(read_request(&back, "pitrace-rt 1 - st\033op"),
			       "control characters in a request");
	CU_ASSERT_STRING_EQUAL(rt_request_read(&back, "pitrace-rt 1 - a\0b", 18),
			       "control characters in a request");
	strcpy(r.argument, "a\nb");
	CU_ASSERT_EQUAL(rt_request_write(line, &r), 0);
}

static void answers(void)
{
	struct rt_answer a;
	char line[RT_LINE], long_one[2 * RT_LINE];
	size_t n = rt_answer_write(line, true, "written: /tmp/log-rt.1_5");

	CU_ASSERT_PTR_NULL(rt_answer_read(&a, line, n - 1));
	CU_ASSERT(a.ok && !strcmp(a.words, "written: /tmp/log-rt.1_5"));
	n = rt_answer_write(line, false, "two\nlines\033[2J");
	CU_ASSERT_EQUAL(line[n - 1], '\n');
	CU_ASSERT_PTR_NULL(rt_answer_read(&a, line, n - 1));
	CU_ASSERT(!a.ok && !strcmp(a.words, "two?lines?[2J"));
	memset(long_one, 'x', sizeof(long_one) - 1);
	long_one[sizeof(long_one) - 1] = 0;
	n = rt_answer_write(line, true, long_one);
	CU_ASSERT(n <= RT_LINE && line[n - 1] == '\n');
	CU_ASSERT_PTR_NULL(rt_answer_read(&a, line, n - 1));
	CU_ASSERT_PTR_NOT_NULL(rt_answer_read(&a, "okay", 4));
	CU_ASSERT_PTR_NOT_NULL(rt_answer_read(&a, "", 0));
}

static void tokens(void)
{
	CU_ASSERT(rt_token_is(TOKEN, TOKEN));
	CU_ASSERT_FALSE(rt_token_is(TOKEN, "0123456789abcdef0123456789abcdee"));
	CU_ASSERT_FALSE(rt_token_is(TOKEN, "1123456789abcdef0123456789abcdef"));
	CU_ASSERT_FALSE(rt_token_is(TOKEN, ""));
	CU_ASSERT_FALSE(rt_token_is("", ""));
}

static const char *attach(struct attach_reply *r, const char *text)
{
	return attach_reply_read(r, text, strlen(text));
}

static void attach_replies(void)
{
	struct attach_reply r;

	CU_ASSERT_PTR_NULL(attach(&r, "0\nreturn code: 0\n"));
	CU_ASSERT(!r.status && r.has_code && !r.code);
	CU_ASSERT_PTR_NULL(attach(&r, "0\nreturn code: -1\n"));
	CU_ASSERT(r.has_code && r.code == -1);
	CU_ASSERT_PTR_NULL(attach(&r, "0\n/a/libjprof.so was not loaded.\n"));
	CU_ASSERT(!r.has_code && r.length == 30);
	CU_ASSERT_PTR_NULL(attach(&r, "0\nnot\nenabled\n\n"));
	CU_ASSERT(r.length == 11 && !memcmp(r.text, "not\nenabled", 11));
	CU_ASSERT_PTR_NULL(attach(&r, "0\n\n"));
	CU_ASSERT(!r.length);
	CU_ASSERT_PTR_NULL(attach(&r, "101\nprotocol\n"));
	CU_ASSERT_EQUAL(r.status, 101);
	CU_ASSERT_PTR_NULL(attach(&r, "0\nreturn code: 0 and more\n"));
	CU_ASSERT_FALSE(r.has_code);
	CU_ASSERT_PTR_NOT_NULL(attach(&r, ""));
	CU_ASSERT_PTR_NOT_NULL(attach(&r, "\n"));
	CU_ASSERT_PTR_NOT_NULL(attach(&r, "99999999999\n"));
	CU_ASSERT_PTR_NOT_NULL(attach(&r, "0x\n"));
}

static void status(struct process_status *s, const char *line)
{
	process_status_line(s, line, strlen(line));
}

static void proc(void)
{
	struct process_status s = { 0 };
	char agent[32] = "";
	const char *vm = "7f00-7f01 r-xp 0000 08:01 5   /usr/lib/jvm/lib/server/libjvm.so\n",
		   *ours = "7f00-7f01 r-xp 0000 08:01 5   /opt/lib/pitrace/libjprof.so\n",
		   *gone = "7f00-7f01 r-xp 0000 08:01 5   /opt/libjprof.so (deleted)\n",
		   *far = "7f00-7f01 r-xp 0000 08:01 5   /opt/a/very/long/way/to/libjprof.so\n";

	status(&s, "State:\tT (stopped)\n");
	status(&s, "Uid:\t1000\t1001\t1002\t1003\n");
	status(&s, "NSpid:\t4711\t17\t1\n");
	status(&s, "Tgid:\t4710\n");
	status(&s, "SigCgt:\t2000000181005ccf\n");
	CU_ASSERT(s.state == 'T' && s.has_uid && s.uid == 1001);
	CU_ASSERT(s.inner == 1 && s.process == 4710);
	CU_ASSERT_EQUAL(s.caught, 0x2000000181005ccf);
	status(&s, "Uid:\tx\n");
	CU_ASSERT_FALSE(s.has_uid);
	CU_ASSERT_EQUAL(process_library(vm, strlen(vm), agent, sizeof(agent)), LIBRARY_VM);
	CU_ASSERT_EQUAL(process_library(gone, strlen(gone), agent, sizeof(agent)), LIBRARY_NONE);
	CU_ASSERT_EQUAL(process_library(far, strlen(far), agent, sizeof(agent)), LIBRARY_NONE);
	CU_ASSERT_STRING_EQUAL(agent, "");
	CU_ASSERT_EQUAL(process_library(ours, strlen(ours), agent, sizeof(agent)), LIBRARY_AGENT);
	CU_ASSERT_STRING_EQUAL(agent, "/opt/lib/pitrace/libjprof.so");
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "requests", requests }, { "answers", answers },
		{ "tokens", tokens },     { "attach_replies", attach_replies },
		{ "proc", proc },         { NULL, NULL },
	};

	return unit_run("rtdriver", tests);
}
