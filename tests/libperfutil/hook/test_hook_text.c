/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts as signal handlers build them: each length around the room, and numbers. */
#include <limits.h>

#include "hook/hook_text.h"
#include "unit.h"

static void fits(void)
{
	static const char words[] = "abcdefgh";
	char to[16];

	for (size_t room = 1; room <= sizeof(words) + 1; room++) {
		for (size_t length = 0; length < sizeof(words); length++) {
			struct hook_text t;
			size_t kept = length < room ? length : room - 1;
			char word[sizeof(words)];

			memset(to, '#', sizeof(to));
			t = hook_text(to, room);
			CU_ASSERT(!*to && !t.used && !t.cut);
			snprintf(word, sizeof(word), "%.*s", (int)length, words);
			hook_text_add(&t, word);
			CU_ASSERT(!strncmp(to, words, kept) && !to[kept] && t.used == kept);
			CU_ASSERT_EQUAL(t.cut, length >= room);
			CU_ASSERT_EQUAL(to[room], '#');
			/* Once cut, it stays so. */
			hook_text_add(&t, "");
			CU_ASSERT_EQUAL(t.cut, length >= room);
		}
	}
}

static void numbers(void)
{
	static const unsigned long list[] = {
		0, 1, 9, 10, 11, 99, 100, 1234567890, LONG_MAX, ULONG_MAX,
	};
	char to[64], want[64];

	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++) {
		struct hook_text t = hook_text(to, sizeof(to));

		hook_text_add(&t, "/");
		hook_text_number(&t, list[i]);
		hook_text_char(&t, '.');
		snprintf(want, sizeof(want), "/%lu.", list[i]);
		CU_ASSERT_STRING_EQUAL(to, want);
		CU_ASSERT(!t.cut);
		/* A room that is too small by one has its first digits. */
		t = hook_text(to, strlen(want) - 2);
		hook_text_number(&t, list[i]);
		CU_ASSERT(t.cut && !strncmp(to, want + 1, strlen(want) - 3));
		CU_ASSERT_EQUAL(strlen(to), strlen(want) - 3);
	}
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "fits", fits },
		{ "numbers", numbers },
		{},
	};

	return unit_run("hook_text", tests);
}
