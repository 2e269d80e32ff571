/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The listening thread. Several clients may be connected at a time, so that a silent one does not
 * block the others; commands run one after the other.
 */
#include "agent_control.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/newfile.h"
#include "base/now.h"
#include "control_commands.h"
#include "log_file.h"
#include "refused.h"

#define CLIENTS   16
#define SECONDS   2 /* time limit for receiving a request, and for sending an answer */
#define LISTENERS 2

/* A connected client whose request is not complete yet. */
struct control_client {
	int fd; /* -1: unused */
	bool tcp;
	uint64_t until;
	size_t n;
	char line[RT_LINE];
};

static struct {
	pthread_mutex_t lock; /* guards `on`, and starting and stopping */
	bool on;
	JavaVM *java;
	const struct agent_options *o;
	int listener[LISTENERS]; /* UNIX, TCP; -1: none */
	int wake;
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	char token[RT_TOKEN + 1];
	struct control_client client[CLIENTS];
} control = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void complain_errno(const char *what, int err)
{
	escape_printf(stderr, "%s: CONTROL: %s: %s\n", agent_kind.name, what, strerror(err));
}

/* ---- clients --------------------------------------------------------------------------------- */

static void hang_up(struct control_client *c)
{
	close(c->fd);
	c->fd = -1;
}

/* Returns false if the client has closed the socket, or does not read for too long. */
static bool send_all(int fd, const char *text, size_t n)
{
	uint64_t until = now_ns() + SECONDS * 1000000000ull, now;
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	ssize_t sent;

	while (n) {
		sent = send(fd, text, n, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (sent > 0) {
			text += sent;
			n -= (size_t)sent;
			continue;
		}
		now = now_ns();
		if ((errno != EAGAIN && errno != EINTR) || now >= until)
			return false;
		poll(&p, 1, (int)((until - now) / 1000000) + 1);
	}
	return true;
}

static void answer(struct control_client *c, bool ok, const char *words)
{
	char line[RT_LINE];

	send_all(c->fd, line, rt_answer_write(line, ok, words));
}

/* Returns true if listening ends. */
static bool obey(struct control_client *c, size_t length)
{
	static struct rt_request r;
	struct control_call call = { .java = control.java, .o = control.o };
	const char *why = rt_request_read(&r, c->line, length);

	if (!why && c->tcp && !rt_token_is(control.token, r.token))
		why = "the token is not the one that the agent wrote";
	call.argument = r.argument;
	if (!why)
		why = control_do(&call, r.command);
	answer(c, !why, why ? why : call.words);
	return !why && call.last;
}

static bool receive(struct control_client *c)
{
	ssize_t n = recv(c->fd, c->line + c->n, sizeof(c->line) - c->n, MSG_DONTWAIT);
	const char *end;
	bool last;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n <= 0) {
		hang_up(c);
		return false;
	}
	c->n += (size_t)n;
	end = memchr(c->line, '\n', c->n);
	if (!end && c->n < sizeof(c->line))
		return false;
	if (!end)
		answer(c, false, "the request is too long");
	last = end && obey(c, (size_t)(end - c->line));
	hang_up(c);
	return last;
}

/* Returns the slot for a new client: a free one, or that of the client that has been silent for
 * longest, TCP clients first, as their user is unknown. */
static struct control_client *place(void)
{
	struct control_client *best = &control.client[0];

	for (struct control_client *c = best; c < control.client + CLIENTS; c++) {
		if (c->fd < 0)
			return c;
		if (c->tcp != best->tcp ? c->tcp : c->until < best->until)
			best = c;
	}
	hang_up(best);
	return best;
}

static bool is_allowed(int fd)
{
	struct ucred peer;
	socklen_t n = sizeof(peer);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) &&
	       (peer.uid == geteuid() || !peer.uid);
}

