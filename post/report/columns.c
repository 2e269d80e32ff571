/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/columns.h"

#include <inttypes.h>

#include "escape.h"
#include "options.h"

enum columns_form columns_form(const struct options *o)
{
	return o->json ? COLUMNS_JSON : o->csv ? COLUMNS_CSV : COLUMNS_NONE;
}

void columns_begin(struct columns *c)
{
	if (c->form == COLUMNS_JSON) {
		json_begin(&c->json, c->out, false);
		json_object(&c->json, NULL);
		return;
	}
	c->heading = !c->headed;
	c->more = false;
}

bool columns_end(struct columns *c)
{
	bool again = c->form == COLUMNS_CSV && c->heading;

	if (c->form == COLUMNS_JSON)
		json_end(&c->json, '}');
	else
		putc('\n', c->out);
	c->headed = true;
	c->heading = c->more = false;
	return again;
}

/* CSV: prints the comma, or the whole field if it does not depend on the value. */
static bool column(struct columns *c, const char *name, bool is)
{
	if (c->more)
		putc(',', c->out);
	c->more = true;
	if (c->heading)
		fputs(name, c->out);
	return is && !c->heading;
}

void column_uint(struct columns *c, const char *name, bool is, uint64_t value)
{
	if (c->form == COLUMNS_CSV) {
		if (column(c, name, is))
			fprintf(c->out, "%" PRIu64, value);
	} else if (is) {
		json_uint(&c->json, name, value);
	}
}

void column_hex(struct columns *c, const char *name, bool is, uint64_t value)
{
	if (c->form == COLUMNS_CSV) {
		if (column(c, name, is))
			fprintf(c->out, "0x%" PRIx64, value);
	} else if (is) {
		json_hex(&c->json, name, value);
	}
}

void column_bool(struct columns *c, const char *name, bool is, bool value)
{
	if (c->form == COLUMNS_CSV) {
		if (column(c, name, is))
			fputs(value ? "true" : "false", c->out);
	} else if (is) {
		json_bool(&c->json, name, value);
	}
}

void column_text(struct columns *c, const char *name, const char *value)
{
	if (c->form == COLUMNS_CSV) {
		if (column(c, name, value))
			escape_csv(c->out, value);
	} else if (value) {
		json_string(&c->json, name, value);
	}
}
