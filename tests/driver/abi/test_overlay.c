// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Files of layered file systems: the record of a mapping has the values that its process sees, the
 * path in /proc/PID/maps and the inode of stat(), never a layer's; and addresses in such a file are
 * found where it is mapped. In a mount namespace of its own.
 */
#include <elf.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#include "abi.h"
#include "itrace.h"

#define BASE   "/run/layers"
#define MERGED BASE "/merged"
#define PROG   MERGED "/usr/bin/prog"
#define SECOND MERGED "/second"
#define CODE   (PROT_READ | PROT_EXEC)

static bool copy(const char *from, const char *to)
{
	static char buffer[64 * 1024];
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	ssize_t n = 0;

	while (in >= 0 && out >= 0 && (n = read(in, buffer, sizeof(buffer))) > 0)
		if (write(out, buffer, (size_t)n) != n)
			n = -1;
	close(in);
	return in >= 0 && out >= 0 && !n && !close(out);
}

static void tmpfs(const char *at)
{
	want(0, mkdir(at, 0755));
	want(0, mount("none", at, "tmpfs", 0, NULL));
}

static void overlay(const char *at, const char *options)
{
	want(0, mkdir(at, 0755));
	want(0, mount("none", at, "overlay", 0, options));
}

/* A file with the inode number of another file system's. */
static void same_number(const char *like, const char *dir, const char *name)
{
	char path[256], to[256];
	struct stat want_it, st = { 0 };
	int i;

	want(0, stat(like, &want_it));
	snprintf(to, sizeof(to), "%s/%s", dir, name);
	for (i = 0; i < 64 && st.st_ino != want_it.st_ino; i++) {
		snprintf(path, sizeof(path), "%s/pad%d", dir, i);
		close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755));
		want(0, stat(path, &st));
	}
	check(st.st_ino == want_it.st_ino);
	want(0, rename(path, to));
}

/* Two lower layers and an upper one, each a file system; and an overlay over that. */
static void make_layers(void)
{
	want(0, unshare(CLONE_NEWNS));
	want(0, mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
	mkdir(BASE, 0755);
	want(0, mount("none", BASE, "tmpfs", 0, NULL));
	tmpfs(BASE "/a");
	tmpfs(BASE "/b");
	tmpfs(BASE "/c");
	want(0, mkdir(BASE "/a/usr", 0755));
	want(0, mkdir(BASE "/a/usr/bin", 0755));
	check(copy("/proc/self/exe", BASE "/a/usr/bin/prog"));
	same_number(BASE "/a/usr/bin/prog", BASE "/b", "second");
	check(copy("/usr/local/bin/load", BASE "/b/second"));
	check(copy("/proc/self/exe", BASE "/b/gone"));
	check(copy("/proc/self/exe", BASE "/b/changed"));
	want(0, mkdir(BASE "/c/upper", 0755));
	want(0, mkdir(BASE "/c/work", 0755));
	overlay(MERGED,
		"lowerdir=" BASE "/b:" BASE "/a,upperdir=" BASE "/c/upper,workdir=" BASE "/c/work");
	check(copy("/proc/self/exe", MERGED "/made"));
	want(0, mkdir(BASE "/c/upper2", 0755));
	want(0, mkdir(BASE "/c/work2", 0755));
	overlay(BASE "/outer",
		"lowerdir=" MERGED ",upperdir=" BASE "/c/upper2,workdir=" BASE "/c/work2");
	/* One file system for all its layers: a file keeps its number when it is copied up. */
	want(0, mkdir(BASE "/c/upper3", 0755));
	want(0, mkdir(BASE "/c/work3", 0755));
	want(0, mkdir(BASE "/c/lower3", 0755));
	check(copy("/proc/self/exe", BASE "/c/lower3/kept"));
	overlay(BASE "/one",
		"lowerdir=" BASE "/c/lower3,upperdir=" BASE "/c/upper3,workdir=" BASE "/c/work3");
	close(open(BASE "/bound", O_WRONLY | O_CREAT | O_CLOEXEC, 0755));
	want(0, mount(PROG, BASE "/bound", NULL, MS_BIND, NULL));
	want(0, mkdir(BASE "/tree", 0755));
	want(0, mount(MERGED "/usr", BASE "/tree", NULL, MS_BIND, NULL));
}

/* `part` in a child with these mounts, which go with it. */
static void with_layers(void (*part)(void))
{
	pid_t pid;
	int status = -1;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		make_layers();
		if (!bad)
			part();
		fflush(stdout);
		_exit(bad != 0);
	}
	check(pid > 0 && waitpid(pid, &status, 0) == pid);
	if (status)
		wrong("with layers: status %#x", status);
	no_session_left();
}

