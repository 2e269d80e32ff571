/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classifies an instruction by its mnemonic from libopcodes. */
#define PACKAGE "pitrace" /* bfd.h wants it */
#include <dis-asm.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pitrace.h>
#include "insn.h"

static struct {
	struct disassemble_info info;
	disassembler_ftype print;
	char text[256], said[256];
	size_t length;
	const uint8_t *bytes;
	size_t n;
	uint64_t address;
	struct insn (*kind)(char *text);
} d;

static int add(void *stream, const char *format, va_list list)
{
	int n = vsnprintf(d.text + d.length, sizeof(d.text) - d.length, format, list);

	(void)stream;
	if (n > 0 && d.length + (size_t)n < sizeof(d.text))
		d.length += (size_t)n;
	return n;
}

static int print_plain(void *stream, const char *format, ...)
{
	va_list list;
	int n;

	va_start(list, format);
	n = add(stream, format, list);
	va_end(list);
	return n;
}

static int print_styled(void *stream, enum disassembler_style style, const char *format, ...)
{
	va_list list;
	int n;

	(void)style;
	va_start(list, format);
	n = add(stream, format, list);
	va_end(list);
	return n;
}

static int read_bytes(bfd_vma at, bfd_byte *to, unsigned int n, struct disassemble_info *info)
{
	(void)info;
	if (at < d.address || at - d.address + n > d.n)
		return 1;
	memcpy(to, d.bytes + (at - d.address), n);
	return 0;
}

static void no_error(int status, bfd_vma at, struct disassemble_info *info)
{
	(void)status;
	(void)at;
	(void)info;
}

static bool one_of(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(word, *list))
			return true;
	return false;
}

static bool begins(const char *word, const char *with)
{
	return !strncmp(word, with, strlen(with));
}

#define CALL   PITRACE_BRANCH_CALL
#define RETURN PITRACE_BRANCH_RETURN
#define JUMP   PITRACE_BRANCH_JUMP

static struct insn of(enum insn_kind kind, unsigned int branch)
{
	return (struct insn){ .kind = (uint8_t)kind, .branch = (uint8_t)branch };
}

static struct insn kind_x86(char *text)
{
	static const char *const prefixes[] = { "bnd",  "notrack", "cs",    "ds",     "es",
						"ss",   "fs",      "gs",    "data16", "addr32",
						"lock", "rex",     "rex.W", "repz",   "repnz",
						"rep",  NULL };
	static const char *const strings[] = { "movs", "stos", "lods", "scas",
					       "cmps", "ins",  "outs", NULL };
	bool repeat = false;
	char *word, *rest = text;

	do {
		word = strsep(&rest, " \t");
		repeat |= word && begins(word, "rep");
	} while (word && (!*word || one_of(word, prefixes) || begins(word, "rex.")));
	if (!word)
		return of(INSN_PLAIN, 0);
	if (repeat)
		for (size_t i = 0; strings[i]; i++)
			if (begins(word, strings[i]) && strlen(word) <= strlen(strings[i]) + 1)
				return of(INSN_REPEAT, 0);
	if (begins(word, "jmp") || begins(word, "ljmp"))
		return of(INSN_BRANCH, JUMP);
	if (begins(word, "call") || begins(word, "lcall"))
		return of(INSN_BRANCH, CALL);
	if (begins(word, "ret") || begins(word, "lret"))
		return of(INSN_BRANCH, RETURN);
	if (begins(word, "iret") || begins(word, "sysret") || begins(word, "sysexit") ||
	    begins(word, "uiret"))
		return of(INSN_BRANCH, PITRACE_BRANCH_IRET);
	if (!strcmp(word, "syscall") || !strcmp(word, "sysenter") ||
	    (!strcmp(word, "int") && rest && strstr(rest, "$0x80")))
		return of(INSN_SYSCALL, 0);
	return *word == 'j' || begins(word, "loop") || !strcmp(word, "xbegin") ?
		       of(INSN_CONDITIONAL, JUMP) :
		       of(INSN_PLAIN, 0);
}

