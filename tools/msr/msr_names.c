/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parses names of registers, bits and values. Sources of the list: Intel 64 and IA-32 Architectures
 * Software Developer's Manual, volume 4, table 2-2 (IA-32 architectural MSRs); AMD64 Architecture
 * Programmer's Manual, volume 2, appendix A (MSR cross-reference).
 */
#include "msr_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const struct msr_name msr_names[] = {
	{ 0x10, "IA32_TIME_STAMP_COUNTER", "Intel, AMD", "time-stamp counter" },
	{ 0x17, "IA32_PLATFORM_ID", "Intel", "platform, for microcode updates" },
	{ 0x1b, "IA32_APIC_BASE", "Intel, AMD", "where the local APIC is, its mode" },
	{ 0x3a, "IA32_FEATURE_CONTROL", "Intel", "VMX, SMX, SGX: enabled and locked" },
	{ 0x3b, "IA32_TSC_ADJUST", "Intel", "what was added to the time-stamp counter" },
	{ 0x48, "IA32_SPEC_CTRL", "Intel, AMD", "speculation: IBRS, STIBP, SSBD" },
	{ 0x49, "IA32_PRED_CMD", "Intel, AMD", "prediction barrier (write only)" },
	{ 0x8b, "IA32_BIOS_SIGN_ID", "Intel, AMD", "revision of the microcode" },
	{ 0xc1, "IA32_PMC0", "Intel", "counter 0" },
	{ 0xc2, "IA32_PMC1", "Intel", "counter 1" },
	{ 0xc3, "IA32_PMC2", "Intel", "counter 2" },
	{ 0xc4, "IA32_PMC3", "Intel", "counter 3" },
	{ 0xcf, "IA32_CORE_CAPABILITIES", "Intel", "features of the core" },
	{ 0xe1, "IA32_UMWAIT_CONTROL", "Intel", "limits of umwait and tpause" },
	{ 0xe7, "IA32_MPERF", "Intel, AMD", "cycles at the nominal speed, not halted" },
	{ 0xe8, "IA32_APERF", "Intel, AMD", "cycles at the actual speed, not halted" },
	{ 0xfe, "IA32_MTRRCAP", "Intel, AMD", "what the memory type registers can do" },
	{ 0x10a, "IA32_ARCH_CAPABILITIES", "Intel", "which vulnerabilities it has not" },
	{ 0x10b, "IA32_FLUSH_CMD", "Intel", "flushes the L1 data cache (write only)" },
	{ 0x122, "IA32_TSX_CTRL", "Intel", "transactions: off, hidden" },
	{ 0x174, "IA32_SYSENTER_CS", "Intel, AMD", "sysenter: code segment" },
	{ 0x175, "IA32_SYSENTER_ESP", "Intel, AMD", "sysenter: stack" },
	{ 0x176, "IA32_SYSENTER_EIP", "Intel, AMD", "sysenter: address" },
	{ 0x179, "IA32_MCG_CAP", "Intel, AMD", "machine checks: banks, features" },
	{ 0x17a, "IA32_MCG_STATUS", "Intel, AMD", "machine checks: state" },
	{ 0x17b, "IA32_MCG_CTL", "Intel, AMD", "machine checks: enabled" },
	{ 0x186, "IA32_PERFEVTSEL0", "Intel", "what counter 0 counts" },
	{ 0x187, "IA32_PERFEVTSEL1", "Intel", "what counter 1 counts" },
	{ 0x188, "IA32_PERFEVTSEL2", "Intel", "what counter 2 counts" },
	{ 0x189, "IA32_PERFEVTSEL3", "Intel", "what counter 3 counts" },
	{ 0x198, "IA32_PERF_STATUS", "Intel", "performance state that is" },
	{ 0x199, "IA32_PERF_CTL", "Intel", "performance state that is wanted" },
	{ 0x19a, "IA32_CLOCK_MODULATION", "Intel", "clock modulation by software" },
	{ 0x19b, "IA32_THERM_INTERRUPT", "Intel", "thermal interrupts" },
	{ 0x19c, "IA32_THERM_STATUS", "Intel", "temperature of the core" },
	{ 0x1a0, "IA32_MISC_ENABLE", "Intel", "features on and off" },
	{ 0x1b0, "IA32_ENERGY_PERF_BIAS", "Intel", "speed (0) to economy (15)" },
	{ 0x1b1, "IA32_PACKAGE_THERM_STATUS", "Intel", "temperature of the package" },
	{ 0x1b2, "IA32_PACKAGE_THERM_INTERRUPT", "Intel", "thermal interrupts of the package" },
	{ 0x1d9, "IA32_DEBUGCTL", "Intel, AMD", "last branches, single steps by branches" },
	{ 0x277, "IA32_PAT", "Intel, AMD", "memory types of pages" },
	{ 0x2ff, "IA32_MTRR_DEF_TYPE", "Intel, AMD", "memory type elsewhere" },
	{ 0x309, "IA32_FIXED_CTR0", "Intel", "fixed counter 0: instructions retired" },
	{ 0x30a, "IA32_FIXED_CTR1", "Intel", "fixed counter 1: cycles of the core" },
	{ 0x30b, "IA32_FIXED_CTR2", "Intel", "fixed counter 2: reference cycles" },
	{ 0x345, "IA32_PERF_CAPABILITIES", "Intel", "what the counters' unit can do" },
	{ 0x38d, "IA32_FIXED_CTR_CTRL", "Intel", "fixed counters: enabled" },
	{ 0x38e, "IA32_PERF_GLOBAL_STATUS", "Intel", "counters that overflowed" },
	{ 0x38f, "IA32_PERF_GLOBAL_CTRL", "Intel", "counters: enabled" },
	{ 0x390, "IA32_PERF_GLOBAL_STATUS_RESET", "Intel", "takes overflows back" },
	{ 0x3f1, "IA32_PEBS_ENABLE", "Intel", "precise samples: enabled" },
	{ 0x480, "IA32_VMX_BASIC", "Intel", "virtualisation: basic facts" },
	{ 0x600, "IA32_DS_AREA", "Intel", "where the debug store is" },
	{ 0x6e0, "IA32_TSC_DEADLINE", "Intel", "when the APIC's timer is due" },
	{ 0x770, "IA32_PM_ENABLE", "Intel", "performance states by hardware: enabled" },
	{ 0x771, "IA32_HWP_CAPABILITIES", "Intel", "… their range" },
	{ 0x774, "IA32_HWP_REQUEST", "Intel", "… what is wanted" },
	{ 0x777, "IA32_HWP_STATUS", "Intel", "… what changed" },
	{ 0xda0, "IA32_XSS", "Intel, AMD", "state that xsaves saves" },
	{ 0xc0000080, "IA32_EFER", "Intel, AMD", "long mode, no-execute, syscall" },
	{ 0xc0000081, "IA32_STAR", "Intel, AMD", "syscall: segments" },
	{ 0xc0000082, "IA32_LSTAR", "Intel, AMD", "syscall: address" },
	{ 0xc0000083, "IA32_CSTAR", "AMD", "syscall: address for 32-bit code" },
	{ 0xc0000084, "IA32_FMASK", "Intel, AMD", "syscall: flags that it clears" },
	{ 0xc0000100, "IA32_FS_BASE", "Intel, AMD", "base of FS" },
	{ 0xc0000101, "IA32_GS_BASE", "Intel, AMD", "base of GS" },
	{ 0xc0000102, "IA32_KERNEL_GS_BASE", "Intel, AMD", "what swapgs brings in" },
	{ 0xc0000103, "IA32_TSC_AUX", "Intel, AMD", "value that rdtscp and rdpid return" },
	{ 0xc0000104, "TSC_RATIO", "AMD", "guests' time-stamp counters: speed" },
	{ 0xc0010010, "SYSCFG", "AMD", "system configuration" },
	{ 0xc0010015, "HWCR", "AMD", "hardware configuration" },
	{ 0xc0010114, "VM_CR", "AMD", "virtualisation: allowed, locked" },
	{ 0xc0010117, "VM_HSAVE_PA", "AMD", "virtualisation: where the host's state is" },
	{ 0, NULL, NULL, NULL }
};

