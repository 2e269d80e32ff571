/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "calibration_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/text.h"

#define FIRST "pitrace calibration 1\n"

const char sequence_types[] = "IiJjNnCOF";
static const char events[EVENTS][3] = { "En", "Ex", "Xx", "Ca", "Po" };

/* ---- names ----------------------------------------------------------------------------------- */

void sequence_name(uint16_t s, char name[SEQUENCE_NAME])
{
	struct sequence_parts p = sequence_parts(s);

	snprintf(name, SEQUENCE_NAME, "%c-%s-%c-%s-%c", sequence_types[p.before], events[p.came],
		 sequence_types[p.ran], events[p.went], sequence_types[p.top]);
}

static bool take_type(struct bytes *line, uint32_t *type)
{
	for (*type = 0; *type < TYPES; ++*type)
		if (text_char(line, sequence_types[*type]))
			return true;
	return false;
}

static bool take_event(struct bytes *line, uint32_t *event)
{
	for (*event = 0; *event < EVENTS; ++*event) {
		if (bytes_left(line) >= 2 && !memcmp(line->base + line->at, events[*event], 2))
			return bytes_skip(line, 2);
	}
	return false;
}

/* ---- reading --------------------------------------------------------------------------------- */

struct calibration_reading {
	struct calibration *c;
	struct bytes all;
	struct calibration_fault *fault;
};

static __attribute__((format(printf, 3, 4))) int wrong(struct calibration_reading *r, size_t at,
						       const char *format, ...)
{
	va_list args;

	r->fault->offset = at;
	va_start(args, format);
	vsnprintf(r->fault->what, sizeof(r->fault->what), format, args);
	va_end(args);
	return -EINVAL;
}

/* Takes the next line; a line without a newline means that the file is truncated. */
static bool take_line(struct calibration_reading *r, struct bytes *line)
{
	const char *text;
	size_t n;

	r->fault->line++;
	if (!bytes_line(&r->all, &text, &n) || r->all.base[r->all.at - 1] != '\n')
		return false;
	*line = bytes_of(text, n);
	return true;
}

#define METRIC (sizeof("metric: ") - 1)

static bool is_metric(const char *line, size_t size)
{
	return size > METRIC && !memcmp(line, "metric: ", METRIC);
}

/* Reports the first line in which the two keys differ. */
static int other_key(struct calibration_reading *r, const char *theirs, size_t their_size,
		     const char *ours, size_t our_size)
{
	const char *colon = memchr(ours, ':', our_size);
	const size_t at = r->fault->offset, name = colon ? (size_t)(colon - ours) + 2 : 0;

	if (is_metric(theirs, their_size) && !is_metric(ours, our_size))
		wrong(r, at, "it was recorded with one more metric: %.*s",
		      (int)(their_size - METRIC), theirs + METRIC);
	else if (is_metric(ours, our_size) && !is_metric(theirs, their_size))
		wrong(r, at, "it was recorded without the metric %.*s", (int)(our_size - METRIC),
		      ours + METRIC);
	else if (!their_size && name)
		wrong(r, at, "its key does not have %.*s, which is %.*s here", (int)(name - 2),
		      ours, (int)(our_size - name), ours + name);
	else if (!our_size || !name || name > their_size || memcmp(theirs, ours, name))
		wrong(r, at, "it has an unexpected line in its key: '%.*s'", (int)their_size,
		      theirs);
	else
		wrong(r, at, "it was recorded with another %.*s: %.*s; here it is %.*s",
		      (int)(name - 2), ours, (int)(their_size - name), theirs + name,
		      (int)(our_size - name), ours + name);
	return -EKEYREJECTED;
}

static int read_key(struct calibration_reading *r, const char *key)
{
	struct bytes ours = bytes_of(key, strlen(key)), line;
	const char *own;
	size_t n, begin;

	for (;;) {
		begin = r->all.at;
		if (!take_line(r, &line))
			return wrong(r, begin, "the file ends within its key");
		if (!bytes_line(&ours, &own, &n)) {
			own = "";
			n = 0;
		}
		if (n != line.size || memcmp(own, line.base, n)) {
			r->fault->offset = begin;
			return other_key(r, (const char *)line.base, line.size, own, n);
		}
		if (!n)
			return 0;
	}
}

/* Takes one value per metric; false: invalid. */
static bool take_values(struct calibration_reading *r, struct bytes *line, uint64_t *values)
{
	for (uint32_t i = 0; i < r->c->metrics; i++) {
		values[i] = 0;
		if (!text_char(line, ' '))
			return false;
		if (!text_char(line, '-') && (!text_number(line, 10, &values[i]) || !values[i]))
			return false;
	}
	return !bytes_left(line);
}

static bool take_floor(struct calibration_reading *r, struct bytes *line)
{
	uint64_t values[CALL_METRICS];
	uint32_t came, ran, went, top, floor;

	if (!take_event(line, &came) || !text_char(line, '-') || !take_type(line, &ran) ||
	    !text_char(line, '-') || !take_event(line, &went) || !text_char(line, '-') ||
	    !take_type(line, &top) || !take_values(r, line, values))
		return false;
	floor = sequence_floor(sequence(0, came, ran, went, top));
	memcpy(&r->c->floor[(size_t)floor * r->c->metrics], values,
	       r->c->metrics * sizeof(*values));
	return true;
}

