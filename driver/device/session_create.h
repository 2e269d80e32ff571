/* SPDX-License-Identifier: GPL-2.0 */
/* Creates and destroys sessions. */
#ifndef PITRACE_SESSION_CREATE_H
#define PITRACE_SESSION_CREATE_H

#include "pitrace.h"

struct session;

/* Returns a session, which the caller owns and passes to session_destroy(), or ERR_PTR. */
struct session *session_create(const struct pitrace_session_args *args);
/* Frees a session that is off and no longer visible, with everything it owns. */
void session_destroy(struct session *s);
unsigned int sessions_alive(void);

#endif
