/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compiled with -pg -mfentry -minstrument-return=call if the compiler supports it. */
#include "training.h"

#define NOT_INLINED __attribute__((noinline, noclone))
#define OUTSIDE     __attribute__((no_instrument_function))
#include "training_turn.h"

OUTSIDE void training_fentry(void)
{
	turn();
}
