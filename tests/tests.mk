# SPDX-License-Identifier: GPL-3.0-or-later
# The rooms of the tests are those of the source: tests/post/input holds what tests post/input. Names are
# unique. A unit test (CUnit) is a program, tests/ROOM/test_NAME.c -> $(O)/tests/unit/test_NAME; it sees
# the libraries' inner headers and links them statically. tests/ROOM/test_NAME.sh is a script; programs
# that scripts run are in $(O)/tests/programs. What several share is in tests/lib and libtest.a.

tests_in = $(foreach part,driver libperfutil post scripts tools viewer,\
	$(wildcard tests/$(part)/$(1) tests/$(part)/*/$(1) tests/$(part)/*/*/$(1)))
UNIT_SRC     := $(filter-out tests/driver/abi/%,$(call tests_in,test_*.c))
UNIT	     := $(patsubst %.c,$(O)/tests/unit/%,$(notdir $(UNIT_SRC)))
SCRIPT_TESTS := $(call tests_in,test_*.sh)
PROGRAM_SRC  := tests/lib/gen_trace_main.c tests/lib/post_trace.c tests/lib/post_script.c \
	tests/libperfutil/a2n/jit_moves.c tests/libperfutil/file/damage.c \
	tests/post/input/packed.c tests/post/input/pt_image.c tests/post/model/stack_copies.c \
	tests/tools/jprof/rewrite_classes.c tests/vm/tsc_khz.c
PROGRAMS     := $(patsubst %.c,$(O)/tests/programs/%,$(notdir $(PROGRAM_SRC)))
$(foreach s,$(UNIT_SRC),$(eval $(O)/tests/unit/$(basename $(notdir $s)): $s))
$(foreach s,$(PROGRAM_SRC),$(eval $(O)/tests/programs/$(basename $(notdir $s)): $s))

include tests/bench/bench.mk

# The words of a story are in two files.
$(O)/tests/programs/post_script: $(call obj,tests/lib/post_script_samples.c)
$(call obj,tests/lib/post_script_samples.c): INC = $(INC_TESTS)

LIBTEST_SRC := tests/lib/gen_trace.c tests/lib/gen_events.c

INC_TESTS  := $(INC_PERFUTIL) -Idriver -Itests/driver/kernel -Itests/lib -Ipost
$(call obj,$(LIBTEST_SRC)): INC = $(INC_TESTS)

$(O)/tests/libtest.a: $(call obj,$(LIBTEST_SRC) tests/lib/locks.c)
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,AR)
	$(Q)$(AR) rcs $@ $^

# Allocations of the program and of our libraries (not of those beneath) can be made to fail.
$(O)/tests/unit/test_file_alloc $(O)/tests/unit/test_a2n_alloc: \
	TESTLINK = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
$(O)/tests/unit/test_perfmaps: TESTLINK = -Wl,--wrap=malloc

# The disk is the test's own.
$(O)/tests/unit/test_file_sections: TESTLINK = -Wl,--wrap=writev,--wrap=fsync,--wrap=close,--wrap=sendfile64

# The library that asks servers is the test's own.
$(O)/tests/unit/test_debuginfod: TESTLINK = -Wl,--wrap=dlopen,--wrap=dlsym

# The test replaces functions that read files and /proc.
$(O)/tests/unit/test_perf_pump $(O)/tests/unit/test_perf_pump_names $(O)/tests/unit/test_perf_pump_points: \
	TESTLINK = -Wl,--wrap=known_files_identify,--wrap=known_files_take_id \
	-Wl,--wrap=known_files_path,--wrap=known_files_reset,--wrap=proc_walk,--wrap=realloc

# … kallsyms, and /proc as a folder.
$(O)/tests/unit/test_perf_idle: TESTLINK = -Wl,--wrap=fopen64,--wrap=realloc
$(O)/tests/unit/test_proc_walk: TESTLINK = -Wl,--wrap=opendir,--wrap=fopen64,--wrap=realloc,--wrap=__getdelim

# The test replaces the kernel's perf events.
$(O)/tests/unit/test_backend_perf $(O)/tests/unit/test_backend_perf_drain: \
	TESTLINK = -Wl,--wrap=syscall,--wrap=ioctl,--wrap=epoll_ctl,--wrap=read \
	-Wl,--wrap=mmap64,--wrap=sysconf,--wrap=close,--wrap=fopen64,--wrap=eventfd,--wrap=socketpair \
	-Wl,--wrap=clock_gettime,--wrap=proc_walk,--wrap=malloc,--wrap=calloc,--wrap=realloc

