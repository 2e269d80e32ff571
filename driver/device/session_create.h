/* SPDX-License-Identifier: GPL-2.0 */
/* Sessions: made and ended. */
#ifndef PITRACE_SESSION_CREATE_H
#define PITRACE_SESSION_CREATE_H

#include "pitrace.h"

struct session;

/* A session, which is the caller's until session_destroy(), or ERR_PTR. */
struct session *session_create(const struct pitrace_session_args *args);
/* Frees a session that is off and no longer visible, with all that it has. */
void session_destroy(struct session *s);
unsigned int sessions_alive(void);

#endif
