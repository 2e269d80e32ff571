# SPDX-License-Identifier: GPL-3.0-or-later
# make install and make uninstall. All goes below PREFIX (the driver's source for DKMS too:
# PREFIX/src is /usr/src for a package), all below DESTDIR when that is given. Each file is put there
# by install -m: DKMS runs as root what stands in dkms.conf, whatever the umask was.

BINDIR	   ?= $(PREFIX)/bin
LIBDIR	   ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include/pitrace
MANDIR	   ?= $(PREFIX)/share/man
DOCDIR	   ?= $(PREFIX)/share/doc/pitrace
COMPDIR	   ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR	   ?= $(PREFIX)/share/zsh/site-functions
DATADIR	   ?= $(PREFIX)/share/pitrace
UDEVDIR	   ?= $(PREFIX)/lib/udev/rules.d
SYSUSERSDIR ?= $(PREFIX)/lib/sysusers.d
DKMSDIR	   ?= $(PREFIX)/src/pitrace-$(VERSION)
# PAPER_NAMES=no, where other packages own names like post or msr: programs lie in LIBEXECDIR, where they find each
# other; BINDIR and MANDIR have them as pitrace-NAME.
PAPER_NAMES ?= yes
LIBEXECDIR ?= $(PREFIX)/libexec/pitrace
ifeq ($(filter yes no,$(PAPER_NAMES)),)
$(error PAPER_NAMES is '$(PAPER_NAMES)', not yes or no)
endif
HIDDEN	   := $(if $(filter no,$(PAPER_NAMES)),$(filter-out pitrace,$(notdir $(BINS))))
COMMANDS   := $(filter-out $(HIDDEN),$(notdir $(BINS))) $(addprefix pitrace-,$(HIDDEN))

HEADERS	:= $(wildcard driver/uapi/*.h libperfutil/include/*.h libperfutil/include/*.hpp tools/hookit/hookit.h)
PAGES	:= $(wildcard tools/*/*.1 tools/*/*.3 post/*.1 libperfutil/man/*.3 driver/*.4 libperfutil/man/*.5 post/*.7)
DOCS	:= README.md CHANGELOG.md COPYING $(wildcard docs/*.md LICENSES/*.txt)
# Links to other files become their names; links between documents hold where they are installed.
UNLINKED := s,\[([^]]*)\]\([^):]*(\.[1-9hc]|CONTRIBUTING\.md|/)\),\1,g
# bash looks for a file of the program's name; one file serves those that print their own options.
COMPLETED   := $(filter-out $(HIDDEN),swtrace run.tprof run.itrace run.jprof msr mpevt ptt cpi jprof-train hdump rtdriver arcf pitrace)
COMPLETES_POST := $(filter-out $(HIDDEN),post)
ZSH_COMPLETIONS := $(wildcard $(addprefix scripts/completion/zsh/_,pitrace $(COMPLETES_POST)))
EVENT_FILES := $(wildcard libperfutil/events/*/*.json)
# What is the source and not what a build has left beside it.
DRIVER	:= $(shell find driver -name '*.[ch]' ! -name '*.mod.c' -o -name Kbuild -o -name '*.4')

# What a program that links the static library has to link besides: libelf's own needs too.
PRIVATE_perfutil = $(LIB_PERFUTIL)
PRIVATE_a2n	 = $(LIB_A2N) -lz -lpthread
PRIVATE_hookit	 = $(LIB_HOOKIT) -lz
below_prefix	 = $(patsubst $(PREFIX)/%,$${prefix}/%,$(1))

define install_lib
	$(Q)install -d $(DESTDIR)$(LIBDIR)/pkgconfig
	$(Q)install -m 644 $(O)/lib/lib$(1).a $(DESTDIR)$(LIBDIR)/
	$(Q)install -m 644 $(O)/lib/lib$(1).so $(DESTDIR)$(LIBDIR)/lib$(1).so.$(VERSION)
	$(Q)ln -sf lib$(1).so.$(VERSION) $(DESTDIR)$(LIBDIR)/lib$(1).so.0
	$(Q)ln -sf lib$(1).so.0 $(DESTDIR)$(LIBDIR)/lib$(1).so
	$(Q)sed -e 's,@VERSION@,$(VERSION),' -e 's,@PREFIX@,$(PREFIX),' -e 's,@PRIVATE@,$(PRIVATE_$(1)),' \
		-e 's,@LIBDIR@,$(call below_prefix,$(LIBDIR)),' \
		-e 's,@INCLUDEDIR@,$(call below_prefix,$(INCLUDEDIR)),' \
		-e 's,@ABOVE@,$(call below_prefix,$(patsubst %/,%,$(dir $(INCLUDEDIR)))),' \
		$(firstword $(wildcard libperfutil/$(1).pc.in tools/$(1)/$(1).pc.in)) | install -m 644 /dev/stdin $(DESTDIR)$(LIBDIR)/pkgconfig/$(1).pc
