/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "here.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perfutil.h"

#define COLLECTORS 8

/* Returns the name of the collector that serves this scope, or NULL. *module: the kernel module
 * works. */
static const char *serves(int scope, bool *module)
{
	struct trace_check list[COLLECTORS];
	int n = TraceCheck(scope, scope == TRACE_PROCESS ? (int)getpid() : 0, list, COLLECTORS);

	for (int i = 0; i < n && i < COLLECTORS; i++) {
		*module |= !strcmp(list[i].name, "driver") && list[i].state == TRACE_CHECK_WORKS;
		for (int c = 0; list[i].serves && TraceCollectorName(c); c++)
			if (!strcmp(TraceCollectorName(c), list[i].name))
				return TraceCollectorName(c);
	}
	return NULL;
}

bool here_in_path(const char *name)
{
	const char *p = getenv("PATH");
	char path[4096];

	for (p = p ? p : "/usr/bin:/bin"; *p; p += *p == ':') {
		size_t n = strcspn(p, ":");
		int length = snprintf(path, sizeof(path), "%.*s/%s", (int)n, p, name);

		p += n;
		if (n && length < (int)sizeof(path) && !access(path, X_OK))
			return true;
	}
	return false;
}

void here_look(struct here *h)
{
	*h = (struct here){ 0 };
	h->process = serves(TRACE_PROCESS, &h->module);
	h->system = serves(TRACE_SYSTEM, &h->module);
	h->java = here_in_path("java");
}

const char *here_lacks(const struct here *h, const struct front_command *c)
{
	if (c->need == NEEDS_JAVA && !h->java)
		return "there is no java in PATH";
	return NULL;
}

void here_print(const struct here *h, FILE *out)
{
	fprintf(out, "Here %s%s is traced%s%s, ", h->process ? "" : "no ",
		h->process ? "a command" : "command", h->process ? " by " : "",
		h->process ? h->process : "");
	fprintf(out, "the whole system %s%s.\n", h->system ? "by " : "is not",
		h->system ? h->system : "");
	if (!h->module)
		fputs("pitrace check says what is missing, and how to enable it.\n", out);
}