/* ---- names ----------------------------------------------------------------------------------- */

struct mapped {
	uint32_t pid;
	uint64_t at;
	struct pitrace_mte_map told;
	char path[256];
	unsigned int n, ids;
	struct pitrace_mte_buildid id;
};

static void look_map(const struct pitrace_rec *rec, void *arg)
{
	const struct pitrace_mte_map *map = (const void *)(rec + 1);
	struct mapped *m = arg;

	if (rec->major != PITRACE_MTE || rec->minor != PITRACE_MTE_MODULE || map->pid != m->pid ||
	    map->start != m->at)
		return;
	m->told = *map;
	snprintf(m->path, sizeof(m->path), "%s", map->path);
	m->n++;
}

static void look_id(const struct pitrace_rec *rec, void *arg)
{
	const struct pitrace_mte_buildid *id = (const void *)(rec + 1);
	struct mapped *m = arg;

	if (rec->major != PITRACE_MTE || rec->minor != PITRACE_MTE_BUILDID ||
	    id->inode != m->told.inode || id->dev_major != m->told.dev_major ||
	    id->dev_minor != m->told.dev_minor || id->generation != m->told.generation)
		return;
	m->id = *id;
	m->ids++;
}

/* The device of what a file is mounted from, which maps has, too; stat() of some has another. */
static bool mounted_from(int fd, unsigned int *major_of, unsigned int *minor_of)
{
	struct statx stx;
	char line[1024];
	bool found = false;
	FILE *f;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &stx))
		return false;
	f = fopen("/proc/self/mountinfo", "re");
	while (f && !found && fgets(line, sizeof(line), f)) {
		unsigned long long id;

		found = sscanf(line, "%llu %*u %u:%u", &id, major_of, minor_of) == 3 &&
			id == stx.stx_mnt_id;
	}
	if (f)
		fclose(f);
	return found;
}

/* Since 6.8 maps has the inode that users see, before that the layer's. */
static bool maps_have_inodes(void)
{
	struct utsname u;
	int major_of = 0, minor_of = 0;

	uname(&u);
	return sscanf(u.release, "%d.%d", &major_of, &minor_of) == 2 &&
	       (major_of > 6 || (major_of == 6 && minor_of >= 8));
}

/* Compares the recorded mapping with the process's view, in maps (which is read here), and with the
 * open file. */
static void compare(const char *what, struct mapped *m, FILE *maps, int fd)
{
	unsigned int major_of, minor_of, dev_major, dev_minor;
	char line[1024], path[512] = "";
	unsigned long long from, inode = 0;
	struct stat st;
	bool found = false;

	rewind(maps);
	while (!found && fgets(line, sizeof(line), maps))
		found = sscanf(line, "%llx-%*x %*s %*x %x:%x %llu %511[^\n]", &from, &dev_major,
			       &dev_minor, &inode, path) >= 4 &&
			from == m->at;
	check(found);
	if (m->told.flags & PITRACE_MAP_DELETED) {
		size_t n = strlen(path), tail = strlen(" (deleted)");

		check(n > tail && !strcmp(path + n - tail, " (deleted)"));
		path[n > tail ? n - tail : 0] = 0;
	}
	want(0, fstat(fd, &st));
	printf("# %s: %s %u:%u %llu, maps %s %u:%u %llu, stat %llu\n", what, m->path,
	       m->told.dev_major, m->told.dev_minor, (unsigned long long)m->told.inode, path,
	       dev_major, dev_minor, inode, (unsigned long long)st.st_ino);
	if (m->n != 1)
		wrong("%s: told %u times", what, m->n);
	if (strcmp(m->path, path))
		wrong("%s: another path than in maps", what);
	if (m->told.inode != st.st_ino)
		wrong("%s: another inode than stat's", what);
	if (maps_have_inodes() && (m->told.inode != inode || m->told.dev_major != dev_major ||
				   m->told.dev_minor != dev_minor))
		wrong("%s: another file than in maps", what);
	if (mounted_from(fd, &major_of, &minor_of) &&
	    (m->told.dev_major != major_of || m->told.dev_minor != minor_of))
		wrong("%s: another device than its mount's, %u:%u", what, major_of, minor_of);
}

