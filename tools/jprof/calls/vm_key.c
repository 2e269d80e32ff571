/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "vm_key.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/read_all.h"
#include "calibration_key.h"

#define WORDS_MOST (1u << 22) /* bytes of a command line */

static void add_property(char *key, size_t size, jvmtiEnv *vm, const char *name,
			 const char *property, const char *end)
{
	char *value = NULL;

	if ((*vm)->GetSystemProperty(vm, property, &value))
		value = NULL;
	key_add(key, size, name, "%.*s", value ? (int)strcspn(value, end) : 7,
		value ? value : "unknown");
	(*vm)->Deallocate(vm, (unsigned char *)value);
}

/* Whether the option disables or replaces the best compiler: this changes the meaning of JITTED. */
static bool is_of_compilers(const char *word, size_t n)
{
	static const char *const names[] = {
		"TieredStopAtLevel=",
		"CompilationMode=",
		"UseJVMCICompiler",
	};

	if (n < 5 || memcmp(word, "-XX:", 4))
		return false;
	word += 4;
	n -= 4;
	if (*word == '+' || *word == '-') {
		word++;
		n--;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (n >= strlen(names[i]) && !memcmp(word, names[i], strlen(names[i])))
			return true;
	return false;
}

/* Adds the words of a text, separated by blanks or NULs. */
static void add_words(char *to, size_t size, const char *text, size_t length)
{
	const char *end = text + length;

	while (text < end) {
		size_t n = 0, had = strlen(to);

		while (text + n < end && text[n] && !strchr(" \t\n", text[n]))
			n++;
		if (is_of_compilers(text, n))
			snprintf(to + had, size - had, "%s%.*s", had ? " " : "", (int)n, text);
		text += n + 1;
	}
}

/* In the order in which the VM applies them. */
static void add_compilers(char *key, size_t size)
{
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	const char *before = getenv("JAVA_TOOL_OPTIONS"), *launcher = getenv("JDK_JAVA_OPTIONS"),
		   *after = getenv("_JAVA_OPTIONS");
	char words[400] = "", *text = NULL;
	size_t length;

	add_words(words, sizeof(words), before ? before : "", before ? strlen(before) : 0);
	add_words(words, sizeof(words), launcher ? launcher : "", launcher ? strlen(launcher) : 0);
	if (fd >= 0) {
		if (!read_all(fd, WORDS_MOST, &text, &length))
			add_words(words, sizeof(words), text, length);
		close(fd);
	}
	free(text);
	add_words(words, sizeof(words), after ? after : "", after ? strlen(after) : 0);
	key_add(key, size, "vm compilers", "%s", *words ? words : "its own choice");
}

void vm_key(char *key, size_t size, jvmtiEnv *vm, const char *events, const char *natives)
{
	key_add(key, size, "agent", "%s", PITRACE_VERSION);
	key_add_build(key, size, "agent build id", (uintptr_t)vm_key);
	add_property(key, size, vm, "vm", "java.vm.name", "\n");
	add_property(key, size, vm, "vm version", "java.vm.version", "\n");
	add_property(key, size, vm, "vm mode", "java.vm.info", ",");
	add_compilers(key, size);
	key_add_build(key, size, "vm build id", (uintptr_t)(*vm)->GetSystemProperty);
	key_add_machine(key, size);
	key_add(key, size, "events", "%s", events);
	if (natives)
		key_add(key, size, "natives called", "%s", natives);
}
