/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Excluded methods are recognized by annotations of the JDK, and by a list of classes of the VM. */
#include "native_wrap.h"

#include <errno.h>

#define MAGIC            0xcafebabe
#define ACCESS_INTERFACE 0x0200
#define ACCESS_SYNTHETIC 0x1000
#define ACCESS_PRIVATE   0x0002
#define DEEPEST          32 /* nesting of annotation values */

enum {
	OP_ILOAD = 21,
	OP_IRETURN = 172, /* and those of long, float, double, references, in this order */
	OP_RETURN = 177,
	OP_INVOKESPECIAL = 183,
	OP_INVOKESTATIC = 184,
};

const char *const native_fates[NATIVE_FATES] = {
	[NATIVE_WRAPPED] = "traced",
	[NATIVE_INTRINSIC] = "intrinsics",
	[NATIVE_POLYMORPHIC] = "signature-polymorphic",
	[NATIVE_CALLER] = "caller-sensitive",
	[NATIVE_VM] = "the VM's own",
};

struct wrapping {
	struct native_wrap *how;
	struct bytes b;
	struct constants constants;
	struct constant_text name;
	uint16_t class, code; /* constant numbers; code: 0 until needed */
	struct class_out body, natives;
	uint32_t methods, wrapped;
	int error;
};

/* ---- excluded methods ------------------------------------------------------------------------ */

static bool begins(struct constant_text name, const char *const *with)
{
	for (; *with; with++)
		if (name.n >= strlen(*with) && !memcmp(name.text, *with, strlen(*with)))
			return true;
	return false;
}

/* The VM or the JDK depends on the methods of these classes, or on the frames above them. */
static bool is_vm_class(struct constant_text name)
{
	static const char *const classes[] = {
		"java/lang/Object",
		"java/lang/Class",
		"java/lang/ClassLoader",
		"java/lang/Throwable",
		"java/lang/Thread",
		"java/lang/VirtualThread",
		"java/lang/SecurityManager",
		"java/lang/StackTraceElement",
		"java/lang/Module",
		"java/security/AccessController",
		"java/lang/NullPointerException",
	};
	static const char *const beginnings[] = {
		"java/lang/StackStreamFactory",
		"java/lang/invoke/",
		"java/lang/ref/",
		"jdk/internal/misc/",
		"jdk/internal/vm/",
		"jdk/internal/reflect/",
		"jdk/internal/loader/",
		"jdk/internal/foreign/",
		"pitrace/",
		NULL,
	};

	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (constant_is(name, classes[i]))
			return true;
	return begins(name, beginnings);
}

static bool can_be_early(struct constant_text name)
{
	static const char *const beginnings[] = {
		"java/io/", "java/net/", "java/nio/", "java/util/zip/",
		"sun/nio/", "sun/net/",  NULL,
	};

	return begins(name, beginnings);
}

static enum native_fate fate_of_annotation(struct constant_text type)
{
	static const struct {
		const char *type;
		enum native_fate fate;
	} known[] = {
		{ "Ljdk/internal/vm/annotation/IntrinsicCandidate;", NATIVE_INTRINSIC },
		{ "Ljdk/internal/HotSpotIntrinsicCandidate;", NATIVE_INTRINSIC },
		{ "Ljava/lang/invoke/MethodHandle$PolymorphicSignature;", NATIVE_POLYMORPHIC },
		{ "Ljdk/internal/reflect/CallerSensitive;", NATIVE_CALLER },
		{ "Ljdk/internal/vm/annotation/Hidden;", NATIVE_VM },
		{ "Ljava/lang/invoke/LambdaForm$Hidden;", NATIVE_VM },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (constant_is(type, known[i].type))
			return known[i].fate;
	return NATIVE_WRAPPED;
}

static void skip_annotation(struct bytes *b, unsigned int depth);

static void skip_value(struct bytes *b, unsigned int depth)
{
	uint8_t tag = bytes_u8(b);
	uint32_t n = tag == '[' ? bytes_u16(b) : 0;

	if (depth > DEEPEST)
		b->bad = true;
	if (tag == '@')
		skip_annotation(b, depth);
	else if (tag != '[')
		bytes_skip(b, tag == 'e' ? 4 : 2);
	while (n-- && !b->bad)
		skip_value(b, depth + 1);
}

static void skip_pairs(struct bytes *b, unsigned int depth)
{
	uint32_t n = bytes_u16(b);

	while (n-- && !b->bad) {
		bytes_skip(b, 2);
		skip_value(b, depth + 1);
	}
}

static void skip_annotation(struct bytes *b, unsigned int depth)
{
	bytes_skip(b, 2);
	skip_pairs(b, depth);
}

static enum native_fate fate_of_annotations(const struct wrapping *w, struct bytes in)
{
	uint32_t n = bytes_u16(&in);
	enum native_fate fate;

