/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Both ends of the helper process: the requests, and the process that opens the files. */
#include "sandbox/opener.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/rights.h"
#include "sandbox/servers.h"

enum question { OUTPUT, FOLDER, IN_FOLDER, INSIDE, AS_USER, SPOOL, DEBUG_FILE };

struct request {
	uint32_t question;
	uint32_t number; /* OUTPUT, FOLDER: index; INSIDE: pid; AS_USER: uid; DEBUG_FILE: bytes of
			  * the build id */
	uint32_t group;  /* AS_USER */
	char name[4096]; /* IN_FOLDER, INSIDE, AS_USER; DEBUG_FILE: the build id */
};

struct reply {
	int32_t rc; /* 0: a descriptor comes along; else -errno */
	uint32_t renamed;
	char path[4096]; /* DEBUG_FILE: path in the cache */
	char why[256];   /* message for the user; "": none */
};

/* The helper process. A process reads one trace at a time, so one helper is enough. */
static struct {
	int fd; /* -1: no helper, this process opens the files */
	pid_t pid;
} opener = { .fd = -1 };

/* ---- operations, in the helper or without it ------------------------------------------------- */

static int make_in_folder(int folder, const char *name)
{
	struct rights_saved kept;
	int fd = output_take_rights(&kept);

	if (fd < 0)
		return fd;
	fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0)
		fd = -errno;
	rights_restore(&kept);
	return fd;
}

/* Opens a file with the target process's rights. Symbolic links and mounts cannot lead outside. */
static int open_inside(uint32_t pid, const char *path)
{
	struct rights rights;
	int root = rights_root((pid_t)pid), fd, rc;

	if (root < 0)
		return -errno;
	rc = rights_of_process((pid_t)pid, &rights);
	if (!rc) {
		fd = rights_open_below(&rights, root, path, NULL);
		rc = fd < 0 ? -errno : fd;
	}
	close(root);
	return rc;
}

static int open_as(uid_t uid, gid_t gid, const char *path)
{
	const struct rights rights = { .uid = uid, .gid = gid, .ngroups = 1, .groups = { gid } };
	int fd = rights_open_below(&rights, -1, path, NULL);

	return fd < 0 ? -errno : fd;
}

static const char *spool_folder(void)
{
	const char *folder = getenv("TMPDIR");

	return folder && *folder ? folder : "/var/tmp";
}

static int make_spool(void)
{
	const char *folder = spool_folder();
	char path[4096];
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	if (snprintf(path, sizeof(path), "%s/post-XXXXXX", folder) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(path);
	return fd;
}

/* ---- the helper process ---------------------------------------------------------------------- */

struct opener_serving {
	const struct opener_task *task;
	uint64_t done; /* bit mask of the outputs already opened */
	int folder;    /* -1: none yet */
};

static int serve_output(struct opener_serving *s, const struct request *q, struct reply *r)
{
	const struct opener_output *to;
	struct output out;
	int fd;

	if (q->number >= 64 || q->number >= s->task->outputs || s->done >> q->number & 1)
		return -EINVAL;
	s->done |= 1ull << q->number;
	to = &s->task->output[q->number];
	if (q->question == FOLDER) {
		bool renamed;

		if (!to->folder)
			return -EINVAL;
		fd = s->folder = output_folder(to->path, 0777, &renamed);
		r->renamed = renamed;
		return fd < 0 ? fd : dup(fd);
	}
	r->rc = output_open(&out, to->path, to->mode);
	if (r->rc)
		return r->rc;
	r->renamed = out.renamed;
	fd = dup(fileno(out.file));
	if (out.file != stdout)
		fclose(out.file);
	return fd < 0 ? -errno : fd;
}

static int serve_in_folder(const struct opener_serving *s, const struct request *q)
{
	size_t n = strspn(q->name, "abcdefghijklmnopqrstuvwxyz0123456789");

	return s->folder < 0 || !n || q->name[n] ? -EINVAL : make_in_folder(s->folder, q->name);
}

static int serve_debug_file(const struct opener_serving *s, const struct request *q,
			    struct reply *r)
{
	if (!s->task->debuginfod || q->number > SERVERS_ID)
		return -EINVAL;
	return servers_get(s->task->debuginfod, q->name, q->number, r->path, sizeof(r->path),
			   r->why, sizeof(r->why));
}

static int serve_one(struct opener_serving *s, struct request *q, struct reply *r)
{
	q->name[sizeof(q->name) - 1] = '\0';
	switch (q->question) {
	case OUTPUT:
	case FOLDER:
		return serve_output(s, q, r);
	case IN_FOLDER:
		return serve_in_folder(s, q);
	case INSIDE:
		return open_inside(q->number, q->name);
	case AS_USER:
		return open_as(q->number, q->group, q->name);
	case SPOOL:
		return make_spool();
	case DEBUG_FILE:
		return serve_debug_file(s, q, r);
	}
	return -EINVAL;
}

static bool send_reply(int to, struct reply *r, int fd)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .head = { .cmsg_len = CMSG_LEN(sizeof(int)),
				.cmsg_level = SOL_SOCKET,
				.cmsg_type = SCM_RIGHTS } };
	struct iovec part = { r, sizeof(*r) };
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1 };

	if (fd >= 0) {
		memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
		m.msg_control = &control;
		m.msg_controllen = sizeof(control.room);
	}
	return sendmsg(to, &m, MSG_NOSIGNAL) == sizeof(*r);
}

