/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which values of which functions are asked for: "NAME@argN[/FORMAT]", "NAME@fpargN[/FORMAT]",
 * "NAME@retval[/FORMAT]" with + between them; as the library reads it, and swtrace run before it
 * starts the program. */
#ifndef HOOKIT_ASKED_VALUE_H
#define HOOKIT_ASKED_VALUE_H

#include <stddef.h>
#include <stdint.h>

#define ASKED_MOST   32
#define ASKED_NUMBER 32 /* the last argument that there can be */
#define VECTORS      8  /* registers that have floating-point arguments */

enum asked_word { ASKED_ARGUMENT, ASKED_FLOAT, ASKED_RESULT };

struct asked_value {
	const char *name; /* a pattern, in the text */
	size_t length;
	enum asked_word what;
	uint8_t number, bits; /* from 1 on; 8 to 80 */
	char format;          /* 0: as it is */
};

/* NULL, or why it is wrong. */
const char *asked_values(const char *text, struct asked_value asked[ASKED_MOST], uint32_t *count);

#endif