static const struct kind {
	const char *name, *path;
} kinds[] = {
	{ "tmpfs", BASE "/a/usr/bin/prog" }, /* the layer's own */
	{ "lower", PROG },
	{ "lower_2", SECOND },
	{ "upper", MERGED "/made" },
	{ "changed", MERGED "/changed" },
	{ "gone", MERGED "/gone" },
	{ "bound", BASE "/bound" },
	{ "bound_tree", BASE "/tree/bin/prog" },
	{ "overlay_of_overlay", BASE "/outer/usr/bin/prog" },
	{ "memfd", NULL },
};
#define KINDS (sizeof(kinds) / sizeof(*kinds))

static int open_kind(const struct kind *k)
{
	int fd;

	if (!k->path) {
		fd = memfd_create("code", MFD_CLOEXEC);
		want(0, ftruncate(fd, PAGE));
		return fd;
	}
	if (!strcmp(k->name, "changed")) {
		fd = open(k->path, O_WRONLY | O_APPEND | O_CLOEXEC);
		check(write(fd, "more", 4) == 4);
		close(fd);
	}
	fd = (int)want(0, open(k->path, O_RDONLY | O_CLOEXEC));
	if (!strcmp(k->name, "gone"))
		want(0, unlink(k->path));
	return fd;
}

static void map_all(void)
{
	struct mapped m[KINDS] = { 0 };
	FILE *maps = fopen("/proc/self/maps", "re");
	int fd[KINDS], walk;
	struct view v;
	unsigned int i;

	/* Told as they are mapped, then of those that are. */
	for (walk = 0; walk < 2; walk++) {
		if (!begin(&v, plain(), 100))
			return;
		want(0, ioctl(v.fd, PITRACE_IOC_ON));
		for (i = 0; i < KINDS && !walk; i++) {
			fd[i] = open_kind(&kinds[i]);
			m[i].pid = (uint32_t)getpid();
			m[i].at = (uintptr_t)mmap(NULL, PAGE, CODE, MAP_PRIVATE, fd[i], 0);
			check(m[i].at != (uintptr_t)MAP_FAILED);
		}
		want(0, ioctl(v.fd, PITRACE_IOC_OFF));
		for (i = 0; i < KINDS; i++) {
			m[i].n = 0;
			each_record(&v, PITRACE_RING_MTE, look_map, &m[i]);
			compare(kinds[i].name, &m[i], maps, fd[i]);
			check(!!(m[i].told.flags & PITRACE_MAP_WALK) == !!walk);
			if (!walk && kinds[i].path)
				each_record(&v, PITRACE_RING_MTE, look_id, &m[i]);
		}
		unview(&v);
	}
	/* Files of one number in one overlay are not one file. */
	check(m[1].told.inode == m[2].told.inode && m[1].told.dev_minor == m[2].told.dev_minor);
	check(m[1].ids == 1 && m[1].id.length && m[2].ids == 1 && m[2].id.length);
	check(memcmp(m[1].id.id, m[2].id.id, sizeof(m[1].id.id)));
	check(!memcmp(m[0].id.id, m[1].id.id, sizeof(m[1].id.id)));
	fclose(maps);
}

void test_overlay_names(void)
{
	with_layers(map_all);
}

/* Another root, and another mount namespace: mappings are recorded as their processes see them. */
static void in_another_root(void)
{
	struct mapped m = { 0 };
	FILE *maps;
	struct view v;
	int fd;

	if (!begin(&v, plain(), 100))
		return;
	want(0, unshare(CLONE_NEWNS));
	want(0, mount("none", BASE "/a", "tmpfs", 0, NULL));
	want(0, mkdir(BASE "/a/work", 0755));
	want(0, mkdir(BASE "/a/upper", 0755));
	want(0, mount("none", "/tmp", "overlay", 0,
		      "lowerdir=" MERGED ",upperdir=" BASE "/a/upper,workdir=" BASE "/a/work"));
	maps = fopen("/proc/self/maps", "re");
	want(0, chroot("/tmp"));
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	m.pid = (uint32_t)getpid();
	fd = (int)want(0, open("/usr/bin/prog", O_RDONLY | O_CLOEXEC));
	m.at = (uintptr_t)mmap(NULL, PAGE, CODE, MAP_PRIVATE, fd, 0);
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	each_record(&v, PITRACE_RING_MTE, look_map, &m);
	compare("root", &m, maps, fd);
	check(!strcmp(m.path, "/usr/bin/prog"));
	unview(&v);
}

void test_overlay_root(void)
{
	with_layers(in_another_root);
}

