/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which sequences a file of minima has, of those that there can be. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/read_all.h"
#include "calibration_text.h"
#include "complain.h"
#include "train.h"

static const char *const events[] = { "enter", "leave", "unwind", "caught" };

static bool seen(const struct calibration *c, uint32_t s)
{
	return c->minimum[(size_t)s * c->metrics];
}

/* After what, by what. */
static void show_counts(FILE *out, const struct calibration *c)
{
	uint32_t reached[EVENT_POPPED][EVENT_POPPED] = { 0 },
		 can[EVENT_POPPED][EVENT_POPPED] = { 0 }, all = 0, of_all = 0, paper = 0,
		 of_paper = 0, s, i, k;

	for (s = 0; s < SEQUENCES; s++) {
		struct sequence_parts p = sequence_parts((uint16_t)s);

		if (sequence_of_paper((uint16_t)s)) {
			of_paper++;
			paper += seen(c, s);
		}
		if (!sequence_possible((uint16_t)s))
			continue;
		can[p.came][p.went]++;
		of_all++;
		if (seen(c, s)) {
			reached[p.came][p.went]++;
			all++;
		}
	}
	fprintf(out, "sequences: %" PRIu32 " of the %" PRIu32 " that there can be\n", all, of_all);
	for (i = 0; i < EVENT_POPPED; i++)
		for (k = 0; k < EVENT_POPPED; k++)
			if (can[i][k])
				fprintf(out, "  %s, %s: %" PRIu32 " of %" PRIu32 "\n", events[i],
					events[k], reached[i][k], can[i][k]);
	fprintf(out,
		"of enter, leave and unwind alone: %" PRIu32 " of %" PRIu32
		" (a method that goes on is told between an unwind and what follows)\n",
		paper, of_paper);
}

static void show_types(FILE *out, const struct calibration *c)
{
	bool has[TYPES] = { false };
	uint32_t s, i;

	for (s = 0; s < SEQUENCES; s++)
		if (sequence_possible((uint16_t)s) && seen(c, s))
			has[sequence_parts((uint16_t)s).ran] = true;
	fputs("types of methods:", out);
	for (i = 0; i < TYPE_COMPILING; i++)
		if (has[i])
			fprintf(out, " %c", sequence_types[i]);
	fputs("; none:", out);
	for (i = 0; i < TYPE_COMPILING; i++)
		if (!has[i])
			fprintf(out, " %c", sequence_types[i]);
	fputc('\n', out);
}

static void show_list(FILE *out, const struct calibration *c)
{
	char name[SEQUENCE_NAME];
	uint32_t s, i;

	for (s = 0; s < SEQUENCES; s++) {
		if (!sequence_possible((uint16_t)s))
			continue;
		sequence_name((uint16_t)s, name);
		if (!seen(c, s)) {
			fprintf(out, "%s never\n", name);
			continue;
		}
		fprintf(out, "%s %" PRIu64, name, c->times[s]);
		for (i = 0; i < c->metrics; i++)
			fprintf(out, " %" PRIu64, c->minimum[(size_t)s * c->metrics + i]);
		fputc('\n', out);
	}
}

static bool show(FILE *out, const char *file, const char *text, size_t size, bool list)
{
	char key[CALIBRATION_KEY_MOST];
	struct calibration_fault fault;
	struct calibration c = { 0 };
	uint32_t metrics;
	int rc;

	if (!calibration_key(text, size, key, &metrics)) {
		complain("%s: it has no key", file);
		return false;
	}
	rc = calibration_init(&c, metrics);
	if (!rc)
		rc = calibration_read(&c, key, text, size, &fault);
	if (rc == -EINVAL)
		complain("%s: line %" PRIu32 ", byte %zu: %s", file, fault.line, fault.offset,
			 fault.what);
	else if (rc)
		complain("%s: %s", file, strerror(-rc));
	if (!rc) {
		fprintf(out, "%s\n", file);
		show_counts(out, &c);
		show_types(out, &c);
		if (list)
			show_list(out, &c);
	}
	calibration_free(&c);
	return !rc;
}

bool reached_show(FILE *out, const char *file, bool list)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), rc;
	char *text = NULL;
	size_t size;
	bool good;

	rc = fd < 0 ? -errno : read_all(fd, CALIBRATION_SIZE_MOST, &text, &size);
	if (fd >= 0)
		close(fd);
	if (rc) {
		complain("%s: %s", file, strerror(-rc));
		return false;
	}
	good = show(out, file, text, size, list);
	free(text);
	return good;
}
