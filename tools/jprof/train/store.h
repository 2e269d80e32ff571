/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of minima: those that the passes write, and the user's file. The latter is refused for the
 * agent's reasons: another key, corrupt, owned by another user, a link. */
#ifndef STORE_H
#define STORE_H

#include <limits.h>

#include "calibration_file.h"
#include "calibration_text.h"

struct minima {
	char key[CALIBRATION_KEY_MOST];
	struct calibration c;
};

/* Reads a whole file. Returns 0, -ENOENT, or another error after a message. */
int minima_read(struct minima *m, const char *path);
void minima_free(struct minima *m);
/* Returns, from the key, whether the events came from the VM's probes. */
bool minima_of_probes(const struct minima *m);

/* Adds the minima to the requested file, or else to the cache's file of this key. Sets its path.
 * Returns false after a message. */
bool store_add(const char *asked, const struct minima *m, char path[PATH_MAX]);

#endif
