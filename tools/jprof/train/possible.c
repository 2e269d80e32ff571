/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "possible.h"

#include "sequence.h"

const char *const why_nots[WHY_NOTS] = {
	[CAN_BE] = "possible",
	[NOT_ITS_CALLER] = "a called method ends in its caller",
	[NOT_ITS_HANDLER] = "a handler continues in its own method",
	[NOT_CAUGHT] = "an exception is caught or propagates",
	[NATIVE_CATCHES] = "native methods do not report catches",
	[PROBES_CATCH] = "the probes do not report catches",
	[PROBES_THROW] = "the probes do not report exceptions of compiled code",
};

static bool is_native(uint32_t type)
{
	return type >= TYPE_NATIVE;
}

/* The probes report exceptions only in the interpreter; native methods called from compiled methods
 * have a compiled wrapper. */
static bool probes_see(uint32_t ran, uint32_t top)
{
	return ran < TYPE_JITTED || (is_native(ran) && (top < TYPE_JITTED || is_native(top)));
}

static enum why_not by_probes(struct sequence_parts p)
{
	if (p.came == EVENT_CAUGHT || p.went == EVENT_CAUGHT)
		return PROBES_CATCH;
	if ((p.came == EVENT_UNWIND && !probes_see(p.before, p.ran)) ||
	    (p.went == EVENT_UNWIND && !probes_see(p.ran, p.top)))
		return PROBES_THROW;
	return CAN_BE;
}

static enum why_not by_classes(struct sequence_parts p)
{
	if ((p.went == EVENT_CAUGHT && p.top != p.ran) ||
	    (p.came == EVENT_CAUGHT && p.before != p.ran))
		return NOT_ITS_HANDLER;
	if ((p.went == EVENT_CAUGHT || p.came == EVENT_CAUGHT) && is_native(p.ran))
		return NATIVE_CATCHES;
	if (p.came == EVENT_UNWIND && !is_native(p.ran) && p.went != EVENT_UNWIND &&
	    p.went != EVENT_CAUGHT)
		return NOT_CAUGHT;
	return CAN_BE;
}

enum why_not sequence_why_not(uint16_t s, bool probes)
{
	struct sequence_parts p = sequence_parts(s);

	if (!sequence_learns(s) || p.before >= TYPE_COMPILING || p.ran >= TYPE_COMPILING ||
	    p.top >= TYPE_COMPILING || !sequence_returns(p))
		return NOT_ITS_CALLER;
	return probes ? by_probes(p) : by_classes(p);
}
