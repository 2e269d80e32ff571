/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks whether the timer collector works here, for this user and this command. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/installed.h"
#include "collect/timer/timer_program.h"
#include "collect/timer/timer_session.h"

/* The preloaded library is searched beside this library, program or pitrace-holder, and where it
 * was installed; the environment can override this. */
bool timer_find_library(char path[PATH_MAX])
{
	static const char *const near[] = { "pitrace/" TIMER_LIBRARY,
					    "../lib/pitrace/" TIMER_LIBRARY, TIMER_LIBRARY, NULL };
	const char *override = secure_getenv("PITRACE_TIMER_LIBRARY");

	if (override)
		return realpath(override, path) != NULL;
	return installed_near(near, path) ||
	       (errno != ENOMEM && realpath(PITRACE_LIBDIR "/" TIMER_LIBRARY, path));
}

static int refuse(struct collector_check *c, enum collector_state state, const char *why,
		  const char *cure)
{
	c->state = state;
	snprintf(c->why, sizeof(c->why), "%s", why);
	snprintf(c->cure, sizeof(c->cure), "%s", cure);
	return -1;
}

static bool timers_work(void)
{
	struct sigevent e = { .sigev_notify = SIGEV_NONE };
	int id;

	if (syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &e, &id))
		return false;
	syscall(SYS_timer_delete, id);
	return true;
}

void timer_check(const struct trace_config *config, struct collector_check *c)
{
	char library[PATH_MAX];
	bool found = timer_find_library(library);

	*c = (struct collector_check){ .state = COLLECTOR_WORKS };
	if (!found && errno == ENOMEM)
		refuse(c, COLLECTOR_REFUSED, "no memory to look for its library", "");
	else if (!found)
		refuse(c, COLLECTOR_ABSENT, "its library " TIMER_LIBRARY " is not installed",
		       "make install, or name it in PITRACE_TIMER_LIBRARY");
	else if (strpbrk(library, ": \t\n"))
		refuse(c, COLLECTOR_REFUSED,
		       "the path of its library has a blank or a colon, which LD_PRELOAD cannot hold",
		       "install pitrace elsewhere, or name a copy in PITRACE_TIMER_LIBRARY");
	else if (!timers_work())
		refuse(c, COLLECTOR_REFUSED, "timers of a thread's CPU time are not allowed here",
		       "");
	else if (config->scope == PITRACE_SCOPE_SYSTEM)
		refuse(c, COLLECTOR_REFUSED,
		       "the timer collector sees only the command that swtrace run starts and its children, not the whole system",
		       "");
	else if (config->pid && !config->program)
		refuse(c, COLLECTOR_REFUSED,
		       "the timer collector cannot enter a process that runs already",
		       "start the program by swtrace run");
	else if (config->mode != PITRACE_MODE_CONTINUOUS)
		refuse(c, COLLECTOR_REFUSED,
		       "the timer collector writes while it traces: it has neither normal nor wrap mode",
		       "use -t cont");
	else if (config->nevents)
		refuse(c, COLLECTOR_REFUSED,
		       "the timer collector samples CPU time and no other event", "");
	else if (config->stacks && !(config->stacks & (PITRACE_WANT_USER | PITRACE_WANT_COPY)))
		refuse(c, COLLECTOR_REFUSED,
		       "the timer collector sees user code only, no stacks of the kernel",
		       "use -g=fp or -g=dwarf");
	else if (config->program && !timer_can_enter(config->program, c->why, sizeof(c->why),
						     c->cure, sizeof(c->cure)))
		c->state = COLLECTOR_REFUSED;
	else if (config->dither)
		snprintf(c->why, sizeof(c->why),
			 "a tick lies anywhere in its interval; of threads that sleep often, in step with the kernel's tick");
}
