/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The signal's handler. */
#ifndef PITRACE_TIMER_SAMPLE_H
#define PITRACE_TIMER_SAMPLE_H

#include <signal.h>

/* Take the signal, by the C library's sigaction; what the program wants of it is kept aside. */
void sample_install(int (*set)(int, const struct sigaction *, struct sigaction *));
void sample_sigaction(const struct sigaction *action, struct sigaction *old);

#endif
