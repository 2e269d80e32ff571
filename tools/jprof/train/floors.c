/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A line is what ran in one symbol up to a branch: CPU, U, what the branch is, how many
 * instructions, '@' if it goes on from the line before, an offset, symbol and module, the thread.
 */
#include "floors.h"

#include "base/text.h"

enum branch { BRANCH_CALL = 1, BRANCH_RETURN = 2 };

struct part {
	uint64_t branch, count;
	int type;  /* of the trainer's method; -1: other code */
	bool goes; /* on from the line before */
	const char *thread;
	size_t thread_length;
};

static bool is(const char *word, size_t n, const char *text)
{
	return n == strlen(text) && !memcmp(word, text, n);
}

/* TrainJ.both_jJ_J(int):JITCODE: its type is the last letter of its name. */
static int type_of(const char *symbol, size_t n)
{
	static const char class[] = "TrainJ.", end[] = "(int):JITCODE";
	const size_t around = sizeof(class) - 1 + sizeof(end) - 1;

	if (n <= around || memcmp(symbol, class, sizeof(class) - 1) ||
	    memcmp(symbol + n - (sizeof(end) - 1), end, sizeof(end) - 1))
		return -1;
	switch (symbol[n - sizeof(end)]) {
	case 'J':
		return TYPE_JITTED;
	case 'j':
		return TYPE_JITTED + 1;
	}
	return -1;
}

/* false: it is no such line. Symbols of other code may have blanks: no more is looked at. */
static bool take_part(struct bytes line, struct part *p)
{
	const char *word;
	uint64_t cpu;
	size_t n;

	*p = (struct part){ .type = -1 };
	text_skip_blanks(&line);
	if (!text_number(&line, 10, &cpu) || !text_word(&line, &word, &n) || !is(word, n, "U"))
		return false;
	text_skip_blanks(&line);
	if (!text_number(&line, 10, &p->branch))
		return false;
	text_skip_blanks(&line);
	if (!text_number(&line, 10, &p->count) || !text_word(&line, &word, &n))
		return false;
	p->goes = is(word, n, "@");
	if (!p->goes)
		return true;
	if (!text_word(&line, &word, &n) || !text_word(&line, &word, &n))
		return false;
	p->type = type_of(word, n);
	return p->type < 0 || text_word(&line, &p->thread, &p->thread_length);
}

struct floor_walk {
	struct calibration *c;
	uint32_t metric, found;
	struct part last;
	int event; /* the last one; -1: none of the trainer's */
	uint64_t since;
};

static void transition(struct floor_walk *w, enum call_event went, const struct part *to)
{
	uint64_t *floor;
	uint16_t s;

	if (w->event >= 0) {
		s = sequence(0, (uint32_t)w->event, (uint32_t)w->last.type, went,
			     (uint32_t)to->type);
		floor = &w->c->floor[(size_t)sequence_floor(s) * w->c->metrics + w->metric];
		w->found += !*floor;
		if (!*floor || w->since < *floor)
			*floor = w->since;
	}
	w->event = (int)went;
	w->since = 0;
}

static void step(struct floor_walk *w, const struct part *p)
{
	bool joined = p->goes && p->type >= 0 && w->last.type >= 0 &&
		      p->thread_length == w->last.thread_length &&
		      !memcmp(p->thread, w->last.thread, p->thread_length);

	if (!joined)
		w->event = -1;
	else if (w->last.branch == BRANCH_CALL)
		transition(w, EVENT_ENTER, p);
	else if (w->last.branch == BRANCH_RETURN)
		transition(w, EVENT_LEAVE, p);
	w->since += p->count;
	w->last = *p;
}

uint32_t floors_read(struct calibration *c, uint32_t metric, const char *text, size_t size)
{
	struct bytes all = bytes_of(text, size);
	struct floor_walk w = { .c = c, .metric = metric, .last = { .type = -1 }, .event = -1 };
	const char *line;
	size_t n;

	while (bytes_line(&all, &line, &n)) {
		struct part p;

		if (n && *line == '#')
			continue;
		/* What is none of its lines is nothing that it can go on from. */
		if (!take_part(bytes_of(line, n), &p))
			p = (struct part){ .type = -1 };
		step(&w, &p);
	}
	return w.found;
}