static struct insn kind_arm64(char *text)
{
	static const char *const conditional[] = { "cbz", "cbnz", "tbz", "tbnz", NULL };
	char *rest = text, *word = strsep(&rest, " \t");

	if (!strcmp(word, "b") || (begins(word, "br") && !begins(word, "brk")))
		return of(INSN_BRANCH, JUMP);
	if (!strcmp(word, "bl") || begins(word, "blr"))
		return of(INSN_BRANCH, CALL);
	if (begins(word, "ret"))
		return of(INSN_BRANCH, RETURN);
	if (!strcmp(word, "svc"))
		return of(INSN_SYSCALL, 0);
	return begins(word, "b.") || begins(word, "bc.") || one_of(word, conditional) ?
		       of(INSN_CONDITIONAL, JUMP) :
		       of(INSN_PLAIN, 0);
}

/* b, then a condition or none, then lr, ctr or tar or none, then l, a. */
static struct insn kind_ppc64(char *text)
{
	static const char *const others[] = {
		"bpermd", "brd", "brh", "brw", "bbelr", "bblels", NULL
	};
	static const char *const always[] = { "b",    "ba",    "bl",   "bla",   "blr", "blrl",
					      "bctr", "bctrl", "btar", "btarl", NULL };
	char *rest = text, *word = strsep(&rest, " \t");
	size_t n = strlen(word);
	unsigned int branch = JUMP;
	bool link;

	if (!strcmp(word, "sc") || !strcmp(word, "scv"))
		return of(INSN_SYSCALL, 0);
	if (*word != 'b' || one_of(word, others) || begins(word, "bcd"))
		return of(INSN_PLAIN, 0);
	while (n && (word[n - 1] == '+' || word[n - 1] == '-'))
		word[--n] = 0;
	if (n > 2 && word[n - 1] == 'a')
		word[--n] = 0;
	link = n > 1 && word[n - 1] == 'l' && strcmp(word, "bnl");
	if (link)
		branch = CALL;
	else if (n > 2 && !strcmp(word + n - 2, "lr"))
		branch = RETURN;
	if (one_of(word, always))
		return of(INSN_BRANCH, branch);
	/* bcl 20,31,$+4 and the like: always. */
	while (rest && *rest == ' ')
		rest++;
	if (begins(word, "bc") && rest && begins(rest, "20,"))
		return of(INSN_BRANCH, branch);
	return of(INSN_CONDITIONAL, branch);
}

static struct insn kind_s390(char *text)
{
	static const char *const calls[] = { "bras", "brasl", "bas", "basr", "bal",
					     "balr", "bassm", "jas", "jasl", NULL };
	static const char *const jumps[] = { "j", "jg", "b", "br", "bsm", "bi", NULL };
	static const char *const others[] = { "bctr",  "brct",  "brctg", "brcth", "bct",   "bctg",
					      "bctgr", "bxh",   "bxle",  "bxhg",  "bxleg", "brxh",
					      "brxle", "brxhg", "brxlg", "ex",    "exrl",  NULL };
	static const char *const compare[] = { "cgrj", "crj",   "clrj", "clgrj", "cij",  "cgij",
					       "clij", "clgij", "crb",  "cgrb",  "clrb", "clgrb",
					       "cib",  "cgib",  "clib", "clgib", NULL };
	static const char *const plain[] = { "jnop", "jgnop", "bpp",  "bprp",
					     "bsa",  "bsg",   "bakr", NULL };
	char *rest = text, *word = strsep(&rest, " \t");
	bool by_register = word[strlen(word) - 1] == 'r' || !strcmp(word, "bassm") ||
			   !strcmp(word, "bsm");
	/* The last operand is the target: register 0 is none. */
	size_t n = rest ? strlen(rest) : 0;
	bool back = by_register && strcmp(word, "bsm") && n >= 4 && !strcmp(rest + n - 4, "%r14");
	bool nowhere = (by_register || !strcmp(word, "bctgr")) && n >= 3 &&
		       !strcmp(rest + n - 3, "%r0");

