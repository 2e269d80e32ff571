/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/hook_record.h"

#include <string.h>

#include "base/rc.h"

static int too_long(void)
{
	return rc_say(PI_HOOK_TOO_LONG, "a record has at most 4096 bytes with its headers");
}
_Static_assert(PITRACE_USER_MAX == 4096, "the message");

static int not_given(const char *what)
{
	return rc_say(PI_INVALID_ARGUMENT, what);
}

static size_t length_of(const struct hook_record *h, int i)
{
	return h->lens ? (size_t)h->lens[i] : strlen(h->strs[i]);
}

int hook_measure(struct hook_record *h)
{
	size_t bytes;

	if (h->int_count < 0 || h->str_count < 0)
		return rc_say(PI_INVALID_ARGUMENT, "negative count");
	if (h->int_count && !h->ints)
		return not_given("no integers given");
	if (h->str_count && !h->strs)
		return not_given("no strings given");
	bytes = (size_t)h->int_count * sizeof(uint64_t) + (size_t)h->str_count * sizeof(uint32_t);
	if (bytes > HOOK_DATA_MAX)
		return too_long();
	for (int i = 0; i < h->str_count; i++) {
		size_t length;

		if (!h->strs[i] && !(h->lens && !h->lens[i]))
			return not_given("no string given");
		length = length_of(h, i);
		if ((h->lens && h->lens[i] < 0) || length > HOOK_DATA_MAX - bytes)
			return too_long();
		bytes += length;
	}
	h->bytes = (uint32_t)bytes;
	return 0;
}

void hook_copy(const struct hook_record *h, uint8_t *to)
{
	size_t lengths = (size_t)h->int_count * sizeof(uint64_t);
	size_t at = lengths + (size_t)h->str_count * sizeof(uint32_t);

	if (lengths)
		memcpy(to, h->ints, lengths);
	for (int i = 0; i < h->str_count; i++) {
		size_t length = length_of(h, i);
		uint32_t length32 = (uint32_t)(length < h->bytes - at ? length : h->bytes - at);

		memcpy(to + lengths + (size_t)i * sizeof(length32), &length32, sizeof(length32));
		if (length32)
			memcpy(to + at, h->strs[i], length32);
		at += length32;
	}
}
