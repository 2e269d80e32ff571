// SPDX-License-Identifier: GPL-2.0
/* Users without CAP_PERFMON and their usage, by uid, while the usage is not zero. */
#include <linux/atomic.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>
#include "core/quota.h"
#include "pitrace.h"

struct quota {
	struct list_head list;
	kuid_t uid;
	unsigned int users; /* under the lock */
	atomic_t taken[QUOTA_KINDS];
};

static LIST_HEAD(quotas);
static DEFINE_MUTEX(quotas_lock);   /* the list, `users`; no other lock is taken within */
static atomic_t taken[QUOTA_KINDS]; /* by all users together */

/* The total limit of rates is no smaller than the sum of all: each session has a slot, and its
 * ticks occur only where its own tasks run. */
static const struct {
	u32 one, all;
} most[QUOTA_KINDS] = {
	[QUOTA_SESSIONS] = { 2, 6 },
	[QUOTA_PTTS] = { 2, 6 },
	[QUOTA_RATE] = { PITRACE_MAX_RATE, PITRACE_MAX_SESSIONS *PITRACE_MAX_RATE },
};

static_assert(PITRACE_MAX_SESSIONS > 6 && PITRACE_MAX_PTTS > 6);

/* Returns the owner of these uids: uids that a user got for its user namespaces count for that
 * user. Users whose namespaces root created count for themselves. */
static kuid_t owner(const struct cred *cred)
{
	const struct user_namespace *ns;
	kuid_t uid = cred->uid;

	for (ns = cred->user_ns; ns->parent; ns = ns->parent)
		if (!uid_eq(ns->owner, GLOBAL_ROOT_UID))
			uid = ns->owner;
	return uid;
}

static struct quota *find(kuid_t uid)
{
	struct quota *q;

	list_for_each_entry(q, &quotas, list)
		if (uid_eq(q->uid, uid))
			return q;
	return NULL;
}

struct quota *quota_get(const struct cred *cred)
{
	kuid_t uid = owner(cred);
	struct quota *q;

	mutex_lock(&quotas_lock);
	q = find(uid);
	if (!q) {
		q = kzalloc(sizeof(*q), GFP_KERNEL_ACCOUNT);
		if (!q) {
			mutex_unlock(&quotas_lock);
			return ERR_PTR(-ENOMEM);
		}
		q->uid = uid;
		list_add(&q->list, &quotas);
	}
	q->users++;
	mutex_unlock(&quotas_lock);
	return q;
}

void quota_put(struct quota *q)
{
	if (!q)
		return;
	mutex_lock(&quotas_lock);
	if (!--q->users) {
		list_del(&q->list);
		kfree(q);
	}
	mutex_unlock(&quotas_lock);
}

static bool add(atomic_t *n, u32 amount, u32 limit)
{
	int old = atomic_read(n);

	do {
		if (amount > limit || old > limit - amount)
			return false;
	} while (!atomic_try_cmpxchg(n, &old, old + amount));
	return true;
}

int quota_take(struct quota *q, enum quota_kind kind, u32 amount)
{
	if (!q)
		return 0;
	if (!add(&q->taken[kind], amount, most[kind].one))
		return -EDQUOT;
	if (add(&taken[kind], amount, most[kind].all))
		return 0;
	atomic_sub(amount, &q->taken[kind]);
	return -EUSERS;
}

void quota_give(struct quota *q, enum quota_kind kind, u32 amount)
{
	if (!q)
		return;
	atomic_sub(amount, &q->taken[kind]);
	atomic_sub(amount, &taken[kind]);
}
