/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The size of a class's instances, from the distances to the next object: padding and a VM's own
 * fields are the class's and its subclasses'; what died behind the only object of a class is not.
 */
#include "sizes.h"
#include "unit.h"

enum { OBJECT, LONELY, HOLDER, PADDED, WORKER, INJECTED, MANY, CLASSES };

static struct class_field ints[4] = { { .type = 10 },
				      { .type = 10 },
				      { .type = 10 },
				      { .type = 10 } };
static struct heap_class list[CLASSES];
static struct classes classes;
static struct class_sizes sizes;

static void class_of(unsigned int index, uint32_t super, uint32_t field_count)
{
	list[index] = (struct heap_class){
		.super = super,
		.field_count = field_count,
		.fields = ints,
		.dumped = true,
	};
}

static void heap(void)
{
	classes = (struct classes){ .list = list, .count = CLASSES, .id_size = 8 };
	/* In the order of a file: a subclass may come before its super. */
	class_of(OBJECT, NO_CLASS, 0);
	class_of(LONELY, OBJECT, 0);
	class_of(HOLDER, OBJECT, 2);
	class_of(WORKER, PADDED, 1);
	class_of(PADDED, OBJECT, 2);
	class_of(INJECTED, OBJECT, 1);
	class_of(MANY, OBJECT, 1);
	sizes_begin(&sizes, 8, 0x7f0000000008);
	/* byte[4]: 16 + 4, with short references. */
	for (int i = 0; i < 100; i++)
		sizes_array(&sizes, 8, 4, 24);
}

static void distance(unsigned int index, uint64_t gap, unsigned int times)
{
	for (unsigned int i = 0; i < times; i++)
		sizes_instance(&list[index], gap);
}

static void what_died_is_no_size(void)
{
	heap();
	distance(OBJECT, 16, 50);
	/* No field, nothing that could be padded: whatever the distance is. */
	distance(LONELY, 16 + 256, 1);
	distance(HOLDER, 24 + 64, 2);
	CU_ASSERT_EQUAL(sizes_finish(&sizes, &classes, true), 0);
	CU_ASSERT_EQUAL(list[OBJECT].size, 16);
	CU_ASSERT_EQUAL(list[LONELY].size, 16);
	CU_ASSERT_EQUAL(list[HOLDER].size, 24);
	heap();
	distance(HOLDER, 24 + 192, 3);
	CU_ASSERT_EQUAL(sizes_finish(&sizes, &classes, true), 0);
	CU_ASSERT_EQUAL(list[HOLDER].size, 24);
	/* The distance looks like contended padding. */
	for (uint64_t more = 120; more <= 264; more += 8) {
		heap();
		list[HOLDER].name = "sun.nio.fs.UnixFileAttributes";
		distance(HOLDER, 24 + more, 3);
		list[PADDED].name = "java.util.concurrent.ForkJoinPool";
		distance(PADDED, 24 + (more < 248 ? more : 192), 1);
		CU_ASSERT_EQUAL(sizes_finish(&sizes, &classes, true), 0);
		CU_ASSERT_EQUAL(list[HOLDER].size, 24);
		CU_ASSERT_EQUAL(list[PADDED].size, 24);
	}
}

static void padding_is_inherited(void)
{
	static const uint64_t paddings[] = { 248, 256, 264, 384, 640 };

	for (unsigned int i = 0; i < sizeof(paddings) / sizeof(*paddings); i++) {
		const uint64_t padding = paddings[i];

		heap();
		list[PADDED].name = i % 2 ? "java.lang.Thread" :
					    "java.util.concurrent.ForkJoinPool";
		distance(PADDED, 24 + padding, 1);
		/* Its own int follows; then dead memory. */
		distance(WORKER, 24 + padding + 72, 1);
		CU_ASSERT_EQUAL(sizes_finish(&sizes, &classes, true), 0);
		CU_ASSERT_EQUAL(list[PADDED].size, 24 + padding);
		CU_ASSERT_EQUAL(list[WORKER].size, 24 + padding);
		CU_ASSERT_EQUAL(list[HOLDER].size, 24);
	}
}

static void own_fields_of_the_vm(void)
{
	heap();
	distance(INJECTED, 16 + 8, 1);
	/* As often as this it is no chance. */
	distance(MANY, 16 + 48, 4);
	CU_ASSERT_EQUAL(sizes_finish(&sizes, &classes, true), 0);
	CU_ASSERT_EQUAL(list[INJECTED].size, 24);
	CU_ASSERT_EQUAL(list[MANY].size, 64);
}

static void no_overlap(void)
{
	heap();
	distance(HOLDER, 16, 1);
	CU_ASSERT_EQUAL(sizes_finish(&sizes, &classes, true), 0);
	CU_ASSERT_EQUAL(list[HOLDER].size, 16);
}

/* A file may say anything: each class is a subclass of the next. */
static void supers_in_a_circle(void)
{
	heap();
	for (unsigned int i = 0; i < CLASSES; i++)
		list[i].super = (i + 1) % CLASSES;
	CU_ASSERT_EQUAL(sizes_finish(&sizes, &classes, true), 0);
	for (unsigned int i = 0; i < CLASSES; i++)
		CU_ASSERT_NOT_EQUAL(list[i].size, 0);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "what_died_is_no_size", what_died_is_no_size },
		{ "padding_is_inherited", padding_is_inherited },
		{ "own_fields_of_the_vm", own_fields_of_the_vm },
		{ "no_overlap", no_overlap },
		{ "supers_in_a_circle", supers_in_a_circle },
		{ NULL, NULL },
	};

	return unit_run("hdump_sizes", tests);
}