endef

# For CMake's find_package: from there to the headers, as both lie below PREFIX.
CMAKEDIR = $(LIBDIR)/cmake/pitrace
CMAKE_FILES := pitraceConfig.cmake pitraceConfigVersion.cmake
empty	:=
listed	= $(subst $(empty) $(empty),;,$(strip $(patsubst -l%,%,$(1))))
define install_cmake
	$(Q)install -d $(DESTDIR)$(CMAKEDIR)
	$(Q)for name in $(CMAKE_FILES); do \
		sed -e 's,@VERSION@,$(VERSION),' -e 's,@PRIVATE_PERFUTIL@,$(call listed,$(PRIVATE_perfutil)),' \
			-e 's,@PRIVATE_A2N@,$(call listed,$(PRIVATE_a2n)),' \
			-e "s,@INCLUDE@,$$(realpath -ms --relative-to=$(CMAKEDIR) $(INCLUDEDIR))," \
			libperfutil/$$name.in | install -m 644 /dev/stdin $(DESTDIR)$(CMAKEDIR)/$$name || exit; \
	done
endef

.PHONY: install uninstall
install: all	## into PREFIX, below DESTDIR: programs, libraries, headers, pages, DKMS source
	$(Q)install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(INCLUDEDIR) $(DESTDIR)$(DOCDIR) $(DESTDIR)$(COMPDIR)
ifeq ($(HIDDEN),)
	$(Q)install -m 755 $(BINS) $(DESTDIR)$(BINDIR)/
