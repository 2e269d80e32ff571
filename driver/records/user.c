// SPDX-License-Identifier: GPL-2.0
/*
 * Records that programs write. Everything in the call is hostile: it is copied and checked before a
 * ring is touched. A user gets a limited share of each CPU's time for it; beyond that, records are
 * dropped and counted. User records never stop a session nor push out its samples.
 */
#include <linux/anon_inodes.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/percpu.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include "core/args.h"
#include "core/pages.h"
#include "core/session.h"
#include "records/user.h"
#include "ring/clock.h"

static unsigned int user_budget = 10;
module_param(user_budget, uint, 0644);
MODULE_PARM_DESC(
	user_budget,
	"percent of each CPU's time that one user may spend writing records; 100: no limit");

static struct pitrace_hook_page *page;

/* Records up to this size need no allocation. */
#define SMALL 256
#define ROOM  (PITRACE_USER_MAX - sizeof(struct pitrace_rec) - sizeof(struct pitrace_user))
/* Kernels may be built to clear all variables on the stack. */
#if __has_attribute(__uninitialized__)
#define UNINITIALIZED __attribute__((__uninitialized__))
#else
#define UNINITIALIZED
#endif

/* ---- a user's share of a CPU ----------------------------------------------------------------- */

#define SHARE_BITS   6
#define SHARE_PROBES 8
#define SHARE_BURST  (10 * (s64)NSEC_PER_MSEC) /* most that an idle user can save up */

struct share {
	u32 uid;
	u64 at;   /* `left` was valid at this time */
	s64 left; /* ns; less than 0: overdrawn by the last record */
};
static DEFINE_PER_CPU(struct share[1 << SHARE_BITS], shares);

static s64 share_left(const struct share *s, u64 now, unsigned int budget)
{
	/* The clock may step back a little when it is adjusted. */
	s64 since = clamp_t(s64, now - s->at, 0, 100 * SHARE_BURST);

	return min_t(s64, s->left + div_s64(since * budget, 100), SHARE_BURST);
}

/* Returns this user's share of this CPU, refilled up to now. An entry whose user has a full share
 * is as good as a free one. If no entry is free, users share one, so that many uids get no more
 * time than few. */
static struct share *share_get(u32 uid, u64 now, unsigned int budget)
{
	struct share *all = *this_cpu_ptr(&shares), *s, *found = NULL;
	u32 first = hash_32(uid, SHARE_BITS), i;

	for (i = 0; i < SHARE_PROBES; i++) {
		s = &all[(first + i) & ((1 << SHARE_BITS) - 1)];
		if (s->uid == uid)
			break;
		if (!found && share_left(s, now, budget) == SHARE_BURST)
			found = s;
	}
	if (i == SHARE_PROBES) {
		s = found ?: &all[first];
		s->uid = uid;
	}
	s->left = share_left(s, now, budget);
	s->at = now;
	return s;
}

/* ---- one record ------------------------------------------------------------------------------ */

struct hook {
	u32 major, minor;
	u32 ring;
	u32 uid;
	u64 except; /* serial of a session that already has it */
	unsigned int budget;
	struct share *share; /* of `cpu`, up to date at `start` */
	u64 start;           /* when and where this work began */
	unsigned int cpu;
	unsigned long switches; /* context switches of this thread at that time */
	struct pitrace_user *data;
	u32 size;
};

static bool is_user(u32 major, u32 minor)
{
	if (major == PITRACE_MTE)
		return minor >= PITRACE_MTE_JIT && minor <= PITRACE_MTE_DECLARE;
	return major == PITRACE_HOOKIT || major == PITRACE_NAMED ||
	       (major >= PITRACE_USER_FIRST && major < PITRACE_MAJORS);
}

static bool listens(const struct session *s, const struct hook *h)
{
	if (s->serial == h->except)
		return false;
	if (h->major == PITRACE_MTE ?
		    !session_mte(s) :
		    READ_ONCE(s->state) != PITRACE_STATE_ON || !test_bit(h->major, s->majors))
		return false;
	return session_has(s, current->tgid);
}

/* User records may fill half of a ring. In wrap mode rings are never full; MTE records are never
 * overwritten. */
static bool crowded(const struct session *s, const struct ring *r)
{
	if (s->mode == PITRACE_MODE_WRAP && r->kind == PITRACE_RING_TRACE)
		return false;
	return ring_half_full(r);
}

/* Checks whether any session records this, and whether the user has time left. 0, -ENODATA,
 * -ENOBUFS. */
