/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of minima: those that a pass has left, and the user's, which is refused as the agent
 * refuses it: of another key, damaged, another user's, a link. */
#ifndef STORE_H
#define STORE_H

#include <limits.h>

#include "calibration_file.h"
#include "calibration_text.h"

struct minima {
	char key[CALIBRATION_KEY_MOST];
	struct calibration c;
};

/* All of a file. 0; -ENOENT: there is none; others after a message. */
int minima_read(struct minima *m, const char *path);
void minima_free(struct minima *m);
/* By its key. */
bool minima_of_probes(const struct minima *m);

/* Adds to the user's file: the one that was asked for, or else the cache's of this key. Its name is
 * in path. false, after a message. */
bool store_add(const char *asked, const struct minima *m, char path[PATH_MAX]);

#endif
