/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options that swtrace run and swtrace init share: buffers, mode, rotation of files, stacks. */
#ifndef SWTRACE_SESSION_OPTIONS_H
#define SWTRACE_SESSION_OPTIONS_H

#include <tracer.h>
#include "option_store.h"

/* The rows set a struct tracer_options. */
extern const struct option_row session_rows[];

/* Checks that the options about rotation fit together. Returns false after a message. */
bool session_rotation_fits(const struct tracer_options *o);

#endif
