/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records of functions that were entered and left, as instrumented programs log them (XRay), or
 * the Java VM's agent (log-gen: arguments are BASE and DELTA since the thread's record before, and
 * the letter of the method's type). No driver writes them: they come from a reader, for reports
 * of the flow of calls and for writers.
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
		 CALL_UNWIND, /* an exception left it */
		 CALL_POPPED, /* longjmp() did, or it is not known what */
};
#define CALL_KINDS     4 /* of XRay */
#define CALL_ARGUMENTS 8 /* that are kept */

struct call_record {
	uint32_t pid, tid;
	uint32_t function;  /* its number */
	uint32_t arguments; /* at the end */
	uint64_t address;   /* where it begins; 0: not known */
			    /* uint64_t argument[arguments] */
} __attribute__((packed, aligned(4)));

/* User records with a text, which a program wrote into its log. The minor is the type, if it has
 * one. */
#define CALL_CUSTOM_EVENT PITRACE_USER_FIRST
#define CALL_TYPED_EVENT  (PITRACE_USER_FIRST + 1)

#endif
