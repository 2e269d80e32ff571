/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Code that programs make while they run and tell of. Each announcement is one struct jit_code for
 * as long as its addresses hold; where it was when is the business of the address space's second
 * timeline (process.h), whose mappings have the code's number as their delta.
 */
#ifndef A2N_JIT_H
#define A2N_JIT_H

#include "a2n/module/module.h"
#include "a2n/space/space.h"

struct jit_code {
	uint64_t address, size;
	uint64_t earliest;		/* it may have run since; UINT64_MAX: told in time */
	struct a2n_symbol *symbol;	/* one for each name */
	const struct jit_line *lines;	/* by offset */
	uint32_t n_lines;
	const void *bytes;		/* its teller's; or NULL */
};

/* From this offset of a code on. */
struct jit_line {
	uint32_t offset, line;
	const char *file;
};

struct jits {
	struct strings *strings;
	struct arena arena;
	struct module *module;
	struct table symbols;		/* by name */
	struct jit_code *codes;
	uint32_t n, room;
	struct jit_map_scan {		/* the look at a perf map that goes on: */
		uint64_t since, time;
		uint32_t pid;
		uint32_t first;		/* its first code, and the last around which no later */
		uint32_t around;	/* … one reached */
		uint32_t run;		/* from here to the last code all lie in that one */
	} look;
	uint32_t last;			/* the number of the code told last; NO_CODE: none was */
	bool has_lines;
	uint64_t latest;		/* no code was told later than by so much */
	struct a2n_symbol freed;	/* the answer where code was, and was given up */
	struct a2n_symbol ambiguous;	/* … and where it may be one or another */
};

#define NO_CODE UINT32_MAX

/* In a mapping's delta, above the number: perhaps another code was there (perf maps). */
#define JIT_UNSURE	(1ull << 32)

void jits_open(struct jits *js, struct modules *ms, struct strings *strings);
void jits_close(struct jits *js);
/* A new code's mapping; a NULL module: no memory. */
struct mapping jit_add(struct jits *js, const char *name, size_t length, uint64_t address,
		       uint64_t size, const void *bytes);
/* Is this code the one of that name at that place? */
bool jit_same(const struct jits *js, const struct mapping *code, const char *name, size_t length,
	      uint64_t address, uint64_t size);
/* The same code at another address; size 0 or too large: all of it. */
struct mapping jit_again(struct jits *js, const struct mapping *code, uint64_t address,
			 uint64_t size);
static inline const struct jit_code *jit_of(const struct jits *js, const struct mapping *mapping)
{
	return &js->codes[(uint32_t)mapping->delta];
}
void jit_answer(struct jits *js, const struct mapping *mapping, uint64_t address,
		struct a2n_answer *answer);
/* This code may have run before `time`, when it was told. */
void jit_late(struct jits *js, const struct mapping *code, uint64_t earliest, uint64_t time);
/* The line table of the code told last. 0 or -ENOMEM. */
int jit_lines(struct jits *js, const struct a2n_jit_line *lines, size_t n);
/* The bytes of the code told last. */
void jit_bytes(struct jits *js, const void *bytes);
/* A code was told at a look at a perf map: before it is put where it was. */
void jit_map_scanned(struct jits *js, uint64_t since, uint64_t time, uint32_t pid, uint32_t code);
/* It reaches into another one that maps told before: who has that part. */
struct mapping jit_map_judge(const struct jits *js, uint32_t code, const struct mapping *there);
/* By JITCODE's own addresses; or NULL. */
const struct jit_code *jit_at(const struct jits *js, uint64_t module_offset);
/* a2n_lines of JITCODE. */
int jit_find_lines(const struct jits *js, const uint64_t *offsets, size_t n, a2n_take_frames take,
		   void *arg);
/* What was there was given up; one or another was there. */
void jit_answer_freed(struct jits *js, uint64_t address, struct a2n_answer *answer);
void jit_answer_ambiguous(struct jits *js, uint64_t address, struct a2n_answer *answer);

#endif
