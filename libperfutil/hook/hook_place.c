/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the page and the folder. The socket's path is that of base/service.c, whose functions are
 * not usable here because they may allocate. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "hook/hook_place.h"
#include "hook/hook_text.h"

#define SOCKET_MAX sizeof(((struct sockaddr_un *)0)->sun_path)
#define FOLDER_MAX 80

/* ---- the socket's folder --------------------------------------------------------------------- */

static bool is_own(const char *folder, mode_t others)
{
	struct stat st;

	return !lstat(folder, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       !(st.st_mode & others);
}

/* Another user has the default name in /tmp: ours has six more letters. */
static bool find_other(char *folder, const char *first)
{
	_Alignas(struct dirent64) char room[2048];
	const char *leaf = strrchr(first, '/') + 1;
	size_t n = strlen(leaf);
	int dir = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool found = false;
	ssize_t got;

	while (dir >= 0 && !found && (got = getdents64(dir, room, sizeof(room))) > 0) {
		for (ssize_t at = 0; at < got && !found;) {
			const struct dirent64 *e = (const void *)(room + at);
			struct hook_text t = hook_text(folder, FOLDER_MAX);

			at += e->d_reclen;
			if (strncmp(e->d_name, leaf, n) || e->d_name[n] != '.' ||
			    strlen(e->d_name) != n + 7)
				continue;
			hook_text_add(&t, "/tmp/");
			hook_text_add(&t, e->d_name);
			found = !t.cut && is_own(folder, 077);
		}
	}
	if (dir >= 0)
		close(dir);
	return found;
}

static bool runtime_folder(char folder[FOLDER_MAX])
{
	const char *given = secure_getenv("XDG_RUNTIME_DIR");
	struct hook_text t = hook_text(folder, FOLDER_MAX);
	char first[64];

	if (geteuid() == 0) {
		hook_text_add(&t, "/run");
		return true;
	}
	if (given && *given && is_own(given, 0)) {
		hook_text_add(&t, given);
		return true;
	}
	hook_text_add(&t, "/run/user/");
	hook_text_number(&t, geteuid());
	if (is_own(folder, 077))
		return true;
	t = hook_text(first, sizeof(first));
	hook_text_add(&t, "/tmp/pitrace-");
	hook_text_number(&t, geteuid());
	t = hook_text(folder, FOLDER_MAX);
	hook_text_add(&t, first);
	return is_own(folder, 077) || !mkdir(folder, 0700) || find_other(folder, first);
}

bool hook_place_socket(char *path, size_t room)
{
	const char *given = secure_getenv("PITRACE_SOCKET");
	struct hook_text t = hook_text(path, room < SOCKET_MAX ? room : SOCKET_MAX);
	char folder[FOLDER_MAX];

	if (given && *given) {
		hook_text_add(&t, given);
		return true;
	}
	if (!runtime_folder(folder))
		return false;
	hook_text_add(&t, folder);
	hook_text_add(&t, "/pitrace.sock");
	return !t.cut;
}

/* ---- the page -------------------------------------------------------------------------------- */

/* An empty page is its magic and version; programs never map one of another size. */
struct page_kind {
	uint32_t magic, version;
	size_t size;
	mode_t others; /* forbidden permission bits of others */
};
static const struct page_kind listen_page = { HOOKFILE_MAGIC, HOOKFILE_VERSION,
					      sizeof(struct hookfile_control), 022 };
static const struct page_kind door_page = { HOOK_DOOR_MAGIC, HOOK_DOOR_VERSION,
					    sizeof(struct hook_door_page), 077 };

/* The page gets its name when it is complete, so nobody sees a partial one. */
static int create(const char *path, const struct page_kind *kind)
{
	const uint32_t begin[2] = { kind->magic, kind->version };
	char other[SOCKET_MAX + 64];
	struct hook_text t = hook_text(other, sizeof(other));
	int fd, err = 0;

	hook_text_add(&t, path);
	hook_text_char(&t, '.');
	hook_text_number(&t, (unsigned long)gettid());
	if (t.cut)
		return -ENAMETOOLONG;
	fd = open(other, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	if (ftruncate(fd, (off_t)kind->size) ||
	    pwrite(fd, begin, sizeof(begin), 0) != (ssize_t)sizeof(begin) || link(other, path))
		err = -errno;
	unlink(other);
	close(fd);
	return err == -EEXIST ? 0 : err;
}

static int open_page(const char *path, bool write, const struct page_kind *kind)
{
	int fd = open(path,
		      (write ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	uint32_t magic;

	if (fd < 0)
		return -errno;
	/* A collector has just removed it: the same as a missing page. */
	if (!fstat(fd, &st) && !st.st_nlink) {
		close(fd);
		return -ENOENT;
	}
	/* A link to any other file is recognized by that file's content. */
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || (st.st_mode & kind->others) ||
	    (st.st_uid != geteuid() && (write || st.st_uid != 0)) ||
	    st.st_size != (off_t)kind->size ||
	    pread(fd, &magic, sizeof(magic), 0) != (ssize_t)sizeof(magic) || magic != kind->magic) {
		close(fd);
		return -EEXIST;
	}
	return fd;
}

static int open_or_create(const char *path, bool write, const struct page_kind *kind)
{
	int fd = open_page(path, write, kind);

	if (fd != -ENOENT)
		return fd;
	fd = create(path, kind);
	return fd ? fd : open_page(path, write, kind);
}

int hook_page_open(const char *path, bool write)
{
	return open_or_create(path, write, &listen_page);
}

int hook_door_page_open(const char *path, bool write)
{
	return open_or_create(path, write, &door_page);
}

/* Programs that have the page mapped find the next session by it. The kernel grants a lease only if
 * there are none. */
void hook_page_remove(const char *path, int fd)
{
	/* If another process opens it meanwhile, the kernel signals us: by SIGURG, because SIGIO
	 * kills. */
	if (!fcntl(fd, F_SETSIG, SIGURG) && !fcntl(fd, F_SETLEASE, F_WRLCK))
		unlink(path);
	close(fd);
}

/* Closes fd; errno is the reason of a failure. */
static const void *map_page(int fd, size_t size)
{
	const void *p;

	if (fd < 0) {
		errno = -fd;
		return NULL;
	}
	p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	return p == MAP_FAILED ? NULL : p;
}

/* page and folder */

/* Not inlined: a signal handler's stack may be small. */
static __attribute__((noinline)) const struct hook_door_page *folders_door(const char *folder)
{
	char path[PATH_MAX];
	struct hook_text t = hook_text(path, sizeof(path));

	hook_text_add(&t, folder);
	hook_text_add(&t, "/" HOOK_FOLDER_DOOR);
	return t.cut ? NULL :
		       map_page(open_page(path, false, &door_page), sizeof(struct hook_door_page));
}

/* Only the folder named by the environment is used, while its collector is running. */
static bool named(struct hook_place *p)
{
	const char *folder = secure_getenv(HOOKFILE_ENV);
	struct hook_text t = hook_text(p->folder, sizeof(p->folder));

	if (!folder || *folder != '/')
		return false;
	hook_text_add(&t, folder);
	errno = 0;
	p->page = t.cut ? NULL : hookfile_control(p->folder);
	/* It belongs to another user: the command for which it was set has started this program. */
	if (!p->page && !t.cut && errno == EACCES)
		hook_door_notify(folder);
	if (p->page && __atomic_load_n(&p->page->gone, __ATOMIC_RELAXED)) {
		munmap((void *)p->page, sizeof(*p->page));
		p->page = NULL;
	}
	if (!p->page)
		return false;
	p->door = folders_door(folder);
	return true;
}

static bool users(struct hook_place *p)
{
	char path[SOCKET_MAX + sizeof(HOOK_LISTEN)];
	struct hook_text t;
	size_t n;

	if (!hook_place_socket(path, SOCKET_MAX))
		return false;
	n = strlen(path);
	t = hook_text(p->folder, sizeof(p->folder));
	hook_text_add(&t, path);
	hook_text_add(&t, HOOK_HOOKS);
	t = (struct hook_text){ .to = path, .room = sizeof(path), .used = n };
	hook_text_add(&t, HOOK_LISTEN);
	p->page = map_page(hook_page_open(path, false), sizeof(*p->page));
	/* A user without an own session may be recorded by root's. */
	if (!p->page && errno == EACCES)
		hook_door_notify(p->folder);
	else if (geteuid())
		hook_door_notify("/run/pitrace.sock" HOOK_HOOKS);
	if (!p->page)
		return false;
	t = (struct hook_text){ .to = path, .room = sizeof(path), .used = n };
	hook_text_add(&t, HOOK_DOOR);
	p->door = map_page(hook_door_page_open(path, false), sizeof(*p->door));
	return true;
}

struct hook_place *hook_place_find(void)
{
	struct hook_place *p = mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	p->owner = geteuid();
	if (named(p) || users(p))
		return p;
	munmap(p, sizeof(*p));
	return NULL;
}

static void remove_page(const char *path, const struct page_kind *kind)
{
	int fd = open_page(path, false, kind);

	if (fd >= 0)
		hook_page_remove(path, fd);
}

void hook_place_leave(struct hook_place *p)
{
	size_t n = strlen(p->folder), cut = strlen(HOOK_HOOKS);
	char path[SOCKET_MAX + sizeof(HOOK_LISTEN)];
	struct hook_text t = hook_text(path, sizeof(path));
	bool over = !__atomic_load_n(&p->page->generation, __ATOMIC_RELAXED) && n > cut &&
		    !strcmp(p->folder + n - cut, HOOK_HOOKS);

	for (size_t i = 0; over && i < n - cut; i++)
		hook_text_char(&t, p->folder[i]);
	hook_place_free(p);
	n = t.used;
	if (!over || t.cut)
		return;
	hook_text_add(&t, HOOK_LISTEN);
	remove_page(path, &listen_page);
	t = (struct hook_text){ .to = path, .room = sizeof(path), .used = n };
	hook_text_add(&t, HOOK_DOOR);
	remove_page(path, &door_page);
}

void hook_place_free(struct hook_place *place)
{
	if (place->door)
		munmap((void *)place->door, sizeof(*place->door));
	munmap((void *)place->page, sizeof(*place->page));
	munmap(place, sizeof(*place));
}
