/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Code that programs generate and announce. Each announcement is one struct jit_code for as long as
 * its address is valid; the timeline of addresses is the second layer of the address space
 * (process.h), whose mappings have the code's number as their delta.
 */
#ifndef A2N_JIT_H
#define A2N_JIT_H

#include "a2n/module/module.h"
#include "a2n/space/space.h"

struct jit_code {
	uint64_t address, size;
	uint64_t earliest;            /* may have run since then; UINT64_MAX: reported in time */
	struct a2n_symbol *symbol;    /* one per name */
	const struct jit_line *lines; /* by offset */
	uint32_t n_lines;
	bool own;          /* its own report had lines or bytes, */
	bool paired;       /* … while a second report of the same code had none, or vice versa */
	const void *bytes; /* owned by the caller; or NULL */
};

/* The line that is valid from this offset in the code. */
struct jit_line {
	uint32_t offset, line;
	const char *file;
};

struct jits {
	struct strings *strings;
	struct arena arena;
	struct module *module;
	struct item_table symbols; /* by name */
	struct jit_code *codes;
	uint32_t n, room;
	struct jit_map_scan { /* the present scan of a perf map: */
		uint64_t since, time;
		uint32_t pid;
		uint32_t first;  /* its first code, and the last one that no later … */
		uint32_t around; /* … one crosses */
		uint32_t run;    /* all codes from here on are inside that one */
	} scan;
	uint32_t last;    /* number of the newest code; NO_CODE: none */
	uint32_t repeats; /* number of the code that it repeats */
	bool has_lines;
	uint64_t latest;             /* largest delay of a report */
	struct a2n_symbol freed;     /* the answer for freed code */
	struct a2n_symbol ambiguous; /* … and for ambiguous code */
};

#define NO_CODE UINT32_MAX

/* Flag in a mapping's delta, above the number: other code may have been there (perf maps). */
#define JIT_UNSURE (1ull << 32)

void jits_open(struct jits *js, struct modules *ms, struct strings *strings);
void jits_close(struct jits *js);
/* Adds code; returns its mapping; a NULL module: no memory. */
struct mapping jit_add(struct jits *js, const char *name, size_t length, uint64_t address,
		       uint64_t size, const void *bytes);
/* Checks for the same name and address. */
bool jit_same(const struct jits *js, const struct mapping *code, const char *name, size_t length,
	      uint64_t address, uint64_t size);
/* Adds the same code at another address; size 0 or too large: all of it. */
struct mapping jit_again(struct jits *js, const struct mapping *code, uint64_t address,
			 uint64_t size);
/* Adds code that was reported again: by another source, or because it was regenerated. */
struct mapping jit_repeat(struct jits *js, const struct mapping *code, uint64_t address,
			  uint64_t size);
static inline const struct jit_code *jit_of(const struct jits *js, const struct mapping *mapping)
{
	return &js->codes[(uint32_t)mapping->delta];
}
void jit_answer(struct jits *js, const struct mapping *mapping, uint64_t address,
		struct a2n_answer *answer);
/* Records that this code may have run before `time` of its report. */
void jit_late(struct jits *js, const struct mapping *code, uint64_t earliest, uint64_t time);
/* Sets the line table of the newest code. 0 or -ENOMEM. */
int jit_lines(struct jits *js, const struct a2n_jit_line *lines, size_t n);
/* Sets the bytes of the newest code. */
void jit_bytes(struct jits *js, const void *bytes);
/* Called for a code found by a scan of a perf map, before it is placed. */
void jit_map_scanned(struct jits *js, uint64_t since, uint64_t time, uint32_t pid, uint32_t code);
/* Decides which code owns a part where it overlaps an earlier one of a map. */
struct mapping jit_map_judge(const struct jits *js, uint32_t code, const struct mapping *there);
/* Finds code by JITCODE's own addresses; or NULL. */
const struct jit_code *jit_at(const struct jits *js, uint64_t module_offset);
/* Implements a2n_lines for JITCODE. */
int jit_find_lines(const struct jits *js, const uint64_t *offsets, size_t n, a2n_take_frames take,
		   void *arg);
/* Answers for freed and for ambiguous code. */
void jit_answer_freed(struct jits *js, uint64_t address, struct a2n_answer *answer);
void jit_answer_ambiguous(struct jits *js, uint64_t address, struct a2n_answer *answer);

#endif
