/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "class_rewrite.h"

#include <stdio.h>

#include "code_rewrite.h"
#include "hook_plans.h"
#include "native_wrap.h"

#define MAGIC 0xcafebabe

struct class_in {
	const struct class_rewrite *how;
	struct bytes b;
	struct constants constants;
	struct constant_text name;
	struct hook_constants hooks;
	struct class_out body; /* the class after the constant pool */
	struct bytes methods;  /* all methods, from the first one on */
	uint32_t method_count;
	bool has_natives; /* with our prefix */
	unsigned int rewritten;
	int error;
	const char *what; /* the part being read, for messages */
};

/* Copies what was read since `start`. */
static void copy(struct class_in *c, size_t start)
{
	class_out_bytes(&c->body, c->b.base + start, c->b.at - start);
}

static void skip_attributes(struct bytes *b)
{
	uint32_t n = bytes_u16(b);

	while (n-- && !b->bad) {
		bytes_skip(b, 2);
		bytes_skip(b, bytes_u32(b));
	}
}

/* Writes the Code attribute's length and content. */
static void write_code(struct class_in *c, int32_t id, const struct class_method *m,
		       struct bytes code)
{
	size_t start = c->body.n;
	struct code_plan plan = { .first = 0 };
	const char *why;
	int rc = hook_plan(c->how, &c->hooks, &c->constants, m, (uint32_t)id, &code, &plan);

	if (rc < 0)
		c->error = rc;
	if (rc <= 0) {
		class_out_u32(&c->body, (uint32_t)code.size);
		class_out_bytes(&c->body, code.base, code.size);
		return;
	}
	class_out_u32(&c->body, 0);
	why = code_rewrite(&code, &plan, &c->constants, &c->body);
	if (!why) {
		class_out_set32(&c->body, start, (uint32_t)(c->body.n - start - 4));
		c->rewritten++;
		return;
	}
	c->body.n = start;
	class_out_u32(&c->body, (uint32_t)code.size);
	class_out_bytes(&c->body, code.base, code.size);
	c->how->left(c->how->arg, id, why);
}

bool class_method_name(const struct class_method *m, char *name, size_t size)
{
	int n = snprintf(name, size, "%.*s.%.*s%.*s", m->class.n, m->class.text, m->name.n,
			 m->name.text, m->descriptor.n, m->descriptor.text);

	return n >= 0 && (size_t)n < size;
}

/* Whether `is` returns true for any native method. */
static bool any_method(const struct class_in *c,
		       bool (*is)(const struct class_method *m, const struct class_method *wrapper),
		       const struct class_method *wrapper)
{
	struct bytes b = c->methods;
	struct class_method m = { .class = c->name };

	for (uint32_t i = 0; i < c->method_count && !b.bad; i++) {
		m.access = bytes_u16(&b);
		m.name = constants_utf8(&c->constants, bytes_u16(&b));
		m.descriptor = constants_utf8(&c->constants, bytes_u16(&b));
		skip_attributes(&b);
		if (!b.bad && m.access & ACCESS_NATIVE && m.name.text && m.descriptor.text &&
		    is(&m, wrapper))
			return true;
	}
	return false;
}

static const char *after_prefix(struct constant_text name, size_t *n)
{
	const size_t prefix = strlen(NATIVE_PREFIX);

	if (name.n < prefix || memcmp(name.text, NATIVE_PREFIX, prefix))
		return NULL;
	*n = name.n - prefix;
	return name.text + prefix;
}

static bool has_prefix(const struct class_method *m, const struct class_method *wrapper)
{
	size_t n;

	(void)wrapper;
	return after_prefix(m->name, &n);
}

static bool is_wrapped_by(const struct class_method *m, const struct class_method *wrapper)
{
	size_t n = 0;
	const char *name = after_prefix(m->name, &n);

	return name && n == wrapper->name.n && !memcmp(name, wrapper->name.text, n) &&
	       m->descriptor.n == wrapper->descriptor.n &&
	       !memcmp(m->descriptor.text, wrapper->descriptor.text, m->descriptor.n);
}

