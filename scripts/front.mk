# SPDX-License-Identifier: GPL-3.0-or-later
# The targets that people type, beside `all` and `install`: tests, style, module, demo, help.
# A target's line ends in ## and what `make help` says about it.

# Everything that tests run; other .mk files add their programs by a line `tests: program`.
# The manual holds what the headers promise, or the build fails. Last, so that all else is there.
$(O)/manual-checked: scripts/check-manpages $(wildcard libperfutil/include/*.h libperfutil/man/*.3) \
		$(O)/lib/libperfutil.so $(O)/lib/liba2n.so
	@scripts/check-manpages $(filter %.so,$^)
	@touch $@
ifeq ($(SAN),)
all: $(BINS) $(O)/manual-checked	## libraries and programs into build/
endif

.PHONY: tests
tests: all $(UNIT) $(O)/tests/samples gen_trace $(PROGRAMS) vm-programs $(FUZZ_REPLAY)

# What the runner runs beside the list tests/suites: name, group, time limit, command.
# The gate (group check) has those that find most in its fifteen minutes, the group wide the rest of this
# machine's: tests/wide names them.
WIDE	     := $(shell sed -n 's/^\([a-z][^ ]*\).*/\1/p' tests/wide)
group_of      = $(if $(filter $(1),$(WIDE)),wide,check)
UNIT_SUITES   = $(foreach t,$(UNIT),'$(patsubst test_%,unit-%,$(notdir $(t))) check 150 $(t)')
SCRIPTS	      := $(SCRIPT_TESTS) $(wildcard tests/users/test_*.sh)
# Those that mostly wait (for a rotation, a browser, a look once a second) have a place of their own there. In this
# order test_unruly, which removes what a user's timers left, has no other of that user's beside it.
LIGHT	      := $(patsubst %,tests/%.sh,scripts/test_mutants post/export/test_post_html post/report/test_post_lines \
		 tools/rtdriver/test_rtdriver tools/jprof/test_jprof_container tools/common/test_completion_zsh \
		 users/test_identity users/test_numbered users/test_callers users/test_dropped libperfutil/a2n/test_names_host \
		 post/input/test_perfmap_age libperfutil/image/test_kernel_modules users/test_unruly)
suite_name    = $(if $(filter tests/users/%,$(1)),$(1:tests/users/test_%.sh=users-%),$(basename $(notdir $(1))))
script_suite  = '$(suite_name) $(call group_of,$(suite_name))$(2) 400 O=$(O) $(1)'
SCRIPT_SUITES = $(foreach t,$(filter-out $(LIGHT),$(SCRIPTS)),$(call script_suite,$(t))) \
		$(foreach t,$(LIGHT),$(call script_suite,$(t),/light))
FUZZ_SUITES   = $(foreach n,$(FUZZ_NAMES),\
	'fuzz_$(n) check 60 $(O)/tests/fuzz/fuzz_$(n) tests/data/fuzz/$(n).tar')

.PHONY: test
test: $(UNIT) $(FUZZ_REPLAY) $(HOLDER)	## unit tests, inputs that once were found by fuzzing: no root, no network
	@printf '%s\n' $(UNIT_SUITES) $(FUZZ_SUITES) >$(O)/suites.unit
	@tests/runner --suites $(O)/suites.unit --log $(O)/log/unit

# The driver of the gate's guests: its kernel's make runs one compiler at a time, so it begins first and the
# rest is built beside. What fails here fails in the suites, too: the others are to run nevertheless.
.PHONY: guest-module
guest-module:
	@scripts/vm/module 6.1 x86_64 >/dev/null || echo "$@: no driver for guests, their suites will fail"

# Unit tests come first: what they find shows within two minutes. Guests take longest; scripts run beside them.
define run_suites
	@scripts/deps build check $(if $(findstring --group wide,$(1)),package wide)
	@$(MAKE) --no-print-directory -j 2 $(if $(findstring --group check,$(1)),guest-module) tests
	@{ printf '%s\n' $(UNIT_SUITES) $(FUZZ_SUITES); cat tests/suites; printf '%s\n' $(SCRIPT_SUITES); } >$(O)/suites
	@tests/runner --suites $(O)/suites -j 2 -l 1 $(1)
endef

.PHONY: check-last-failed check-changed
check-last-failed:	## the suites that failed when they last ran
	$(call run_suites,--last-failed)
SINCE	?= HEAD
check-changed:	## the suites of the gate that look at what has changed (SINCE=HEAD)
	@scripts/deps build check
	@$(MAKE) --no-print-directory -j 2 tests
	@{ cat tests/suites; printf '%s\n' $(UNIT_SUITES) $(FUZZ_SUITES) $(SCRIPT_SUITES); } | \
		awk '$$2 ~ /^(check|wide|shared)(\/light)?$$/' >$(O)/suites.changed
	@chosen=$$(tests/changed $(O)/suites.changed $(SINCE)) || exit 1; \
		[ -n "$$chosen" ] || { echo 'nothing has changed that a suite looks at'; exit 0; }; \
		tests/runner --suites $(O)/suites.changed -j 2 $$chosen

.PHONY: check check-wide check-full check-newest check-debug check-mutants check-random-mutants recount torture
check:	## the gate, in guests too, in fifteen minutes: installs what is missing after asking
	$(call run_suites,--group check)
check-wide:	## the gate and all other tests of this machine and of Debian 12's kernel: an hour
	$(call run_suites,--group check --group wide)
check-full:	## other kernels, machines and JDKs as well: a night
	$(call run_suites,--group check --group wide --group full --report newest)
check-newest:	## the newest kernel (Debian sid) alone, and it must pass
	$(call run_suites,--group newest --group newest-full)
check-debug:	## the driver on kernels that look for mistakes (built once, half an hour)
	@scripts/deps check debug
	@scripts/vm/debug-kernel debug >/dev/null
	@scripts/vm/debug-kernel debug-sid >/dev/null
	$(call run_suites,--group debug)
MINUTES	?= 10
torture:	## TraceHook while everything changes at once, under sanitizers, for MINUTES=10 each
	@tests/torture $(MINUTES)
recount:	## how many tests each suite has, of a check that passed: fewer are a failure from then on
	@tests/recount
check-mutants:	## faults are planted, each must fail the test that is named for it
	@scripts/deps build check
	@$(MAKE) --no-print-directory -j 2 tests
	@tests/runner --limit 1800 --log $(O)/log/mutants mutants1='tests/mutants/run --part 1/2' \
		mutants2='tests/mutants/run --part 2/2'

# SEED draws the lines, COUNT is how many faults, AREA one of a2n collectors core formats reports tools.
SEED	?= 1
COUNT	?= 60
AREA	?=
check-random-mutants:	## random faults (SEED=1 COUNT=60 AREA=), 85 % of each area must fail some test
	@$(MAKE) --no-print-directory -j 2 tests
	@tests/mutants/random --seed $(SEED) --count $(COUNT) --area '$(AREA)'

.PHONY: format lint compile_commands.json
format:	## clang-format over all sources (.clang-format)
	@git ls-files -co --exclude-standard '*.c' '*.h' '*.cpp' '*.hpp' ':!tests/data' | xargs clang-format -i
lint:	## clang-format, shellcheck, cppcheck, checkpatch: nothing may be found (scripts/deps lint)
	@scripts/lint
compile_commands.json:	## for clangd and clang-tidy
	@$(MAKE) --no-print-directory -nB V=1 tests | scripts/compile-commands '$(CURDIR)' >$@

.PHONY: style
style:	## licence lines, blanks, line lengths, man pages; sparse over the driver
	@scripts/style

# From a copy of the driver's folder alone, as DKMS does it; nothing is left in the source.
KDIR ?= /lib/modules/$(shell uname -r)/build
.PHONY: module
module:	## pitrace.ko for this machine's kernel (or KDIR=headers) into build/module
	@[ -e $(KDIR)/Makefile ] || { echo "no kernel headers at $(KDIR): install" \
		"linux-headers-$$(uname -r), or say where they are: KDIR=" >&2; exit 1; }
	@mkdir -p $(O)/module
	@cp -a driver/. $(O)/module/
	$(MAKE) -C $(KDIR) M=$(abspath $(O)/module) modules

.PHONY: demo
demo:	## a real workload profiled: here if the module can be loaded, else in a guest
	@scripts/demo

.PHONY: clean help
clean:	## remove build/
	rm -rf build
help:	## this list
	@awk -F ':.*##' '/^[a-z-]+:.*##/ { gsub(/^[ \t]+/, "", $$2); printf "%-20s %s\n", $$1, $$2 }' \
		$(filter %Makefile %.mk,$(MAKEFILE_LIST))
	@echo 'variables:   PREFIX=/usr/local DESTDIR= ARCH= CROSS_COMPILE= SAN=address,undefined'
