/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fuzz: pprof's profiles, as they are once unpacked (what is packed is zlib's business). */
#include "fuzz_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_format(&reader_pprof, data, size);
	return 0;
}
