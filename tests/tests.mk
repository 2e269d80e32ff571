# SPDX-License-Identifier: GPL-3.0-or-later
# Unit tests (CUnit), one program a file: tests/unit/test_NAME.c -> $(O)/tests/unit/test_NAME.
# They see the libraries' inner headers and link them statically.

UNIT_SRC := $(wildcard tests/unit/test_*.c)
UNIT	 := $(patsubst tests/unit/%.c,$(O)/tests/unit/%,$(UNIT_SRC))

$(O)/tests/unit/%: tests/unit/%.c $(O)/lib/libperfutil.a $(O)/lib/liba2n.a
	@mkdir -p $(@D)
	$(CC) $(ALLFLAGS) $(INC_PERFUTIL) -Ilibperfutil/a2n -Idriver -Itests/unit -o $@ $< \
		$(ALLLDFLAGS) $(O)/lib/libperfutil.a $(O)/lib/liba2n.a -lcunit $(LIB_PERFUTIL) $(LIB_A2N)
