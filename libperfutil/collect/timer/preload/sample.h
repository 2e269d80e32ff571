/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The signal handler. */
#ifndef PITRACE_TIMER_SAMPLE_H
#define PITRACE_TIMER_SAMPLE_H

#include <signal.h>

/* Installs the handler by the C library's sigaction; keeps the program's action for
 * sample_sigaction. */
void sample_install(int (*set)(int, const struct sigaction *, struct sigaction *));
void sample_sigaction(const struct sigaction *action, struct sigaction *old);

#endif
