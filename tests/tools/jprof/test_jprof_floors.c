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
	CU_ASSERT_EQUAL(floor_of(&c, EVENT_LEAVE, j, EVENT_LEAVE, J), 4);
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
		CU_ASSERT_EQUAL(read_floors(&c, text), i ? 0 : 2);
		calibration_free(&c);
		free(text);
	}
}

/* The VM's code before and behind a native is the native's; it calls a method and a native. */
static const char natives[] = A "  9 @  0 Trainer.quiet(int):JITCODE" T "CALL 0\n" A
				"  5 @  0 TrainJ.enters_nj_j(int):JITCODE" T "CALL 0\n" A
				" 17 @ 20 TrainN.enters_j_n(int):JITCODE" T "CALL 0\n"
				"  0 U 3 4 @ 0 Java_TrainN_enters_1j_1n:/t/libtrainer.so" T
				"JUMP 0\n" A " 60 @  0 jni_Call(JNIEnv *, ...):libjvm.so" T
				"CALL 0\n" R "  7 @  0 TrainJ.leaf_j(int):JITCODE" T "RETURN 0\n" R
				" 50 @ 3c jni_Call(JNIEnv *, ...):libjvm.so" T "RETURN 0\n" A
				"  3 @  9 Java_TrainN_enters_1j_1n:/t/libtrainer.so" T "CALL 0\n" A
				" 30 @  0 TrainN.leaf_N(int):JITCODE" T "CALL 0\n" R
				"  2 @  0 Java_TrainN_leaf_1N:/t/libtrainer.so" T "RETURN 0\n" R
				" 21 @ b1 TrainN.leaf_N(int):JITCODE" T "RETURN 0\n" R
				"  1 @ 1f Java_TrainN_enters_1j_1n:/t/libtrainer.so" T
				"RETURN 0\n" R " 22 @ b1 TrainN.enters_j_n(int):JITCODE" T
				"RETURN 0\n" R "  4 @ 1c TrainJ.enters_nj_j(int):JITCODE" T
				"RETURN 0\n";

static void with_natives(void)
{
	const uint32_t N = TYPE_NATIVE, n = TYPE_NATIVE + 1;
	struct calibration c;

	CU_ASSERT_EQUAL(read_floors(&c, natives), 5);
	CU_ASSERT_EQUAL(floor_of(&c, EVENT_ENTER, n, EVENT_ENTER, j), 17 + 4 + 60);
	CU_ASSERT_EQUAL(floor_of(&c, EVENT_ENTER, j, EVENT_LEAVE, n), 7);
	CU_ASSERT_EQUAL(floor_of(&c, EVENT_LEAVE, n, EVENT_ENTER, N), 50 + 3);
	CU_ASSERT_EQUAL(floor_of(&c, EVENT_ENTER, N, EVENT_LEAVE, n), 30 + 2 + 21);
	CU_ASSERT_EQUAL(floor_of(&c, EVENT_LEAVE, n, EVENT_LEAVE, j), 1 + 22);
	calibration_free(&c);
}

/* An exception leaves two methods, the third one catches it, and calls another one. */
#define STOPPED(goes)                                                          \
	A "  9 @  0 Trainer.quiet(int):JITCODE" T "CALL 0\n" A                 \
	  "  5 @ 20 TrainJ.fails_jJ_J(int):JITCODE" T "CALL 0\n" A             \
	  "  6 @  0 TrainJ.passes_J_j(int):JITCODE" T "CALL 0\n"               \
	  "  0 U 3 8 @ 0 TrainJ.out_J(int):JITCODE" T "JUMP 0\n" A             \
	  " 90 @  0 rethrow_stub:JITCODE" T "CALL 0\n"                         \
	  "  0 U 3 2 ? 28 TrainJ.passes_J_j(int):JITCODE" T "JUMP?unwound 0\n" \
	  "  0 U 3 80 @ 0 rethrow_stub:JITCODE" T "JUMP 0\n" goes

