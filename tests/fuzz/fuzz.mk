# SPDX-License-Identifier: GPL-3.0-or-later
# Fuzz targets: tests/fuzz/fuzz_NAME.c, seeds in tests/data/fuzz/NAME.tar (tests/fuzz/seeds). `make test` and `make check`
# replay the seeds with plain gcc; `make fuzz` (fuzz-NAME: one of them) runs each for FUZZ_SECONDS
# with clang's libFuzzer; `make fuzz-coverage` prints how much of the parsers the seeds reach.
# FUZZ_FOR_NAME: the files that a target is for, FUZZ_SRC_NAME: what they need, FUZZ_LIB_NAME:
# libraries beneath.

FUZZ_SECONDS ?= 300
FUZZ_NAMES   := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_REPLAY  := $(FUZZ_NAMES:%=$(O)/tests/fuzz/fuzz_%)
FUZZ_INC     := $(INC_PERFUTIL) -Itools/common -Itools/jprof/classfile -Itools/calltree -Ipost -Itests/fuzz \
		-Itools/hookit/patch -Itools/hdump -Itools/rtdriver -Itools/swtrace -Itools/swtrace/top \
		-Itools/jprof/stacks -Itools/jprof/probes
FUZZ_CC	     := clang -g -O1 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DPITRACE_VERSION='"$(VERSION)"' \
		-DPITRACE_LIBDIR='"/nowhere"' -DPITRACE_DATADIR='"/nowhere"' \
		-DPITRACE_DKMSDIR='"/nowhere"' -DPROFILE_TICKS_MOST=4096 \
		$(filter -DHAVE_LIBIPT,$(INC_POST)) $(FUZZ_INC) -idirafter /usr/include
FUZZ_SAN     := -fsanitize=address,undefined -fno-sanitize-recover=all
FUZZ_COVER   := -fprofile-instr-generate -fcoverage-mapping
FUZZ_LIMITS  := -rss_limit_mb=512 -timeout=5

# tests/fuzz/fuzz_clock.h
FUZZ_CLOCK   := -Wl,--wrap=clock_gettime,--wrap=kill

# Files of the libraries by name; the foundation of most of them.
PERF = $(foreach n,$(1),$(filter %/$(n).c,$(PERFUTIL_SRC)))
A2N  = $(foreach n,$(1),$(filter %/$(n).c,$(A2N_SRC)))
FUZZ_BASE    := $(call PERF,array keys read_all)

FUZZ_FOR_file	:= $(call PERF,file_read file_swap file_time merge record_kinds record_walk)
FUZZ_SRC_file	:= $(call PERF,crc32c)
FUZZ_LIB_file	:= -lzstd
FUZZ_FOR_record	:= $(call PERF,record_walk user_record)
FUZZ_FOR_perf	:= $(call PERF,perf_decode perf_records)
FUZZ_FOR_pump	:= $(call PERF,perf_pump perf_points)
FUZZ_SRC_pump	:= $(PERFUTIL_SRC)
FUZZ_LIB_pump	:= $(LIB_PERFUTIL)
FUZZ_FOR_elf	:= $(call A2N,elf elf_debugdata elf_dynamic elf_plt frame_starts go_table go_line symtab vmlinux)
FUZZ_SRC_elf	:= $(A2N_SRC)
FUZZ_LIB_elf	:= $(LIB_A2N)
FUZZ_FOR_dwarf	:= $(call A2N,dwarf_read dwarf_file dwarf_unit dwarf_line dwarf_inline addr_lines)
FUZZ_SRC_dwarf	:= $(A2N_SRC)
FUZZ_LIB_dwarf	:= $(LIB_A2N)
FUZZ_FOR_kallsyms := $(call A2N,kallsyms kernel kernel_loads) $(call PERF,kernel_modules)
FUZZ_SRC_kallsyms = $(A2N_SRC) $(FUZZ_SRC_program)
FUZZ_LIB_kallsyms := -lzstd $(LIB_A2N)
FUZZ_FOR_jitdump := $(call A2N,jitdump_read a2n_jit)
FUZZ_SRC_jitdump := $(A2N_SRC)
FUZZ_LIB_jitdump := $(LIB_A2N)
FUZZ_FOR_perfmap := $(call A2N,perfmap textfile)
FUZZ_SRC_perfmap := $(A2N_SRC)
FUZZ_LIB_perfmap := $(LIB_A2N)
FUZZ_FOR_jitlog := $(call A2N,jitlog_read)
FUZZ_SRC_jitlog := $(A2N_SRC)
FUZZ_LIB_jitlog := $(LIB_A2N)
FUZZ_FOR_msi := $(call A2N,msi)
FUZZ_SRC_msi := $(A2N_SRC)
FUZZ_LIB_msi := $(LIB_A2N)
FUZZ_FOR_maps	:= $(call PERF,proc_text proc_cpus)
FUZZ_FOR_hookfile := $(call PERF,hookfile_read hooks_order)
FUZZ_SRC_hookfile := $(call PERF,record_walk segment hooks_folder leftovers hook_door hook_knock hook_place hook_threads proc_lines proc_text proc_cpus hookfile_write named rc)
FUZZ_LIB_hookfile := $(FUZZ_CLOCK)
# Collectors' data about files.
FUZZ_FILES	:= $(call PERF,known_files mapped_file mapped_place file_same rights proc_lines proc_cpus)
FUZZ_FOR_timer	:= $(call PERF,timer_files timer_process user_rings timer_check timer_read \
		   timer_rescan timer_write backend_timer)
