/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Floors by instruction traces, line by line; what interrupts them; cut and foreign lines. */
#include "floors.h"
#include "unit.h"

#define A "  0 U 1 "
#define R "  0 U 2 "
#define T " 47_java "

static uint64_t floor_of(const struct calibration *c, uint32_t came, uint32_t ran, uint32_t went,
			 uint32_t top)
{
	return c->floor[(size_t)sequence_floor(sequence(0, came, ran, went, top)) * c->metrics];
}

static uint32_t read_floors(struct calibration *c, const char *text)
{
	size_t n = strlen(text);
	char *own = malloc(n + 1);
	uint32_t found;

	CU_ASSERT_PTR_NOT_NULL_FATAL(own);
	memcpy(own, text, n);
	CU_ASSERT_EQUAL_FATAL(calibration_init(c, 2), 0);
	found = floors_read(c, 0, own, n);
	free(own);
	return found;
}

static const uint32_t J = TYPE_JITTED, j = TYPE_JITTED + 1;

/* x calls y, which calls a leaf, and calls it again. */
static const char walk[] = "# words\n" A "  9 @  0 Trainer.quiet(int):JITCODE" T "CALL 0\n" A
			   "  5 @ 20 TrainJ.enters_jj_J(int):JITCODE" T "CALL 0\n" A
			   "  6 @  0 TrainJ.enters_j_j(int):JITCODE" T "CALL 0\n" R
			   "  7 @  0 TrainJ.leaf_j(int):JITCODE" T "RETURN 0\n"
			   "  0 U 3 2 @ 14 TrainJ.enters_j_j(int):JITCODE" T "JUMP 0\n" R
			   "  3 @ 1c TrainJ.enters_j_j(int):JITCODE" T "RETURN 0\n" A
			   "  4 @ 34 TrainJ.enters_jj_J(int):JITCODE" T "CALL 0\n" A
			   "  5 @  0 TrainJ.enters_j_j(int):JITCODE" T "CALL 0\n" R
			   "  8 @  0 TrainJ.leaf_j(int):JITCODE" T "RETURN 0\n" R
			   "  4 @ 14 TrainJ.enters_j_j(int):JITCODE" T "RETURN 0\n";

static void walked(void)
{
	struct calibration c;

	/* x is entered from code that is not the trainer's: nothing is known of what led there. */
	CU_ASSERT_EQUAL(read_floors(&c, walk), 4);
	CU_ASSERT_EQUAL(floor_of(&c, EVENT_ENTER, j, EVENT_ENTER, j), 5);
	CU_ASSERT_EQUAL(floor_of(&c, EVENT_ENTER, j, EVENT_LEAVE, j), 7);
	CU_ASSERT_EQUAL(floor_of(&c, EVENT_LEAVE, j, EVENT_LEAVE, J), 5);
	CU_ASSERT_EQUAL(floor_of(&c, EVENT_LEAVE, J, EVENT_ENTER, j), 4);
	CU_ASSERT_EQUAL(floor_of(&c, EVENT_ENTER, J, EVENT_ENTER, j), 0);
	for (size_t i = 0; i < FLOORS; i++)
		CU_ASSERT_EQUAL(c.floor[2 * i + 1], 0);
	calibration_free(&c);
}

static void interrupted(void)
{
	/* Another thread; code between; a gap; the kernel. */
	static const char *const between[] = {
		A " 6 @ 0 TrainJ.enters_j_j(int):JITCODE" T "CALL 0\n", /* nothing of that */
		A " 6 @ 0 TrainJ.enters_j_j(int):JITCODE 48_java CALL 0\n",
		A " 6 @ 0 memcpy(void *, int):libc.so.6" T "CALL 0\n",
		A " 6 ? 0 TrainJ.enters_j_j(int):JITCODE" T "CALL 0\n",
		"  0 K 1 6 @ 0 TrainJ.enters_j_j(int):JITCODE" T "CALL 0\n",
		A " 6 @ 0 TrainI.enters_j_i(int):JITCODE" T "CALL 0\n",
		A " 6 @ 0 TrainJ.enters_j_i(int):JITCODE" T "CALL 0\n",
		A " 6 @ 0 TrainJ.(int):JITCODE" T "CALL 0\n",
		A " 6 @ 0 TrainJ.leaf_j():other" T "CALL 0\n",
		"nonsense\n",
		"\n",
	};
	struct calibration c;

	for (size_t i = 0; i < sizeof(between) / sizeof(between[0]); i++) {
		char *text;

		CU_ASSERT_FATAL(asprintf(&text,
					 A " 5 @ 0 TrainJ.enters_jj_J(int):JITCODE" T "CALL 0\n%s" R
					   " 7 @ 0 TrainJ.leaf_j(int):JITCODE" T "RETURN 0\n",
					 between[i]) > 0);
		CU_ASSERT_EQUAL(read_floors(&c, text), !i);
		calibration_free(&c);
		free(text);
	}
}

/* Wherever it is cut there is no more than before. */
static void cut(void)
{
	struct calibration c;
	char text[sizeof(walk)];

	for (size_t n = 0; n < sizeof(walk); n++) {
		memcpy(text, walk, n);
		text[n] = 0;
		CU_ASSERT(read_floors(&c, text) <= 4);
		calibration_free(&c);
	}
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "walked", walked },
		{ "interrupted", interrupted },
		{ "cut", cut },
		{ NULL, NULL },
	};

	return unit_run("jprof_floors", tests);
}
