/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fuzz: CPU profiles of gperftools. */
#include "fuzz_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_format(&reader_gperftools, data, size);
	return 0;
}
