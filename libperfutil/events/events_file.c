/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events described by files: a folder per architecture, a file per CPU (or several that count
 * alike), from this installation and the user. A new file adds names without a rebuild. libjansson
 * parses them, because it reports the line of an error; it is loaded when there is a file.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "base/read_all.h"
#include "events/event_names.h"
#include "base/installed.h"
#include "base/regular.h"

#define LIBRARY    "libjansson.so.4"
#define FILE_MAX   (1u << 20)
#define EVENTS_MAX 10000

const char *events_folder, *events_cpu;

static struct {
	json_t *(*load)(const char *text, size_t size, size_t flags, json_error_t *error);
	void (*free)(json_t *value);
	json_t *(*get)(const json_t *object, const char *key);
	size_t (*keys)(const json_t *object);
	size_t (*length)(const json_t *array);
	json_t *(*at)(const json_t *array, size_t index);
	const char *(*string)(const json_t *string);
} json;

static bool load_library(void)
{
	void *library = json.string ? NULL : dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return json.string != NULL;
	*(void **)&json.load = dlsym(library, "json_loadb");
	*(void **)&json.free = dlsym(library, "json_delete");
	*(void **)&json.get = dlsym(library, "json_object_get");
	*(void **)&json.keys = dlsym(library, "json_object_size");
	*(void **)&json.length = dlsym(library, "json_array_size");
	*(void **)&json.at = dlsym(library, "json_array_get");
	if (json.load && json.free && json.get && json.keys && json.length && json.at)
		*(void **)&json.string = dlsym(library, "json_string_value");
	return json.string != NULL;
}

/* ---- which CPU is this? ---------------------------------------------------------------------- */

/* Returns the value of the first line "key : value" of /proc/cpuinfo. */
static bool cpuinfo(const char *key, char *value, size_t room)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[512];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f)) {
		const char *colon = strchr(line, ':'), *rest = line + strlen(key);

		if (!colon || strncmp(line, key, strlen(key)) ||
		    rest + strspn(rest, " \t") != colon)
			continue;
		snprintf(value, room, "%s", colon + 1 + strspn(colon + 1, " \t"));
		value[strcspn(value, "\n")] = 0;
		found = true;
	}
	if (f)
		fclose(f);
	return found;
}

/* Returns the name of this CPU in event files; all names if its cores differ. */
static bool cpu_id(unsigned int cpu, const char *machine, char *id, size_t room)
{
	char path[128], text[256] = "", family[32], model[32], *p;
	bool ok = false;
	FILE *f;

	if (events_cpu) {
		snprintf(id, room, "%s", events_cpu);
		return cpu == 0;
	}
	if (!strcmp(machine, "arm64")) {
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%u/regs/identification/midr_el1", cpu);
		f = fopen(path, "re");
		ok = f && fgets(text, sizeof(text), f);
		if (f)
			fclose(f);
	} else if (cpu) {
		return false;
	} else if (!strcmp(machine, "x86_64")) {
		ok = cpuinfo("vendor_id", text, sizeof(text)) &&
		     cpuinfo("cpu family", family, sizeof(family)) &&
		     cpuinfo("model", model, sizeof(model));
		if (ok) {
			size_t n = strlen(text);

			snprintf(text + n, sizeof(text) - n, "-%X-%X", (unsigned int)atoi(family),
				 (unsigned int)atoi(model));
		}
	} else if (!strcmp(machine, "s390x")) {
		ok = cpuinfo("processor 0", text, sizeof(text)) && (p = strstr(text, "machine = "));
		if (ok)
			memmove(text, p + 10, strlen(p + 10) + 1);
	} else {
		ok = cpuinfo("cpu", text, sizeof(text));
	}
	text[strcspn(text, " ,\n")] = 0;
	snprintf(id, room, "%s", text);
	return ok && *text;
}

static bool is_this_cpu(const char *pattern, const char *machine)
{
	unsigned int cpus = (unsigned int)sysconf(_SC_NPROCESSORS_CONF);
	char id[256];

	if (!strcmp(pattern, "*"))
		return true;
	for (unsigned int cpu = 0; cpu < cpus; cpu++)
		if (cpu_id(cpu, machine, id, sizeof(id)) && !fnmatch(pattern, id, FNM_CASEFOLD))
			return true;
	return false;
}

/* ---- one file -------------------------------------------------------------------------------- */