FUZZ_SRC_timer	:= $(FUZZ_FILES) $(call PERF,installed timer_program leftovers collector_majors proc_text record_walk segment rc)
FUZZ_LIB_timer	:= $(FUZZ_CLOCK)
FUZZ_FOR_program := $(call PERF,timer_program drain_ids mapped_file)
FUZZ_SRC_program := $(FUZZ_FOR_file) $(call PERF,crc32c file_same file_write folder newfile rights segment)
FUZZ_LIB_program := -lzstd
FUZZ_FOR_events	:= $(call PERF,event_names events_sysfs events_file tracepoint_format)
FUZZ_SRC_events	:= $(call PERF,events_pfm installed proc_cpus proc_lines proc_text)
FUZZ_FOR_holder	:= $(call PERF,holder_serve)
FUZZ_SRC_holder	:= $(PERFUTIL_SRC)
FUZZ_LIB_holder	:= $(LIB_PERFUTIL)
FUZZ_FOR_start	:= $(call PERF,holder_begin)
FUZZ_SRC_start	:= $(PERFUTIL_SRC)
FUZZ_LIB_start	:= $(LIB_PERFUTIL)
FUZZ_FOR_demangle := $(call A2N,demangle)
FUZZ_LIB_demangle := -liberty
FUZZ_FOR_stack	:= $(addprefix post/model/,stacks.c frame_pointers.c code_rules.c unwind.c unwind_space.c made_elf.c)
FUZZ_SRC_stack = $(FUZZ_SRC_post)
FUZZ_LIB_stack = $(FUZZ_LIB_of_post)

