/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs whose calls are known: truth NAME runs that one six times, and is measured from the
 * second time on, when all its memory is there. Built as it is, its instructions are traced between
 * truth_begin() and truth_end(); built for libhookit, that is on between them.
 */
#ifndef TRUTH_H
#define TRUTH_H

#ifdef __cplusplus
extern "C" {
#endif

/* Neither what runs the programs nor the marks are functions that are measured. */
#define OUTSIDE \
	__attribute__((noinline, no_instrument_function, patchable_function_entry(0), noclone))
#define CALLED __attribute__((noinline, noclone))

struct truth_program {
	const char *name;
	int (*work)(int n);
};

/* main() of each: the last one has no name. */
int truth_main(const struct truth_program *all, int argc, char **argv);

extern volatile int truth_sink;

#ifdef __cplusplus
}
#endif

#endif
