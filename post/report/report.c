/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of reports; the last one is what post does without being asked. */
#include "report/report.h"

static const struct report *const reports[] = {
	&report_show, &report_json, &report_csv, &report_tprof,
};

const struct report *report_choose(const struct options *o)
{
	size_t i;

	for (i = 0; i < sizeof(reports) / sizeof(reports[0]) - 1; i++) {
		if (reports[i]->wanted(o))
			break;
	}
	return reports[i];
}
