/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Decodes the branches of four architectures from the bits of their instructions. All are built on
 * all machines, for the tests. */
#include <pitrace.h>
#include <string.h>
#include "isa/flow.h"

#define CALL   PITRACE_BRANCH_CALL
#define RETURN PITRACE_BRANCH_RETURN
#define JUMP   PITRACE_BRANCH_JUMP

static struct flow plain(uint8_t length)
{
	return (struct flow){ .what = FLOW_NEXT, .length = length };
}

static struct flow always(uint8_t kind, uint8_t length)
{
	return (struct flow){ .what = FLOW_BRANCH, .kind = kind, .length = length };
}

static struct flow maybe(uint8_t kind, uint8_t length)
{
	return (struct flow){ .what = FLOW_MAYBE, .kind = kind, .length = length };
}

static struct flow other(enum flow_what what, uint8_t length)
{
	return (struct flow){ .what = what, .kind = PITRACE_BRANCH_OTHER, .length = length };
}

static struct flow direct(struct flow f, int64_t reach)
{
	f.direct = true;
	f.reach = reach;
	return f;
}

/* ---- x86 ------------------------------------------------------------------------------------- */

static struct flow two_byte(const uint8_t *p, size_t left, uint8_t before)
{
	if (!left)
		return other(FLOW_UNKNOWN, 0);
	switch (p[0]) {
	case 0x05: /* syscall */
	case 0x34: /* sysenter */
		return other(FLOW_SYSCALL, before + 1);
	case 0x07: /* sysret, sysexit */
	case 0x35:
		return always(PITRACE_BRANCH_IRET, before + 1);
	case 0x80 ... 0x8F: /* jcc, near */
		return maybe(JUMP, before + 5);
	case 0xA2: /* cpuid: its single-step stop may be lost */
		return plain(before + 1);
	}
	return plain(0);
}

static struct flow group_ff(const uint8_t *p, size_t left)
{
	if (!left)
		return other(FLOW_UNKNOWN, 0);
	switch (p[0] >> 3 & 7) {
	case 2:
	case 3:
		return always(CALL, 0);
	case 4:
	case 5:
		return always(JUMP, 0);
	}
	return plain(0);
}

struct flow flow_x86(const uint8_t *code, size_t n, bool wide)
{
	bool repeat = false;
	size_t i = 0;

	for (; i < n && i < FLOW_BYTES; i++) {
		uint8_t c = code[i];

		if (c == 0xF2 || c == 0xF3)
			repeat = true;
		else if (c != 0x66 && c != 0x67 && c != 0xF0 && c != 0x2E && c != 0x36 &&
			 c != 0x3E && c != 0x26 && c != 0x64 && c != 0x65 &&
			 !(wide && (c & 0xF0) == 0x40))
			break;
	}
	if (i >= n || i >= FLOW_BYTES)
		return other(FLOW_UNKNOWN, 0);
	switch (code[i]) {
	case 0x0F:
		return two_byte(code + i + 1, n - i - 1, (uint8_t)(i + 1));
	case 0x70 ... 0x7F: /* jcc, short */
	case 0xE0 ... 0xE3: /* loop, jcxz */
		return maybe(JUMP, (uint8_t)(i + 2));
	case 0xEB:
	case 0xE9:
	case 0xEA: /* far, only in 32-bit code */
		return always(JUMP, 0);
	case 0xE8:
	case 0x9A: /* likewise */
		return always(CALL, 0);
	case 0xC2:
	case 0xC3:
	case 0xCA:
	case 0xCB:
		return always(RETURN, 0);
	case 0xCF:
		return always(PITRACE_BRANCH_IRET, 0);
	case 0xFF:
		return group_ff(code + i + 1, n - i - 1);
	case 0xC7: /* xbegin: to its handler when it aborts */
		if (n - i < 2)
			return other(FLOW_UNKNOWN, 0);
		return code[i + 1] == 0xF8 ? maybe(JUMP, (uint8_t)(i + 6)) : plain(0);
	case 0xCC:
	case 0xF1:
		return other(FLOW_TRAP, (uint8_t)(i + 1));
	case 0xCD: /* int */
		if (n - i < 2)
			return other(FLOW_UNKNOWN, 0);
		return other(code[i + 1] == 0x80 ? FLOW_SYSCALL :
			     code[i + 1] == 3    ? FLOW_TRAP :
						   FLOW_NEXT,
			     (uint8_t)(i + 2));
	case 0x6C ... 0x6F: /* ins, outs */
	case 0xA4 ... 0xA7: /* movs, cmps */
	case 0xAA ... 0xAF: /* stos, lods, scas */
		return repeat ? other(FLOW_REPEAT, (uint8_t)(i + 1)) : plain(0);
	}
	return plain(0);
}

