/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Class files made by hand, rewritten, byte for byte: what is put into code, and what moves with
 * it. Real classes under a real VM's verifier: test_class_rewrite.sh.
 */
#include "class_rewrite.h"
#include "opcodes.h"
#include "unit.h"

/* ---- a class of one method ------------------------------------------------------------------- */

/* Constants of each class made here. */
enum {
	C_NAME = 1, /* T */
	C_THIS,
	C_OBJECT_NAME,
	C_OBJECT,
	C_METHOD,
	C_DESCRIPTOR,
	C_CODE,
	C_FRAMES,
	C_LINES,
	C_VARIABLES,
	C_OTHER,
	C_INIT,
	C_NO_ARGUMENTS,
	C_INIT_TYPE,
	C_SUPER, /* Object.<init>()V */
	C_INT,
	C_FIELD_TYPE,
	C_FIELD, /* T.m I */
	C_COUNT,
};

static const char *class_name = "T";

struct made {
	const char *method, *descriptor;
	uint16_t access, version, stack, locals;
	const uint8_t *code;
	size_t size;
	const uint16_t (*handlers)[4]; /* start, end, target, type */
	unsigned int handler_count;
	uint16_t attribute[2]; /* names; 0: none */
	const uint8_t *data[2];
	size_t length[2];
	unsigned int more_constants;
};

static void utf8(struct class_out *o, const char *text)
{
	class_out_u8(o, CONSTANT_UTF8);
	class_out_u16(o, (uint16_t)strlen(text));
	class_out_bytes(o, text, strlen(text));
}

static void pair(struct class_out *o, uint8_t tag, uint16_t first, uint16_t second)
{
	class_out_u8(o, tag);
	class_out_u16(o, first);
	if (tag != CONSTANT_CLASS)
		class_out_u16(o, second);
}

static struct class_out make(const struct made *m)
{
	struct class_out o = { 0 };
	uint32_t content = 12 + (uint32_t)m->size + 8 * m->handler_count;
	unsigned int i, attributes = 0;

	for (i = 0; i < 2; i++) {
		attributes += m->attribute[i] != 0;
		content += m->attribute[i] ? 6 + (uint32_t)m->length[i] : 0;
	}
	class_out_u32(&o, 0xcafebabe);
	class_out_u16(&o, 0);
	class_out_u16(&o, m->version ? m->version : 52);
	class_out_u16(&o, (uint16_t)(C_COUNT + m->more_constants));
	utf8(&o, class_name);
	pair(&o, CONSTANT_CLASS, C_NAME, 0);
	utf8(&o, "java/lang/Object");
	pair(&o, CONSTANT_CLASS, C_OBJECT_NAME, 0);
	utf8(&o, m->method ? m->method : "m");
	utf8(&o, m->descriptor ? m->descriptor : "()V");
	utf8(&o, "Code");
	utf8(&o, "StackMapTable");
	utf8(&o, "LineNumberTable");
	utf8(&o, "LocalVariableTable");
	utf8(&o, "RuntimeVisibleTypeAnnotations");
	utf8(&o, "<init>");
	utf8(&o, "()V");
	pair(&o, CONSTANT_NAME_AND_TYPE, C_INIT, C_NO_ARGUMENTS);
	pair(&o, CONSTANT_METHOD, C_OBJECT, C_INIT_TYPE);
	utf8(&o, "I");
	pair(&o, CONSTANT_NAME_AND_TYPE, C_METHOD, C_INT);
	pair(&o, CONSTANT_FIELD, C_THIS, C_FIELD_TYPE);
	for (i = 0; i < m->more_constants; i++)
		utf8(&o, "");
	class_out_u16(&o, 0x21);
	class_out_u16(&o, C_THIS);
	class_out_u16(&o, C_OBJECT);
	class_out_u32(&o, 0); /* no interfaces, no fields */
	class_out_u16(&o, 1);
	class_out_u16(&o, m->access);
	class_out_u16(&o, C_METHOD);
	class_out_u16(&o, C_DESCRIPTOR);
	class_out_u16(&o, 1);
	class_out_u16(&o, C_CODE);
	class_out_u32(&o, content);
	class_out_u16(&o, m->stack);
	class_out_u16(&o, m->locals);
	class_out_u32(&o, (uint32_t)m->size);
	class_out_bytes(&o, m->code, m->size);
	class_out_u16(&o, (uint16_t)m->handler_count);
	for (i = 0; i < 4 * m->handler_count; i++)
		class_out_u16(&o, m->handlers[i / 4][i % 4]);
	class_out_u16(&o, (uint16_t)attributes);
	for (i = 0; i < 2; i++) {
		if (!m->attribute[i])
			continue;
		class_out_u16(&o, m->attribute[i]);
		class_out_u32(&o, (uint32_t)m->length[i]);
		class_out_bytes(&o, m->data[i], m->length[i]);
	}
	class_out_u16(&o, 0); /* the class's attributes */
	return o;
}

