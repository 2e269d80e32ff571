/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sandbox of post's readers: in a child that has entered it every way out is tried, and what a
 * reader needs must go on. Each way is tried outside too: it must lead out there, or the test would
 * show nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/sandbox.h"
#include "unit.h"

static char folder[64];
static int open_before = -1, listener = -1, tcp = -1;
static struct sockaddr_un unix_name = { .sun_family = AF_UNIX };
static struct sockaddr_in tcp_name = { .sin_family = AF_INET };

/* A path in the test's folder. */
static const char *in(const char *name)
{
	static char path[2][128];
	static int turn;

	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", folder, name);
	return path[turn];
}

/* ---- ways out: 0 or more when they lead out, -1 with errno ----------------------------------- */

static long write_file(void)
{
	return open(in("file"), O_WRONLY);
}
static long update_file(void)
{
	return open(in("file"), O_RDWR);
}
static long third_mode(void)
{
	return open(in("file"), 3);
}
static long make_file(void)
{
	return open(in("new"), O_RDONLY | O_CREAT, 0600);
}
static long cut_by_open(void)
{
	return open(in("file"), O_RDONLY | O_TRUNC);
}
static long nameless_file(void)
{
	return open(folder, O_TMPFILE | O_RDWR, 0600);
}
static long creat_file(void)
{
	return creat(in("new"), 0600);
}
static long cut_file(void)
{
	return truncate(in("file"), 0);
}
static long remove_file(void)
{
	return unlink(in("file"));
}
static long remove_folder(void)
{
	return rmdir(in("sub"));
}
static long make_folder(void)
{
	return mkdir(in("new"), 0700);
}
static long rename_file(void)
{
	return rename(in("file"), in("other"));
}
static long link_file(void)
{
	return link(in("file"), in("other"));
}
static long symlink_file(void)
{
	return symlink("x", in("other"));
}
static long make_fifo(void)
{
	return mkfifo(in("other"), 0600);
}
static long change_mode(void)
{
	return chmod(in("file"), 0777);
}
static long change_mode_of_open(void)
{
	return fchmod(open_before, 0777);
}
static long change_owner(void)
{
	return chown(in("file"), getuid(), getgid());
}
static long change_times(void)
{
	return utimensat(AT_FDCWD, in("file"), NULL, 0);
}
static long change_folder(void)
{
	return chdir(folder);
}
static long change_umask(void)
{
	return syscall(SYS_umask, 0);
}

static long by_openat2(void)
{
	struct open_how how = { .flags = O_WRONLY };

	return syscall(SYS_openat2, AT_FDCWD, in("file"), &how, sizeof(how));
}

static long make_unix_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM, 0);
}
static long make_tcp_socket(void)
{
	return socket(AF_INET, SOCK_STREAM, 0);
}
static long make_netlink(void)
{
	return socket(AF_NETLINK, SOCK_RAW, 0);
}

static long connect_unix(void)
{
	return connect(open_before + 1, (struct sockaddr *)&unix_name, sizeof(unix_name));
}

static long connect_tcp(void)
{
	return connect(tcp, (struct sockaddr *)&tcp_name, sizeof(tcp_name));
}

static long datagrams(void)
{
	int pair[2];

	return socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
}

static long bind_unix(void)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };

	snprintf(name.sun_path, sizeof(name.sun_path), "%s", in("bound"));
	return bind(open_before + 1, (struct sockaddr *)&name, sizeof(name));
}

/* If exec returns at all, it has failed; a child that was executed exits with 0. */
static long execute(void)
{
	char *words[] = { (char *)"true", NULL };

	execve("/bin/true", words, environ);
	return -1;
}

static long execute_in_child(void)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		execute();
		_exit(errno);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	errno = WEXITSTATUS(status);
	return errno ? -1 : 0;
}

static long execute_at(void)
{
	char *words[] = { (char *)"true", NULL };

	return syscall(SYS_execveat, AT_FDCWD, "/bin/true", words, environ, 0);
}

static long signal_parent(void)
{
	return kill(getppid(), 0);
}
static long signal_group(void)
{
	return kill(0, 0);
}
static long signal_all(void)
{
	return kill(-1, 0);
}
static long signal_thread(void)
{
	return syscall(SYS_tkill, getppid(), 0);
}

