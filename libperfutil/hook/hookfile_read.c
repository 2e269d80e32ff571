/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads hook files. Their content is not trusted: the kernel identifies the user and process that
 * wrote a file; only records that programs may write are accepted, with a stamp between *on* and
 * now.
 *
 * A scan visits all slots that are in use when it begins, those with the oldest records first, over
 * several drains if there are many. So the minimum age of the unread records is always known
 * (h->known), and older records can be handed over. A record that its program has begun but not
 * completed holds back the younger ones of all programs for a short time: otherwise later records
 * of its own thread would overtake it.
 */
#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "hook/hooks_inner.h"
#include "base/cursor.h"
#include "base/now.h"
#include "base/regular.h"

#define READ_MAX  (16u << 20) /* bytes of slots read per drain: the rest waits */
#define NAMES_MAX 4096        /* entries of the folder read per drain, likewise */

/* How long an incomplete record holds back others: a thread that is preempted in the middle of one
 * runs again within that time, even on a busy machine. GIVE_UP_NS: after this time it is considered
 * abandoned: its thread left TraceHook by longjmp, or was cancelled there. */
#define HOLD_BACK_NS  1000000000ull
#define HOLD_BACK_OFF 10000000ull /* … after *off* */
#define GIVE_UP_NS    2000000000ull

/* ---- files ----------------------------------------------------------------------------------- */

static void forget(struct hooks *h, size_t i)
{
	struct hook_process *p = h->process[i];

	/* Frees its memory now, even while the process maps it. */
	if (fallocate(p->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, HOOKFILE_DATA,
		      (off_t)h->control.slots * h->control.slot_bytes))
		errno = 0; /* file systems without hole punching */
	if (*p->name)
		unlinkat(h->dir, p->name, 0);
	close(p->fd);
	hook_threads_free(&p->threads);
	free(p->read);
	free(p);
	h->process[i] = h->process[--h->nprocesses];
}

void hooks_forget_all(struct hooks *h)
{
	while (h->nprocesses)
		forget(h, h->nprocesses - 1);
}

static int receive(struct hooks *h);

static struct hook_process *find(const struct hooks *h, const char *name)
{
	for (size_t i = 0; i < h->nprocesses; i++)
		if (!strcmp(h->process[i]->name, name))
			return h->process[i];
	return NULL;
}

/* Was it created for this collector? */
static bool has_header(const struct hooks *h, int fd)
{
	struct hookfile_header header;

	return pread(fd, &header, sizeof(header), 0) == (ssize_t)sizeof(header) &&
	       header.magic == HOOKFILE_MAGIC && header.version == HOOKFILE_VERSION &&
	       header.generation == h->control.generation;
}

/* Is it a file of this user with a header? Each file has only one name. */
static bool honest(const struct hooks *h, int fd, const struct stat *st)
{
	return st->st_uid == h->owner && st->st_nlink == 1 && has_header(h, fd);
}

static int take(struct hooks *h, const char *name, pid_t pid, uid_t uid, int fd)
{
	struct hook_process *p = calloc(1, sizeof(*p));

	if (!p) {
		close(fd);
		return -ENOMEM;
	}
	memcpy(p->name, name, strlen(name) + 1); /* hooks_pid_of() has checked the length */
	p->pid = pid;
	p->uid = uid;
	p->fd = fd;
	p->outside = h->driver.serial && !h->driver.has(h->driver.backend, pid);
	h->process[h->nprocesses++] = p;
	return 0;
}

/* Does nobody have it open or mapped any more? */
static bool is_left(int fd)
{
	/* If another process opens it meanwhile, the kernel signals us: by SIGURG, because SIGIO
	 * kills. */
	return !fcntl(fd, F_SETSIG, SIGURG) && !fcntl(fd, F_SETLEASE, F_WRLCK) &&
	       !fcntl(fd, F_SETLEASE, F_UNLCK);
}

/* The file of a program that ended before the kernel could identify it: its records are counted as
 * lost, unless it is announced by now. */
static int accept_left(struct hooks *h, const char *name, pid_t pid, int fd)
{
	int err = receive(h);

	if (err || find(h, name) || h->nprocesses == HOOKS_FILES) {
		close(fd);
		return err;
	}
	err = take(h, name, pid, h->owner, fd);
	if (!err)
		h->process[h->nprocesses - 1]->unheard = true;
	return err;
}