# … of tracepoints.
$(O)/tests/unit/test_perf_points_check: TESTLINK = -Wl,--wrap=readlink,--wrap=perf_open,--wrap=perf_paranoid \
	-Wl,--wrap=perf_why

# The test decides which programs gain rights by exec.
$(O)/tests/unit/test_backend_ptrace $(O)/tests/unit/test_backend_ptrace_life: \
	TESTLINK = -Wl,--wrap=rights_gained,--wrap=flow_here,--wrap=waitpid
# … and whether there is memory for its segments.
$(O)/tests/unit/test_backend_ptrace_life: TESTLINK += -Wl,--wrap=malloc

# Its stops come from the test.
$(O)/tests/unit/test_ptrace_wait: TESTLINK = -Wl,--wrap=ptrace,--wrap=waitpid

# Time, /proc and which processes live are the test's own.
$(O)/tests/unit/test_backend_timer: TESTLINK = -Wl,--wrap=clock_gettime,--wrap=clock_getres,--wrap=kill \
	-Wl,--wrap=fopen64,--wrap=open64,--wrap=syscall

# The test controls time, and events are numbers.
$(O)/tests/unit/test_perf_dither: TESTLINK = -Wl,--wrap=poll,--wrap=ioctl,--wrap=clock_gettime

# Only the timers of the code that is loaded into programs; the test replaces their system calls.
$(O)/tests/unit/test_timer_fine: $(call obj,libperfutil/collect/timer/preload/fine.c \
	libperfutil/collect/timer/preload/rings.c libperfutil/collect/timer/preload/ring_table.c)
$(O)/tests/unit/test_timer_fine: TESTLINK = -Wl,--wrap=syscall

# The test decides which machine this is.
$(O)/tests/unit/test_event_cpus: TESTLINK = -Wl,--wrap=uname,--wrap=sysconf,--wrap=fopen64

# Whether a file can be written.
$(O)/tests/unit/test_a2nint: TESTLINK = -Wl,--wrap=fdopen
$(O)/tests/unit/test_jitdump_reads: TESTLINK = -Wl,--wrap=pread64

# The library that names events is the test's own.
$(O)/tests/unit/test_event_pfm: TESTLINK = -Wl,--wrap=dlopen,--wrap=dlsym

# Users, folders and who answers are the test's own.
$(O)/tests/unit/test_service_place: TESTLINK = -Wl,--wrap=geteuid,--wrap=lstat64,--wrap=opendir,--wrap=mkdir \
	-Wl,--wrap=mkdtemp,--wrap=unlink,--wrap=connect,--wrap=getsockopt

# Whether it has rights that its user has not.
$(O)/tests/unit/test_installed: TESTLINK = -Wl,--wrap=getauxval

# The module's device and its answers are the test's own.
$(O)/tests/unit/test_pttview $(O)/tests/unit/test_ptt_driver: TESTLINK = -Wl,--wrap=open64,--wrap=ioctl

# The test replaces AboveIdle's queries of the machine.
$(O)/tests/unit/test_ai_sources: TESTLINK = -Wl,--wrap=fopen64,--wrap=clock_gettime \
	-Wl,--wrap=TraceFindEvents,--wrap=whole_counters_open,--wrap=counters_on \
	-Wl,--wrap=whole_counters_read,--wrap=counters_close,--wrap=whole_pttview_open \
	-Wl,--wrap=pttview_close,--wrap=pttview_cpus,--wrap=whole_pttview_cpu \
	-Wl,--wrap=pttview_update,--wrap=whole_pttview_info,--wrap=CyclesPerSecond

# How many reads a call makes; what perf refuses.
$(O)/tests/unit/test_ptt_perf: TESTLINK = -Wl,--wrap=read,--wrap=syscall

