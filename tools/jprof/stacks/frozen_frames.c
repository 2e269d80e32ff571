/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frozen_frames.h"

#include "guarded.h"

/* x86-64, in words. A frame's return address and frame pointer are below its caller's frame. */
#define RETURN     (-1)
#define LINK       (-2)
#define LINK_WORDS 2
/* Slots relative to the interpreter's frame pointer, with values relative to it. */
#define SENDER       (-1)
#define LOCALS       (-7) /* of the first, which is the highest */
#define CONTINUATION 16   /* byte offset in ContinuationEntry, after its parent */
#define CHUNKS_MOST  1024
#define CHUNK_WORDS  (1u << 24)

static uint64_t add_words(uint64_t at, int64_t words)
{
	return at + (uint64_t)words * 8;
}

/* ---- objects --------------------------------------------------------------------------------- */

static bool load_object(const struct vm_layout *l, uint64_t at, uint64_t *to)
{
	uint32_t narrow;

	if (!l->frozen.narrow)
		return guarded_load(at, to);
	if (!guarded_load32(at, &narrow))
		return false;
	*to = narrow ? l->frozen.base + ((uint64_t)narrow << l->frozen.shift) : 0;
	return true;
}

/* An even count means no safepoint: nothing moves. */
static bool is_still(const struct vm_layout *l, uint64_t *count)
{
	return guarded_load(l->frozen.safepoints, count) && !(*count & 1);
}

/* Validates the chunk: it must point back to its continuation. */
static bool enter_chunk(struct frozen_frames *f, uint64_t chunk)
{
	const struct vm_frozen *o = &f->l->frozen;
	uint64_t continuation;
	uint32_t sp, size, bottom;

	if (++f->chunks > CHUNKS_MOST || chunk % 8 ||
	    !load_object(f->l, chunk + o->continuation, &continuation) ||
	    continuation != f->continuation || !guarded_load32(chunk + o->sp, &sp) ||
	    !guarded_load32(chunk + o->size, &size) ||
	    !guarded_load32(chunk + o->bottom, &bottom) || size > CHUNK_WORDS || bottom > size ||
	    sp > size)
		return false;
	f->chunk = chunk;
	f->begin = chunk + o->stack;
	f->end = add_words(f->begin, bottom);
	f->sp = f->unextended = add_words(f->begin, sp);
	if (f->chunks == 1)
		f->first_sp = sp;
	return true;
}

bool frozen_frames_begin(struct frozen_frames *f, const struct vm_layout *l, uint64_t entry)
{
	*f = (struct frozen_frames){ .l = l };
	return l->frozen.is_known && is_still(l, &f->count) &&
	       guarded_load(entry + CONTINUATION, &f->continuation) && f->continuation &&
	       f->continuation % 8 == 0 &&
	       load_object(l, f->continuation + l->frozen.tail, &f->first) && f->first &&
	       enter_chunk(f, f->first);
}

bool frozen_frames_held(const struct frozen_frames *f)
{
	uint64_t count, first;
	uint32_t sp;

	return load_object(f->l, f->continuation + f->l->frozen.tail, &first) &&
	       first == f->first && guarded_load32(first + f->l->frozen.sp, &sp) &&
	       sp == f->first_sp && is_still(f->l, &count) && count == f->count;
}

/* ---- frames ---------------------------------------------------------------------------------- */

static bool is_inside(const struct frozen_frames *f, uint64_t at)
{
	return at >= f->begin && at < f->end && at % 8 == 0;
}

/* The callee's link holds the frame pointer, relative to the link. */
static bool interpreted(struct frozen_frames *f, struct frozen_frame *to)
{
	uint64_t link = add_words(f->sp, LINK), words, sender, locals;

	if (!guarded_load(link, &words))
		return false;
	to->fp = add_words(link, (int64_t)words);
	if (!is_inside(f, to->fp) || to->fp < f->sp ||
	    !guarded_load(add_words(to->fp, SENDER), &sender) ||
	    !guarded_load(add_words(to->fp, LOCALS), &locals))
		return false;
	/* The last frame's locals reach to the stack's end, and no caller follows. */
	if (add_words(to->fp, (int64_t)locals + 1) == f->end) {
		f->sp = f->unextended = f->end;
		return true;
	}
	f->sp = add_words(to->fp, LINK_WORDS);
	f->unextended = add_words(to->fp, (int64_t)sender);
	return f->unextended >= f->sp && f->unextended <= f->end;
}

static bool leave(struct frozen_frames *f, struct frozen_frame *to)
{
	uint64_t before = f->sp;

	to->sp = f->unextended;
	if (to->code.kind == CODE_INTERPRETER)
		return interpreted(f, to);
	if ((to->code.kind != CODE_METHOD && to->code.kind != CODE_STUB) || !to->code.frame)
		return false;
	f->sp = f->unextended += to->code.frame;
	return f->sp > before;
}

/* The last frame ends at the stack's end, or less than the two link words before it. */
static bool is_done(const struct frozen_frames *f)
{
	return add_words(f->sp, LINK_WORDS) > f->end;
}

enum frozen_step frozen_frames_next(struct frozen_frames *f, struct frozen_frame *to)
{
	uint64_t parent;

	while (is_done(f)) {
		if (!load_object(f->l, f->chunk + f->l->frozen.parent, &parent))
			return FROZEN_LOST;
		if (!parent)
			return FROZEN_LAST;
		if (!enter_chunk(f, parent))
			return FROZEN_LOST;
	}
	if (!guarded_load(add_words(f->sp, RETURN), &to->pc))
		return FROZEN_LOST;
	to->code = code_cache_find(f->l, to->pc);
	return leave(f, to) ? FROZEN_FRAME : FROZEN_LOST;
}
