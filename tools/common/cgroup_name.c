/* SPDX-License-Identifier: GPL-3.0-or-later */
/* By how their managers name cgroups. */
#include "cgroup_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ID_DIGITS 64
#define ID_SHOWN  12

/* The component is `prefix`, an id or a name, `suffix`. */
struct manager {
	const char *name, *prefix, *suffix;
	bool by_id;
};

static const struct manager managers[] = {
	{ "docker", "docker-", ".scope", true },
	{ "podman", "libpod-", ".scope", true },
	{ "podman", "libpod-", "", true },
	{ "containerd", "cri-containerd-", ".scope", true },
	{ "containerd", "nerdctl-", ".scope", true },
	{ "cri-o", "crio-", ".scope", true },
	{ "lxc", "lxc.payload.", "", false },
	{ "machine", "machine-", ".scope", false },
};

/* The component below these folders is an id. */
static const struct manager folders[] = {
	{ "docker", "docker", "", true },
	{ "containerd", "default", "", true },
	{ "containerd", "k8s.io", "", true },
	{ "lxc", "lxc", "", false },
};

#define LIST_SIZE(list) (sizeof(list) / sizeof((list)[0]))

struct path_part {
	const char *text;
	size_t length;
};

static bool is_id(struct path_part p)
{
	if (p.length != ID_DIGITS)
		return false;
	for (size_t i = 0; i < p.length; i++)
		if (!isxdigit((unsigned char)p.text[i]))
			return false;
	return true;
}

static bool is(struct path_part p, const char *text)
{
	return p.length == strlen(text) && !memcmp(p.text, text, p.length);
}

static bool ends_with(struct path_part p, const char *suffix)
{
	size_t n = strlen(suffix);

	return p.length > n && !memcmp(p.text + p.length - n, suffix, n);
}

/* Sets *inner to what is between prefix and suffix. */
static bool made_by(const struct manager *m, struct path_part p, struct path_part *inner)
{
	size_t before = strlen(m->prefix);

	if (p.length <= before + strlen(m->suffix) || memcmp(p.text, m->prefix, before) != 0 ||
	    (*m->suffix && !ends_with(p, m->suffix)))
		return false;
	*inner = (struct path_part){ p.text + before, p.length - before - strlen(m->suffix) };
	return !m->by_id || is_id(*inner);
}

/* systemd writes characters that a unit's name may not have as \xHH. */
static void unescape(char *text)
{
	char *to = text;
	unsigned int code;

	for (const char *from = text; *from; from++) {
		if (from[0] == '\\' && from[1] == 'x' && isxdigit((unsigned char)from[2]) &&
		    isxdigit((unsigned char)from[3]) && sscanf(from + 2, "%2x", &code) == 1 &&
		    code) {
			*to++ = (char)code;
			from += 3;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
}

static char *labelled(const struct manager *m, struct path_part inner)
{
	int shown = (int)(m->by_id && inner.length > ID_SHOWN ? ID_SHOWN : inner.length);
	char *name;

	if (asprintf(&name, "%s:%.*s", m->name, shown, inner.text) < 0)
		return NULL;
	if (!strcmp(m->name, "machine"))
		unescape(name);
	return name;
}

/* Returns the manager of a component and what it manages; NULL: none. */
static const struct manager *manager_of(struct path_part before, struct path_part p,
					struct path_part *inner)
{
	static const struct manager pod = { "pod", "", "", true };

	for (size_t i = 0; i < LIST_SIZE(managers); i++)
		if (made_by(&managers[i], p, inner))
			return &managers[i];
	*inner = p;
	for (size_t i = 0; i < LIST_SIZE(folders); i++)
		if (is(before, folders[i].prefix) && (!folders[i].by_id || is_id(p)))
			return &folders[i];
	/* Kubernetes without systemd: the runtime is not in the path. */
	if (is_id(p) && before.length > 3 && !memcmp(before.text, "pod", 3))
		return &pod;
	return NULL;
}

static bool is_unit(struct path_part p)
{
	return ends_with(p, ".service") || ends_with(p, ".scope") || ends_with(p, ".socket") ||
	       ends_with(p, ".mount");
}

char *cgroup_name(const char *path)
{
	struct path_part before = { "", 0 }, unit = { NULL, 0 }, kept = { NULL, 0 };
	const struct manager *found = NULL;

	/* The outermost container is the one that users know, the innermost unit runs it. */
	for (const char *at = path; *at && !found;) {
		struct path_part p = { at, strcspn(at, "/") };

		found = manager_of(before, p, &kept);
		if (is_unit(p))
			unit = p;
		before = p;
		at += p.length;
		at += *at == '/';
	}
	if (found)
		return labelled(found, kept);
	if (unit.text)
		return strndup(unit.text, unit.length);
	return strdup(path);
}
