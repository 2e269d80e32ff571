# SPDX-License-Identifier: GPL-3.0-or-later
# Programs for the guests: tests/vm/prog/NAME.c -> $(O)/tests/NAME, which run.sh puts on the guest's
# PATH; libraries that the programs load; and the ABI harness. Also for ARCH=arm64.

VM_LIBS := $(O)/tests/libreuse_a.so $(O)/tests/libreuse_b.so
VM_PROG := $(filter-out %/reuse_lib,$(patsubst tests/vm/prog/%.c,$(O)/tests/%,$(wildcard tests/vm/prog/*.c)))
VM	:= $(VM_PROG) $(VM_LIBS) $(O)/tests/plain-static $(O)/tests/plain-other $(O)/tests/abi $(O)/tests/api

vm-programs: $(VM)
.PHONY: vm-programs

$(VM_PROG): $(O)/tests/%: tests/vm/prog/%.c
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALLFLAGS) -Itests/vm/prog -o $@ $< $(ALLLDFLAGS) -pthread -ldl

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

$(O)/tests/abi: tests/abi/abi.c tests/abi/view.c $(wildcard tests/abi/test_*.c) tests/abi/abi.h \
		driver/uapi/pitrace.h
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out -MMD -MP,$(ALLFLAGS)) -Idriver/uapi -o $@ $(filter %.c,$^) $(ALLLDFLAGS)

# The library's state rules, through the shared interface only.
$(O)/tests/api: tests/abi/api.c $(O)/lib/libperfutil.a
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALLFLAGS) -Idriver/uapi -Ilibperfutil/include -o $@ $(filter %.c %.a,$^) $(ALLLDFLAGS) $(LIB_PERFUTIL)

-include $(wildcard $(O)/tests/*.d)
