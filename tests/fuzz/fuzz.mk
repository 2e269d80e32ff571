# SPDX-License-Identifier: GPL-3.0-or-later
# Fuzz targets: tests/fuzz/fuzz_NAME.c, seeds in tests/data/fuzz/NAME. `make fuzz` runs each for
# FUZZ_SECONDS with clang's libFuzzer; without it $(O)/tests/fuzz/fuzz_NAME replays files.
# FUZZ_SRC_NAME: the sources that a target is about, FUZZ_LIB_NAME: libraries beneath.

FUZZ_SECONDS ?= 300
FUZZ_SRC     := $(wildcard tests/fuzz/fuzz_*.c)
FUZZ_NAMES   := $(patsubst tests/fuzz/fuzz_%.c,%,$(FUZZ_SRC))
FUZZ_BINS    := $(FUZZ_NAMES:%=$(O)/fuzz/fuzz_%)
FUZZ_REPLAY  := $(FUZZ_NAMES:%=$(O)/tests/fuzz/fuzz_%)
FUZZ_FLAGS   := -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -DLIBFUZZER \
		-D_GNU_SOURCE -D_FILE_OFFSET_BITS=64

FILE_SRC	:= $(addprefix libperfutil/,crc32c.c record.c file_read.c file_swap.c file_time.c merge.c)
FUZZ_SRC_file	:= $(FILE_SRC)
FUZZ_LIB_file	:= -lzstd
FUZZ_SRC_record	:= libperfutil/record.c
FUZZ_SRC_perf	:= $(addprefix libperfutil/,perf_decode.c perf_records.c)
A2N_FUZZ_SRC	:= $(wildcard libperfutil/a2n/*.c)
FUZZ_SRC_elf	:= $(A2N_FUZZ_SRC)
FUZZ_LIB_elf	:= $(LIB_A2N)
FUZZ_SRC_kallsyms := $(A2N_FUZZ_SRC)
FUZZ_LIB_kallsyms := $(LIB_A2N)
FUZZ_SRC_demangle := libperfutil/a2n/demangle.c
FUZZ_LIB_demangle := -liberty
FUZZ_SRC_stack	:= $(addprefix post/model/,calls.c callers.c dwfl_file.c keys.c names.c stacks.c \
		   unwind.c unwind_space.c) $(A2N_FUZZ_SRC)
FUZZ_LIB_stack	:= -ldw $(LIB_A2N)
FUZZ_INC_stack	:= -Ipost

define FUZZ_RULES
$(O)/fuzz/fuzz_$(1) $(O)/tests/fuzz/fuzz_$(1): tests/fuzz/fuzz_$(1).c $(FUZZ_SRC_$(1)) \
		tests/fuzz/fuzz.h
$(O)/fuzz/fuzz_$(1):
	$$(call say,CLANG)
	@mkdir -p $$(@D)
	$$(Q)clang $(FUZZ_FLAGS) $(INC_TESTS) $(FUZZ_INC_$(1)) -Itests/fuzz -o $$@ $$(filter %.c,$$^) $(FUZZ_LIB_$(1))
$(O)/tests/fuzz/fuzz_$(1):
	$$(call say,CC)
	@mkdir -p $$(@D)
	$$(Q)$(CC) $(filter-out -MMD -MP,$(ALLFLAGS)) $(INC_TESTS) $(FUZZ_INC_$(1)) -Itests/fuzz -o $$@ \
		$$(filter %.c,$$^) $(ALLLDFLAGS) $(FUZZ_LIB_$(1))
endef
$(foreach n,$(FUZZ_NAMES),$(eval $(call FUZZ_RULES,$(n))))

# New inputs stay in $(O)/fuzz; what breaks a target is written there as crash-*.
fuzz: $(FUZZ_NAMES:%=fuzz-%)
fuzz-%: $(O)/fuzz/fuzz_%
	@mkdir -p $(O)/fuzz/corpus-$*
	cd $(O)/fuzz && ./fuzz_$* -max_total_time=$(FUZZ_SECONDS) -print_final_stats=1 -verbosity=0 \
		corpus-$* $(CURDIR)/tests/data/fuzz/$*

.PHONY: fuzz
