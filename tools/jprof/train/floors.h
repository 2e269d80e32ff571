/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Floors from an instruction trace of the trainer without the agent, as post -arc -c prints it: the
 * fewest instructions between each pair of consecutive events of its compiled and native methods.
 */
#ifndef FLOORS_H
#define FLOORS_H

#include "calibration.h"

/* Lowers the floors of one metric. Returns the number of floors found. */
uint32_t floors_read(struct calibration *c, uint32_t metric, const char *text, size_t size);

#endif
