/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An event's argument: the method's number (methods.h) and the constant part of its frame type:
 * static or not, native or compiled. An event therefore needs no look-up of its method.
 */
#ifndef METHOD_ID_H
#define METHOD_ID_H

#include <stdbool.h>

#include "methods.h"
#include "sequence.h"

#define METHOD_ID_TYPE 3 /* bits below the number */

_Static_assert((uint64_t)METHODS_MOST << METHOD_ID_TYPE <= INT32_MAX, "an int of Java's");

static inline int32_t method_id(uint32_t number, bool is_static, bool is_native)
{
	return (int32_t)(number << METHOD_ID_TYPE |
			 (uint32_t)(is_native ? TYPE_NATIVE : TYPE_JITTED) | is_static);
}

static inline uint32_t method_number(uint32_t id)
{
	return id >> METHOD_ID_TYPE;
}

/* Returns the frame's type: interpreted or compiled; natives are always native. TYPE_JITTED is a
 * bit that neither TYPE_INTERPRETED nor TYPE_NATIVE contains. */
static inline uint32_t method_type(uint32_t id, bool interpreted)
{
	return id & (interpreted ? (1u << METHOD_ID_TYPE) - 1 - TYPE_JITTED :
				   (1u << METHOD_ID_TYPE) - 1);
}

#endif
