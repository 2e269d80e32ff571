/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HotSpot's attach protocol: asks the VM to listen, then to load a library. */
#ifndef RTDRIVER_ATTACH_H
#define RTDRIVER_ATTACH_H

#include <stdbool.h>
#include <stdint.h>

#include "target.h"

/* Waits at most until `until` (CLOCK_MONOTONIC, ns). Returns false after a message. */
bool attach_load(const struct target *t, const char *library, const char *options, uint64_t until);

#endif
