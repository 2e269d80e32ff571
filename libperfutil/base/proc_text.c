/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parsers of mappings, tasks and kernel symbols as /proc shows them. */
#include <pitrace.h>
#include <string.h>
#include <unistd.h>
#include "base/proc_text.h"
#include "base/text.h"

/* The text ends at a NUL; it may have none. */
static struct bytes text_of(const char *text, size_t length)
{
	return bytes_of(text, length ? strnlen(text, length) : 0);
}

static bool number_of_32(struct bytes *b, unsigned int base, uint32_t *value)
{
	uint64_t n;

	if (!text_number(b, base, &n) || n > UINT32_MAX)
		return false;
	*value = (uint32_t)n;
	return true;
}

/* "start-end perms offset major:minor inode path"; all but the inode are hexadecimal. The kernel
 * writes newlines in names as \012; everything else is unescaped. */
bool proc_map_parse(const char *line, size_t length, struct proc_map *m)
{
	static const char anon[] = "//anon", vdso[] = "[vdso]", deleted[] = " (deleted)";
	struct bytes b = text_of(line, length);
	const char *perms;
	size_t n;

	memset(m, 0, sizeof(*m));
	if (!text_number(&b, 16, &m->start) || !text_char(&b, '-') ||
	    !text_number(&b, 16, &m->end) || m->end <= m->start || !text_word(&b, &perms, &n) ||
	    n != 4 || perms[2] != 'x')
		return false;
	text_skip_blanks(&b);
	if (!text_number(&b, 16, &m->offset) || !text_char(&b, ' ') ||
	    !number_of_32(&b, 16, &m->dev_major) || !text_char(&b, ':') ||
	    !number_of_32(&b, 16, &m->dev_minor) || !text_char(&b, ' ') ||
	    !text_number(&b, 10, &m->inode) || (bytes_left(&b) && !text_char(&b, ' ')))
		return false;
	text_skip_blanks(&b);
	m->path = (const char *)b.base + b.at;
	m->path_len = bytes_left(&b);
	if (!m->path_len) {
		m->path = anon;
		m->path_len = sizeof(anon) - 1;
	}
	m->flags = PITRACE_MAP_EXEC | (perms[0] == 'r' ? PITRACE_MAP_READ : 0) |
		   (perms[1] == 'w' ? PITRACE_MAP_WRITE : 0) |
		   (perms[3] == 's' ? PITRACE_MAP_SHARED : 0);
	n = sizeof(deleted) - 1;
	if (!m->inode) {
		m->flags |= PITRACE_MAP_ANON;
		m->offset = 0;
		if (m->path_len == sizeof(vdso) - 1 && !memcmp(m->path, vdso, sizeof(vdso) - 1))
			m->flags |= PITRACE_MAP_VDSO;
	} else if (m->path_len > n && !memcmp(m->path + m->path_len - n, deleted, n)) {
		m->flags |= PITRACE_MAP_DELETED;
		m->path_len -= n;
	}
	return true;
}

/* "36 35 98:0 /root /point options …" */
bool proc_mount_parse(const char *line, size_t length, struct proc_mount *m)
{
	struct bytes b = text_of(line, length);
	uint64_t id;

	memset(m, 0, sizeof(*m));
	return text_number(&b, 10, &id) && text_char(&b, ' ') && text_number(&b, 10, &id) &&
	       text_char(&b, ' ') && number_of_32(&b, 10, &m->dev_major) && text_char(&b, ':') &&
	       number_of_32(&b, 10, &m->dev_minor) && text_char(&b, ' ') &&
	       text_word(&b, &m->root, &m->root_len) && text_char(&b, ' ') &&
	       text_word(&b, &m->point, &m->point_len);
}

