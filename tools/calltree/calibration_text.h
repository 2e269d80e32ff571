/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Minima and floors as text, below the key that says of what they are:
 *
 *   pitrace calibration 1
 *   NAME: VALUE                      the key, a line each
 *   (an empty line)
 *   floor En-J-Ex-J 3 -              (before, by, after): a value for each metric, '-' where none
 *   sequence I-En-J-Ex-I 5000 61 40  how often, then the least value of each metric
 *   end 2                            so many lines
 */
#ifndef CALIBRATION_TEXT_H
#define CALIBRATION_TEXT_H

#include <stdio.h>

#include "calibration.h"

#define CALIBRATION_SIZE_MOST (8u << 20)
#define CALIBRATION_KEY_MOST  8192

struct calibration_fault {
	size_t offset;
	uint32_t line;
	char what[256];
};

/* c is initialized for the metrics that the key has, and gets what is there up to a fault. 0;
 * -EINVAL: the text is damaged; -EKEYREJECTED: it is of another key. */
int calibration_read(struct calibration *c, const char *key, const void *data, size_t size,
		     struct calibration_fault *fault);
/* The key that a text has, and how many metrics that is of. false: it has none that could be. */
bool calibration_key(const void *data, size_t size, char key[CALIBRATION_KEY_MOST],
		     uint32_t *metrics);
/* 0 or -errno. */
int calibration_write(FILE *out, const struct calibration *c, const char *key);

/* As I-En-J-Ex-I: types as METHODTYPES and STATDYN have them; En, Ex, Xx, and Ca: caught. */
#define SEQUENCE_NAME 16
void sequence_name(uint16_t s, char name[SEQUENCE_NAME]);
extern const char sequence_types[];

#endif