static long trace_self(void)
{
#ifdef __SANITIZE_ADDRESS__
	errno = EPERM; /* its leak checker needs that */
	return -1;
#endif
	return ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}

static long read_parent(void)
{
	char byte;
	struct iovec here = { &byte, 1 }, there = { (void *)folder, 1 };

	return process_vm_readv(getppid(), &here, 1, &there, 1, 0);
}

static long descriptor_of_parent(void)
{
	return syscall(SYS_pidfd_open, getppid(), 0);
}
static long new_namespace(void)
{
	return unshare(CLONE_NEWUSER);
}
static long new_process_in_namespace(void)
{
	return syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
}

static long mount_over(void)
{
	return mount("x", in("sub"), "tmpfs", 0, NULL);
}
static long load_bpf(void)
{
	return syscall(SYS_bpf, 0, NULL, 0);
}
static long io_uring(void)
{
	return syscall(425, 1, NULL);
}
static long keys(void)
{
	return syscall(SYS_keyctl, 0, 0, 0, 0, 0);
}
static long userfault(void)
{
	return syscall(SYS_userfaultfd, 0);
}
static long count_events(void)
{
	return syscall(SYS_perf_event_open, NULL, 0, 0, 0, 0);
}
static long become_root(void)
{
	return setuid(getuid());
}
static long new_session(void)
{
	return setsid();
}
static long limit_parent(void)
{
	struct rlimit r;

	return syscall(SYS_prlimit64, getppid(), RLIMIT_NOFILE, NULL, &r);
}

static long code_mapped(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? -1 : 0;
}

static long code_made(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return mprotect(p, 4096, PROT_READ | PROT_EXEC);
}

/* A terminal would take it as typed; here only the call is of interest. */
static long type_for_user(void)
{
	long rc = ioctl(open_before, TIOCSTI, "x");

	return rc && errno == ENOTTY ? 0 : rc;
}

static long signals_by_file(void)
{
	return fcntl(open_before, F_SETOWN, getppid());
}

#define WAY(f)                      \
	{                           \
		.name = #f, .go = f \
	}
static const struct way {
	const char *name;
	long (*go)(void);
} ways[] = {
	WAY(write_file),
	WAY(update_file),
	WAY(third_mode),
	WAY(make_file),
	WAY(cut_by_open),
	WAY(nameless_file),
	WAY(creat_file),
	WAY(cut_file),
	WAY(remove_file),
	WAY(remove_folder),
	WAY(make_folder),
	WAY(rename_file),
	WAY(link_file),
	WAY(symlink_file),
	WAY(make_fifo),
	WAY(change_mode),
	WAY(change_mode_of_open),
	WAY(change_owner),
	WAY(change_times),
	WAY(change_folder),
	WAY(change_umask),
	WAY(by_openat2),
	WAY(make_unix_socket),
	WAY(make_tcp_socket),
	WAY(make_netlink),
	WAY(connect_unix),
	WAY(connect_tcp),
	WAY(datagrams),
	WAY(bind_unix),
	WAY(execute),
	WAY(execute_in_child),
	WAY(execute_at),
	WAY(signal_parent),
	WAY(signal_group),
	WAY(signal_all),
	WAY(signal_thread),
	WAY(trace_self),
	WAY(read_parent),
	WAY(descriptor_of_parent),
	WAY(new_namespace),
	WAY(new_process_in_namespace),
	WAY(mount_over),
	WAY(load_bpf),
	WAY(io_uring),
	WAY(keys),
	WAY(userfault),
	WAY(count_events),
	WAY(become_root),
	WAY(new_session),
	WAY(limit_parent),
	WAY(code_mapped),
	WAY(code_made),
	WAY(type_for_user),
	WAY(signals_by_file),
};

