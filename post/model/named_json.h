/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fields of a named event as members of a JSON object that is open. */
#ifndef POST_NAMED_JSON_H
#define POST_NAMED_JSON_H

#include <json.h>

#include "record/named_record.h"

/* before: stands before each name. */
void named_json(struct json *j, const char *before, const struct named_event *e,
		const struct pifile_user *x);

#endif