/* by: the announcing process, 0: none */
static int accept_file(struct hooks *h, const char *name, pid_t by)
{
	pid_t pid = hooks_pid_of(name);
	struct hook_process *p = find(h, name);
	struct stat st;
	int fd;

	if (p && by && p->pid != by) {
		p->pid = by;
		hook_threads_free(&p->threads);
	}
	if (!pid || p || h->nprocesses == HOOKS_FILES)
		return 0;
	fd = regular_reopen_for(openat(h->dir, name, REGULAR_HOLD | O_NOFOLLOW), O_RDWR, &st);
	if (fd < 0)
		return 0;
	if (honest(h, fd, &st)) {
		if (by || hookfile_of_process(pid, h->owner, &st))
			return take(h, name, by ? by : pid, h->owner, fd);
		if (is_left(fd))
			return accept_left(h, name, pid, fd);
	}
	/* The file may not be complete yet; if it never is, each scan checks it in vain. */
	h->unready = true;
	close(fd);
	return 0;
}

/* A flood of announcements continues at the next scan. */
static int receive(struct hooks *h)
{
	char name[HOOKFILE_NAME];
	pid_t pid;
	uid_t uid;
	int err = 0;

	for (int i = 0; !err && i < HOOKS_FILES && h->nprocesses < HOOKS_FILES; i++) {
		if (!hookfile_announced(h->announce_fd, name, &pid, &uid))
			break;
		if (uid == h->owner)
			err = accept_file(h, name, pid);
	}
	return err;
}

int hooks_fd(const struct hooks *h)
{
	return h->nprocesses < HOOKS_FILES ? h->announce_fd : -1;
}

int hooks_door_fd(const struct hooks *h)
{
	return h->door.page.magic && h->nprocesses < HOOKS_FILES ? h->door.listener : -1;
}

/* A process may pass as many files as it may create. */
static int accept_passed(struct hooks *h)
{
	int err = 0, fd;
	pid_t pid;
	uid_t uid;

	while (!err && h->nprocesses < HOOKS_FILES) {
		fd = hook_door_next(&h->door, &pid, &uid);
		if (fd < 0)
			break;
		if (has_header(h, fd))
			err = take(h, "", pid, uid, fd);
		else
			close(fd);
	}
	return err;
}

int hooks_accept(struct hooks *h)
{
	int err = receive(h);

	return err ? err : accept_passed(h);
}

/* Checks for changes of the folder. A change as recent as this may be followed by another with the
 * same mtime. */
#define RECENT 1000000000u

static bool changed(struct hooks *h)
{
	struct timespec now;
	struct stat st;
	bool modified;

	if (fstat(h->dir, &st))
		return true;
	clock_gettime(CLOCK_REALTIME, &now);
	modified = h->unready || st.st_mtim.tv_sec != h->scanned.tv_sec ||
		   st.st_mtim.tv_nsec != h->scanned.tv_nsec ||
		   (uint64_t)((now.tv_sec - st.st_mtim.tv_sec) * 1000000000 + now.tv_nsec -
			      st.st_mtim.tv_nsec) < RECENT;
	h->scanned = st.st_mtim;
	h->unready = false;
	return modified;
}

/* Accepts new files: a limited number of names per drain, the next drain continues. */
static int accept_all(struct hooks *h)
{
	struct dirent *e = NULL;
	int err = 0;

	if (!h->listing && !changed(h))
		return 0;
	if (!h->listing)
		h->listing = hooks_list(h);
	if (!h->listing)
		return -errno;
	for (int n = 0; n < NAMES_MAX && !err; n++) {
		e = readdir(h->listing);
		if (!e)
			break;
		err = accept_file(h, e->d_name, 0);
	}
	if (!e) {
		closedir(h->listing);
		h->listing = NULL;
	}
	return err;
}

/* ---- records --------------------------------------------------------------------------------- */

static unsigned int ints_of(const struct hookfile_record *r)
{
	return r->head >> HOOKFILE_INTS_SHIFT & HOOKFILE_INTS_MASK;
}

/* Checks that TraceHook may write this record, and that its major is recorded; *bytes: size of
 * integers, lengths and strings. */