# … and all but what stands before the program's functions.
PRELOAD_SRC := $(wildcard libperfutil/collect/timer/preload/*.c)
$(O)/tests/unit/test_timer_sample: $(call obj,$(filter-out %/interpose.c %/blocking_calls.c,$(PRELOAD_SRC)))
$(O)/tests/unit/test_timer_sample: TESTLINK = -Wl,--wrap=syscall
$(O)/tests/unit/test_timer_control: $(call obj,libperfutil/collect/timer/preload/timer_control.c)
$(O)/tests/unit/test_timer_control: TESTLINK = -Wl,--wrap=getauxval
# Only what precedes them; the test replaces the rest.
$(O)/tests/unit/test_timer_calls: $(call obj,libperfutil/collect/timer/preload/blocking_calls.c)
$(O)/tests/unit/test_timer_calls: TESTLINK = -Wl,--wrap=dlsym,--wrap=pthread_key_create
# All of it, in the test that starts itself anew.
$(O)/tests/unit/test_timer_preload: $(call obj,$(PRELOAD_SRC))
$(O)/tests/unit/test_timer_preload: TESTLINK = -Wl,--wrap=fopen64

# Who calls.
$(O)/tests/unit/test_hook_door: TESTLINK = -Wl,--wrap=getsockopt
# How often the folder is listed.
$(O)/tests/unit/test_hookfolder: TESTLINK = -Wl,--wrap=fdopendir

$(O)/tests/unit/test_holder_begin: TESTLINK = -Wl,--wrap=service_begin
$(O)/tests/unit/test_holder: TESTLINK = -Wl,--wrap=driver_hook_open,--wrap=session_by_driver,--wrap=geteuid,--wrap=opendir

# The collector of a session is the test's own.
$(O)/tests/unit/test_tracer $(O)/tests/unit/test_tracer_files: \
	TESTLINK = -Wl,--wrap=collector_choose,--wrap=event_counts,--wrap=fopen64
$(O)/tests/unit/test_tracer_files: TESTLINK += -Wl,--wrap=kernel_code_new,--wrap=sysinfo_update

# /proc/modules and /proc/kallsyms are the test's own.
$(O)/tests/unit/test_kernel_modules: TESTLINK = -Wl,--wrap=fopen64,--wrap=stat64

# /proc and /sys are the test's own.
$(O)/tests/unit/test_perf_kernel: $(call obj,post/input/perf/perf_kernel.c post/format/perf_data.c)
$(O)/tests/unit/test_perf_kernel: TESTLINK = -Wl,--wrap=open64,--wrap=getauxval

$(O)/tests/unit/test_perf_code: $(call obj,post/input/perf/perf_code.c)
$(O)/tests/unit/test_perf_code: TESTLINK = -ldw

# Both know where the driver's source is installed.
$(O)/tests/unit/test_driver_diagnosis: INC_TESTS += -DPITRACE_DKMSDIR='"$(DKMSDIR)"'

# A thread that changes the table must hold its lock; the test replaces ticks.
$(O)/tests/unit/test_sampled_threads: TESTLINK = -Wl,--wrap=pthread_mutex_lock \
	-Wl,--wrap=cpu_ticks_begin,--wrap=cpu_ticks_end

# Its own functions are asked for.
$(O)/tests/unit/test_module_functions $(O)/tests/unit/test_signatures: INC_TESTS += -g

# Models of post, one object each.
$(O)/tests/unit/test_spread: $(call obj,post/model/spread.c)
$(O)/tests/unit/test_runtimes: $(call obj,post/model/runtimes.c)
$(O)/tests/unit/test_slices: $(call obj,post/model/slices.c)
$(O)/tests/unit/test_own_samples: $(call obj,post/input/own_samples.c)
$(O)/tests/unit/test_perf_order: $(call obj,post/input/perf/perf_order.c)
$(O)/tests/unit/test_by_thread: $(call obj,post/export/by_thread.c)
$(O)/tests/unit/test_perf_order $(O)/tests/unit/test_by_thread: \
	$(call obj,post/record/spill.c post/sandbox/opener.c post/sandbox/servers.c $(COMMON_SRC))
$(O)/tests/unit/test_open_spans: $(call obj,post/model/spans.c post/model/slowest.c)
$(O)/tests/unit/test_irq_names: $(call obj,post/model/irq_names.c)
$(O)/tests/unit/test_cgroups: INC_TESTS += -Itools/common
$(O)/tests/unit/test_cgroups: $(call obj,post/model/cgroups.c tools/common/cgroup_name.c)
$(O)/tests/unit/test_irqs: $(call obj,post/model/irqs.c post/model/spread.c)
$(O)/tests/unit/test_insn: $(call obj,post/report/insn.c)
$(O)/tests/unit/test_past: $(call obj,post/model/past.c post/model/open_waits.c)
$(O)/tests/unit/test_wall_shares: $(call obj,post/model/wall_shares.c)
# Comparisons, without the inputs that they are of.
COMPARED := $(addprefix post/compare/,comparison.c chance.c difference.c folded_read.c budget_read.c budget_judge.c)
$(O)/tests/unit/test_compare: INC_TESTS += -Itools/common
$(O)/tests/unit/test_compare: $(call obj,$(COMPARED) tools/common/escape.c)
$(O)/tests/unit/test_compare: TESTLINK = -lm -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
# Formats are tables of what reads and what writes: all of post comes with them.
FORMAT_UNITS := $(addprefix $(O)/tests/unit/test_,code_bytes damage_list tracepoints filter gperftools jprof_logs perf_attr perf_names pprof_check pprof_file table wanted xray)
$(FORMAT_UNITS): $(call obj,$(filter-out post/main.c,$(POST_SRC)) $(COMMON_SRC))
$(O)/tests/unit/test_tracepoints: INC_TESTS += $(filter -DHAVE_TRACEEVENT,$(INC_POST))
$(O)/tests/unit/test_jprof_logs $(O)/tests/unit/test_damage_list: INC_TESTS += -Itools/common
$(FORMAT_UNITS): TESTLINK = -Wl,--no-as-needed $(LIB_POST) -Wl,--as-needed

$(O)/tests/unit/test_perf_file: $(call obj,$(filter-out post/main.c,$(POST_SRC)) $(COMMON_SRC))
$(O)/tests/unit/test_perf_file: TESTLINK = -Wl,--no-as-needed $(LIB_POST) -Wl,--wrap=aligned_alloc,--wrap=free

$(O)/tests/unit/test_sandbox: $(call obj,post/sandbox/sandbox.c post/sandbox/landlock.c)
$(O)/tests/unit/test_sandbox: TESTLINK = -Wl,--no-as-needed -lseccomp -Wl,--as-needed

# The servers are the test's own, and whether there are files without a name.
$(O)/tests/unit/test_opener: INC_TESTS += -Itools/common
$(O)/tests/unit/test_opener: $(call obj,post/sandbox/opener.c $(COMMON_SRC))
$(O)/tests/unit/test_opener: TESTLINK = -Wl,--wrap=open64,--wrap=servers_by,--wrap=servers_get

$(O)/tests/unit/test_table: INC_TESTS += -Itools/common

# Code that the tools share.
$(O)/tests/unit/test_common $(O)/tests/unit/test_fit $(O)/tests/unit/test_options $(O)/tests/unit/test_option_store: INC_TESTS += -Itools/common
$(O)/tests/unit/test_common $(O)/tests/unit/test_fit $(O)/tests/unit/test_options $(O)/tests/unit/test_option_store: $(call obj,$(COMMON_SRC))
$(O)/tests/unit/test_option_store: TESTLINK = -Wl,--wrap=complain,--wrap=cpus_online

# Code for AboveIdle that programs share.
$(O)/tests/unit/test_ai: INC_TESTS += -Itools/ai
$(O)/tests/unit/test_ai: $(call obj,tools/ai/ai_span.c)

# The part of swtrace that finds code locations.
$(O)/tests/unit/test_compiled: INC_TESTS += -Itools/swtrace
$(O)/tests/unit/test_compiled: $(call obj,tools/swtrace/compiled.c)
$(O)/tests/unit/test_place: INC_TESTS += -Itools
$(O)/tests/unit/test_place: $(call obj,tools/swtrace/place.c)

# The parts of its live view that need neither a trace nor a terminal.
$(O)/tests/unit/test_top: INC_TESTS += -Itools/swtrace/top -Itools/common
$(O)/tests/unit/test_top: $(call obj,$(addprefix tools/swtrace/top/top_,table.c model.c view.c text.c keys.c watch.c) $(COMMON_SRC))

# … and what reads the trace.
$(O)/tests/unit/test_top_feed: INC_TESTS += -Itools/swtrace/top
$(O)/tests/unit/test_top_feed: $(call obj,$(addprefix tools/swtrace/top/top_,table.c model.c names.c feed.c))

# All of cpi except its options; the test replaces the library's counters.
$(O)/tests/unit/test_cpi_count: INC_TESTS += -Itools/ai -Itools/cpi -Itools/common
$(O)/tests/unit/test_cpi_count: $(call obj,tools/cpi/count.c tools/cpi/cpi_show.c $(AI_SRC) $(COMMON_SRC))
$(O)/tests/unit/test_cpi_count: TESTLINK = -Wl,--wrap=TraceFindEvents,--wrap=counters_open_sized,--wrap=counters_on \
	-Wl,--wrap=counters_off,--wrap=counters_read_sized,--wrap=counters_close,--wrap=AiInit,--wrap=AiGetInfo_sized \
	-Wl,--wrap=AiTerminate,--wrap=span_read,--wrap=cpus_online,--wrap=TraceLastError

# The parts of the Java agent that need no VM.
$(O)/tests/unit/test_jprof_calls: INC_TESTS += -Itools/calltree -Itools/jprof/calls
$(O)/tests/unit/test_probe_frames: INC_TESTS += -Itools/calltree -Itools/jprof/calls -Itools/jprof/probes
$(O)/tests/unit/test_probe_frames: $(call obj,tools/jprof/probes/probe_frames.c $(addprefix tools/calltree/,call_room.c call_thread.c))
$(O)/tests/unit/test_function_frames: INC_TESTS += -Itools/calltree -Itools/jprof/calls
$(O)/tests/unit/test_function_frames: $(call obj,tools/jprof/calls/function_frames.c $(addprefix tools/calltree/,call_ring.c call_room.c call_thread.c))
$(O)/tests/unit/test_jprof_calls: $(call obj,$(addprefix tools/calltree/,call_ended.c call_ring.c call_room.c call_thread.c calibration.c calibration_text.c clock_step.c) \
	$(addprefix tools/,calltree/method_filter.c jprof/calls/methods.c))
$(O)/tests/unit/test_jprof_metrics $(O)/tests/unit/test_jprof_calibration $(O)/tests/unit/test_clock_step $(O)/tests/unit/test_call_room: INC_TESTS += -Itools/calltree -Itools/jprof/calls
$(O)/tests/unit/test_jprof_metrics: $(call obj,$(addprefix tools/calltree/,call_room.c call_thread.c clock_step.c metrics.c))
$(O)/tests/unit/test_log_rt: INC_TESTS += -Itools/calltree -Itools/common
$(O)/tests/unit/test_log_rt: $(call obj,tools/common/escape.c $(addprefix tools/calltree/,call_room.c call_thread.c calibration.c calibration_file.c \
	calibration_text.c clock_step.c log_rt.c))
$(O)/tests/unit/test_log_rt: TESTLINK = -Wl,--wrap=calloc
$(O)/tests/unit/test_jprof_metrics: TESTLINK = -Wl,--wrap=PttInit
$(O)/tests/unit/test_call_room: $(call obj,$(addprefix tools/calltree/,call_room.c call_thread.c))
$(O)/tests/unit/test_clock_step: $(call obj,$(addprefix tools/calltree/,calibration.c clock_step.c))
$(O)/tests/unit/test_jprof_calibration: $(call obj,$(addprefix tools/calltree/,call_room.c call_thread.c calibration.c calibration_file.c \
	calibration_text.c clock_step.c))
$(O)/tests/unit/test_jprof_calibration: TESTLINK = -Wl,--wrap=malloc,--wrap=calloc
$(O)/tests/unit/test_minima: INC_TESTS += -Itools/calltree -Itools/common -Itools/jprof/calls
$(O)/tests/unit/test_minima: $(call obj,tools/common/escape.c $(addprefix tools/calltree/,calibration.c calibration_file.c calibration_text.c \
	clock_step.c metrics.c minima.c))
$(O)/tests/unit/test_jprof_floors: INC_TESTS += -Itools/calltree -Itools/jprof/calls -Itools/jprof/train
$(O)/tests/unit/test_jprof_floors: $(call obj,tools/jprof/train/floors.c $(addprefix tools/calltree/,calibration.c clock_step.c))
$(O)/tests/unit/test_jprof_passes: INC_TESTS += -Itools/calltree -Itools/jprof/train
$(O)/tests/unit/test_jprof_passes: $(call obj,$(addprefix tools/jprof/train/,passes.c possible.c) $(addprefix tools/calltree/,calibration.c clock_step.c))
# The code for class files that needs no VM, and a program for the test that has one.
$(O)/tests/unit/test_class_rewrite $(O)/tests/unit/test_native_wrap $(O)/tests/unit/test_opcodes $(O)/tests/programs/rewrite_classes: INC_TESTS += -Itools/jprof/classfile
$(O)/tests/unit/test_class_rewrite $(O)/tests/unit/test_native_wrap $(O)/tests/unit/test_opcodes $(O)/tests/programs/rewrite_classes: $(call obj,$(CLASSFILE_SRC))
$(O)/tests/unit/test_jprof: $(call obj,tools/common/java_name.c tools/jprof/ranges.c tools/jprof/java_sizes.c)

# … its options.
$(O)/tests/unit/test_agent_options: INC_TESTS += -Itools/calltree -Itools/common -Itools/jprof
$(O)/tests/unit/test_agent_options: $(call obj,tools/jprof/agent_options.c tools/common/escape.c \
	$(addprefix tools/calltree/,call_options.c call_room.c call_thread.c clock_step.c method_filter.c metrics.c))

# The code that reads patch sites; instructions of x86-64, whatever machine this is.
$(O)/tests/unit/test_hook_arguments: INC_TESTS += -Itools/hookit -Itools/common -Itools/calltree
$(O)/tests/unit/test_hook_arguments: $(call obj,$(addprefix tools/hookit/,hook_arguments.c hook_functions.c hookit_text.c))
$(O)/tests/unit/test_given_values: INC_TESTS += -Itools/hookit -Itools/common -Itools/calltree
$(O)/tests/unit/test_given_values: $(call obj,tools/common/escape.c $(addprefix tools/hookit/,asked_value.c hook_values.c hookit_text.c))
$(O)/tests/unit/test_hook_functions: INC_TESTS += -Itools/hookit
$(O)/tests/unit/test_hook_functions: $(call obj,tools/hookit/hook_functions.c)
$(O)/tests/unit/test_patch_sites: INC_TESTS += -Itools/hookit/patch
$(O)/tests/unit/test_patch_sites: $(call obj,$(addprefix tools/hookit/patch/,begins.c object_file.c sites.c sites_patchable.c \
	sites_xray.c x86_64/site_code.c))

# The part of ptt that subtracts two moments.
$(O)/tests/unit/test_ptt_dump $(O)/tests/unit/test_ptt_take: $(call obj,tools/ptt/dump.c tools/ptt/thread_names.c)
$(O)/tests/unit/test_ptt_dump $(O)/tests/unit/test_ptt_take: INC_TESTS += -Itools/ptt -Itools/common

# … and one, with the module's view and the time the test's own.
$(O)/tests/unit/test_ptt_take: TESTLINK = -Wl,--wrap=clock_gettime,--wrap=pttview_slots,--wrap=pttview_cpus \
	-Wl,--wrap=pttview_charged,--wrap=pttview_info_sized,--wrap=pttview_thread_sized \
	-Wl,--wrap=pttview_gone_sized,--wrap=pttview_cpu_sized

# … what prints them, and its options with sub-commands of the test's own.
$(O)/tests/unit/test_ptt_show $(O)/tests/unit/test_ptt_options: INC_TESTS += -Itools/ptt -Itools/common
$(O)/tests/unit/test_ptt_show: $(call obj,$(addprefix tools/ptt/,cpi.c dump.c forms.c ptt_cgroups.c ptt_show.c thread_names.c) \
	tools/common/cgroup_name.c tools/common/escape.c tools/common/json.c)
$(O)/tests/unit/test_ptt_show: TESTLINK = -Wl,--wrap=complain,--wrap=CyclesPerSecond
$(O)/tests/unit/test_ptt_options: $(call obj,$(COMMON_SRC))
$(O)/tests/unit/test_ptt_options: TESTLINK = -Wl,--wrap=complain

# All of hdump except its reports and options.
HDUMP_UNITS := $(addprefix $(O)/tests/unit/test_,hdump hdump_file hdump_sizes)
$(HDUMP_UNITS): INC_TESTS += -Itools/hdump -Itools/common
$(HDUMP_UNITS): $(call obj,$(filter-out %/main.c tools/hdump/show_%.c,$(HDUMP_SRC)) $(COMMON_SRC))
$(HDUMP_UNITS): TESTLINK = -lz
$(O)/tests/unit/test_hdump_file: TESTLINK = -lz -Wl,--wrap=pthread_create

# The code for monitors that needs no VM.
$(O)/tests/unit/test_rule_cache: INC_TESTS += -Itools/jprof/stacks
$(O)/tests/unit/test_rule_cache: $(call obj,tools/jprof/stacks/rule_cache.c)
$(O)/tests/unit/test_native_frames: INC_TESTS += -Itools/jprof/stacks
$(O)/tests/unit/test_native_frames: $(call obj,$(addprefix tools/jprof/stacks/,guarded.c native_frames.c rule_cache.c))
$(O)/tests/unit/test_lock_table: INC_TESTS += -Itools/jprof/locks
$(O)/tests/unit/test_lock_table: $(call obj,$(addprefix tools/jprof/locks/,lock_table.c lock_thread.c) tools/common/escape.c)

# The protocol of rtdriver.
$(O)/tests/unit/test_rtdriver: INC_TESTS += -Itools/rtdriver -Itools/common
$(O)/tests/unit/test_rtdriver: $(call obj,tools/common/rt_protocol.c $(addprefix tools/rtdriver/,attach_reply.c process_text.c))

# Each sees that who unlocks a mutex has locked it (tests/lib/locks.c).
LOCKS	:= -Wl,--wrap=pthread_mutex_unlock -Wl,-u,__wrap_pthread_mutex_unlock

# Some begin what the holder program keeps.
$(UNIT): | $(HOLDER)

# Each unit test reports leaks, if the compiler has LeakSanitizer for the machine.
ifeq ($(SAN)$(shell echo 'int main(void) { return 0; }' | $(CC) $(ALLFLAGS) $(ALLLDFLAGS) -x c - -MF /dev/null \
	-fsanitize=leak -o /dev/null 2>/dev/null && echo yes),yes)
LEAKS	:= -fsanitize=leak
endif
# gcc 12's waits for ever for threads that a forked child has joined.
$(patsubst %,$(O)/tests/unit/test_%,hookfile trace_hook trace_hook_handlers trace_event hook_torture): LEAKS =
# A test's own code is not optimised: compiling it was most of what building the tests took. It is where it
# counts instructions, is timed, races with others or computes for seconds.
TESTOPT := -O0
$(patsubst %,$(O)/tests/unit/test_%,a2n_space space_facts hook_cost hook_torture hookfile jprof_calls trace_hook trace_hook_handlers ring session_threads): TESTOPT := -O2
$(UNIT): $(O)/tests/libtest.a $(O)/inner/libperfutil.a $(O)/inner/liba2n.a | $(O)/tests/unit/.
	$(call say,CC)
	$(Q)$(CC) $(ALLFLAGS) $(TESTOPT) $(INC_TESTS) -o $@ $(filter tests/%.c,$^) $(ALLLDFLAGS) $(LEAKS) $(LOCKS) $(TESTLINK) \
		$(filter %.o,$^) $(filter %.a,$^) -lcunit $(LIB_PERFUTIL) $(LIB_A2N)

# Its records show that frame pointers are not needed.
$(O)/tests/programs/stack_copies: CFLAGS += -fomit-frame-pointer

# Loaded into post it tries its sandbox.
tests: $(O)/tests/programs/way_out.so
$(O)/tests/programs/way_out.so: tests/post/sandbox/way_out.c
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out -MMD -MP,$(ALLFLAGS)) -shared -o $@ $< $(ALLLDFLAGS) -lseccomp

# Loaded before programs it counts calls of their functions.
tests: $(if $(PATCH_SRC),$(O)/tests/programs/patch_counter.so)
$(O)/tests/programs/patch_counter.so: tests/tools/hookit/patch_counter.c $(O)/inner/libhookit-patch.a
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out -MMD -MP,$(ALLFLAGS)) -Itools/hookit/patch -fvisibility=hidden -shared -o $@ $^ $(ALLLDFLAGS)

# Makes a program that runs load it.
tests: $(if $(PATCH_SRC),$(O)/tests/programs/patch_attach)
$(O)/tests/programs/patch_attach: tests/tools/hookit/patch_attach.c $(call obj,$(wildcard tools/hookit/patch/attach/*.c)) \
		$(O)/inner/libhookit-patch.a $(O)/inner/libperfutil.a
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out -MMD -MP,$(ALLFLAGS)) -Itools/hookit/patch -o $@ $^ $(ALLLDFLAGS)

# … its requests for memory fail.
tests: $(O)/tests/programs/no_memory.so
$(O)/tests/programs/no_memory.so: tests/lib/no_memory.c
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out -MMD -MP,$(ALLFLAGS)) -fno-builtin -shared -o $@ $< $(ALLLDFLAGS)

# It announces its code as a JIT does.
$(O)/tests/programs/jit_moves: $(O)/inner/liba2n.a
$(O)/tests/programs/jit_moves: TESTLINK = $(LIB_A2N)

# It encodes what libipt is to decode.
$(O)/tests/programs/pt_image: TESTLINK = $(filter -lipt,$(LIB_POST))

# Rebuilt under the sanitizers by each gate: it needs only the library's trace file.
DAMAGE := $(O)/tests/programs/damage
$(DAMAGE): $(call obj,$(LIBTEST_SRC) $(foreach n,crc32c file_read file_same file_swap file_time file_write folder \
	array keys merge newfile read_all record_kinds record_walk rights segment,$(filter %/$(n).c,$(PERFUTIL_SRC))))
$(filter-out $(DAMAGE),$(PROGRAMS)) $(BENCH): $(O)/tests/libtest.a $(O)/inner/libperfutil.a

$(BENCH): $(O)/tests/%: tests/%.c
$(PROGRAMS) $(BENCH):
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALLFLAGS) $(INC_TESTS) -o $@ $(filter tests/%.c,$^) $(ALLLDFLAGS) $(filter %.o,$^) $(filter %.a,$^) \
		$(LIB_PERFUTIL) $(TESTLINK)

# liba2n's lines and names, to be compared with other programs'.
A2N_ASKS := $(addprefix $(O)/tests/programs/,a2n_lines a2n_names)
tests: $(A2N_ASKS)
$(A2N_ASKS): $(O)/tests/programs/%: tests/libperfutil/a2n/%.c $(O)/inner/liba2n.a
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALLFLAGS) $(INC_TESTS) -o $@ $< $(ALLLDFLAGS) $(filter %.a,$^) $(LIB_A2N)

# `make gen_trace` is what the programs are asked by.
gen_trace: $(O)/tests/programs/gen_trace
$(O)/tests/programs/gen_trace: $(O)/tests/programs/gen_trace_main
	cp $< $@
.PHONY: gen_trace

# Compares executed instructions, decoded by libopcodes, with a trace; the other half also runs in guests
# (tests/vm/prog/itrace_judge.c). For other machines it uses their binutils' libopcodes, if installed.
ITRACE_OTHERS := $(foreach a,arm64:arm64 ppc64le:ppc64el s390x:s390x,\
		   $(if $(wildcard /usr/lib/*/libopcodes-*-$(lastword $(subst :, ,$(a))).so),$(a)))
