/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The collector's side of hook files. The content is not trusted: the kernel says which user and
 * process wrote a file; only record types that programs may write are accepted, with a stamp
 * between *on* and now. Records of all threads come out in the order of time, each with a unique
 * stamp, so that the order of a thread's records holds whatever CPU they were made on.
 */
#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "hook/hookfile_owner.h"
#include "base/now.h"
#include "file/record_walk.h"
#include "base/regular.h"
#include "file/segment.h"

#define FILES      1024 /* processes at a time; others wait until some exit */
#define SLOT_BYTES (32u << 10)
#define RING_BYTES (64u << 10) /* of the segments that go into the trace */
#define READ_MAX   (16u << 20) /* bytes of slots that a drain reads: the rest waits */
#define HOLD_MAX   (32u << 20) /* … that an ordered scan reads, over several drains */
#define NAMES_MAX  4096        /* … entries of the folder, likewise */

struct process {
	char name[HOOKFILE_NAME]; /* of the file */
	pid_t pid;                /* as the kernel reports it, not as the name says */
	int fd;
	bool gone;       /* before the scan began */
	uint64_t lost;   /* as last read */
	uint32_t done[]; /* bytes of each slot that were read */
};

/* Memory that only grows. */
struct room {
	void *data;
	size_t size;
};

struct pending {
	uint64_t stamp;
	size_t at; /* offset in the bytes; also the order of equal stamps */
	uint32_t minor, size;
	uint16_t major;
};

struct hooks {
	char *folder;
	bool made;                        /* this collector may empty and remove the folder */
	bool fresh;                       /* … and created it */
	int dir, control_fd, announce_fd; /* announce_fd: processes announce files there */
	uid_t owner;
	struct hookfile_control control;
	/* majors of the newest interval, also after its end */
	uint64_t majors[PITRACE_MAJORS / 64];
	uint64_t since;          /* … its begin */
	uint64_t until;          /* majors of the records being read */
	struct timespec scanned; /* mtime of the folder at the last scan */
	bool unready;            /* a file there was not ready */
	DIR *listing;            /* the last folder scan is incomplete */
	/* bytes read by this drain; by this scan and not handed over */
	size_t nread, nheld;
	bool scanning;      /* a scan is in progress: */
	size_t next;        /* the process at which the next drain continues */
	uint32_t next_slot; /* … at this slot */
	bool rest;          /* the drain may have left data */
	struct process *process[FILES];
	size_t nprocesses;

	struct room slot, table, bytes, index[PITRACE_RINGS];
	size_t nbytes, n[PITRACE_RINGS]; /* in use: bytes of data, records pending */

	uint32_t session, ncpus;
	struct segment_out *out[PITRACE_RINGS]; /* one per CPU */
	uint64_t last[PITRACE_RINGS];           /* stamps handed over */
	uint64_t lost, reported;
};

static int grow(struct room *r, size_t size)
{
	size_t more = size + size / 2;
	void *p;

	if (size <= r->size)
		return 0;
	p = realloc(r->data, more);
	if (!p)
		return -ENOMEM;
	r->data = p;
	r->size = more;
	return 0;
}

/* ---- the folder ------------------------------------------------------------------------------ */