static _Noreturn void serve(const struct opener_task *task, int from)
{
	static struct reply r;
	struct opener_serving s = { .task = task, .folder = -1 };
	struct request q;
	ssize_t n;

	/* Ctrl-C is meant for the reader; the helper exits when the reader does. */
	for (int i = 1; i < 32; i++)
		if (i != SIGCHLD && i != SIGSEGV && i != SIGBUS && i != SIGABRT)
			signal(i, SIG_IGN);
	while ((n = recv(from, &q, sizeof(q), 0)) == sizeof(q)) {
		int fd;

		memset(&r, 0, sizeof(r));
		fd = serve_one(&s, &q, &r);
		r.rc = fd < 0 ? fd : 0;
		if (!send_reply(from, &r, fd))
			break;
		if (fd >= 0)
			close(fd);
	}
	_exit(0);
}

/* ---- requests -------------------------------------------------------------------------------- */

/* Returns the descriptor that came with the reply, or -errno. */
static int receive(struct reply *r)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec part = { r, sizeof(*r) };
	struct msghdr m = { .msg_iov = &part,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof(control.room) };
	struct cmsghdr *c;
	ssize_t n;
	int fd = -EPROTO;

	do
		n = recvmsg(opener.fd, &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n != sizeof(*r))
		return -EPIPE;
	c = CMSG_FIRSTHDR(&m);
	if (c && c->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return r->rc ? r->rc : fd;
}

static int ask_for(struct request *q, const void *name, size_t size, struct reply *r)
{
	if (size > sizeof(q->name))
		return -ENAMETOOLONG;
	memcpy(q->name, name, size);
	if (send(opener.fd, q, sizeof(*q), MSG_NOSIGNAL) < 0)
		return -errno;
	return receive(r);
}

static int ask(enum question question, uint32_t number, const void *name, size_t size,
	       struct reply *r)
{
	struct request q = { .question = question, .number = number };

	return ask_for(&q, name, size, r);
}

int opener_output(unsigned int i, const struct opener_output *to, struct output *out)
{
	static struct reply r;
	char name[32];
	int fd, rc;

	if (opener.fd < 0 || !strcmp(to->path, "-"))
		return output_open(out, to->path, to->mode);
	fd = ask(OUTPUT, i, "", 0, &r);
	if (fd < 0)
		return fd;
	snprintf(name, sizeof(name), "/dev/fd/%d", fd);
	rc = output_open(out, name, to->mode);
	close(fd);
	out->path = to->path;
	out->renamed = r.renamed;
	return rc;
}

int opener_folder(unsigned int i, const struct opener_output *to, bool *renamed)
{
	static struct reply r;
	int fd;

	if (opener.fd < 0)
		return output_folder(to->path, 0777, renamed);
	fd = ask(FOLDER, i, "", 0, &r);
	*renamed = r.renamed;
	return fd;
}

int opener_in_folder(int folder, const char *name)
{
	static struct reply r;

	return opener.fd < 0 ? make_in_folder(folder, name) :
			       ask(IN_FOLDER, 0, name, strlen(name) + 1, &r);
}

int opener_inside(uint32_t pid, const char *path)
{
	static struct reply r;

	return opener.fd < 0 ? open_inside(pid, path) :
			       ask(INSIDE, pid, path, strlen(path) + 1, &r);
}

int opener_as(uid_t uid, gid_t gid, const char *path)
{
	struct request q = { .question = AS_USER, .number = uid, .group = gid };
	static struct reply r;

	return opener.fd < 0 ? open_as(uid, gid, path) : ask_for(&q, path, strlen(path) + 1, &r);
}

int opener_spool(void)
{
	static struct reply r;

	return opener.fd < 0 ? make_spool() : ask(SPOOL, 0, "", 0, &r);
}

static int ask_servers(const void *id, size_t n, char *path, size_t size, const char **why)
{
	static struct reply r;
	static char said[sizeof(r.why)];
	int fd = ask(DEBUG_FILE, (uint32_t)n, id, n, &r);

	if (size)
		snprintf(path, size, "%.*s", (int)sizeof(r.path) - 1, r.path);
	memcpy(said, r.why, sizeof(said));
	said[sizeof(said) - 1] = '\0';
	*why = *said ? said : NULL;
	return fd < 0 ? -1 : fd;
}

int opener_begin(const struct opener_task *task)
{
	int pair[2], room = 4 * sizeof(struct reply);

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	setsockopt(pair[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	fflush(NULL);
	opener.pid = fork();
	if (!opener.pid) {
		close(pair[0]);
		serve(task, pair[1]);
	}
	close(pair[1]);
	if (opener.pid < 0) {
		close(pair[0]);
		return -EAGAIN;
	}
	opener.fd = pair[0];
	servers_by(ask_servers);
	return 0;
}

void opener_end(void)
{
	if (opener.fd < 0)
		return;
	close(opener.fd);
	opener.fd = -1;
	while (waitpid(opener.pid, NULL, 0) < 0 && errno == EINTR)
		;
}