/* ---- rewriting it ---------------------------------------------------------------------------- */

#define ID 0x0102
static int32_t id;
static char reason[80];

static int32_t choose(void *arg, const struct class_method *m)
{
	(void)arg;
	CU_ASSERT(constant_is(m->class, class_name));
	return id;
}

static void left(void *arg, int32_t which, const char *why)
{
	(void)arg;
	CU_ASSERT_EQUAL(which, id);
	snprintf(reason, sizeof(reason), "%s", why);
}

static struct class_rewrite how = { .hooks = "pitrace/Hook", .method = choose, .left = left };

static int rewrite(const struct class_out *in, struct class_out *out, size_t *offset,
		   const char **what)
{
	*reason = 0;
	return class_rewrite(in->data, in->n, &how, out, offset, what);
}

/* The numbers of the constants that are appended: text and class of Hook and of Throwable, text
 * StackMapTable, and four for each hook. Of old classes without the third. */
enum { FRAMES = 4, LEAVE = 8, UNWIND = 12, CAUGHT = 16, ENTER = 20 };

#define CALLS(hook) OP_SIPUSH, ID >> 8, ID & 255, OP_INVOKESTATIC, 0, C_COUNT + (hook)
#define ENTERS      CALLS(ENTER)
#define LEAVES      CALLS(LEAVE)
#define CATCHES     CALLS(CAUGHT)
#define UNWINDS     CALLS(UNWIND), OP_ATHROW

/* The content of the method's Code attribute in what was written. */
static struct bytes code_of(const struct class_out *o)
{
	struct bytes b = class_bytes(o->data, o->n);
	struct constants c;

	bytes_skip(&b, 8);
	CU_ASSERT_EQUAL_FATAL(constants_read(&c, &b), 0);
	constants_free(&c);
	bytes_skip(&b, 2 + 2 + 2 + 2 + 2 + 2 + 2 + 2 + 2 + 2 + 2);
	return class_bytes(bytes_take(&b, bytes_u32(&b)), b.size - b.at);
}

/* Rewrites it and compares max_stack, code, exception table and attributes with `wanted`. */
static void wants(const struct made *m, const uint8_t *wanted, size_t n, const char *what)
{
	struct class_out in = make(m), out = { 0 };
	struct bytes b;
	const char *why;
	size_t offset;
	int rc = rewrite(&in, &out, &offset, &why);

	CU_ASSERT_EQUAL(rc, 1);
	if (rc == 1) {
		b = code_of(&out);
		if (b.size < n || memcmp(b.base, wanted, n)) {
			CU_FAIL("other bytes");
			printf("# %s:\n#", what);
			for (size_t i = 0; i < n; i++)
				printf(" %02x", wanted[i]);
			printf("\n#");
			for (size_t i = 0; i < n && i < b.size; i++)
				printf(" %02x", b.base[i]);
			printf("\n");
		}
	} else {
		printf("# %s: %d at %zu: %s; %s\n", what, rc, offset, why, reason);
	}
	class_out_free(&in);
	class_out_free(&out);
}

#define WANTS(m, ...)                                             \
	do {                                                      \
		static const uint8_t wanted_[] = { __VA_ARGS__ }; \
		wants(m, wanted_, sizeof(wanted_), __func__);     \
	} while (0)
#define CODE(...) \
	.code = (const uint8_t[]){ __VA_ARGS__ }, .size = sizeof((const uint8_t[]){ __VA_ARGS__ })
#define ATTRIBUTE(i, name, ...)                                              \
	.attribute[i] = (name), .data[i] = (const uint8_t[]){ __VA_ARGS__ }, \
	.length[i] = sizeof((const uint8_t[]){ __VA_ARGS__ })
#define U16(v) (v) >> 8, (v)&255
#define U32(v) 0, 0, U16(v)

