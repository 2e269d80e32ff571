/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Minima and floors as text, after the key that identifies their conditions:
 *
 *   pitrace calibration 1
 *   NAME: VALUE                      the key, a line each
 *   (an empty line)
 *   floor En-J-Ex-J 3 -              (event, type, event, type): a value per metric; '-': none
 *   sequence I-En-J-Ex-I 5000 61 40  occurrences, then the minimum of each metric
 *   end 2                            number of entries
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

/* c must be initialized for the key's metrics; it receives all entries up to an error. Returns 0;
 * -EINVAL: the text is damaged; -EKEYREJECTED: it has another key. */
int calibration_read(struct calibration *c, const char *key, const void *data, size_t size,
		     struct calibration_fault *fault);
/* Returns a text's key and its number of metrics. false: the key is missing or invalid. */
bool calibration_key(const void *data, size_t size, char key[CALIBRATION_KEY_MOST],
		     uint32_t *metrics);
/* Returns 0 or -errno. */
int calibration_write(FILE *out, const struct calibration *c, const char *key);

/* Writes a name such as I-En-J-Ex-I: types as for METHODTYPES and STATDYN; events En (entry), Ex
 * (exit), Xx (exit by an exception), Ca (caught). */
#define SEQUENCE_NAME 16
void sequence_name(uint16_t s, char name[SEQUENCE_NAME]);
extern const char sequence_types[];

#endif