static bool proper(const struct hooks *h, const struct hookfile_record *r, unsigned int major,
		   struct bytes b, uint64_t now, uint32_t *bytes)
{
	unsigned int ints = ints_of(r), strs = r->cpu_strs >> 16;
	uint64_t sum = ints * sizeof(uint64_t) + strs * sizeof(uint32_t);

	if (!(h->majors[major / 64] >> (major & 63) & 1) || r->stamp < h->since || r->stamp > now ||
	    (major != PITRACE_MTE && r->stamp < h->discarded))
		return false;
	if (major == PITRACE_MTE && (r->minor < PITRACE_MTE_JIT || r->minor > PITRACE_MTE_DECLARE))
		return false;
	bytes_skip(&b, ints * sizeof(uint64_t));
	for (unsigned int i = 0; i < strs && !b.bad; i++)
		sum += bytes_u32(&b);
	*bytes = (uint32_t)sum;
	return !b.bad && sum <= b.size &&
	       sum <= PITRACE_USER_MAX - sizeof(struct pitrace_rec) - sizeof(struct pitrace_user);
}

static int keep(struct hooks *h, struct hook_process *p, const struct hookfile_record *r,
		struct bytes data, uint64_t now)
{
	unsigned int major = r->head & (PITRACE_MAJORS - 1);
	uint32_t cpu = r->cpu_strs & HOOKFILE_CPU_MASK, bytes;
	uint8_t *record;
	int err;
	struct pitrace_user u = {
		.pid = (uint32_t)p->pid,
		.uid = p->uid,
		.cpu = cpu < h->ncpus ? cpu : 0,
		.ints = (uint16_t)ints_of(r),
		.strs = (uint16_t)(r->cpu_strs >> 16),
	};

	if (p->outside || !proper(h, r, major, data, now, &bytes))
		return 0;
	if (p->unheard) {
		h->lost++;
		return 0;
	}
	u.tid = hook_threads_here(&p->threads, p->pid, r->tid, h->scans);
	record = hooks_order_keep(h, r->stamp, (uint16_t)major, r->minor,
				  (uint32_t)sizeof(u) + bytes, &err);
	if (record) {
		memcpy(record, &u, sizeof(u));
		memcpy(record + sizeof(u), data.base, bytes);
	}
	return err;
}

/* Reads the head at the cursor. True: a complete record. False: *pass is the number of bytes to
 * skip if it is never completed; 0: there are no more records. */
static bool complete(struct bytes *b, struct hookfile_record *r, size_t *pass)
{
	size_t length;

	memset(r, 0, sizeof(*r));
	*pass = 0;
	if (bytes_left(b) < 8)
		return false;
	r->head = bytes_load32(b->base + b->at, false);
	length = (r->head >> HOOKFILE_UNITS_SHIFT & HOOKFILE_UNITS_MASK) * 8;
	/* Nothing has been written there yet. */
	if (!r->head) {
		*pass = 8;
		return false;
	}
	if (length < sizeof(*r) || length > bytes_left(b))
		return false;
	*pass = length;
	if (!(r->head & HOOKFILE_COMMITTED))
		return false;
	memcpy(r, b->base + b->at, sizeof(*r));
	return true;
}

/* Reads the new records of a slot, up to `used`. False with *err 0: a record is not complete. */
static bool read_records(struct hooks *h, struct hook_process *p, struct slot_read *s,
			 struct bytes *b, bool give_up, int *err)
{
	uint64_t now = hookfile_now(h->clock.tsc);
	bool lost = false;

	*err = 0;
	while (bytes_left(b) && !*err) {
		struct hookfile_record r;
		size_t pass;

		if (complete(b, &r, &pass)) {
			*err = keep(h, p, &r,
				    bytes_of(b->base + b->at + sizeof(r), pass - sizeof(r)), now);
			b->at += pass;
			lost = false;
			continue;
		}
		/* The data is corrupt: nothing after it can be read. */
		if (!pass) {
			b->at = b->size;
			break;
		}
		if (!give_up)
			return false;
		if (!lost || pass > 8)
			h->lost++;
		lost = pass == 8;
		s->stuck = true;
		b->at += pass;
	}
	return !*err;
}

/* ---- slots ----------------------------------------------------------------------------------- */

static off_t slot_at(uint32_t slot)
{
	return HOOKFILE_TABLE + (off_t)slot * (off_t)sizeof(struct hookfile_slot);
}

