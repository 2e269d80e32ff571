/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Native methods of a hand-made class get wrappers, byte for byte; which ones are left alone; they
 * are known as native when the class is rewritten. In a VM: test_jprof_natives.sh.
 */
#include <errno.h>

#include "native_wrap.h"
#include "unit.h"

enum {
	C_NAME = 1,
	C_THIS,
	C_OBJECT_NAME,
	C_OBJECT,
	C_METHOD,
	C_DESCRIPTOR,
	C_ANNOTATIONS,
	C_TYPE,
	C_COUNT,
};

struct made {
	const char *class, *descriptor, *annotation;
	uint16_t access;
	const uint8_t *values; /* pairs of the annotation, with their count */
	size_t size;
};

static void utf8(struct class_out *o, const char *text)
{
	class_out_u8(o, CONSTANT_UTF8);
	class_out_u16(o, (uint16_t)strlen(text));
	class_out_bytes(o, text, strlen(text));
}

static struct class_out make(const struct made *m)
{
	struct class_out o = { 0 };

	class_out_u32(&o, 0xcafebabe);
	class_out_u32(&o, 52);
	class_out_u16(&o, C_COUNT);
	utf8(&o, m->class ? m->class : "T");
	class_out_u8(&o, CONSTANT_CLASS);
	class_out_u16(&o, C_NAME);
	utf8(&o, "java/lang/Object");
	class_out_u8(&o, CONSTANT_CLASS);
	class_out_u16(&o, C_OBJECT_NAME);
	utf8(&o, "m");
	utf8(&o, m->descriptor ? m->descriptor : "()V");
	utf8(&o, "RuntimeVisibleAnnotations");
	utf8(&o, m->annotation ? m->annotation : "La/B;");
	class_out_u16(&o, 0x21);
	class_out_u16(&o, C_THIS);
	class_out_u16(&o, C_OBJECT);
	class_out_u32(&o, 0); /* no interfaces, no fields */
	class_out_u16(&o, 1);
	class_out_u16(&o, m->access);
	class_out_u16(&o, C_METHOD);
	class_out_u16(&o, C_DESCRIPTOR);
	class_out_u16(&o, 1);
	class_out_u16(&o, C_ANNOTATIONS);
	class_out_u32(&o, 4 + (uint32_t)(m->values ? m->size : 2));
	class_out_u16(&o, 1);
	class_out_u16(&o, C_TYPE);
	if (m->values)
		class_out_bytes(&o, m->values, m->size);
	else
		class_out_u16(&o, 0);
	class_out_u16(&o, 0);
	return o;
}

static bool wanted;

static bool wants(void *arg, const struct class_method *m)
{
	(void)arg;
	CU_ASSERT(m->access & ACCESS_NATIVE);
	return wanted;
}

static int wrap(const struct made *m, struct native_wrap *how, struct class_out *out)
{
	struct class_out in = make(m);
	int rc;

	CU_ASSERT_FATAL(!in.failed);
	rc = native_wrap(in.data, in.n, how, out);
	class_out_free(&in);
	return rc;
}

/* The new class has these bytes somewhere. */
static bool has(const struct class_out *o, const void *bytes, size_t n)
{
	return o->data && memmem(o->data, o->n, bytes, n);
}

static void wrappers(void)
{
	static const struct made all = { .descriptor = "(IJ[DLa/B;DZ)F",
					 .access = 0x0100 | 0x0020 | 0x0001 };
	static const struct made plain = { .access = 0x0108 };
	/* stack and locals 9; aload_0, iload, lload, aload, aload, dload, iload, invokespecial */
	static const uint8_t code[] = { 0,  9, 0,  9, 0,  0, 0,  18, 25, 0, 21, 1,
					22, 2, 25, 4, 25, 5, 24, 6,  21, 8, 183 };
	static const uint8_t static_code[] = { 0, 0, 0, 0, 0, 0, 0, 4, 184 };
	/* public and synchronized, no more native; it keeps its annotation, and gets code */
	static const uint8_t head[] = { 0, 0x21, 0, C_METHOD,     0, C_DESCRIPTOR,
					0, 2,    0, C_ANNOTATIONS };
	struct native_wrap how = { .wants = wants };
	struct class_out out = { 0 };

	wanted = true;
	CU_ASSERT_EQUAL(wrap(&all, &how, &out), 1);
	CU_ASSERT(how.fates[NATIVE_WRAPPED] == 1 && has(&out, code, sizeof(code)));
	CU_ASSERT(has(&out, head, sizeof(head)));
	CU_ASSERT(has(&out, NATIVE_PREFIX "m", strlen(NATIVE_PREFIX "m")));
	/* Two methods; the second: private, native and synthetic, by its new name. */
	CU_ASSERT(has(&out, "\x11\x02", 2));
	class_out_free(&out);
	CU_ASSERT_EQUAL(wrap(&plain, &how, &out), 1);
	CU_ASSERT(has(&out, static_code, sizeof(static_code)) && has(&out, "\x11\x0a", 2));
	class_out_free(&out);
	wanted = false;
	CU_ASSERT(wrap(&plain, &how, &out) == 0 && !out.n && !how.fates[NATIVE_WRAPPED]);
}

