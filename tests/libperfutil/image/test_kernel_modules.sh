#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Kernel modules that come and go while the collector perf traces: /proc/modules and /proc/kallsyms are
# this test's as far as swtrace sees. Addresses in a module have its names as long as it was there.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1

cat >proc.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
static FILE *with(const char *name, const char *path, const char *mode)
{
	FILE *(*open)(const char *, const char *) = dlsym(RTLD_NEXT, name);
	return open(!strcmp(path, "/proc/modules") ? FAKE "/modules" :
		    !strcmp(path, "/proc/kallsyms") ? FAKE "/kallsyms" : path, mode);
}
FILE *fopen(const char *path, const char *mode) { return with("fopen", path, mode); }
FILE *fopen64(const char *path, const char *mode) { return with("fopen64", path, mode); }
END
"${CC:-gcc}" -w -shared -fPIC -DFAKE="\"$work\"" -o proc.so proc.c -ldl 2>out
verdict compiles $? "$(cat out)"

kernel='ffffffff81000000 T _text
ffffffff81001000 T kernel_work
ffffffff82000000 T _etext'
stays='stays 8192 0 - Live 0xffffffffc0200000'
stays_symbols=$(printf '%s\t%s' 'ffffffffc0200000 t stays_work' '[stays]')
set_proc() { # MODULES SYMBOLS: others take their place at once
	printf '%s\n' "$1" >modules.new
	printf '%s\n%s\n' "$kernel" "$2" >kallsyms.new
	mv kallsyms.new kallsyms
	mv modules.new modules
}
set_proc "$stays" "$stays_symbols"
cat >play.sh <<'END'
kernel=$1 stays=$2 stays_symbols=$3
set_proc() {
	printf '%s\n' "$1" >modules.new
	printf '%s\n%s\n' "$kernel" "$2" >kallsyms.new
	mv kallsyms.new kallsyms
	mv modules.new modules
}
sleep 1.2
set_proc "comes 4096 0 - Live 0xffffffffc0100000
$stays" "$(printf 'ffffffffc0100000 t comes_work\t[comes]\n%s' "$stays_symbols")"
sleep 1.2
# Another one where that one was; the one that stays is elsewhere.
set_proc "other 4096 0 - Live 0xffffffffc0100000
stays 8192 0 - Live 0xffffffffc0300000" "$(printf 'ffffffffc0100000 t other_work\t[other]\nffffffffc0300000 t stays_work\t[stays]\n')"
sleep 1.2
set_proc "$stays" "$stays_symbols"
sleep 1.2
END
LD_PRELOAD=$work/proc.so "$bin/swtrace" run -q -B perf -F 100 -o trace.nrm2 -- \
	bash play.sh "$kernel" "$stays" "$stays_symbols" >out 2>err || {
	echo "skip kernel_modules the collector perf does not work here"
	exit 77
}
"$bin/post" -q -show -json -r trace.nrm2 -o - 2>/dev/null |
	jq -c 'select(.record == "mte" and (.path // "" | IN("comes", "other", "stays")))' >told
moment() { # KIND NAME: when it came (went) first
	jq -r "select(.kind == \"$1\" and .path == \"$2\").time" told | head -n 1
}
came=$(moment module comes) went=$(moment unload comes) other=$(moment module other) gone=$(moment unload other)
calc "${went:-0} - ${came:-0} > 1e9 && ${gone:-0} - ${other:-0} > 1e9 && ${other:-0} > ${went:-0}"
verdict told $? "$(cat told)"

# NAME ADDRESS TIME SYMBOL: what the address was then ("-": of no module that was there)
named() {
	"$bin/post" -q -explain "0:$2:$(awk -v t="$3" 'BEGIN { printf "%d.%09d", t / 1e9, t % 1e9 }')" \
		-json -r trace.nrm2 >out 2>err
	jq -r '.explained.name' out >symbol
	if [ "$4" = - ]; then
		! grep -qE '_work$' symbol
	else
		[ "$(cat symbol)" = "$4" ]
	fi
	verdict "$1" $? "$(cat symbol err)"
}
named before ffffffffc0100010 $((came - 100000000)) -
named there ffffffffc0100010 $(((came + went) / 2)) comes_work
# Between two looks it may have been the one or the other.
named between ffffffffc0100010 $(((went + other) / 2)) -
named another ffffffffc0100010 $(((other + gone) / 2)) other_work
named another_gone ffffffffc0100010 $((gone + 300000000)) -
named moves_before ffffffffc0200010 $(((came + went) / 2)) stays_work
named moves_there ffffffffc0300010 $(((other + gone) / 2)) stays_work
named moves_not_yet ffffffffc0300010 $(((came + went) / 2)) -
named moves_left ffffffffc0200010 $(((other + gone) / 2)) -
named moves_back ffffffffc0200010 $((gone + 300000000)) stays_work
named kernel ffffffff81001010 $((gone + 300000000)) kernel_work
[ $failures = 0 ]