/* Callbacks for events of files and for malformed files. */
struct visit {
	/* Non-zero ends the visit. */
	int (*event)(void *arg, const char *path, const char *name, const char *encoding,
		     const char *what);
	void (*bad)(void *arg, const char *where, const char *cause);
	void *arg;
	const char *machine;
	/* The file being read. */
	const char *path;
	/* The position of the scan for the events: */
	const char *at;
	size_t passed; /* events */
	int line, depth;
};

static int bad(const struct visit *v, int line, const char *cause)
{
	char where[PATH_MAX + 32];

	snprintf(where, sizeof(where), line ? "%s:%d" : "%s", v->path, line);
	v->bad(v->arg, where, cause);
	return 0;
}

/* Finds the position of the object with this index in the list of events. The text is valid JSON by
 * now, and that list is the only one of objects; indexes only grow. */
static int line_of(struct visit *v, size_t number)
{
	bool quoted = false, found = false;

	for (; *v->at && !found; v->at++) {
		const char *p = v->at;

		v->line += *p == '\n';
		if (quoted && *p == '\\' && p[1])
			v->at++;
		else if (*p == '"')
			quoted = !quoted;
		if (quoted)
			continue;
		found = *p == '{' && v->depth == 2 && v->passed++ == number;
		v->depth += (*p == '{' || *p == '[') - (*p == '}' || *p == ']');
	}
	return v->line;
}

static bool is_name(const char *s)
{
	return *s &&
	       !s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")];
}

/* The encoding, as a user could write it: r11, pmu/event=0x11/. */
static bool is_encoding(const char *s)
{
	const char *slash = strchr(s, '/');

	if (slash)
		return slash > s && slash[1] && s[strlen(s) - 1] == '/';
	return s[0] == 'r' && s[1] && !s[1 + strspn(s + 1, "0123456789abcdefABCDEF")];
}

static int take_event(struct visit *v, const json_t *e, size_t number)
{
	static const char *const keys[] = { "name", "encoding", "unit", "description" };
	const char *value[4] = { NULL }, *cause = NULL;
	char what[1024];
	size_t known = 0;

	for (unsigned int i = 0; i < 4 && json_is_object(e); i++) {
		const json_t *field = json.get(e, keys[i]);

		value[i] = field ? json.string(field) : NULL;
		known += field != NULL;
		if (field && !value[i])
			cause = "its fields are strings: name, encoding, unit, description";
	}
	if (!json_is_object(e))
		cause = "an event must be an object {\"name\": ..., \"encoding\": ...}";
	else if (json.keys(e) != known)
		cause = "an event has the fields name, encoding, unit and description, and no other";
	else if (!cause && (!value[0] || !is_name(value[0])))
		cause = "name: only letters, digits and _ . - are allowed";
	else if (!cause && (!value[1] || !is_encoding(value[1])))
		cause = "encoding: expected r and a hexadecimal number, or pmu/term=value,.../";
	if (cause)
		return bad(v, line_of(v, number), cause);
	snprintf(what, sizeof(what), "%s%s%s%s", value[3] ? value[3] : "",
		 value[2] ? " (unit: " : "", value[2] ? value[2] : "", value[2] ? ")" : "");
	return v->event(v->arg, v->path, value[0], value[1], what);
}

static int take_root(struct visit *v, const json_t *root)
{
	const json_t *cpus = json.get(root, "cpus"), *events = json.get(root, "events");
	bool here = false;
	int r = 0;

	if (!json_is_array(cpus) || !json_is_array(events) || !json.get(root, "source") ||
	    json.keys(root) != 3)
		return bad(v, 1,
			   "expected is {\"cpus\": [...], \"source\": \"...\", \"events\": [...]}");
	for (size_t i = 0; i < json.length(cpus); i++) {
		const char *pattern = json.string(json.at(cpus, i));

		if (!pattern)
			return bad(v, 1, "cpus must be strings");
		here = here || is_this_cpu(pattern, v->machine);
	}
	if (json.length(events) > EVENTS_MAX)
		return bad(v, 1, "too many events");
	for (size_t i = 0; here && !r && i < json.length(events); i++)
		r = take_event(v, json.at(events, i), i);
	return r;
}

