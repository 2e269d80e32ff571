# SPDX-License-Identifier: GPL-3.0-or-later
# The front door. `make` builds libraries and programs into build/; ARCH=arm64 into build/arm64
# (CROSS_COMPILE and SYSROOT say with what). SAN=address,undefined builds with sanitizers into
# build/san. Include paths hold the dependency rule: uapi <- libperfutil <- tools, post;
# uapi <- a2n <- post. Nothing points back.

VERSION	:= $(shell cat VERSION)
HOST	:= $(shell uname -m | sed 's/aarch64/arm64/')
ARCH	?= $(HOST)
ifneq ($(ARCH),$(HOST))
O	?= build/$(ARCH)
else ifneq ($(SAN),)
O	?= build/san
else
O	?= build
endif
PREFIX	?= /usr/local
DESTDIR	?=

# V=1 shows the commands.
ifneq ($(V),1)
Q	:= @
endif
# make itself prints it, and makes a folder once: a process for each of both would be a tenth of a build.
say	= $(if $(Q),$(info $()  $(1)	$(patsubst $(CURDIR)/%,%,$@)))

# For another machine its compiler is needed: by Debian's name for it, if nothing else is said.
TRIPLE_arm64	:= aarch64-linux-gnu
TRIPLE_ppc64le	:= powerpc64le-linux-gnu
TRIPLE_i686	:= i686-linux-gnu
ifneq ($(ARCH),$(HOST))
TRIPLE	:= $(or $(TRIPLE_$(ARCH)),$(ARCH)-linux-gnu)
CROSS_COMPILE ?= $(TRIPLE)-
endif
CC	= $(CROSS_COMPILE)gcc
AR	= $(CROSS_COMPILE)ar
OBJCOPY	= $(CROSS_COMPILE)objcopy
ifneq ($(ARCH),$(HOST))
COMPILES_FOR := $(firstword $(subst -, ,$(shell command -v $(firstword $(CC)) >/dev/null && $(CC) -dumpmachine)))
ifneq ($(COMPILES_FOR),$(firstword $(subst -, ,$(TRIPLE))))
$(error ARCH=$(ARCH) needs a compiler for it, and $(CC) is none: install gcc-$(TRIPLE), or name one by CROSS_COMPILE=)
endif
endif
# DEBUG=-g1: lines and functions alone, as backtraces need them, in a fifth less time.
DEBUG	?= -g
CSTD	= -std=gnu11 -O2 $(DEBUG)
WARN	= -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes
ALLFLAGS = $(CSTD) $(WARN) -fPIC -fno-omit-frame-pointer -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 \
	  -DPITRACE_VERSION='"$(VERSION)"' -MMD -MP $(if $(SYSROOT),--sysroot=$(SYSROOT)) \
	  $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all) $(CFLAGS)
# What an attacker of the products must get past: tests/scripts/test_hardening.sh holds each file to it.
# Sanitizers check more and do not go with it. The stack's guard page is the kernel's.
HARDEN	= $(if $(SAN),,-fstack-protector-strong -fstack-clash-protection -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 \
	  $(HARDEN_$(ARCH)))
HARDEN_x86_64 = -fcf-protection=full
HARDEN_arm64  = -mbranch-protection=standard
HARDENLD = -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,-z,separate-code
ALLLDFLAGS = $(if $(SYSROOT),--sysroot=$(SYSROOT)) $(if $(SAN),-fsanitize=$(SAN)) $(LDFLAGS)

