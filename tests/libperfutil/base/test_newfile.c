// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * New files and folders at paths that users gave: an existing file is moved aside, removed or
 * refused; undoing it restores everything.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/newfile.h"
#include "unit.h"

#define USER 61301

static char dir[64], path[100], old[104], other[100];

static void begin(void)
{
	strcpy(dir, "/tmp/test_newfile.XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/name", dir);
	snprintf(old, sizeof(old), "%s.old", path);
	snprintf(other, sizeof(other), "%s/other", dir);
}

static void end(void)
{
	const char *const all[] = { path, old, other };

	for (size_t i = 0; i < 3; i++)
		if (unlink(all[i]))
			rmdir(all[i]);
	CU_ASSERT_EQUAL(rmdir(dir), 0);
}

static void put(const char *name, const char *text)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);

	CU_ASSERT(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
}

/* NULL: nothing there. */
static const char *text_of(const char *name)
{
	static char text[100];
	int fd = open(name, O_RDONLY | O_NOFOLLOW);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (n < 0)
		return NULL;
	text[n] = '\0';
	return text;
}
#define HOLDS(name, text) CU_ASSERT_STRING_EQUAL(text_of(name), text)
#define IS_NOT(name)      CU_ASSERT(access(name, F_OK) && errno == ENOENT)