/* Reads a file and adds a NUL; NULL with errno. */
static char *read_file(const char *path, size_t *size)
{
	int fd = regular_open(path, 0, NULL), err;
	char *text;

	if (fd < 0)
		return NULL;
	err = read_all(fd, FILE_MAX, &text, size);
	close(fd);
	errno = -err;
	return text;
}

static int take_file(struct visit *v, const char *path)
{
	json_error_t error;
	json_t *root;
	char *text;
	size_t size;
	int r;

	v->path = path;
	if (!load_library())
		return bad(v, 0, LIBRARY " is missing, which reads it (libjansson4)");
	text = read_file(path, &size);
	if (!text)
		return bad(v, 0, errno == EINVAL ? "not a regular file" : strerror(errno));
	v->at = text;
	v->passed = 0;
	v->line = 1;
	v->depth = 0;
	root = json.load(text, size, JSON_REJECT_DUPLICATES, &error);
	r = root ? take_root(v, root) : bad(v, error.line, error.text);
	/* This is the only reference to the object. */
	if (root)
		json.free(root);
	free(text);
	return r;
}

/* ---- all files ------------------------------------------------------------------------------- */

static int is_json(const struct dirent *d)
{
	size_t n = strlen(d->d_name);

	return n > 5 && d->d_name[0] != '.' && !strcmp(d->d_name + n - 5, ".json");
}

static int take_folder(struct visit *v, const char *folder)
{
	char path[PATH_MAX], file[PATH_MAX + 256];
	struct dirent **list;
	int n, r = 0;

	snprintf(path, sizeof(path), "%s/%s", folder, v->machine);
	n = scandir(path, &list, is_json, alphasort);
	for (int i = 0; i < n; i++) {
		snprintf(file, sizeof(file), "%s/%s", path, list[i]->d_name);
		if (!r)
			r = take_file(v, file);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	return r;
}

/* The user's own files first, then the installation's: beside this library or program, or where
 * they were to be installed. */
static int walk(struct visit *v)
{
	const char *config = secure_getenv("XDG_CONFIG_HOME"), *home = secure_getenv("HOME");
	static const char *const near[] = { "../share/pitrace/events", "../../share/pitrace/events",
					    NULL };
	struct utsname u = { 0 };
	char folder[PATH_MAX];
	int r = 0;

	uname(&u);
	v->machine = !strcmp(u.machine, "aarch64") ? "arm64" : u.machine;
	if (events_folder)
		return take_folder(v, events_folder);
	if (config && *config == '/') {
		snprintf(folder, sizeof(folder), "%s/pitrace/events", config);
		r = take_folder(v, folder);
	} else if (home && *home == '/') {
		snprintf(folder, sizeof(folder), "%s/.config/pitrace/events", home);
		r = take_folder(v, folder);
	}
	if (r)
		return r;
	return take_folder(v, installed_near(near, folder) ? folder : PITRACE_DATADIR "/events");
}

struct event_search {
	const char *name;
	char *encoding, *why;
	size_t room, why_room;
};

static int match(void *arg, const char *path, const char *name, const char *encoding,
		 const char *what)
{
	struct event_search *s = arg;

	(void)path;
	(void)what;
	if (strcmp(name, s->name))
		return 0;
	snprintf(s->encoding, s->room, "%s", encoding);
	return 1;
}

static void keep_first_fault(void *arg, const char *where, const char *cause)
{
	struct event_search *s = arg;

	if (!*s->why)
		snprintf(s->why, s->why_room, "%.250s: %.130s", where, cause);
}

int event_of_file(const char *name, char *encoding, size_t room, char *why, size_t why_room)
{
	struct event_search s = { name, encoding, why, room, why_room };
	struct visit v = { .event = match, .bad = keep_first_fault, .arg = &s };

	*why = 0;
	return walk(&v) ? 0 : -ENOENT;
}

struct event_visit_state {
	event_each each;
	void *arg;
};

static int visit_event(void *arg, const char *path, const char *name, const char *encoding,
		       const char *what)
{
	struct event_visit_state *t = arg;

	(void)encoding;
	t->each(t->arg, path, name, what);
	return 0;
}

static void report_bad(void *arg, const char *where, const char *cause)
{
	struct event_visit_state *t = arg;

	t->each(t->arg, "bad", where, cause);
}

void events_of_files(event_each each, void *arg)
{
	struct event_visit_state t = { each, arg };
	struct visit v = { .event = visit_event, .bad = report_bad, .arg = &t };

	walk(&v);
}
