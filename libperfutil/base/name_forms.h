/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of functions as people write them: without parameters, without what a compiler adds for
 * itself. Each tells how many bytes of the name are left.
 */
#ifndef PITRACE_NAME_FORMS_H
#define PITRACE_NAME_FORMS_H

#include <stddef.h>

/* "ns::f<int>" of "ns::f<int>(char, g(*)()) const": up to the parenthesis outside of templates. */
size_t name_without_parameters(const char *name);
/* "f" of the first bytes of "f.constprop.0", "f.part.0.cold": what compilers call the copies that
 * they make of f. */
size_t name_without_copies(const char *name, size_t length);
/* "ns::f" of "ns::f[abi:cxx11]() [clone .isra.0]": without all of that. */
size_t name_bare(const char *name);

#endif
