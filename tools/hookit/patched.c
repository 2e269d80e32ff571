/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Programs that were built with sites to be patched (patch/): their functions report events as
 * those of -mfentry do, with the address of their return address.
 */
#include "patched.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "a2n.h"
#include "escape.h"
#include "foreseen.h"
#include "hook_events.h"
#include "hookit_begin.h"
#include "hookit_options.h"
#include "modules.h"
#include "patch/patch.h"
#include "training.h"

#if defined(__x86_64__)
#include "fentry.h"

static bool enter(uintptr_t function, uintptr_t frame)
{
	hook_fentry(function, frame);
	return true;
}

static void leave(uintptr_t function, uintptr_t frame)
{
	hook_return(function, frame);
}

static bool follow(uintptr_t function, uintptr_t frame)
{
	hook_follow(function, frame);
	return true;
}
#else
static bool enter(uintptr_t function, uintptr_t frame)
{
	hook_enters(function, frame, 0);
	return true;
}

static void leave(uintptr_t function, uintptr_t frame)
{
	(void)function;
	hook_leaves(0, frame);
}
#endif

static const struct patch_events events = {
	.enter = enter,
	.leave = leave,
	.tail = leave,
#if defined(__x86_64__)
	.follow = follow,
	.plain = true,
#endif
};

/* The library's own sites (training_exact.S). */
static bool is_training(void *arg, const char *name, uintptr_t function)
{
	(void)arg, (void)name;
#if defined(__x86_64__)
	return function >= (uintptr_t)training_sites_low &&
	       function < (uintptr_t)training_sites_high;
#else
	(void)function;
	return false;
#endif
}

/* Also decides by names that are only in a separate debug file. */
static bool wanted(void *arg, const char *name, uintptr_t function)
{
	struct foreseen_function known;
	char *plain;
	bool takes;

	if (is_training(arg, name, function))
		return false;
	if (foreseen_find(function, &known))
		return known.kind != FUNCTION_LEFT_OUT;
	plain = name ? a2n_demangle(name) : NULL;
	takes = hookit_takes(plain ? plain : name ? name : "");
	free(plain);
	return takes;
}

/* Patches the wanted functions of all loaded files. -1: `why`. */
static long patch_wanted(char *why, size_t room)
{
	if (hookit_foresees())
		modules_foresee();
	return patch_on(wanted, NULL, why, room);
}

/* ---- before the program ---------------------------------------------------------------------- */

/* Patches the library's own sites first, from which it learns their costs. */
static bool begin_sites(char *why, size_t room)
{
	hookit_sites = "patched sites";
	return patch_on(is_training, NULL, why, room) >= 0;
}

static atomic_bool asked; /* libraries that are loaded later are patched, too */

static void say(const char *cannot)
{
	escape_printf(stderr, "hookit: PATCH: %s\n", cannot);
}

/* Starts if there are sites. Returns false if this process cannot be patched. */
static bool begin_where(void)
{
	const char *cannot = NULL;
	char why[512] = "";

	if (patch_find_new(why, sizeof(why)) <= 0) {
		if (*why)
			say(why);
		return true;
	}
	if (!hookit_sites)
		cannot = patch_begin(&events);
	if (cannot) {
		say(cannot);
		return false;
	}
	if ((!hookit_sites && !begin_sites(why, sizeof(why))) ||
	    (hookit_begin(true) && patch_wanted(why, sizeof(why)) < 0))
		say(why);
	return true;
}

/* Runs before the program's own code: a program without sites is not affected, unless the options
 * are wrong. */
static __attribute__((constructor)) void begin(void)
{
	const struct hookit_options *o = getenv("HOOKITOPTS") ? hookit_options() : NULL;

	if (!o || !o->patches || patch_needless())
		return;
	asked = begin_where();
}

bool patched_asks(void)
{
	return asked && (hookit_sites || !hookit_runs());
}

pthread_mutex_t patched_lock = PTHREAD_MUTEX_INITIALIZER;

