/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Folded stacks as an output format: the -folded report (folded_report.c). */
#include "export/writer.h"
#include "report/folded_report.h"

const struct writer writer_folded = {
	.name = "folded",
	.what = "a line a call stack: flamegraph.pl, inferno; as -folded",
	.path = "post.folded",
	.needs = NEED_SAMPLES | NEED_STACKS,
	.write = folded_write,
};