/* A file that is copied up while it is mapped: the old one and the new one are two. */
static void change_mapped(void)
{
	struct mapped m[2] = { 0 };
	struct view v;
	int fd, i;

	if (!begin(&v, plain(), 100))
		return;
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	for (i = 0; i < 2; i++) {
		fd = (int)want(0, open(BASE "/one/kept", O_RDONLY | O_CLOEXEC));
		m[i].pid = (uint32_t)getpid();
		m[i].at = (uintptr_t)mmap(NULL, PAGE, CODE, MAP_PRIVATE, fd, 0);
		close(fd);
		fd = (int)want(0, open(BASE "/one/kept", O_WRONLY | O_APPEND | O_CLOEXEC));
		check(write(fd, "more", 4) == 4);
		close(fd);
	}
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	for (i = 0; i < 2; i++)
		each_record(&v, PITRACE_RING_MTE, look_map, &m[i]);
	check(m[0].n == 1 && m[1].n == 1 && m[0].told.inode == m[1].told.inode);
	check(!strcmp(m[0].path, BASE "/one/kept") && !strcmp(m[1].path, BASE "/one/kept"));
	check(m[0].told.generation != m[1].told.generation);
	unview(&v);
}

void test_overlay_changed(void)
{
	with_layers(change_mapped);
}

/* ---- places ---------------------------------------------------------------------------------- */

#ifdef TRACED_HERE
static const char *program;

static void part_exec(void)
{
	execl(program, "abi", "spin", "1", (char *)NULL);
	_exit(127);
}

/* Where in the file a program begins. */
static uint64_t entry_of(int fd)
{
	Elf64_Ehdr h;
	Elf64_Phdr p;
	int i;

	check(pread(fd, &h, sizeof(h), 0) == sizeof(h));
	for (i = 0; i < h.e_phnum; i++) {
		check(pread(fd, &p, sizeof(p), (off_t)(h.e_phoff + (unsigned int)i * sizeof(p))) ==
		      sizeof(p));
		if (p.p_type == PT_LOAD && h.e_entry - p.p_vaddr < p.p_filesz)
			return h.e_entry - p.p_vaddr + p.p_offset;
	}
	wrong("no entry");
	return 0;
}

/* Returns how often a program starts to be traced at its entry, given by a file. */
static unsigned long starts(const char *run, const char *file, uint64_t at)
{
	struct pitrace_itrace_args it;
	struct seen s = { 0 };
	struct gate g;
	struct view v;
	int32_t pid;
	int fd = (int)want(0, open(file, O_RDONLY | O_CLOEXEC));

	program = run;
	fflush(stdout);
	pid = child_of(&g, part_exec);
	it = itrace_of(&pid);
	it.flags = PITRACE_ITRACE_FROM | PITRACE_ITRACE_LOSSY;
	it.start.fd = fd;
	it.start.address = at;
	if (begin_itrace(&v, itrace_plain(), &it)) {
		/* The place is known by the file, not by who has it open. */
		close(fd);
		want(0, ioctl(v.fd, PITRACE_IOC_ON));
		let_go(&g);
		check(!status_of(pid));
		want(0, ioctl(v.fd, PITRACE_IOC_OFF));
		s = seen_of(&v, (uint32_t)pid);
		unview(&v);
	}
	done(&g);
	printf("# %s, place in %s: %lu starts, %llu instructions\n", run, file,
	       s.start[PITRACE_ITRACE_ADDRESS], (unsigned long long)s.instructions);
	return s.start[PITRACE_ITRACE_ADDRESS];
}

static void find_places(void)
{
	static const char *const same[] = {
		BASE "/a/usr/bin/prog",
		PROG,
		MERGED "/made",
		BASE "/bound",
		BASE "/outer/usr/bin/prog",
		BASE "/one/kept",
	};
	int fd = (int)want(0, open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
	uint64_t at = entry_of(fd);
	struct view keep;
	unsigned int i;

	close(fd);
	if (!keep_hooks(&keep))
		return;
	for (i = 0; i < sizeof(same) / sizeof(*same); i++)
		check(starts(same[i], same[i], at) == 1);
	/* The same file by its other names; and those that are others. */
	check(starts(BASE "/bound", PROG, at) == 1);
	check(starts(PROG, BASE "/a/usr/bin/prog", at) == 1);
	check(starts(PROG, SECOND, at) == 0);
	check(starts(PROG, MERGED "/made", at) == 0);
	unview(&keep);
}

void test_itrace_overlay(void)
{
	with_layers(find_places);
}
#endif
