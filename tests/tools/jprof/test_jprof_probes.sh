#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The agent by the VM's own probes: each call is there, to the last one, also of hidden classes, natives
# and methods whose class lies where another one lay; the compiler's own run, whole; what it refuses.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/tools/jprof/calls_log
. "$here/calls_log"
javac -d "$work" "$here/Calls.java" "$here/Unload.java" "$here/Reuse.java" || exit 1
cd "$work" || exit 1

java -Xss512k Calls >want
traced MODE=probes,STATDYN,CLASSMETHODS='Calls*' Calls
code=$?
[ $code = 0 ] && cmp -s want out && [ ! -s err ]
verdict same $? "$(cat err)"
is leaves $(($(calls 'i:Calls.leaf(I)I') + $(calls 'j:Calls.leaf(I)I'))) 200000
is both_types "$(awk '$NF ~ /^[ij]:Calls.leaf/ { n[substr($NF, 1, 1)] += $2 } END { print (n["i"] > 0), (n["j"] > 0) }' log-rt.*)" '1 1'
traced MODE=probes,CLASSMETHODS='Calls*' Calls
is recursion "$(calls 'Calls.odd(I)I') $(calls 'Calls.even(I)I')" '2500 2550'
is constructors "$(calls 'Calls.<init>(I)V') $(calls 'Calls.<init>(II)V') $(calls 'Calls.fails(I)I')" '3000 2000 3000'
is locked "$(calls 'Calls.locked()V')" 100000
is hidden "$(awk '/Calls\$\$Lambda.*\.run\(\)V/ { n += $2 } END { print n }' log-rt.*)" 200
entries_are_exits 300000 1 && ! grep -q '^not kept' log-rt.*
verdict entries_are_exits $? "$(sed -n 3,4p log-rt.*)"

# Compiled from the first call on, by each of the compilers, and by none.
for how in -Xint '-Xcomp -XX:TieredStopAtLevel=1' '-Xcomp -XX:-TieredCompilation'; do
	name=$(tr -dc 'a-z0-9' <<<"${how,,}")
	# shellcheck disable=SC2086
	traced MODE=probes,CLASSMETHODS='Calls*' $how Calls
	is "leaves_$name" "$(calls 'Calls.leaf(I)I') $(calls 'Calls.odd(I)I') $(calls 'Calls.fails(I)I')" '200000 2500 3000'
	entries_are_exits 300000 1 && ! grep -q '^not kept' log-rt.*
	verdict "entries_are_exits_$name" $? "$(sed -n 3,4p log-rt.*)"
done

# The time of an unmeasured method is its caller's, in both modes.
cat >Rests.java <<'END'
public class Rests {
	static void rests() throws Exception { for (int i = 0; i < 30; i++) Thread.sleep(10); }
	public static void main(String[] args) throws Exception { rests(); }
}
END
javac Rests.java
rests() { # MODE
	traced "MODE=$1,CLASSMETHODS=Rests*" Rests
	awk '$NF == "Rests.rests()V" { print $4 + $5 }' log-rt.*
}
changed=$(rests rewrite)
probed=$(rests probes)
calc "$probed > 0.6 * $changed && $probed < 1.7 * $changed && $changed > 100000000"
verdict others_time $? "$changed, $probed"

# Places of methods that others had before.
traced MODE=probes,CLASSMETHODS='Gen*' Unload
for k in 0 1 2 3 4 5 6 7; do
	is "unloaded_$k" "$(calls "Gen$k.work$k(I)I") $(calls "Gen$k.applyAsInt(I)I")" '5000 5000'
done

traced MODE=probes,STATDYN Calls
awk '$NF ~ /^[nN]:/ { n += $2 } END { exit !(n > 1000) }' log-rt.*
verdict natives $? "$(grep -c ' [nN]:' log-rt.*)"
# From Java 19 on wait is Java's own, which calls the native one.
wait='wait'
[ "$(javac -version 2>&1 | sed -E 's/^javac ([0-9]+).*/\1/')" -lt 19 ] || wait='wait0'
is wait "$(grep -c " [^nN]:java/lang/Object.$wait(J)V" log-rt.*)" 0

# Everything: the compiler compiles what it compiles otherwise.
javac -d plain "$here/Calls.java" && traced MODE=probes -m jdk.compiler/com.sun.tools.javac.Main -d traced "$here/Calls.java"
[ $? = 0 ] && [ ! -s err ] && diff -r plain traced >out 2>&1
verdict javac $? "$(cat err)"
# Threads of the VM's own have begun methods before it was up.
entries_are_exits 1000000 99 && ! grep '^not kept' log-rt.* | grep -qv 'before [0-9], calls deeper than [0-9]* 0, .* room 0, .* 0$'
verdict javac_entries_are_exits $? "$(sed -n 3,4p log-rt.*)"

refused() { # NAME OPTIONS WORDS
	traced "$2" Calls
	[ $? != 0 ] && grep -q -e "$3" err && ! grep -qx -f want out
	verdict "$1" $? "$(cat err)"
}
refused mode MODE=full 'MODE=full: it is rewrite or probes'
# A VM without symbols: the library of a copy has none, then there is a debug file beside it, or an unusable one.
home=$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")
mkdir jdk
for part in bin conf lib release; do cp -rL "$home/$part" jdk/ 2>err; done
library=jdk/lib/server/libjvm.so debug=jdk/lib/server/libjvm.debuginfo
# Another build's, so that the system's debug files have none of it.
note=$(readelf -SW $library | sed -nE 's/.* .note.gnu.build-id +NOTE +[0-9a-f]+ ([0-9a-f]+) .*/\1/p')
printf '\x5a\xa5\x5a' | dd of=$library bs=1 conv=notrunc seek=$((0x$note + 16)) 2>err
objcopy --remove-section .gnu_debuglink $library &&
	objcopy --only-keep-debug $library $debug && strip $library && objcopy --add-gnu-debuglink=$debug $library
verdict split $? "$(cat err)"
stripped() {
	rm -f log-rt.*
	jdk/bin/java "-agentpath:$agent=MODE=probes,CLASSMETHODS=Calls*" Calls >out 2>err
}
refuses() { # NAME
	stripped
	[ $? != 0 ] && grep -q 'no symbol table, and there is no debug file.*MODE=rewrite' err && ! grep -qx -f want out
	verdict "$1" $? "$(cat err)"
}
stripped
[ $? = 0 ] && cmp -s want out && [ ! -s err ]
verdict debug_file $? "$(cat err)"
is debug_file_calls "$(calls 'Calls.odd(I)I') $(calls 'Calls.<init>(I)V')" '2500 3000'
chmod 666 $debug
refuses debug_file_of_all
chmod 644 $debug
mkdir jdk/lib/server/.debug
mv $debug kept
cp "$home/lib/server/libjvm.so" $debug
refuses debug_file_of_another_build
head -c 100000 kept >$debug
refuses debug_file_cut
cp kept jdk/lib/server/.debug/libjvm.debuginfo
stripped
verdict debug_folder $? "$(cat err)"
rm -r $debug jdk/lib/server/.debug
refuses stripped
exit $((failures != 0))