# One line a product: its sources, its include path (the dependency rule), its libraries.
PERFUTIL_SRC := $(wildcard $(patsubst %,libperfutil/%/*.c,base isa file image events collect collect/* hook \
		counters session itrace ptt ai scs))
# It stands on its own: what it shares with libperfutil comes with both.
A2N_SRC	     := $(wildcard libperfutil/a2n/*.c libperfutil/a2n/*/*.c) libperfutil/base/rights.c libperfutil/base/newfile.c \
		$(patsubst %,libperfutil/base/%.c,file_same array keys read_all proc_text name_forms) \
		libperfutil/file/user_record.c
COMMON_SRC   := $(wildcard tools/common/*.c)
SWTRACE_SRC  := $(filter-out %/run_tprof.c %/run_itrace_main.c %/run_jprof.c %/report_run.c,$(wildcard tools/swtrace/*.c tools/swtrace/top/*.c))
RUN_SRC	     := $(patsubst %,tools/swtrace/%.c,run run_end left_running run_itrace run_jit run_hookit run_calls run_env run_post stack_choice compiled report_run tool_collectors place \
		  messages)
# What --calls is given is read as the libraries read it, before the program starts.
RUN_READS    := tools/hookit/asked_value.c tools/calltree/method_filter.c
RUN_TPROF_SRC := tools/swtrace/run_tprof.c $(RUN_SRC)
RUN_ITRACE_SRC := tools/swtrace/run_itrace_main.c $(RUN_SRC)
RUN_JPROF_SRC := tools/swtrace/run_jprof.c $(RUN_SRC)
MSR_SRC	     := $(wildcard tools/msr/*.c)
EVENTS_SRC   := $(wildcard tools/events/*.c)
AI_SRC	     := $(wildcard tools/ai/*.c)
MPEVT_SRC    := $(wildcard tools/mpevt/*.c)
PTT_SRC	     := $(wildcard tools/ptt/*.c)
CPI_SRC	     := $(wildcard tools/cpi/*.c)
HDUMP_SRC    := $(wildcard tools/hdump/*.c)
RTDRIVER_SRC := $(wildcard tools/rtdriver/*.c)
FRONT_SRC    := $(wildcard tools/pitrace/*.c)
POST_SRC     := $(wildcard post/*.c post/*/*.c post/*/*/*.c)
# It compares what post reads.
ARCF_SRC     := $(wildcard tools/arcf/*.c) $(filter-out $(addprefix post/,main.c command_line.c),$(POST_SRC))

HOLDER_SRC   := $(wildcard libperfutil/holder/*.c)
TIMER_SRC    := $(wildcard libperfutil/collect/timer/preload/*.c)
PIJIT_SRC    := $(wildcard tools/jprof/*.c tools/jprof/control/*.c tools/jprof/locks/*.c)
CLASSFILE_SRC := $(wildcard tools/jprof/classfile/*.c)
CALLTREE_SRC := $(wildcard tools/calltree/*.c)
CALLS_SRC    := $(wildcard tools/jprof/calls/*.c tools/jprof/probes/*.c tools/jprof/stacks/*.c)
# Sites of programs are patched on these architectures.
PATCHER	     := $(if $(wildcard tools/hookit/patch/$(ARCH)),$(O)/inner/libhookit-patch.a)
HOOKIT_SRC   := $(filter-out $(if $(PATCHER),,%/patched.c),$(wildcard tools/hookit/*.c))
AGENT_KINDS  := $(wildcard tools/jprof/kinds/*.c)
JPERF_SRC    := $(wildcard tools/jperf/*.c)
JPERF_JAVA   := $(wildcard tools/jperf/pitrace/jperf/*.java)
TRAIN_SRC    := $(wildcard tools/jprof/train/*.c)
# Of machines that have patch sites.
PATCH_SRC    := $(wildcard $(addprefix tools/hookit/patch/$(ARCH)/,*.c *.S))
PATCH_SRC    += $(if $(PATCH_SRC),$(wildcard tools/hookit/patch/*.c))

# A JDK's headers, the same for all machines: without them the agent for Java is left out.
JDK_INCLUDE  ?= $(patsubst %/jvmti.h,%,$(firstword $(wildcard $(addsuffix /include/jvmti.h, \
		  $(JAVA_HOME) /usr/lib/jvm/default-java /usr/lib/jvm/*))))

# A function is called in a process that runs.
ATTACH_SRC   := $(wildcard tools/hookit/patch/attach/*.c) tools/hookit/patch/object_file.c

# Our own sources check what they are given: nothing is promised to their compiler; and fill in whole structs.
OWN	     := -DPITRACE_OWN_SOURCE -include libperfutil/base/whole.h
INC_PERFUTIL := $(OWN) -Idriver/uapi -Ilibperfutil/include -Ilibperfutil
INC_TIMER    := -Idriver/uapi -Ilibperfutil
INC_A2N	     := $(OWN) -Idriver/uapi -Ilibperfutil/include -Ilibperfutil
INC_TOOLS    := -Idriver/uapi -Ilibperfutil/include -Itools/common -Itools/events -Itools/ai
INC_PIJIT    := -Ilibperfutil/include -Itools/common $(patsubst %,-idirafter %,$(JDK_INCLUDE) $(JDK_INCLUDE)/linux)
INC_POST     := -Idriver/uapi -Ilibperfutil/include -Ilibperfutil -Itools/common -Ipost

LIB_PERFUTIL := -lzstd -lpthread
LIB_A2N	     := -lelf -llzma -lzstd -liberty
LIB_HOOKIT   := $(LIB_A2N) -lpthread -ldl
LIB_POST     := -ldw -lopcodes -lseccomp -lz -lm

# Libraries that post can do without: it says so then (-version).
can_use	= $(shell printf '\043include <%s>\nint main(void) { return 0; }\n' $(1) | \
	    $(CC) $(ALLFLAGS) $(ALLLDFLAGS) -x c - -MF /dev/null -o /dev/null $(2) 2>/dev/null && echo yes)
ifeq ($(call can_use,traceevent/event-parse.h,-ltraceevent),yes)
INC_POST     += -DHAVE_TRACEEVENT
LIB_POST     += -ltraceevent
endif
ifeq ($(call can_use,intel-pt.h,-lipt),yes)
INC_POST     += -DHAVE_LIBIPT
LIB_POST     += -lipt
endif

# … that swtrace can do without: its live view is lines of text then.
LIB_SWTRACE  := $(LIB_A2N)
ifeq ($(call can_use,curses.h,-lncursesw),yes)
INC_SCREEN   := -DHAVE_NCURSES
LIB_SWTRACE  += -lncursesw -ltinfo
endif

obj	= $(patsubst %.c,$(O)/obj/%.o,$(patsubst %.S,$(O)/obj/%.o,$(1)))
LIBS	:= $(O)/lib/libperfutil.a $(O)/lib/libperfutil.so $(O)/lib/liba2n.a $(O)/lib/liba2n.so
HOOKIT	:= $(if $(SAN),,$(O)/lib/libhookit.so $(O)/lib/libhookit.a)
HOLDER	:= $(O)/lib/pitrace/pitrace-holder
TIMER	:= $(O)/lib/pitrace/libpitrace-timer.so
AGENTS	:= $(if $(SAN),,$(if $(JDK_INCLUDE),$(O)/lib/pitrace/libpijit.so $(O)/lib/pitrace/libjprof.so))
# The program that trains it, compiled where there is a compiler, else when it is used.
TRAINER	:= $(if $(AGENTS),$(O)/lib/pitrace/trainer/libtrainer.so $(O)/lib/pitrace/trainer/Trainer.$(if $(shell command -v javac),class,java))
# The interfaces for Java, where there is a compiler of Java; what it makes is for all machines.
JPERF	:= $(if $(AGENTS),$(if $(shell command -v javac),$(O)/lib/libjperf.so $(O)/lib/pitrace/JPerf.jar))
BINS	:= $(patsubst %,$(O)/bin/%,swtrace run.tprof run.itrace run.jprof msr mpevt ptt cpi jprof-train hdump rtdriver post arcf pitrace)

all: $(LIBS) $(HOOKIT) $(HOLDER) $(TIMER) $(AGENTS) $(TRAINER) $(JPERF) $(BINS)
ifeq ($(JDK_INCLUDE),)
	@echo '  libpijit.so and libjprof.so are left out: no jvmti.h (Debian: default-jdk-headless; or JDK_INCLUDE=FOLDER)'
endif
# Of another machine these can be built alone: its libraries of ELF files are not needed.
.PHONY: agents
agents: $(AGENTS)

$(call obj,$(PERFUTIL_SRC) $(HOLDER_SRC)): INC = $(INC_PERFUTIL)
$(O)/obj/libperfutil/collect/driver/driver_diagnosis.o: INC += -DPITRACE_DKMSDIR='"$(DKMSDIR)"'
$(call obj,libperfutil/base/service_start.c libperfutil/collect/timer/timer_check.c): INC += -DPITRACE_LIBDIR='"$(LIBDIR)/pitrace"'
# libpfm4 and libjansson are loaded at run time; their headers are the same for all machines.
$(call obj,libperfutil/events/events_pfm.c libperfutil/events/events_file.c): INC = $(INC_PERFUTIL) -idirafter /usr/include
$(O)/obj/libperfutil/events/events_file.o: INC += -DPITRACE_DATADIR='"$(DATADIR)"'
$(call obj,$(A2N_SRC)):      INC = $(INC_A2N)
$(call obj,$(COMMON_SRC) $(SWTRACE_SRC) $(RUN_TPROF_SRC) $(RUN_ITRACE_SRC) $(RUN_JPROF_SRC) $(MSR_SRC) $(EVENTS_SRC) $(AI_SRC) $(MPEVT_SRC) $(PTT_SRC) $(CPI_SRC) $(FRONT_SRC)): INC = $(INC_TOOLS)
$(O)/obj/tools/swtrace/run_calls.o: INC += -Itools/hookit -Itools/calltree
$(O)/obj/tools/swtrace/run_env.o: INC += -DPITRACE_LIBDIR='"$(LIBDIR)"'
$(call obj,$(POST_SRC) $(ARCF_SRC)): INC = $(INC_POST)
# The page that post writes has its code from here.
VIEWER_SRC := $(wildcard viewer/*.js viewer/*.css viewer/page.html)
$(O)/obj/post/export/html/html_page.o: INC += -I$(O)/viewer
$(O)/obj/post/export/html/html_page.o: $(O)/viewer/page_head.inc
$(O)/viewer/page_head.inc: viewer/embed $(VIEWER_SRC)
	$(call say,EMBED)
	@mkdir -p $(@D)
	$(Q)viewer/embed $(@D)
TOP_SRC := $(wildcard tools/swtrace/top/*.c)
$(call obj,$(TOP_SRC) tools/swtrace/cmd_top.c): INC += -Ilibperfutil -Itools/swtrace -Itools/swtrace/top
$(O)/obj/tools/swtrace/top/top_screen.o: INC += $(INC_SCREEN)
# All write new files, read pipes and lines, and take names apart in the same way.
$(call obj,tools/ptt/ptt_cgroups.c tools/common/fit.c tools/common/output.c tools/common/rt_protocol.c tools/swtrace/place.c tools/swtrace/run.c tools/swtrace/compiled.c tools/swtrace/left_running.c): INC += -Ilibperfutil

# What is told of the places where all is to be installed is compiled anew when they change, by PREFIX
# or otherwise. Not to be installed elsewhere: what lies near is found there (base/installed.h).
ifeq ($(filter install uninstall,$(MAKECMDGOALS)),)
$(addprefix $(O)/obj/,libperfutil/collect/driver/driver_diagnosis.o libperfutil/collect/timer/timer_check.o \
	libperfutil/events/events_file.o tools/swtrace/run_env.o tools/jprof/train/trainer.o tools/rtdriver/ask.o): $(O)/places
$(O)/places: always
	@mkdir -p $(@D)
	@echo '$(LIBDIR) $(DATADIR) $(DKMSDIR)' | cmp -s - $@ || echo '$(LIBDIR) $(DATADIR) $(DKMSDIR)' >$@
.PHONY: always
endif

.SECONDEXPANSION:
$(O)/obj/%.o: %.c | $$(@D)/.
	$(call say,CC)
	$(Q)$(CC) $(ALLFLAGS) $(HARDEN) $(INC) -c -o $@ $<
$(O)/obj/%.o: %.S | $$(@D)/.
	$(call say,AS)
	$(Q)$(CC) $(ALLFLAGS) $(HARDEN) $(INC) -c -o $@ $<
$(O)/%/.:
	@mkdir -p $@
.PRECIOUS: $(O)/%/.

# What our own programs and tests link: all names. Others get the static libraries below.
$(O)/inner/libperfutil.a: $(call obj,$(PERFUTIL_SRC))
$(O)/inner/liba2n.a: $(call obj,$(A2N_SRC))
$(O)/inner/%.a:
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,AR)
	$(Q)$(AR) rcs $@ $^

# One object, in which only the names that the shared library exports are global: a program may call
# its own functions as it likes.
$(O)/lib/libperfutil.a: $(call obj,$(PERFUTIL_SRC)) libperfutil/libperfutil.map
$(O)/lib/liba2n.a: $(call obj,$(A2N_SRC)) libperfutil/a2n/liba2n.map
$(O)/lib/libperfutil.a $(O)/lib/liba2n.a: $(O)/lib/%.a: scripts/global-names
	@mkdir -p $(@D) $(O)/inner
	@rm -f $@
	$(call say,AR)
	$(Q)scripts/global-names $(filter %.map,$^) >$(O)/inner/$*.names
	$(Q)$(CC) $(if $(SYSROOT),--sysroot=$(SYSROOT)) -r -nostdlib -o $(O)/inner/$*.o $(filter %.o,$^)
	$(Q)$(OBJCOPY) --wildcard --keep-global-symbols=$(O)/inner/$*.names $(O)/inner/$*.o
	$(Q)$(AR) rcs $@ $(O)/inner/$*.o

$(O)/lib/libperfutil.so: $(call obj,$(PERFUTIL_SRC)) libperfutil/libperfutil.map
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALLLDFLAGS) $(HARDENLD) -shared -Wl,-soname,libperfutil.so.0 -Wl,-z,nodelete -Wl,--version-script=libperfutil/libperfutil.map \
		-o $@ $(filter %.o,$^) $(LIB_PERFUTIL)
$(O)/lib/liba2n.so: $(call obj,$(A2N_SRC)) libperfutil/a2n/liba2n.map
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALLLDFLAGS) $(HARDENLD) -shared -Wl,-soname,liba2n.so.0 -Wl,--version-script=libperfutil/a2n/liba2n.map \
		-o $@ $(filter %.o,$^) $(LIB_A2N)

# Preloaded into the programs that the timer collector samples: it needs nothing but their C library,
# which is bound at once (a signal's handler must not), and exports only what stands before it.
$(call obj,$(TIMER_SRC)): INC = $(INC_TIMER) -fvisibility=hidden $(if $(SAN),-fno-sanitize=all)
$(TIMER): $(call obj,$(TIMER_SRC))
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out -fsanitize=%,$(ALLLDFLAGS)) $(HARDENLD) -shared -Wl,-soname,$(@F) -Wl,-z,nodelete -o $@ $^

# Loaded into Java VMs: they need nothing but their C library, and export only what the VM calls. Both
# are the same code; what differs is what they do without options. Where the hooks were called from,
# they find by frame pointers.
$(call obj,$(CLASSFILE_SRC)): INC = -Ilibperfutil -Itools/jprof/classfile -fvisibility=hidden
$(call obj,$(CALLTREE_SRC)): INC = $(INC_PERFUTIL) -Itools/common -fvisibility=hidden -fno-omit-frame-pointer
$(call obj,$(PIJIT_SRC) $(CALLS_SRC) $(AGENT_KINDS)): INC = $(INC_PIJIT) $(OWN) -Idriver/uapi -Ilibperfutil -Itools/calltree \
	-Itools/jprof $(addprefix -Itools/jprof/,classfile calls probes stacks control locks) -fvisibility=hidden -fno-omit-frame-pointer
$(O)/inner/libpijit-common.a: $(call obj,$(addprefix tools/common/,escape.c java_name.c rt_protocol.c))
$(O)/lib/pitrace/libpijit.so $(O)/lib/pitrace/libjprof.so: $(O)/lib/pitrace/%.so: $(O)/obj/tools/jprof/kinds/%.o \
		$(call obj,$(PIJIT_SRC) $(CALLS_SRC) $(CALLTREE_SRC) $(CLASSFILE_SRC)) $(O)/inner/liba2n.a $(O)/inner/libpijit-common.a \
		$(O)/inner/libperfutil.a
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALLLDFLAGS) $(HARDENLD) -shared -Wl,-soname,$(@F) -Wl,--exclude-libs,ALL -Wl,-z,defs,-z,nodelete -Wl,--build-id -o $@ $^ -lpthread

# Java's side, and the headers that hold the native side to it.
$(O)/jperf/classes: $(JPERF_JAVA)
	$(call say,JAVAC)
	@rm -rf $@ $(O)/jperf/include
	$(Q)javac -encoding UTF-8 --release 11 -Xlint:all -h $(O)/jperf/include -d $@ $^
	@touch $@
$(O)/lib/pitrace/JPerf.jar: $(O)/jperf/classes
	$(call say,JAR)
	@mkdir -p $(@D)
	$(Q)jar --create --file $@ --date=2026-01-01T00:00:00Z -C $< .
$(call obj,$(JPERF_SRC)): INC = $(INC_PIJIT) $(OWN) -Idriver/uapi -Ilibperfutil -Itools/jperf -I$(O)/jperf/include -fvisibility=hidden
$(call obj,$(JPERF_SRC)): | $(O)/jperf/classes
$(O)/lib/libjperf.so: $(call obj,$(JPERF_SRC)) $(O)/inner/libperfutil.a
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALLLDFLAGS) $(HARDENLD) -shared -Wl,-soname,$(@F) -Wl,--exclude-libs,ALL -Wl,-z,defs,-z,nodelete -Wl,--build-id -o $@ $^ $(LIB_PERFUTIL)

# Linked with programs, or loaded into them: it exports what compiled code calls, and what it must see
# of theirs before others do.
$(call obj,$(HOOKIT_SRC)): INC = $(INC_PERFUTIL) -Itools/common -Itools/calltree -Itools/hookit -fvisibility=hidden
$(call obj,$(HOOKIT_SRC) tools/swtrace/run_hookit.c): INC += $(if $(PATCHER),-DHOOKIT_PATCHES)
HOOKIT_OBJ := $(call obj,$(HOOKIT_SRC) $(CALLTREE_SRC) tools/common/escape.c) $(addprefix $(O)/obj/tools/hookit/,fentry.S.o training_exact.S.o)
# They run before functions have saved the registers of their arguments, and call of the C library nothing but,
# when a tree grows, mprotect().
GENERAL	:= $(if $(filter x86_64 arm64,$(ARCH)),-mgeneral-regs-only) -fno-tree-loop-distribute-patterns
$(O)/obj/tools/hookit/training_instrumented.o: INC += -finstrument-functions
$(O)/obj/tools/hookit/training_fentry.o: INC += $(if $(filter x86_64,$(ARCH)),-pg -mfentry -minstrument-return=call)
$(addprefix $(O)/obj/tools/,hookit/fentry.o hookit/hook_events.o calltree/call_thread.o calltree/call_room.o): INC += $(GENERAL)
$(O)/obj/%.S.o: %.S | $$(@D)/.
	$(call say,AS)
	$(Q)$(CC) $(ALLFLAGS) -c -o $@ $<
$(O)/inner/libhookit.map: tools/hookit/names
	@mkdir -p $(@D)
	$(Q){ echo '{ global:'; sed 's/$$/;/' $<; echo 'local: *; };'; } >$@
$(O)/lib/libhookit.so: $(O)/inner/libhookit.map $(HOOKIT_OBJ) $(PATCHER) $(O)/inner/liba2n.a $(O)/inner/libperfutil.a
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALLLDFLAGS) $(HARDENLD) -shared -Wl,-soname,libhookit.so.0 -Wl,--exclude-libs,ALL -Wl,-z,defs,-z,nodelete \
		-Wl,--build-id -Wl,--version-script=$< -o $@ $(filter-out %.map,$^) $(LIB_HOOKIT)
$(O)/lib/libhookit.a: $(HOOKIT_OBJ) $(PATCHER) $(O)/inner/liba2n.a $(O)/inner/libperfutil.a tools/hookit/names
	@mkdir -p $(@D) $(O)/inner
	@rm -f $@
	$(call say,AR)
	$(Q)$(CC) $(if $(SYSROOT),--sysroot=$(SYSROOT)) -r -nostdlib -o $(O)/inner/libhookit.o $(filter %.o %.a,$^)
	$(Q)$(OBJCOPY) --keep-global-symbols=tools/hookit/names $(O)/inner/libhookit.o
	$(Q)$(AR) rcs $@ $(O)/inner/libhookit.o
# Sites of running programs. What sites lead to is compiled without registers of vectors, and calls no
# library.
$(call obj,$(wildcard $(addprefix tools/hookit/patch/,*.c */*.c */*.S))): INC = -Ilibperfutil -Itools/hookit/patch -Itools/hookit/patch/$(ARCH) -fvisibility=hidden
$(call obj,$(addprefix tools/hookit/patch/,patch_events.c kept.c $(ARCH)/stub.c)): INC += -mgeneral-regs-only -fno-stack-protector
$(O)/inner/libhookit-patch.a: $(call obj,$(PATCH_SRC) libperfutil/base/array.c)

# Programs link our libraries statically: they run wherever they are copied.
# swtrace attaches to programs as libhookit's part that patches them is asked to.
$(call obj,tools/swtrace/cmd_calls.c): INC += -Itools/hookit/patch -Ilibperfutil
$(O)/bin/swtrace: $(call obj,$(SWTRACE_SRC) $(RUN_READS) $(EVENTS_SRC) $(AI_SRC) $(COMMON_SRC) $(ATTACH_SRC)) $(O)/inner/libperfutil.a \
	$(O)/inner/liba2n.a
$(O)/bin/run.tprof: $(call obj,$(RUN_TPROF_SRC) $(RUN_READS) $(COMMON_SRC)) $(O)/inner/libperfutil.a
$(O)/bin/run.itrace: $(call obj,$(RUN_ITRACE_SRC) $(RUN_READS) $(COMMON_SRC)) $(O)/inner/libperfutil.a
$(O)/bin/run.jprof: $(call obj,$(RUN_JPROF_SRC) $(RUN_READS) $(COMMON_SRC)) $(O)/inner/libperfutil.a
$(O)/bin/mpevt: $(call obj,$(MPEVT_SRC) $(EVENTS_SRC) $(COMMON_SRC)) $(O)/inner/libperfutil.a
$(O)/bin/ptt: $(call obj,$(PTT_SRC) $(COMMON_SRC)) $(O)/inner/libperfutil.a
$(O)/bin/cpi: $(call obj,$(CPI_SRC) $(AI_SRC) $(COMMON_SRC)) $(O)/inner/libperfutil.a
$(O)/bin/pitrace: $(call obj,$(FRONT_SRC) $(COMMON_SRC)) $(O)/inner/libperfutil.a
$(O)/bin/jprof-train: $(call obj,$(TRAIN_SRC) $(addprefix tools/calltree/,calibration.c calibration_file.c calibration_text.c clock_step.c) \
	$(COMMON_SRC)) $(O)/inner/libperfutil.a
$(call obj,$(TRAIN_SRC)): INC = $(INC_TOOLS) -Ilibperfutil -Itools/calltree -DPITRACE_LIBDIR='"$(LIBDIR)/pitrace"'
$(O)/lib/pitrace/trainer/Trainer.java: tools/jprof/trainer/generate
	@mkdir -p $(@D)
	$(Q)tools/jprof/trainer/generate java >$@
# Its native methods, which do in C what the others do in Java: equal ones stay functions of their own.
$(O)/obj/tools/jprof/trainer/natives.c: tools/jprof/trainer/generate
	@mkdir -p $(@D)
	$(Q)tools/jprof/trainer/generate c >$@
$(O)/lib/pitrace/trainer/libtrainer.so: $(O)/obj/tools/jprof/trainer/natives.c
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out -MMD -MP,$(ALLFLAGS)) $(HARDEN) $(INC_PIJIT) $(ALLLDFLAGS) $(HARDENLD) -fPIC -fno-ipa-icf -fvisibility=hidden -shared \
		-Wl,-soname,$(@F) -Wl,-z,defs -Wl,--build-id -o $@ $<
$(O)/lib/pitrace/trainer/Trainer.class: $(O)/lib/pitrace/trainer/Trainer.java
	$(call say,JAVAC)
	$(Q)javac -encoding UTF-8 --release 11 -nowarn -d $(@D) $<
# It writes the profiles that post reads.
$(O)/bin/hdump: $(call obj,$(HDUMP_SRC) $(COMMON_SRC) $(patsubst %,post/export/%.c,gzip protobuf texts)) $(O)/inner/libperfutil.a
$(O)/bin/rtdriver: $(call obj,$(RTDRIVER_SRC) $(COMMON_SRC)) $(O)/inner/libperfutil.a
$(call obj,$(RTDRIVER_SRC)): INC = $(INC_TOOLS) -Ilibperfutil -DPITRACE_LIBDIR='"$(LIBDIR)/pitrace"'
$(call obj,$(HDUMP_SRC)): INC = $(INC_TOOLS) -Ilibperfutil -Ipost
$(O)/bin/msr: $(call obj,$(MSR_SRC) $(COMMON_SRC)) $(O)/inner/libperfutil.a
$(O)/bin/post: $(call obj,$(POST_SRC) $(COMMON_SRC)) $(O)/inner/libperfutil.a $(O)/inner/liba2n.a
$(O)/bin/arcf: $(call obj,$(ARCF_SRC) $(COMMON_SRC)) $(O)/inner/libperfutil.a $(O)/inner/liba2n.a
$(BINS) $(HOLDER): LIB = $(LIB_PERFUTIL)
$(O)/bin/hdump: LIB = $(LIB_PERFUTIL) -lz
$(O)/bin/swtrace: LIB = $(LIB_PERFUTIL) $(LIB_SWTRACE)
$(O)/bin/post $(O)/bin/arcf: LIB = $(LIB_PERFUTIL) $(LIB_POST) $(LIB_A2N)
# Whoever begins a session starts this one, which keeps it: see libperfutil/base/service.h.
$(HOLDER): $(call obj,$(HOLDER_SRC)) $(O)/inner/libperfutil.a
$(patsubst %,$(O)/bin/%,swtrace mpevt ptt): | $(HOLDER)
$(BINS) $(HOLDER):
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALLLDFLAGS) $(HARDENLD) -pie -o $@ $^ $(LIB)

include tests/tests.mk scripts/front.mk scripts/install.mk

-include $(shell find $(O)/obj $(O)/tests -name '*.d' 2>/dev/null)
.PHONY: all
