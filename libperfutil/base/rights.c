/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Acting with another user's rights, by raw system calls: the C library's setgroups and similar
 * functions change all threads.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/openat2.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/regular.h"
#include "base/rights.h"
#include "base/text.h"

#define STATUS_MAX 16384
#define CAP(name)  (1ull << (name))
/* The capabilities that setfsuid drops when root gives up fsuid 0. */
#define OVERRULES                                                                              \
	(CAP(CAP_CHOWN) | CAP(CAP_DAC_OVERRIDE) | CAP(CAP_DAC_READ_SEARCH) | CAP(CAP_FOWNER) | \
	 CAP(CAP_FSETID) | CAP(CAP_LINUX_IMMUTABLE) | CAP(CAP_MKNOD) | CAP(CAP_MAC_OVERRIDE))

/* ---- rights of processes and users -------------------------------------------------------------
 * */

/* Skips the key of a line of status; false: another key. */
static bool begins(struct bytes *l, const char *key)
{
	const char *word;
	size_t n;

	return text_word(l, &word, &n) && n == strlen(key) && !memcmp(word, key, n);
}

static bool id_at(struct bytes *l, uint64_t *id)
{
	text_skip_blanks(l);
	return text_number(l, 10, id) && *id < UINT32_MAX;
}

static uint64_t mask_at(struct bytes *l)
{
	uint64_t mask;

	text_skip_blanks(l);
	return text_number(l, 16, &mask) ? mask : 0;
}

struct status_fields {
	uint64_t uid[4], gid[4]; /* real, effective, saved, file system */
	bool has_uid, has_gid;
	uint64_t permitted, ambient; /* all capabilities */
};

static bool four_ids(struct bytes *l, uint64_t id[4])
{
	for (int i = 0; i < 4; i++)
		if (!id_at(l, &id[i]))
			return false;
	return true;
}

static void read_line(struct bytes line, struct status_fields *t, struct rights *r)
{
	struct bytes l = line;
	uint64_t n;

	if (begins(&l, "Uid:"))
		t->has_uid = four_ids(&l, t->uid);
	else if (l = line, begins(&l, "Gid:"))
		t->has_gid = four_ids(&l, t->gid);
	else if (l = line, begins(&l, "Groups:"))
		while (r->ngroups < RIGHTS_GROUPS && id_at(&l, &n))
			r->groups[r->ngroups++] = (gid_t)n;
	else if (l = line, begins(&l, "CapEff:"))
		r->capabilities = mask_at(&l) & OVERRULES;
	else if (l = line, begins(&l, "CapPrm:"))
		t->permitted = mask_at(&l);
	else if (l = line, begins(&l, "CapAmb:"))
		t->ambient = mask_at(&l);
}

static int read_status(pid_t pid, char *text)
{
	char name[64];
	size_t size = 0;
	ssize_t n = 1;
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/status", pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (size < STATUS_MAX && (n = read(fd, text + size, STATUS_MAX - size)) > 0)
		size += (size_t)n;
	close(fd);
	return n < 0 ? -ESRCH : (int)size;
}

/* Capabilities of another user namespace are not valid here. */
static bool in_our_namespace(pid_t pid)
{
	struct stat own, its;
	char name[64];

	snprintf(name, sizeof(name), "/proc/%d/ns/user", pid);
	return !stat("/proc/self/ns/user", &own) && !stat(name, &its) && own.st_ino == its.st_ino &&
	       own.st_dev == its.st_dev;
}

static int process_status(pid_t pid, struct status_fields *t, struct rights *r)
{
	char text[STATUS_MAX];
	int size = read_status(pid, text);
	struct bytes b = bytes_of(text, size > 0 ? (size_t)size : 0);
	const char *line;
	size_t length;
	bool root;

	*r = (struct rights){ 0 };
	*t = (struct status_fields){ 0 };
	if (size < 0)
		return size;
	while (bytes_line(&b, &line, &length))
		read_line(bytes_of(line, length), t, r);
	if (!t->has_uid || !t->has_gid)
		return -ESRCH;
	/* Root may use another user's ids. Any other process whose file system ids have more rights
	 * gained them by exec. */
	root = !t->uid[0];
	r->uid = (uid_t)(root ? t->uid[3] : t->uid[0]);
	r->gid = (gid_t)(root ? t->gid[3] : t->gid[0]);
	if (r->uid || !r->capabilities || !in_our_namespace(pid))
		r->capabilities = 0;
	return 0;
}

int rights_of_process(pid_t pid, struct rights *r)
{
	struct status_fields t;

	return process_status(pid, &t, r);
}

static bool all_the_same(const uint64_t id[4])
{
	return id[0] == id[1] && id[0] == id[2] && id[0] == id[3];
}

bool rights_gained(pid_t pid)
{
	struct rights r;
	struct status_fields t;
	char name[64];
	int fd;

	if (process_status(pid, &t, &r) || !all_the_same(t.uid) || !all_the_same(t.gid))
		return true;
	/* In its own user namespace a process has all capabilities. */
	if (t.uid[0] && t.permitted & ~t.ambient && in_our_namespace(pid))
		return true;
	snprintf(name, sizeof(name), "/proc/%d/exe", pid);
	fd = rights_reopen(&r, open(name, REGULAR_HOLD), NULL);
	if (fd < 0)
		return true;
	close(fd);
	return false;
}

