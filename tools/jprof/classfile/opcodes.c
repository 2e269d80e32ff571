/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opcodes.h"

/* Lengths of all instructions except switches and wide, from chapter 6 of the Java VM
 * specification. */
static uint32_t fixed_length(uint8_t op)
{
	if (op <= 0x0f || (op >= 0x1a && op <= 0x35) || (op >= 0x3b && op <= 0x83))
		return 1;
	switch (op) {
	case 0x10:
	case 0x12:
	case 0x15 ... 0x19:
	case 0x36 ... 0x3a:
	case OP_RET:
	case 0xbc:
		return 2;
	case OP_SIPUSH:
	case OP_LDC_W:
	case 0x14:
	case OP_IINC:
	case OP_IFEQ ... OP_JSR:
	case OP_GETSTATIC ... OP_INVOKESTATIC:
	case OP_NEW:
	case 0xbd:
	case 0xc0:
	case 0xc1:
	case OP_IFNULL:
	case OP_IFNONNULL:
		return 3;
	case OP_MULTIANEWARRAY:
		return 4;
	case OP_INVOKEINTERFACE:
	case OP_INVOKEDYNAMIC:
	case OP_GOTO_W:
	case OP_JSR_W:
		return 5;
	case 0x85 ... 0x98:
	case OP_IRETURN ... OP_RETURN:
	case 0xbe:
	case OP_ATHROW:
	case 0xc2:
	case 0xc3:
		return 1;
	default:
		return 0;
	}
}

static uint32_t switch_length(const uint8_t *code, uint32_t size, uint32_t at, struct op_switch *s)
{
	uint32_t base = (at + 4) & ~3u, head = code[at] == OP_TABLESWITCH ? 12 : 8;
	int64_t n;

	if (base > size || size - base < head)
		return 0;
	if (code[at] == OP_TABLESWITCH) {
		n = (int64_t)(int32_t)class_u32(code + base + 8) -
		    (int32_t)class_u32(code + base + 4) + 1;
		*s = (struct op_switch){ base, base + 12, 0, 4 };
	} else {
		n = (int32_t)class_u32(code + base + 4);
		*s = (struct op_switch){ base, base + 12, 0, 8 };
	}
	if (n < 0 || n > (size - base - head) / s->step)
		return 0;
	s->n = (uint32_t)n;
	return base + head + s->n * s->step - at;
}

uint32_t op_length(const uint8_t *code, uint32_t size, uint32_t at, struct op_switch *s)
{
	uint8_t op = code[at];
	uint32_t n = fixed_length(op);

	if (op == OP_TABLESWITCH || op == OP_LOOKUPSWITCH)
		return switch_length(code, size, at, s);
	if (op == OP_WIDE && size - at >= 2)
		n = code[at + 1] == OP_IINC ? 6 : 4;
	return n <= size - at ? n : 0;
}

