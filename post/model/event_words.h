/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names for numeric values in records of threads and interrupts. */
#ifndef POST_EVENT_WORDS_H
#define POST_EVENT_WORDS_H

#include "model/irq_names.h"

/* Returns why a thread left its CPU: PITRACE_LEFT_*, SCHED_*. */
const char *reason_name(uint32_t reason);
/* Return an interrupt's source in one word; the name of its number, or "". */
const char *irq_source(uint32_t source);
const char *irq_name(const struct irq_names *n, uint32_t source, uint32_t number);

#endif
