/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Floors from an instruction trace of the trainer without the agent, as post -arc -c prints it: of
 * each two events of its compiled methods and its natives, one after the other, the fewest
 * instructions.
 */
#ifndef FLOORS_H
#define FLOORS_H

#include "calibration.h"

/* Into the floors of one metric. How many floors there are by now. */
uint32_t floors_read(struct calibration *c, uint32_t metric, const char *text, size_t size);

#endif
