/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which sequences of the six types of Java methods there can be, and why there are no others. That
 * depends on who tells the agent of events: changed classes have handlers of their own, the VM's
 * probes none.
 */
#ifndef POSSIBLE_H
#define POSSIBLE_H

#include <stdbool.h>
#include <stdint.h>

enum why_not {
	CAN_BE,
	NOT_ITS_CALLER,  /* what is entered goes back elsewhere */
	NOT_ITS_HANDLER, /* who catches goes on in another method */
	NOT_CAUGHT,      /* after an exception a method goes on without a word */
	NATIVE_CATCHES,  /* natives have no handlers that tell */
	PROBES_CATCH,    /* the probes tell of no handler */
	PROBES_THROW,    /* nor, in compiled code, of an exception */
	WHY_NOTS,
};

/* In words, of a list. */
extern const char *const why_nots[WHY_NOTS];

/* Those of other types are nobody's: they count as NOT_ITS_CALLER. */
enum why_not sequence_why_not(uint16_t s, bool probes);

#endif