/* ---- arm64 ----------------------------------------------------------------------------------- */

/* Returns bits low … low + width - 1, sign-extended. */
static int64_t field(uint32_t w, unsigned int low, unsigned int width)
{
	return (int64_t)((uint64_t)w << (64 - low - width)) >> (64 - width);
}

static struct flow register_branch(uint32_t w)
{
	switch (w >> 21 & 15) {
	case 0: /* br; 8, 9: with a key */
	case 8:
		return always(JUMP, 4);
	case 1:
	case 9:
		return always(CALL, 4);
	case 2:
		return always(RETURN, 4);
	case 4:
		return always(PITRACE_BRANCH_IRET, 4);
	}
	return plain(4);
}

struct flow flow_arm64(const uint8_t *code, size_t n)
{
	uint32_t w;

	if (n < 4)
		return other(FLOW_UNKNOWN, 0);
	w = code[0] | code[1] << 8 | code[2] << 16 | (uint32_t)code[3] << 24;
	if ((w & 0x7C000000) == 0x14000000)
		return always(w >> 31 ? CALL : JUMP, 4);
	if ((w & 0xFF000000) == 0x54000000 || (w & 0x7E000000) == 0x34000000)
		return direct(maybe(JUMP, 4), field(w, 5, 19) * 4);
	if ((w & 0x7E000000) == 0x36000000)
		return direct(maybe(JUMP, 4), field(w, 5, 14) * 4);
	if ((w & 0xFE000000) == 0xD6000000)
		return register_branch(w);
	if ((w & 0xFFE0001F) == 0xD4000001)
		return other(FLOW_SYSCALL, 4);
	if ((w & 0xFFE0001F) == 0xD4200000)
		return other(FLOW_TRAP, 4);
	/* ldxr, ldaxr, ldxp; stxr, stlxr, stxp */
	if ((w & 0x3FE00000) == 0x08400000 || (w & 0xBFE00000) == 0x88600000)
		return other(FLOW_RESERVE, 4);
	if ((w & 0x3FE00000) == 0x08000000 || (w & 0xBFE00000) == 0x88200000)
		return other(FLOW_RELEASE, 4);
	return plain(4);
}

/* ---- ppc64 ----------------------------------------------------------------------------------- */

static struct flow conditional(uint32_t w, uint8_t kind)
{
	/* BO 1z1zz: always */
	return (w >> 21 & 0x14) == 0x14 ? always(kind, 4) : maybe(kind, 4);
}

struct flow flow_ppc64(const uint8_t *code, size_t n)
{
	bool link;
	uint32_t w;

	if (n < 4)
		return other(FLOW_UNKNOWN, 0);
	memcpy(&w, code, sizeof(w));
	link = w & 1;
	switch (w >> 26) {
	case 1: /* with a prefix */
		return plain(8);
	case 16:
		return w & 2 ? conditional(w, link ? CALL : JUMP) :
			       direct(conditional(w, link ? CALL : JUMP), field(w, 2, 14) * 4);
	case 17: /* sc, scv */
		return (w & 3) == 2 || (w & 3) == 1 ? other(FLOW_SYSCALL, 4) : plain(4);
	case 18:
		return always(link ? CALL : JUMP, 4);
	case 19:
		switch (w >> 1 & 0x3FF) {
		case 16: /* bclr */
			return conditional(w, link ? CALL : RETURN);
		case 528: /* bcctr, bctar */
		case 560:
			return conditional(w, link ? CALL : JUMP);
		}
		return plain(4);
	case 31:
		switch (w >> 1 & 0x3FF) {
		case 20: /* lwarx, lbarx, ldarx, lharx, lqarx */
		case 52:
		case 84:
		case 116:
		case 276:
			return other(FLOW_RESERVE, 4);
		case 150: /* stwcx., stdcx., stbcx., sthcx., stqcx. */
		case 214:
		case 694:
		case 726:
		case 182:
			return other(FLOW_RELEASE, 4);
		}
		return w == 0x7FE00008 ? other(FLOW_TRAP, 4) : plain(4);
	}
	return plain(4);
}

