# SPDX-License-Identifier: GPL-3.0-or-later
# `make bench`: how fast pitrace is, each figure beside a peer's of the same run. A bench is a
# script tests/bench/NAME.sh that prints one line a figure (lib.sh's `beside`); `make bench-NAME`
# runs one. A bench is slow or fast, it never fails for that. Here first, then those in guests.

BENCHES	  := file post growth stacks lines xray formats html arc jit timer agent calls hookit hookit_programs record slowdown ptt itrace hook hdump scs
BENCH_SRC := $(filter-out $(if $(AGENTS),,%/call_events.c),$(wildcard tests/bench/*.c))
BENCH	  := $(patsubst tests/%.c,$(O)/tests/%,$(BENCH_SRC))

tests: $(BENCH)
$(O)/tests/bench/jitted $(O)/tests/bench/find_code: $(O)/inner/liba2n.a
$(O)/tests/bench/jitted $(O)/tests/bench/find_code: TESTLINK = $(LIB_A2N)
# The events of the Java agent without a Java VM, whose structures it has instead, as symbols.
$(O)/tests/bench/call_events: $(call obj,$(addprefix tools/jprof/calls/,call_hooks.c thread_trees.c methods.c) tools/calltree/method_filter.c \
	tools/jprof/calls/function_frames.c $(addprefix tools/jprof/probes/,probe_frames.c vm_elf.c vm_file.c vm_image.c vm_methods.c) tools/jprof/classfile/native_class.c tools/jprof/classfile/constants.c \
	$(addprefix tools/calltree/,call_ring.c call_ended.c call_room.c call_thread.c clock_step.c metrics.c))
$(O)/tests/bench/call_events: INC_TESTS += $(INC_PIJIT) -Itools/calltree -Itools/jprof $(addprefix -Itools/jprof/,classfile calls probes)
$(O)/tests/bench/call_events: TESTLINK = -rdynamic

# These run in the guest.
BENCH_WORK := $(O)/tests/bench/guest/bench_work $(O)/tests/bench/guest/ptt_work $(O)/tests/bench/guest/itrace_work
$(BENCH_WORK): $(O)/%: %.c $(O)/inner/libperfutil.a
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALLFLAGS) $(INC_TOOLS) -o $@ $< $(O)/inner/libperfutil.a $(ALLLDFLAGS) $(LIB_PERFUTIL)

.PHONY: bench bench-ready
bench-ready: all $(BENCH) $(BENCH_WORK) vm-programs
bench:	## how fast, beside perf report, xxhsum and others: docs/benchmarks.md tells what and why
	@scripts/deps build bench
	@$(MAKE) --no-print-directory -j 2 bench-ready
	@rm -rf $(O)/bench; O=$(O); . tests/bench/lib.sh; machine
	@for b in $(BENCHES); do O=$(O) tests/bench/$$b.sh || exit 1; done
bench-%: tests/bench/%.sh bench-ready
	@O=$(O) $<
