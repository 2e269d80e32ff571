/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports which of the possible sequences a file of minima has, and why others are impossible. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "complain.h"
#include "possible.h"
#include "store.h"
#include "train.h"

static const char *const events[] = { "enter", "leave", "unwind", "caught" };

static bool seen(const struct calibration *c, uint32_t s)
{
	return c->minimum[(size_t)s * c->metrics];
}

/* Prints the counts by the two events of the sequences. */
static void show_counts(FILE *out, const struct calibration *c, bool probes)
{
	uint32_t reached[EVENT_POPPED][EVENT_POPPED] = { 0 },
		 can[EVENT_POPPED][EVENT_POPPED] = { 0 }, all = 0, of_all = 0, paper = 0,
		 of_paper = 0, seldom = 0, s, i, k;

	for (s = 0; s < SEQUENCES; s++) {
		struct sequence_parts p = sequence_parts((uint16_t)s);

		if (sequence_of_paper((uint16_t)s)) {
			of_paper++;
			paper += seen(c, s);
		}
		if (sequence_why_not((uint16_t)s, probes))
			continue;
		can[p.came][p.went]++;
		of_all++;
		if (seen(c, s)) {
			reached[p.came][p.went]++;
			all++;
			seldom += c->times[s] < CALIBRATION_TRAINED;
		}
	}
	fprintf(out, "sequences: %" PRIu32 " of the %" PRIu32 " possible ones", all, of_all);
	if (seldom)
		fprintf(out, "; %" PRIu32 " of them less than %d times, which is untrained", seldom,
			CALIBRATION_TRAINED);
	fputc('\n', out);
	for (i = 0; i < EVENT_POPPED; i++)
		for (k = 0; k < EVENT_POPPED; k++)
			if (can[i][k])
				fprintf(out, "  %s, %s: %" PRIu32 " of %" PRIu32 "\n", events[i],
					events[k], reached[i][k], can[i][k]);
	fprintf(out, "of enter, leave and unwind only: %" PRIu32 " of %" PRIu32 "\n", paper,
		of_paper);
}

static bool is_java(uint16_t s)
{
	struct sequence_parts p = sequence_parts(s);

	return sequence_learns(s) && p.before < TYPE_COMPILING && p.ran < TYPE_COMPILING &&
	       p.top < TYPE_COMPILING;
}

/* Prints the impossible combinations of the events and types of Java methods, by reason. */
static void show_impossible(FILE *out, bool probes)
{
	uint32_t n[WHY_NOTS] = { 0 }, all = 0, s, i;

	for (s = 0; s < SEQUENCES; s++) {
		if (!is_java((uint16_t)s))
			continue;
		all++;
		n[sequence_why_not((uint16_t)s, probes)]++;
	}
	fprintf(out, "impossible: %" PRIu32 " of %" PRIu32 "\n", all - n[CAN_BE], all);
	for (i = CAN_BE + 1; i < WHY_NOTS; i++)
		if (n[i])
			fprintf(out, "  %s: %" PRIu32 "\n", why_nots[i], n[i]);
}

/* Type O is code that is not measured and calls the outermost measured methods. */
static void show_others(FILE *out, const struct calibration *c)
{
	uint32_t outer = 0, compiling = 0, s;

	for (s = 0; s < SEQUENCES; s++) {
		struct sequence_parts p = sequence_parts((uint16_t)s);
		bool compiles = p.before == TYPE_COMPILING || p.ran == TYPE_COMPILING ||
				p.top == TYPE_COMPILING;

		if (!sequence_learns((uint16_t)s) || is_java((uint16_t)s))
			continue;
		compiling += compiles && seen(c, s);
		outer += !compiles && c->times[s] >= CALIBRATION_TRAINED;
	}
	fprintf(out,
		"with type O, callers that are not measured: %" PRIu32
		" trained\nwith type C, the VM's compiler: %" PRIu32 ", not trained\n",
		outer, compiling);
}

static void show_types(FILE *out, const struct calibration *c)
{
	bool has[TYPES] = { false };
	uint32_t s, i;

	for (s = 0; s < SEQUENCES; s++)
		if (is_java((uint16_t)s) && seen(c, s))
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

static void show_list(FILE *out, const struct calibration *c, bool probes)
{
	char name[SEQUENCE_NAME];
	uint32_t s, i;

	for (s = 0; s < SEQUENCES; s++) {
		if (sequence_why_not((uint16_t)s, probes))
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

bool reached_show(FILE *out, const char *file, bool list)
{
	struct minima m;
	int rc = minima_read(&m, file);
	bool probes;

	if (rc == -ENOENT)
		complain("%s: %s", file, strerror(ENOENT));
	if (rc)
		return false;
	probes = minima_of_probes(&m);
	fprintf(out, "%s\n", file);
	show_counts(out, &m.c, probes);
	show_impossible(out, probes);
	show_others(out, &m.c);
	show_types(out, &m.c);
	if (list)
		show_list(out, &m.c, probes);
	minima_free(&m);
	return true;
}