static int begin(struct hook *h)
{
	bool any = false, broke = false;
	struct session *s;
	struct ring *r;

	preempt_disable();
	for_each_wanting(s, WANT_ANY) {
		if (!listens(s, h))
			continue;
		if (!any && h->budget < 100) {
			h->start = ktime_get_mono_fast_ns();
			h->switches = current->nvcsw + current->nivcsw;
			h->share = share_get(h->uid, h->start, h->budget);
			broke = h->share->left < 0;
		}
		h->cpu = smp_processor_id();
		any = true;
		if (!broke)
			break;
		r = session_ring(s, h->cpu, h->ring);
		if (r)
			ring_lose_of(r, h->uid);
	}
	preempt_enable();
	return broke ? -ENOBUFS : any ? 0 : -ENODATA;
}

static bool emit(const struct hook *h, struct session *s)
{
	struct ring *r = session_ring(s, smp_processor_id(), h->ring);
	void *p;

	if (!r)
		return false;
	if (crowded(s, r)) {
		ring_lose(r, PITRACE_LOST_USER, 1);
		session_wake(s);
		return false;
	}
	p = ring_reserve(r, h->major, h->minor, h->size, PITRACE_LOST_USER);
	if (!p)
		return false;
	((struct pitrace_rec *)p)[-1].type_len ^= PITRACE_TYPE_STRUCT ^ PITRACE_TYPE_MIXED;
	memcpy(p, h->data, h->size);
	ring_commit(r);
	return true;
}

static int write_record(struct hook *h)
{
	bool any = false, done = false;
	struct session *s;

	preempt_disable();
	/* Only the thread's own time counts for its user. */
	if (h->budget < 100 &&
	    (h->cpu != smp_processor_id() || h->switches != current->nvcsw + current->nivcsw)) {
		h->start = ktime_get_mono_fast_ns();
		h->share = share_get(h->uid, h->start, h->budget);
	}
	h->data->cpu = smp_processor_id();
	for_each_wanting(s, WANT_ANY) {
		if (!listens(s, h))
			continue;
		any = true;
		done |= emit(h, s);
	}
	if (h->budget < 100)
		h->share->left -= ktime_get_mono_fast_ns() - h->start;
	preempt_enable();
	return done ? 0 : any ? -ENOBUFS : -ENODATA;
}

static int fetch(void *to, u64 from, u32 bytes)
{
	return bytes && copy_from_user(to, u64_to_user_ptr(from), bytes) ? -EFAULT : 0;
}

/* Copies the record's data to `small` if it fits, else to allocated memory. Lengths are read once,
 * so that the record has the ones that were checked. */
static int fill(struct hook *h, const struct pitrace_hook_args *a, void *small)
{
	u32 ints = a->ints * sizeof(u64), fixed = ints + a->strs * sizeof(u32), strings = 0, i;
	u32 *length;
	u8 *p;

	h->data = small;
	if (sizeof(*h->data) + fixed > SMALL)
		h->data = kmalloc(PITRACE_USER_MAX, GFP_KERNEL);
	if (!h->data)
		return -ENOMEM;
	p = (u8 *)(h->data + 1);
	length = (u32 *)(p + ints);
	/* Integers and lengths are copied at once if the caller has them side by side. */
	if (a->lengths == a->values + ints ?
		    fetch(p, a->values, fixed) :
		    fetch(p, a->values, ints) || fetch(length, a->lengths, fixed - ints))
		return -EFAULT;
	for (i = 0; i < a->strs; i++) {
		if (length[i] > ROOM - fixed - strings)
			return -EMSGSIZE;
		strings += length[i];
	}
	h->size = sizeof(*h->data) + fixed + ALIGN(strings, 4);
	if (h->data == small && h->size > SMALL) {
		h->data = kmalloc(h->size, GFP_KERNEL);
		if (!h->data)
			return -ENOMEM;
		memcpy(h->data, small, sizeof(*h->data) + fixed);
		p = (u8 *)(h->data + 1);
	}
	h->data->pid = current->tgid;
	h->data->tid = current->pid;
	h->data->uid = h->uid;
	h->data->ints = a->ints;
	h->data->strs = a->strs;
	memset(p + fixed + strings, 0, -strings & 3);
	return fetch(p + fixed, a->strings, strings);
}

static long write_hook(const struct pitrace_hook_args __user *user)
{
	/* Unused bytes are not copied to a ring either. */
	u64 small[SMALL / sizeof(u64)] UNINITIALIZED;
	struct pitrace_hook_args a UNINITIALIZED;
	struct hook h UNINITIALIZED;
	int err = 0;

	/* Nearly all callers have a struct of this size. */
	if (copy_from_user(&a, user, sizeof(a)) || a.size != sizeof(a) ||
	    a.version != PITRACE_ABI_VERSION)
		err = get_args(&a, sizeof(a), user);
	if (err)
		return err;
	if (a.except > U32_MAX || !is_user(a.major, a.minor))
		return -EINVAL;
	if (a.ints > ROOM / sizeof(u64) || a.strs > ROOM / sizeof(u32) ||
	    a.ints * sizeof(u64) + a.strs * sizeof(u32) > ROOM)
		return -EMSGSIZE;
	h.major = array_index_nospec(a.major, PITRACE_MAJORS);
	h.minor = a.minor;
	h.except = a.except;
	h.ring = h.major == PITRACE_MTE ? PITRACE_RING_MTE : PITRACE_RING_TRACE;
	h.uid = from_kuid(&init_user_ns, current_uid());
	h.budget = READ_ONCE(user_budget);
	err = begin(&h);
	if (err)
		return err;
	err = fill(&h, &a, small);
	if (!err)
		err = write_record(&h);
	if (h.data != (void *)small)
		kfree(h.data);
	return err;
}