	if (!strcmp(word, "svc")) {
		struct insn i = of(INSN_SYSCALL, 0);

		i.number = rest ? (uint32_t)strtoul(rest, NULL, 0) : 0;
		return i;
	}
	if (one_of(word, plain) || nowhere || (!strcmp(word, "bic") && begins(rest, "0,")))
		return of(INSN_PLAIN, 0);
	if (one_of(word, calls))
		return of(INSN_BRANCH, CALL);
	if (one_of(word, jumps))
		return of(INSN_BRANCH, back ? RETURN : JUMP);
	for (size_t i = 0; compare[i]; i++)
		if (begins(word, compare[i]))
			return of(INSN_CONDITIONAL, JUMP);
	if (one_of(word, others))
		return of(INSN_CONDITIONAL, JUMP);
	if (*word == 'j' || *word == 'b')
		return of(INSN_CONDITIONAL, back ? RETURN : JUMP);
	return of(INSN_PLAIN, 0);
}

bool insn_open(const char *machine)
{
	static const struct {
		const char *name;
		enum bfd_architecture arch;
		unsigned long mach;
		bool big;
		struct insn (*kind)(char *text);
	} machines[] = {
		{ "x86_64", bfd_arch_i386, bfd_mach_x86_64, false, kind_x86 },
		{ "aarch64", bfd_arch_aarch64, bfd_mach_aarch64, false, kind_arm64 },
		{ "ppc64le", bfd_arch_powerpc, bfd_mach_ppc64, false, kind_ppc64 },
		{ "s390x", bfd_arch_s390, bfd_mach_s390_64, true, kind_s390 },
	};

	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
		if (strcmp(machine, machines[i].name))
			continue;
		init_disassemble_info(&d.info, NULL, print_plain, print_styled);
		d.info.arch = machines[i].arch;
		d.info.mach = machines[i].mach;
		d.info.endian = d.info.endian_code = machines[i].big ? BFD_ENDIAN_BIG :
								       BFD_ENDIAN_LITTLE;
		d.info.read_memory_func = read_bytes;
		d.info.memory_error_func = no_error;
		d.kind = machines[i].kind;
		d.print = disassembler(d.info.arch, machines[i].big, d.info.mach, NULL);
		if (!d.print)
			return false;
		disassemble_init_for_target(&d.info);
		return true;
	}
	return false;
}

/* x86: a prefix that another prefix makes void. */
static bool alone(const char *text)
{
	const char *last = strrchr(text, ' ');

	return begins(last && last[1] ? last + 1 : text, "rex");
}

struct insn insn_at(uint64_t address, const uint8_t *bytes, size_t n)
{
	struct insn i = { .kind = INSN_PLAIN };
	int length;

	d.address = address;
	d.bytes = bytes;
	d.n = n;
	d.length = 0;
	*d.text = 0;
	d.info.buffer_vma = address;
	length = d.print(address, &d.info);
	if (length <= 0)
		return i;
	snprintf(d.said, sizeof(d.said), "%s", d.text);
	i = d.kind(d.text);
	i.unknown = strstr(d.said, "(bad)") || *d.said == '.' || alone(d.said) ||
		    strstr(d.said, "undefined");
	i.length = (uint16_t)length;
	return i;
}

const char *insn_text(void)
{
	return d.said;
}

bool insn_reserves(uint32_t word, bool load)
{
	static const unsigned int loads[] = { 20, 52, 84, 116, 276 };
	static const unsigned int stores[] = { 150, 182, 214, 694, 726 };
	const unsigned int *of = load ? loads : stores;

	if (d.info.arch == bfd_arch_aarch64)
		return (word & 0x3FC00000) == (load ? 0x08400000u : 0x08000000u);
	for (size_t i = 0; word >> 26 == 31 && i < sizeof(loads) / sizeof(*loads); i++)
		if ((word >> 1 & 0x3ff) == of[i])
			return d.info.arch == bfd_arch_powerpc;
	return false;
}