/* For these, the result outside the sandbox depends on the machine and the user. */
static bool anybody(const struct way *w)
{
	static long (*const not [])(void) = {
		trace_self,
		read_parent,
		new_namespace,
		new_process_in_namespace,
		mount_over,
		load_bpf,
		io_uring,
		keys,
		userfault,
		count_events,
		new_session,
		third_mode,
		descriptor_of_parent,
		signal_all,
	};

	for (size_t i = 0; i < sizeof(not ) / sizeof(not [0]); i++)
		if (not [i] == w->go)
			return false;
	return true;
}

/* ---- children -------------------------------------------------------------------------------- */

static bool prepare(void)
{
	socklen_t n = sizeof(tcp_name);
	int fd;

	strcpy(folder, "/tmp/sandbox-XXXXXX");
	if (!mkdtemp(folder) || mkdir(in("sub"), 0700))
		return false;
	fd = open(in("file"), O_RDWR | O_CREAT, 0600);
	if (fd < 0 || write(fd, "text", 4) != 4)
		return false;
	open_before = fcntl(fd, F_DUPFD, 200);
	close(fd);
	snprintf(unix_name.sun_path, sizeof(unix_name.sun_path), "%s", in("listens"));
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	if (listener < 0 || bind(listener, (struct sockaddr *)&unix_name, sizeof(unix_name)) ||
	    listen(listener, 5))
		return false;
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (dup2(fd, open_before + 1) < 0)
		return false;
	close(fd);
	tcp_name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	tcp = socket(AF_INET, SOCK_STREAM, 0);
	return fd >= 0 && tcp >= 0 && !bind(fd, (struct sockaddr *)&tcp_name, n) &&
	       !listen(fd, 5) && !getsockname(fd, (struct sockaddr *)&tcp_name, &n);
}

static void clear(void)
{
	static const char *const names[] = { "file", "new", "other", "listens", "bound", "sub" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		remove(in(names[i]));
	CU_ASSERT_EQUAL(rmdir(folder), 0);
	for (int fd = 3; fd < 300; fd++)
		close(fd);
}

/* Returns a child's result for one way: 0 if it leads out, else its errno; 200: the sandbox was
 * refused. */
static int tried(const struct way *w, bool inside)
{
	int status = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		if (inside && sandbox_enter().calls)
			_exit(200);
		errno = 0;
		_exit(w->go() < 0 ? errno : 0);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 201;
}

static void ways_out(void)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		int got;

		CU_ASSERT_TRUE_FATAL(prepare());
		got = tried(&ways[i], true);
		if (got != EPERM && got != ENOSYS) {
			printf("# %s: %s\n", ways[i].name, got ? strerror(got) : "leads out");
			CU_FAIL("a way out");
		}
		clear();
		CU_ASSERT_TRUE_FATAL(prepare());
		got = anybody(&ways[i]) ? tried(&ways[i], false) : 0;
		if (got) {
			printf("# %s outside: %s\n", ways[i].name, strerror(got));
			CU_FAIL("no way out without the sandbox");
		}
		clear();
	}
}

static pid_t other_thread;

static void *waits(void *go)
{
	__atomic_store_n(&other_thread, gettid(), __ATOMIC_SEQ_CST);
	while (!__atomic_load_n((int *)go, __ATOMIC_SEQ_CST))
		usleep(1000);
	return NULL;
}

static int signals(void)
{
	pthread_t thread;
	int go = 0, wrong = 0;
	pid_t self = getpid();

	if (pthread_create(&thread, NULL, waits, &go))
		return 100;
	while (!__atomic_load_n(&other_thread, __ATOMIC_SEQ_CST))
		usleep(1000);
	if (sandbox_enter().calls)
		return 101;
	wrong |= kill(self, 0) ? 1 : 0;
	wrong |= syscall(SYS_tgkill, self, gettid(), 0) ? 2 : 0;
	wrong |= syscall(SYS_tgkill, self, other_thread, 0) ? 4 : 0;
	wrong |= kill(getppid(), 0) && errno == EPERM ? 0 : 8;
	wrong |= syscall(SYS_tgkill, getppid(), getppid(), 0) && errno == EPERM ? 0 : 16;
	wrong |= syscall(SYS_tgkill, getppid(), self, 0) && errno == EPERM ? 0 : 32;
	return wrong;
}