static int open_files(void)
{
	int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* Open, write that and keep it. */
static int make(unsigned int how, const char *text, bool *moved)
{
	struct newfile f;
	int err = newfile_open(&f, path, how, 0640);

	if (err)
		return err;
	CU_ASSERT_EQUAL(write(f.fd, text, strlen(text)), (ssize_t)strlen(text));
	close(f.fd);
	*moved = f.moved;
	newfile_keep(&f);
	return 0;
}

static void test_aside(void)
{
	bool moved = true;
	struct stat st;

	begin();
	umask(022);
	CU_ASSERT_EQUAL(make(NEWFILE_ASIDE, "1", &moved), 0);
	CU_ASSERT(!moved && !stat(path, &st) && (st.st_mode & 0777) == 0640);
	IS_NOT(old);
	CU_ASSERT_EQUAL(make(NEWFILE_ASIDE, "2", &moved), 0);
	CU_ASSERT(moved);
	HOLDS(old, "1");
	CU_ASSERT_EQUAL(make(NEWFILE_ASIDE, "3", &moved), 0);
	CU_ASSERT(moved);
	HOLDS(old, "2");
	HOLDS(path, "3");
	CU_ASSERT_EQUAL(make(NEWFILE_REPLACE, "4", &moved), 0);
	CU_ASSERT(!moved);
	HOLDS(old, "2");
	HOLDS(path, "4");
	end();
}

static void test_undo(void)
{
	struct newfile f;

	begin();
	put(path, "older");
	CU_ASSERT_EQUAL_FATAL(newfile_open(&f, path, NEWFILE_ASIDE, 0600), 0);
	HOLDS(path, "");
	newfile_undo(&f);
	HOLDS(path, "older");
	IS_NOT(old);
	/* By then the name is another file's: that stays, and what made way too. */
	CU_ASSERT_EQUAL_FATAL(newfile_open(&f, path, NEWFILE_ASIDE, 0600), 0);
	CU_ASSERT_EQUAL(unlink(path), 0);
	put(path, "another's");
	newfile_undo(&f);
	HOLDS(path, "another's");
	HOLDS(old, "older");
	CU_ASSERT_EQUAL(unlink(old), 0);
	CU_ASSERT_EQUAL(unlink(path), 0);
	CU_ASSERT_EQUAL_FATAL(newfile_open(&f, path, NEWFILE_ASIDE, 0600), 0);
	newfile_undo(&f);
	IS_NOT(path);
	end();
}

/* Refused, and all is as it was; no descriptor stays open. */
static void refuses(unsigned int how, int want)
{
	int before = open_files();
	bool moved;

	CU_ASSERT_EQUAL(make(how, "new", &moved), want);
	CU_ASSERT_EQUAL(open_files(), before);
}

static void test_refused(void)
{
	struct newfile f;
	char name[400];

	begin();
	put(other, "target");
	CU_ASSERT_EQUAL(symlink(other, path), 0);
	refuses(NEWFILE_ASIDE, -ELOOP);
	refuses(NEWFILE_REPLACE, -ELOOP);
	refuses(NEWFILE_STREAM, -ELOOP);
	HOLDS(other, "target");
	CU_ASSERT_EQUAL(unlink(path), 0);
	CU_ASSERT_EQUAL(mkdir(path, 0700), 0);
	refuses(NEWFILE_ASIDE, -EISDIR);
	CU_ASSERT_EQUAL(rmdir(path), 0);
	CU_ASSERT_EQUAL(mkfifo(path, 0600), 0);
	refuses(NEWFILE_ASIDE, -EOPNOTSUPP);
	refuses(NEWFILE_REPLACE, -EOPNOTSUPP);
	refuses(NEWFILE_STREAM, -ENXIO);
	CU_ASSERT_EQUAL(unlink(path), 0);
	/* The old NAME.old must be removable. */
	put(path, "older");
	CU_ASSERT_EQUAL(symlink(other, old), 0);
	refuses(NEWFILE_ASIDE, -EEXIST);
	CU_ASSERT_EQUAL(unlink(old), 0);
	CU_ASSERT_EQUAL(mkdir(old, 0700), 0);
	refuses(NEWFILE_ASIDE, -EISDIR);
	HOLDS(path, "older");
	CU_ASSERT_EQUAL(rmdir(old), 0);
	if (!geteuid()) {
		CU_ASSERT_EQUAL(chown(path, USER, USER), 0);
		refuses(NEWFILE_ASIDE, -EPERM);
		refuses(NEWFILE_REPLACE, -EPERM);
		HOLDS(path, "older");
		/* The owner of the folder can do all to it anyway. */
		CU_ASSERT_EQUAL(chown(dir, USER, USER), 0);
		refuses(NEWFILE_ASIDE, 0);
		HOLDS(old, "older");
	}
	CU_ASSERT_EQUAL(newfile_open(&f, "", 0, 0600), -ENOENT);
	CU_ASSERT_EQUAL(newfile_open(&f, ".", 0, 0600), -EISDIR);
	CU_ASSERT_EQUAL(newfile_open(&f, "/tmp/..", 0, 0600), -EISDIR);
	CU_ASSERT_EQUAL(newfile_open(&f, "/tmp/", 0, 0600), -EISDIR);
	CU_ASSERT_EQUAL(newfile_open(&f, "/tmp/none/such", 0, 0600), -ENOENT);
	snprintf(name, sizeof(name), "%s/%0300d", dir, 1);
	CU_ASSERT_EQUAL(newfile_open(&f, name, 0, 0600), -ENAMETOOLONG);
	end();
}

static void test_stream(void)
{
	char text[8] = "";
	struct newfile f;
	int reader;

	begin();
	CU_ASSERT_EQUAL(mkfifo(path, 0600), 0);
	reader = open(path, O_RDONLY | O_NONBLOCK);
	CU_ASSERT_EQUAL_FATAL(newfile_open(&f, path, NEWFILE_STREAM, 0600), 0);
	CU_ASSERT(!(fcntl(f.fd, F_GETFL) & O_NONBLOCK));
	CU_ASSERT_EQUAL(write(f.fd, "text", 4), 4);
	CU_ASSERT(read(reader, text, 7) == 4 && !strcmp(text, "text"));
	/* It stays when that is taken back. */
	newfile_undo(&f);
	CU_ASSERT_EQUAL(access(path, F_OK), 0);
	close(reader);
	end();
	CU_ASSERT_EQUAL(newfile_open(&f, "/dev/null", NEWFILE_STREAM, 0600), 0);
	close(f.fd);
	newfile_keep(&f);
	CU_ASSERT_EQUAL(newfile_open(&f, "/dev/full", NEWFILE_STREAM, 0600), 0);
	CU_ASSERT(write(f.fd, "x", 1) < 0 && errno == ENOSPC);
	close(f.fd);
	newfile_keep(&f);
	CU_ASSERT_EQUAL(newfile_open(&f, "/dev/zero", NEWFILE_STREAM, 0600), -EOPNOTSUPP);
	CU_ASSERT_EQUAL(newfile_open(&f, "/dev/null", NEWFILE_ASIDE, 0600), -EOPNOTSUPP);
}

static void test_how(void)
{
	struct newfile f;
	char c;

	begin();
	CU_ASSERT_EQUAL_FATAL(newfile_open(&f, path, NEWFILE_READ | NEWFILE_APPEND, 0600), 0);
	CU_ASSERT(write(f.fd, "ab", 2) == 2 && !lseek(f.fd, 0, SEEK_SET) &&
		  write(f.fd, "c", 1) == 1);
	CU_ASSERT(pread(f.fd, &c, 1, 2) == 1 && c == 'c');
	close(f.fd);
	newfile_keep(&f);
	HOLDS(path, "abc");
	CU_ASSERT_EQUAL_FATAL(newfile_open(&f, path, NEWFILE_REPLACE, 0600), 0);
	CU_ASSERT(write(f.fd, "ab", 2) == 2 && !lseek(f.fd, 0, SEEK_SET) &&
		  write(f.fd, "c", 1) == 1);
	CU_ASSERT(read(f.fd, &c, 1) < 0 && errno == EBADF);
	close(f.fd);
	newfile_keep(&f);
	HOLDS(path, "cb");
	end();
}

/* Any kind of file is moved aside if its name is needed. */
static void test_make_way(void)
{
	struct folder f;
	struct stat st;

	begin();
	CU_ASSERT_EQUAL_FATAL(folder_open(&f, path, NULL), 0);
	CU_ASSERT_EQUAL(newfile_aside(&f, "name"), 0);
	CU_ASSERT_EQUAL(symlink("/none", path), 0);
	CU_ASSERT_EQUAL(newfile_aside(&f, "name"), 0);
	IS_NOT(path);
	CU_ASSERT(!lstat(old, &st) && S_ISLNK(st.st_mode));
	/* NAME.old is not a file that could go. */
	put(path, "x");
	CU_ASSERT_EQUAL(newfile_aside(&f, "name"), -EEXIST);
	HOLDS(path, "x");
	CU_ASSERT_EQUAL(newfile_aside(&f, ".."), -EISDIR);
	folder_close(&f);
	end();
}

/* Creates a folder: checks its descriptor, and whether an older one is reported. */
static void folder(const char *name, int want, bool wanted)
{
	int before = open_files(), fd;
	struct stat named, st;
	bool moved = !wanted;

	fd = newfile_folder(name, 0750, &moved);
	CU_ASSERT_EQUAL(moved, wanted);
	if (fd < 0 || want) {
		CU_ASSERT_EQUAL(fd, want);
	} else {
		CU_ASSERT(!stat(path, &named) && !fstat(fd, &st) && st.st_ino == named.st_ino);
		CU_ASSERT(S_ISDIR(st.st_mode) && (st.st_mode & 0777) == 0750);
		close(fd);
	}
	CU_ASSERT_EQUAL(open_files(), before);
}

static void test_folder(void)
{
	char slashes[110], inside[110];
	struct stat first, st;

	begin();
	umask(022);
	snprintf(slashes, sizeof(slashes), "%s///", path);
	folder(slashes, 0, false);
	CU_ASSERT_EQUAL(stat(path, &first), 0);
	folder(path, 0, true);
	CU_ASSERT(!stat(old, &st) && st.st_ino == first.st_ino);
	/* NAME.old is removed if it is empty. */
	snprintf(inside, sizeof(inside), "%s/x", path);
	put(inside, "x");
	folder(path, 0, true);
	folder(path, -ENOTEMPTY, false);
	snprintf(inside, sizeof(inside), "%s/x", old);
	CU_ASSERT_EQUAL(unlink(inside), 0);
	CU_ASSERT_EQUAL(rmdir(path), 0);
	put(path, "a file");
	folder(path, -ENOTDIR, false);
	HOLDS(path, "a file");
	CU_ASSERT_EQUAL(unlink(path), 0);
	CU_ASSERT_EQUAL(symlink(dir, path), 0);
	folder(path, -ELOOP, false);
	CU_ASSERT_EQUAL(unlink(path), 0);
	if (!geteuid()) {
		CU_ASSERT_EQUAL(mkdir(path, 0777), 0);
		CU_ASSERT_EQUAL(chown(path, USER, USER), 0);
		folder(path, -EPERM, false);
	}
	folder("", -ENOENT, false);
	folder("/tmp/none/such", -ENOENT, false);
	end();
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "aside", test_aside },     { "undo", test_undo },
		{ "refused", test_refused }, { "stream", test_stream },
		{ "how", test_how },         { "make_way", test_make_way },
		{ "folder", test_folder },   {}
	};

	return unit_run("newfile", tests);
}
