/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides which sequences of the six types of Java methods are possible, and why others are not.
 * That depends on the source of the events: changed classes report catches, the VM's probes do not.
 */
#ifndef POSSIBLE_H
#define POSSIBLE_H

#include <stdbool.h>
#include <stdint.h>

enum why_not {
	CAN_BE,
	NOT_ITS_CALLER,  /* a callee would not end in its caller */
	NOT_ITS_HANDLER, /* a catch would continue in another method */
	NOT_CAUGHT,      /* after an exception a method would continue without a catch event */
	NATIVE_CATCHES,  /* native methods have no handlers that report a catch */
	PROBES_CATCH,    /* the probes report no catches */
	PROBES_THROW,    /* the probes report no exceptions of compiled code */
	WHY_NOTS,
};

/* The texts for the report. */
extern const char *const why_nots[WHY_NOTS];

/* Returns why the sequence is impossible. Other types of methods count as NOT_ITS_CALLER. */
enum why_not sequence_why_not(uint16_t s, bool probes);

#endif
