/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the flow can go from an instruction, of the four machines: each opcode that branches, its
 * neighbours that do not, bits at the edges of their fields, and instructions that are cut.
 */
#include <pitrace.h>

#include "isa/flow.h"
#include "unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define CALL   PITRACE_BRANCH_CALL
#define RETURN PITRACE_BRANCH_RETURN
#define JUMP   PITRACE_BRANCH_JUMP
#define IRET   PITRACE_BRANCH_IRET
#define OTHER  PITRACE_BRANCH_OTHER

static bool same(struct flow f, enum flow_what what, unsigned int kind, unsigned int length)
{
	return f.what == what && f.kind == kind && f.length == length;
}

static void fail(const char *machine, const uint8_t *code, size_t n, struct flow f)
{
	printf("# %s", machine);
	for (size_t i = 0; i < n; i++)
		printf(" %02x", code[i]);
	printf(": what %u, kind %u, length %u\n", f.what, f.kind, f.length);
	CU_FAIL("another flow");
}

/* ---- x86 ------------------------------------------------------------------------------------- */

struct range { /* of opcodes */
	uint8_t from, to;
	uint8_t what, kind, length;
};

static const struct range one_byte[] = {
	{ 0x70, 0x7F, FLOW_MAYBE, JUMP, 2 },    { 0xE0, 0xE3, FLOW_MAYBE, JUMP, 2 },
	{ 0xEB, 0xEB, FLOW_BRANCH, JUMP, 0 },   { 0xE9, 0xEA, FLOW_BRANCH, JUMP, 0 },
	{ 0xE8, 0xE8, FLOW_BRANCH, CALL, 0 },   { 0x9A, 0x9A, FLOW_BRANCH, CALL, 0 },
	{ 0xC2, 0xC3, FLOW_BRANCH, RETURN, 0 }, { 0xCA, 0xCB, FLOW_BRANCH, RETURN, 0 },
	{ 0xCF, 0xCF, FLOW_BRANCH, IRET, 0 },   { 0xCC, 0xCC, FLOW_TRAP, OTHER, 1 },
	{ 0xF1, 0xF1, FLOW_TRAP, OTHER, 1 },    { 0xCD, 0xCD, FLOW_NEXT, OTHER, 2 },
};
static const struct range two_bytes[] = {
	{ 0x05, 0x05, FLOW_SYSCALL, OTHER, 2 }, { 0x34, 0x34, FLOW_SYSCALL, OTHER, 2 },
	{ 0x07, 0x07, FLOW_BRANCH, IRET, 2 },   { 0x35, 0x35, FLOW_BRANCH, IRET, 2 },
	{ 0x80, 0x8F, FLOW_MAYBE, JUMP, 6 },    { 0xA2, 0xA2, FLOW_NEXT, 0, 2 },
};
static const struct range repeated[] = {
	{ 0x6C, 0x6F, FLOW_REPEAT, OTHER, 1 },
	{ 0xA4, 0xA7, FLOW_REPEAT, OTHER, 1 },
	{ 0xAA, 0xAF, FLOW_REPEAT, OTHER, 1 },
};
static const uint8_t prefixes[] = {
	0x66, 0x67, 0xF0, 0x2E, 0x36, 0x3E, 0x26, 0x64, 0x65, 0xF2, 0xF3
};

static struct range opcode_in(const struct range *list, size_t n, uint8_t opcode)
{
	for (size_t i = 0; i < n; i++)
		if (opcode >= list[i].from && opcode <= list[i].to)
			return list[i];
	return (struct range){ .what = FLOW_NEXT };
}

static bool is_prefix(uint8_t byte, bool wide)
{
	return memchr(prefixes, byte, sizeof(prefixes)) || (wide && byte >= 0x40 && byte <= 0x4F);
}

