/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "truth.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- getters */
static struct {
	int x, y;
} points[32];

CALLED static int get_x(int i)
{
	return points[i].x;
}

CALLED static void set_x(int i, int to)
{
	points[i].x = to;
}

CALLED static int getters(int n)
{
	int sum = 0;

	for (int i = 0; i < 32; i++) {
		set_x(i, get_x(i) + n);
		sum += get_x(i);
	}
	return sum;
}

/* ---- recursion */
CALLED static int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

CALLED static int recursion(int n)
{
	return fib(8 + n) + truth_sink;
}

/* ---- each other, not as jumps */
CALLED static int odd(int n);
CALLED static int even(int n)
{
	int rest = n ? odd(n - 1) : 1;

	return rest + (truth_sink & 1);
}

CALLED static int odd(int n)
{
	int rest = n ? even(n - 1) : 0;

	return rest + (truth_sink & 1);
}

CALLED static int mutual(int n)
{
	return even(60 + n) + truth_sink;
}

/* ---- callbacks of the C library */
CALLED static int compare(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

CALLED static int callbacks(int n)
{
	int list[40];

	for (int i = 0; i < 40; i++)
		list[i] = i * 7919 % 101 + n;
	qsort(list, 40, sizeof(*list), compare);
	return list[7];
}

/* ---- longjmp */
static jmp_buf there;

CALLED static int jumper(int n)
{
	int got;

	if (!n)
		longjmp(there, 1);
	got = jumper(n - 1);
	return got + truth_sink;
}

CALLED static int tries(int n)
{
	return setjmp(there) ? n : jumper(n);
}

CALLED static int jumps(int n)
{
	int sum = 0;

	for (int i = 0; i < 5 + n; i++)
		sum += tries(i) + fib(3);
	return sum;
}

/* ---- tail calls */
CALLED static int tail_b(int n, int sum);
CALLED static int tail_a(int n, int sum)
{
	return n ? tail_b(n - 1, sum + n) : sum;
}

CALLED static int tail_b(int n, int sum)
{
	return n ? tail_a(n - 1, sum ^ n) : sum;
}

CALLED static int tails(int n)
{
	int sum = 0;

	for (int i = 0; i < 10; i++)
		sum += tail_a(n + i, i);
	return sum;
}

/* ---- threads */
CALLED static void *in_thread(void *arg)
{
	truth_sink = fib(*(int *)arg);
	return NULL;
}

CALLED static int threads(int n)
{
	pthread_t t[2];

	n += 5;
	for (int i = 0; i < 2; i++)
		if (pthread_create(&t[i], NULL, in_thread, &n))
			abort();
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return truth_sink;
}

/* ---- signals */
CALLED static void handler(int sig)
{
	truth_sink = fib(sig & 3);
}

CALLED static int signals(int n)
{
	int sum = 0;

	signal(SIGUSR1, handler);
	for (int i = 0; i < 6; i++) {
		raise(SIGUSR1);
		sum += fib(n);
	}
	return sum;
}

/* ---- by pointers */
CALLED static int twice(int n)
{
	return n * 2;
}

CALLED static int square(int n)
{
	return n * n;
}

static int (*const table[])(int) = { twice, square, fib, twice };

CALLED static int pointers(int n)
{
	int sum = 0;

	for (int i = 0; i < 40; i++)
		sum += table[i & 3](n + (i & 1));
	return sum;
}

/* ---- processes */
CALLED static int child(int n)
{
	return fib(n) & 15;
}

CALLED static int forks(int n)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid)
		_exit(child(n + 3));
	waitpid(pid, &status, 0);
	return fib(n) + WEXITSTATUS(status);
}

CALLED static int vforks(int n)
{
	int status = 0;
	pid_t pid = vfork();

	if (!pid)
		_exit(n);
	waitpid(pid, &status, 0);
	return fib(n) + WEXITSTATUS(status);
}

/* ---- a library that comes and goes */
CALLED static int loads(int n)
{
	void *lib = dlopen("./libtruth.so", RTLD_NOW);
	int (*loaded)(int) = lib ? (int (*)(int))dlsym(lib, "loaded") : NULL;
	int sum = loaded ? loaded(n) + loaded(n + 1) : -1;

	if (lib)
		dlclose(lib);
	return sum;
}

/* ---- many arguments, large results */
CALLED static int add_all(int n, ...)
{
	va_list list;
	int sum = 0;

	va_start(list, n);
	for (int i = 0; i < n; i++)
		sum += va_arg(list, int);
	va_end(list);
	return sum;
}

CALLED static int variadic(int n)
{
	int sum = 0;

	for (int i = 0; i < 10; i++)
		sum += add_all(3, i, n, 2) + add_all(8, i, 1, 2, 3, 4, 5, 6, n);
	return sum;
}

struct large {
	long part[12];
};

CALLED static struct large make_large(long n)
{
	struct large l;

	for (int i = 0; i < 12; i++)
		l.part[i] = n * i;
	return l;
}

CALLED static struct large add_large(struct large a, struct large b)
{
	for (int i = 0; i < 12; i++)
		a.part[i] += b.part[i];
	return a;
}

CALLED static int structs(int n)
{
	struct large sum = make_large(n);

	for (int i = 0; i < 10; i++)
		sum = add_large(sum, make_large(i));
	return (int)sum.part[5];
}

/* ---- floating point */
CALLED static double scale(double a, double b)
{
	return a * b + 1.5;
}

CALLED static long double wide(long double a)
{
	return a / 3 + 1;
}

CALLED static int floating(int n)
{
	double d = n;
	long double w = n;

	for (int i = 0; i < 20; i++) {
		d = scale(d, 0.5);
		w = wide(w);
	}
	return (int)(d * 100 + (double)w);
}

/* ---- a deep stack */
CALLED static int deep(int n)
{
	char room[96];

	memset(room, n, 2);
	__asm__ volatile("" : : "r"(room) : "memory");
	return n ? deep(n - 1) + room[1] : 0;
}

CALLED static int depth(int n)
{
	return deep(200 + n) + truth_sink;
}

/* ---- loops: little is called, much is done */
CALLED static unsigned int mix(unsigned int n)
{
	for (int i = 0; i < 60; i++)
		n = n * 31 + (n >> 7);
	return n;
}

CALLED static int loops(int n)
{
	unsigned int sum = 0;

	for (unsigned int i = 0; i < 8; i++)
		sum += mix((unsigned int)n + i);
	return (int)(sum & 0xffff);
}

/* ---- unlike paths: each function has several callers */
CALLED static int low(int n)
{
	return n ^ 5;
}

CALLED static int middle(int n)
{
	return low(n) + low(n + 1);
}

CALLED static int upper(int n)
{
	return n & 1 ? middle(n) + low(n) : middle(n + 1) - middle(n);
}

CALLED static int paths(int n)
{
	int sum = 0;

	for (int i = 0; i < 20; i++)
		sum += upper(n + i);
	return sum;
}

static const struct truth_program programs[] = {
	{ "getters", getters },
	{ "recursion", recursion },
	{ "mutual", mutual },
	{ "callbacks", callbacks },
	{ "jumps", jumps },
	{ "tails", tails },
	{ "threads", threads },
	{ "signals", signals },
	{ "pointers", pointers },
	{ "forks", forks },
	{ "vforks", vforks },
	{ "loads", loads },
	{ "variadic", variadic },
	{ "structs", structs },
	{ "floating", floating },
	{ "depth", depth },
	{ "loops", loops },
	{ "paths", paths },
	{ 0 },
};

OUTSIDE int main(int argc, char **argv)
{
	return truth_main(programs, argc, argv);
}