static bool free_slot(struct hooks *h, struct hook_process *p, uint32_t slot)
{
	off_t byte = slot_at(slot) + (off_t)offsetof(struct hookfile_slot, state);
	uint8_t state = HOOKFILE_FREE;

	byte += htobe32(1) == 1 ? 3 : 0;
	if (slot >= HOOKS_KEEP &&
	    fallocate(p->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		      HOOKFILE_DATA + (off_t)slot * h->control.slot_bytes, h->control.slot_bytes))
		errno = 0;
	/* One byte, because a single byte cannot be seen half written. */
	if (pwrite(p->fd, &state, 1, byte) != 1)
		return false;
	p->freed = true;
	return true;
}

/* When this changes, programs search for free slots from the first one. */
static void say_freed(struct hook_process *p)
{
	off_t at = offsetof(struct hookfile_header, freed);
	uint32_t freed;

	if (p->freed && pread(p->fd, &freed, sizeof(freed), at) == (ssize_t)sizeof(freed)) {
		freed++;
		if (pwrite(p->fd, &freed, sizeof(freed), at) < 0)
			errno = 0;
	}
	p->freed = false;
}

/* A record older than those already handed over would be too late anyway. */
static uint64_t not_before(const struct hooks *h, uint64_t stamp)
{
	return stamp < h->known ? h->known : stamp > h->until ? h->until : stamp;
}

static int read_slot(struct hooks *h, const struct hook_visit *v)
{
	struct hook_process *p = h->process[v->process];
	struct slot_read *s = &p->read[v->slot];
	uint64_t now = now_ns(), units;
	bool whole;
	struct hookfile_slot slot;
	struct bytes b;
	uint32_t used;
	int err;

	if (pread(p->fd, &slot, sizeof(slot), slot_at(v->slot)) != (ssize_t)sizeof(slot) ||
	    slot.state != HOOKFILE_OPEN)
		return 0;
	/* A position outside the slot is invalid: nothing of the slot is read. */
	units = slot.position & ~HOOKFILE_CLOSED;
	used = units <= h->control.slot_bytes / 8 ? (uint32_t)units * 8 : 0;
	if (used > s->done) {
		uint32_t bytes = used - s->done;

		if (room_grow(&h->slot, h->control.slot_bytes))
			return -ENOMEM;
		h->nread += bytes;
		/* The file was truncated: the rest is not read. */
		b = bytes_of(h->slot.data,
			     pread(p->fd, h->slot.data, bytes,
				   HOOKFILE_DATA + (off_t)v->slot * h->control.slot_bytes +
					   s->done) == (ssize_t)bytes ?
				     bytes :
				     0);
		if (!b.size) {
			s->done = used;
			return 0;
		}
		whole = read_records(h, p, s, &b,
				     p->gone || (s->waited && now - s->waited > GIVE_UP_NS), &err);
		if (err)
			return err;
		s->done += (uint32_t)b.at;
		if (whole) {
			s->waited = 0;
		} else {
			if (!s->waited)
				s->waited = now;
			if (v->oldest < h->incomplete)
				h->incomplete = v->oldest;
		}
	}
	/* A skipped record may still be written there. */
	if (slot.position & HOOKFILE_CLOSED && s->done >= used && !s->stuck &&
	    free_slot(h, p, v->slot))
		memset(s, 0, sizeof(*s));
	return 0;
}

/* ---- scans ----------------------------------------------------------------------------------- */