/* With so many bytes before it, which add to a length that is known. */
static void check_opcode(const uint8_t *before, size_t n, uint8_t opcode, bool wide)
{
	bool repeat = memchr(before, 0xF2, n) || memchr(before, 0xF3, n);
	struct range want = opcode_in(one_byte, COUNT(one_byte), opcode);
	uint8_t code[FLOW_BYTES + 1] = { 0 };
	struct flow f;

	if (repeat && opcode_in(repeated, COUNT(repeated), opcode).what == FLOW_REPEAT)
		want = opcode_in(repeated, COUNT(repeated), opcode);
	memcpy(code, before, n);
	code[n] = opcode;
	f = flow_x86(code, FLOW_BYTES, wide);
	if (!same(f, want.what, want.kind, want.length ? (unsigned int)(n + want.length) : 0))
		fail(wide ? "x86-64" : "x86", code, n + 2, f);
}

static void x86_opcodes(void)
{
	static const uint8_t none[1], rep[] = { 0xF3 }, several[] = { 0x66, 0xF2, 0x65 };

	for (unsigned int opcode = 0; opcode < 256; opcode++) {
		for (unsigned int wide = 0; wide < 2; wide++) {
			if (opcode == 0x0F || is_prefix((uint8_t)opcode, wide))
				continue;
			check_opcode(none, 0, (uint8_t)opcode, wide);
			check_opcode(rep, 1, (uint8_t)opcode, wide);
			check_opcode(several, 3, (uint8_t)opcode, wide);
			for (size_t i = 0; i < COUNT(prefixes); i++)
				check_opcode(prefixes + i, 1, (uint8_t)opcode, wide);
		}
	}
	/* A REX byte is a prefix of 64-bit code alone. */
	for (uint8_t rex = 0x40; rex < 0x50; rex++) {
		uint8_t code[] = { rex, 0xE8, 0, 0, 0, 0 };

		CU_ASSERT(same(flow_x86(code, 6, true), FLOW_BRANCH, CALL, 0));
		CU_ASSERT(same(flow_x86(code, 6, false), FLOW_NEXT, 0, 0));
	}
}

static void x86_two_bytes(void)
{
	for (unsigned int opcode = 0; opcode < 256; opcode++) {
		struct range want = opcode_in(two_bytes, COUNT(two_bytes), (uint8_t)opcode);

		for (uint8_t n = 0; n < 3; n++) {
			uint8_t code[] = { 0x66, 0x66, 0x0F, (uint8_t)opcode, 0, 0, 0, 0 };
			struct flow f = flow_x86(code + 2 - n, 6, true);

			if (!same(f, want.what, want.kind,
				  want.length ? (unsigned int)(n + want.length) : 0))
				fail("x86", code + 2 - n, 4, f);
		}
	}
}

/* Instructions that the second byte determines, and truncated ones. */
static void x86_second_bytes(void)
{
	static const uint8_t groups[8][2] = {
		{ FLOW_NEXT, 0 },      { FLOW_NEXT, 0 },      { FLOW_BRANCH, CALL },
		{ FLOW_BRANCH, CALL }, { FLOW_BRANCH, JUMP }, { FLOW_BRANCH, JUMP },
		{ FLOW_NEXT, 0 },      { FLOW_NEXT, 0 },
	};
	static const uint8_t lonely[] = { 0x0F, 0xFF, 0xC7, 0xCD };
	uint8_t code[FLOW_BYTES + 1];

	for (unsigned int second = 0; second < 256; second++) {
		uint8_t ff[] = { 0xFF, (uint8_t)second }, c7[] = { 0x48, 0xC7, (uint8_t)second },
			cd[] = { 0x66, 0xCD, (uint8_t)second };
		const uint8_t *want = groups[second >> 3 & 7];

		CU_ASSERT(same(flow_x86(ff, 2, true), want[0], want[1], 0));
		CU_ASSERT(second == 0xF8 ? same(flow_x86(c7, 3, true), FLOW_MAYBE, JUMP, 7) :
					   same(flow_x86(c7, 3, true), FLOW_NEXT, 0, 0));
		CU_ASSERT(same(flow_x86(cd, 3, true),
			       second == 0x80 ? FLOW_SYSCALL :
			       second == 3    ? FLOW_TRAP :
						FLOW_NEXT,
			       OTHER, 3));
	}
	for (size_t i = 0; i < COUNT(lonely); i++) {
		CU_ASSERT(same(flow_x86(lonely + i, 1, true), FLOW_UNKNOWN, OTHER, 0));
	}
	CU_ASSERT(same(flow_x86(code, 0, true), FLOW_UNKNOWN, OTHER, 0));
	/* No instruction is longer than 15 bytes. */
	memset(code, 0x66, sizeof(code));
	code[FLOW_BYTES] = 0xE8;
	CU_ASSERT(same(flow_x86(code, FLOW_BYTES + 1, true), FLOW_UNKNOWN, OTHER, 0));
	CU_ASSERT(same(flow_x86(code, 5, true), FLOW_UNKNOWN, OTHER, 0));
	code[FLOW_BYTES - 1] = 0xE8;
	CU_ASSERT(same(flow_x86(code, FLOW_BYTES, true), FLOW_BRANCH, CALL, 0));
}