static void method(struct class_in *c)
{
	struct class_method m = { .class = c->name };
	size_t start = c->b.at;
	uint32_t n;

	m.access = bytes_u16(&c->b);
	m.name = constants_utf8(&c->constants, bytes_u16(&c->b));
	m.descriptor = constants_utf8(&c->constants, bytes_u16(&c->b));
	if (!m.name.text || !m.descriptor.text)
		c->b.bad = true;
	n = bytes_u16(&c->b);
	copy(c, start);
	while (n-- && !c->b.bad && !c->error) {
		size_t at = c->b.at;
		struct constant_text name = constants_utf8(&c->constants, bytes_u16(&c->b));
		uint32_t length = bytes_u32(&c->b);
		struct bytes code = class_bytes(bytes_take(&c->b, length), length);
		int32_t id = -1;

		if (c->has_natives && any_method(c, is_wrapped_by, &m))
			m.access |= ACCESS_NATIVE;
		if (!c->b.bad && constant_is(name, "Code"))
			id = c->how->method(c->how->arg, &m);
		if (id < 0) {
			copy(c, at);
			continue;
		}
		class_out_bytes(&c->body, c->b.base + at, 2);
		write_code(c, id, &m, code);
	}
}

static void body(struct class_in *c)
{
	size_t start = c->b.at;
	uint32_t n;

	c->what = "its class and interfaces";
	bytes_skip(&c->b, 2);
	c->hooks.self = bytes_u16(&c->b);
	c->name = constants_class(&c->constants, c->hooks.self);
	if (!c->name.text)
		c->b.bad = true;
	bytes_skip(&c->b, 2);
	bytes_skip(&c->b, 2 * (size_t)bytes_u16(&c->b));
	if (!c->b.bad)
		c->what = "its fields";
	n = bytes_u16(&c->b);
	while (n-- && !c->b.bad) {
		bytes_skip(&c->b, 6);
		skip_attributes(&c->b);
	}
	if (!c->b.bad)
		c->what = "its methods";
	n = bytes_u16(&c->b);
	copy(c, start);
	c->methods = c->b;
	c->method_count = n;
	c->has_natives = any_method(c, has_prefix, NULL);
	while (n-- && !c->b.bad && !c->error)
		method(c);
	if (!c->b.bad)
		c->what = "its attributes";
	start = c->b.at;
	skip_attributes(&c->b);
	copy(c, start);
	if (!c->b.bad && bytes_left(&c->b)) {
		c->what = "data after its end";
		c->b.bad = true;
	}
}

static int read_class(struct class_in *c)
{
	int rc;

	c->what = "a class file's magic number";
	if (bytes_u32(&c->b) != MAGIC) {
		c->b.at = 0;
		return -EINVAL;
	}
	c->what = "its version";
	bytes_skip(&c->b, 2);
	c->hooks.version = bytes_u16(&c->b);
	c->what = "its constant pool";
	rc = c->b.bad ? -EINVAL : constants_read(&c->constants, &c->b);
	if (rc)
		return rc;
	body(c);
	if (c->error)
		return c->error;
	return c->b.bad ? -EINVAL : c->body.failed ? -ENOMEM : 0;
}

int class_rewrite(const void *data, size_t size, const struct class_rewrite *how,
		  struct class_out *out, size_t *offset, const char **why)
{
	struct class_in c = { .how = how, .b = class_bytes(data, size) };
	int rc;

	rc = read_class(&c);
	*offset = c.b.at;
	*why = c.what;
	if (!rc && c.rewritten) {
		class_out_bytes(out, data, 8);
		constants_write(&c.constants, out);
		class_out_bytes(out, c.body.data, c.body.n);
		rc = out->failed ? -ENOMEM : 1;
	}
	constants_free(&c.constants);
	class_out_free(&c.body);
	return rc;
}
