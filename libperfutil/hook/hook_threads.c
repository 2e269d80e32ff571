/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads /proc: a thread's status has all its ids, that of the innermost namespace last. */
#include "hook/hook_threads.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/proc_lines.h"
#include "base/proc_text.h"
#include "base/search.h"

struct thread_numbers {
	unsigned int count; /* one per namespace, from ours inwards; 0: no such thread */
	uint64_t last;
};

static bool take_line(void *arg, const char *text, size_t length)
{
	struct thread_numbers *numbers = arg;

	numbers->count = proc_numbers(text, length, "NSpid:", &numbers->last);
	return !numbers->count;
}

static struct thread_numbers numbers_of(const char *path)
{
	struct thread_numbers numbers = { 0 };

	proc_lines(path, take_line, &numbers);
	if (numbers.last > INT32_MAX)
		numbers.count = 0;
	return numbers;
}

static struct thread_numbers numbers_of_thread(pid_t pid, uint32_t here)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%u/status", pid, here);
	return numbers_of(path);
}

static uint32_t place_of(const struct hook_threads *t, uint32_t inner)
{
	return search_sorted(i, 0, t->n, t->list[i].inner < inner);
}

/* NULL: it is unknown. */
static struct hook_thread_number *find(struct hook_threads *t, uint32_t inner)
{
	if (t->recent >= t->n || t->list[t->recent].inner != inner)
		t->recent = place_of(t, inner);
	return t->recent < t->n && t->list[t->recent].inner == inner ? &t->list[t->recent] : NULL;
}

static void put(struct hook_threads *t, uint32_t inner, uint32_t here, uint64_t scan)
{
	const struct hook_thread_number number = { inner, here, t->looks, scan };
	uint32_t at = place_of(t, inner);

	if (at == t->n || t->list[at].inner != inner) {
		if (array_next(t->list, t->n, t->room))
			return;
		memmove(&t->list[at + 1], &t->list[at], (t->n++ - at) * sizeof(*t->list));
	}
	t->list[at] = number;
}

/* Removes threads that were alive at neither of two listings: they have no more records. */
static void drop_ended(struct hook_threads *t)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < t->n; i++)
		if (t->list[i].looked + 1 >= t->looks)
			t->list[kept++] = t->list[i];
	t->n = kept;
}

static void look(struct hook_threads *t, pid_t pid, uint64_t scan)
{
	const struct dirent *e;
	char path[64];
	DIR *d;

	t->scanned = scan;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	d = opendir(path);
	if (!d)
		return;
	t->looks++;
	while ((e = readdir(d))) {
		uint32_t here = (uint32_t)strtoul(e->d_name, NULL, 10);
		struct thread_numbers numbers = { 0 };

		if (here)
			numbers = numbers_of_thread(pid, here);
		if (numbers.count)
			put(t, (uint32_t)numbers.last, here, scan);
	}
	closedir(d);
	drop_ended(t);
}

static void know(struct hook_threads *t, pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	t->known = true;
	t->nested = numbers_of(path).count > 1;
}

/* Another thread may have the id by now. */
static bool is_still(struct hook_thread_number *number, pid_t pid, uint64_t scan)
{
	struct thread_numbers numbers;

	if (number->checked == scan)
		return true;
	number->checked = scan;
	numbers = numbers_of_thread(pid, number->here);
	return numbers.count && numbers.last == number->inner;
}

uint32_t hook_threads_here(struct hook_threads *t, pid_t pid, uint32_t inner, uint64_t scan)
{
	struct hook_thread_number *number;

	if (!t->known)
		know(t, pid);
	if (!t->nested)
		return inner;
	number = find(t, inner);
	if ((!number || !is_still(number, pid, scan)) && (!t->looks || t->scanned != scan)) {
		look(t, pid, scan);
		number = find(t, inner);
	}
	return number ? number->here : inner;
}

void hook_threads_free(struct hook_threads *t)
{
	free(t->list);
	*t = (struct hook_threads){ 0 };
}
