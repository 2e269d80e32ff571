/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instructions of class files: how long each is, and what it does to the operand stack. */
#include <string.h>
#include "opcodes.h"
#include "unit.h"

/* The lengths of 0x00 and up, 16 per line, in the order of the JVM specification; s: a switch, w:
 * wide. */
static const char lengths[] = "1111111111111111"
			      "2323322222111111"
			      "1111111111111111"
			      "1111112222211111"
			      "1111111111111111"
			      "1111111111111111"
			      "1111111111111111"
			      "1111111111111111"
			      "1111311111111111"
			      "1111111113333333"
			      "3333333332ss1111"
			      "1133333335532311"
			      "3311w43355";

static void each_length(void)
{
	struct op_switch s;
	uint8_t code[8] = { 0 };

	for (unsigned int op = 0; op < 256; op++) {
		char c = op < strlen(lengths) ? lengths[op] : '0';

		if (c == 's' || c == 'w')
			continue;
		code[0] = (uint8_t)op;
		for (uint32_t size = 1; size <= sizeof(code); size++)
			CU_ASSERT_EQUAL(op_length(code, size, 0, &s),
					(uint32_t)(c - '0') <= size ? (uint32_t)(c - '0') : 0);
	}
}

static void wide(void)
{
	uint8_t code[] = { 0, OP_WIDE, 0x15, 1, 2, OP_WIDE, OP_IINC, 1, 2, 3, 4 };
	struct op_switch s;

	CU_ASSERT_EQUAL(op_length(code, sizeof(code), 1, &s), 4);
	CU_ASSERT_EQUAL(op_length(code, sizeof(code), 5, &s), 6);
	for (uint32_t size = 2; size < 5; size++)
		CU_ASSERT_EQUAL(op_length(code, size, 1, &s), 0);
	for (uint32_t size = 6; size < sizeof(code); size++)
		CU_ASSERT_EQUAL(op_length(code, size, 5, &s), 0);
}

/* At each of the four alignments. */
static void switches(void)
{
	uint8_t code[64];
	struct op_switch s;

	for (uint32_t at = 0; at < 4; at++) {
		uint32_t base = (at + 4) / 4 * 4, size = base + 12 + 3 * 4;

		memset(code, 0, sizeof(code));
		code[at] = OP_TABLESWITCH;
		memset(code + base + 4, 0xff, 4); /* -1 … 1 */
		code[base + 11] = 1;
		CU_ASSERT_EQUAL(op_length(code, size, at, &s), size - at);
		CU_ASSERT_EQUAL(s.base, base);
		CU_ASSERT_EQUAL(s.cases, base + 12);
		CU_ASSERT_EQUAL(s.n, 3);
		CU_ASSERT_EQUAL(s.step, 4);
		for (uint32_t cut = at + 1; cut < size; cut++)
			CU_ASSERT_EQUAL(op_length(code, cut, at, &s), 0);
		/* From high to low: none, or less than none. */
		code[base + 7] = 2;
		memset(code + base + 4, 0, 3);
		CU_ASSERT_EQUAL(op_length(code, size, at, &s), base + 12 - at);
		code[base + 7] = 3;
		CU_ASSERT_EQUAL(op_length(code, size, at, &s), 0);
		/* As many as a signed number does not hold. */
		memset(code + base + 4, 0x80, 1);
		memset(code + base + 8, 0x7f, 1);
		CU_ASSERT_EQUAL(op_length(code, sizeof(code), at, &s), 0);

		memset(code, 0, sizeof(code));
		code[at] = OP_LOOKUPSWITCH;
		code[base + 7] = 2;
		size = base + 8 + 2 * 8;
		CU_ASSERT_EQUAL(op_length(code, size, at, &s), size - at);
		CU_ASSERT_EQUAL(s.base, base);
		CU_ASSERT_EQUAL(s.cases, base + 12);
		CU_ASSERT_EQUAL(s.n, 2);
		CU_ASSERT_EQUAL(s.step, 8);
		for (uint32_t cut = at + 1; cut < size; cut++)
			CU_ASSERT_EQUAL(op_length(code, cut, at, &s), 0);
		code[base + 7] = 0;
		CU_ASSERT_EQUAL(op_length(code, size, at, &s), base + 8 - at);
		code[base + 4] = 0x80;
		CU_ASSERT_EQUAL(op_length(code, size, at, &s), 0);
	}
}

static void effect(unsigned int op, unsigned int takes, unsigned int puts)
{
	const struct constants none = { 0 };
	uint8_t code[8] = { (uint8_t)op };
	unsigned int t = 99, p = 99;

	CU_ASSERT(op_stack(code, 0, &none, &t, &p));
	if (t != takes || p != puts)
		printf("# opcode 0x%02x takes %u and puts %u, not %u and %u\n", op, t, p, takes,
		       puts);
	CU_ASSERT_EQUAL(t, takes);
	CU_ASSERT_EQUAL(p, puts);
}

