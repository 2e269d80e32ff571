/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records of function entries and exits, as logged by instrumented programs (XRay) or by the Java
 * VM's agent (log-gen: the arguments are BASE and DELTA since the thread's previous record, and the
 * type letter of the method). No driver writes them: a reader makes them for reports of call flow
 * and for writers.
 */
#ifndef POST_CALL_RECORD_H
#define POST_CALL_RECORD_H

#include <pifile.h>

#define CALL_RECORD 0xCF /* major; PITRACE_TYPE_STRUCT */

enum call_kind { /* minor */
		 CALL_ENTRY = 0,
		 CALL_EXIT,
		 CALL_TAIL_EXIT,
		 CALL_ENTRY_ARGUMENTS,
		 CALL_UNWIND, /* left by an exception */
		 CALL_POPPED, /* left by longjmp(), or in an unknown way */
};
#define CALL_KINDS     4 /* kinds that XRay has */
#define CALL_ARGUMENTS 8 /* maximum number kept */

struct call_record {
	uint32_t pid, tid;
	uint32_t function;  /* its number */
	uint32_t arguments; /* count; the values follow the struct */
	uint64_t address;   /* start address; 0: unknown */
			    /* uint64_t argument[arguments] */
} __attribute__((packed, aligned(4)));

/* User records with a text that a program wrote into its log. The minor is the event's type, if it
 * has one. */
#define CALL_CUSTOM_EVENT PITRACE_USER_FIRST
#define CALL_TYPED_EVENT  (PITRACE_USER_FIRST + 1)

#endif
