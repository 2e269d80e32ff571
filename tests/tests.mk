# SPDX-License-Identifier: GPL-3.0-or-later
# Unit tests (CUnit), one program a file: tests/unit/test_NAME.c -> $(O)/tests/unit/test_NAME.
# They see the libraries' inner headers and link them statically. Programs of tests/format and
# tests/bench see the same; what they share is in $(O)/tests/libtest.a.

UNIT_SRC   := $(wildcard tests/unit/test_*.c)
UNIT	   := $(patsubst tests/unit/%.c,$(O)/tests/unit/%,$(UNIT_SRC))
FORMAT_SRC := tests/format/gen_trace_main.c $(wildcard tests/format/test_*.c)
FORMAT	   := $(patsubst tests/%.c,$(O)/tests/%,$(FORMAT_SRC))

include tests/bench/bench.mk

LIBTEST_SRC := tests/format/gen_trace.c tests/format/gen_events.c

INC_TESTS  := $(INC_PERFUTIL) -Ilibperfutil/a2n -Idriver -Itests/unit -Itests/unit/kernel -Itests/format \
		-Ipost
$(call obj,$(LIBTEST_SRC)): INC = $(INC_TESTS)

$(O)/tests/libtest.a: $(call obj,$(LIBTEST_SRC))
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,AR)
	$(Q)$(AR) rcs $@ $^

# Allocations of the program and of our libraries (not of those beneath) can be made to fail.
$(O)/tests/unit/test_file_alloc $(O)/tests/unit/test_a2n_alloc: \
	TESTLINK = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc

$(O)/tests/unit/test_holder: TESTLINK = -Wl,--wrap=driver_hook_open,--wrap=tracer_hooks

# Where the driver's source is installed is told to both.
$(O)/tests/unit/test_driver_why: INC_TESTS += -DPITRACE_DKMSDIR='"$(DKMSDIR)"'

# Models of post, one object each.
$(O)/tests/unit/test_spread: $(call obj,post/model/spread.c)
$(O)/tests/unit/test_irq_names: $(call obj,post/model/irq_names.c)

# Of the agent for Java what needs no VM.
$(O)/tests/unit/test_jprof: $(call obj,tools/jprof/java_name.c tools/jprof/ranges.c tools/jprof/sizes.c)

$(O)/tests/unit/%: tests/unit/%.c $(O)/tests/libtest.a $(O)/lib/libperfutil.a $(O)/lib/liba2n.a
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALLFLAGS) $(INC_TESTS) -o $@ $< $(ALLLDFLAGS) $(TESTLINK) $(filter %.o %.a,$^) \
		-lcunit $(LIB_PERFUTIL) $(LIB_A2N)

# What it records shows that no frame pointers are needed.
$(O)/tests/format/test_unwind: CFLAGS += -fomit-frame-pointer

$(FORMAT) $(BENCH): $(O)/tests/%: tests/%.c $(O)/tests/libtest.a $(O)/lib/libperfutil.a
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALLFLAGS) $(INC_TESTS) -o $@ $< $(ALLLDFLAGS) $(filter %.a,$^) $(LIB_PERFUTIL) $(TESTLINK)

# liba2n's lines, to be compared with other programs'.
tests: $(O)/tests/format/a2n_lines
$(O)/tests/format/a2n_lines: tests/format/a2n_lines.c $(O)/lib/liba2n.a
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALLFLAGS) $(INC_TESTS) -o $@ $< $(ALLLDFLAGS) $(filter %.a,$^) $(LIB_A2N)

# `make gen_trace` is what the programs are asked by.
gen_trace: $(O)/tests/format/gen_trace
$(O)/tests/format/gen_trace: $(O)/tests/format/gen_trace_main
	cp $< $@
.PHONY: gen_trace

# Names as post has them, sample by sample.
$(O)/tests/samples: tests/java/samples.c $(call obj,$(filter-out post/main.c,$(POST_SRC)) $(COMMON_SRC)) \
		$(O)/lib/libperfutil.a $(O)/lib/liba2n.a
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALLFLAGS) $(INC_POST) -o $@ $(filter %.c %.o %.a,$^) $(ALLLDFLAGS) $(LIB_PERFUTIL) \
		$(LIB_POST) $(LIB_A2N)

include tests/vm/vm.mk tests/fuzz/fuzz.mk
