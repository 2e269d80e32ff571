/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Return codes and the sentence that goes with the last failure of this thread. */
#ifndef PITRACE_RC_H
#define PITRACE_RC_H

#include <perfutil.h>

/* Keep the sentence, return rc. */
int rc_fail(int rc, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The code for -errno of an operation that the format describes; the errno's words are appended. */
int rc_errno(int err, const char *format, ...) __attribute__((format(printf, 2, 3)));
int rc_of_errno(int err);

#endif