void patched_loaded(void)
{
	static __thread bool within __attribute__((tls_model("initial-exec")));
	int error = errno;

	/* The search may load libraries itself. */
	if (within)
		return;
	within = true;
	pthread_mutex_lock(&patched_lock);
	asked = begin_where();
	pthread_mutex_unlock(&patched_lock);
	within = false;
	errno = error;
}

/* ---- attaching ------------------------------------------------------------------------------- */

static bool is_attached;

/* Always false. */
static __attribute__((format(printf, 3, 4))) bool refuses(char *why, size_t room,
							  const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, room, format, args);
	va_end(args);
	return false;
}

/* Another process chooses the log's folder: this process must have the right to write there. */
static bool can_write(const char *folder, char *why, size_t room)
{
	return !faccessat(AT_FDCWD, *folder ? folder : ".", W_OK | X_OK, AT_EACCESS) ||
	       refuses(why, room, "its log cannot be made in %s: %s", *folder ? folder : ".",
		       strerror(errno));
}

static bool begin_now(char *why, size_t room)
{
	if (hookit_runs())
		return hookit_again() || refuses(why, room, "%s", "its log cannot be made");
	return begin_sites(why, room) &&
	       (hookit_begin(true) || refuses(why, room, "%s", "its own messages have the reason"));
}

static bool attach_off(char *why, size_t room)
{
	bool good;

	if (!is_attached && !(hookit_runs() && hookit_sites && hook_on))
		return refuses(why, room, "%s", "its calls are not being measured");
	is_attached = false;
	good = !patch_off(why, room);
	if (hookit_rest() && good)
		return refuses(why, room, "its log cannot be written: %s", hookit_log());
	return good;
}

static long attach_on(const char *text, char *why, size_t room)
{
	const struct hookit_options *o;
	char others[256];
	const char *cannot;
	long n;

	if (is_attached || (hookit_runs() && hook_on)) {
		refuses(why, room, "%s", "its calls are being measured already");
		return -1;
	}
	if (hookit_runs() && !hookit_sites) {
		refuses(why, room, "%s", "it is linked with the library, which measures its calls");
		return -1;
	}
	cannot = patch_begin(&events);
	if (cannot) {
		refuses(why, room, "%s", cannot);
		return -1;
	}
	if (patch_find(why, room) <= 0)
		return -1;
	o = hookit_options_asked(text);
	if (!o) {
		refuses(why, room, "%s", "its own messages have the reason");
		return -1;
	}
	if (!can_write(o->calls.path, why, room) || !begin_now(why, room))
		return -1;
	is_attached = true;
	n = patch_wanted(why, room);
	if (n < 0)
		(void)attach_off(others, sizeof(others));
	return n;
}

/* Also patches what has been loaded since then. */
static long attach_more(char *why, size_t room)
{
	if (!is_attached) {
		refuses(why, room, "%s", "its calls are not being measured");
		return -1;
	}
	return patch_find_new(why, room) < 0 ? -1 : patch_wanted(why, room);
}

void hookit_asked(const char *text, char *answer, size_t room);

/* Called by a thread on behalf of swtrace calls: "on OPTIONS", "more" or "off". The answer is + and
 * the number of functions that are on, followed by the log's path; or - and the reason of the
 * failure. */
__attribute__((visibility("default"))) void hookit_asked(const char *text, char *answer,
							 size_t room)
{
	char why[512] = "";
	int error = errno;
	long n = -1;

	if (!strncmp(text, "on ", 3)) {
		n = attach_on(text + 3, why, sizeof(why));
	} else if (!strcmp(text, "more")) {
		n = attach_more(why, sizeof(why));
	} else if (!strcmp(text, "off")) {
		n = attach_off(why, sizeof(why)) ? 0 : -1;
	} else {
		refuses(why, sizeof(why), "%s", "the library has another version");
	}
	if (n >= 0)
		snprintf(answer, room, "+%ld %s", n, hookit_log());
	else
		snprintf(answer, room, "-%s", why);
	errno = error;
}