/* Signals go to this process alone, to any of its threads: abort() needs them. */
static void own_signals(void)
{
	int status = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid)
		_exit(signals());
	waitpid(pid, &status, 0);
	CU_ASSERT_EQUAL(status, 0);
}

/* Landlock refuses only access to files. */
static int by_landlock(long (*go)(void))
{
	int status = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || sandbox_landlock())
			_exit(200);
		_exit(go() < 0 ? errno : 0);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 201;
}

static void landlock(void)
{
	static long (*const refused[])(void) = {
		write_file,  update_file, make_file,    creat_file, remove_file, remove_folder,
		make_folder, rename_file, symlink_file, make_fifo,  execute,     by_openat2,
	};

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		int got;

		CU_ASSERT_TRUE_FATAL(prepare());
		got = by_landlock(refused[i]);
		if (got == 200)
			printf("# this kernel has no Landlock for us\n");
		else
			CU_ASSERT(got == EACCES || got == EXDEV || got == EPERM);
		clear();
		if (got == 200)
			return;
	}
}

/* ---- what a reader needs --------------------------------------------------------------------- */

static int needs(void)
{
	char text[8] = "", byte;
	struct stat st;
	int pair[2], fd, status;
	void *memory;
	pid_t pid;

	fd = open(in("file"), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 || read(fd, text, 4) != 4 || strcmp(text, "text") || fstat(fd, &st))
		return 1;
	memory = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	if (memory == MAP_FAILED || stat(folder, &st) || access(folder, R_OK))
		return 2;
	fd = open(folder, O_RDONLY | O_DIRECTORY);
	if (fd < 0 || syscall(SYS_getdents64, fd, &(char[1024]){ 0 }, 1024) <= 0)
		return 3;
	if (pwrite(open_before, "more", 4, 0) != 4 || ftruncate(open_before, 4))
		return 4;
	fd = memfd_create("x", MFD_CLOEXEC);
	if (fd < 0 || write(fd, "x", 1) != 1)
		return 5;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return 6;
	pid = fork();
	if (!pid) {
		if (dup2(pair[1], 3) != 3 || !sandbox_child(3, 64 << 20) ||
		    recv(3, &byte, 1, 0) != 1 || send(3, "b", 1, MSG_NOSIGNAL) != 1)
			_exit(10);
		/* It has no other descriptor, opens none, and has no more memory than that. */
		if (fcntl(open_before, F_GETFD) != -1 || open(in("file"), O_RDONLY) >= 0 ||
		    errno != EPERM || open("/", O_RDONLY) >= 0)
			_exit(11);
#ifndef __SANITIZE_ADDRESS__
		if (mmap(NULL, 256 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
			    MAP_FAILED ||
		    errno != ENOMEM)
			_exit(12);
#endif
		if (fork() >= 0 || errno != EPERM)
			_exit(13);
		/* A question that lasts ends it. */
		ualarm(50000, 0);
		for (;;)
			;
	}
	close(pair[1]);
	if (send(pair[0], "a", 1, MSG_NOSIGNAL) != 1 || recv(pair[0], &byte, 1, 0) != 1 ||
	    byte != 'b' || waitpid(pid, &status, 0) != pid)
		return 7;
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGALRM)
		return WIFEXITED(status) ? WEXITSTATUS(status) : 8;
	/* Already sandboxed: another sandbox works, as in a container. */
	return sandbox_enter().calls ? 9 : 0;
}

static void a_reader_goes_on(void)
{
	int status = 0;
	pid_t pid;

	CU_ASSERT_TRUE_FATAL(prepare());
	fflush(NULL);
	pid = fork();
	if (!pid)
		_exit(sandbox_enter().calls ? 200 : needs());
	waitpid(pid, &status, 0);
	CU_ASSERT_EQUAL(status, 0);
	if (status)
		printf("# a reader: %d, signal %d\n", WEXITSTATUS(status), WTERMSIG(status));
	clear();
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "ways_out", ways_out }, { "own_signals", own_signals },
		{ "landlock", landlock }, { "a_reader_goes_on", a_reader_goes_on },
		{ NULL, NULL },
	};

	return unit_run("sandbox", tests);
}
