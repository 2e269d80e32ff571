/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the fields of a named event as members of an open JSON object. */
#ifndef POST_NAMED_JSON_H
#define POST_NAMED_JSON_H

#include <json.h>

#include "record/named_record.h"

/* before: prefix of each name. */
void named_json(struct json *j, const char *before, const struct named_event *e,
		const struct pifile_user *x);

#endif
