/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Creates, reads and removes the session's files. */
#include "top_session.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/leftovers.h"
#include "complain.h"
#include "monotonic.h"
#include "swtrace.h"

#define PREFIX     "swtrace-top."
#define FILE_NAME  "top.nrm2"
#define FILE_BYTES (32ull << 20) /* at which the next file begins; two are kept */
#define PIECE_NS   50000000ull   /* of reading between checks for keys and signals */
#define MOST_BYTES (1ull << 30)  /* of the file, if the collector cannot rotate files */

/* ---- the folder ------------------------------------------------------------------------------ */

static const char *base_folder(void)
{
	const char *base = getenv("TMPDIR");

	return base && *base == '/' && strlen(base) < PATH_MAX - 128 ? base : "/tmp";
}

static bool make_folder(struct top_session *s)
{
	const char *base = base_folder();

	leftovers_remove_folders(base, PREFIX, (uid_t)-1);
	snprintf(s->folder, sizeof(s->folder), "%s/" PREFIX "XXXXXX", base);
	s->folder_fd = leftovers_make_folder(s->folder);
	if (s->folder_fd >= 0)
		return true;
	fail("top: a folder for its file cannot be made in %s: %s", base, strerror(-s->folder_fd));
	s->folder_fd = -1;
	*s->folder = 0;
	return false;
}

static void remove_folder(struct top_session *s)
{
	char name[64];
	struct trace_info info = { .files = 0 };

	if (!*s->folder)
		return;
	if (s->tracer)
		tracer_info(s->tracer, &info);
	for (uint32_t i = 0; i <= info.files; i++) {
		snprintf(name, sizeof(name), i ? FILE_NAME ".%u" : FILE_NAME, i);
		unlinkat(s->folder_fd, name, 0);
	}
	unlinkat(s->folder_fd, FILE_NAME ".new", 0);
	rmdir(s->folder);
	close(s->folder_fd);
	*s->folder = 0;
}

/* The tracer may create and rename files meanwhile: repeats until the folder is gone. */
void top_session_abandon(const struct top_session *s)
{
	if (!*s->folder)
		return;
	for (int tries = 0; tries < 10 && rmdir(s->folder) && errno == ENOTEMPTY; tries++) {
		DIR *d = opendir(s->folder);
		struct dirent *e;

		while (d && (e = readdir(d)))
			unlinkat(dirfd(d), e->d_name, 0);
		if (d)
			closedir(d);
	}
}

/* The newest file has no number in its name; older ones have numbers from 1 on. */
enum top_file top_session_path(void *session, uint32_t number, char *path, size_t room)
{
	const struct top_session *s = session;
	struct trace_info info;

	tracer_info(s->tracer, &info);
	if (number > info.files)
		return TOP_FILE_LATER;
	if (number == info.files)
		snprintf(path, room, "%s/" FILE_NAME, s->folder);
	else
		snprintf(path, room, "%s/" FILE_NAME ".%u", s->folder, number + 1);
	return access(path, R_OK) ? TOP_FILE_GONE : TOP_FILE_THERE;
}

/* ---- the session ----------------------------------------------------------------------------- */

static int open_tracer(struct top_session *s, struct tracer_options *o)
{
	int rc;

	o->rotate_bytes = FILE_BYTES;
	o->rotate_keep = 1;
	s->tracer = tracer_open(o, &rc);
	s->rotates = s->tracer;
	if (!s->tracer && rc == PI_NOT_SUPPORTED) {
		o->rotate_bytes = 0;
		o->rotate_keep = 0;
		s->tracer = tracer_open(o, &rc);
	}
	return s->tracer ? 0 : rc;
}

int top_session_begin(struct top_session *s, struct tracer_options *o)
{
	char path[PATH_MAX];
	struct top_part part;
	int rc;

	*s = (struct top_session){ .folder_fd = -1 };
	top_model_init(&s->model);
	if (!make_folder(s))
		return EXIT_SWTRACE;
	snprintf(path, sizeof(path), "%s/" FILE_NAME, s->folder);
	o->file = path;
	rc = open_tracer(s, o);
	if (!rc)
		rc = tracer_on(s->tracer);
	if (rc) {
		fail_rc(rc);
		return EXIT_SWTRACE;
	}
	s->feed = top_feed_open(top_session_path, s);
	if (!s->feed)
		return fail("top: no memory");
	top_feed_place(s->feed, &part);
	top_model_begin(&s->model, now_ns(), &part, true);
	return 0;
}

void top_session_end(struct top_session *s)
{
	top_feed_close(s->feed);
	if (s->tracer)
		tracer_off(s->tracer);
	remove_folder(s);
	tracer_close(s->tracer);
	top_model_free(&s->model);
}

int top_session_step(struct top_session *s, uint64_t most, char *why, size_t room)
{
	int rc;

	s->time = now_ns();
	rc = tracer_write(s->tracer, NULL);
	if (rc)
		snprintf(why, room, "%s", TraceLastError());
	s->until = now_ns() + most;
	return rc;
}

int top_session_read(struct top_session *s, char *why, size_t room)
{
	uint64_t now = now_ns();
	struct trace_info info;
	struct top_part part;
	int rc = top_feed_more(s->feed, &s->model, now + PIECE_NS, now >= s->until, why, room);

	if (rc)
		return rc;
	top_feed_place(s->feed, &part);
	top_model_end(&s->model, s->time, &part);
	tracer_info(s->tracer, &info);
	s->full = !s->rotates && info.written > MOST_BYTES;
	if (info.stopped || info.file_error) {
		snprintf(why, room, "tracing has stopped: %s",
			 info.file_error ? strerror((int)info.file_error) : "a buffer was full");
		return PI_FILE_ERROR;
	}
	return 0;
}

void top_session_next(struct top_session *s, bool reset)
{
	struct top_part part;

	top_feed_place(s->feed, &part);
	top_model_begin(&s->model, s->model.period[TOP_INTERVAL].to, &part, reset);
}
