/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzz: a class file. What is rewritten is a class file of the same methods, and can be rewritten
 * again; what is not, is as it was. The same where its natives have got wrappers.
 */
#include "class_rewrite.h"
#include "fuzz.h"
#include "native_wrap.h"

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

static int rewrite(const void *data, size_t size, enum class_hooks what, struct class_out *out,
		   struct seen *seen)
{
	struct class_rewrite how = { .hooks = "pitrace/Hook",
				     .method = choose,
				     .left = left,
				     .arg = seen,
				     .what = what };
	const char *why;
	size_t offset;
	int rc;

	*seen = (struct seen){ 0 };
	rc = class_rewrite(data, size, &how, out, &offset, &why);
	if (offset > size || (rc == -EINVAL && !why) || (rc != 1 && out->n))
		abort();
	return rc;
}

static bool wants(void *arg, const struct class_method *m)
{
	(void)arg;
	fuzz_touch(m->name.text, m->name.n);
	return true;
}

/* A class that can be rewritten can also be rewritten with wrappers, which are additional
 * methods. */
static void wrap(const uint8_t *data, size_t size, enum class_hooks what, int plain,
		 unsigned int methods)
{
	struct native_wrap how = { .wants = wants, .early = size & 1 };
	struct class_out wrapped = { 0 }, out = { 0 };
	struct seen seen;
	int rc = native_wrap(data, size, &how, &wrapped);

	if ((rc != 1 && wrapped.n) || (rc == 1) != (rc >= 0 && how.fates[NATIVE_WRAPPED] > 0))
		abort();
	if (rc == 1 && plain >= 0) {
		rc = rewrite(wrapped.data, wrapped.n, what, &out, &seen);
		if ((rc < 0 && rc != -E2BIG) ||
		    (rc >= 0 && seen.methods != methods + how.fates[NATIVE_WRAPPED]))
			abort();
	}
	class_out_free(&wrapped);
	class_out_free(&out);
}

static void all(const uint8_t *data, size_t size, enum class_hooks what)
{
	struct class_out once = { 0 }, twice = { 0 };
	struct seen first, second;
	int rc;

	rc = rewrite(data, size, what, &once, &first);
	wrap(data, size, what, rc, first.methods);
	if (rc == 1) {
		rc = rewrite(once.data, once.n, what, &twice, &second);
		if ((rc != 1 && rc != 0 && rc != -E2BIG) ||
		    (rc >= 0 && (second.methods != first.methods || second.left < first.left)))
			abort();
	}
	class_out_free(&once);
	class_out_free(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	all(data, size, HOOKS_OF_CALLS);
	all(data, size, HOOKS_OF_LOCKS);
	return 0;
}