/* ---- machines with words --------------------------------------------------------------------- */

struct word {
	uint32_t word;
	uint8_t what, kind, length;
	bool direct;
	int64_t reach;
};

static void check_words(const char *machine, struct flow (*flow)(const uint8_t *, size_t),
			const struct word *list, size_t n)
{
	for (; n--; list++) {
		uint32_t w = list->word;
		uint8_t little[] = { (uint8_t)w, (uint8_t)(w >> 8), (uint8_t)(w >> 16),
				     (uint8_t)(w >> 24) };
		const uint8_t *code = flow == flow_arm64 ? little : (const uint8_t *)&w;
		struct flow f = flow(code, 4);

		if (!same(f, list->what, list->kind, list->length) || f.direct != list->direct ||
		    f.reach != list->reach)
			fail(machine, code, 4, f);
		CU_ASSERT(same(flow(code, 3), FLOW_UNKNOWN, OTHER, 0));
	}
}

static void arm64(void)
{
	static const struct word words[] = {
		{ 0x14000000, FLOW_BRANCH, JUMP, 4, false, 0 }, /* b */
		{ 0x17FFFFFF, FLOW_BRANCH, JUMP, 4, false, 0 },
		{ 0x94000000, FLOW_BRANCH, CALL, 4, false, 0 }, /* bl */
		{ 0x97FFFFFF, FLOW_BRANCH, CALL, 4, false, 0 },
		{ 0x18000000, FLOW_NEXT, 0, 4, false, 0 },    /* ldr, of a literal */
		{ 0x10000000, FLOW_NEXT, 0, 4, false, 0 },    /* adr */
		{ 0x54000020, FLOW_MAYBE, JUMP, 4, true, 4 }, /* b.eq .+4 */
		{ 0x547FFFE1, FLOW_MAYBE, JUMP, 4, true, 0xFFFFC },
		{ 0x54800001, FLOW_MAYBE, JUMP, 4, true, -0x100000 },
		{ 0x54FFFFE1, FLOW_MAYBE, JUMP, 4, true, -4 },
		{ 0x55000000, FLOW_NEXT, 0, 4, false, 0 },
		{ 0x53000000, FLOW_NEXT, 0, 4, false, 0 },         /* ubfm */
		{ 0x34000041, FLOW_MAYBE, JUMP, 4, true, 8 },      /* cbz w1 */
		{ 0xB5FFFFE0, FLOW_MAYBE, JUMP, 4, true, -4 },     /* cbnz x0 */
		{ 0x36000041, FLOW_MAYBE, JUMP, 4, true, 8 },      /* tbz w1, #0 */
		{ 0xB7FBFFE0, FLOW_MAYBE, JUMP, 4, true, 0x7FFC }, /* tbnz x0, #63 */
		{ 0x3707FFE0, FLOW_MAYBE, JUMP, 4, true, -4 },
		{ 0x38000000, FLOW_NEXT, 0, 4, false, 0 },        /* sturb */
		{ 0xD61F0000, FLOW_BRANCH, JUMP, 4, false, 0 },   /* br x0 */
		{ 0xD63F0000, FLOW_BRANCH, CALL, 4, false, 0 },   /* blr x0 */
		{ 0xD65F03C0, FLOW_BRANCH, RETURN, 4, false, 0 }, /* ret */
		{ 0xD69F03E0, FLOW_BRANCH, IRET, 4, false, 0 },   /* eret */
		{ 0xD67F0000, FLOW_NEXT, 0, 4, false, 0 },
		{ 0xD71F0800, FLOW_BRANCH, JUMP, 4, false, 0 }, /* braa */
		{ 0xD73F0800, FLOW_BRANCH, CALL, 4, false, 0 }, /* blraa */
		{ 0xD75F0800, FLOW_NEXT, 0, 4, false, 0 },
		{ 0xD5000000, FLOW_NEXT, 0, 4, false, 0 },
		{ 0xD4000001, FLOW_SYSCALL, OTHER, 4, false, 0 }, /* svc #0 */
		{ 0xD41FFFE1, FLOW_SYSCALL, OTHER, 4, false, 0 },
		{ 0xD4000002, FLOW_NEXT, 0, 4, false, 0 },     /* hvc */
		{ 0xD4000003, FLOW_NEXT, 0, 4, false, 0 },     /* smc */
		{ 0xD4200000, FLOW_TRAP, OTHER, 4, false, 0 }, /* brk */
		{ 0xD43FFFE0, FLOW_TRAP, OTHER, 4, false, 0 },
		{ 0xD4400000, FLOW_NEXT, 0, 4, false, 0 },        /* hlt */
		{ 0x085F7C00, FLOW_RESERVE, OTHER, 4, false, 0 }, /* ldxrb */
		{ 0xC85F7C00, FLOW_RESERVE, OTHER, 4, false, 0 }, /* ldxr x */
		{ 0x885FFC00, FLOW_RESERVE, OTHER, 4, false, 0 }, /* ldaxr w */
		{ 0xC87F0400, FLOW_RESERVE, OTHER, 4, false, 0 }, /* ldxp x */
		{ 0x887F0400, FLOW_RESERVE, OTHER, 4, false, 0 }, /* ldxp w */
		{ 0x08007C00, FLOW_RELEASE, OTHER, 4, false, 0 }, /* stxrb */
		{ 0xC8007C00, FLOW_RELEASE, OTHER, 4, false, 0 }, /* stxr x */
		{ 0x8800FC00, FLOW_RELEASE, OTHER, 4, false, 0 }, /* stlxr w */
		{ 0xC8200400, FLOW_RELEASE, OTHER, 4, false, 0 }, /* stxp x */
		{ 0x88DFFC00, FLOW_NEXT, 0, 4, false, 0 },        /* ldar */
		{ 0x889FFC00, FLOW_NEXT, 0, 4, false, 0 },        /* stlr */
		{ 0x88A07C00, FLOW_NEXT, 0, 4, false, 0 },        /* cas */
		{ 0x08207C00, FLOW_NEXT, 0, 4, false, 0 },        /* casp */
		{ 0xD503201F, FLOW_NEXT, 0, 4, false, 0 },        /* nop */
	};

	check_words("arm64", flow_arm64, words, COUNT(words));
}

