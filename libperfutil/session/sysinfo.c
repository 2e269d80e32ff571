/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Snapshots of the machine: system, kernel symbols, modules, vdso. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include "base/array.h"
#include "base/memstream.h"
#include "base/proc_lines.h"
#include "image/kernel_modules.h"
#include "session/sysinfo.h"
#include "image/vdso.h"

#define TEXT_MAX (64u << 20)

void sysinfo_header(struct pifile_header *h, const struct trace_config *config,
		    const char *collector, const struct trace_info *info, uint64_t clock_hz)
{
	struct utsname u = { 0 };
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	uname(&u);
	memset(h, 0, sizeof(*h));
	h->clock = info->clock;
	h->clock_hz = clock_hz;
	h->mode = config->mode;
	h->scope = config->scope;
	h->pid = config->scope == PITRACE_SCOPE_PROCESS ? config->pid : 0;
	h->ncpus = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
	h->start_realtime = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	h->rate = info->rate;
	h->dither = info->dither;
	h->page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	snprintf(h->collector, sizeof(h->collector), "%s", collector);
	snprintf(h->machine, sizeof(h->machine), "%.31s", u.machine);
	snprintf(h->release, sizeof(h->release), "%.63s", u.release);
}

/* Reads a whole text file of /proc, of unknown size; with keep, only the lines it accepts. 0, or
 * -ENOMEM: a partial text would be taken for the whole. *text is NULL if the file is empty, or
 * cannot be read. */
static int read_text(const char *path, bool (*keep)(const char *line), char **text, size_t *size)
{
	FILE *f = fopen(path, "re");
	char *all = NULL, *line = NULL;
	size_t room = 0, n = 0, line_room = 0;
	ssize_t got;
	int err = 0;

	*text = NULL;
	*size = 0;
	if (!f)
		return errno == ENOMEM ? -ENOMEM : 0;
	while (!err && n <= TEXT_MAX && (got = getline(&line, &line_room, f)) > 0) {
		if (keep && !keep(line))
			continue;
		err = array_room(all, room, n + (size_t)got + 1);
		if (err)
			break;
		memcpy(all + n, line, (size_t)got);
		n += (size_t)got;
	}
	err = err || n > TEXT_MAX ? err : getline_error(f);
	free(line);
	fclose(f);
	if (err) {
		free(all);
		return err;
	}
	if (all)
		all[n] = 0;
	*text = all;
	*size = n;
	return 0;
}

/* "ffffffff81000000 T name": keeps symbols of code. */
static bool is_text(const char *line)
{
	const char *type = strchr(line, ' ');

	return type && type[1] && strchr("tTwW", type[1]);
}

/* … of a module: its name follows a tab. */
static bool is_module_text(const char *line)
{
	return is_text(line) && strstr(line, "\t[");
}

static int write_kallsyms(struct pifile_writer *w, bool (*keep)(const char *line))
{
	size_t n;
	char *text;
	int err = read_text("/proc/kallsyms", keep, &text, &n);

	if (!err && text)
		err = pifile_write_section(w, PIFILE_SEC_KALLSYMS, text, n);
	free(text);
	return err;
}

/* Returns the text after the colon or equals sign of the first line that begins with key; "": there
 * is none. 0 or -ENOMEM. */
static int field(const char *path, const char *key, char *out, size_t room)
{
	FILE *f = fopen(path, "re");
	char line[512];

	out[0] = 0;
	if (!f)
		return errno == ENOMEM ? -ENOMEM : 0;
	while (fgets(line, sizeof(line), f)) {
		char *v;

		if (strncmp(line, key, strlen(key)))
			continue;
		v = strpbrk(line, ":=");
		if (!v)
			continue;
		v += 1 + strspn(v + 1, " \t\"");
		v[strcspn(v, "\"\n")] = 0;
		snprintf(out, room, "%s", v);
		break;
	}
	fclose(f);
	return 0;
}