/* The method is left as it is, for this reason. */
static void leaves(const struct made *m, const char *wanted)
{
	struct class_out in = make(m), out = { 0 };
	const char *why;
	size_t offset;
	int rc = rewrite(&in, &out, &offset, &why);

	CU_ASSERT_EQUAL(rc, 0);
	CU_ASSERT_EQUAL(out.n, 0);
	CU_ASSERT_STRING_EQUAL(reason, wanted);
	class_out_free(&in);
	class_out_free(&out);
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* A handler's frame: FULL, the distance, no locals, the Throwable. */
#define HANDLER_FRAME(distance) 255, U16(distance), 0, 0, 0, 1, 7, U16(C_COUNT + 3)

static void calls(void)
{
	const struct made m = { .access = ACCESS_STATIC,
				.stack = 1,
				CODE(0x03, 0xac),
				.descriptor = "()I" };

	WANTS(&m, 0, 2, 0, 0, U32(21), ENTERS, 0x03, LEAVES, 0xac, UNWINDS, 0, 1, 0, 6, 0, 14, 0,
	      14, 0, 0, 0, 1, U16(C_COUNT + FRAMES), U32(12), 0, 1, HANDLER_FRAME(14));
}

/* Without frames before Java 6; ids that sipush cannot hold are constants. */
static void old_and_many(void)
{
	struct made m = { .access = ACCESS_STATIC, .version = 49, .stack = 1, CODE(0x03, 0xac) };
	struct class_out in, out = { 0 };
	const char *why;
	struct bytes b;
	size_t offset;

	WANTS(&m, 0, 2, 0, 0, U32(21), CALLS(ENTER - 1), 0x03, CALLS(LEAVE - 1), 0xac,
	      CALLS(UNWIND - 1), OP_ATHROW, 0, 1, 0, 6, 0, 14, 0, 14, 0, 0, 0, 0);
	id = 32768;
	m.version = 0;
	in = make(&m);
	CU_ASSERT_EQUAL_FATAL(rewrite(&in, &out, &offset, &why), 1);
	b = code_of(&out);
	CU_ASSERT(!memcmp(b.base + 8, ((const uint8_t[]){ OP_LDC_W, 0, C_COUNT + ENTER + 1 }), 3));
	class_out_free(&in);
	class_out_free(&out);
	id = ID;
}

static void branches(void)
{
	/* 0: iload_0; 1: ifeq 7; 4: goto 0; 7: return; 8: goto_w 7 */
	const struct made m = { .access = ACCESS_STATIC,
				.version = 49,
				.stack = 1,
				.locals = 1,
				CODE(0x1a, OP_IFEQ, 0, 6, OP_GOTO, 0xff, 0xfc, OP_RETURN, OP_GOTO_W,
				     0xff, 0xff, 0xff, 0xff) };

	/* Back to the begin is behind its call; to a return, before its call. */
	WANTS(&m, 0, 2, 0, 1, U32(32), CALLS(ENTER - 1), 0x1a, OP_IFEQ, 0, 6, OP_GOTO, 0xff, 0xfc,
	      CALLS(LEAVE - 1), OP_RETURN, OP_GOTO_W, 0xff, 0xff, 0xff, 0xf9);
}

static void switches(void)
{
	static const uint8_t nops[4];

	for (unsigned int before = 0; before < 4; before++) {
		for (unsigned int table = 0; table < 2; table++) {
			struct class_out code = { 0 }, wanted = { 0 };
			uint32_t at = before + 1, pad = 3 - at % 4, now = at + 6,
				 new_pad = 3 - now % 4;
			uint32_t end = at + 1 + pad + (table ? 12 + 8 : 8 + 16);
			uint32_t new_end = now + 1 + new_pad + (table ? 12 + 8 : 8 + 16);
			uint32_t operands[2][6] = { { 0, 2, 5, 0, 9, 0 }, { 0, 7, 8, 0, 0, 0 } };
			struct made m = { .access = ACCESS_STATIC, .version = 49, .stack = 1 };
			unsigned int i, n = table ? 5 : 6;

			class_out_bytes(&code, nops, before);
			class_out_u8(&code, 0x03);
			class_out_u8(&code, table ? OP_TABLESWITCH : OP_LOOKUPSWITCH);
			class_out_bytes(&code, nops, pad);
			class_out_u16(&wanted, 2);
			class_out_u16(&wanted, 0);
			class_out_u32(&wanted, new_end + 7 + 7);
			class_out_bytes(&wanted, (const uint8_t[]){ CALLS(ENTER - 1) }, 6);
			class_out_bytes(&wanted, nops, before);
			class_out_u8(&wanted, 0x03);
			class_out_u8(&wanted, table ? OP_TABLESWITCH : OP_LOOKUPSWITCH);
			class_out_bytes(&wanted, nops, new_pad);
			for (i = 0; i < n; i++) {
				/* Offsets point to the return at the end; the rest are bounds and
				 * matches. */
				bool offset = !operands[table][i];

				class_out_u32(&code, offset ? end - at : operands[table][i]);
				class_out_u32(&wanted, offset ? new_end - now : operands[table][i]);
			}
			class_out_u8(&code, OP_RETURN);
			class_out_bytes(&wanted, (const uint8_t[]){ CALLS(LEAVE - 1), OP_RETURN },
					7);
			m.code = code.data;
			m.size = code.n;
			wants(&m, wanted.data, wanted.n, table ? "tableswitch" : "lookupswitch");
			class_out_free(&code);
			class_out_free(&wanted);
		}
	}
}

static void frames(void)
{
	/* new at 0 (3 bytes), nops, return at 70; a frame of each kind. */
	static uint8_t code[71];
	struct made m = { .access = ACCESS_STATIC,
			  .stack = 1,
			  .code = code,
			  .size = sizeof(code),
			  ATTRIBUTE(0, C_FRAMES, 0, 9, 3, /* same, 3 */
				    64 + 0, 8, 0, 0,      /* one item, 4: uninitialized, new at 0 */
				    247, 0, 0, 1,         /* one item, far, 5: int */
				    248, 0, 0,            /* chop 3, 6 */
				    251, 0, 0,            /* same, far, 7 */
				    252, 0, 0, 7, 0, C_THIS,     /* append 1, 8: T */
				    254, 0, 0, 1, 2, 4,          /* append 3, 9 */
				    255, 0, 0, 0, 1, 0, 0, 1, 3, /* full, 10 */
				    59) };                       /* same, 70: at the return */

	code[0] = OP_NEW;
	code[2] = C_THIS;
	code[70] = OP_RETURN;
	m.length[0] = 2 + 1 + 4 + 4 + 3 + 3 + 6 + 6 + 9 + 1;
	m.stack = 2;
	{
		struct class_out w = { 0 };

		class_out_u16(&w, 3);
		class_out_u16(&w, 0);
		class_out_u32(&w, 6 + 70 + 7 + 7);
		class_out_bytes(&w, (const uint8_t[]){ ENTERS }, 6);
		class_out_bytes(&w, code, 70);
		class_out_bytes(&w, (const uint8_t[]){ LEAVES, OP_RETURN, UNWINDS }, 14);
		class_out_bytes(&w, (const uint8_t[]){ 0, 1, 0, 6, 0, 83, 0, 83, 0, 0, 0, 1 }, 12);
		class_out_bytes(&w,
				(const uint8_t[]){ U16(C_COUNT + FRAMES),
						   U32(39 + 10),
						   0,
						   10,
						   9,
						   64,
						   8,
						   0,
						   6,
						   247,
						   0,
						   0,
						   1,
						   248,
						   0,
						   0,
						   251,
						   0,
						   0,
						   252,
						   0,
						   0,
						   7,
						   0,
						   C_THIS,
						   254,
						   0,
						   0,
						   1,
						   2,
						   4,
						   255,
						   0,
						   0,
						   0,
						   1,
						   0,
						   0,
						   1,
						   3,
						   59,
						   HANDLER_FRAME(6) },
				6 + 39 + 10);
		wants(&m, w.data, w.n, "frames");
		class_out_free(&w);
	}
}

/* A frame whose distance no longer fits the short form becomes the long one. */
static void frames_grow(void)
{
	static uint8_t code[67];
	struct made m = { .access = ACCESS_STATIC,
			  .stack = 1,
			  .code = code,
			  .size = sizeof(code),
			  ATTRIBUTE(0, C_FRAMES, 0, 2, 63, 64 + 1, 1) };
	struct class_out w = { 0 };

	code[63] = 0x03; /* iconst_0, pop, nop, return */
	code[64] = 0x57;
	code[66] = OP_RETURN;
	class_out_bytes(&w,
			(const uint8_t[]){ U16(C_COUNT + FRAMES), U32(2 + 3 + 2 + 10), 0, 3, 251, 0,
					   69, 65, 1, HANDLER_FRAME(79 - 71 - 1) },
			6 + 17);
	{
		struct class_out in = make(&m), out = { 0 };
		const char *why;
		size_t offset;
		struct bytes b;

		CU_ASSERT_EQUAL_FATAL(rewrite(&in, &out, &offset, &why), 1);
		b = code_of(&out);
		CU_ASSERT(b.size >= 8 + 86 + 10 + 2 + w.n &&
			  !memcmp(b.base + 8 + 6 + 67 + 6 + 7 + 2 + 8 + 2, w.data, w.n));
		class_out_free(&in);
		class_out_free(&out);
	}
	class_out_free(&w);
}

/* Lines and variables move; tables that are not used, and would be wrong, are left out. */
static void tables(void)
{
	const struct made m = { .access = ACCESS_STATIC,
				.version = 49,
				.stack = 1,
				.locals = 1,
				CODE(0, 0, OP_RETURN),
				ATTRIBUTE(0, C_LINES, 0, 2, 0, 0, 0, 10, 0, 2, 0, 11),
				ATTRIBUTE(1, C_VARIABLES, 0, 2, 0, 0, 0, 3, 0, C_NAME, 0, C_INT, 0,
					  0, 0, 1, 0, 1, 0, C_NAME, 0, C_INT, 0, 1) };
	struct made other = { .access = ACCESS_STATIC,
			      .version = 49,
			      .stack = 1,
			      CODE(OP_RETURN),
			      ATTRIBUTE(0, C_OTHER, 1, 2, 3) };

	WANTS(&m, 0, 2, 0, 1, U32(22), CALLS(ENTER - 1), 0, 0, CALLS(LEAVE - 1), OP_RETURN,
	      CALLS(UNWIND - 1), OP_ATHROW, 0, 1, 0, 6, 0, 15, 0, 15, 0, 0, 0, 2, 0, C_LINES,
	      U32(10), 0, 2, 0, 0, 0, 10, 0, 8, 0, 11, 0, C_VARIABLES, U32(22), 0, 2, 0, 0, 0, 15,
	      0, C_NAME, 0, C_INT, 0, 0, 0, 7, 0, 1, 0, C_NAME, 0, C_INT, 0, 1);
	/* An empty method needs no handler. */
	WANTS(&other, 0, 2, 0, 0, U32(13), CALLS(ENTER - 1), CALLS(LEAVE - 1), OP_RETURN, 0, 0, 0,
	      0);
}

/* Until the superclass is initialised no handler covers a constructor; whose call it is, is
 * followed. */
static void constructors(void)
{
	/* aload_0; new T; dup; invokespecial Object.<init> (of new); pop; invokespecial
	 * Object.<init>; nop; return */
	const struct made m = { .method = "<init>",
				.version = 49,
				.stack = 3,
				.locals = 1,
				CODE(OP_ALOAD_0, OP_NEW, 0, C_THIS, OP_DUP, OP_INVOKESPECIAL, 0,
				     C_SUPER, 0x57, OP_INVOKESPECIAL, 0, C_SUPER, 0, OP_RETURN) };
	/* Behind a store that makes `this` another local's, it cannot be said. */
	const struct made moved = { .method = "<init>",
				    .stack = 3,
				    .locals = 2,
				    CODE(0x01, 0x4b, OP_RETURN) };
	const struct made twice = {
		.method = "<init>",
		.version = 49,
		.stack = 1,
		.locals = 1,
		/* iconst_0; ifeq 8; aload_0; invokespecial; return (8:) aload_0 … */
		CODE(0x03, OP_IFEQ, 0, 8, OP_ALOAD_0, OP_INVOKESPECIAL, 0, C_SUPER, OP_RETURN,
		     OP_ALOAD_0, OP_INVOKESPECIAL, 0, C_SUPER, OP_RETURN)
	};

	WANTS(&m, 0, 4, 0, 1, U32(33), CALLS(ENTER - 1), OP_ALOAD_0, OP_NEW, 0, C_THIS, OP_DUP,
	      OP_INVOKESPECIAL, 0, C_SUPER, 0x57, OP_INVOKESPECIAL, 0, C_SUPER, 0, CALLS(LEAVE - 1),
	      OP_RETURN, CALLS(UNWIND - 1), OP_ATHROW, 0, 1, 0, 18, 0, 26, 0, 26, 0, 0, 0, 0);
	leaves(&moved, "its constructor moves `this` before it is initialised");
	/* (The branch leads to the second aload_0: 1 + 8.) */
	WANTS(&twice, 0, 2, 0, 1, U32(39), CALLS(ENTER - 1), 0x03, OP_IFEQ, 0, 14, OP_ALOAD_0,
	      OP_INVOKESPECIAL, 0, C_SUPER, CALLS(LEAVE - 1), OP_RETURN, OP_ALOAD_0,
	      OP_INVOKESPECIAL, 0, C_SUPER, CALLS(LEAVE - 1), OP_RETURN, CALLS(UNWIND - 1),
	      OP_ATHROW, 0, 2, 0, 14, 0, 21, 0, 32, 0, 0, 0, 25, 0, 32, 0, 32, 0, 0);
}

static void handlers(void)
{
	static const uint16_t table[][4] = { { 0, 1, 2, C_OBJECT }, { 0, 2, 2, 0 } },
			      own[][4] = { { 0, 1, 2, C_OBJECT }, { 0, 3, 2, 0 } };
	/* nop; return; (2:) athrow */
	struct made m = { .access = ACCESS_STATIC,
			  .version = 49,
			  .stack = 1,
			  CODE(0, OP_RETURN, OP_ATHROW),
			  .handlers = table,
			  .handler_count = 2 };

	WANTS(&m, 0, 2, 0, 0, U32(28), CALLS(ENTER - 1), 0, CALLS(LEAVE - 1), OP_RETURN,
	      CALLS(CAUGHT - 1), OP_ATHROW, CALLS(UNWIND - 1), OP_ATHROW, 0, 3, 0, 6, 0, 7, 0, 14,
	      0, C_OBJECT, 0, 6, 0, 14, 0, 14, 0, 0, 0, 6, 0, 21, 0, 21, 0, 0);
	/* One that covers itself would catch what a call at its start throws, for ever. */
	m.handlers = own;
	WANTS(&m, 0, 2, 0, 0, U32(22), CALLS(ENTER - 1), 0, CALLS(LEAVE - 1), OP_RETURN, OP_ATHROW,
	      CALLS(UNWIND - 1), OP_ATHROW, 0, 3, 0, 6, 0, 7, 0, 14, 0, C_OBJECT, 0, 6, 0, 15, 0,
	      14, 0, 0, 0, 6, 0, 15, 0, 15, 0, 0);
}

static void limits(void)
{
	static uint8_t code[65536];
	struct made m = { .access = ACCESS_STATIC, .stack = 1, .code = code, .size = 65516 };
	struct class_out in, out = { 0 };
	const char *why;
	size_t offset;

	/* 6 + 65,516 + 6 + 7 is one too many. */
	code[m.size - 1] = OP_RETURN;
	in = make(&m);
	CU_ASSERT_EQUAL(rewrite(&in, &out, &offset, &why), 1);
	class_out_free(&in);
	class_out_free(&out);
	code[m.size - 1] = 0;
	code[m.size++] = OP_RETURN;
	leaves(&m, "it would be longer than 64 KB");
	code[m.size - 1] = 0;
	/* goto over 32,767 bytes with a return in between. */
	m.size = 32769;
	memcpy(code, (const uint8_t[]){ OP_GOTO, 0x7f, 0xff }, 3);
	code[32766] = OP_RETURN;
	code[32767] = code[32768] = OP_RETURN;
	leaves(&m, "a branch would be longer than 32 KB");
	memset(code, 0, sizeof(code));
	code[0] = 0xca;
	m.size = 4;
	leaves(&m, "its code has an unknown instruction");
	memcpy(code, (const uint8_t[]){ OP_GOTO, 0, 1, OP_RETURN }, 4);
	leaves(&m, "its code refers to a position without an instruction");
	/* 21 constants more than these do not fit. */
	code[0] = OP_RETURN;
	m.size = 1;
	m.more_constants = 65535 - C_COUNT - 20;
	in = make(&m);
	CU_ASSERT_EQUAL(rewrite(&in, &out, &offset, &why), -E2BIG);
	class_out_free(&in);
	m.more_constants--;
	in = make(&m);
	CU_ASSERT_EQUAL(rewrite(&in, &out, &offset, &why), 1);
	class_out_free(&in);
	class_out_free(&out);
}

/* A class that is cut anywhere is refused, with the place; without a request nothing changes. */
static void cut(void)
{
	const struct made m = { .access = ACCESS_STATIC,
				.stack = 1,
				CODE(0x03, 0xac),
				ATTRIBUTE(0, C_LINES, 0, 1, 0, 0, 0, 10) };
	struct class_out in = make(&m), out = { 0 };
	const char *why;
	size_t offset, n = in.n;

	for (in.n = 0; in.n < n; in.n++) {
		CU_ASSERT_EQUAL(rewrite(&in, &out, &offset, &why), -EINVAL);
		CU_ASSERT(offset <= in.n && why && !out.n);
	}
	class_out_u8(&in, 0);
	CU_ASSERT_EQUAL(rewrite(&in, &out, &offset, &why), -EINVAL);
	CU_ASSERT_STRING_EQUAL(why, "data after its end");
	in.n = n;
	in.data[0]++;
	CU_ASSERT_EQUAL(rewrite(&in, &out, &offset, &why), -EINVAL);
	CU_ASSERT_EQUAL(offset, 0);
	in.data[0]--;
	/* A double takes two numbers: as the last entry it has but one. */
	CU_ASSERT_EQUAL_FATAL(in.data[10], CONSTANT_UTF8);
	in.data[8] = 0;
	in.data[9] = 2;
	in.data[10] = CONSTANT_DOUBLE;
	CU_ASSERT_EQUAL(rewrite(&in, &out, &offset, &why), -EINVAL);
	CU_ASSERT_EQUAL(offset, 10);
	in.data[9] = C_COUNT;
	in.data[10] = CONSTANT_UTF8;
	id = -1;
	CU_ASSERT_EQUAL(rewrite(&in, &out, &offset, &why), 0);
	CU_ASSERT_EQUAL(out.n, 0);
	id = ID;
	class_out_free(&in);
}

/* ---- locks ----------------------------------------------------------------------------------- */

/* The numbers of these hooks, where a class has frames. */
enum { TAKE = 8, TAKEN = 12, GIVE = 16 };
#define HOOK(n)        OP_INVOKESTATIC, U16(C_COUNT + (n))
#define MONITOR_ENTERS OP_DUP, HOOK(TAKE), OP_MONITORENTER
#define MONITOR_EXITS  OP_DUP, HOOK(GIVE), OP_MONITOREXIT
#define NO_FRAMES      0, 1, U16(C_COUNT + FRAMES), U32(2), 0, 0

/* As javac compiles synchronized (this) { }: its handler of all exceptions holds from behind
 * monitorenter on, and so of the hook there. */
static void monitors(void)
{
	static const uint16_t handlers[][4] = { { 4, 6, 7, 0 }, { 7, 10, 7, 0 } };
	struct made m = { .stack = 2,
			  .locals = 3,
			  CODE(0x2a, OP_DUP, 0x4c, OP_MONITORENTER, 0x2b, OP_MONITOREXIT, OP_RETURN,
			       0x4d, 0x2b, OP_MONITOREXIT, 0x2c, OP_ATHROW),
			  .handlers = handlers,
			  .handler_count = 2 };

	WANTS(&m, 0, 3, 0, 3, U32(27), 0x2a, OP_DUP, 0x4c, MONITOR_ENTERS, HOOK(TAKEN), 0x2b,
	      MONITOR_EXITS, OP_RETURN, 0x4d, 0x2b, MONITOR_EXITS, 0x2c, OP_ATHROW, 0, 2, 0, 8, 0,
	      17, 0, 18, 0, 0, 0, 18, 0, 25, 0, 18, 0, 0, NO_FRAMES);
	/* Where none holds from there on, nothing may be thrown there. */
	m.handler_count = 0;
	WANTS(&m, 0, 3, 0, 3, U32(24), 0x2a, OP_DUP, 0x4c, MONITOR_ENTERS, 0x2b, MONITOR_EXITS,
	      OP_RETURN, 0x4d, 0x2b, MONITOR_EXITS, 0x2c, OP_ATHROW, 0, 0, NO_FRAMES);
}

#define SYNCHRONIZED_FRAME(distance) \
	255, U16(distance), 0, 1, 7, U16(C_THIS), 0, 1, 7, U16(C_COUNT + 3)

static void synchronized_methods(void)
{
	struct made m = { .access = ACCESS_SYNCHRONIZED, .locals = 1, CODE(0, OP_RETURN) };

	WANTS(&m, 0, 2, 0, 1, U32(15), OP_ALOAD_0, HOOK(TAKE), 0, OP_ALOAD_0, HOOK(GIVE), OP_RETURN,
	      OP_ALOAD_0, HOOK(GIVE), OP_ATHROW, 0, 1, 0, 4, 0, 10, 0, 10, 0, 0, 0, 1,
	      U16(C_COUNT + FRAMES), U32(15), 0, 1, SYNCHRONIZED_FRAME(10));
	m.access |= ACCESS_STATIC;
	WANTS(&m, 0, 2, 0, 1, U32(21), OP_LDC_W, U16(C_THIS), HOOK(TAKE), 0, OP_LDC_W, U16(C_THIS),
	      HOOK(GIVE), OP_RETURN, OP_LDC_W, U16(C_THIS), HOOK(GIVE), OP_ATHROW, 0, 1, 0, 6, 0,
	      14, 0, 14, 0, 0, 0, 1, U16(C_COUNT + FRAMES), U32(12), 0, 1, HANDLER_FRAME(14));
	/* Old code knows no constant that is a class. */
	m.version = 48;
	leaves(&m, "");
}

/* Its handler needs local variable 0 as it was. */
static void first_variable(void)
{
	static const uint8_t stores[][4] = {
		{ 0x4b }, { 0x3b },    { 0x3f },    { 0x43 },
		{ 0x47 }, { 0x3a, 0 }, { 0x36, 0 }, { OP_WIDE, 0x3a, 0, 0 },
	};
	static const uint8_t lengths[] = { 1, 1, 1, 1, 1, 2, 2, 4 };
	uint8_t code[6];
	struct made m = { .access = ACCESS_SYNCHRONIZED, .locals = 3, .stack = 2, .code = code };

	for (size_t i = 0; i < sizeof(lengths); i++) {
		code[0] = 1;
		memcpy(code + 1, stores[i], lengths[i]);
		code[1 + lengths[i]] = OP_RETURN;
		m.size = lengths[i] + 2u;
		leaves(&m, "it overwrites its first local variable");
	}
	m = (struct made){ .access = ACCESS_SYNCHRONIZED,
			   .locals = 1,
			   CODE(0, 0, OP_RETURN),
			   ATTRIBUTE(0, C_FRAMES, 0, 1, 255, 0, 1, 0, 0, 0, 0) };
	leaves(&m, "a frame does not define its first local variable");
	m = (struct made){ .access = ACCESS_SYNCHRONIZED,
			   .locals = 1,
			   CODE(0, 0, OP_RETURN),
			   ATTRIBUTE(0, C_FRAMES, 0, 1, 255, 0, 1, 0, 1, 7, 0, C_OBJECT, 0, 0) };
	leaves(&m, "a frame does not define its first local variable");
	m = (struct made){ .access = ACCESS_SYNCHRONIZED,
			   .locals = 1,
			   CODE(0, 0, OP_RETURN),
			   ATTRIBUTE(0, C_FRAMES, 0, 1, 250, 0, 1) };
	leaves(&m, "a frame does not define its first local variable");
	m = (struct made){ .access = ACCESS_SYNCHRONIZED,
			   .locals = 2,
			   CODE(0, 0, OP_RETURN),
			   ATTRIBUTE(0, C_FRAMES, 0, 2, 252, 0, 1, 1, 250, 0, 0) };
	WANTS(&m, 0, 2, 0, 2, U32(16));
}

/* Neither monitors nor synchronized. */
static void nothing_locked(void)
{
	struct made m = { .stack = 1, .locals = 1, CODE(0, OP_RETURN) };

	leaves(&m, "");
}

/* LockSupport says who blocks: its argument, or what was set before. Others' methods of these names
 * do not. */
static void parks(void)
{
	struct made m = { .access = ACCESS_STATIC,
			  .method = "parkNanos",
			  .descriptor = "(Ljava/lang/Object;J)V",
			  .locals = 3,
			  CODE(0, OP_RETURN) };

	leaves(&m, "");
	class_name = "java/util/concurrent/locks/LockSupport";
	WANTS(&m, 0, 2, 0, 3, U32(9), OP_ALOAD_0, HOOK(TAKE), 0, HOOK(TAKEN), OP_RETURN, 0, 0,
	      NO_FRAMES);
	m.descriptor = "(J)V";
	WANTS(&m, 0, 2, 0, 3, U32(9), 0x01, HOOK(TAKE), 0, HOOK(TAKEN), OP_RETURN, 0, 0, NO_FRAMES);
	m.method = "unpark";
	m.descriptor = "(Ljava/lang/Object;)V";
	leaves(&m, "");
	class_name = "T";
}

static void locks(void)
{
	how.what = HOOKS_OF_LOCKS;
	monitors();
	synchronized_methods();
	first_variable();
	nothing_locked();
	parks();
	how.what = HOOKS_OF_CALLS;
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "calls", calls },       { "old_and_many", old_and_many },
		{ "branches", branches }, { "switches", switches },
		{ "frames", frames },     { "frames_grow", frames_grow },
		{ "tables", tables },     { "constructors", constructors },
		{ "handlers", handlers }, { "limits", limits },
		{ "cut", cut },           { "locks", locks },
		{ NULL, NULL },
	};

	id = ID;
	return unit_run("class_rewrite", tests);
}
