/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A line is the code that ran in one symbol up to a branch: CPU, U, the branch's type, the number
 * of instructions, '@' if it continues from the line before, an offset, symbol and module, the
 * thread.
 *
 * The trainer has no direct or indirect recursion: a name that is on the stack is that frame, any
 * other name is a call. Compiled methods end with a return; a frame that disappears without one was
 * left by an exception when it last ran. The method that runs next has caught the exception, unless
 * it disappears likewise; for native methods this is unknown.
 */
#include "floors.h"

#include "base/text.h"

#define DEEPEST 16 /* frames; the trainer needs three */

enum branch { BRANCH_CALL = 1, BRANCH_RETURN = 2 };

struct trace_word {
	const char *at;
	size_t n;
};

struct part {
	uint64_t branch, count;
	int type;               /* of the trainer's method; -1: other code */
	bool continued;         /* continues from the line before */
	bool in_c;              /* native code of a method, not the VM's code around it */
	struct trace_word name; /* of the method; JNI-mangled if in_c */
	struct trace_word thread;
};

static bool is(struct trace_word word, const char *text)
{
	return word.n == strlen(text) && !memcmp(word.at, text, word.n);
}

/* Sets the text between the two; returns false if the symbol lacks one of them. */
static bool take_between(struct trace_word *name, struct trace_word symbol, const char *begin,
			 const char *end)
{
	size_t first = strlen(begin), last = strlen(end);

	if (symbol.n <= first + last || memcmp(symbol.at, begin, first) ||
	    memcmp(symbol.at + symbol.n - last, end, last))
		return false;
	*name = (struct trace_word){ symbol.at + first, symbol.n - first - last };
	return true;
}

/* TrainJ.both_jJ_J(int):JITCODE, Java_TrainN_both_1jJ_1n:/libtrainer.so: its last letter is the
 * type. */
static void take_symbol(struct part *p, struct trace_word symbol)
{
	const char *colon = memchr(symbol.at, ':', symbol.n);
	struct trace_word function = { symbol.at, colon ? (size_t)(colon - symbol.at) : symbol.n };
	static const char letters[] = "JjNn";
	const char *letter;

	p->in_c = take_between(&p->name, function, "Java_TrainN_", "");
	if (!p->in_c && !take_between(&p->name, symbol, "TrainJ.", "(int):JITCODE") &&
	    !take_between(&p->name, symbol, "TrainN.", "(int):JITCODE"))
		return;
	letter = memchr(letters, p->name.at[p->name.n - 1], sizeof(letters) - 1);
	if (letter)
		p->type = TYPE_JITTED + (int)(letter - letters);
}

/* Returns false if the line has another form. Symbols of other code may contain blanks, so the rest
 * of such a line is not read. */
static bool take_part(struct bytes line, struct part *p)
{
	static const char unwound[] = "?unwound ";
	struct trace_word word;
	uint64_t cpu;

	*p = (struct part){ .type = -1 };
	text_skip_blanks(&line);
	if (!text_number(&line, 10, &cpu) || !text_word(&line, &word.at, &word.n) || !is(word, "U"))
		return false;
	text_skip_blanks(&line);
	if (!text_number(&line, 10, &p->branch))
		return false;
	text_skip_blanks(&line);
	if (!text_number(&line, 10, &p->count) || !text_word(&line, &word.at, &word.n))
		return false;
	/* For an exception the VM jumps without a branch: that is not a gap. */
	p->continued = is(word, "@") || memmem(line.base, line.size, unwound, sizeof(unwound) - 1);
	if (!p->continued)
		return true;
	if (!text_word(&line, &word.at, &word.n) || !text_word(&line, &word.at, &word.n))
		return false;
	take_symbol(p, word);
	return p->type < 0 || text_word(&line, &p->thread.at, &p->thread.n);
}

/* ---- the walk -------------------------------------------------------------------------------- */

struct floor_frame {
	struct trace_word name;
	bool in_c;
	int type;
};

struct floor_walk {
	struct calibration *c;
	uint32_t metric, found;
	struct floor_frame frames[DEEPEST];
	uint32_t depth;
	struct trace_word thread;
	int event;      /* the last one; -1: unknown */
	uint64_t since; /* instructions */
	uint64_t left;  /* value of `since` when the innermost method last ran */
	uint64_t again; /* value of `since` when the method reached by an exception ran again */
	bool reached;   /* an exception reached the innermost method; caught or not is open */
	bool other;     /* code outside the trainer has run since */
};

static bool is_native(const struct floor_frame *f)
{
	return f->type >= TYPE_NATIVE;
}

