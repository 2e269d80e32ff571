# SPDX-License-Identifier: GPL-3.0-or-later
# Programs for the guests: tests/vm/prog/NAME.c -> $(O)/tests/NAME, which run.sh puts on the guest's
# PATH; libraries that the programs load; and the ABI harness. Also for the other architectures.

VM_LIBS := $(O)/tests/libreuse_a.so $(O)/tests/libreuse_b.so
VM_PROG := $(filter-out %/reuse_lib %/narrow %/harm_calls %/harm_made %/harm_scan %/harm_ptt,$(patsubst tests/vm/prog/%.c,$(O)/tests/%,$(wildcard tests/vm/prog/*.c)))
VM	:= $(VM_PROG) $(VM_LIBS) $(O)/tests/plain-static $(O)/tests/plain-other $(O)/tests/abi $(O)/tests/api $(O)/tests/ptt_api
ifeq ($(ARCH),x86_64)
VM	+= $(O)/tests/chain32 $(O)/tests/trace32 $(O)/tests/narrow/narrow
endif

# It writes a trace of its own stacks: it knows these machines' registers.
ifneq ($(filter x86_64 arm64,$(ARCH)),)
VM	+= $(O)/tests/unwind
$(O)/tests/unwind: $(O)/tests/programs/stack_copies
	$(Q)cp $< $@
endif

vm-programs: $(VM)
.PHONY: vm-programs

$(VM_PROG): $(O)/tests/%: tests/vm/prog/%.c | $(O)/tests/.
	$(call say,CC)
	$(Q)$(CC) $(ALLFLAGS) -Itests/vm/prog -Idriver/uapi -Ilibperfutil/include -o $@ $(filter %.c %.a,$^) \
		$(ALLLDFLAGS) $(PROG_LIB) -pthread -ldl

$(O)/tests/harm: $(patsubst %,tests/vm/prog/harm_%.c,calls made scan ptt) tests/vm/prog/harm.h

# A dynamic linker would be most of what is traced.
$(O)/tests/itrace_subject $(O)/tests/itrace_long: PROG_LIB = -static
$(O)/tests/itrace_judge: tests/itrace/log.h

# Its stacks are walked by frame pointers.
$(O)/tests/points: ALLFLAGS += -fno-omit-frame-pointer -fno-optimize-sibling-calls

# These use the library.
$(O)/tests/unruly: PROG_LIB = $(LIB_PERFUTIL)
$(O)/tests/unruly: $(O)/lib/libperfutil.a
$(O)/tests/marks: PROG_LIB = $(LIB_PERFUTIL)
$(O)/tests/marks: $(O)/lib/libperfutil.a
$(O)/tests/dropped: PROG_LIB = $(LIB_PERFUTIL)
$(O)/tests/dropped: $(O)/lib/libperfutil.a
$(O)/tests/itrace_api: PROG_LIB = $(LIB_PERFUTIL)
$(O)/tests/itrace_api: $(O)/lib/libperfutil.a
$(O)/tests/ptt_exact: PROG_LIB = $(LIB_PERFUTIL)
$(O)/tests/ptt_exact: $(O)/lib/libperfutil.a
$(O)/tests/ptt_storm: PROG_LIB = $(LIB_PERFUTIL)
$(O)/tests/ptt_storm: $(O)/lib/libperfutil.a
$(O)/tests/jitting: PROG_LIB = $(LIB_PERFUTIL)
# Guests have no libelf: it takes what writes jitdumps and nothing else.
$(O)/tests/jitting: $(O)/inner/liba2n.a $(O)/lib/libperfutil.a

$(VM_LIBS): $(O)/tests/libreuse_%.so: tests/vm/prog/reuse_lib.c
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALLFLAGS) -DNAME=$* -Itests/vm/prog -shared -o $@ $< $(ALLLDFLAGS)

# The same program linked otherwise, and one that differs in a name only.
$(O)/tests/plain-static: PLAIN = -static
$(O)/tests/plain-other: PLAIN = -DPLAIN=other_work
$(O)/tests/plain-static $(O)/tests/plain-other: tests/vm/prog/plain.c
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALLFLAGS) -Itests/vm/prog -o $@ $< $(ALLLDFLAGS) $(PLAIN)

# With frame pointers in leaves too, or whatever links frames there: it walks its own stacks.
# Its symbols are bound at its start: what its children run does not hang on what it did before.
$(O)/tests/abi: tests/driver/abi/abi.c tests/driver/abi/view.c tests/driver/abi/ptt_view.c tests/driver/abi/itrace.c tests/driver/abi/kernel_flow.c $(wildcard tests/driver/abi/test_*.c) \
		tests/driver/abi/abi.h tests/driver/abi/ptt.h tests/driver/abi/itrace.h tests/driver/abi/kernel_flow.h $(wildcard driver/uapi/*.h)
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out -MMD -MP,$(ALLFLAGS)) -fno-omit-frame-pointer \
		$(if $(filter x86_64 arm64,$(ARCH)),-mno-omit-leaf-frame-pointer) \
		$(if $(filter s390x,$(ARCH)),-mbackchain) \
		-Idriver/uapi -Itests/vm/prog -o $@ $(filter %.c,$^) $(ALLLDFLAGS) -Wl,-z,now

# 32-bit code without a library: x86's compiler needs nothing more for it.
$(O)/tests/chain32 $(O)/tests/trace32: $(O)/tests/%: tests/driver/abi/%.c
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) -m32 -O2 -Wall -Wextra -ffreestanding -fno-omit-frame-pointer -fno-pie -no-pie -nostdlib \
		-static -fno-stack-protector -fcf-protection=none -o $@ $<

# A 32-bit program and its C library need a compiler of their own: gcc's own other half (multilib)
# cannot be installed beside those for other machines. In a folder: only guests that have that library
# get it.
$(O)/tests/narrow/narrow: tests/vm/prog/narrow.c tests/vm/prog/work.h
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)i686-linux-gnu-gcc $(CSTD) $(WARN) -D_GNU_SOURCE -fno-omit-frame-pointer -Itests/vm/prog -o $@ $<

# The library's state rules, through the shared interface only.
$(O)/tests/api $(O)/tests/ptt_api: $(O)/tests/%: tests/driver/abi/%.c $(O)/lib/libperfutil.a
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALLFLAGS) -Idriver/uapi -Ilibperfutil/include -o $@ $(filter %.c %.a,$^) $(ALLLDFLAGS) $(LIB_PERFUTIL)