void rights_of_user(uid_t uid, gid_t gid, struct rights *r)
{
	struct passwd *pw = getpwuid(uid);
	int n = RIGHTS_GROUPS;

	*r = (struct rights){ .uid = uid,
			      .gid = gid,
			      .ngroups = 1,
			      .groups = { gid },
			      .capabilities = uid ? 0 : OVERRULES };
	if (pw) {
		getgrouplist(pw->pw_name, gid, r->groups, &n);
		r->ngroups = n < RIGHTS_GROUPS ? n : RIGHTS_GROUPS;
	}
}

/* ---- taking and restoring ----------------------------------------------------------------------
 * */

static bool capabilities(uint64_t *effective, uint64_t *permitted, uint64_t *inheritable)
{
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct d[2];

	if (syscall(SYS_capget, &h, d))
		return false;
	*effective = d[0].effective | (uint64_t)d[1].effective << 32;
	*permitted = d[0].permitted | (uint64_t)d[1].permitted << 32;
	*inheritable = d[0].inheritable | (uint64_t)d[1].inheritable << 32;
	return true;
}

static bool set_effective(uint64_t effective)
{
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct d[2];
	uint64_t have, permitted, inheritable;

	if (!capabilities(&have, &permitted, &inheritable))
		return false;
	if (have == effective)
		return true;
	for (int i = 0; i < 2; i++)
		d[i] = (struct __user_cap_data_struct){
			.effective = (uint32_t)(effective >> 32 * i),
			.permitted = (uint32_t)(permitted >> 32 * i),
			.inheritable = (uint32_t)(inheritable >> 32 * i),
		};
	return !syscall(SYS_capset, &h, d);
}

static uid_t files_uid(void)
{
	return (uid_t)syscall(SYS_setfsuid, (uid_t)-1);
}

static gid_t files_gid(void)
{
	return (gid_t)syscall(SYS_setfsgid, (gid_t)-1);
}

static bool same_groups(const struct rights *r, const struct rights_saved *k)
{
	return r->ngroups == k->ngroups &&
	       (!k->ngroups || !memcmp(r->groups, k->groups, (size_t)k->ngroups * sizeof(gid_t)));
}

static bool change(const struct rights *r, struct rights_saved *k)
{
	k->ngroups = (int)syscall(SYS_getgroups, 0, NULL);
	k->groups = malloc(((size_t)k->ngroups + 1) * sizeof(gid_t));
	if (!k->groups || syscall(SYS_getgroups, k->ngroups, k->groups) != k->ngroups) {
		free(k->groups);
		k->groups = NULL;
		return false;
	}
	k->changed = true;
	k->regrouped = !same_groups(r, k);
	if (k->regrouped && syscall(SYS_setgroups, (long)r->ngroups, r->groups)) {
		k->regrouped = false;
		return false;
	}
	syscall(SYS_setfsgid, r->gid);
	syscall(SYS_setfsuid, r->uid);
	return files_uid() == r->uid && files_gid() == r->gid;
}

int rights_take(const struct rights *r, struct rights_saved *k)
{
	const uint64_t needed = CAP(CAP_SETUID) | CAP(CAP_SETGID);
	uint64_t effective, unused;
	bool done = true;

	*k = (struct rights_saved){ .uid = files_uid(), .gid = files_gid() };
	if (!r)
		return 0;
	if (!capabilities(&effective, &unused, &unused))
		return -EPERM;
	k->capabilities = effective;
	if ((effective & needed) == needed)
		done = change(r, k);
	/* Needed also for processes that have some of these capabilities and nothing else. */
	if (done && effective & OVERRULES & ~r->capabilities) {
		k->lowered = true;
		done = set_effective(effective & ~(OVERRULES & ~r->capabilities));
	}
	if (done)
		return 0;
	rights_restore(k);
	return -EPERM;
}

void rights_restore(struct rights_saved *k)
{
	int err = errno;

	if (k->changed) {
		syscall(SYS_setfsuid, k->uid);
		syscall(SYS_setfsgid, k->gid);
		/* Rights that could be dropped can be restored; continuing without them is not an
		 * option. */
		if (files_uid() != k->uid || files_gid() != k->gid ||
		    (k->regrouped && syscall(SYS_setgroups, (long)k->ngroups, k->groups)))
			abort();
		free(k->groups);
		k->groups = NULL;
	}
	if ((k->changed || k->lowered) && !set_effective(k->capabilities))
		abort();
	k->changed = k->regrouped = k->lowered = false;
	errno = err;
}

/* ---- a process's files ----------------------------------------------------------------------- */

int rights_root(pid_t pid)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/%d/root", pid);
	return open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int rights_reopen(const struct rights *r, int path_fd, struct stat *st)
{
	struct rights_saved kept;
	int fd, err = path_fd < 0 ? 0 : rights_take(r, &kept);

	if (path_fd < 0)
		return -1;
	if (err) {
		close(path_fd);
		errno = -err;
		return -1;
	}
	fd = regular_reopen(path_fd, st);
	rights_restore(&kept);
	return fd;
}

int rights_open_below(const struct rights *r, int root, const char *path, struct stat *st)
{
	struct open_how how = {
		.flags = REGULAR_HOLD | O_NOFOLLOW,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	struct rights_saved kept;
	int path_fd, err = rights_take(r, &kept);

	if (err) {
		errno = -err;
		return -1;
	}
	path_fd = root < 0 ? open(path, (int)how.flags) :
			     (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	path_fd = regular_reopen(path_fd, st);
	rights_restore(&kept);
	return path_fd;
}
