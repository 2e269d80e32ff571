/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Folded stacks as a format: the report of that name (folded_report.c). */
#include "export/writer.h"
#include "report/folded_report.h"

const struct writer writer_folded = {
	.name = "folded",
	.what = "a line a call stack: flamegraph.pl, inferno; as -folded",
	.path = "post.folded",
	.needs = NEED_SAMPLES | NEED_STACKS,
	.write = folded_write,
};
