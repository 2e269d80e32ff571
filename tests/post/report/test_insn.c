/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The effect of instructions on the control flow, from their text, on each machine. */
#include <elf.h>

#include "report/insn.h"
#include "unit.h"

/* The kind of a branch: conditional, or to an address in its text. */
#define CONDITION 1
#define DIRECT    2

struct row {
	const char *text;
	enum insn_kind kind;
	unsigned int how;
};

static void check(unsigned int machine, const struct row *row)
{
	for (; row->text; row++) {
		struct insn i = { .length = 4, .conditional = true, .direct = true };
		bool is, tells_where = row->kind <= INSN_JUMP;

		snprintf(i.text, sizeof(i.text), "%s", row->text);
		insn_classify(machine, &i);
		is = i.kind == row->kind && i.conditional == (row->how & CONDITION) &&
		     (!tells_where || i.direct == !!(row->how & DIRECT));
		if (!is)
			printf("# \"%s\": kind %d%s%s\n", row->text, (int)i.kind,
			       i.conditional ? ", conditional" : "", i.direct ? ", direct" : "");
		CU_ASSERT(is);
	}
}

static void x86(void)
{
	static const struct row rows[] = {
		{ "call   0x401000 <f>", INSN_CALL, DIRECT },
		{ "callq  *%rax", INSN_CALL, 0 },
		{ "call   *0x10(%rip)        # 0x4010 <f>", INSN_CALL, 0 },
		{ "lcall  *(%rax)", INSN_CALL, 0 },
		{ "data16 call 0x401000", INSN_CALL, DIRECT },
		{ "bnd call *%rax", INSN_CALL, 0 },
		{ "data16 rex.W call 0x401000", INSN_CALL, DIRECT },
		{ "ret", INSN_RETURN, 0 },
		{ "retq   $0x8", INSN_RETURN, 0 },
		{ "repz ret", INSN_RETURN, 0 },
		{ "lret", INSN_RETURN, 0 },
		{ "rex.WRB lret $0x10", INSN_RETURN, 0 },
		{ "jmp    0x401000", INSN_JUMP, DIRECT },
		{ "notrack jmp *%rax", INSN_JUMP, 0 },
		{ "ljmp   *(%rbx)", INSN_JUMP, 0 },
		{ "je     0x401000", INSN_JUMP, CONDITION | DIRECT },
		{ "jne,pn 0x401000", INSN_JUMP, CONDITION | DIRECT },
		{ "bnd jae 0x401000", INSN_JUMP, CONDITION | DIRECT },
		{ "jrcxz  0x401000", INSN_JUMP, CONDITION | DIRECT },
		{ "loop   0x401000", INSN_JUMP, CONDITION | DIRECT },
		{ "loopne 0x401000", INSN_JUMP, CONDITION | DIRECT },
		{ "addr32 loope 0x401000", INSN_JUMP, CONDITION | DIRECT },
		{ "xbegin 0x401000", INSN_JUMP, CONDITION | DIRECT },
		{ "iretq", INSN_IRET, 0 },
		{ "rex.W iret", INSN_IRET, 0 },
		{ "sysretq", INSN_IRET, 0 },
		{ "sysexitl", INSN_IRET, 0 },
		{ "uiret", INSN_IRET, 0 },
		{ "erets", INSN_IRET, 0 },
		{ "syscall", INSN_SYSCALL, 0 },
		{ "sysenter", INSN_SYSCALL, 0 },
		{ "int    $0x80", INSN_SYSCALL, 0 },
		{ "int3", INSN_TRAP, 0 },
		{ "int1", INSN_TRAP, 0 },
		{ "ud2", INSN_TRAP, 0 },
		{ "ud1    %eax,%ebx", INSN_TRAP, 0 },
		{ "hlt", INSN_TRAP, 0 },
		{ "mov    %rax,%rbx", INSN_PLAIN, 0 },
		{ "lock xadd %eax,(%rbx)", INSN_PLAIN, 0 },
		{ "rep stos %al,%es:(%rdi)", INSN_PLAIN, 0 },
		{ "cs nop 0x0(%rax,%rax,1)", INSN_PLAIN, 0 },
		{ "cs", INSN_PLAIN, 0 },
		{ "a word that is longer than any mnemonic", INSN_PLAIN, 0 },
		{ "awordthatislongerthananymnemonic call", INSN_PLAIN, 0 },
		{ "(bad)", INSN_BAD, 0 },
		{ "rex.W (bad)", INSN_BAD, 0 },
		{ ".byte 0xf", INSN_BAD, 0 },
		{ 0 },
	};
	struct insn none = { .length = 0, .text = "ret" };

	check(EM_X86_64, rows);
	check(EM_386, rows);
	insn_classify(EM_X86_64, &none);
	CU_ASSERT_EQUAL(none.kind, INSN_BAD);
}

