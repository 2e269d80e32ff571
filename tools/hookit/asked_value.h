/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Requested values of functions: "NAME@argN[/FORMAT]", "NAME@fpargN[/FORMAT]",
 * "NAME@retval[/FORMAT]", separated by +; parsed by the library, and by swtrace run before it
 * starts the program. */
#ifndef HOOKIT_ASKED_VALUE_H
#define HOOKIT_ASKED_VALUE_H

#include <stddef.h>
#include <stdint.h>

#define ASKED_MOST   32
#define ASKED_NUMBER 32 /* the highest number of an argument */
#define VECTORS      8  /* registers for floating-point arguments */

enum asked_word { ASKED_ARGUMENT, ASKED_FLOAT, ASKED_RESULT };

struct asked_value {
	const char *name; /* a pattern; points into the text */
	size_t length;
	enum asked_word what;
	uint8_t number, bits; /* argument, from 1; 8 to 80 */
	char format;          /* 0: by its type */
};

/* Returns NULL, or the reason why the text is invalid. The values point into it. */
const char *asked_values(const char *text, struct asked_value asked[ASKED_MOST], uint32_t *count);

#endif
