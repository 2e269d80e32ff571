/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that call each other in all ways of C; the argument says in which. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

struct thing {
	int value;
};

static volatile int sum;

int get(const struct thing *t)
{
	return t->value;
}

void getters(void)
{
	struct thing t = { 3 };

	for (int i = 0; i < 100000; i++)
		sum += get(&t);
}

int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

int odd(int n);
int even(int n)
{
	return n ? odd(n - 1) : 1;
}

int odd(int n)
{
	return n ? even(n - 1) : 0;
}

int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

void sort(void)
{
	int list[1000];

	for (int i = 0; i < 1000; i++)
		list[i] = i * 7919 % 1009;
	qsort(list, 1000, sizeof(int), compare);
}

static jmp_buf back;

void deep(int n)
{
	if (!n)
		longjmp(back, 1);
	deep(n - 1);
	sum++;
}

/* It is in itself when a call of it jumps back to the first one. */
void again(int n)
{
	if (n == 3) {
		if (!setjmp(back))
			again(2);
		sum++;
	} else if (n) {
		again(n - 1);
	} else {
		deep(4);
	}
}

void jumps(void)
{
	for (int i = 0; i < 50; i++) {
		if (!setjmp(back))
			deep(i % 7);
		sum += get(&(struct thing){ i });
	}
	for (int i = 0; i < 50; i++)
		again(3);
	sum += get(&(struct thing){ 1 });
}

double vary(int n, ...)
{
	double all = 0;
	va_list list;

	va_start(list, n);
	while (n--)
		all += va_arg(list, double);
	va_end(list);
	return all;
}

struct large {
	long part[9];
};

struct large make(long n)
{
	struct large l = { { n, 1, 2, 3, 4, 5, 6, 7, n } };

	return l;
}

double many(double a, double b, double c, double d, double e, double f, double g, double h, int i,
	    int j, int k, int l, int m, int n, int o)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + i + 2 * j + 3 * k +
	       4 * l + 5 * m + 6 * n + 7 * o;
}

void values(void)
{
	double all = 0;

	for (int i = 0; i < 1000; i++) {
		all += vary(5, 1.5, 2.5, 3.0, 4.0, (double)i);
		all += (double)make(i).part[8];
		all += many(1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, i);
	}
	printf("values %.1f\n", all);
}

void *thread(void *arg)
{
	sum += fib(12);
	return arg;
}

void threads(void)
{
	pthread_t t[8];

	for (int turn = 0; turn < 5; turn++) {
		for (int i = 0; i < 8; i++)
			pthread_create(&t[i], NULL, thread, NULL);
		for (int i = 0; i < 8; i++)
			pthread_join(t[i], NULL);
	}
}

static volatile int handled;

void note(int n)
{
	handled += n;
}

void handler(int number)
{
	note(1);
	(void)number;
}

/* A signal comes anywhere, also while an event is noted. */
void signals(int own_stack)
{
	struct itimerval often = { { 0, 50 }, { 0, 50 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction how = { .sa_handler = handler, .sa_flags = own_stack ? SA_ONSTACK : 0 };
	stack_t stack = { .ss_sp = malloc(65536), .ss_size = 65536 };
	struct thing t = { 1 };

	if (own_stack)
		sigaltstack(&stack, NULL);
	sigaction(SIGALRM, &how, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < 2000000; i++)
		sum += get(&t);
	setitimer(ITIMER_REAL, &never, NULL);
	printf("handled %d\n", handled);
}

/* … and does not return. */
static sigjmp_buf out;

void leaver(int number)
{
	(void)number;
	handled++;
	siglongjmp(out, 1);
}

void leaves(void)
{
	struct itimerval soon = { { 0, 0 }, { 0, 300 } };
	struct thing t = { 1 };

	signal(SIGALRM, leaver);
	for (volatile int i = 0; i < 1000; i++) {
		if (!sigsetjmp(out, 1)) {
			setitimer(ITIMER_REAL, &soon, NULL);
			for (;;)
				sum += get(&t);
		}
	}
	for (int i = 0; i < 10; i++)
		sum += fib(1);
	printf("handled %d\n", handled);
}

void forks(void)
{
	int status = 0;

	sum += fib(3);
	if (!fork()) {
		sum += fib(4);
		exit(7);
	}
	wait(&status);
	sum += fib(2);
}

void runs(const char *self)
{
	int status = 0;
	pid_t child;

	child = vfork();
	if (!child) {
		sum += get(&(struct thing){ 1 });
		execl(self, self, "getters", (char *)NULL);
		_exit(1);
	}
	waitpid(child, &status, 0);
	sum += get(&(struct thing){ status });
	child = vfork();
	if (!child) {
		sum += get(&(struct thing){ 1 });
		_exit(3);
	}
	waitpid(child, &status, 0);
	if (!fork()) {
		sum += fib(4);
		execlp(self, self, "even", (char *)NULL);
	}
	wait(&status);
	if (!fork()) {
		sum += fib(5);
		_exit(0);
	}
	wait(&status);
}

void leave_here(int n)
{
	if (!n)
		exit(5);
	leave_here(n - 1);
}

/* Two libraries, one after the other at the same address, as often as it comes. */
void libraries(const char *one, const char *two)
{
	for (int i = 0; i < 20; i++) {
		void *library = dlopen(i % 2 ? two : one, RTLD_NOW);
		int (*work)(int) = library ? (int (*)(int))dlsym(library, "work") : NULL;

		if (!work) {
			fprintf(stderr, "%s\n", dlerror());
			exit(1);
		}
		for (int k = 0; k < 10; k++)
			sum += work(k);
		dlclose(library);
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "getters"))
		getters();
	else if (!strcmp(what, "fib"))
		sum += fib(18);
	else if (!strcmp(what, "even"))
		sum += even(1000);
	else if (!strcmp(what, "sort"))
		sort();
	else if (!strcmp(what, "jumps"))
		jumps();
	else if (!strcmp(what, "values"))
		values();
	else if (!strcmp(what, "threads"))
		threads();
	else if (!strcmp(what, "signals"))
		signals(0);
	else if (!strcmp(what, "own_stack"))
		signals(1);
	else if (!strcmp(what, "leaves"))
		leaves();
	else if (!strcmp(what, "forks"))
		forks();
	else if (!strcmp(what, "runs"))
		runs(argv[0]);
	else if (!strcmp(what, "exit"))
		leave_here(3);
	else if (!strcmp(what, "libraries"))
		libraries(argv[2], argv[3]);
	return 0;
}
