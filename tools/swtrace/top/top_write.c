/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Segments end when an interval does, so a period is a number of whole sections of the session's
 * file. Sections with names are copied from the start of the file on, those with samples from the
 * start of the period on.
 */
#include "top_write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "file/file_follow.h"
#include "output.h"

/* Returns 0 or -errno. */
static int copy_section(struct pifile_writer *w, const struct pifile_section *s,
			const void *payload, size_t size)
{
	struct pitrace_segment h;

	switch (s->type) {
	case PIFILE_SEC_SEGMENT:
		return pifile_write_segment(w, payload, size, s->interval);
	case PIFILE_SEC_SNAPSHOT:
		if (size < sizeof(h))
			return 0;
		memcpy(&h, payload, sizeof(h));
		if (h.size < sizeof(h) || h.size > size)
			return 0;
		return pifile_write_snapshot(w, (const char *)payload + h.size, size - h.size,
					     h.stamp);
	default:
		return pifile_write_section(w, s->type, payload, size);
	}
}

static bool wanted(const struct pifile_section *s, size_t i, const struct top_part *part)
{
	switch (s->type) {
	case PIFILE_SEC_SEGMENT:
		return s->ring != PITRACE_RING_TRACE || i >= part->first;
	case PIFILE_SEC_STATS: /* they are of the whole session */
	case PIFILE_SEC_END:
	case PIFILE_SEC_INDEX:
		return false;
	default:
		return true;
	}
}

static int copy(struct pifile_writer *w, struct pifile *f, const struct top_part *part)
{
	void *buffer = NULL;
	int rc = 0;

	for (size_t i = 0; i < part->end && i < pifile_sections(f) && !rc; i++) {
		struct pifile_section s = *pifile_section(f, i);
		const void *payload;
		size_t size;

		if (!wanted(&s, i, part))
			continue;
		payload = pifile_payload(f, i, &buffer, &size);
		rc = payload ? copy_section(w, &s, payload, size) : -EBADMSG;
	}
	free(buffer);
	return rc;
}

static int write_to(struct pifile *f, const struct top_part *part, int fd)
{
	struct pifile_header header = *pifile_get_header(f);
	int own = dup(fd), rc, end;
	struct pifile_writer *w;

	if (own < 0)
		return -errno;
	w = pifile_create_fd(own, &header);
	if (!w) {
		rc = -errno;
		close(own);
		return rc;
	}
	rc = copy(w, f, part);
	end = pifile_finish(w);
	return rc ? rc : end;
}

bool top_write(struct top_session *s, const struct top_period *p, const char *path, char *said,
	       size_t room)
{
	struct pifile_fault fault = { .what = "" };
	char from[PATH_MAX];
	struct pifile *f = NULL;
	struct output out;
	int rc, end;

	if (top_session_path(s, p->part.file, from, sizeof(from)) == TOP_FILE_THERE)
		f = follow_open(from, &fault);
	if (!f) {
		snprintf(said, room, "%s: not written: what is shown is not kept any more", path);
		return false;
	}
	rc = output_open(&out, path, 0600);
	if (rc) {
		snprintf(said, room, "%s: %s", path, output_error(rc));
		pifile_close(f);
		return false;
	}
	rc = write_to(f, &p->part, fileno(out.file));
	pifile_close(f);
	end = output_close(&out);
	if (!rc)
		rc = end;
	if (rc)
		snprintf(said, room, "%s: %s", path, output_error(rc));
	else
		snprintf(said, room, "%s: written%s", path,
			 p->whole ? "" : ", without its begin, which is not kept any more");
	return !rc;
}
