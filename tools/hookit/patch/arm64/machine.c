/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How unwinders proceed from a stub of arm64. */
#include "patch_machine.h"

#include <sys/prctl.h>

#include "kept.h"

#define GCS (1u << 0) /* for prctl: the hardware keeps a stack of return addresses */

#ifndef PR_GET_SHADOW_STACK_STATUS
#define PR_GET_SHADOW_STACK_STATUS 74
#endif

const char *machine_begin(void)
{
	unsigned long on = 0;

	if (!prctl(PR_GET_SHADOW_STACK_STATUS, &on, 0, 0, 0) && (on & GCS))
		return "the process has a shadow stack (GCS), with which returns cannot be hooked";
	return NULL;
}

/* DWARF's numbers. */
#define SP  31
#define X30 30
enum {
	CFA_IS = 0x0c,
	AT = 0x10,
	VALUE = 0x16,
	CONST8 = 0x0e,
	MINUS = 0x1c,
	PLUS = 0x22,
	XOR = 0x27,
};
#define LIT(n) (0x30 + (n))

size_t machine_unwinding(uint8_t *out)
{
	/* As for x86-64. */
	static const uint8_t rules[] = {
		CFA_IS, SP, 4, VALUE, SP, 2, LIT(4), MINUS, AT, X30, 14,     LIT(4), MINUS,
		CONST8, 0,  0, 0,     0,  0, 0x20,   0,     0,  XOR, LIT(8), PLUS,
	};

	_Static_assert(KEPT_AWAY == 0x200000000000, "as above");
	for (size_t i = 0; i < sizeof(rules); i++)
		out[i] = rules[i];
	return sizeof(rules);
}

uint8_t machine_return_column(void)
{
	return X30;
}