static void left_alone(void)
{
	static const uint8_t deep[] = { 0,        1,        0,   C_METHOD, '[',    0, 2, 'I',
					0,        C_METHOD, '@', 0,        C_TYPE, 0, 1, 0,
					C_METHOD, 'e',      0,   1,        0,      1 };
	static const struct {
		struct made m;
		bool early;
		enum native_fate fate;
	} cases[] = {
		{ { .annotation = "Ljdk/internal/vm/annotation/IntrinsicCandidate;" },
		  false,
		  NATIVE_INTRINSIC },
		{ { .annotation = "Ljdk/internal/HotSpotIntrinsicCandidate;" },
		  false,
		  NATIVE_INTRINSIC },
		{ { .annotation = "Ljava/lang/invoke/MethodHandle$PolymorphicSignature;" },
		  false,
		  NATIVE_POLYMORPHIC },
		{ { .annotation = "Ljdk/internal/reflect/CallerSensitive;" },
		  false,
		  NATIVE_CALLER },
		{ { .class = "java/lang/Object" }, false, NATIVE_VM },
		{ { .class = "java/lang/ref/Finalizer" }, false, NATIVE_VM },
		{ { .class = "java/lang/Runtime" }, false, NATIVE_WRAPPED },
		{ { .class = "java/lang/Runtime" }, true, NATIVE_VM },
		{ { .class = "java/io/Runtime" }, true, NATIVE_WRAPPED },
		{ { .values = deep, .size = sizeof(deep) }, false, NATIVE_WRAPPED },
	};

	wanted = true;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct native_wrap how = { .wants = wants, .early = cases[i].early };
		struct class_out out = { 0 };
		struct made m = cases[i].m;

		m.access = ACCESS_NATIVE;
		CU_ASSERT_EQUAL(wrap(&m, &how, &out), cases[i].fate == NATIVE_WRAPPED);
		CU_ASSERT_EQUAL(how.fates[cases[i].fate], 1);
		class_out_free(&out);
	}
}

/* The rewriter of the class is notified that the wrapper stands for a native method, and for no
 * other. */
static uint16_t told;

static int32_t choose(void *arg, const struct class_method *m)
{
	(void)arg;
	told = m->access;
	return 1;
}

static void left(void *arg, int32_t id, const char *why)
{
	(void)arg, (void)id, (void)why;
	CU_FAIL("a wrapper can be rewritten");
}

static void known(void)
{
	static const struct made m = { .access = 0x0108, .descriptor = "(J)J" };
	static const struct class_rewrite rewrite = { .hooks = "H",
						      .method = choose,
						      .left = left };
	struct native_wrap how = { .wants = wants };
	struct class_out out = { 0 }, last = { 0 };
	const char *why;
	size_t offset;

	wanted = true;
	CU_ASSERT_EQUAL_FATAL(wrap(&m, &how, &out), 1);
	CU_ASSERT_EQUAL(class_rewrite(out.data, out.n, &rewrite, &last, &offset, &why), 1);
	CU_ASSERT_EQUAL(told, 0x0108);
	class_out_free(&last);
	/* Without the prefix it is a method. */
	*(char *)memmem(out.data, out.n, NATIVE_PREFIX, strlen(NATIVE_PREFIX)) = 'x';
	CU_ASSERT_EQUAL(class_rewrite(out.data, out.n, &rewrite, &last, &offset, &why), 1);
	CU_ASSERT_EQUAL(told, 0x0008);
	class_out_free(&last);
	class_out_free(&out);
}

/* Cut anywhere except in the class's attributes, which are not read; invalid descriptors. */
static void damaged(void)
{
	static const char *const descriptors[] = { "",      "(",    "()",   "(V)V", "(La/B)V",
						   "(I)VV", "([)V", "(X)V", "I" };
	struct made m = { .access = ACCESS_NATIVE };
	struct native_wrap how = { .wants = wants };
	struct class_out in = make(&m), out = { 0 };

	wanted = true;
	for (size_t n = 0; n < in.n - 2; n++) {
		uint8_t *copy = memcpy(malloc(n + 1), in.data, n);

		CU_ASSERT_EQUAL(native_wrap(copy, n, &how, &out), -EINVAL);
		free(copy);
	}
	class_out_free(&in);
	for (size_t i = 0; i < sizeof(descriptors) / sizeof(*descriptors); i++) {
		m.descriptor = descriptors[i];
		CU_ASSERT_EQUAL(wrap(&m, &how, &out), -EINVAL);
	}
	CU_ASSERT_EQUAL(out.n, 0);
}

/* Annotations in each other: a depth is enough. */
static void nested(void)
{
	uint8_t values[2 + 2 + 3 * 100 + 3] = { 0, 1, 0, C_METHOD };
	struct made m = { .access = ACCESS_NATIVE, .values = values, .size = sizeof(values) };
	struct native_wrap how = { .wants = wants };
	struct class_out out = { 0 };

	for (size_t i = 0; i < 100; i++)
		memcpy(values + 4 + 3 * i, "[\0\1", 3);
	memcpy(values + 4 + 300, "I\0\1", 3);
	wanted = true;
	CU_ASSERT_EQUAL(wrap(&m, &how, &out), 1);
	class_out_free(&out);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "wrappers", wrappers }, { "left_alone", left_alone }, { "known", known },
		{ "damaged", damaged },   { "nested", nested },         { NULL, NULL },
	};

	return unit_run("native_wrap", tests);
}