else
	$(Q)install -D -m 755 -t $(DESTDIR)$(LIBEXECDIR) $(BINS)
	@for name in $(COMMANDS); do \
		ln -sf $$(realpath -ms --relative-to=$(BINDIR) $(LIBEXECDIR))/$${name#pitrace-} \
			$(DESTDIR)$(BINDIR)/$$name || exit; \
	done
endif
	$(call install_lib,perfutil)
	$(call install_lib,a2n)
	$(if $(HOOKIT),$(call install_lib,hookit))
	$(call install_cmake)
	$(Q)install -D -m 644 -t $(DESTDIR)$(LIBDIR)/pitrace $(TIMER) $(AGENTS)
	$(Q)install -m 755 $(HOLDER) $(DESTDIR)$(LIBDIR)/pitrace/
	$(if $(JPERF),$(Q)install -m 644 $(O)/lib/libjperf.so $(DESTDIR)$(LIBDIR)/)
	$(if $(JPERF),$(Q)install -m 644 $(O)/lib/pitrace/JPerf.jar $(DESTDIR)$(LIBDIR)/pitrace/)
	$(if $(TRAINER),$(Q)install -D -m 644 -t $(DESTDIR)$(LIBDIR)/pitrace/trainer $(O)/lib/pitrace/trainer/*)
	$(Q)install -m 644 $(HEADERS) $(DESTDIR)$(INCLUDEDIR)/
	@set -e; for file in $(DOCS); do \
		sed -E '$(UNLINKED)' $$file | install -D -m 644 /dev/stdin $(DESTDIR)$(DOCDIR)/$$file; \
	done
	$(Q)for name in $(COMPLETED); do \
		install -m 644 scripts/completion/bash $(DESTDIR)$(COMPDIR)/$$name || exit; \
	done
	$(if $(COMPLETES_POST),$(Q)install -m 644 scripts/completion/post $(DESTDIR)$(COMPDIR)/)
	$(Q)install -D -m 644 -t $(DESTDIR)$(ZSHDIR) $(ZSH_COMPLETIONS)
	@set -e; for file in $(EVENT_FILES); do \
		install -D -m 644 $$file $(DESTDIR)$(DATADIR)/$${file#libperfutil/}; \
	done
	$(Q)install -D -m 644 -t $(DESTDIR)$(UDEVDIR) scripts/60-pitrace.rules
	$(Q)install -D -m 644 scripts/sysusers-pitrace.conf $(DESTDIR)$(SYSUSERSDIR)/pitrace.conf
	@# A page describes a group of functions; each of them is a link to it.
	@set -e; for page in $(PAGES); do \
		dir=$(DESTDIR)$(MANDIR)/man$${page##*.} own=$${page##*/}; \
		case ' $(HIDDEN) ' in *" $${own%.1} "*) own=pitrace-$$own ;; esac; \
		install -D -m 644 $$page $$dir/$$own; \
		for name in $$(scripts/man-names $$page); do \
			[ $$name.$${page##*.} = $${page##*/} ] || \
				ln -sf $$own $$dir/$$name.$${page##*.}; \
		done; \
	done
	@set -e; for file in $(DRIVER); do \
		install -D -m 644 $$file $(DESTDIR)$(DKMSDIR)/$${file#driver/}; \
	done
	$(Q)sed 's,@VERSION@,$(VERSION),' scripts/dkms.conf | \
		install -m 644 /dev/stdin $(DESTDIR)$(DKMSDIR)/dkms.conf
	@echo 'group pitrace (systemd-sysusers, or groupadd -r pitrace): its members trace their own processes'
	@$(if $(DESTDIR),true,scripts/loader-cache $(LIBDIR))
	@echo 'installed below $(DESTDIR)$(PREFIX); the driver is source there: $(DKMSDIR)'

# By name, and folders only when empty: PREFIX may hold other people's files.
uninstall:	## remove what install (with the same PREFIX and DESTDIR) has put there
	$(Q)rm -f $(addprefix $(DESTDIR)$(BINDIR)/,$(COMMANDS)) \
		$(if $(HIDDEN),$(addprefix $(DESTDIR)$(LIBEXECDIR)/,$(notdir $(BINS)))) \
		$(addprefix $(DESTDIR)$(MANDIR)/man1/pitrace-,$(addsuffix .1,$(HIDDEN))) \
		$(patsubst %,$(DESTDIR)$(COMPDIR)/%,$(COMPLETED) $(COMPLETES_POST)) \
		$(patsubst %,$(DESTDIR)$(ZSHDIR)/%,$(notdir $(ZSH_COMPLETIONS))) \
		$(patsubst %,$(DESTDIR)$(INCLUDEDIR)/%,$(notdir $(HEADERS))) \
		$(addprefix $(DESTDIR)$(DOCDIR)/,$(DOCS)) \
		$(patsubst libperfutil/%,$(DESTDIR)$(DATADIR)/%,$(EVENT_FILES)) \
		$(patsubst driver/%,$(DESTDIR)$(DKMSDIR)/%,$(DRIVER)) $(DESTDIR)$(DKMSDIR)/dkms.conf \
		$(foreach l,perfutil a2n hookit,$(patsubst %,$(DESTDIR)$(LIBDIR)/%,lib$(l).a lib$(l).so \
			lib$(l).so.0 lib$(l).so.$(VERSION) pkgconfig/$(l).pc)) \
		$(addprefix $(DESTDIR)$(CMAKEDIR)/,$(CMAKE_FILES)) \
		$(DESTDIR)$(UDEVDIR)/60-pitrace.rules $(DESTDIR)$(SYSUSERSDIR)/pitrace.conf \
		$(DESTDIR)$(LIBDIR)/pitrace/$(notdir $(TIMER)) \
		$(DESTDIR)$(LIBDIR)/pitrace/$(notdir $(HOLDER)) \
		$(DESTDIR)$(LIBDIR)/pitrace/libpijit.so $(DESTDIR)$(LIBDIR)/pitrace/libjprof.so \
		$(DESTDIR)$(LIBDIR)/libjperf.so $(DESTDIR)$(LIBDIR)/pitrace/JPerf.jar \
		$(addprefix $(DESTDIR)$(LIBDIR)/pitrace/trainer/,Trainer.java Trainer.class 'Trainer$$1.class' \
			TrainI.class TrainJ.class TrainN.class libtrainer.so)
	@for page in $(PAGES); do \
		for name in $${page##*/} $$(scripts/man-names $$page | sed "s/$$/.$${page##*.}/"); do \
			rm -f $(DESTDIR)$(MANDIR)/man$${page##*.}/$$name; \
		done; \
	done
	@for dir in $(INCLUDEDIR) $(DOCDIR) $(DKMSDIR) $(LIBDIR)/pitrace $(CMAKEDIR) $(DATADIR) \
			$(if $(HIDDEN),$(LIBEXECDIR)); do \
		[ ! -d $(DESTDIR)$$dir ] || find $(DESTDIR)$$dir -depth -type d -empty -delete; \
	done