static int write_system(struct pifile_writer *w, const char *command, const struct trace_info *info)
{
	struct utsname u = { 0 };
	char os[128], model[128], mhz[64], memory[64], online[64] = "", *text = NULL;
	size_t n;
	FILE *f;
	int err;

	uname(&u);
	f = fopen("/sys/devices/system/cpu/online", "re");
	if (!f && errno == ENOMEM)
		return -ENOMEM;
	if (f) {
		if (fgets(online, sizeof(online), f))
			online[strcspn(online, "\n")] = 0;
		fclose(f);
	}
	if (field("/etc/os-release", "PRETTY_NAME", os, sizeof(os)) ||
	    field("/proc/cpuinfo", "model name", model, sizeof(model)) ||
	    field("/proc/cpuinfo", "cpu MHz", mhz, sizeof(mhz)) ||
	    field("/proc/meminfo", "MemTotal", memory, sizeof(memory)))
		return -ENOMEM;
	f = open_memstream(&text, &n);
	if (!f)
		return -ENOMEM;
	fprintf(f, "os: %s\n", *os ? os : "Linux");
	fprintf(f, "kernel: %s %s\nkernel version: %s\nmachine: %s\nhost: %s\n", u.sysname,
		u.release, u.version, u.machine, u.nodename);
	fprintf(f, "cpu model: %s\n", model);
	fprintf(f, "cpu mhz: %s\n", mhz);
	fprintf(f, "cpus online: %s\ncpus: %ld\n", online, sysconf(_SC_NPROCESSORS_CONF));
	fprintf(f, "memory: %s\n", memory);
	/* Not every collector has buffers. */
	if (info->trace_bytes)
		fprintf(f, "trace buffer: %llu\nmte buffer: %llu\n",
			(unsigned long long)info->trace_bytes, (unsigned long long)info->mte_bytes);
	fprintf(f, "section size: %llu\n", (unsigned long long)info->segment_bytes);
	/* Keeps it on one line, whatever the command contains. */
	fputs("command: ", f);
	for (const char *c = command ? command : ""; *c; c++)
		fputc((unsigned char)*c < ' ' ? ' ' : *c, f);
	fprintf(f, "\nwriter: pitrace %s\n", PITRACE_VERSION);
	if (*info->note)
		fprintf(f, "collector note: %s\n", info->note);
	if (memstream_close(f, &text))
		return -ENOMEM;
	err = pifile_write_section(w, PIFILE_SEC_SYSTEM, text, n);
	free(text);
	return err;
}

/* Writes the names of interrupts. */
static int write_interrupts(struct pifile_writer *w)
{
	size_t n;
	char *text;
	int err = read_text("/proc/interrupts", NULL, &text, &n);

	if (!err && text)
		err = pifile_write_section(w, PIFILE_SEC_INTERRUPTS, text, n);
	free(text);
	return err;
}

/* Reads /proc/modules, for the file and for comparing; both NULL: not available. 0 or -ENOMEM. */
static int read_modules(char **text, size_t *n, char **marked)
{
	int err = read_text("/proc/modules", NULL, text, n);

	*marked = *text ? kernel_modules_mark(*text) : NULL;
	if (!*text || *marked)
		return err;
	free(*text);
	*text = NULL;
	return -ENOMEM;
}

int sysinfo_write(struct pifile_writer *w, const struct trace_config *config, const char *command,
		  const struct trace_info *info, char **modules)
{
	char *text;
	size_t n;
	int err;

	/* Text is always compressed (to a fifth); segments only on request. */
	pifile_set_compression(w, 1);
	err = read_modules(&text, &n, modules);
	if (!err)
		err = write_system(w, command, info);
	if (!err)
		err = write_kallsyms(w, is_text);
	if (!err && text)
		err = pifile_write_section(w, PIFILE_SEC_MODULES, text, n);
	free(text);
	if (!err && config->majors[0] >> PITRACE_INTERRUPT & 1)
		err = write_interrupts(w);
	if (!err)
		err = vdso_write(w);
	pifile_set_compression(w, 0);
	return err;
}

int sysinfo_update(struct pifile_writer *w, int compression, char **modules, uint64_t then,
		   uint64_t now)
{
	size_t n;
	char *marked, *text;
	int err = read_modules(&text, &n, &marked);

	if (!text || kernel_modules_same(*modules, marked)) {
		free(text);
		free(marked);
		return err;
	}
	if (now && *modules)
		err = kernel_modules_write(w, *modules, marked, then, now);
	pifile_set_compression(w, 1);
	if (!err)
		err = write_kallsyms(w, is_module_text);
	if (!err)
		err = pifile_write_section(w, PIFILE_SEC_MODULES, text, n);
	pifile_set_compression(w, compression);
	free(text);
	free(*modules);
	*modules = marked;
	return err;
}

int sysinfo_final(struct pifile_writer *w, char **modules)
{
	size_t n;
	char *marked, *text;
	int err = read_modules(&text, &n, &marked);

	if (text && !kernel_modules_same(*modules, marked)) {
		pifile_set_compression(w, 1);
		err = write_kallsyms(w, is_text);
		if (!err)
			err = pifile_write_section(w, PIFILE_SEC_MODULES, text, n);
		pifile_set_compression(w, 0);
	}
	free(text);
	free(marked);
	free(*modules);
	*modules = NULL;
	return err;
}