static void ppc64(void)
{
	static const struct word words[] = {
		{ 0x04000000, FLOW_NEXT, 0, 8, false, 0 },        /* a prefix */
		{ 0x48000010, FLOW_BRANCH, JUMP, 4, false, 0 },   /* b */
		{ 0x48000011, FLOW_BRANCH, CALL, 4, false, 0 },   /* bl */
		{ 0x48000012, FLOW_BRANCH, JUMP, 4, false, 0 },   /* ba */
		{ 0x4C000000, FLOW_NEXT, 0, 4, false, 0 },        /* mcrf */
		{ 0x44000002, FLOW_SYSCALL, OTHER, 4, false, 0 }, /* sc */
		{ 0x44000001, FLOW_SYSCALL, OTHER, 4, false, 0 }, /* scv */
		{ 0x44000000, FLOW_NEXT, 0, 4, false, 0 },
		{ 0x44000003, FLOW_NEXT, 0, 4, false, 0 },
		{ 0x41820008, FLOW_MAYBE, JUMP, 4, true, 8 }, /* beq .+8 */
		{ 0x4182FFFC, FLOW_MAYBE, JUMP, 4, true, -4 },
		{ 0x41827FFC, FLOW_MAYBE, JUMP, 4, true, 0x7FFC },
		{ 0x4182000A, FLOW_MAYBE, JUMP, 4, false, 0 },    /* beqa */
		{ 0x41820009, FLOW_MAYBE, CALL, 4, true, 8 },     /* beql */
		{ 0x42800008, FLOW_BRANCH, JUMP, 4, true, 8 },    /* bc 20: always */
		{ 0x429F0005, FLOW_BRANCH, CALL, 4, true, 4 },    /* bcl 20,31,.+4 */
		{ 0x42000008, FLOW_MAYBE, JUMP, 4, true, 8 },     /* bdnz */
		{ 0x4E800020, FLOW_BRANCH, RETURN, 4, false, 0 }, /* blr */
		{ 0x4D820020, FLOW_MAYBE, RETURN, 4, false, 0 },  /* beqlr */
		{ 0x4E800021, FLOW_BRANCH, CALL, 4, false, 0 },   /* blrl */
		{ 0x4E800420, FLOW_BRANCH, JUMP, 4, false, 0 },   /* bctr */
		{ 0x4E800421, FLOW_BRANCH, CALL, 4, false, 0 },   /* bctrl */
		{ 0x4D820420, FLOW_MAYBE, JUMP, 4, false, 0 },    /* beqctr */
		{ 0x4E800460, FLOW_BRANCH, JUMP, 4, false, 0 },   /* bctar */
		{ 0x4E800461, FLOW_BRANCH, CALL, 4, false, 0 },
		{ 0x4C00012C, FLOW_NEXT, 0, 4, false, 0 },        /* isync */
		{ 0x7C001828, FLOW_RESERVE, OTHER, 4, false, 0 }, /* lwarx */
		{ 0x7C001868, FLOW_RESERVE, OTHER, 4, false, 0 }, /* lbarx */
		{ 0x7C0018A8, FLOW_RESERVE, OTHER, 4, false, 0 }, /* ldarx */
		{ 0x7C0018E8, FLOW_RESERVE, OTHER, 4, false, 0 }, /* lharx */
		{ 0x7C001A28, FLOW_RESERVE, OTHER, 4, false, 0 }, /* lqarx */
		{ 0x7C00192D, FLOW_RELEASE, OTHER, 4, false, 0 }, /* stwcx. */
		{ 0x7C0019AD, FLOW_RELEASE, OTHER, 4, false, 0 }, /* stdcx. */
		{ 0x7C00196D, FLOW_RELEASE, OTHER, 4, false, 0 }, /* stqcx. */
		{ 0x7C001D6D, FLOW_RELEASE, OTHER, 4, false, 0 }, /* stbcx. */
		{ 0x7C001DAD, FLOW_RELEASE, OTHER, 4, false, 0 }, /* sthcx. */
		{ 0x7C00182E, FLOW_NEXT, 0, 4, false, 0 },        /* lwzx */
		{ 0x7FE00008, FLOW_TRAP, OTHER, 4, false, 0 },    /* trap */
		{ 0x7FE0000A, FLOW_NEXT, 0, 4, false, 0 },
		{ 0x60000000, FLOW_NEXT, 0, 4, false, 0 }, /* nop */
		{ 0x40000000 - 1, FLOW_NEXT, 0, 4, false, 0 },
	};

	check_words("ppc64", flow_ppc64, words, COUNT(words));
}

