/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads files of /proc line by line, and lists the online CPUs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/proc_lines.h"
#include "base/proc_text.h"

int getline_error(FILE *f)
{
	return !feof(f) && !ferror(f) ? -ENOMEM : 0;
}

int proc_lines(const char *path, proc_line line, void *arg)
{
	FILE *f = fopen(path, "re");
	size_t room = 0;
	char *text = NULL;
	ssize_t n = 0;
	int err;

	if (!f)
		return -errno;
	do
		n = getline(&text, &room, f);
	while (n > 0 && line(arg, text, (size_t)n));
	err = n < 0 ? getline_error(f) : 0;
	free(text);
	fclose(f);
	return err;
}

struct online {
	unsigned int *cpus;
	uint32_t n, room;
};

/* /proc/stat has a line for each CPU after one with the sums. */
static bool add_cpu(void *arg, const char *text, size_t length)
{
	struct online *o = arg;
	struct proc_cpu c;

	if (!proc_cpu_parse(text, length, &c))
		return !strncmp(text, "cpu ", 4);
	if (o->n < o->room && (!o->n || c.cpu > o->cpus[o->n - 1]))
		o->cpus[o->n++] = c.cpu;
	return true;
}

int proc_online(unsigned int *cpus, uint32_t room)
{
	struct online o = { cpus, 0, room };
	int err = proc_lines("/proc/stat", add_cpu, &o);

	return err ? err : (int)o.n;
}