/* An existing folder must be as a killed collector left it: private, of this user. */
static int use_folder(struct hooks *h)
{
	struct stat st;

	if (fstatat(h->dir, HOOKFILE_CONTROL, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return -EEXIST;
	return unlinkat(h->dir, HOOKFILE_CONTROL, 0) ? -errno : 0;
}

static int make_folder(struct hooks *h, const char *folder)
{
	const char *tmp = getenv("TMPDIR");
	bool fresh = true;
	struct stat st;
	int err;

	if (folder) {
		h->folder = strdup(folder);
		if (!h->folder)
			return -ENOMEM;
		fresh = !mkdir(folder, 0700);
		if (!fresh && errno != EEXIST)
			return -errno;
	} else {
		if (!tmp || !*tmp)
			tmp = "/tmp";
		if (asprintf(&h->folder, "%s/pitrace-hooks.XXXXXX", tmp) < 0) {
			h->folder = NULL;
			return -ENOMEM;
		}
		if (!mkdtemp(h->folder))
			return -errno;
	}
	h->dir = open(h->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (h->dir < 0 || fstat(h->dir, &st))
		return -errno;
	/* Files of others are neither used nor removed. */
	if (fresh ? st.st_uid != geteuid() :
		    st.st_mode & 077 || (st.st_uid != geteuid() && st.st_uid != h->owner))
		return -EPERM;
	err = fresh ? 0 : use_folder(h);
	if (err)
		return err;
	h->made = true;
	h->fresh = fresh;
	h->control_fd = openat(h->dir, HOOKFILE_CONTROL,
			       O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (h->control_fd < 0 || fchmod(h->control_fd, 0644) || fchmod(h->dir, 0700))
		return -errno;
	if (h->owner != geteuid() && fchown(h->dir, h->owner, (gid_t)-1))
		return -errno;
	return 0;
}

static DIR *list(const struct hooks *h)
{
	int fd = openat(h->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d && fd >= 0)
		close(fd);
	return d;
}

/* Before the control file announces a listener. */
static int make_socket(struct hooks *h)
{
	unlinkat(h->dir, HOOKFILE_SOCKET, 0); /* left over, like the control file */
	h->announce_fd = hookfile_socket(h->dir, h->owner);
	return h->announce_fd < 0 ? h->announce_fd : 0;
}

static int put_control(struct hooks *h)
{
	const struct hookfile_control c = h->control;
	ssize_t n = pwrite(h->control_fd, &c, sizeof(c), 0);

	return n == (ssize_t)sizeof(c) ? 0 : n < 0 ? -errno : -ENOSPC;
}

struct hooks *hooks_new(const char *folder, uid_t owner, uint64_t bytes, uint32_t session)
{
	struct hooks *h = calloc(1, sizeof(*h));
	uint64_t slots = bytes / SLOT_BYTES;
	int err = 0;

	if (!h)
		return NULL;
	h->dir = h->control_fd = h->announce_fd = -1;
	h->owner = owner == (uid_t)-1 ? geteuid() : owner;
	h->session = session + HOOKS_SESSION;
	h->ncpus = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
	h->control = (struct hookfile_control){
		.magic = HOOKFILE_MAGIC,
		.version = HOOKFILE_VERSION,
		.slot_bytes = SLOT_BYTES,
		.slots = (uint32_t)(slots < 2                  ? 2 :
				    slots > HOOKFILE_SLOTS_MAX ? HOOKFILE_SLOTS_MAX :
								 slots),
	};
	for (int ring = 0; ring < PITRACE_RINGS && !err; ring++) {
		h->out[ring] = calloc(h->ncpus, sizeof(*h->out[ring]));
		err = h->out[ring] ? 0 : -ENOMEM;
	}
	if (!err)
		err = make_folder(h, folder);
	if (!err)
		err = make_socket(h);
	if (!err)
		err = put_control(h);
	if (err) {
		hooks_free(h);
		errno = -err;
		return NULL;
	}
	return h;
}

const char *hooks_folder(const struct hooks *h)
{
	return h->folder;
}

/* Resets the state of an interval: rings, losses. */
static void begin_interval(struct hooks *h)
{
	for (int ring = 0; ring < PITRACE_RINGS; ring++) {
		for (uint32_t c = 0; c < h->ncpus; c++) {
			segment_free(&h->out[ring][c]);
			h->out[ring][c] = (struct segment_out){
				.session = h->session,
				.cpu = c,
				.ring = (uint16_t)ring,
				.size = RING_BYTES,
			};
		}
		h->last[ring] = 0;
	}
	h->lost = h->reported = 0;
	h->since = now_ns();
}

int hooks_listen(struct hooks *h, const uint64_t majors[PITRACE_MAJORS / 64])
{
	uint64_t *m = h->control.majors;

	memset(m, 0, sizeof(h->control.majors));
	if (majors) {
		begin_interval(h);
		m[PITRACE_MTE / 64] = 1ull << PITRACE_MTE % 64;
		m[PITRACE_HOOKIT / 64] |= majors[PITRACE_HOOKIT / 64] & 1ull << PITRACE_HOOKIT % 64;
		m[3] = majors[3] & ~0ull << PITRACE_USER_FIRST % 64;
		memcpy(h->majors, m, sizeof(h->majors));
	}
	return put_control(h);
}

int hooks_pause(struct hooks *h, bool pause)
{
	uint64_t *m = h->control.majors;

	memcpy(m, h->majors, sizeof(h->majors));
	if (pause)
		m[2] = m[3] = 0;
	return put_control(h);
}

/* ---- what a process wrote -------------------------------------------------------------------- */

static void forget(struct hooks *h, size_t i)
{
	struct process *p = h->process[i];

	/* Frees its memory now, even while the process maps it. */
	if (fallocate(p->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, HOOKFILE_DATA,
		      (off_t)h->control.slots * h->control.slot_bytes))
		errno = 0; /* file systems without hole punching */
	unlinkat(h->dir, p->name, 0);
	close(p->fd);
	free(p);
	h->process[i] = h->process[--h->nprocesses];
}

static struct process *find(const struct hooks *h, const char *name)
{
	for (size_t i = 0; i < h->nprocesses; i++)
		if (!strcmp(h->process[i]->name, name))
			return h->process[i];
	return NULL;
}

/* Parses PID.N, nothing else. */
static pid_t pid_of(const char *name)
{
	char *end;
	long pid = *name >= '1' && *name <= '9' ? strtol(name, &end, 10) : 0;

	if (pid < 1 || pid > 1 << 30 || *end != '.' || strlen(name) >= 32 ||
	    strspn(end + 1, "0123456789") != strlen(end + 1))
		return 0;
	return (pid_t)pid;
}

/* From a folder that existed before only files made by a collector or its programs are removed. */
static void remove_file(const struct hooks *h, const char *name)
{
	struct stat st;

	if (h->fresh ||
	    ((pid_of(name) || !strcmp(name, HOOKFILE_CONTROL) || !strcmp(name, HOOKFILE_SOCKET)) &&
	     !fstatat(h->dir, name, &st, AT_SYMLINK_NOFOLLOW) &&
	     (S_ISREG(st.st_mode) || S_ISSOCK(st.st_mode))))
		unlinkat(h->dir, name, 0);
}

static void remove_folder(struct hooks *h)
{
	DIR *d = list(h);
	struct stat st, named;
	struct dirent *e;

	while (d && (e = readdir(d)))
		remove_file(h, e->d_name);
	if (d)
		closedir(d);
	if (!fstat(h->dir, &st) && !lstat(h->folder, &named) && st.st_dev == named.st_dev &&
	    st.st_ino == named.st_ino)
		rmdir(h->folder); /* fails if there is something else in it */
}

/* Opens a file of this user with a header; each file under one name only. */
static bool honest(const struct hooks *h, int fd, const struct stat *st)
{
	struct hookfile_header header;

	return st->st_uid == h->owner && st->st_nlink == 1 &&
	       pread(fd, &header, sizeof(header), 0) == (ssize_t)sizeof(header) &&
	       header.magic == HOOKFILE_MAGIC && header.version == HOOKFILE_VERSION;
}

static int take(struct hooks *h, const char *name, pid_t pid, int fd)
{
	struct process *p = calloc(1, sizeof(*p) + h->control.slots * sizeof(p->done[0]));

	if (!p) {
		close(fd);
		return -ENOMEM;
	}
	memcpy(p->name, name, strlen(name) + 1); /* pid_of() has checked the length */
	p->pid = pid;
	p->fd = fd;
	h->process[h->nprocesses++] = p;
	return 0;
}

/* by: the announcing process, 0: none */
static int accept_file(struct hooks *h, const char *name, pid_t by)
{
	pid_t pid = pid_of(name);
	struct process *p = find(h, name);
	struct stat st;
	int fd;

	if (p && by)
		p->pid = by;
	if (!pid || p || h->nprocesses == FILES)
		return 0;
	fd = regular_reopen_for(openat(h->dir, name, REGULAR_HOLD | O_NOFOLLOW), O_RDWR, &st);
	if (fd < 0)
		return 0;
	/* It may be being created; if not, it is examined in vain each time. */
	if (!honest(h, fd, &st) || !(by || hookfile_of_process(pid, h->owner, &st))) {
		h->unready = true;
		close(fd);
		return 0;
	}
	return take(h, name, by ? by : pid, fd);
}

int hooks_fd(const struct hooks *h)
{
	return h->nprocesses < FILES ? h->announce_fd : -1;
}

int hooks_accept(struct hooks *h)
{
	char name[HOOKFILE_NAME];
	pid_t pid;
	uid_t uid;
	int err = 0;

	/* A flood of announcements is continued at the next scan. */
	for (int i = 0; !err && i < FILES && h->nprocesses < FILES; i++) {
		if (!hookfile_announced(h->announce_fd, name, &pid, &uid))
			break;
		if (uid == h->owner)
			err = accept_file(h, name, pid);
	}
	return err;
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
		h->listing = list(h);
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

/* Checks that TraceHook may write this record, and that its major is recorded. */
static bool proper(const struct hooks *h, const struct record *r)
{
	const uint8_t *p = r->data;
	struct pitrace_user u;
	size_t sum;

	if (r->type != PITRACE_TYPE_MIXED || r->size < sizeof(u) ||
	    r->size > PITRACE_USER_MAX - sizeof(struct pitrace_rec) || r->major >= PITRACE_MAJORS ||
	    !(h->majors[r->major / 64] >> (r->major & 63) & 1) || r->stamp < h->since)
		return false;
	if (r->major == PITRACE_MTE && r->minor != PITRACE_MTE_JIT &&
	    r->minor != PITRACE_MTE_JAVA_THREAD)
		return false;
	memcpy(&u, p, sizeof(u));
	sum = sizeof(u) + u.ints * sizeof(uint64_t);
	if (sum + u.strs * sizeof(uint32_t) > r->size)
		return false;
	for (const uint8_t *length = p + sum; u.strs; u.strs--, length += sizeof(uint32_t)) {
		uint32_t n;

		memcpy(&n, length, sizeof(n));
		sum += sizeof(n);
		if (n > r->size - sum)
			return false;
		sum += n;
	}
	return sum <= r->size;
}

static int keep(struct hooks *h, const struct process *p, const struct record *r)
{
	int ring = r->major == PITRACE_MTE ? PITRACE_RING_MTE : PITRACE_RING_TRACE, err;
	struct pending *q;
	struct pitrace_user u;
	uint8_t *data;

	err = grow(&h->bytes, h->nbytes + r->size);
	if (!err)
		err = grow(&h->index[ring], (h->n[ring] + 1) * sizeof(*q));
	if (err)
		return err;
	q = (struct pending *)h->index[ring].data + h->n[ring]++;
	*q = (struct pending){
		.stamp = r->stamp,
		.at = h->nbytes,
		.minor = r->minor,
		.size = r->size,
		.major = r->major,
	};
	data = (uint8_t *)h->bytes.data + h->nbytes;
	memcpy(&u, r->data, sizeof(u));
	u.pid = (uint32_t)p->pid;
	u.uid = h->owner;
	if (u.cpu >= h->ncpus)
		u.cpu = 0;
	memcpy(data, &u, sizeof(u));
	memcpy(data + sizeof(u), (const uint8_t *)r->data + sizeof(u), r->size - sizeof(u));
	h->nbytes += r->size;
	return 0;
}

/* Reads new records of a slot that are not younger than the read of the first slot: otherwise a
 * thread that moved to another slot meanwhile would come out of order. */
static int read_records(struct hooks *h, struct process *p, uint32_t slot, uint32_t used)
{
	struct pitrace_segment segment;
	struct record_walk w;
	struct record r;
	int err = 0;

	if (used > h->control.slot_bytes)
		used = h->control.slot_bytes;
	if (grow(&h->slot, h->control.slot_bytes))
		return -ENOMEM;
	h->nread += used;
	if (pread(p->fd, h->slot.data, used, HOOKFILE_DATA + (off_t)slot * h->control.slot_bytes) !=
		    (ssize_t)used ||
	    record_walk_begin(&w, h->slot.data, used, &segment)) {
		p->done[slot] = used;
		return 0;
	}
	while (!err) {
		size_t at = w.b.at;

		if (record_next(&w, &r) <= 0) {
			p->done[slot] = used;
			break;
		}
		if (at < p->done[slot])
			continue;
		if (r.stamp > h->until) {
			p->done[slot] = (uint32_t)at;
			break;
		}
		if (proper(h, &r))
			err = keep(h, p, &r);
	}
	return err;
}

static off_t slot_at(uint32_t slot, size_t field)
{
	return (off_t)(sizeof(struct hookfile_header) + field) +
	       (off_t)slot * (off_t)sizeof(struct hookfile_slot);
}

static void free_slot(const struct process *p, uint32_t slot)
{
	off_t used = slot_at(slot, offsetof(struct hookfile_slot, used));
	off_t byte = slot_at(slot, PIFILE_ORDER == htobe32(PIFILE_ORDER) ? 3 : 0);
	uint32_t none = 0;
	uint8_t state = HOOKFILE_FREE;

	/* Clear `used` first, so that the next owner finds the slot empty. The state is one byte.
	 * */
	if (pwrite(p->fd, &none, sizeof(none), used) < 0 || pwrite(p->fd, &state, 1, byte) < 0)
		return; /* the slot stays unusable */
}

static bool read_slot(const struct process *p, uint32_t slot, struct hookfile_slot *s)
{
	return pread(p->fd, s, sizeof(*s), slot_at(slot, 0)) == (ssize_t)sizeof(*s);
}

/* Continues at the slot at which the last drain stopped; whole: to the last. */
static int read_process(struct hooks *h, struct process *p, bool *whole)
{
	size_t size = (size_t)slot_at(h->control.slots, 0);
	const struct hookfile_header *t;
	int err = grow(&h->table, size);

	*whole = true;
	if (err || pread(p->fd, h->table.data, size, 0) != (ssize_t)size)
		return err;
	t = h->table.data;
	if (t->lost > p->lost) {
		h->lost += t->lost - p->lost;
		p->lost = t->lost;
	}
	h->nread += size;
	for (uint32_t i = h->next_slot; i < h->control.slots && !err; i++) {
		struct hookfile_slot s;

		if (t->slot[i].state == HOOKFILE_FREE)
			continue;
		if (h->nread >= READ_MAX) {
			h->next_slot = i;
			*whole = false;
			return 0;
		}
		/* A read concurrent with a store may be torn: use what two reads agree on. A slot
		 * that was full at the first read is complete at the second. */
		if (!read_slot(p, i, &s) ||
		    (t->slot[i].state != HOOKFILE_FULL && s.used != t->slot[i].used))
			if (!read_slot(p, i, &s))
				continue;
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		if (s.used > p->done[i])
			err = read_records(h, p, i, s.used);
		if (t->slot[i].state == HOOKFILE_FULL && p->done[i] >= s.used) {
			p->done[i] = 0;
			free_slot(p, i);
		}
	}
	return err;
}

/* A process that has exited by now has written all that this scan reads, and nothing after it. */
static void begin_scan(struct hooks *h)
{
	for (size_t i = 0; i < h->nprocesses; i++)
		h->process[i]->gone = kill(h->process[i]->pid, 0) && errno == ESRCH;
	h->until = now_ns();
	h->next = 0;
	h->next_slot = 0;
	h->scanning = true;
}

/* A scan covers all processes and reads what was written before it began, over several drains if it
 * is long. Its records are sorted as a whole, whatever slots they lay in. */
int hooks_collect(struct hooks *h)
{
	bool begun = h->scanning;
	int err = hooks_accept(h);

	if (!err)
		err = accept_all(h);
	if (!begun)
		begin_scan(h);
	h->nread = 0;
	while (h->next < h->nprocesses && !err && h->nread < READ_MAX) {
		struct process *p = h->process[h->next];
		bool whole;

		err = read_process(h, p, &whole);
		if (!whole)
			break;
		h->next_slot = 0;
		if (p->gone && !err)
			forget(h, h->next); /* the last one takes its place */
		else
			h->next++;
	}
	h->scanning = h->next < h->nprocesses;
	h->nheld += h->nread;
	/* Records written since a long scan began belong to the next one. */
	h->rest = h->scanning || begun;
	return err;
}

bool hooks_listening(const struct hooks *h)
{
	return h->control.majors[PITRACE_MTE / 64] >> PITRACE_MTE % 64 & 1;
}

bool hooks_pending(const struct hooks *h)
{
	return h->rest || h->listing;
}

/* ---- what goes into the trace ---------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
	const struct pending *x = a, *y = b;

	if (x->stamp != y->stamp)
		return x->stamp < y->stamp ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Stamps are unique: equal ones on two CPUs would have no order. */
static uint64_t next_stamp(struct hooks *h, int ring, uint64_t stamp)
{
	if (stamp <= h->last[ring])
		stamp = h->last[ring] + 1;
	h->last[ring] = stamp;
	return stamp;
}

/* Losses for lack of a slot are reported in CPU 0's ring: their CPU is unknown. */
static int write_lost(struct hooks *h, segment_sink sink, void *arg)
{
	struct segment_out *o = &h->out[PITRACE_RING_TRACE][0];
	uint64_t count = h->lost - h->reported;
	struct pitrace_lost_rec lost = {
		.count = (uint32_t)(count > UINT32_MAX ? UINT32_MAX : count),
		.total = h->lost,
	};
	void *p;
	int err;

	if (!count)
		return 0;
	p = segment_put(o, PITRACE_LOST, PITRACE_LOST_USER, PITRACE_TYPE_STRUCT, sizeof(lost),
			next_stamp(h, PITRACE_RING_TRACE, h->since), sink, arg, &err);
	if (!p)
		return err;
	memcpy(p, &lost, sizeof(lost));
	h->reported = o->lost = h->lost;
	return 0;
}

int hooks_drain(struct hooks *h, int ring, bool all, segment_sink sink, void *arg)
{
	struct pending *q = h->index[ring].data;
	int err = 0;

	if (h->scanning && h->nheld < HOLD_MAX)
		return 0;
	if (h->n[ring])
		qsort(q, h->n[ring], sizeof(*q), by_time);
	for (size_t i = 0; i < h->n[ring] && !err; i++) {
		const uint8_t *data = (const uint8_t *)h->bytes.data + q[i].at;
		struct pitrace_user u;
		void *p;

		memcpy(&u, data, sizeof(u));
		p = segment_put(&h->out[ring][u.cpu], q[i].major, q[i].minor, PITRACE_TYPE_MIXED,
				q[i].size, next_stamp(h, ring, q[i].stamp), sink, arg, &err);
		if (p)
			memcpy(p, data, q[i].size);
	}
	h->n[ring] = 0;
	if (!h->n[PITRACE_RING_MTE] && !h->n[PITRACE_RING_TRACE])
		h->nbytes = h->nheld = 0;
	if (!err && ring == PITRACE_RING_TRACE)
		err = write_lost(h, sink, arg);
	if (all || ring == PITRACE_RING_MTE)
		for (uint32_t c = 0; c < h->ncpus && !err; c++)
			err = segment_close(&h->out[ring][c], sink, arg);
	return err;
}

uint64_t hooks_lost(const struct hooks *h)
{
	return h->lost;
}

void hooks_free(struct hooks *h)
{
	if (!h)
		return;
	if (h->control_fd >= 0) {
		memset(h->control.majors, 0, sizeof(h->control.majors));
		h->control.gone = 1;
		put_control(h);
		close(h->control_fd);
	}
	if (h->announce_fd >= 0)
		close(h->announce_fd);
	while (h->nprocesses)
		forget(h, h->nprocesses - 1);
	if (h->listing)
		closedir(h->listing);
	if (h->made)
		remove_folder(h);
	if (h->dir >= 0)
		close(h->dir);
	for (int ring = 0; ring < PITRACE_RINGS; ring++) {
		for (uint32_t c = 0; h->out[ring] && c < h->ncpus; c++)
			segment_free(&h->out[ring][c]);
		free(h->out[ring]);
		free(h->index[ring].data);
	}
	free(h->slot.data);
	free(h->bytes.data);
	free(h->table.data);
	free(h->folder);
	free(h);
}