static void come_in(int listener, bool tcp)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct control_client *c;

	if (fd < 0)
		return;
	if (!tcp && !is_allowed(fd)) {
		close(fd);
		return;
	}
	c = place();
	c->fd = fd;
	c->tcp = tcp;
	c->n = 0;
	c->until = now_ns() + SECONDS * 1000000000ull;
}

/* ---- the thread ------------------------------------------------------------------------------ */

static int next_timeout(uint64_t now)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < CLIENTS; i++)
		if (control.client[i].fd >= 0 && control.client[i].until < least)
			least = control.client[i].until;
	return least == UINT64_MAX ? -1 : least <= now ? 0 : (int)((least - now) / 1000000) + 1;
}

static void drop_silent(uint64_t now)
{
	for (struct control_client *c = control.client; c < control.client + CLIENTS; c++)
		if (c->fd >= 0 && c->until <= now)
			hang_up(c);
}

/* Returns true to continue. */
static bool serve(void)
{
	struct pollfd p[1 + LISTENERS + CLIENTS];
	int i;

	p[0] = (struct pollfd){ .fd = control.wake, .events = POLLIN };
	for (i = 0; i < LISTENERS; i++)
		p[1 + i] = (struct pollfd){ .fd = control.listener[i], .events = POLLIN };
	for (i = 0; i < CLIENTS; i++)
		p[1 + LISTENERS + i] = (struct pollfd){ .fd = control.client[i].fd,
							.events = POLLIN };
	if (poll(p, sizeof(p) / sizeof(*p), next_timeout(now_ns())) < 0)
		return errno == EINTR;
	if (p[0].revents)
		return false;
	for (i = 0; i < CLIENTS; i++)
		if (p[1 + LISTENERS + i].revents && receive(&control.client[i]))
			return false;
	drop_silent(now_ns());
	for (i = 0; i < LISTENERS; i++)
		if (p[1 + i].revents)
			come_in(control.listener[i], i > 0);
	return true;
}

static void remove_socket(void)
{
	struct stat s;

	if (*control.path && !lstat(control.path, &s) && S_ISSOCK(s.st_mode) &&
	    s.st_uid == geteuid())
		unlink(control.path);
	*control.path = 0;
}

static void close_all(void)
{
	int i;

	for (i = 0; i < LISTENERS; i++) {
		if (control.listener[i] >= 0)
			close(control.listener[i]);
		control.listener[i] = -1;
	}
	for (i = 0; i < CLIENTS; i++)
		if (control.client[i].fd >= 0)
			hang_up(&control.client[i]);
	close(control.wake);
}

static void *listen_on(void *unused)
{
	(void)unused;
	pthread_setname_np(pthread_self(), "pitrace control");
	while (serve())
		;
	pthread_mutex_lock(&control.lock);
	remove_socket();
	close_all();
	control.on = false;
	pthread_mutex_unlock(&control.lock);
	return NULL;
}

/* ---- begin and end --------------------------------------------------------------------------- */

/* A socket of this user with this name is a leftover of a dead VM with the same pid. */
static int listen_unix(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), err;

	snprintf(control.path, sizeof(control.path), "/tmp/" RT_SOCKET, (int)getpid());
	remove_socket();
	snprintf(control.path, sizeof(control.path), "/tmp/" RT_SOCKET, (int)getpid());
	memcpy(a.sun_path, control.path, sizeof(a.sun_path));
	/* fchmod before bind: the file has the mode from its creation. */
	if (fd >= 0 && !fchmod(fd, 0600) && !bind(fd, (struct sockaddr *)&a, sizeof(a)) &&
	    !chmod(control.path, 0600) && !listen(fd, CLIENTS))
		return fd;
	err = errno;
	escape_printf(stderr, "%s: CONTROL: %s: %s%s\n", agent_kind.name, control.path,
		      strerror(err), err == EADDRINUSE ? ": it is another user's" : "");
	if (fd >= 0)
		close(fd);
	*control.path = 0;
	return -1;
}

