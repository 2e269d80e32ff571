/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Return codes, and the message of this thread's last failure. */
#ifndef PITRACE_RC_H
#define PITRACE_RC_H

#include <perfutil.h>

/* Sets a static message; may be called in signal handlers. Returns rc. */
int rc_say(int rc, const char *sentence);
/* Sets the message, returns rc. */
int rc_fail(int rc, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Returns the code for an errno; format describes the operation, and the text of the errno is
 * appended. */
int rc_errno(int err, const char *format, ...) __attribute__((format(printf, 2, 3)));
int rc_of_errno(int err);
/* Fails because a required pointer argument is NULL. */
int rc_null(const char *what);

#endif
