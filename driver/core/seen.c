// SPDX-License-Identifier: GPL-2.0
/* Written by hooks, read by the self-test and INFO: it is in a layer below all of them. */
#include "core/seen.h"

atomic_t hooks_seen;
