/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of interrupt numbers, parsed from the format of /proc/interrupts. */
#ifndef POST_IRQ_NAMES_H
#define POST_IRQ_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct irq_names {
	struct irq_named {
		uint32_t number;
		char *name;
	} * list;
	size_t count, room;
};

/* Returns 0 or -ENOMEM. A later text only adds new numbers. */
int irq_names_read(struct irq_names *n, const char *text, size_t size);
/* Returns "" for unknown numbers. */
const char *irq_names_find(const struct irq_names *n, uint32_t number);
void irq_names_free(struct irq_names *n);

#endif
