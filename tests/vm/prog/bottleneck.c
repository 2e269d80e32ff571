// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * bottleneck NAME: a program that is slow for one reason, and says which: "pid N from SECONDS want
 * KIND THREAD", as post -critical must have it first; or "place WHERE" for what its threads must
 * have waited at. From then on it is slow; before, it was loaded, which takes long on a busy host.
 * The thread to blame is called "culprit"; those that wait are called "victim" and "middle".
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "work.h"

#define ROUNDS_OF 12 /* of each bottleneck */
#define SLOW      8  /* ms of work of a culprit in each */

WORKER(slow_work)
WORKER(quick_work)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool over; /* set once */

static bool is_over(void)
{
	return __atomic_load_n(&over, __ATOMIC_RELAXED);
}

static void set_over(void)
{
	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
}

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static void say(const char *what, const char *which)
{
	int64_t now = clock_ns(CLOCK_MONOTONIC);

	printf("pid %d from %lld.%09lld %s %s\n", getpid(), (long long)(now / 1000000000),
	       (long long)(now % 1000000000), what, which);
	fflush(stdout);
}

static void want(const char *kind)
{
	say("want", kind);
}

static void call_me(const char *name)
{
	prctl(PR_SET_NAME, name);
}

static pthread_t start(void *(*function)(void *), void *arg)
{
	pthread_t t;

	if (pthread_create(&t, NULL, function, arg))
		die("pthread_create");
	return t;
}

static void put(int fd)
{
	if (write(fd, "12345678", 8) != 8)
		die("write");
}

static void get(int fd)
{
	char room[8];

	if (read(fd, room, sizeof(room)) != sizeof(room))
		die("read");
}

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

/* ---- locks ----------------------------------------------------------------------------------- */

static void *locks_often(void *arg)
{
	call_me("victim");
	while (!is_over()) {
		pthread_mutex_lock(&lock);
		quick_work(1);
		pthread_mutex_unlock(&lock);
		sleep_ms(1);
	}
	return arg;
}

static void *holds_and_works(void *arg)
{
	call_me("culprit");
	for (int i = 0; i < ROUNDS_OF; i++) {
		pthread_mutex_lock(&lock);
		slow_work(SLOW);
		pthread_mutex_unlock(&lock);
		sleep_ms(2);
	}
	set_over();
	return arg;
}

static void *holds_and_sleeps(void *arg)
{
	call_me("culprit");
	for (int i = 0; i < ROUNDS_OF; i++) {
		pthread_mutex_lock(&lock);
		sleep_ms(30);
		pthread_mutex_unlock(&lock);
		quick_work(1);
	}
	set_over();
	return arg;
}

static void with_victims(void *(*culprit)(void *), int victims)
{
	pthread_t t[8];

	for (int i = 0; i < victims; i++)
		t[i] = start(locks_often, NULL);
	pthread_join(start(culprit, NULL), NULL);
	for (int i = 0; i < victims; i++)
		pthread_join(t[i], NULL);
}

static void mutex(void)
{
	want("ran culprit");
	with_victims(holds_and_works, 3);
}

static void sleeper(void)
{
	want("slept culprit");
	with_victims(holds_and_sleeps, 3);
}

