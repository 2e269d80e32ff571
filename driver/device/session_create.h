/* SPDX-License-Identifier: GPL-2.0 */
/* Sessions: made and ended. */
#ifndef PITRACE_SESSION_CREATE_H
#define PITRACE_SESSION_CREATE_H

#include "pitrace.h"

struct session;

struct session *session_create(const struct pitrace_session_args *args);
void session_destroy(struct session *s);	/* off, nobody sees it any more */
unsigned int sessions_alive(void);

#endif
