/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libopcodes reports the kind of a branch only for some machines, but disassembles all: the
 * mnemonic decides. x86 is in AT&T syntax, where * marks an indirect target.
 */
#include "report/insn.h"

#include <elf.h>
#include <string.h>

/* Copies the mnemonic without prefixes to `room`; returns the text after it. */
static const char *mnemonic(unsigned int machine, const char *text, char *room, size_t size)
{
	static const char *const prefixes[] = {
		"bnd",  "notrack", "rep",    "repz",   "repnz",    "repe",     "repne",
		"lock", "data16",  "data32", "addr16", "addr32",   "cs",       "ds",
		"es",   "fs",      "gs",     "ss",     "xacquire", "xrelease",
	};
	bool x86 = machine == EM_X86_64 || machine == EM_386;
	size_t i, n;

	for (;;) {
		text += strspn(text, " ");
		n = strcspn(text, " ");
		if (n >= size)
			n = size - 1;
		memcpy(room, text, n);
		room[n] = '\0';
		text += strcspn(text, " ");
		if (!x86 || !*text)
			return text;
		for (i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
			if (!strcmp(prefixes[i], room))
				break;
		}
		if (i == sizeof(prefixes) / sizeof(prefixes[0]) && strncmp(room, "rex", 3) != 0)
			return text;
	}
}

static bool one_of(const char *word, const char *const *list)
{
	for (; *list; list++) {
		if (!strcmp(*list, word))
			return true;
	}
	return false;
}

static bool begins(const char *word, const char *with)
{
	return !strncmp(word, with, strlen(with));
}

static bool ends(const char *word, const char *with)
{
	size_t n = strlen(word), m = strlen(with);

	return n >= m && !strcmp(word + n - m, with);
}

static void classify_x86(struct insn *insn, char *word, const char *operands)
{
	static const char *const syscalls[] = { "syscall", "sysenter", "int", NULL };
	static const char *const traps[] = { "int3", "int1", "ud0", "ud1", "ud2",
					     "ud2a", "ud2b", "hlt", NULL };
	static const char *const irets[] = { "iret",     "iretl",    "iretq",   "iretw",
					     "sysret",   "sysretl",  "sysretq", "sysexit",
					     "sysexitl", "sysexitq", "uiret",   "eretu",
					     "erets",    NULL };
	static const char *const loops[] = { "loop",  "loope",  "loopne",  "loopw",
					     "loopl", "loopel", "loopnel", NULL };

	word[strcspn(word, ",")] = '\0'; /* branch hints: ,pt ,pn */
	insn->direct = !strchr(operands, '*');
	if (begins(word, "call") || begins(word, "lcall")) {
		insn->kind = INSN_CALL;
	} else if (begins(word, "ret") || begins(word, "lret")) {
		insn->kind = INSN_RETURN;
		insn->direct = false;
	} else if (begins(word, "jmp") || begins(word, "ljmp")) {
		insn->kind = INSN_JUMP;
	} else if (word[0] == 'j' || one_of(word, loops) || begins(word, "xbegin")) {
		insn->kind = INSN_JUMP;
		insn->conditional = true;
	} else if (one_of(word, irets)) {
		insn->kind = INSN_IRET;
	} else if (one_of(word, syscalls)) {
		insn->kind = INSN_SYSCALL;
	} else if (one_of(word, traps)) {
		insn->kind = INSN_TRAP;
	}
}

static void classify_arm64(struct insn *insn, const char *word)
{
	static const char *const conditional[] = { "cbz", "cbnz", "tbz", "tbnz", NULL };
	static const char *const calls[] = { "blraa", "blrab", "blraaz", "blrabz", "blr", NULL };
	static const char *const jumps[] = { "braa", "brab", "braaz", "brabz", "br", NULL };
	static const char *const returns[] = { "ret", "retaa", "retab", NULL };
	static const char *const irets[] = { "eret", "eretaa", "eretab", NULL };

	insn->direct = true;
	if (!strcmp(word, "bl")) {
		insn->kind = INSN_CALL;
	} else if (one_of(word, calls)) {
		insn->kind = INSN_CALL;
		insn->direct = false;
	} else if (one_of(word, returns)) {
		insn->kind = INSN_RETURN;
		insn->direct = false;
	} else if (one_of(word, jumps)) {
		insn->kind = INSN_JUMP;
		insn->direct = false;
	} else if (!strcmp(word, "b")) {
		insn->kind = INSN_JUMP;
	} else if (begins(word, "b.") || begins(word, "bc.") || one_of(word, conditional)) {
		insn->kind = INSN_JUMP;
		insn->conditional = true;
	} else if (!strcmp(word, "svc")) {
		insn->kind = INSN_SYSCALL;
	} else if (one_of(word, irets)) {
		insn->kind = INSN_IRET;
	} else if (!strcmp(word, "brk") || !strcmp(word, "udf") || !strcmp(word, "hlt")) {
		insn->kind = INSN_TRAP;
	}
}