/* takes << 4 | puts. MEMBER: depends on the constant. */
#define MEMBER       0xff
#define REPEAT(n, v) [(n)...(n) + 3] = (v)
static const uint8_t effects[256] = {
	[0x01 ... 0x08] = 0x01,
	[0x09 ... 0x0a] = 0x02,
	[0x0b ... 0x0d] = 0x01,
	[0x0e ... 0x0f] = 0x02,
	[0x10 ... 0x13] = 0x01,
	[0x14] = 0x02,
	[0x15] = 0x01,
	[0x16] = 0x02,
	[0x17] = 0x01,
	[0x18] = 0x02,
	REPEAT(0x1a, 0x01),
	REPEAT(0x1e, 0x02),
	REPEAT(0x22, 0x01),
	REPEAT(0x26, 0x02),
	[0x2e] = 0x21,
	[0x2f] = 0x22,
	[0x30] = 0x21,
	[0x31] = 0x22,
	[0x32 ... 0x35] = 0x21,
	[0x36] = 0x10,
	[0x37] = 0x20,
	[0x38] = 0x10,
	[0x39] = 0x20,
	REPEAT(0x3b, 0x10),
	REPEAT(0x3f, 0x20),
	REPEAT(0x43, 0x10),
	REPEAT(0x47, 0x20),
	[0x4f] = 0x30,
	[0x50] = 0x40,
	[0x51] = 0x30,
	[0x52] = 0x40,
	[0x53 ... 0x56] = 0x30,
	[0x57] = 0x10,
	[0x58] = 0x20,
	/* Arithmetic: int, long, float, double. */
	[0x60] = 0x21,
	[0x61] = 0x42,
	[0x62] = 0x21,
	[0x63] = 0x42,
	[0x64] = 0x21,
	[0x65] = 0x42,
	[0x66] = 0x21,
	[0x67] = 0x42,
	[0x68] = 0x21,
	[0x69] = 0x42,
	[0x6a] = 0x21,
	[0x6b] = 0x42,
	[0x6c] = 0x21,
	[0x6d] = 0x42,
	[0x6e] = 0x21,
	[0x6f] = 0x42,
	[0x70] = 0x21,
	[0x71] = 0x42,
	[0x72] = 0x21,
	[0x73] = 0x42,
	[0x74] = 0x11,
	[0x75] = 0x22,
	[0x76] = 0x11,
	[0x77] = 0x22,
	/* Shifts by an int; and, or, xor of int and long. */
	[0x78] = 0x21,
	[0x79] = 0x32,
	[0x7a] = 0x21,
	[0x7b] = 0x32,
	[0x7c] = 0x21,
	[0x7d] = 0x32,
	[0x7e] = 0x21,
	[0x7f] = 0x42,
	[0x80] = 0x21,
	[0x81] = 0x42,
	[0x82] = 0x21,
	[0x83] = 0x42,
	[0x85] = 0x12,
	[0x86] = 0x11,
	[0x87] = 0x12,
	[0x88] = 0x21,
	[0x89] = 0x21,
	[0x8a] = 0x22,
	[0x8b] = 0x11,
	[0x8c] = 0x12,
	[0x8d] = 0x12,
	[0x8e] = 0x21,
	[0x8f] = 0x22,
	[0x90] = 0x21,
	[0x91 ... 0x93] = 0x11,
	[0x94] = 0x41,
	[0x95 ... 0x96] = 0x21,
	[0x97 ... 0x98] = 0x41,
	[0x99 ... 0x9e] = 0x10,
	[0x9f ... 0xa6] = 0x20,
	[OP_JSR] = 0x01,
	[OP_TABLESWITCH] = 0x10,
	[OP_LOOKUPSWITCH] = 0x10,
	[0xac] = 0x10,
	[0xad] = 0x20,
	[0xae] = 0x10,
	[0xaf] = 0x20,
	[0xb0] = 0x10,
	[OP_GETSTATIC... OP_INVOKEDYNAMIC] = MEMBER,
	[OP_NEW] = 0x01,
	[0xbc ... 0xbe] = 0x11,
	[OP_ATHROW] = 0x10,
	[0xc0 ... 0xc1] = 0x11,
	[0xc2 ... 0xc3] = 0x10,
	[OP_MULTIANEWARRAY] = MEMBER,
	[OP_IFNULL... OP_IFNONNULL] = 0x10,
	[OP_JSR_W] = 0x01,
};

/* Returns the slots of the type at *p and advances it; 0: invalid. */
static unsigned int type_slots(const char **p, const char *end)
{
	bool array = false;
	const char *semicolon;
	char type;

	while (*p < end && **p == '[') {
		array = true;
		++*p;
	}
	if (*p == end)
		return 0;
	type = *(*p)++;
	if (type == 'L') {
		semicolon = memchr(*p, ';', (size_t)(end - *p));
		if (!semicolon)
			return 0;
		*p = semicolon + 1;
		return 1;
	}
	if (!memchr("BCDFIJSZ", type, 8))
		return 0;
	return !array && (type == 'J' || type == 'D') ? 2 : 1;
}

bool descriptor_slots(struct constant_text d, unsigned int *arguments, unsigned int *result)
{
	const char *p = d.text, *end = d.text + d.n;
	unsigned int n;

	*arguments = *result = 0;
	if (!d.n || *p++ != '(')
		return false;
	while (p < end && *p != ')') {
		n = type_slots(&p, end);
		if (!n)
			return false;
		*arguments += n;
	}
	if (p == end)
		return false;
	p++;
	if (end - p == 1 && *p == 'V')
		return true;
	*result = type_slots(&p, end);
	return *result && p == end;
}

static bool member_stack(const uint8_t *code, uint32_t at, const struct constants *c,
			 unsigned int *takes, unsigned int *puts)
{
	struct constant_text name, descriptor;
	const char *p, *end;
	uint8_t op = code[at];
	unsigned int n;

	if (op == OP_MULTIANEWARRAY) {
		*takes = code[at + 3];
		*puts = 1;
		return true;
	}
	if (!constants_member(c, class_u16(code + at + 1), &name, &descriptor))
		return false;
	if (op >= OP_INVOKEVIRTUAL) {
		if (!descriptor_slots(descriptor, takes, puts))
			return false;
		*takes += op != OP_INVOKESTATIC && op != OP_INVOKEDYNAMIC;
		return true;
	}
	p = descriptor.text;
	end = p + descriptor.n;
	n = type_slots(&p, end);
	if (!n || p != end)
		return false;
	*takes = (op == OP_GETFIELD || op == OP_PUTFIELD) +
		 (op == OP_PUTSTATIC || op == OP_PUTFIELD ? n : 0);
	*puts = op == OP_GETSTATIC || op == OP_GETFIELD ? n : 0;
	return true;
}

bool op_stack(const uint8_t *code, uint32_t at, const struct constants *c, unsigned int *takes,
	      unsigned int *puts)
{
	uint8_t op = code[at] == OP_WIDE ? code[at + 1] : code[at], effect = effects[op];

	if (effect == MEMBER)
		return member_stack(code, at, c, takes, puts);
	*takes = effect >> 4;
	*puts = effect & 15;
	return true;
}
