/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which files the process beside the sandbox opens, with whose rights, and which it refuses: as a
 * helper, and without one, if the caller does the same itself. (Linked with
 * --wrap=open64,--wrap=servers_by,--wrap=servers_get.)
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "sandbox/opener.h"
#include "sandbox/servers.h"
#include "unit.h"

#define USER  61301 /* nobody has these numbers */
#define GROUP 61302

static char folder[64];
static bool no_tmpfile; /* the file system makes no file without a name */

/* ---- what is the test's own ------------------------------------------------------------------ */

int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
void __wrap_servers_by(servers_asker asker);
int __wrap_servers_get(uint32_t seconds, const void *id, size_t n, char *path, size_t size,
		       char *why, size_t room);

int __wrap_open64(const char *path, int flags, ...)
{
	mode_t mode;
	va_list ap;

	va_start(ap, flags);
	mode = va_arg(ap, mode_t);
	va_end(ap);
	if (no_tmpfile && (flags & O_TMPFILE) == O_TMPFILE) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return __real_open64(path, flags, mode);
}

static servers_asker asker;

void __wrap_servers_by(servers_asker by)
{
	asker = by;
}

/* A file for the ids that begin with 1, words for the others. */
int __wrap_servers_get(uint32_t seconds, const void *id, size_t n, char *path, size_t size,
		       char *why, size_t room)
{
	const uint8_t *byte = id;

	snprintf(path, size, "%u/%zu/%u", seconds, n, byte[n - 1]);
	snprintf(why, room, "%s", byte[0] == 1 ? "" : "no such thing");
	return byte[0] == 1 ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -ENOENT;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* A path in the test's folder. */
static const char *in(const char *name)
{
	static char path[4][256];
	static int turn;

	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", folder, name);
	return path[turn];
}

/* A file that has its own name in it. */
static void put(const char *name, uid_t uid, gid_t gid, mode_t mode)
{
	int fd = open(in(name), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(write(fd, name, strlen(name)), (ssize_t)strlen(name));
	CU_ASSERT(!fchown(fd, uid, gid) && !fchmod(fd, mode));
	close(fd);
}

/* Returns whether the descriptor, which is closed, reads as `want`. */
static bool reads(int fd, const char *want)
{
	char text[64] = "";
	ssize_t n = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, 0);

	if (fd >= 0) {
		CU_ASSERT(fcntl(fd, F_GETFD) & FD_CLOEXEC);
		close(fd);
	}
	return n == (ssize_t)strlen(want) && !memcmp(text, want, (size_t)n);
}

static bool file_is(const char *name, const char *want)
{
	return reads(open(in(name), O_RDONLY | O_CLOEXEC), want);
}

static void begin(void)
{
	strcpy(folder, "/tmp/test_opener.XXXXXX");
	CU_ASSERT_FATAL(mkdtemp(folder) != NULL);
	chmod(folder, 0755);
	umask(022);
}

static void end(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	CU_ASSERT_EQUAL(system(command), 0);
}

/* ---- as another user ------------------------------------------------------------------------- */

static const struct opener_task nothing = { .outputs = 0 };

/* The helper, or none. */
static void helper(bool is, const struct opener_task *task)
{
	if (is)
		CU_ASSERT_EQUAL_FATAL(opener_begin(task), 0);
}

static void as_user(void)
{
	static const gid_t more[] = { GROUP };
	gid_t before[100];
	int n = getgroups(100, before);

	if (geteuid()) {
		unit_skip(NULL, "takes another user's rights: a run without root has none");
		return;
	}
	begin();
	put("root", 0, 0, 0600);
	put("roots_group", 0, 0, 0640);
	put("users_group", 0, USER, 0640);
	put("user", USER, 0, 0400);
	put("own_group", 0, USER + 4, 0040);
	put("any_group", 0, GROUP, 0640);
	put("all", 0, 0, 0644);
	put("not_user", USER, 0, 0044);
	CU_ASSERT(!symlink(in("all"), in("link")) && !mkfifo(in("fifo"), 0666));
	CU_ASSERT_EQUAL(setgroups(1, more), 0);
	for (int how = 0; how < 2; how++) {
		helper(how, &nothing);
		CU_ASSERT_EQUAL(opener_as(USER, USER + 4, in("root")), -EACCES);
		CU_ASSERT_EQUAL(opener_as(USER, USER + 4, in("roots_group")), -EACCES);
		CU_ASSERT_EQUAL(opener_as(USER, USER + 4, in("users_group")), -EACCES);
		CU_ASSERT(reads(opener_as(USER, USER + 4, in("user")), "user"));
		CU_ASSERT(reads(opener_as(USER, USER + 4, in("own_group")), "own_group"));
		CU_ASSERT(reads(opener_as(USER, USER + 4, in("all")), "all"));
		/* The group that root is in is not the user's. */
		CU_ASSERT_EQUAL(opener_as(USER, USER + 4, in("any_group")), -EACCES);
		CU_ASSERT(reads(opener_as(USER, GROUP, in("any_group")), "any_group"));
		CU_ASSERT_EQUAL(opener_as(USER, GROUP, in("own_group")), -EACCES);
		CU_ASSERT_EQUAL(opener_as(USER + 1, GROUP, in("user")), -EACCES);
		/* Nor does anything of root's count for who is shut out by name. */
		CU_ASSERT_EQUAL(opener_as(USER, GROUP, in("not_user")), -EACCES);
		CU_ASSERT_EQUAL(opener_as(USER, GROUP, in("none")), -ENOENT);
		CU_ASSERT_EQUAL(opener_as(USER, GROUP, in("link")), -ELOOP);
		CU_ASSERT_EQUAL(opener_as(USER, GROUP, in("fifo")), -EINVAL);
		CU_ASSERT_EQUAL(opener_as(USER, GROUP, folder), -EINVAL);
		/* Rights are back. */
		CU_ASSERT(file_is("root", "root"));
		opener_end();
	}
	CU_ASSERT_EQUAL(setgroups((size_t)n, before), 0);
	end();
}

/* A process that has the test's folder for its root, and is another user. */
static pid_t jailed(void)
{
	int ready[2];
	pid_t pid;
	char c;

	CU_ASSERT_EQUAL_FATAL(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (chroot(folder) || setgroups(0, NULL) || setresgid(GROUP, GROUP, GROUP) ||
		    setresuid(USER, USER, USER) || write(ready[1], "x", 1) != 1)
			_exit(99);
		pause();
		_exit(0);
	}
	CU_ASSERT_EQUAL(read(ready[0], &c, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void inside(void)
{
	pid_t pid;

	if (geteuid()) {
		unit_skip(NULL, "looks into another user's process: a run without root may not");
		return;
	}
	begin();
	put("own", USER, 0, 0400);
	put("groups", 0, GROUP, 0040);
	put("root", 0, 0, 0600);
	CU_ASSERT(!mkdir(in("sub"), 0755) && !symlink("/own", in("sub/link")));
	CU_ASSERT(!symlink("own", in("last")) && !symlink("/sub", in("way")));
	put("sub/own", 0, 0, 0644);
	CU_ASSERT(!symlink("/etc", in("out")) && !symlink("../../../../etc", in("up")));
	CU_ASSERT(!access("/etc/passwd", R_OK));
	pid = jailed();
	for (int how = 0; how < 2; how++) {
		helper(how, &nothing);
		CU_ASSERT(reads(opener_inside((uint32_t)pid, "/own"), "own"));
		CU_ASSERT(reads(opener_inside((uint32_t)pid, "/groups"), "groups"));
		CU_ASSERT_EQUAL(opener_inside((uint32_t)pid, "/root"), -EACCES);
		CU_ASSERT_EQUAL(opener_inside((uint32_t)pid, "/none"), -ENOENT);
		/* Its links lead to its own files, those at the end to none. */
		CU_ASSERT(reads(opener_inside((uint32_t)pid, "/way/own"), "sub/own"));
		CU_ASSERT_EQUAL(opener_inside((uint32_t)pid, "/last"), -ELOOP);
		CU_ASSERT_EQUAL(opener_inside((uint32_t)pid, "/out/passwd"), -ENOENT);
		CU_ASSERT_EQUAL(opener_inside((uint32_t)pid, "/up/passwd"), -ENOENT);
		CU_ASSERT_EQUAL(opener_inside((uint32_t)pid, "/../../../etc/passwd"), -ENOENT);
		CU_ASSERT_EQUAL(opener_inside(99999999, "/own"), -ENOENT);
		CU_ASSERT(file_is("root", "root"));
		opener_end();
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	end();
}

/* ---- outputs --------------------------------------------------------------------------------- */

static char first[128], second[128], tree[128];
static const struct opener_output outputs[] = {
	{ first, 0640, false },
	{ second, 0666, false },
	{ tree, 0, true },
	{ "/dev/null", 0666, false },
};
static const struct opener_task all = { .output = outputs, .outputs = 4 };

static bool writes(struct output *out, const char *text)
{
	fputs(text, out->file);
	return !output_close(out);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_mode & 07777;
}

static void written(void)
{
	struct output out;

	for (int how = 0; how < 2; how++) {
		begin();
		strcpy(first, in("first"));
		strcpy(second, in("second"));
		put("second", geteuid(), getegid(), 0644);
		helper(how, &all);
		CU_ASSERT_EQUAL_FATAL(opener_output(0, &outputs[0], &out), 0);
		CU_ASSERT(!out.renamed && !strcmp(out.path, first));
		CU_ASSERT(writes(&out, "one") && file_is("first", "one"));
		CU_ASSERT_EQUAL(mode_of(first), 0640);
		/* An older file is kept. */
		CU_ASSERT_EQUAL_FATAL(opener_output(1, &outputs[1], &out), 0);
		CU_ASSERT(out.renamed && !strcmp(out.path, second));
		CU_ASSERT(writes(&out, "two") && file_is("second", "two"));
		CU_ASSERT(file_is("second.old", "second") && mode_of(second) == 0644);
		/* Stdout is reserved for the output. */
		CU_ASSERT_EQUAL(opener_output(9, &(struct opener_output){ "-", 0, false }, &out),
				0);
		CU_ASSERT(out.file == stdout);
		CU_ASSERT_EQUAL_FATAL(opener_output(3, &outputs[3], &out), 0);
		CU_ASSERT(writes(&out, "three"));
		opener_end();
		end();
	}
}

/* Each once, and only those that were named. */
static void once(void)
{
	struct output out;
	bool renamed;

	begin();
	strcpy(first, in("none/first"));
	strcpy(second, in("second"));
	strcpy(tree, in("tree"));
	helper(true, &all);
	CU_ASSERT_EQUAL(opener_output(0, &outputs[0], &out), -ENOENT);
	CU_ASSERT_EQUAL(opener_output(0, &outputs[0], &out), -EINVAL);
	CU_ASSERT_EQUAL_FATAL(opener_output(1, &outputs[1], &out), 0);
	CU_ASSERT(writes(&out, "two"));
	CU_ASSERT_EQUAL(opener_output(1, &outputs[1], &out), -EINVAL);
	CU_ASSERT_EQUAL(opener_output(4, &outputs[1], &out), -EINVAL);
	CU_ASSERT_EQUAL(opener_output(64, &outputs[1], &out), -EINVAL);
	CU_ASSERT_EQUAL(opener_output(UINT_MAX, &outputs[1], &out), -EINVAL);
	/* A file is not a folder. */
	CU_ASSERT_EQUAL(opener_folder(3, &outputs[3], &renamed), -EINVAL);
	CU_ASSERT(access(in("second.old"), F_OK));
	CU_ASSERT_EQUAL(opener_in_folder(-1, "a"), -EINVAL);
	opener_end();
	/* As many as there may be, and one more. */
	{
		static struct opener_output many[65];
		static char name[65][128];
		const struct opener_task task = { .output = many, .outputs = 65 };

		for (int i = 0; i < 65; i++) {
			snprintf(name[i], sizeof(name[i]), "%s/%d", folder, i);
			many[i] = (struct opener_output){ name[i], 0600, false };
		}
		helper(true, &task);
		CU_ASSERT_EQUAL(opener_output(64, &many[64], &out), -EINVAL);
		for (unsigned int i = 0; i < 64; i++) {
			CU_ASSERT_EQUAL_FATAL(opener_output(i, &many[i], &out), 0);
			CU_ASSERT(writes(&out, "x") && !access(name[i], F_OK));
		}
		CU_ASSERT_EQUAL(opener_output(64, &many[64], &out), -EINVAL);
		CU_ASSERT(access(name[64], F_OK));
		opener_end();
	}
	end();
}

static void in_folder(void)
{
	static const char *const bad[] = { "", "A", "a/b", "..", "../b", "a.b", "a ", "_" };
	bool renamed = true;
	int at, fd;

	for (int how = 0; how < 2; how++) {
		begin();
		strcpy(first, in("first"));
		strcpy(second, in("second"));
		strcpy(tree, in("tree"));
		helper(how, &all);
		at = opener_folder(2, &outputs[2], &renamed);
		CU_ASSERT_FATAL(at >= 0);
		CU_ASSERT(!renamed && mode_of(tree) == 0755);
		fd = opener_in_folder(at, "cpu0az9");
		CU_ASSERT(fd >= 0 && write(fd, "x", 1) == 1 && !close(fd));
		CU_ASSERT(file_is("tree/cpu0az9", "x") && mode_of(in("tree/cpu0az9")) == 0644);
		CU_ASSERT_EQUAL(opener_in_folder(at, "cpu0az9"), -EEXIST);
		CU_ASSERT(!symlink(in("planted"), in("tree/link")));
		CU_ASSERT_EQUAL(opener_in_folder(at, "link"), -EEXIST);
		CU_ASSERT(access(in("planted"), F_OK));
		for (size_t i = 0; how && i < sizeof(bad) / sizeof(*bad); i++)
			CU_ASSERT_EQUAL(opener_in_folder(at, bad[i]), -EINVAL);
		close(at);
		if (how)
			CU_ASSERT_EQUAL(opener_folder(2, &outputs[2], &renamed), -EINVAL);
		opener_end();
		/* The older one is kept. */
		helper(how, &all);
		at = opener_folder(2, &outputs[2], &renamed);
		CU_ASSERT(at >= 0 && renamed && !close(at));
		CU_ASSERT(file_is("tree.old/cpu0az9", "x"));
		opener_end();
		end();
	}
}

/* Under sudo the caller's rights make the file, and root's are back. */
static void by_sudo(void)
{
	struct stat st;
	int status;
	pid_t pid;

	if (geteuid()) {
		unit_skip(NULL, "is root, called by a user's sudo");
		return;
	}
	begin();
	put("root", 0, 0, 0600);
	strcpy(tree, in("tree"));
	CU_ASSERT(!chown(folder, USER, USER));
	/* The caller is looked up once. */
	pid = fork();
	if (!pid) {
		bool renamed;
		int at;

		setenv("SUDO_UID", "61301", 1);
		setenv("SUDO_GID", "61301", 1);
		at = opener_folder(2, &outputs[2], &renamed);
		for (int i = 0; i < 2; i++) {
			int fd = opener_in_folder(at, i ? "b" : "a");

			if (fd < 0 || fstat(fd, &st) || st.st_uid != USER || st.st_gid != USER ||
			    access(in("root"), R_OK) || close(fd))
				_exit(1 + i);
			fd = open(in("root"), O_RDONLY | O_CLOEXEC);
			if (fd < 0 || close(fd))
				_exit(3);
		}
		/* Files that only root may read are refused. */
		_exit(fchown(at, 0, 0) || fchmod(at, 0755) ? 4 :
		      opener_in_folder(at, "c") != -EACCES ? 5 :
							     0);
	}
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT_EQUAL(status, 0);
	CU_ASSERT(!stat(tree, &st) && !access(in("tree/b"), F_OK));
	end();
}

/* In a process started without stdin, the first file gets its descriptor. */
static void without_stdin(void)
{
	int kept = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10);
	struct output out;
	bool renamed;
	int at, fd;

	CU_ASSERT_FATAL(kept >= 0);
	close(STDIN_FILENO);
	for (int how = 0; how < 2; how++) {
		begin();
		put("all", geteuid(), getegid(), 0644);
		strcpy(first, in("first"));
		strcpy(second, in("second"));
		strcpy(tree, in("tree"));
		helper(how, &all);
		CU_ASSERT(reads(opener_as(geteuid(), getegid(), in("all")), "all"));
		CU_ASSERT(reads(opener_inside((uint32_t)getpid(), in("all")), "all"));
		fd = opener_spool();
		CU_ASSERT(fd >= 0 && !close(fd));
		no_tmpfile = true;
		fd = opener_spool();
		CU_ASSERT(fd >= 0 && !close(fd));
		no_tmpfile = false;
		CU_ASSERT_EQUAL_FATAL(opener_output(0, &outputs[0], &out), 0);
		CU_ASSERT(writes(&out, "one") && file_is("first", "one"));
		at = opener_folder(2, &outputs[2], &renamed);
		fd = opener_in_folder(at, "cpu0");
		CU_ASSERT(at >= 0 && fd >= 0 && !close(fd));
		close(at);
		/* The folder itself. */
		fd = opener_in_folder(at, "cpu1");
		CU_ASSERT(how ? fd >= 0 && !close(fd) : fd == -EBADF);
		CU_ASSERT(fcntl(STDIN_FILENO, F_GETFD) < 0 || how);
		opener_end();
		CU_ASSERT(fcntl(STDIN_FILENO, F_GETFD) < 0);
		end();
	}
	CU_ASSERT_EQUAL(dup2(kept, STDIN_FILENO), STDIN_FILENO);
	close(kept);
}

/* ---- copies ---------------------------------------------------------------------------------- */

static bool nameless(int fd)
{
	struct stat st, in_it;
	bool is = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && !st.st_nlink &&
		  !stat(folder, &in_it) && st.st_dev == in_it.st_dev && !(st.st_mode & 077) &&
		  pwrite(fd, "copy", 4, 0) == 4;

	return reads(fd, "copy") && is;
}

static void spool(void)
{
	char *kept = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
	char far[PATH_MAX];
	int fd;

	begin();
	memset(far, '/', sizeof(far));
	memcpy(far, folder, strlen(folder));
	for (int how = 0; how < 2; how++) {
		for (int named = 0; named < 2; named++) {
			no_tmpfile = named;
			setenv("TMPDIR", folder, 1);
			helper(how, &nothing);
			CU_ASSERT(nameless(opener_spool()));
			/* No name is left behind. */
			CU_ASSERT(!rmdir(folder) && !mkdir(folder, 0755));
			opener_end();
		}
		setenv("TMPDIR", in("none"), 1);
		helper(how, &nothing);
		CU_ASSERT_EQUAL(opener_spool(), -ENOENT);
		opener_end();
		/* With the name of the file it is too long by a byte; or not. */
		far[sizeof(far) - sizeof("/post-XXXXXX")] = 0;
		setenv("TMPDIR", far, 1);
		helper(how, &nothing);
		CU_ASSERT(nameless(opener_spool()));
		opener_end();
		far[sizeof(far) - sizeof("/post-XXXXXX")] = '/';
		far[sizeof(far) - sizeof("/post-XXXXXX") + 1] = 0;
		setenv("TMPDIR", far, 1);
		helper(how, &nothing);
		CU_ASSERT_EQUAL(opener_spool(), -ENAMETOOLONG);
		opener_end();
		/* Without a word about it. */
		no_tmpfile = false;
		setenv("TMPDIR", "", 1);
		helper(how, &nothing);
		fd = opener_spool();
		CU_ASSERT(fd >= 0 && !close(fd));
		opener_end();
	}
	unsetenv("TMPDIR");
	if (kept)
		setenv("TMPDIR", kept, 1);
	free(kept);
	end();
}

/* ---- servers --------------------------------------------------------------------------------- */

static void servers(void)
{
	static const struct opener_task task = { .debuginfod = 7 };
	uint8_t id[SERVERS_ID + 1] = { 1, [SERVERS_ID - 1] = 9 };
	const char *why;
	char path[64], little[4];
	int fd;

	begin();
	helper(true, &task);
	CU_ASSERT_PTR_NOT_NULL_FATAL(asker);
	id[19] = 5;
	fd = asker(id, 20, path, sizeof(path), &why);
	CU_ASSERT(fd >= 0 && !close(fd) && !why);
	CU_ASSERT_STRING_EQUAL(path, "7/20/5");
	fd = asker(id, 20, little, sizeof(little), &why);
	CU_ASSERT(fd >= 0 && !close(fd) && !strcmp(little, "7/2"));
	fd = asker(id, SERVERS_ID, NULL, 0, &why);
	CU_ASSERT(fd >= 0 && !close(fd));
	id[0] = 2;
	CU_ASSERT_EQUAL(asker(id, SERVERS_ID, path, sizeof(path), &why), -1);
	CU_ASSERT_STRING_EQUAL(path, "7/64/9");
	CU_ASSERT(why && !strcmp(why, "no such thing"));
	id[0] = 1;
	CU_ASSERT_EQUAL(asker(id, SERVERS_ID + 1, path, sizeof(path), &why), -1);
	CU_ASSERT(!*path && !why);
	opener_end();
	/* Without a request for a server, none is asked. */
	helper(true, &nothing);
	CU_ASSERT_EQUAL(asker(id, 20, path, sizeof(path), &why), -1);
	CU_ASSERT(!*path && !why);
	opener_end();
	end();
}

/* ---- the helper's life ----------------------------------------------------------------------- */

static pid_t only_child(void)
{
	char path[64], line[64] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	f = fopen(path, "re");
	if (f) {
		if (!fgets(line, sizeof(line), f))
			line[0] = 0;
		fclose(f);
	}
	return atoi(line);
}

static void life(void)
{
	char name[4097];
	pid_t pid;
	int fd;

	begin();
	put("all", geteuid(), getegid(), 0644);
	CU_ASSERT_EQUAL(only_child(), 0);
	opener_end(); /* none */
	helper(true, &nothing);
	pid = only_child();
	CU_ASSERT_FATAL(pid > 0);
	/* Ctrl-C is for the reader, as soon as it serves. */
	CU_ASSERT(reads(opener_as(geteuid(), getegid(), in("all")), "all"));
	CU_ASSERT(!kill(pid, SIGINT) && !kill(pid, SIGTERM) && !kill(pid, SIGHUP));
	CU_ASSERT(!kill(pid, SIGPIPE) && !kill(pid, SIGUSR1));
	CU_ASSERT(reads(opener_as(geteuid(), getegid(), in("all")), "all"));
	/* As long as a path can be, and longer. */
	memset(name, 'x', sizeof(name));
	name[4096] = 0;
	CU_ASSERT_EQUAL(opener_as(geteuid(), getegid(), name), -ENAMETOOLONG);
	name[4095] = 0;
	memset(name, '/', 4095);
	memcpy(name + 4095 - strlen(in("all")), in("all"), strlen(in("all")));
	CU_ASSERT(reads(opener_as(geteuid(), getegid(), name), "all"));
	opener_end();
	CU_ASSERT_EQUAL(only_child(), 0);
	/* It is gone. */
	helper(true, &nothing);
	kill(only_child(), SIGKILL);
	fd = opener_spool();
	CU_ASSERT(fd == -EPIPE || fd == -ECONNRESET);
	CU_ASSERT_EQUAL(opener_as(geteuid(), getegid(), in("all")), -EPIPE);
	opener_end();
	CU_ASSERT_EQUAL(only_child(), 0);
	CU_ASSERT(reads(opener_as(geteuid(), getegid(), in("all")), "all"));
	/* The helper exits when the reading process is killed. */
	pid = fork();
	if (!pid) {
		int rc = opener_begin(&nothing);
		int to = open(in("pid"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

		dprintf(to, "%d", only_child());
		_exit(rc);
	}
	CU_ASSERT(waitpid(pid, &fd, 0) == pid && !fd);
	fd = open(in("pid"), O_RDONLY | O_CLOEXEC);
	name[read(fd, name, 16)] = 0;
	close(fd);
	pid = atoi(name);
	CU_ASSERT(pid > 0);
	for (int i = 0; i < 5000 && !kill(pid, 0); i++)
		usleep(1000);
	/* The process that adopts orphans may not have waited for it. */
	snprintf(name, sizeof(name), "/proc/%d/exe", pid);
	CU_ASSERT(access(name, F_OK));
	end();
}

int main(void)
{
	static const struct unit_test tests[] = {
		/* Before anybody has looked up who calls. */
		{ "by_sudo", by_sudo },
		{ "as_user", as_user },
		{ "inside", inside },
		{ "written", written },
		{ "once", once },
		{ "in_folder", in_folder },
		{ "without_stdin", without_stdin },
		{ "spool", spool },
		{ "servers", servers },
		{ "life", life },
		{},
	};

	return unit_run("opener", tests);
}