bool msr_value(const char *text, uint64_t *value)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *digits = hex ? text + 2 : text;

	if (!*digits || digits[strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789")])
		return false;
	errno = 0;
	*value = strtoull(digits, NULL, hex ? 16 : 10);
	return !errno;
}

bool msr_number(const char *text, uint32_t *number)
{
	uint64_t value;

	if (msr_value(text, &value)) {
		*number = (uint32_t)value;
		return value <= UINT32_MAX;
	}
	for (const struct msr_name *n = msr_names; n->name; n++)
		if (!strcasecmp(n->name, text)) {
			*number = n->number;
			return true;
		}
	return false;
}

const char *msr_name(uint32_t number)
{
	for (const struct msr_name *n = msr_names; n->name; n++)
		if (n->number == number)
			return n->name;
	return NULL;
}

static bool bit(const char *text, size_t length, unsigned int *number)
{
	if (!length || length > 2 || strspn(text, "0123456789") < length)
		return false;
	*number = (unsigned int)atoi(text);
	return *number < 64;
}

bool msr_bits(const char *text, unsigned int *high, unsigned int *low)
{
	size_t length = strcspn(text, ":");

	if (!bit(text, length, high))
		return false;
	*low = *high;
	return !text[length] ||
	       (bit(text + length + 1, strlen(text + length + 1), low) && *low <= *high);
}

uint64_t msr_field(uint64_t value, unsigned int high, unsigned int low)
{
	return value >> low & (high - low == 63 ? UINT64_MAX : (1ull << (high - low + 1)) - 1);
}
