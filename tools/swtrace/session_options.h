/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options that swtrace run and swtrace init share: buffers, mode, files that rotate, stacks. */
#ifndef SWTRACE_SESSION_OPTIONS_H
#define SWTRACE_SESSION_OPTIONS_H

#include <tracer.h>
#include "option_store.h"

/* They set a struct tracer_options. */
extern const struct option_row session_rows[];

/* Checks that the options about rotation fit together. False after a message. */
bool session_rotation_fits(const struct tracer_options *o);

#endif
