/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzz: a hook file as its process may write it, read while the process lives and once more when it
 * is gone. The input: a byte of flags, four lengths, the table of slots before each reading
 * (states, positions from the slots' begin), the slots' records, and (ODD_NAME) the file's name.
 * The output must be complete segments with ascending stamps.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz_clock.h"
#include "fuzz_input.h"
#include "fuzz_segment.h"
#include "hook/hook_clock.h"
#include "hook/hookfile_owner.h"

#define SLOTS      4 /* and slot 0 */
#define SLOT_AT(i) (HOOKFILE_DATA + ((off_t)(i) + 1) * 32768)

enum { ODD_NAME = 1, CUT = 2, FOREIGN = 4, LINKED = 8, PAUSED = 16, STRANGER = 32 };

struct head {
	uint8_t flags;
	uint16_t length[SLOTS];
	struct {
		uint64_t lost;
		struct {
			uint32_t state, used;
		} slot[SLOTS];
	} table[2];
} __attribute__((packed));

static char folder[64];
static struct hooks *hooks;
/* The newest stamp so far, and that of the last time that all segments went out. */
static uint64_t newest[PITRACE_RINGS], last[PITRACE_RINGS];

static void leave(void)
{
	hooks_free(hooks);
	hooks = NULL;
}

/* Only what a program may write, of whom the file system says that it is. */
static void check(const struct record *r)
{
	const uint8_t *p = r->data;
	struct pitrace_user u;
	uint64_t bytes = sizeof(u);

	if (r->type != PITRACE_TYPE_MIXED || r->size < bytes)
		abort();
	memcpy(&u, p, sizeof(u));
	bytes += 8ull * u.ints + 4ull * u.strs;
	if (bytes > r->size)
		abort();
	for (uint32_t i = 0; i < u.strs; i++) {
		uint32_t length;

		memcpy(&length, p + sizeof(u) + 8u * u.ints + 4 * i, sizeof(length));
		bytes += length;
	}
	if (bytes > r->size || u.uid != geteuid() || !u.pid ||
	    u.cpu >= (uint32_t)sysconf(_SC_NPROCESSORS_CONF))
		abort();
	if (r->major == PITRACE_MTE ? r->minor < PITRACE_MTE_JIT || r->minor > PITRACE_MTE_DECLARE :
				      r->major != PITRACE_HOOKIT && r->major != PITRACE_NAMED &&
					      r->major < PITRACE_USER_FIRST)
		abort();
}

/* Across the CPUs' rings, too, no record precedes those of an earlier drain. */
static void record(const struct pitrace_segment *h, const struct record *r)
{
	if (r->stamp < FUZZ_START || r->stamp <= last[h->ring])
		abort();
	if (r->stamp > newest[h->ring])
		newest[h->ring] = r->stamp;
	if (r->major != PITRACE_LOST)
		check(r);
}

static void put_table(int fd, const struct head *head, unsigned int which)
{
	struct hookfile_control control;
	struct hookfile_header h = {
		.magic = HOOKFILE_MAGIC,
		.version = HOOKFILE_VERSION,
		.lost = head->table[which].lost,
		.table = SLOTS + 1,
	};
	struct hookfile_slot slot[SLOTS] = { 0 };
	char path[100];
	int page;

	snprintf(path, sizeof(path), "%s/" HOOKFILE_CONTROL, folder);
	page = open(path, O_RDONLY | O_CLOEXEC);
	if (page < 0 || read(page, &control, sizeof(control)) != (ssize_t)sizeof(control))
		abort();
	close(page);
	h.generation = control.generation;
	if (head->flags & FOREIGN)
		h.version = (uint32_t)head->table[0].lost;
	for (unsigned int i = 0; i < SLOTS; i++) {
		slot[i].state = head->table[which].slot[i].state;
		slot[i].position = head->table[which].slot[i].used;
		slot[i].stamp = head->table[which].lost;
	}
	if (pwrite(fd, &h, sizeof(h), 0) != (ssize_t)sizeof(h) ||
	    pwrite(fd, slot, sizeof(slot), HOOKFILE_TABLE + sizeof(slot[0])) !=
		    (ssize_t)sizeof(slot))
		abort();
}

static void drain(bool all)
{
	struct fuzz_sink sink = { record };

	if (hooks_collect(hooks) ||
	    hooks_drain(hooks, PITRACE_RING_MTE, all, fuzz_segment, &sink) ||
	    hooks_drain(hooks, PITRACE_RING_TRACE, all, fuzz_segment, &sink))
		abort();
	last[PITRACE_RING_MTE] = newest[PITRACE_RING_MTE];
	if (all)
		last[PITRACE_RING_TRACE] = newest[PITRACE_RING_TRACE];
}

static void name_of(char name[256], const struct head *head, struct fuzz_input *in)
{
	size_t n;

	snprintf(name, 256, "%s/%u.0", folder, 99999999);
	if (!(head->flags & ODD_NAME))
		return;
	n = strlen(folder) + 1;
	fuzz_take(in, name + n, 40);
	for (size_t i = n; name[i]; i++)
		if (name[i] == '/')
			name[i] = '.';
	if (!name[n] || !strcmp(name + n, ".") || !strcmp(name + n, "..") ||
	    !strcmp(name + n, HOOKFILE_CONTROL))
		strcpy(name + n, "1.1");
}

/* Its processes are not the kernel's. */
int hookfile_socket(int dir, uid_t user)
{
	(void)dir, (void)user;
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

bool hookfile_announced(int socket, char name[HOOKFILE_NAME], pid_t *pid, uid_t *uid)
{
	(void)socket, (void)name, (void)pid, (void)uid;
	return false;
}

bool hookfile_of_process(pid_t pid, uid_t user, const struct stat *file)
{
	(void)pid, (void)user, (void)file;
	return true;
}

/* The clock is the target's own. */
void hook_clock_begin(struct hook_clock *c)
{
	c->tsc = false;
}

bool hook_clock_be_raw(struct hook_clock *c)
{
	(void)c;
	return false;
}

void hook_clock_restart(struct hook_clock *c)
{
	(void)c;
}

uint64_t hook_clock_pair(struct hook_clock *c)
{
	(void)c;
	return fuzz_now;
}

uint64_t hook_clock_ns(struct hook_clock *c, uint64_t stamp)
{
	(void)c;
	return stamp;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t majors[PITRACE_MAJORS / 64] = { [2] = ~0ull, [3] = ~0ull };
	static uint8_t segment[65536];
	struct fuzz_input in = { data, size };
	char name[256], other[300];
	struct head head;
	int fd;

	if (!hooks) {
		fuzz_folder(folder);
		hooks = hooks_new(folder, (uid_t)-1, SLOTS * 32768 / HOOKS_SHARE, 1);
		if (!hooks)
			abort();
		atexit(leave);
	}
	fuzz_now = FUZZ_START;
	fuzz_alive = true;
	memset(newest, 0, sizeof(newest));
	memset(last, 0, sizeof(last));
	fuzz_take(&in, &head, sizeof(head));
	if (hooks_listen(hooks, majors) || (head.flags & PAUSED && hooks_pause(hooks, true)))
		abort();
	/* The slots first, then the name, which reaches as far as the input does. */
	{
		struct fuzz_input tail = in;

		for (unsigned int i = 0; i < SLOTS; i++)
			fuzz_take(&tail, segment, head.length[i]);
		name_of(name, &head, &tail);
	}
	fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		abort();
	for (unsigned int i = 0; i < SLOTS; i++) {
		size_t n = fuzz_take(&in, segment, head.length[i]);

		if (pwrite(fd, segment, n, SLOT_AT(i)) != (ssize_t)n)
			abort();
	}
	put_table(fd, &head, 0);
	snprintf(other, sizeof(other), "%s.other", name);
	if (head.flags & LINKED && link(name, other))
		abort();
	if (head.flags & STRANGER && geteuid() == 0 && fchown(fd, 12345, (gid_t)-1))
		abort();
	if (!(head.flags & CUT) && ftruncate(fd, SLOT_AT(SLOTS)))
		abort();
	fuzz_now += 0x80000000;
	drain(false);
	if (head.flags & CUT && ftruncate(fd, HOOKFILE_DATA + head.length[1]))
		abort();
	put_table(fd, &head, 1);
	fuzz_now += 0x80000000;
	drain(true);
	/* Gone: read to the end, and forgotten. */
	fuzz_alive = false;
	drain(true);
	/* Also what was begun and is not complete. */
	if (head.table[0].lost == 0 && head.table[1].lost == 0 &&
	    hooks_lost(hooks) > SLOTS * 32768 / 8)
		abort();
	hooks_listen(hooks, NULL);
	close(fd);
	unlink(name);
	if (head.flags & LINKED)
		unlink(other);
	return 0;
}
