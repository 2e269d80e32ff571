/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The Java methods and compiled functions of a log, by the name that reports show. Logs have names
 * but no addresses: each gets an address range, in sequence, and the names become saved symbols of
 * two modules, since a log does not have the files of functions.
 */
#ifndef POST_JPROF_METHODS_H
#define POST_JPROF_METHODS_H

#include "base/blob.h"
#include "base/keys.h"

#define JPROF_BASE    (1ull << 40)
#define JPROF_STEP    16u        /* bytes per method */
#define JPROF_METHODS (1u << 26) /* limit: addresses stay below the kernel's */

struct jprof_methods {
	bool descriptors; /* names in the VM's form, else in the language's */
	struct jprof_text {
		size_t at, length;
		size_t note, note_length; /* what stands behind the name; also there */
		bool compiled;            /* a function of C or C++ */
	} * text;                         /* of each method, in the pool */
	uint32_t count, room;
	char *pool;
	size_t used, pool_room;
	struct keys by_name;
	char *shown; /* buffer for one name */
	size_t shown_room;
};

/* Finds or adds a method by the VM's name, package/Class.method(descriptor). Returns its number;
 * NO_KEY: no memory, or too many. */
uint32_t jprof_method(struct jprof_methods *m, const char *name, size_t length);
/* Sets the note that follows the method's name. Returns 0 or -ENOMEM. */
int jprof_method_note(struct jprof_methods *m, uint32_t method, const char *note, size_t length);
/* The modules of Java methods (0) and of compiled functions (1). */
#define JPROF_MODULES 2
const char *jprof_module(unsigned int module);
static inline uint64_t jprof_base(unsigned int module)
{
	return JPROF_BASE << module;
}
static inline uint64_t jprof_size(const struct jprof_methods *m)
{
	return (uint64_t)JPROF_STEP * (m->count ? m->count : 1);
}
/* An address of a method that is neither its first nor its last. */
static inline uint64_t jprof_address(const struct jprof_methods *m, uint32_t method)
{
	return jprof_base(m->text[method].compiled) + (uint64_t)JPROF_STEP * method +
	       JPROF_STEP / 2;
}
/* Writes saved symbols. Returns 0 or -ENOMEM. */
int jprof_symbols(const struct jprof_methods *m, struct blob *symbols);
void jprof_methods_free(struct jprof_methods *m);

#endif