ITRACE_TRUTH := $(O)/tests/itrace_truth
ITRACE_FLOW  := $(O)/tests/itrace_flow
opcodes = $(firstword $(wildcard /usr/lib/*/libopcodes-*-$(1).so)) $(firstword $(wildcard /usr/lib/*/libbfd-*-$(1).so))
define itrace_other
ITRACE_TRUTH += $(O)/tests/itrace_truth_$(1)
ITRACE_FLOW += $(O)/tests/itrace_flow_$(1)
$(O)/tests/itrace_truth_$(1) $(O)/tests/itrace_flow_$(1): OPCODES = $(call opcodes,$(2))
endef
$(foreach a,$(ITRACE_OTHERS),$(eval $(call itrace_other,$(firstword $(subst :, ,$(a))),$(lastword $(subst :, ,$(a))))))
$(O)/tests/itrace_truth $(O)/tests/itrace_flow: OPCODES = -lopcodes -lbfd
# The memory accesses of a program, only on ppc64le.
ITRACE_ACCESS := $(if $(filter ppc64le:%,$(ITRACE_OTHERS)),$(O)/tests/itrace_access_ppc64le)
$(ITRACE_ACCESS): OPCODES = $(call opcodes,ppc64el)
$(ITRACE_ACCESS): tests/itrace/access.c tests/itrace/insn.c tests/itrace/insn.h tests/itrace/log.h \
		$(O)/inner/libperfutil.a