static void exceptions(void)
{
	struct calibration c;

	CU_ASSERT_EQUAL(read_floors(&c,
				    STOPPED(A "  7 @ 4c TrainJ.fails_jJ_J(int):JITCODE" T
					      "CALL 0\n" R "  3 @  0 TrainJ.leaf_j(int):JITCODE" T
					      "RETURN 0\n")),
			6);
	CU_ASSERT_EQUAL(floor_of(&c, EVENT_ENTER, j, EVENT_ENTER, J), 6);
	CU_ASSERT_EQUAL(floor_of(&c, EVENT_ENTER, J, EVENT_UNWIND, j), 8);
	CU_ASSERT_EQUAL(floor_of(&c, EVENT_UNWIND, j, EVENT_UNWIND, J), 90 + 2);
	CU_ASSERT_EQUAL(floor_of(&c, EVENT_UNWIND, J, EVENT_CAUGHT, J), 80);
	CU_ASSERT_EQUAL(floor_of(&c, EVENT_CAUGHT, J, EVENT_ENTER, j), 7);
	CU_ASSERT_EQUAL(floor_of(&c, EVENT_ENTER, j, EVENT_LEAVE, J), 3);
	calibration_free(&c);
	/* The VM asks for its handler where it was reached, and it returns. */
	CU_ASSERT_EQUAL(read_floors(&c, STOPPED("  0 U 3 1 ? af TrainJ.fails_jJ_J(int):JITCODE" T
						"JUMP?unwound 0\n" R
						"  60 @ 0 ExceptionBlob:JITCODE" T "RETURN 0\n" R
						"  7 @ 4c TrainJ.fails_jJ_J(int):JITCODE" T
						"RETURN 0\n")),
			4);
	CU_ASSERT_EQUAL(floor_of(&c, EVENT_UNWIND, J, EVENT_CAUGHT, J), 80 + 1 + 60);
	calibration_free(&c);
	/* It returns. */
	CU_ASSERT_EQUAL(read_floors(&c, STOPPED(R "  7 @ 4c TrainJ.fails_jJ_J(int):JITCODE" T
						  "RETURN 0\n")),
			4);
	CU_ASSERT_EQUAL(floor_of(&c, EVENT_UNWIND, J, EVENT_CAUGHT, J), 80);
	calibration_free(&c);
	/* Two frames are gone at once: it is unknown which of them ended when. */
	CU_ASSERT_EQUAL(read_floors(&c, A "  5 @ 20 TrainJ.fails_jJ_J(int):JITCODE" T "CALL 0\n" A
					  "  6 @  0 TrainJ.passes_J_j(int):JITCODE" T "CALL 0\n" A
					  "  8 @  0 TrainJ.out_J(int):JITCODE" T "CALL 0\n" R
					  "  7 @ 4c TrainJ.fails_jJ_J(int):JITCODE" T "RETURN 0\n"),
			1);
	calibration_free(&c);
	/* A native method clears it without an event. */
	CU_ASSERT_EQUAL(read_floors(&c, A
				    "  5 @ 20 TrainJ.calls_j(int):JITCODE" T "CALL 0\n" A
				    " 17 @ 20 TrainN.stops_J_N(int):JITCODE" T "CALL 0\n" A
				    "  4 @  0 Java_TrainN_stops_1J_1N:/t/libtrainer.so" T
				    "CALL 0\n" A "  8 @  0 TrainJ.out_J(int):JITCODE" T "CALL 0\n" R
				    " 70 @  0 jni_Call(JNIEnv *, ...):libjvm.so" T "RETURN 0\n" R
				    "  3 @  9 Java_TrainN_stops_1J_1N:/t/libtrainer.so" T
				    "RETURN 0\n" R " 22 @ b1 TrainN.stops_J_N(int):JITCODE" T
				    "RETURN 0\n"),
			3);
	CU_ASSERT_EQUAL(floor_of(&c, EVENT_ENTER, J, EVENT_UNWIND, TYPE_NATIVE), 8);
	CU_ASSERT_EQUAL(floor_of(&c, EVENT_UNWIND, TYPE_NATIVE, EVENT_LEAVE, j), 70 + 3 + 22);
	calibration_free(&c);
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
		{ "with_natives", with_natives },
		{ "exceptions", exceptions },
		{ "cut", cut },
		{ NULL, NULL },
	};

	return unit_run("jprof_floors", tests);
}