static void arm64(void)
{
	static const struct row rows[] = {
		{ "bl\t0x1000", INSN_PLAIN, 0 }, /* words are parted by blanks */
		{ "bl 0x1000", INSN_CALL, DIRECT },
		{ "blr x0", INSN_CALL, 0 },
		{ "blraaz x1", INSN_CALL, 0 },
		{ "blrab x1, x2", INSN_CALL, 0 },
		{ "ret", INSN_RETURN, 0 },
		{ "ret x3", INSN_RETURN, 0 },
		{ "retab", INSN_RETURN, 0 },
		{ "b 0x1000", INSN_JUMP, DIRECT },
		{ "br x17", INSN_JUMP, 0 },
		{ "braa x1, x2", INSN_JUMP, 0 },
		{ "b.ne 0x1000  // b.any", INSN_JUMP, CONDITION | DIRECT },
		{ "bc.eq 0x1000", INSN_JUMP, CONDITION | DIRECT },
		{ "cbz x0, 0x1000", INSN_JUMP, CONDITION | DIRECT },
		{ "cbnz w0, 0x1000", INSN_JUMP, CONDITION | DIRECT },
		{ "tbz w0, #3, 0x1000", INSN_JUMP, CONDITION | DIRECT },
		{ "tbnz w0, #3, 0x1000", INSN_JUMP, CONDITION | DIRECT },
		{ "svc #0x0", INSN_SYSCALL, 0 },
		{ "eret", INSN_IRET, 0 },
		{ "eretab", INSN_IRET, 0 },
		{ "brk #0x1", INSN_TRAP, 0 },
		{ "udf #0", INSN_TRAP, 0 },
		{ "hlt #0x3", INSN_TRAP, 0 },
		{ "bic x0, x1, x2", INSN_PLAIN, 0 },
		{ "bfi x0, x1, #2, #3", INSN_PLAIN, 0 },
		{ "add x0, x1, x2", INSN_PLAIN, 0 },
		{ ".inst 0x00000123 ; undefined", INSN_BAD, 0 },
		{ 0 },
	};

	check(EM_AARCH64, rows);
}

static void powerpc(void)
{
	static const struct row rows[] = {
		{ "bl 0x1000", INSN_CALL, DIRECT },
		{ "bla 0x1000", INSN_CALL, DIRECT },
		{ "bctrl", INSN_CALL, 0 },
		{ "blrl", INSN_CALL, 0 },
		{ "beqlrl", INSN_CALL, CONDITION },
		{ "bnectrl-", INSN_CALL, CONDITION },
		{ "bcl 20,4*cr7+so,0x1000", INSN_CALL, CONDITION | DIRECT },
		{ "blr", INSN_RETURN, 0 },
		{ "beqlr", INSN_RETURN, CONDITION },
		{ "bdnzlr+", INSN_RETURN, CONDITION },
		{ "b 0x1000", INSN_JUMP, DIRECT },
		{ "ba 0x1000", INSN_JUMP, DIRECT },
		{ "bctr", INSN_JUMP, 0 },
		{ "bltctr+", INSN_JUMP, CONDITION },
		{ "bne cr7,0x1000", INSN_JUMP, CONDITION | DIRECT },
		{ "blt+ 0x1000", INSN_JUMP, CONDITION | DIRECT },
		{ "bge- 0x1000", INSN_JUMP, CONDITION | DIRECT },
		{ "ble 0x1000", INSN_JUMP, CONDITION | DIRECT },
		{ "bgt 0x1000", INSN_JUMP, CONDITION | DIRECT },
		{ "bso 0x1000", INSN_JUMP, CONDITION | DIRECT },
		{ "bnu 0x1000", INSN_JUMP, CONDITION | DIRECT },
		{ "bdz 0x1000", INSN_JUMP, CONDITION | DIRECT },
		{ "bt 4*cr1+lt,0x1000", INSN_JUMP, CONDITION | DIRECT },
		{ "bf eq,0x1000", INSN_JUMP, CONDITION | DIRECT },
		{ "bc 4,lt,0x1000", INSN_JUMP, CONDITION | DIRECT },
		{ "sc", INSN_SYSCALL, 0 },
		{ "scv 0", INSN_SYSCALL, 0 },
		{ "rfid", INSN_IRET, 0 },
		{ "hrfid", INSN_IRET, 0 },
		{ "rfscv", INSN_IRET, 0 },
		{ "urfid", INSN_IRET, 0 },
		{ "trap", INSN_TRAP, 0 },
		{ "twui r3,1", INSN_TRAP, CONDITION },
		{ "tdnei r3,0", INSN_TRAP, CONDITION },
		{ "bpermd r3,r4,r5", INSN_PLAIN, 0 },
		{ "brd r3,r4", INSN_PLAIN, 0 },
		{ "brh r3,r4", INSN_PLAIN, 0 },
		{ "bcdadd. v1,v2,v3,0", INSN_PLAIN, 0 },
		{ "addi r1,r1,16", INSN_PLAIN, 0 },
		{ "scvx", INSN_PLAIN, 0 },
		{ ".long 0x0", INSN_BAD, 0 },
		{ 0 },
	};

	check(EM_PPC64, rows);
}