	while (n-- && !in.bad) {
		fate = fate_of_annotation(constants_utf8(&w->constants, bytes_u16(&in)));
		if (fate)
			return fate;
		skip_pairs(&in, 0);
	}
	return NATIVE_WRAPPED;
}

/* ---- the wrapper ----------------------------------------------------------------------------- */

/* Reads a type at *s and advances it. Returns 0: int and smaller types, 1: long, 2: float, 3:
 * double, 4: reference, 5: void; -1: invalid. */
static int take_type(const char **s, const char *end)
{
	static const char letters[] = "IJFD";
	const char *known;
	bool array = false;
	char c;

	while (*s < end && **s == '[') {
		array = true;
		(*s)++;
	}
	if (*s == end)
		return -1;
	c = *(*s)++;
	if (c == 'L') {
		while (*s < end && **s != ';')
			(*s)++;
		if ((*s)++ == end)
			return -1;
		return 4;
	}
	if (array)
		return 4;
	if (c == 'V')
		return 5;
	known = strchr(letters, c);
	return known ? (int)(known - letters) : strchr("BCSZ", c) ? 0 : -1;
}

static uint16_t slots_of(int type)
{
	return type == 1 || type == 3 ? 2 : type < 5;
}

/* Writes code that loads the arguments, calls the native, and returns. false: invalid
 * descriptor. */
static bool write_call(struct class_out *code, const struct class_method *m, uint16_t native,
		       uint16_t *locals, uint16_t *stack)
{
	const char *s = m->descriptor.text, *end = s + m->descriptor.n;
	bool is_static = m->access & ACCESS_STATIC;
	int type;

	*locals = 0;
	if (!is_static) {
		class_out_u8(code, OP_ILOAD + 4);
		class_out_u8(code, 0);
		*locals = 1;
	}
	if (s == end || *s++ != '(')
		return false;
	while (s < end && *s != ')') {
		type = take_type(&s, end);
		if (type < 0 || type == 5 || *locals > 254)
			return false;
		class_out_u8(code, (uint8_t)(OP_ILOAD + type));
		class_out_u8(code, (uint8_t)*locals);
		*locals = (uint16_t)(*locals + slots_of(type));
	}
	if (s == end)
		return false;
	s++;
	type = take_type(&s, end);
	if (type < 0 || s != end)
		return false;
	class_out_u8(code, is_static ? OP_INVOKESTATIC : OP_INVOKESPECIAL);
	class_out_u16(code, native);
	class_out_u8(code, (uint8_t)(OP_IRETURN + type));
	*stack = *locals > slots_of(type) ? *locals : slots_of(type);
	return true;
}

static void write_code(struct wrapping *w, const struct class_method *m, uint16_t native)
{
	struct class_out code = { 0 };
	uint16_t locals, stack = 0;

	if (!write_call(&code, m, native, &locals, &stack))
		w->error = -EINVAL;
	if (!w->code)
		w->code = constants_add_utf8(&w->constants, "Code");
	class_out_u16(&w->body, w->code);
	class_out_u32(&w->body, (uint32_t)code.n + 12);
	class_out_u16(&w->body, stack);
	class_out_u16(&w->body, locals);
	class_out_u32(&w->body, (uint32_t)code.n);
	class_out_bytes(&w->body, code.data, code.n);
	class_out_u32(&w->body, 0); /* no handlers, no attributes */
	w->body.failed |= code.failed;
	class_out_free(&code);
}

/* Returns a NUL-terminated copy from malloc. */
static char *copy_text(const char *before, struct constant_text t)
{
	size_t n = strlen(before);
	char *copy = malloc(n + t.n + 1);

	if (copy) {
		memcpy(copy, before, n);
		memcpy(copy + n, t.text, t.n);
		copy[n + t.n] = 0;
	}
	return copy;
}

/* Wraps the method from `start` to the cursor; its attributes start at `attributes`. */
static void wrap(struct wrapping *w, const struct class_method *m, size_t start, size_t attributes)
{
	char *name = copy_text(NATIVE_PREFIX, m->name), *descriptor = copy_text("", m->descriptor);
	uint16_t native = 0, named = 0, count;

	if (name && strlen(name) <= UINT16_MAX && descriptor) {
		named = constants_add_utf8(&w->constants, name);
		native = constants_add_method(&w->constants, w->class, name, descriptor);
	}
	if (!native || !named)
		w->error = name && descriptor && !w->constants.added.failed ? -E2BIG : -ENOMEM;
	count = class_u16(w->b.base + attributes);
	class_out_u16(&w->body, m->access & (uint16_t)~ACCESS_NATIVE);
	class_out_bytes(&w->body, w->b.base + start + 2, 4);
	class_out_u16(&w->body, (uint16_t)(count + 1));
	class_out_bytes(&w->body, w->b.base + attributes + 2, w->b.at - attributes - 2);
	if (!w->error)
		write_code(w, m, native);
	class_out_u16(&w->natives, (m->access & ACCESS_STATIC) | ACCESS_NATIVE | ACCESS_PRIVATE |
					   ACCESS_SYNTHETIC);
	class_out_u16(&w->natives, named);
	class_out_bytes(&w->natives, w->b.base + start + 4, 2);
	class_out_u16(&w->natives, 0);
	w->wrapped++;
	free(name);
	free(descriptor);
}

/* ---- the class ------------------------------------------------------------------------------- */

static void method(struct wrapping *w, bool can)
{
	struct class_method m = { .class = w->name };
	enum native_fate fate = NATIVE_WRAPPED;
	size_t start = w->b.at, attributes;
	uint32_t n;

	m.access = bytes_u16(&w->b);
	m.name = constants_utf8(&w->constants, bytes_u16(&w->b));
	m.descriptor = constants_utf8(&w->constants, bytes_u16(&w->b));
	if (!m.name.text || !m.descriptor.text)
		w->b.bad = true;
	attributes = w->b.at;
	n = bytes_u16(&w->b);
	while (n-- && !w->b.bad) {
		struct constant_text name = constants_utf8(&w->constants, bytes_u16(&w->b));
		uint32_t length = bytes_u32(&w->b);
		struct bytes in = class_bytes(bytes_take(&w->b, length), length);

		if (!w->b.bad && constant_is(name, "RuntimeVisibleAnnotations") && !fate)
			fate = fate_of_annotations(w, in);
	}
	if (w->b.bad)
		return;
	if (m.access & ACCESS_NATIVE && can && w->how->wants(w->how->arg, &m)) {
		if (!fate && (is_vm_class(w->name) || (w->how->early && !can_be_early(w->name))))
			fate = NATIVE_VM;
		w->how->fates[fate]++;
		if (!fate) {
			wrap(w, &m, start, attributes);
			return;
		}
	}
	class_out_bytes(&w->body, w->b.base + start, w->b.at - start);
}

static void skip_attributes(struct bytes *b)
{
	uint32_t n = bytes_u16(b);

	while (n-- && !b->bad) {
		bytes_skip(b, 2);
		bytes_skip(b, bytes_u32(b));
	}
}

static void body(struct wrapping *w)
{
	size_t start = w->b.at, count_at;
	uint16_t access = bytes_u16(&w->b);
	uint32_t n;

	w->class = bytes_u16(&w->b);
	w->name = constants_class(&w->constants, w->class);
	if (!w->name.text)
		w->b.bad = true;
	bytes_skip(&w->b, 2);
	bytes_skip(&w->b, 2 * (size_t)bytes_u16(&w->b));
	n = bytes_u16(&w->b);
	while (n-- && !w->b.bad) {
		bytes_skip(&w->b, 6);
		skip_attributes(&w->b);
	}
	w->methods = n = bytes_u16(&w->b);
	if (w->b.bad)
		return;
	class_out_bytes(&w->body, w->b.base + start, w->b.at - start);
	count_at = w->body.n - 2;
	while (n-- && !w->b.bad && !w->error)
		method(w, !(access & ACCESS_INTERFACE));
	if (w->methods + w->wrapped > UINT16_MAX)
		w->error = -E2BIG;
	class_out_set16(&w->body, count_at, (uint16_t)(w->methods + w->wrapped));
	class_out_bytes(&w->body, w->natives.data, w->natives.n);
	if (!w->b.bad)
		class_out_bytes(&w->body, w->b.base + w->b.at, bytes_left(&w->b));
}

static int read_class(struct wrapping *w)
{
	int rc;

	if (bytes_u32(&w->b) != MAGIC)
		return -EINVAL;
	bytes_skip(&w->b, 4);
	rc = w->b.bad ? -EINVAL : constants_read(&w->constants, &w->b);
	if (rc)
		return rc;
	body(w);
	if (w->error)
		return w->error;
	return w->b.bad ? -EINVAL : w->body.failed || w->natives.failed ? -ENOMEM : 0;
}

int native_wrap(const void *data, size_t size, struct native_wrap *how, struct class_out *out)
{
	struct wrapping w = { .how = how, .b = class_bytes(data, size) };
	int rc;

	memset(how->fates, 0, sizeof(how->fates));
	rc = read_class(&w);
	if (!rc && w.wrapped) {
		class_out_bytes(out, data, 8);
		constants_write(&w.constants, out);
		class_out_bytes(out, w.body.data, w.body.n);
		rc = out->failed ? -ENOMEM : 1;
	}
	constants_free(&w.constants);
	class_out_free(&w.body);
	class_out_free(&w.natives);
	return rc;
}
