/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzz: a class file. What is rewritten is a class file of the same methods, and can be rewritten
 * again; what is not, is as it was.
 */
#include "class_rewrite.h"
#include "fuzz.h"

struct seen {
	unsigned int methods, left;
};

static int32_t choose(void *arg, const struct class_method *m)
{
	struct seen *seen = arg;

	fuzz_touch(m->class.text, m->class.n);
	fuzz_touch(m->name.text, m->name.n);
	fuzz_touch(m->descriptor.text, m->descriptor.n);
	return (int32_t)(seen->methods++ * 9001);
}

static void left(void *arg, int32_t id, const char *why)
{
	struct seen *seen = arg;

	(void)id;
	fuzz_touch(why, strlen(why));
	seen->left++;
}

static int rewrite(const void *data, size_t size, struct class_out *out, struct seen *seen)
{
	struct class_rewrite how = { .hooks = "pitrace/Hook",
				     .method = choose,
				     .left = left,
				     .arg = seen };
	const char *why;
	size_t offset;
	int rc;

	*seen = (struct seen){ 0 };
	rc = class_rewrite(data, size, &how, out, &offset, &why);
	if (offset > size || (rc == -EINVAL && !why) || (rc != 1 && out->n))
		abort();
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct class_out once = { 0 }, twice = { 0 };
	struct seen first, second;
	int rc;

	if (rewrite(data, size, &once, &first) == 1) {
		rc = rewrite(once.data, once.n, &twice, &second);
		if ((rc != 1 && rc != 0 && rc != -E2BIG) ||
		    (rc >= 0 && (second.methods != first.methods || second.left < first.left)))
			abort();
	}
	class_out_free(&once);
	class_out_free(&twice);
	return 0;
}
