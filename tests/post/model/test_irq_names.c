/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of interrupt numbers, out of texts as kernels write them, and of texts that are none. */
#include <stdlib.h>
#include <string.h>
#include "model/irq_names.h"
#include "unit.h"

static void expect(const char *text, uint32_t number, const char *name)
{
	struct irq_names n = { 0 };

	CU_ASSERT_EQUAL(irq_names_read(&n, text, strlen(text)), 0);
	CU_ASSERT_STRING_EQUAL(irq_names_find(&n, number), name);
	irq_names_free(&n);
}

static const char x86[] = "           CPU0       CPU1       \n"
			  "  1:          0          9   IO-APIC   1-edge      i8042\n"
			  " 24:          0          0   PCI-MSI 65536-edge      virtio0-config\n"
			  " 27:       1234          0   PCI-MSI 65537-edge      eth0, usb1\n"
			  " 30:          0          0   IO-APIC  30-fasteoi\n"
			  "NMI:          0          0   Non-maskable interrupts\n";

static void as_on_x86(void)
{
	expect(x86, 1, "i8042");
	expect(x86, 24, "virtio0-config");
	expect(x86, 27, "eth0, usb1");
	expect(x86, 30, "30-fasteoi");
	expect(x86, 2, "");
}

static void as_on_arm64(void)
{
	static const char text[] = "           CPU0       \n"
				   " 11:       4711     GICv2  27 Level     arch_timer\n"
				   " 49:         12     GICv2  48 Edge      virtio0\n"
				   "IPI0:         0       Rescheduling interrupts\n";

	expect(text, 11, "arch_timer");
	expect(text, 49, "virtio0");
}

/* Cut anywhere: a shorter name or none, never a byte from behind the end. */
static void cut_anywhere(void)
{
	for (size_t size = 0; size < sizeof(x86); size++) {
		char *text = malloc(size ? size : 1);
		struct irq_names n = { 0 };

		memcpy(text, x86, size);
		CU_ASSERT_EQUAL(irq_names_read(&n, text, size), 0);
		irq_names_free(&n);
		free(text);
	}
	expect("", 1, "");
	expect("\n\n1:\n2\n:\n", 1, "");
	expect("CPU0\n99999999999999999999: 1  x  name\n", 99999, "");
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "as_on_x86", as_on_x86 },
		{ "as_on_arm64", as_on_arm64 },
		{ "cut_anywhere", cut_anywhere },
		{ NULL, NULL },
	};

	return unit_run("irq_names", tests);
}
