/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What compilers may know of the functions that the other headers declare, so that they warn where
 * a program is wrong. The libraries' own sources do not tell them: there a check for NULL stays.
 */
#ifndef PITRACE_ATTRIBUTES_H
#define PITRACE_ATTRIBUTES_H

#include <stddef.h>

#if defined(__GNUC__) && !defined(PITRACE_OWN_SOURCE)
/* These arguments are used without a look: handles, mostly. What may be NULL, and what is refused
 * in words when it is, is not among them. */
#define PITRACE_NONNULL(...) __attribute__((nonnull(__VA_ARGS__)))
/* Who does not look at what it returns does not know whether anything was done. */
#define PITRACE_USE_RESULT __attribute__((warn_unused_result))
#else
#define PITRACE_NONNULL(...)
#define PITRACE_USE_RESULT
#endif

/* These arguments are places, for one or as many as another argument says, that are only
 * written. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11 && !defined(PITRACE_OWN_SOURCE)
#define PITRACE_WRITES(...) __attribute__((access(write_only, __VA_ARGS__)))
/* These are read, and so many. */
#define PITRACE_READS(...) __attribute__((access(read_only, __VA_ARGS__)))
#else
#define PITRACE_WRITES(...)
#define PITRACE_READS(...)
#endif

#endif
