/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "native_class.h"

#include "constants.h"

#define MAGIC   0xcafebabe
#define VERSION 50 /* Java 6: without frames */

enum { PUBLIC_FINAL_SUPER = 0x0031, PUBLIC_STATIC_NATIVE = 0x0109 };

static void write_methods(const struct native_method *methods, uint16_t n, struct constants *c,
			  struct class_out *out)
{
	for (uint16_t i = 0; i < n; i++) {
		class_out_u16(out, PUBLIC_STATIC_NATIVE);
		class_out_u16(out, constants_add_utf8(c, methods[i].name));
		class_out_u16(out, constants_add_utf8(c, methods[i].descriptor));
		class_out_u16(out, 0);
	}
}

struct class_out native_class(const char *name, const struct native_method *methods, uint16_t n)
{
	static const uint8_t no_constants[] = { 0, 1 };
	struct bytes b = class_bytes(no_constants, sizeof(no_constants));
	struct class_out out = { 0 }, body = { 0 };
	uint16_t class, super;
	struct constants c;

	if (constants_read(&c, &b)) {
		out.failed = true;
		return out;
	}
	class = constants_add_class(&c, name);
	super = constants_add_class(&c, "java/lang/Object");
	write_methods(methods, n, &c, &body);
	class_out_u32(&out, MAGIC);
	class_out_u32(&out, VERSION);
	constants_write(&c, &out);
	class_out_u16(&out, PUBLIC_FINAL_SUPER);
	class_out_u16(&out, class);
	class_out_u16(&out, super);
	class_out_u32(&out, 0); /* neither interfaces nor fields */
	class_out_u16(&out, n);
	class_out_bytes(&out, body.data, body.n);
	class_out_u16(&out, 0);
	out.failed |= body.failed;
	class_out_free(&body);
	constants_free(&c);
	return out;
}