FUZZ_FOR_xray	:= $(filter-out %/xray_map.c,$(wildcard post/input/xray/*.c)) \
		   $(addprefix post/model/,callflow.c functions.c)

FUZZ_FOR_itrace	:= $(addprefix post/model/,itrace_runs.c frames.c)
FUZZ_SRC_itrace = $(FUZZ_SRC_post)
FUZZ_LIB_itrace = $(FUZZ_LIB_of_post)

FUZZ_SRC_post	:= $(filter-out post/main.c,$(POST_SRC)) $(COMMON_SRC) $(A2N_SRC) $(FUZZ_FOR_file) \
		   $(call PERF,collector_majors crc32c merge_sized named pifile_sized record_names perf_decode perf_records rc)
FUZZ_FOR_gperftools := post/input/gperftools/gperftools.c post/input/gperftools/gperftools_java.c
FUZZ_SRC_gperftools = $(FUZZ_SRC_post)
FUZZ_LIB_gperftools = $(FUZZ_LIB_of_post)
FUZZ_SRC_xray = $(FUZZ_SRC_post)
FUZZ_LIB_xray = $(FUZZ_LIB_of_post)
FUZZ_FOR_xraymap := post/input/xray/xray_map.c
FUZZ_LIB_xraymap := -lelf
FUZZ_LIB_of_post := -lzstd $(LIB_POST) $(LIB_A2N)
FUZZ_LIB_post	:= $(FUZZ_LIB_of_post) -Wl,--wrap=load_shut_in

FUZZ_FOR_compiled := tools/swtrace/compiled.c
FUZZ_FOR_class	:= $(CLASSFILE_SRC)
FUZZ_FOR_vmelf	:= tools/jprof/probes/vm_elf.c
FUZZ_FOR_calibration := tools/calltree/calibration_text.c
FUZZ_SRC_calibration := $(addprefix tools/calltree/,calibration.c clock_step.c)

# The live view reads a file that grows: what reads it, and what it becomes.
FUZZ_FOR_top	:= $(call PERF,file_follow) $(addprefix tools/swtrace/top/top_,feed.c model.c names.c table.c)
FUZZ_SRC_top	:= $(PERFUTIL_SRC) $(A2N_SRC)
FUZZ_LIB_top	:= $(LIB_PERFUTIL) $(LIB_A2N)

# Sites are instructions: of this machine, or of x86-64 where there are none.
FUZZ_FOR_patch := $(addprefix tools/hookit/patch/,begins.c object_file.c sites.c sites_patchable.c sites_xray.c) \
		   $(firstword $(filter %/site_code.c,$(PATCH_SRC)) tools/hookit/patch/x86_64/site_code.c)

FUZZ_FOR_compare := $(addprefix post/compare/,budget_read.c budget_judge.c folded_read.c comparison.c)
FUZZ_SRC_compare := tools/common/escape.c $(FUZZ_BASE)
FUZZ_LIB_compare := -lm
# All of hdump but its reports and options.
FUZZ_FOR_hdump := $(filter-out %/main.c tools/hdump/show_%.c,$(HDUMP_SRC))
FUZZ_SRC_hdump := $(COMMON_SRC) $(call PERF,newfile rights folder name_forms)
FUZZ_LIB_hdump := -lz

FUZZ_FOR_rtdriver := tools/common/rt_protocol.c $(addprefix tools/rtdriver/,attach_reply.c process_text.c)

FUZZ_FOR_walk	:= $(addprefix tools/jprof/stacks/,code_cache.c native_frames.c rule_cache.c scopes.c)

FUZZ_FOR_jprof := $(wildcard post/input/jprof/*.c)
FUZZ_SRC_jprof = $(FUZZ_SRC_post)
FUZZ_LIB_jprof = $(FUZZ_LIB_of_post)

# Its writer is linked with the reader, and with that all of post.
FUZZ_FOR_pprof	:= $(addprefix post/input/pprof/,pprof_check.c pprof_read.c pprof_tables.c)
FUZZ_SRC_pprof	:= $(FUZZ_SRC_post)
FUZZ_LIB_pprof	:= $(FUZZ_LIB_of_post)

# The kernel's names, which perf_kernel.c finds on this machine, are no part of the file.
FUZZ_FOR_perfdata := $(filter-out %/perf_kernel.c,$(wildcard post/input/perf/*.c))
FUZZ_SRC_perfdata := $(FUZZ_SRC_post)
FUZZ_LIB_perfdata := $(FUZZ_LIB_of_post)

# All of post but its options and what other targets are for, and the timeline that it feeds.
FUZZ_FOR_post	:= $(filter-out post/main.c post/command_line.c post/input/perf/perf_kernel.c $(FUZZ_FOR_stack) $(FUZZ_FOR_itrace) \
		   $(FUZZ_FOR_xray) $(FUZZ_FOR_gperftools) $(FUZZ_FOR_pprof) $(FUZZ_FOR_jprof) \
		   $(FUZZ_FOR_perfdata),$(POST_SRC)) $(call A2N,process space)

# Kinds of objects: libFuzzer's in $(O)/fuzz/obj, those that count lines in $(O)/fuzz/cover.
$(O)/fuzz/obj/%.o: %.c
	$(call say,CLANG)
	@mkdir -p $(@D)
	$(Q)$(FUZZ_CC) -MMD -MP -DLIBFUZZER -fsanitize=fuzzer-no-link $(FUZZ_SAN) -c -o $@ $<
$(O)/fuzz/cover/%.o: %.c
	$(call say,CLANG)
	@mkdir -p $(@D)
	$(Q)$(FUZZ_CC) -MMD -MP $(FUZZ_COVER) -c -o $@ $<
$(call obj,$(wildcard tests/fuzz/*.c)): INC = $(FUZZ_INC)

define FUZZ_RULES
FUZZ_ALL_$(1) := tests/fuzz/fuzz_$(1).c $$(sort $(FUZZ_BASE) $$(FUZZ_FOR_$(1)) $$(FUZZ_SRC_$(1)))
$(O)/fuzz/fuzz_$(1): $$(FUZZ_ALL_$(1):%.c=$(O)/fuzz/obj/%.o)
	$$(call say,CLANG)
	$$(Q)clang -fsanitize=fuzzer $(FUZZ_SAN) -o $$@ $$^ $$(FUZZ_LIB_$(1))
$(O)/fuzz/cover_$(1): $$(FUZZ_ALL_$(1):%.c=$(O)/fuzz/cover/%.o)
	$$(call say,CLANG)
	$$(Q)clang $(FUZZ_COVER) -o $$@ $$^ $$(FUZZ_LIB_$(1))
$(O)/tests/fuzz/fuzz_$(1): $$(call obj,$$(FUZZ_ALL_$(1))) | $(O)/tests/fuzz/.
	$$(call say,CC)
	$$(Q)$(CC) $(ALLLDFLAGS) -o $$@ $$^ $$(FUZZ_LIB_$(1))
endef
$(foreach n,$(FUZZ_NAMES),$(eval $(call FUZZ_RULES,$(n))))

# New inputs stay in $(O)/fuzz/corpus-NAME; what breaks a target is written to $(O)/fuzz as crash-*,
# leak-*, timeout-* or oom-*. $(O)/fuzz/NAME.runs has the executions of each run.
fuzz: $(FUZZ_NAMES:%=fuzz-%)	## fuzz each reader for FUZZ_SECONDS=300
fuzz-%: $(O)/fuzz/fuzz_%
	@mkdir -p $(O)/fuzz/corpus-$*
	@rm -rf $(O)/fuzz/seeds-$* && tests/fuzz/seeds unpack $* $(O)/fuzz/seeds-$*
	cd $(O)/fuzz && ./fuzz_$* $(FUZZ_LIMITS) $(addprefix -dict=,$(wildcard $(CURDIR)/tests/fuzz/$*.dict)) \
		-max_total_time=$(FUZZ_SECONDS) -print_final_stats=1 -verbosity=0 \
		corpus-$* seeds-$* >$*.log 2>&1 || { tail -n 40 $*.log; exit 1; }
	@awk '/number_of_executed_units/ { print $$2 }' $(O)/fuzz/$*.log | tee -a $(O)/fuzz/$*.runs

# The corpus that was found, thinned out, joins the seeds.
fuzz-keep-%: $(O)/fuzz/fuzz_%
	@rm -rf $(O)/fuzz/seeds-$* && tests/fuzz/seeds unpack $* $(O)/fuzz/seeds-$*
	cd $(O)/fuzz && ./fuzz_$* $(FUZZ_LIMITS) -merge=1 -use_counters=0 -verbosity=0 seeds-$* corpus-$*
	@cd $(O)/fuzz/seeds-$* && for f in *; do case $$f in *[!0-9a-f]*) ;; *) [ $${#f} -ne 40 ] || \
		mv $$f found-$$(echo $$f | cut -c1-8) ;; esac; done
	@tests/fuzz/seeds add $* $(O)/fuzz/seeds-$*/*

fuzz-coverage: $(FUZZ_NAMES:%=$(O)/fuzz/cover_%)	## lines of each reader that its seeds reach
	@O=$(O) tests/fuzz/coverage $(foreach n,$(FUZZ_NAMES),'$(n) $(FUZZ_FOR_$(n))')

.PHONY: fuzz fuzz-coverage
.PRECIOUS: $(O)/fuzz/obj/%.o $(O)/fuzz/cover/%.o
-include $(shell find $(O)/fuzz -name '*.d' 2>/dev/null)
