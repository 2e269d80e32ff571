/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sends a command to the agent and receives the answer; first loads the agent, or asks it to
 * listen, if necessary. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vm_attach.h"
#include "beside.h"
#include "complain.h"
#include "escape.h"
#include "json.h"
#include "monotonic.h"
#include "rt_protocol.h"
#include "rtdriver.h"
#include "talk.h"

/* ---- the agent's library --------------------------------------------------------------------- */

static bool beside(const char *name, char path[PATH_MAX])
{
	char below[PATH_MAX];

	snprintf(below, sizeof(below), "pitrace/%s", name);
	if (library_beside(below, path))
		return true;
	snprintf(below, sizeof(below), PITRACE_LIBDIR "/%s", name);
	return realpath(below, path) != NULL;
}

/* Finds the library that the VM has loaded, or must load: its path below the VM's root. */
static bool find_library(const struct rtdriver *r, char path[PATH_MAX])
{
	int fd;

	if (*r->target.agent) {
		snprintf(path, PATH_MAX, "%s", r->target.agent);
		return true;
	}
	if (r->library)
		snprintf(path, PATH_MAX, "%s", r->library);
	else if (!beside("libjprof.so", path))
		snprintf(path, PATH_MAX, "libjprof.so");
	fd = *path == '/' ? rights_open_below(&r->target.rights, r->target.root, path, NULL) : -1;
	if (fd >= 0) {
		close(fd);
		return true;
	}
	complain("%s: not found below the root of process %d: give the library's path there with -l",
		 path, (int)r->target.pid);
	return false;
}

/* An agent creates its log when it is loaded. Its own message would be in the VM's output. */
static bool can_log(const struct rtdriver *r)
{
	const struct target *t = &r->target;
	int err;

	if (*t->agent || (r->options && strstr(r->options, "LOGPATH=")))
		return true;
	err = target_writes(t);
	/* ENOSYS: older kernels cannot tell. */
	if (!err || err == -ENOSYS || !target_is_alive(t))
		return true;
	complain("process %d cannot write logs to its working folder: %s: -o LOGPATH=FOLDER gives another",
		 (int)t->pid, strerror(-err));
	return false;
}

/* ---- connecting ------------------------------------------------------------------------------ */

static int connect_unix(struct rtdriver *r, uint64_t until)
{
	struct target *t = &r->target;
	char name[64], library[PATH_MAX], options[1024];
	int fd;

	snprintf(name, sizeof(name), RT_SOCKET, (int)t->inner);
	fd = target_connect(t, name);
	if (fd == -ENOENT || fd == -ECONNREFUSED) {
		snprintf(options, sizeof(options), "START=later,CONTROL%s%s", r->options ? "," : "",
			 r->options ? r->options : "");
		if (!find_library(r, library) || !can_log(r) ||
		    !attach_load(t, library, options, until))
			return -1;
		fd = target_connect(t, name);
	}
	if (fd >= 0)
		return fd;
	if (!target_is_alive(t))
		complain("process %d has ended", (int)t->pid);
	else if (fd == -EAGAIN)
		complain("process %d: too many wait for its agent%s", (int)t->pid,
			 target_is_stopped(t) ? ": it is stopped (SIGCONT continues it)" : "");
	else
		complain("process %d: the agent's socket %s in its /tmp: %s", (int)t->pid, name,
			 fd == -EPERM ? "it is not this VM's" : strerror(-fd));
	return -1;
}

static int connect_agent(struct rtdriver *r, uint64_t until)
{
	return r->port ? talk_tcp(r->address ? r->address : "127.0.0.1", (uint16_t)r->port, until) :
			 connect_unix(r, until);
}

/* ---- the answer ------------------------------------------------------------------------------ */

static int show(const struct rtdriver *r, const struct rt_command *c, const struct rt_answer *a)
{
	struct json j;

	if (r->form == FORM_JSON) {
		json_document(&j, stdout, false);
		json_string(&j, "command", c->name);
		json_bool(&j, "ok", a->ok);
		json_string(&j, "answer", a->words);
		json_end(&j, '}');
	}
	if (!a->ok)
		complain("%s: %s", c->name, a->words);
	else if (r->form != FORM_JSON)
		escape_printf(stdout, "%s: %s\n", c->name, a->words);
	return a->ok ? 0 : EXIT_REFUSED;
}

static int not_answered(const struct rtdriver *r, const struct rt_command *c)
{
	if (r->port)
		complain("%s: the agent has not answered in time", c->name);
	else if (!target_is_alive(&r->target))
		complain("%s: process %d has ended", c->name, (int)r->target.pid);
	else
		complain("%s: process %d has not answered in %" PRIu64 " s%s", c->name,
			 (int)r->target.pid, r->limit / 1000000000,
			 target_is_stopped(&r->target) ?
				 ": it is stopped (SIGCONT continues it; it executes the command then)" :
				 "");
	return EXIT_RTDRIVER;
}

static ssize_t await_answer(const struct rtdriver *r, const struct rt_command *c, int fd,
			    char line[RT_LINE])
{
	const struct target *t = r->port ? NULL : &r->target;
	ssize_t n;

	do {
		n = talk_receive(fd, line, RT_LINE, true, now_ns() + r->limit, t);
	} while (n < 0 && c->slow && t && target_is_alive(t) && !target_is_stopped(t));
	return n;
}

/* Returns the length of the request; 0: it does not fit. */
static size_t write_request(char line[RT_LINE], const struct rt_command *c, const char *token,
			    const char *argument)
{
	struct rt_request q = { 0 };

	if (strlen(argument) >= sizeof(q.argument))
		return 0;
	snprintf(q.token, sizeof(q.token), "%s", token);
	snprintf(q.command, sizeof(q.command), "%s", c->send);
	snprintf(q.argument, sizeof(q.argument), "%s", argument);
	return rt_request_write(line, &q);
}

bool rt_fits(const struct rt_command *c, const char *argument)
{
	static const char longest[] = "00000000000000000000000000000000";
	char line[RT_LINE];

	_Static_assert(sizeof(longest) == RT_TOKEN + 1, "a token");
	return !c->send || write_request(line, c, longest, argument);
}

int rt_ask(struct rtdriver *r, const struct rt_command *c, const char *argument)
{
	uint64_t until = now_ns() + r->limit;
	struct rt_answer a;
	char line[RT_LINE];
	const size_t size = write_request(line, c, r->token, argument);
	const char *end, *why;
	ssize_t n = -1;
	int fd;

	fd = connect_agent(r, until);
	if (fd < 0)
		return EXIT_RTDRIVER;
	if (talk_send(fd, line, size, until))
		n = await_answer(r, c, fd, line);
	close(fd);
	if (n < 0)
		return not_answered(r, c);
	end = memchr(line, '\n', (size_t)n);
	if (!end && !r->port && target_ends(&r->target, TARGET_ENDS))
		return not_answered(r, c);
	why = end ? rt_answer_read(&a, line, (size_t)(end - line)) :
		    "the agent hung up without an answer";
	if (!why)
		return show(r, c, &a);
	complain("%s: %s", c->name, why);
	return EXIT_RTDRIVER;
}