static void forget(struct floor_walk *w)
{
	w->event = -1;
	w->since = 0;
	w->reached = false;
}

/* Records an event `count` instructions after the last one; the rest belongs to the next event. */
static void event(struct floor_walk *w, enum call_event went, int ran, int top, uint64_t count)
{
	uint64_t *floor;
	uint16_t s;

	if (w->event >= 0) {
		s = sequence(0, (uint32_t)w->event, (uint32_t)ran, went, (uint32_t)top);
		floor = &w->c->floor[(size_t)sequence_floor(s) * w->c->metrics + w->metric];
		w->found += !*floor;
		if (!*floor || count < *floor)
			*floor = count;
	}
	w->event = (int)went;
	w->since -= count;
}

static struct floor_frame *innermost(struct floor_walk *w)
{
	return &w->frames[w->depth - 1];
}

/* The method that the exception reached continues: it has caught it. */
static void caught(struct floor_walk *w)
{
	if (w->reached && !is_native(innermost(w)))
		event(w, EVENT_CAUGHT, innermost(w)->type, innermost(w)->type, w->again);
	w->reached = false;
}

static void enter(struct floor_walk *w, const struct part *p)
{
	if (!w->depth || (w->other && !is_native(innermost(w)))) {
		forget(w);
	} else {
		caught(w);
		event(w, EVENT_ENTER, innermost(w)->type, p->type, w->since);
	}
	if (w->depth == DEEPEST) {
		w->depth = 0;
		forget(w);
	}
	w->frames[w->depth++] = (struct floor_frame){ p->name, p->in_c, p->type };
}

/* The innermost method ends `count` instructions after the last event. */
static void leave(struct floor_walk *w, enum call_event went, uint64_t count)
{
	int ran = innermost(w)->type;

	if (--w->depth)
		event(w, went, ran, innermost(w)->type, count);
	else
		forget(w);
}

static void unwound(struct floor_walk *w)
{
	/* A method that an exception reached and left has not caught it. */
	w->reached = false;
	leave(w, EVENT_UNWIND, w->left);
	w->again = w->since;
	w->reached = true;
}

/* Compares the names: JNI mangles _ as _1. */
static bool is_same(struct trace_word a, bool a_in_c, struct trace_word b, bool b_in_c)
{
	size_t i = 0, k = 0;

	while (i < a.n && k < b.n && a.at[i] == b.at[k]) {
		i += a_in_c && a.at[i] == '_' ? 2 : 1;
		k += b_in_c && b.at[k] == '_' ? 2 : 1;
	}
	return i == a.n && k == b.n;
}

/* Returns the depth of the part's frame on the stack, 0 if it is not there. */
static uint32_t find(const struct floor_walk *w, const struct part *p)
{
	uint32_t at = w->depth;

	while (at && !is_same(w->frames[at - 1].name, w->frames[at - 1].in_c, p->name, p->in_c))
		at--;
	return at;
}

static void begin_part(struct floor_walk *w, const struct part *p)
{
	uint32_t at = find(w, p);

	if (!at) {
		enter(w, p);
	} else if (at + 1 == w->depth) {
		unwound(w);
	} else if (at < w->depth) {
		w->depth = at;
		forget(w);
	} else if (w->other && w->reached) {
		w->again = w->since;
	} else if (w->other && !is_native(innermost(w))) {
		forget(w);
	}
}

static void step(struct floor_walk *w, const struct part *p)
{
	bool same = p->type < 0 || !w->thread.n ||
		    (p->thread.n == w->thread.n &&
		     !memcmp(p->thread.at, w->thread.at, w->thread.n));

	if (!p->continued || !same) {
		w->depth = 0;
		w->thread.n = 0;
		forget(w);
	}
	if (p->type < 0) {
		w->since += p->count;
		w->other = true;
		return;
	}
	w->thread = p->thread;
	begin_part(w, p);
	w->other = false;
	w->since += p->count;
	w->left = w->since;
	if (p->branch != BRANCH_RETURN || p->in_c)
		return;
	caught(w);
	leave(w, EVENT_LEAVE, w->since);
}

uint32_t floors_read(struct calibration *c, uint32_t metric, const char *text, size_t size)
{
	struct bytes all = bytes_of(text, size);
	struct floor_walk w = { .c = c, .metric = metric, .event = -1 };
	const char *line;
	size_t n;

	while (bytes_line(&all, &line, &n)) {
		struct part p;

		if (n && *line == '#')
			continue;
		/* A line of another form is a gap: nothing continues from it. */
		if (!take_part(bytes_of(line, n), &p))
			p = (struct part){ .type = -1 };
		step(&w, &p);
	}
	return w.found;
}
