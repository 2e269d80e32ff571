/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fuzz: logs of calls of a Java VM. */
#include "fuzz_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_format(&reader_log_rt, data, size);
	fuzz_format(&reader_log_gen, data, size);
	return 0;
}