static bool take_sequence(struct calibration_reading *r, struct bytes *line)
{
	struct sequence_parts p;
	uint64_t values[CALL_METRICS], times;
	uint16_t s;

	if (!take_type(line, &p.before) || !text_char(line, '-') || !take_event(line, &p.came) ||
	    !text_char(line, '-') || !take_type(line, &p.ran) || !text_char(line, '-') ||
	    !take_event(line, &p.went) || !text_char(line, '-') || !take_type(line, &p.top) ||
	    !text_char(line, ' ') || !text_number(line, 10, &times) ||
	    !take_values(r, line, values))
		return false;
	s = sequence(p.before, p.came, p.ran, p.went, p.top);
	/* calibration_write() never writes these. */
	if (!sequence_learns(s))
		return false;
	r->c->times[s] = times;
	memcpy(&r->c->minimum[(size_t)s * r->c->metrics], values, r->c->metrics * sizeof(*values));
	return true;
}

static bool take_word(struct bytes *line, const char *word)
{
	size_t n = strlen(word);

	return bytes_left(line) >= n && !memcmp(line->base + line->at, word, n) &&
	       bytes_skip(line, n);
}

int calibration_read(struct calibration *c, const char *key, const void *data, size_t size,
		     struct calibration_fault *fault)
{
	struct calibration_reading r = { .c = c, .all = bytes_of(data, size), .fault = fault };
	uint64_t lines = 0, said;
	struct bytes line;
	size_t begin;
	int rc;

	*fault = (struct calibration_fault){ 0 };
	if (!take_word(&r.all, FIRST))
		return wrong(&r, 0, "it is not a calibration file");
	fault->line = 1;
	rc = read_key(&r, key);
	if (rc)
		return rc;
	for (;; lines++) {
		begin = r.all.at;
		if (!take_line(&r, &line))
			return wrong(&r, begin, "the file is truncated after %" PRIu64 " entries",
				     lines);
		if (take_word(&line, "end "))
			break;
		if (take_word(&line, "floor ")    ? !take_floor(&r, &line) :
		    take_word(&line, "sequence ") ? !take_sequence(&r, &line) :
						    true)
			return wrong(&r, begin + line.at,
				     "neither a floor nor a sequence, after %" PRIu64 " entries",
				     lines);
	}
	if (!text_number(&line, 10, &said) || bytes_left(&line) || said != lines)
		return wrong(&r, begin, "%" PRIu64 " entries, but its end line has another number",
			     lines);
	if (bytes_left(&r.all))
		return wrong(&r, r.all.at, "data follows its end line");
	return 0;
}

bool calibration_key(const void *data, size_t size, char key[CALIBRATION_KEY_MOST],
		     uint32_t *metrics)
{
	struct bytes all = bytes_of(data, size);
	const char *line;
	size_t n, room = CALIBRATION_KEY_MOST, used = 0;

	*metrics = 0;
	if (!take_word(&all, FIRST))
		return false;
	while (bytes_line(&all, &line, &n)) {
		if (!n) {
			key[used] = 0;
			return *metrics && *metrics <= CALL_METRICS;
		}
		if (n + 2 > room - used)
			return false;
		*metrics += is_metric(line, n);
		memcpy(key + used, line, n);
		used += n;
		key[used++] = '\n';
	}
	return false;
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool any(const uint64_t *values, uint32_t n)
{
	while (n && !values[n - 1])
		n--;
	return n;
}

static void write_values(FILE *out, const uint64_t *values, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (values[i])
			fprintf(out, " %" PRIu64, values[i]);
		else
			fputs(" -", out);
	}
	fputc('\n', out);
}

int calibration_write(FILE *out, const struct calibration *c, const char *key)
{
	char name[SEQUENCE_NAME];
	uint32_t lines = 0, i;

	fprintf(out, FIRST "%s\n", key);
	for (i = 0; i < FLOORS; i++) {
		const uint64_t *values = &c->floor[(size_t)i * c->metrics];

		if (!any(values, c->metrics))
			continue;
		sequence_name((uint16_t)i, name);
		fprintf(out, "floor %s", name + 2);
		write_values(out, values, c->metrics);
		lines++;
	}
	for (i = 0; i < SEQUENCES; i++) {
		const uint64_t *values = &c->minimum[(size_t)i * c->metrics];

		if (!sequence_learns((uint16_t)i) || !any(values, c->metrics))
			continue;
		sequence_name((uint16_t)i, name);
		fprintf(out, "sequence %s %" PRIu64, name, c->times[i]);
		write_values(out, values, c->metrics);
		lines++;
	}
	fprintf(out, "end %" PRIu32 "\n", lines);
	return fflush(out) || ferror(out) ? (errno ? -errno : -EIO) : 0;
}
