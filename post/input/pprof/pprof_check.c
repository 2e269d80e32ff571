/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks a pprof profile for consistency: everything that its parts refer to by number must exist,
 * and each sample must have a value of each kind. Missing items become a fault of the part that
 * refers to them, one for each part; readers of the part use what exists.
 */
#include "input/pprof/pprof_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum refers { TO_NOTHING, TO_STRING, TO_MAPPING, TO_LOCATION, TO_FUNCTION, OF_FIELDS };

/* A field's reference, or the rules of its own fields; the last rule has number 0. */
struct rule {
	uint32_t number;
	enum refers refers;
	const char *what; /* its description in fault messages */
	const struct rule *fields;
};

static const struct rule value_type[] = {
	{ .number = VALUE_TYPE, .refers = TO_STRING },
	{ .number = VALUE_UNIT, .refers = TO_STRING },
	{ .number = 0 },
};
static const struct rule label[] = {
	{ .number = LABEL_KEY, .refers = TO_STRING },
	{ .number = LABEL_STRING, .refers = TO_STRING },
	{ .number = LABEL_UNIT, .refers = TO_STRING },
	{ .number = 0 },
};
static const struct rule sample[] = {
	{ .number = SAMPLE_LOCATION, .refers = TO_LOCATION },
	{ .number = SAMPLE_VALUE, .refers = TO_NOTHING },
	{ .number = SAMPLE_LABEL, .refers = OF_FIELDS, .fields = label },
	{ .number = 0 },
};
static const struct rule mapping[] = {
	{ .number = MAPPING_FILE, .refers = TO_STRING },
	{ .number = MAPPING_BUILD_ID, .refers = TO_STRING },
	{ .number = 0 },
};
static const struct rule line[] = {
	{ .number = LINE_FUNCTION, .refers = TO_FUNCTION },
	{ .number = 0 },
};
static const struct rule location[] = {
	{ .number = LOCATION_MAPPING, .refers = TO_MAPPING },
	{ .number = LOCATION_LINE, .refers = OF_FIELDS, .fields = line },
	{ .number = 0 },
};
static const struct rule function[] = {
	{ .number = FUNCTION_NAME, .refers = TO_STRING },
	{ .number = FUNCTION_RAW_NAME, .refers = TO_STRING },
	{ .number = FUNCTION_FILE, .refers = TO_STRING },
	{ .number = 0 },
};
static const struct rule profile[] = {
	{ PROFILE_SAMPLE_TYPE, OF_FIELDS, "a kind of values", value_type },
	{ PROFILE_SAMPLE, OF_FIELDS, "a sample", sample },
	{ PROFILE_MAPPING, OF_FIELDS, "a mapping", mapping },
	{ PROFILE_LOCATION, OF_FIELDS, "a location", location },
	{ PROFILE_FUNCTION, OF_FIELDS, "a function", function },
	{ PROFILE_DROP_FRAMES, TO_STRING, "drop_frames", NULL },
	{ PROFILE_KEEP_FRAMES, TO_STRING, "keep_frames", NULL },
	{ PROFILE_PERIOD_TYPE, OF_FIELDS, "the period", value_type },
	{ PROFILE_COMMENT, TO_STRING, "a comment", NULL },
	{ PROFILE_DEFAULT_TYPE, TO_STRING, "the kind of values to be shown", NULL },
	{ .number = 0 },
};

/* The missing items of a part. */
struct missing {
	enum refers what; /* the first one */
	uint64_t id;
	uint32_t count; /* total number */
	bool malformed;
	uint32_t values; /* of a sample */
};

/* Numbers start at 1; 0 means none, or the empty string. Every call in a stack needs a location. */
static bool exists(const struct pprof *p, enum refers to, uint64_t id)
{
	switch (to) {
	case TO_STRING:
		return !id || id < p->strings;
	case TO_MAPPING:
		return !id || pprof_find(&p->mappings, id) != NO_KEY;
	case TO_FUNCTION:
		return !id || pprof_find(&p->functions, id) != NO_KEY;
	case TO_LOCATION:
		return pprof_find(&p->locations, id) != NO_KEY;
	default:
		return true;
	}
}

/* Checks numbers, packed or single. */
static void check_numbers(const struct pprof *p, enum refers to, struct protobuf_field *f,
			  struct missing *m)
{
	uint64_t id;

	while (protobuf_number(f, &id)) {
		m->values += to == TO_NOTHING;
		if (exists(p, to, id) || m->count++)
			continue;
		m->what = to;
		m->id = id;
	}
	m->malformed |= f->bytes.bad;
}

static const struct rule *rule_of(const struct rule *r, uint32_t number)
{
	while (r->number && r->number != number)
		r++;
	return r->number ? r : NULL;
}

/* Only messages of messages have their own rules: at most three levels, whatever the file
 * contains. */
static void check_fields(const struct pprof *p, const struct rule *rules, struct bytes b,
			 struct missing *m)
{
	const struct rule *r;
	struct protobuf_field f;

	while (protobuf_next(&b, &f)) {
		r = rule_of(rules, f.number);
		if (!r)
			continue;
		if (r->refers != OF_FIELDS)
			check_numbers(p, r->refers, &f, m);
		else if (f.is_bytes)
			check_fields(p, r->fields, f.bytes, m);
		else
			m->malformed = true;
	}
	m->malformed |= b.bad;
}

static void report_missing(struct pprof *p, const struct rule *r, uint64_t at,
			   const struct missing *m)
{
	static const char *const names[] = {
		[TO_STRING] = "string",
		[TO_MAPPING] = "mapping",
		[TO_LOCATION] = "location",
		[TO_FUNCTION] = "function",
	};

	if (m->malformed)
		pprof_fault(p, at, "%s that is malformed: the rest of it is omitted", r->what);
	if (m->count == 1)
		pprof_fault(p, at, "%s refers to %s %" PRIu64 ", which does not exist: left out",
			    r->what, names[m->what], m->id);
	if (m->count > 1)
		pprof_fault(p, at,
			    "%s refers to %s %" PRIu64
			    ", which does not exist, and to %u more such: left out",
			    r->what, names[m->what], m->id, m->count - 1);
	if (r->number == PROFILE_SAMPLE && m->values != p->types_all)
		pprof_fault(p, at, "a sample has %u values, the profile %u kinds of them",
			    m->values, p->types_all);
}

void pprof_check(struct pprof *p)
{
	struct bytes b = bytes_of(p->data, p->size);
	const struct rule *r;
	struct protobuf_field f;

	while (protobuf_next(&b, &f)) {
		struct missing m = { .what = TO_NOTHING };

		r = rule_of(profile, f.number);
		if (!r)
			continue;
		if (r->refers != OF_FIELDS)
			check_numbers(p, r->refers, &f, &m);
		else if (f.is_bytes)
			check_fields(p, r->fields, f.bytes, &m);
		else
			m.malformed = true;
		report_missing(p, r, f.at, &m);
	}
}
