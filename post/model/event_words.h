/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words for the numbers in records of threads and interrupts. */
#ifndef POST_EVENT_WORDS_H
#define POST_EVENT_WORDS_H

#include "model/irq_names.h"

/* Why a thread left: PITRACE_LEFT_*, SCHED_*. */
const char *reason_name(uint32_t reason);
/* An interrupt's source in one word; the number's name, "" when it has none. */
const char *irq_source(uint32_t source);
const char *irq_name(const struct irq_names *n, uint32_t source, uint32_t number);

#endif