static int add_visit(struct hooks *h, const struct hook_visit *v)
{
	if (h->nvisits == h->visits_room) {
		size_t room = h->visits_room ? h->visits_room * 2 : 256;
		struct hook_visit *more = realloc(h->visits, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		h->visits = more;
		h->visits_room = room;
	}
	h->visits[h->nvisits++] = *v;
	return 0;
}

/* The table of a process may have grown. */
static int grow_table(struct hook_process *p, uint32_t n)
{
	struct slot_read *more;

	if (n <= p->nread)
		return 0;
	n = (n + 63) & ~63u;
	more = realloc(p->read, n * sizeof(*more));
	if (!more)
		return -ENOMEM;
	memset(more + p->nread, 0, (n - p->nread) * sizeof(*more));
	p->read = more;
	p->nread = n;
	return 0;
}

static int visit_process(struct hooks *h, uint32_t process)
{
	struct hook_process *p = h->process[process];
	struct hookfile_header header;
	const struct hookfile_slot *slot;
	size_t size;
	int err;

	if (pread(p->fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header))
		return 0;
	if (header.lost > p->lost) {
		h->lost += header.lost - p->lost;
		p->lost = header.lost;
	}
	if (header.table > h->control.slots)
		header.table = h->control.slots;
	size = header.table * sizeof(*slot);
	err = grow_table(p, header.table);
	if (!err)
		err = room_grow(&h->table, size);
	if (err || pread(p->fd, h->table.data, size, HOOKFILE_TABLE) != (ssize_t)size)
		return err;
	slot = h->table.data;
	for (uint32_t i = 1; i < header.table && !err; i++) {
		struct hook_visit v = { not_before(h, p->read[i].done ? 0 : slot[i].stamp), process,
					i };

		if (slot[i].state == HOOKFILE_OPEN)
			err = add_visit(h, &v);
	}
	return err;
}

static int oldest_first(const void *a, const void *b)
{
	const struct hook_visit *x = a, *y = b;

	if (x->oldest != y->oldest)
		return x->oldest < y->oldest ? -1 : 1;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* The scan reads up to h->until. A process that has exited by now has written everything that this
 * scan reads, and writes nothing later. */
static int begin_scan(struct hooks *h)
{
	int err = 0;

	for (size_t i = 0; i < h->nprocesses; i++)
		h->process[i]->gone = h->process[i]->unheard ||
				      (kill(h->process[i]->pid, 0) && errno == ESRCH);
	h->incomplete = UINT64_MAX;
	h->nvisits = h->next = 0;
	for (size_t i = 0; i < h->nprocesses && !err; i++)
		err = visit_process(h, (uint32_t)i);
	if (h->nvisits)
		qsort(h->visits, h->nvisits, sizeof(*h->visits), oldest_first);
	h->scanning = true;
	h->scans++;
	return err;
}

static void end_scan(struct hooks *h)
{
	h->scanning = false;
	for (size_t i = h->nprocesses; i-- > 0;)
		if (h->process[i]->gone)
			forget(h, i); /* the last one moves to its index */
}

/* Updates the time up to which the records are known. */
static void advance(struct hooks *h)
{
	uint64_t known = h->scanning ? h->visits[h->next].oldest : h->until, now = now_ns();
	uint64_t most = hooks_listening(h) ? HOLD_BACK_NS : HOLD_BACK_OFF;

	if (h->incomplete >= known)
		h->blocked = 0;
	else if (!h->blocked)
		h->blocked = now;
	if (h->blocked && now - h->blocked < most)
		known = h->incomplete;
	else if (h->blocked && !h->scanning)
		h->blocked = 0;
	if (known > h->known)
		h->known = known;
}

int hooks_collect(struct hooks *h)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	bool begun = h->scanning;
	uint64_t n;
	int err;

	if (h->full_fd >= 0 && read(h->full_fd, &n, sizeof(n)) < 0)
		errno = 0;
	/* A writer that starts after this has no older record. */
	if (!begun)
		h->until = hook_clock_pair(&h->clock);
	err = hooks_accept(h);
	if (!err)
		err = accept_all(h);
	if (!err)
		err = hooks_order_tidy(h);
	/* After *off* this is called until nothing is left: gives writers some time. */
	if (h->blocked && !hooks_listening(h))
		nanosleep(&pause, NULL);
	if (!err && !begun)
		err = begin_scan(h);
	h->nread = 0;
	while (!err && h->next < h->nvisits && h->nread < READ_MAX)
		err = read_slot(h, &h->visits[h->next++]);
	if (err)
		return err;
	for (size_t i = 0; i < h->nprocesses; i++)
		say_freed(h->process[i]);
	if (h->next == h->nvisits)
		end_scan(h);
	advance(h);
	/* Records written after a long scan began belong to the next one. */
	h->rest = h->scanning || begun || (h->blocked && hooks_order_waiting(h));
	return 0;
}

uint64_t hooks_refused(const struct hooks *h, const char **names)
{
	*names = h->door.names;
	return h->door.refused;
}

bool hooks_pending(const struct hooks *h)
{
	return h->rest || h->listing;
}
