/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Limits for users without CAP_PERFMON: one for each user, and one for all of them together, which
 * leaves some for root. Usage is counted by uid, so more processes, sessions or ptts get a user no
 * more of what they share.
 */
#ifndef PITRACE_QUOTA_H
#define PITRACE_QUOTA_H

#include <linux/types.h>

struct cred;
struct quota; /* of one user */

enum quota_kind {
	QUOTA_SESSIONS,
	QUOTA_PTTS,
	QUOTA_RATE, /* ticks a second, of all sessions that are on */
	QUOTA_KINDS
};

/* A reference to the quota of the user with these credentials; ERR_PTR(-ENOMEM). May sleep. */
struct quota *quota_get(const struct cred *cred);
void quota_put(struct quota *quota);
/* From any context. NULL is a user with CAP_PERFMON, who has no limit. 0; -EDQUOT: the user's quota
 * is used up; -EUSERS: the common quota of all users without CAP_PERFMON is. */
int quota_take(struct quota *quota, enum quota_kind kind, u32 amount);
void quota_give(struct quota *quota, enum quota_kind kind, u32 amount);

#endif
