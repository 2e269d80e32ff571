/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Attributes of the functions that the other headers declare, so that compilers warn about wrong
 * programs. The libraries' own sources omit them: there a check for NULL must stay.
 */
#ifndef PITRACE_ATTRIBUTES_H
#define PITRACE_ATTRIBUTES_H

#include <stddef.h>

#if defined(__GNUC__) && !defined(PITRACE_OWN_SOURCE)
/* These arguments are used without a check: mostly handles. Arguments that may be NULL, or for
 * which NULL is rejected with a message, are not included. */
#define PITRACE_NONNULL(...) __attribute__((nonnull(__VA_ARGS__)))
/* A caller that ignores the result does not know whether anything was done. */
#define PITRACE_USE_RESULT __attribute__((warn_unused_result))
#else
#define PITRACE_NONNULL(...)
#define PITRACE_USE_RESULT
#endif

/* These pointer arguments are only written, one object or as many as another argument says. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11 && !defined(PITRACE_OWN_SOURCE)
#define PITRACE_WRITES(...) __attribute__((access(write_only, __VA_ARGS__)))
/* These are only read, likewise. */
#define PITRACE_READS(...) __attribute__((access(read_only, __VA_ARGS__)))
#else
#define PITRACE_WRITES(...)
#define PITRACE_READS(...)
#endif

#endif