/* ---- s390x ----------------------------------------------------------------------------------- */

/* By a mask of conditions: always, never or sometimes taken. */
static struct flow masked(unsigned int mask, uint8_t kind, uint8_t length)
{
	return mask == 15 ? always(kind, length) : mask ? maybe(kind, length) : plain(length);
}

static bool compares_and_branches(uint8_t last)
{
	switch (last) {
	case 0x44:
	case 0x45: /* brxhg, brxlg */
	case 0x64:
	case 0x65:
	case 0x76:
	case 0x77: /* cgrj … clrj */
	case 0x7C:
	case 0x7D:
	case 0x7E:
	case 0x7F: /* cgij … clij */
	case 0xE4:
	case 0xE5:
	case 0xF6:
	case 0xF7: /* cgrb … clrb */
	case 0xFC:
	case 0xFD:
	case 0xFE:
	case 0xFF: /* cgib … clib */
		return true;
	}
	return false;
}

struct flow flow_s390(const uint8_t *code, size_t n)
{
	uint8_t length = n && code[0] >= 0xC0 ? 6 : n && code[0] >= 0x40 ? 4 : 2;
	unsigned int high, low;
	struct flow f;

	if (n < length)
		return other(FLOW_UNKNOWN, 0);
	high = code[1] >> 4;
	low = code[1] & 15;
	switch (code[0]) {
	case 0x00:
		return code[1] == 0x01 ? other(FLOW_TRAP, 2) : plain(2);
	case 0x0A: /* svc */
		f = other(FLOW_SYSCALL, 2);
		f.number = code[1];
		return f;
	case 0x07: /* bcr; register 0: no branch */
		return low ? masked(high, low == 14 ? RETURN : JUMP, 2) : plain(2);
	case 0x47:
		return masked(high, JUMP, 4);
	case 0x06: /* bctr */
		return low ? maybe(JUMP, 2) : plain(2);
	case 0x05: /* balr, basr, bassm */
	case 0x0D:
	case 0x0C:
		return low ? always(CALL, 2) : plain(2);
	case 0x0B: /* bsm */
		return low ? always(JUMP, 2) : plain(2);
	case 0x45: /* bal, bas */
	case 0x4D:
		return always(CALL, 4);
	case 0x44:          /* ex: the executed instruction may be one */
	case 0x46:          /* bct */
	case 0x84 ... 0x87: /* brxh, brxle, bxh, bxle */
		return maybe(JUMP, 4);
	case 0xA7:
		return low == 4             ? masked(high, JUMP, 4) :
		       low == 5             ? always(CALL, 4) :
		       low == 6 || low == 7 ? maybe(JUMP, 4) :
					      plain(4);
	case 0xB9: /* bctgr */
		return code[1] == 0x46 && code[3] & 15 ? maybe(JUMP, 4) : plain(4);
	case 0xC0:
		return low == 4 ? masked(high, JUMP, 6) : low == 5 ? always(CALL, 6) : plain(6);
	case 0xC6: /* exrl */
		return low ? plain(6) : maybe(JUMP, 6);
	case 0xCC: /* brcth */
		return low == 6 ? maybe(JUMP, 6) : plain(6);
	case 0xE3: /* bctg, bic */
		return code[5] == 0x46 ? maybe(JUMP, 6) :
		       code[5] == 0x47 ? masked(high, JUMP, 6) :
					 plain(6);
	case 0xEB: /* bxhg, bxleg */
		return code[5] == 0x44 || code[5] == 0x45 ? maybe(JUMP, 6) : plain(6);
	case 0xEC:
		return compares_and_branches(code[5]) ? maybe(JUMP, 6) : plain(6);
	}
	return plain(length);
}

struct flow flow_here(const uint8_t *code, size_t n, bool wide)
{
#if defined(__x86_64__)
	return flow_x86(code, n, wide);
#elif defined(__aarch64__)
	(void)wide;
	return flow_arm64(code, n);
#elif defined(__powerpc64__)
	(void)wide;
	return flow_ppc64(code, n);
#elif defined(__s390x__)
	(void)wide;
	return flow_s390(code, n);
#else
	(void)code;
	(void)n;
	(void)wide;
	return other(FLOW_UNKNOWN, 0);
#endif
}