static void s390(void)
{
	static const struct row rows[] = {
		{ "brasl %r14,0x1000", INSN_CALL, DIRECT },
		{ "jas %r14,0x1000", INSN_CALL, DIRECT },
		{ "bras %r13,0x1000", INSN_CALL, DIRECT },
		{ "basr %r14,%r1", INSN_CALL, 0 },
		{ "bas %r14,16(%r1)", INSN_CALL, 0 },
		{ "bal %r14,16(%r1)", INSN_CALL, 0 },
		{ "balr %r14,%r1", INSN_CALL, 0 },
		/* By register 0 they go nowhere. */
		{ "basr %r13,%r0", INSN_PLAIN, 0 },
		{ "balr %r13,%r0", INSN_PLAIN, 0 },
		{ "bctr %r1,%r0", INSN_PLAIN, 0 },
		{ "bctgr %r1,%r0", INSN_PLAIN, 0 },
		{ "br %r0", INSN_PLAIN, 0 },
		{ "bner %r0", INSN_PLAIN, 0 },
		{ "br %r14", INSN_RETURN, 0 },
		{ "bner %r14", INSN_RETURN, CONDITION },
		{ "br %r1", INSN_JUMP, 0 },
		{ "bher %r1", INSN_JUMP, CONDITION },
		{ "b 16(%r1)", INSN_JUMP, 0 },
		{ "j 0x1000", INSN_JUMP, DIRECT },
		{ "jg 0x1000", INSN_JUMP, DIRECT },
		{ "jne 0x1000", INSN_JUMP, CONDITION | DIRECT },
		{ "jgh 0x1000", INSN_JUMP, CONDITION | DIRECT },
		{ "jnop 0x1000", INSN_PLAIN, 0 },
		{ "brct %r1,0x1000", INSN_JUMP, CONDITION | DIRECT },
		{ "brctg %r1,0x1000", INSN_JUMP, CONDITION | DIRECT },
		{ "brxle %r1,%r2,0x1000", INSN_JUMP, CONDITION | DIRECT },
		{ "bct %r1,16(%r2)", INSN_JUMP, CONDITION },
		{ "bctgr %r1,%r2", INSN_JUMP, CONDITION },
		{ "bxle %r1,%r2,16(%r3)", INSN_JUMP, CONDITION },
		{ "cgrjne %r1,%r2,0x1000", INSN_JUMP, CONDITION | DIRECT },
		{ "clij %r1,5,8,0x1000", INSN_JUMP, CONDITION | DIRECT },
		{ "cgrbne %r1,%r2,16(%r3)", INSN_JUMP, CONDITION },
		{ "clgibh %r1,5,16(%r3)", INSN_JUMP, CONDITION },
		{ "svc 1", INSN_SYSCALL, 0 },
		{ "lpswe 16(%r1)", INSN_IRET, 0 },
		{ "lgr %r1,%r2", INSN_PLAIN, 0 },
		{ "la %r1,16(%r2)", INSN_PLAIN, 0 },
		{ "cgr %r1,%r2", INSN_PLAIN, 0 },
		{ ".long 0x0", INSN_BAD, 0 },
		{ 0 },
	};

	check(EM_S390, rows);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "x86", x86 }, { "arm64", arm64 }, { "powerpc", powerpc }, { "s390", s390 }, {},
	};

	return unit_run("insn", tests);
}