tests: $(ITRACE_TRUTH) $(ITRACE_FLOW) $(ITRACE_ACCESS)
$(ITRACE_TRUTH): tests/itrace/truth.c tests/itrace/insn.c tests/itrace/insn.h tests/itrace/log.h \
		$(O)/inner/libperfutil.a
$(ITRACE_FLOW): tests/itrace/flow_check.c tests/itrace/insn.c tests/itrace/insn.h libperfutil/isa/flow.h \
		$(O)/inner/libperfutil.a
$(ITRACE_TRUTH) $(ITRACE_FLOW) $(ITRACE_ACCESS):
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out -MMD -MP,$(ALLFLAGS)) $(INC_TESTS) -o $@ $(filter %.c %.a,$^) $(ALLLDFLAGS) \
		$(LIB_PERFUTIL) $(OPCODES)

# Names as post has them, sample by sample.
$(O)/tests/samples: tests/tools/jprof/samples.c $(call obj,$(filter-out post/main.c,$(POST_SRC)) $(COMMON_SRC)) \
		$(O)/inner/libperfutil.a $(O)/inner/liba2n.a
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALLFLAGS) $(INC_POST) -o $@ $(filter %.c %.o %.a,$^) $(ALLLDFLAGS) $(LIB_PERFUTIL) \
		$(LIB_POST) $(LIB_A2N)

include tests/vm/vm.mk tests/fuzz/fuzz.mk