/* ---- s390x ----------------------------------------------------------------------------------- */

static void s390(void)
{
	static const struct {
		uint8_t code[6], what, kind, length;
	} list[] = {
		{ { 0x00, 0x01 }, FLOW_TRAP, OTHER, 2 },
		{ { 0x00, 0x00 }, FLOW_NEXT, 0, 2 },
		{ { 0x00, 0x02 }, FLOW_NEXT, 0, 2 },
		{ { 0x0A, 0x04 }, FLOW_SYSCALL, OTHER, 2 },
		{ { 0x07, 0xFE }, FLOW_BRANCH, RETURN, 2 }, /* br %r14 */
		{ { 0x07, 0xF1 }, FLOW_BRANCH, JUMP, 2 },
		{ { 0x07, 0x8E }, FLOW_MAYBE, RETURN, 2 },
		{ { 0x07, 0x8D }, FLOW_MAYBE, JUMP, 2 },
		{ { 0x07, 0x8F }, FLOW_MAYBE, JUMP, 2 },
		{ { 0x07, 0x0E }, FLOW_NEXT, 0, 2 },
		{ { 0x07, 0xF0 }, FLOW_NEXT, 0, 2 },
		{ { 0x07, 0x07 }, FLOW_NEXT, 0, 2 }, /* nopr */
		{ { 0x47, 0xF0 }, FLOW_BRANCH, JUMP, 4 },
		{ { 0x47, 0x10 }, FLOW_MAYBE, JUMP, 4 },
		{ { 0x47, 0x00 }, FLOW_NEXT, 0, 4 },
		{ { 0x06, 0x11 }, FLOW_MAYBE, JUMP, 2 }, /* bctr */
		{ { 0x06, 0x10 }, FLOW_NEXT, 0, 2 },
		{ { 0x05, 0xE1 }, FLOW_BRANCH, CALL, 2 },
		{ { 0x05, 0xE0 }, FLOW_NEXT, 0, 2 },
		{ { 0x0D, 0xE1 }, FLOW_BRANCH, CALL, 2 }, /* basr */
		{ { 0x0D, 0xE0 }, FLOW_NEXT, 0, 2 },
		{ { 0x0C, 0xE1 }, FLOW_BRANCH, CALL, 2 },
		{ { 0x0B, 0x01 }, FLOW_BRANCH, JUMP, 2 },
		{ { 0x0B, 0x10 }, FLOW_NEXT, 0, 2 },
		{ { 0x0E, 0x11 }, FLOW_NEXT, 0, 2 },
		{ { 0x45, 0xE0 }, FLOW_BRANCH, CALL, 4 },
		{ { 0x4D, 0xE0 }, FLOW_BRANCH, CALL, 4 },
		{ { 0x44, 0x10 }, FLOW_MAYBE, JUMP, 4 }, /* ex */
		{ { 0x46, 0x10 }, FLOW_MAYBE, JUMP, 4 }, /* bct */
		{ { 0x83, 0x10 }, FLOW_NEXT, 0, 4 },
		{ { 0x84, 0x10 }, FLOW_MAYBE, JUMP, 4 },
		{ { 0x87, 0x10 }, FLOW_MAYBE, JUMP, 4 },
		{ { 0x88, 0x10 }, FLOW_NEXT, 0, 4 },
		{ { 0xA7, 0xF4 }, FLOW_BRANCH, JUMP, 4 }, /* j */
		{ { 0xA7, 0x84 }, FLOW_MAYBE, JUMP, 4 },
		{ { 0xA7, 0x04 }, FLOW_NEXT, 0, 4 },
		{ { 0xA7, 0xE5 }, FLOW_BRANCH, CALL, 4 }, /* bras */
		{ { 0xA7, 0x16 }, FLOW_MAYBE, JUMP, 4 },
		{ { 0xA7, 0x17 }, FLOW_MAYBE, JUMP, 4 },
		{ { 0xA7, 0x18 }, FLOW_NEXT, 0, 4 }, /* lhi */
		{ { 0xA7, 0x13 }, FLOW_NEXT, 0, 4 },
		{ { 0xB9, 0x46, 0, 0x12 }, FLOW_MAYBE, JUMP, 4 }, /* bctgr */
		{ { 0xB9, 0x46, 0, 0x10 }, FLOW_NEXT, 0, 4 },
		{ { 0xB9, 0x45, 0, 0x12 }, FLOW_NEXT, 0, 4 },
		{ { 0xC0, 0xF4 }, FLOW_BRANCH, JUMP, 6 }, /* jg */
		{ { 0xC0, 0x84 }, FLOW_MAYBE, JUMP, 6 },
		{ { 0xC0, 0x04 }, FLOW_NEXT, 0, 6 },
		{ { 0xC0, 0xE5 }, FLOW_BRANCH, CALL, 6 }, /* brasl */
		{ { 0xC0, 0x10 }, FLOW_NEXT, 0, 6 },      /* larl */
		{ { 0xC6, 0x10 }, FLOW_MAYBE, JUMP, 6 },  /* exrl */
		{ { 0xC6, 0x1D }, FLOW_NEXT, 0, 6 },
		{ { 0xCC, 0x16 }, FLOW_MAYBE, JUMP, 6 }, /* brcth */
		{ { 0xCC, 0x18 }, FLOW_NEXT, 0, 6 },
		{ { 0xE3, 0x10, 0, 0, 0, 0x46 }, FLOW_MAYBE, JUMP, 6 },  /* bctg */
		{ { 0xE3, 0xF0, 0, 0, 0, 0x47 }, FLOW_BRANCH, JUMP, 6 }, /* bi */
		{ { 0xE3, 0x80, 0, 0, 0, 0x47 }, FLOW_MAYBE, JUMP, 6 },
		{ { 0xE3, 0x10, 0, 0, 0, 0x04 }, FLOW_NEXT, 0, 6 },
		{ { 0xEB, 0x10, 0, 0, 0, 0x44 }, FLOW_MAYBE, JUMP, 6 },
		{ { 0xEB, 0x10, 0, 0, 0, 0x45 }, FLOW_MAYBE, JUMP, 6 },
		{ { 0xEB, 0x10, 0, 0, 0, 0x46 }, FLOW_NEXT, 0, 6 },
		{ { 0x3F, 0xFE }, FLOW_NEXT, 0, 2 },
		{ { 0x40, 0xFE }, FLOW_NEXT, 0, 4 },
		{ { 0xBF, 0xFE }, FLOW_NEXT, 0, 4 },
	};

	for (size_t i = 0; i < COUNT(list); i++) {
		struct flow f = flow_s390(list[i].code, 6);

		if (!same(f, list[i].what, list[i].kind, list[i].length))
			fail("s390x", list[i].code, list[i].length, f);
		CU_ASSERT_EQUAL(f.number, list[i].what == FLOW_SYSCALL ? 4 : 0);
		CU_ASSERT(same(flow_s390(list[i].code, list[i].length), list[i].what, list[i].kind,
			       list[i].length));
		CU_ASSERT(
			same(flow_s390(list[i].code, list[i].length - 1u), FLOW_UNKNOWN, OTHER, 0));
	}
}

/* Those that compare and branch, by their last byte. */
static void s390_compares(void)
{
	static const uint8_t branches[] = { 0x44, 0x45, 0x64, 0x65, 0x76, 0x77, 0x7C, 0x7D, 0x7E,
					    0x7F, 0xE4, 0xE5, 0xF6, 0xF7, 0xFC, 0xFD, 0xFE, 0xFF };

	for (unsigned int last = 0; last < 256; last++) {
		uint8_t code[] = { 0xEC, 0x10, 0, 0, 0, (uint8_t)last };
		bool is = memchr(branches, (int)last, sizeof(branches));

		CU_ASSERT(same(flow_s390(code, 6), is ? FLOW_MAYBE : FLOW_NEXT, is ? JUMP : 0, 6));
	}
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "x86_opcodes", x86_opcodes },
		{ "x86_two_bytes", x86_two_bytes },
		{ "x86_second_bytes", x86_second_bytes },
		{ "arm64", arm64 },
		{ "ppc64", ppc64 },
		{ "s390", s390 },
		{ "s390_compares", s390_compares },
		{ NULL, NULL },
	};

	return unit_run("flow", tests);
}