/* ---- records that go into files -------------------------------------------------------------- */

/* A program in another pid namespace would write ids that differ from the driver's. */
static bool ids_are_ours(void)
{
	return task_active_pid_ns(current) == &init_pid_ns;
}

static long may_write_file(const u32 __user *user)
{
	struct session *s;
	int err = -ENODATA;
	u32 serial;
	int i;

	if (get_user(serial, user))
		return -EFAULT;
	preempt_disable();
	for_each_active(s, i)
		if (s->serial == serial)
			err = session_has(s, current->tgid) && ids_are_ours() ? 0 : -EPERM;
	preempt_enable();
	return err;
}

long user_has(const struct session *s, const s32 __user *user)
{
	s32 pid;

	if (get_user(pid, user))
		return -EFAULT;
	if (!ids_are_ours())
		return -EPERM;
	return pid > 0 && session_has(s, pid) ? 0 : -ESRCH;
}

/* ---- the descriptor -------------------------------------------------------------------------- */

static long hook_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	if (_IOC_TYPE(cmd) != PITRACE_IOC_MAGIC)
		return -ENOTTY;
	switch (_IOC_NR(cmd)) {
	case _IOC_NR(PITRACE_IOC_HOOK):
		return write_hook((void __user *)arg);
	case _IOC_NR(PITRACE_IOC_HOOK_FILE):
		return may_write_file((void __user *)arg);
	}
	return -ENOTTY;
}

/* One page for all; children may keep it. */
static int hook_mmap(struct file *file, struct vm_area_struct *vma)
{
	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	vm_flags_mod(vma, VM_DONTDUMP | VM_DONTEXPAND, VM_MAYWRITE | VM_MAYEXEC);
	return pages_map(vma, page, PAGE_SIZE, vma->vm_pgoff);
}

static const struct file_operations hook_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = hook_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = hook_mmap,
	.llseek = noop_llseek,
};

int user_open(void)
{
	return anon_inode_getfd("[pitrace-hook]", &hook_fops, NULL, O_RDWR | O_CLOEXEC);
}

/* Collects the majors that all sessions but one record: only those that programs may write. */
static void listen_but(const struct session *but, u64 majors[PITRACE_MAJORS / 64])
{
	int s, i;

	memset(majors, 0, sizeof(page->majors));
	for (s = 0; s < PITRACE_MAX_SESSIONS; s++) {
		u64 wanted[PITRACE_MAJORS / 64];

		if (!active[s] || active[s] == but)
			continue;
		bitmap_to_arr64(wanted, active[s]->majors, PITRACE_MAJORS);
		for (i = 0; i < ARRAY_SIZE(wanted); i++)
			majors[i] |= wanted[i];
		majors[PITRACE_MTE / 64] |= BIT_ULL(PITRACE_MTE % 64);
	}
	majors[0] &= BIT_ULL(PITRACE_MTE);
	majors[1] = 0;
	majors[2] &= BIT_ULL(PITRACE_HOOKIT % 64);
	majors[3] &= USER_MAJORS;
}

void user_listen(void)
{
	u64 majors[PITRACE_MAJORS / 64];
	int s, i;

	listen_but(NULL, majors);
	for (i = 0; i < ARRAY_SIZE(majors); i++)
		WRITE_ONCE(page->majors[i], majors[i]);
	for (s = 0; s < PITRACE_MAX_SESSIONS; s++) {
		memset(majors, 0, sizeof(majors));
		if (active[s]) {
			listen_but(active[s], majors);
			majors[3] |= active[s]->serial & PITRACE_SERIAL_MASK;
		}
		for (i = 0; i < ARRAY_SIZE(majors); i++)
			WRITE_ONCE(page->others[s][i], majors[i]);
	}
	/* Must come after the majors: a program that saw this without the majors would declare its
	 * events a record too late. */
	WRITE_ONCE(page->begun, page->begun + 1);
}

int user_init(void)
{
	page = pages_alloc(PAGE_SIZE);
	if (!page)
		return -ENOMEM;
	page->size = sizeof(*page);
	page->version = PITRACE_ABI_VERSION;
	return 0;
}

/* No descriptor or mapping is left: each holds a reference to the module. */
void user_exit(void)
{
	vfree(page);
}
