/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses JVM signatures (JVM specification, 4.3): a letter is a type, L...; a class, [ an array. */
#include <stdbool.h>
#include <string.h>

#include "java_name.h"

struct name_text {
	char *out;
	size_t room, at;
};

static void put(struct name_text *t, char c)
{
	if (t->at + 1 < t->room)
		t->out[t->at++] = c;
}

static void put_words(struct name_text *t, const char *words)
{
	while (*words)
		put(t, *words++);
}

static const char *word_of(char letter)
{
	static const struct {
		char letter;
		const char *word;
	} types[] = {
		{ 'B', "byte" },  { 'C', "char" }, { 'D', "double" },
		{ 'F', "float" }, { 'I', "int" },  { 'J', "long" },
		{ 'S', "short" }, { 'V', "void" }, { 'Z', "boolean" },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (types[i].letter == letter)
			return types[i].word;
	return NULL;
}

/* Appends the type at s. Returns the start of the next one, or NULL if s is not a type. */
static const char *put_type(struct name_text *t, const char *s)
{
	size_t dimensions = strspn(s, "[");
	const char *word;

	s += dimensions;
	if (*s == 'L') {
		for (s++; *s && *s != ';'; s++)
			put(t, *s == '/' ? '.' : *s);
		if (!*s)
			return NULL;
	} else {
		word = word_of(*s);
		if (!word)
			return NULL;
		put_words(t, word);
	}
	while (dimensions--)
		put_words(t, "[]");
	return s + 1;
}

static void put_parameters(struct name_text *t, const char *signature)
{
	size_t begin = t->at;
	const char *s = signature;

	put(t, '(');
	for (s++; *s != ')';) {
		if (s > signature + 1)
			put_words(t, ", ");
		s = put_type(t, s);
		if (!s) {
			t->at = begin;
			put_words(t, signature);
			return;
		}
	}
	put(t, ')');
}

void java_name(char *out, size_t room, const char *class, const char *method, const char *signature)
{
	struct name_text t = { out, room, 0 };

	if (!put_type(&t, class)) {
		t.at = 0;
		put_words(&t, class);
	}
	put(&t, '.');
	put_words(&t, method);
	if (*signature == '(')
		put_parameters(&t, signature);
	else
		put_words(&t, signature);
	out[t.at] = 0;
}