static void classify_powerpc(struct insn *insn, char *word)
{
	static const char *const calls[] = { "bl",   "bla",   "bctrl",  "blrl", "bcl",
					     "bcla", "bclrl", "bcctrl", NULL };
	static const char *const conditions[] = { "bc",  "bdnz", "bdz", "beq", "bne", "blt",
						  "bgt", "ble",  "bge", "bso", "bns", "bun",
						  "bnu", "bt",   "bf",  NULL };
	static const char *const not_branches[] = { "bcd", "bpermd", "brd", "brh", "brw", NULL };
	static const char *const irets[] = {
		"rfid", "hrfid", "rfscv", "rfi", "rfebb", "urfid", NULL
	};
	size_t n = strlen(word), i;

	if (n && (word[n - 1] == '+' || word[n - 1] == '-'))
		word[--n] = '\0';
	for (i = 0; not_branches[i]; i++) {
		if (begins(word, not_branches[i]))
			return;
	}
	if (!strcmp(word, "sc") || !strcmp(word, "scv")) {
		insn->kind = INSN_SYSCALL;
	} else if (one_of(word, irets)) {
		insn->kind = INSN_IRET;
	} else if (!strcmp(word, "trap") || begins(word, "tw") || begins(word, "td")) {
		insn->kind = INSN_TRAP;
		insn->conditional = strcmp(word, "trap") != 0;
	} else if (word[0] == 'b') {
		insn->direct = !ends(word, "lr") && !ends(word, "ctr") && !ends(word, "ctrl") &&
			       !ends(word, "lrl");
		for (i = 0; conditions[i]; i++)
			insn->conditional |= begins(word, conditions[i]) && strcmp(word, "bctr") &&
					     strcmp(word, "bctrl");
		insn->kind = one_of(word, calls) || ends(word, "lrl") || ends(word, "ctrl") ?
				     INSN_CALL :
			     ends(word, "lr") ? INSN_RETURN :
						INSN_JUMP;
	}
}

/* Matches br, bner: s390x's branches to an address in a register, conditional or not. */
static bool by_register(const char *word)
{
	return word[0] == 'b' && ends(word, "r") && strlen(word) <= 4 && word[1] != 's' &&
	       word[1] != 'a' && strcmp(word, "bctr");
}

/* Register 0 means no branch: a serialization, or reading the address. */
static bool has_no_target(const char *word, const char *operands)
{
	const char *last = strrchr(operands, ',');

	if (by_register(word))
		return begins(operands, "%r0");
	return (!strcmp(word, "basr") || !strcmp(word, "balr") || !strcmp(word, "bassm") ||
		!strcmp(word, "bctr") || !strcmp(word, "bctgr")) &&
	       last && begins(last + 1, "%r0");
}

static void classify_s390(struct insn *insn, const char *word, const char *operands)
{
	static const char *const calls[] = { "brasl", "bras", "basr", "bas", "jas",
					     "jasl",  "balr", "bal",  NULL };
	static const char *const plain_jumps[] = { "j", "jg", "b", "br", NULL };
	static const char *const counts[] = { "brct",  "brctg", "brcth", "bct",   "bctr",  "bctg",
					      "bctgr", "brxh",  "brxhg", "brxle", "brxlg", "bxh",
					      "bxhg",  "bxle",  "bxleg", "jct",   "jctg",  "jxh",
					      "jxhg",  "jxle",  "jxleg", "brc",   "brcl",  "bc",
					      "bcr",   NULL };
	static const char *const compares[] = { "crj",  "cgrj",  "clrj", "clgrj", "cij",  "cgij",
						"clij", "clgij", "crb",  "cgrb",  "clrb", "clgrb",
						"cib",  "cgib",  "clib", "clgib", NULL };
	size_t i;

	operands += strspn(operands, " ");
	insn->direct = word[0] == 'j' || begins(word, "br");
	if (has_no_target(word, operands))
		return;
	if (!strcmp(word, "svc")) {
		insn->kind = INSN_SYSCALL;
	} else if (begins(word, "lpsw")) {
		insn->kind = INSN_IRET;
	} else if (one_of(word, calls)) {
		insn->kind = INSN_CALL;
	} else if (by_register(word) && begins(operands, "%r14")) {
		insn->kind = INSN_RETURN;
		insn->conditional = strcmp(word, "br") != 0;
		insn->direct = false;
	} else if (one_of(word, plain_jumps)) {
		insn->kind = INSN_JUMP;
		insn->direct = word[0] == 'j';
	} else if (one_of(word, counts)) {
		insn->kind = INSN_JUMP;
		insn->conditional = true;
	} else if ((word[0] == 'j' && strncmp(word, "jnop", 4)) || by_register(word)) {
		insn->kind = INSN_JUMP; /* jne, jgh, bner */
		insn->conditional = true;
		insn->direct = word[0] == 'j';
	} else {
		for (i = 0; compares[i]; i++) {
			if (!begins(word, compares[i]))
				continue;
			insn->kind = INSN_JUMP;
			insn->conditional = true;
			insn->direct = strchr(compares[i], 'j') != NULL;
		}
	}
}

void insn_classify(unsigned int machine, struct insn *insn)
{
	char word[24];
	const char *operands = mnemonic(machine, insn->text, word, sizeof(word));

	insn->kind = INSN_PLAIN;
	insn->conditional = insn->direct = false;
	if (!insn->length || strstr(insn->text, "(bad)") || begins(word, ".")) {
		insn->kind = INSN_BAD;
		return;
	}
	switch (machine) {
	case EM_X86_64:
	case EM_386:
		classify_x86(insn, word, operands);
		break;
	case EM_AARCH64:
		classify_arm64(insn, word);
		break;
	case EM_PPC64:
		classify_powerpc(insn, word);
		break;
	case EM_S390:
		classify_s390(insn, word, operands);
		break;
	}
	if (insn->kind == INSN_PLAIN)
		insn->direct = false;
}