/* All threads need one lock all the time: none of them is to blame more than others. */
static void *convoy_member(void *arg)
{
	call_me("member");
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&lock);
		quick_work(1);
		sleep_ms(2);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void convoy(void)
{
	pthread_t t[4];
	char where[64];

	snprintf(where, sizeof(where), "futex 0x%lx", (unsigned long)&lock);
	say("place", where);
	for (int i = 0; i < 4; i++)
		t[i] = start(convoy_member, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
}

static void *flocks(void *arg)
{
	int fd = open("/tmp/locked", O_RDWR | O_CREAT, 0600);

	call_me(arg ? "culprit" : "victim");
	for (int i = 0; arg ? i < ROUNDS_OF : !is_over(); i++) {
		flock(fd, LOCK_EX);
		if (arg)
			slow_work(SLOW);
		flock(fd, LOCK_UN);
		sleep_ms(1);
	}
	set_over();
	return NULL;
}

static void file_lock(void)
{
	pthread_t victim[2];

	want("ran culprit");
	for (int i = 0; i < 2; i++)
		victim[i] = start(flocks, NULL);
	pthread_join(start(flocks, &over), NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(victim[i], NULL);
}

/* ---- signals of other kinds ------------------------------------------------------------------ */

static sem_t semaphore;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static int turn;

static void *waits_semaphore(void *arg)
{
	call_me("victim");
	for (int i = 0; i < ROUNDS_OF; i++)
		while (sem_wait(&semaphore))
			;
	return arg;
}

static void *posts_semaphore(void *arg)
{
	call_me("culprit");
	for (int i = 0; i < ROUNDS_OF; i++) {
		slow_work(SLOW);
		sem_post(&semaphore);
		sem_post(&semaphore);
	}
	return arg;
}

static void *waits_condition(void *arg)
{
	call_me("victim");
	pthread_mutex_lock(&lock);
	for (int seen = 0; seen < ROUNDS_OF; seen = turn)
		while (turn == seen)
			pthread_cond_wait(&condition, &lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *signals_condition(void *arg)
{
	call_me("culprit");
	for (int i = 0; i < ROUNDS_OF; i++) {
		slow_work(SLOW);
		pthread_mutex_lock(&lock);
		turn++;
		pthread_cond_broadcast(&condition);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *waits_barrier(void *arg)
{
	call_me(arg ? "culprit" : "victim");
	for (int i = 0; i < ROUNDS_OF; i++) {
		if (arg)
			slow_work(SLOW);
		else
			quick_work(1);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

static void several(void *(*victim)(void *), int victims, void *(*culprit)(void *), void *arg)
{
	pthread_t t[8];

	want("ran culprit");
	for (int i = 0; i < victims; i++)
		t[i] = start(victim, NULL);
	pthread_join(start(culprit, arg), NULL);
	for (int i = 0; i < victims; i++)
		pthread_join(t[i], NULL);
}

static void with_semaphore(void)
{
	sem_init(&semaphore, 0, 0);
	several(waits_semaphore, 2, posts_semaphore, NULL);
}

static void with_condition(void)
{
	several(waits_condition, 2, signals_condition, NULL);
}

static void with_barrier(void)
{
	pthread_barrier_init(&barrier, NULL, 4);
	several(waits_barrier, 3, waits_barrier, &barrier);
}

static void *waits_signal(void *arg)
{
	sigset_t set;
	int which;

	call_me("victim");
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	for (int i = 0; i < ROUNDS_OF; i++)
		sigwait(&set, &which);
	return arg;
}

static void *sends_signal(void *arg)
{
	call_me("culprit");
	for (int i = 0; i < ROUNDS_OF; i++) {
		slow_work(SLOW);
		pthread_kill(*(pthread_t *)arg, SIGUSR1);
	}
	return NULL;
}

static void with_signal(void)
{
	sigset_t set;
	pthread_t victim;

	want("ran culprit");
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	victim = start(waits_signal, NULL);
	pthread_join(start(sends_signal, &victim), NULL);
	pthread_kill(victim, SIGUSR1); /* two may have been one */
	pthread_join(victim, NULL);
}

/* ---- what is sent ---------------------------------------------------------------------------- */

static int way[2], back[2], deeper[2], deep_back[2];

static void *writes_slowly(void *arg)
{
	call_me("culprit");
	for (int i = 0; i < ROUNDS_OF; i++) {
		slow_work(SLOW);
		put(way[1]);
	}
	return arg;
}

static void *reads_all(void *arg)
{
	call_me("victim");
	for (int i = 0; i < ROUNDS_OF; i++)
		get(way[0]);
	return arg;
}

static void through_pipe(void)
{
	if (pipe(way))
		die("pipe");
	several(reads_all, 1, writes_slowly, NULL);
}

/* A pipe that is full: its reader is slow. */
static void *fills(void *arg)
{
	static char page[4096];

	call_me("victim");
	for (int i = 0; i < ROUNDS_OF + 1; i++)
		if (write(way[1], page, sizeof(page)) != sizeof(page))
			die("write");
	return arg;
}

static void *drains(void *arg)
{
	char page[4096];

	call_me("culprit");
	for (int i = 0; i < ROUNDS_OF; i++) {
		slow_work(SLOW);
		if (read(way[0], page, sizeof(page)) != sizeof(page))
			die("read");
	}
	return arg;
}

static void full_pipe(void)
{
	if (pipe(way) || fcntl(way[1], F_SETPIPE_SZ, 4096) != 4096)
		die("pipe");
	several(fills, 1, drains, NULL);
}

static void *asks(void *arg)
{
	call_me("victim");
	for (int i = 0; i < ROUNDS_OF; i++) {
		put(way[0]);
		get(way[0]);
	}
	return arg;
}

static void *answers(void *arg)
{
	call_me("culprit");
	for (int i = 0; i < ROUNDS_OF; i++) {
		get(way[1]);
		slow_work(SLOW);
		put(way[1]);
	}
	return arg;
}

static void through_socket(void)
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, way))
		die("socketpair");
	several(asks, 1, answers, NULL);
}

/* Each server calls another one: the longest waits are for the middle one. */
static void *client(void *arg)
{
	call_me("victim");
	for (int i = 0; i < ROUNDS_OF; i++) {
		put(way[1]);
		get(back[0]);
	}
	return arg;
}

static void *middle(void *arg)
{
	call_me("middle");
	for (int i = 0; i < ROUNDS_OF; i++) {
		get(way[0]);
		quick_work(1);
		put(deeper[1]);
		get(deep_back[0]);
		quick_work(1);
		put(back[1]);
	}
	return arg;
}

static void *deep(void *arg)
{
	call_me("culprit");
	for (int i = 0; i < ROUNDS_OF; i++) {
		get(deeper[0]);
		slow_work(SLOW);
		put(deep_back[1]);
	}
	return arg;
}

static void chain(void)
{
	pthread_t t;

	if (pipe(way) || pipe(back) || pipe(deeper) || pipe(deep_back))
		die("pipe");
	t = start(middle, NULL);
	several(client, 1, deep, NULL);
	pthread_join(t, NULL);
}

static void *polls(void *arg)
{
	int set = epoll_create1(0);
	struct epoll_event e = { .events = EPOLLIN };

	call_me("victim");
	epoll_ctl(set, EPOLL_CTL_ADD, way[0], &e);
	for (int i = 0; i < ROUNDS_OF; i++) {
		if (set < 0 || epoll_wait(set, &e, 1, -1) != 1)
			die("epoll_wait");
		get(way[0]);
	}
	return arg;
}

static void by_epoll(void)
{
	if (pipe(way))
		die("pipe");
	several(polls, 1, writes_slowly, NULL);
}

static int queue;
struct message {
	long type;
	char text[8];
};

static void *receives(void *arg)
{
	struct message m;

	call_me("victim");
	for (int i = 0; i < ROUNDS_OF; i++)
		if (msgrcv(queue, &m, sizeof(m.text), 0, 0) < 0)
			die("msgrcv");
	return arg;
}

static void *sends(void *arg)
{
	struct message m = { .type = 1 };

	call_me("culprit");
	for (int i = 0; i < ROUNDS_OF; i++) {
		slow_work(SLOW);
		if (msgsnd(queue, &m, sizeof(m.text), 0))
			die("msgsnd");
	}
	return arg;
}

static void by_message(void)
{
	queue = msgget(IPC_PRIVATE, 0600);
	several(receives, 1, sends, NULL);
	msgctl(queue, IPC_RMID, NULL);
}

/* ---- processes, CPUs, devices, memory -------------------------------------------------------- */

static void child(void)
{
	want("ran culprit");
	if (!fork()) {
		call_me("culprit");
		slow_work(SLOW * ROUNDS_OF);
		_exit(0);
	}
	wait(NULL);
}

static void only_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void starved(void)
{
	pid_t hog;

	want("had_cpu culprit");
	only_cpu(0);
	hog = fork();
	if (!hog) {
		call_me("culprit");
		setpriority(PRIO_PROCESS, 0, -15);
		for (;;)
			slow_work(100);
	}
	sleep_ms(1);
	quick_work(SLOW);
	kill(hog, SIGKILL);
	wait(NULL);
}

static void real_time(int priority)
{
	struct sched_param p = { .sched_priority = priority };

	if (sched_setscheduler(0, SCHED_FIFO, &p))
		die("sched_setscheduler");
}

/* The one in between has nothing to do with the lock, and keeps its holder from going on. */
static sem_t lock_held, go_between, go_on;

static void wait_for(sem_t *s)
{
	while (sem_wait(s))
		;
}

static void *low(void *arg)
{
	call_me("low");
	only_cpu(0);
	for (int i = 0; i < ROUNDS_OF; i++) {
		pthread_mutex_lock(&lock);
		sem_post(&lock_held);
		sem_post(&go_between);
		quick_work(1);
		pthread_mutex_unlock(&lock);
		wait_for(&go_on);
	}
	return arg;
}

static void *between(void *arg)
{
	call_me("culprit");
	only_cpu(0);
	real_time(10);
	for (int i = 0; i < ROUNDS_OF; i++) {
		wait_for(&go_between);
		slow_work(SLOW * 2);
	}
	return arg;
}

static void *high(void *arg)
{
	call_me("victim");
	only_cpu(0);
	real_time(20);
	for (int i = 0; i < ROUNDS_OF; i++) {
		wait_for(&lock_held);
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
		sem_post(&go_on);
	}
	return arg;
}

static void inversion(void)
{
	pthread_t l, m, h;

	want("had_cpu culprit");
	sem_init(&lock_held, 0, 0);
	sem_init(&go_between, 0, 0);
	sem_init(&go_on, 0, 0);
	m = start(between, NULL);
	h = start(high, NULL);
	l = start(low, NULL);
	pthread_join(h, NULL);
	pthread_join(m, NULL);
	pthread_join(l, NULL);
}

static void timer(void)
{
	want("slept bottleneck");
	for (int i = 0; i < ROUNDS_OF; i++) {
		quick_work(1);
		sleep_ms(50);
	}
}

static void disk(void)
{
	size_t size = 4 << 20;
	char *room = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = open("/dev/vda", O_RDWR | O_DIRECT);

	want("interrupt device");
	if (fd < 0 || room == MAP_FAILED)
		die("/dev/vda");
	memset(room, 7, size);
	for (int i = 0; i < ROUNDS_OF; i++)
		if (pwrite(fd, room, size, (1l << 30) + i * (long)size) != (ssize_t)size)
			die("pwrite");
}

/* Pages that a thread of the program's makes when they are touched. */
static int pager;
static char *pages;

static void *touches(void *arg)
{
	call_me("victim");
	for (int i = 0; i < ROUNDS_OF; i++)
		((volatile char *)pages)[i * WORK_PAGE] = 1;
	return arg;
}

static void *makes_pages(void *arg)
{
	static char page[WORK_PAGE];
	struct uffdio_copy copy = { .src = (unsigned long)page, .len = WORK_PAGE };
	struct uffd_msg m;

	call_me("culprit");
	for (int i = 0; i < ROUNDS_OF; i++) {
		if (read(pager, &m, sizeof(m)) != sizeof(m))
			die("userfaultfd");
		slow_work(SLOW);
		copy.dst = m.arg.pagefault.address & ~(WORK_PAGE - 1ul);
		if (ioctl(pager, UFFDIO_COPY, &copy))
			die("UFFDIO_COPY");
	}
	return arg;
}

static void page_faults(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register all = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	all.range.len = ROUNDS_OF * WORK_PAGE;
	pages = mmap(NULL, all.range.len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	all.range.start = (unsigned long)pages;
	pager = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (pager < 0 || ioctl(pager, UFFDIO_API, &api) || ioctl(pager, UFFDIO_REGISTER, &all))
		die("userfaultfd");
	several(touches, 1, makes_pages, NULL);
}

static const struct {
	const char *name;
	void (*run)(void);
} all[] = {
	{ "mutex", mutex },
	{ "sleeper", sleeper },
	{ "convoy", convoy },
	{ "flock", file_lock },
	{ "semaphore", with_semaphore },
	{ "condition", with_condition },
	{ "barrier", with_barrier },
	{ "signal", with_signal },
	{ "pipe", through_pipe },
	{ "full_pipe", full_pipe },
	{ "socket", through_socket },
	{ "chain", chain },
	{ "epoll", by_epoll },
	{ "message", by_message },
	{ "child", child },
	{ "starved", starved },
	{ "inversion", inversion },
	{ "timer", timer },
	{ "disk", disk },
	{ "fault", page_faults },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (argc < 2)
			puts(all[i].name);
		else if (!strcmp(argv[1], all[i].name)) {
			all[i].run();
			return 0;
		}
	}
	return argc < 2 ? 0 : 2;
}