bool proc_unescape(const char *text, size_t length, char *out, size_t room)
{
	size_t n = 0;

	for (size_t i = 0; i < length; i++, n++) {
		unsigned int c = 0, k = 0;

		if (n + 1 >= room)
			return false;
		while (text[i] == '\\' && k < 3 && length - i > 3 && text[i + 1 + k] >= '0' &&
		       text[i + 1 + k] <= '7')
			c = c * 8 + (unsigned int)(text[i + 1 + k++] - '0');
		k = k == 3 && c && c < 256 ? 3 : 0;
		out[n] = k ? (char)c : text[i];
		i += k;
	}
	if (!room)
		return false;
	out[n] = '\0';
	return true;
}

/* "pid (name) S ppid …": the name may contain anything but a NUL, so it ends at the last bracket.
 * Field 9 is the flags, field 22 the start time in clock ticks. */
bool proc_task_parse(const char *text, size_t length, struct proc_task *t)
{
	struct bytes b = text_of(text, length);
	const char *close = b.size ? memrchr(text, ')', b.size) : NULL, *word;
	uint64_t ticks;
	size_t n, name;

	memset(t, 0, sizeof(*t));
	if (!number_of_32(&b, 10, &t->pid) || !text_char(&b, ' ') || !text_char(&b, '(') || !close)
		return false;
	/* The text before the name has no closing bracket. */
	name = b.at;
	n = (size_t)(close - text) - name;
	bytes_seek(&b, name + n + 1);
	memcpy(t->comm, text + name, n < sizeof(t->comm) - 1 ? n : sizeof(t->comm) - 1);
	for (unsigned int i = 3; i <= 22; i++) {
		text_skip_blanks(&b);
		if (i == 4  ? !number_of_32(&b, 10, &t->ppid) :
		    i == 9  ? !number_of_32(&b, 10, &t->flags) :
		    i == 22 ? !text_number(&b, 10, &ticks) :
			      !text_word(&b, &word, &n))
			return false;
	}
	t->start = ticks * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
	return true;
}

/* "0::/path" of the default hierarchy; "4:cpu,cpuacct:/path", "1:name=systemd:/path" of others. */
bool proc_cgroup_parse(const char *line, size_t length, struct proc_cgroup_line *c)
{
	static const char deleted[] = " (deleted)";
	struct bytes b = text_of(line, length);
	size_t controllers, n = sizeof(deleted) - 1;
	uint64_t hierarchy;
	bool unified;

	memset(c, 0, sizeof(*c));
	if (!text_number(&b, 10, &hierarchy) || !text_char(&b, ':'))
		return false;
	for (controllers = b.at; bytes_left(&b) && b.base[b.at] != ':'; b.at++)
		;
	unified = !hierarchy && b.at == controllers;
	if (!text_char(&b, ':') || !bytes_left(&b) || b.base[b.at] != '/')
		return false;
	c->path = (const char *)b.base + b.at;
	c->path_len = bytes_left(&b);
	c->unified = unified;
	if (c->path[c->path_len - 1] == '\n')
		c->path_len--;
	if (c->path_len > n && !memcmp(c->path + c->path_len - n, deleted, n))
		c->path_len -= n;
	return true;
}

unsigned int proc_numbers(const char *text, size_t length, const char *key, uint64_t *last)
{
	struct bytes b = text_of(text, length);
	size_t size, n = strlen(key);
	unsigned int count = 0;
	const char *line;

	while (!count && bytes_line(&b, &line, &size)) {
		struct bytes l = bytes_of(line, size);
		uint64_t number;

		if (size < n || memcmp(line, key, n))
			continue;
		bytes_skip(&l, n);
		for (; text_skip_blanks(&l), text_number(&l, 10, &number); count++)
			*last = number;
	}
	return count;
}

/* "address type name", possibly followed by a tab and "[module]". */
bool proc_symbol_parse(const char *line, size_t length, struct proc_symbol *s)
{
	struct bytes b = text_of(line, length);
	const char *type;
	size_t n;

	memset(s, 0, sizeof(*s));
	if (!text_number(&b, 16, &s->address) || !text_word(&b, &type, &n) || n != 1 ||
	    !text_word(&b, &s->name, &s->name_len))
		return false;
	s->type = *type;
	return true;
}
