/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of functions as people write them: without parameters, and without what compilers add.
 * Those with a single name return the length of the part that is kept.
 */
#ifndef PITRACE_NAME_FORMS_H
#define PITRACE_NAME_FORMS_H

#include <stddef.h>

/* Returns the length of an operator ("operator<<") or of "(anonymous namespace)" at p, whose signs
 * are not brackets of templates or parameters; 0: neither. begin, end: the whole name. */
size_t name_word(const char *begin, const char *p, const char *end);
/* "ns::f<int>" of "ns::f<int>(char, g(*)()) const"; of nested functions only the last parameters
 * are left out: "f(int)::{lambda(char)#1}::operator()". */
size_t name_without_parameters(const char *name);
/* "f" of the first `length` bytes "f.constprop.0" or "f.part.0.cold": names that compilers give to
 * copies of f. */
size_t name_without_copies(const char *name, size_t length);
/* "ns::f" of "ns::f[abi:cxx11]() [clone .isra.0]": without all of that. */
size_t name_bare(const char *name);

#endif