static bool make_token(void)
{
	unsigned char bytes[RT_TOKEN / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return false;
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(control.token + 2 * i, 3, "%02x", bytes[i]);
	return true;
}

static bool write_token(const char *path)
{
	struct newfile f;
	int err = make_token() ? newfile_open(&f, path, NEWFILE_REPLACE, 0600) : -EIO;

	if (!err && (fchmod(f.fd, 0600) || dprintf(f.fd, "%s\n", control.token) < 0))
		err = -errno;
	if (err) {
		complain_errno(path, -err);
		return false;
	}
	close(f.fd);
	newfile_keep(&f);
	return true;
}

static int listen_tcp(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_port = htons(control.o->port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(a);
	char path[LOG_FILE_PATH];
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), one = 1;

	log_file_path(path, control.o->calls.path, "", "rt-token", 1);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    bind(fd, (struct sockaddr *)&a, n) || listen(fd, CLIENTS) ||
	    getsockname(fd, (struct sockaddr *)&a, &n)) {
		complain_errno("127.0.0.1", errno);
	} else if (write_token(path)) {
		escape_printf(stderr, "%s: CONTROL: 127.0.0.1 port %d, the token is in %s\n",
			      agent_kind.name, (int)ntohs(a.sin_port), path);
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Blocks all signals for the new thread: signals are for the VM's own threads. */
static int start_thread(void)
{
	pthread_t thread;
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	err = pthread_create(&thread, NULL, listen_on, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!err)
		pthread_detach(thread);
	return err;
}

static bool listen_to(JavaVM *java, const struct agent_options *o)
{
	int err;

	control.java = java;
	control.o = o;
	for (int i = 0; i < CLIENTS; i++)
		control.client[i].fd = -1;
	control.listener[1] = -1;
	control.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	control.listener[0] = listen_unix();
	if (control.listener[0] >= 0 && o->tcp)
		control.listener[1] = listen_tcp();
	if (control.listener[0] >= 0 && (!o->tcp || control.listener[1] >= 0)) {
		err = control.wake < 0 ? errno : start_thread();
		if (!err)
			return true;
		complain_errno("a thread", err);
	}
	remove_socket();
	close_all();
	return false;
}

jint control_listen(JavaVM *java, const struct agent_options *o)
{
	pthread_mutex_lock(&control.lock);
	if (!control.on)
		control.on = listen_to(java, o);
	pthread_mutex_unlock(&control.lock);
	return control.on ? JNI_OK : JNI_ERR;
}

static __attribute__((destructor)) void at_exit(void)
{
	remove_socket();
}

void control_end(void)
{
	const uint64_t one = 1;

	pthread_mutex_lock(&control.lock);
	remove_socket();
	if (control.on && write(control.wake, &one, sizeof(one)) < 0)
		complain_errno("its end", errno);
	pthread_mutex_unlock(&control.lock);
}

static JavaVM *machine;
static const struct agent_options *asked;

static void JNICALL vm_begins(jvmtiEnv *vm, JNIEnv *jni, jthread thread)
{
	(void)vm, (void)jni, (void)thread;
	control_listen(machine, asked);
}

static void JNICALL vm_ends(jvmtiEnv *vm, JNIEnv *jni)
{
	(void)vm, (void)jni;
	control_end();
}

jint control_begin(jvmtiEnv *vm, JavaVM *java, const struct agent_options *o,
		   struct jitlog_writer *text, bool running)
{
	static const jvmtiEventCallbacks callbacks = { .VMInit = vm_begins, .VMDeath = vm_ends };
	jvmtiError err = (*vm)->SetEventCallbacks(vm, &callbacks, sizeof(callbacks));

	(void)text;
	machine = java;
	asked = o;
	if (!err)
		err = (*vm)->SetEventNotificationMode(vm, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
	if (!err)
		err = (*vm)->SetEventNotificationMode(vm, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL);
	if (err)
		return refused(vm, "CONTROL: the Java VM's begin and end", err);
	return running ? control_listen(java, o) : JNI_OK;
}