/* int, long, float, double, reference */
static const unsigned int slots[] = { 1, 2, 1, 2, 1 };

static void effects(void)
{
	/* i2l i2f i2d l2i l2f l2d f2i f2l f2d d2i d2l d2f i2b i2c i2s */
	static const char conversions[][3] = { "12", "11", "12", "21", "21", "22", "11", "12",
					       "12", "21", "22", "21", "11", "11", "11" };
	const unsigned int *k;

	effect(0x00, 0, 0);
	for (unsigned int op = 0x01; op <= 0x14; op++)
		effect(op, 0,
		       op == 0x09 || op == 0x0a || op == 0x0e || op == 0x0f || op == 0x14 ? 2 : 1);
	for (unsigned int type = 0; type < 4; type++) {
		k = &slots[type];
		effect(0x15 + type, 0, *k);
		effect(0x36 + type, *k, 0);
		for (unsigned int i = 0; i < 4; i++) {
			effect(0x1a + 4 * type + i, 0, *k);
			effect(0x3b + 4 * type + i, *k, 0);
		}
		effect(0xac + type, *k, 0);
		effect(0x74 + type, *k, *k);
		for (unsigned int i = 0; i < 5; i++)
			effect(0x60 + 4 * i + type, 2 * *k, *k);
	}
	/* Arrays: byte or boolean, char, short follow the five. */
	for (unsigned int type = 0; type < 8; type++) {
		unsigned int n = type < 5 ? slots[type] : 1;

		effect(0x2e + type, 2, n);
		effect(0x4f + type, 2 + n, 0);
	}
	effect(0x57, 1, 0);
	effect(0x58, 2, 0);
	for (unsigned int op = 0x78; op <= 0x83; op++) {
		unsigned int n = op % 2 ? 2 : 1;

		effect(op, op < 0x7e ? n + 1 : 2 * n, n);
	}
	for (unsigned int i = 0; i < sizeof(conversions) / sizeof(*conversions); i++)
		effect(0x85 + i, (unsigned int)(conversions[i][0] - '0'),
		       (unsigned int)(conversions[i][1] - '0'));
	for (unsigned int op = 0x94; op <= 0x98; op++)
		effect(op, op == 0x95 || op == 0x96 ? 2 : 4, 1);
	for (unsigned int op = 0x99; op <= 0xa6; op++)
		effect(op, op < 0x9f ? 1 : 2, 0);
	effect(OP_GOTO, 0, 0);
	effect(OP_IINC, 0, 0);
	effect(OP_RET, 0, 0);
	effect(OP_TABLESWITCH, 1, 0);
	effect(OP_LOOKUPSWITCH, 1, 0);
	effect(0xb0, 1, 0);
	effect(OP_RETURN, 0, 0);
	effect(OP_NEW, 0, 1);
	for (unsigned int op = 0xbc; op <= 0xc1; op++)
		effect(op, 1, op == OP_ATHROW ? 0 : 1);
	effect(0xc2, 1, 0);
	effect(0xc3, 1, 0);
	effect(OP_IFNULL, 1, 0);
	effect(OP_IFNONNULL, 1, 0);
	effect(OP_GOTO_W, 0, 0);
}

static void descriptor(const char *text, bool is, unsigned int arguments, unsigned int result)
{
	const struct constant_text d = { text, (uint16_t)strlen(text) };
	unsigned int a = 99, r = 99;

	CU_ASSERT_EQUAL(descriptor_slots(d, &a, &r), is);
	if (!is)
		return;
	CU_ASSERT_EQUAL(a, arguments);
	CU_ASSERT_EQUAL(r, result);
}

static void descriptors(void)
{
	static const char *const wrong[] = { "",     "(",    ")",    "()",   "I",
					     "()VV", "(V)V", "(L)V", "(La)", "(La;)",
					     "([)V", "()[",  "()[V", "()La", "(X)V",
					     "()X",  "()II", "(I",   "I()V", "([" };

	descriptor("()V", true, 0, 0);
	descriptor("(BCDFIJSZ)J", true, 10, 2);
	descriptor("([J[[DLa/b;[Lc;)D", true, 4, 2);
	descriptor("()[J", true, 0, 1);
	descriptor("(JLa;)La;", true, 3, 1);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		descriptor(wrong[i], false, 0, 0);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "each_length", each_length }, { "wide", wide },
		{ "switches", switches },       { "effects", effects },
		{ "descriptors", descriptors }, { NULL, NULL },
	};

	return unit_run("opcodes", tests);
}
