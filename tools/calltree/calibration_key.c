/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "calibration_key.h"

#include <elf.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cursor.h"
#include "base/proc_lines.h"
#include "metrics.h"

void key_add(char *key, size_t size, const char *name, const char *format, ...)
{
	char value[512];
	size_t n = strlen(key);
	va_list args;

	va_start(args, format);
	vsnprintf(value, sizeof(value), format, args);
	va_end(args);
	for (char *p = value; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 127)
			*p = ' ';
	if (n + strlen(name) + strlen(value) + 4 <= size)
		snprintf(key + n, size - n, "%s: %s\n", name, value);
}

/* ---- the build ------------------------------------------------------------------------------ */

struct key_search {
	uintptr_t code;
	char id[65];
};

/* Finds the build id in the notes of the file that contains the code. */
static int find_id(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct key_search *s = arg;
	bool has_code = false;
	int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		has_code |= p->p_type == PT_LOAD &&
			    s->code - (info->dlpi_addr + p->p_vaddr) < p->p_memsz;
	}
	for (i = 0; has_code && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		struct bytes b = bytes_of((const void *)(info->dlpi_addr + p->p_vaddr),
					  p->p_type == PT_NOTE ? p->p_memsz : 0);

		while (bytes_left(&b) && !*s->id) {
			uint32_t name = bytes_u32(&b), length = bytes_u32(&b), type = bytes_u32(&b);
			const char *owner = bytes_take(&b, (name + 3ul) & ~3ul);
			const uint8_t *id = bytes_take(&b, (length + 3ul) & ~3ul);

			if (!owner || !id || type != NT_GNU_BUILD_ID || name != 4 ||
			    memcmp(owner, "GNU", 4))
				continue;
			for (uint32_t k = 0; k < length && k < 32; k++)
				snprintf(s->id + (size_t)k * 2, 3, "%02x", id[k]);
		}
	}
	return has_code;
}

void key_add_build(char *key, size_t size, const char *name, uintptr_t code)
{
	struct key_search s = { .code = code };

	dl_iterate_phdr(find_id, &s);
	key_add(key, size, name, "%s", *s.id ? s.id : "none");
}

/* ---- the CPU --------------------------------------------------------------------------------- */

struct cpu_model {
	char text[400];
};

/* Takes the model of the first CPU from its lines, whose names depend on the architecture. Each
 * text is terminated by a NUL after the newline. */
static bool take_model(void *arg, const char *text, size_t length)
{
	static const char *const names[] = {
		"vendor_id",   "cpu family", "model",           "model name",
		"stepping",    "cpu",        "CPU implementer", "CPU architecture",
		"CPU variant", "CPU part",   "CPU revision",    "machine",
	};
	const char *colon = memchr(text, ':', length);
	struct cpu_model *m = arg;
	size_t n = colon ? (size_t)(colon - text) : 0, had = strlen(m->text);

	while (n && (text[n - 1] == '\t' || text[n - 1] == ' '))
		n--;
	if (!n)
		return !had;
	colon += 1 + strspn(colon + 1, " ");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (n == strlen(names[i]) && !memcmp(names[i], text, n))
			snprintf(m->text + had, sizeof(m->text) - had, "%s%.*s", had ? ", " : "",
				 (int)strcspn(colon, "\n"), colon);
	return true;
}

/* ---- the key --------------------------------------------------------------------------------- */

void key_add_machine(char *key, size_t size)
{
	struct cpu_model m = { "" };

	proc_lines("/proc/cpuinfo", take_model, &m);
	key_add(key, size, "cpu", "%s", *m.text ? m.text : "unknown");
	for (uint32_t i = 0; i < metrics_count(); i++)
		key_add(key, size, "metric", "%s (%s) by %s", metrics_get(i)->name,
			metrics_get(i)->unit, metrics_get(i)->source);
}
