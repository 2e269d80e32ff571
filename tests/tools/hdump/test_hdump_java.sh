#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Dumps of a real VM: classes are those of jmap -histo, by objects and bytes; a planted leak is the
# first suspect of three dumps; ways from roots have the fields; differences, texts, gzip, damage.
# Names of Java have a $.
# shellcheck disable=SC2016
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
if ! command -v javac >/dev/null || ! command -v jcmd >/dev/null || ! command -v jmap >/dev/null; then
	echo "skip hdump_java no JDK is installed"
	exit 77
fi
cd "$work" || exit 1
unset JAVA_TOOL_OPTIONS
hdump=$bin/hdump
javac -nowarn -d . "$top/tests/tools/hdump/Heap.java" || exit 1

begin() { # OPTION...: a VM that waits, in $vm
	rm -f ask answers
	mkfifo ask
	# Without the archive of classes: that has objects of classes which are not loaded.
	java -Xshare:off -Xmx256m "$@" -cp . Heap <ask >answers 2>&1 &
	vm=$!
	exec {to}>ask
	answered ready
}
answered() { # LINE
	local i
	for ((i = 0; i < 600; i++)); do
		grep -qx -e "$1" answers 2>/dev/null && return
		kill -0 "$vm" 2>/dev/null || break
		sleep 0.1
	done
	cat answers
	return 1
}
tell() { # LINE
	echo "$1" >&"$to"
	answered "done $1"
}
end() {
	exec {to}>&-
	wait "$vm"
}
# The names of jmap, [B, as hdump has them, byte[]; sums by name, as "objects bytes name". What a collector
# fills gaps with (JDK 21 on) is written to a dump as int[].
classes() {
	awk '$1 ~ /^[0-9]+:$/ {
		n = $4; d = ""
		while (sub(/^\[/, "", n)) d = d "[]"
		if (d != "") {
			t["B"] = "byte"; t["C"] = "char"; t["D"] = "double"; t["F"] = "float"; t["I"] = "int"
			t["J"] = "long"; t["S"] = "short"; t["Z"] = "boolean"
			if (n in t) n = t[n]; else n = substr(n, 2, length(n) - 2)
		}
		sub(/\/0x/, "+0x", n)
		if (n == "jdk.internal.vm.FillerElement" && d == "[]") n = "int"
		o[n d] += $2; b[n d] += $3
	} END { for (n in o) print o[n], b[n], n }' "$1" | sort
}
histogram() { # NAME OPTION...; $load: a module whose classes are loaded
	begin "${@:2}"
	[ -z "${load-}" ] || tell "classes $load"
	# The first calls load classes.
	jcmd "$vm" GC.heap_dump "$work/first" >out 2>&1
	jmap -histo:live "$vm" >histo
	rm -f first
	# The VM's own threads may make objects between the two.
	for _ in 1 2 3; do
		rm -f dump
		jcmd "$vm" GC.heap_dump "$work/dump" >out 2>&1
		jmap -histo "$vm" >histo
		"$hdump" --csv dump >csv
		code=$?
		classes histo >want
		awk -F, 'NR > 1 { print $1, $2, $4 }' csv | sort >have
		! cmp -s want have || break
	done
	end
	verdict "$1_read" $code
	is "$1_many" "$([ "$(wc -l <have)" -gt 100 ] && echo yes)" yes
	diff want have >out
	verdict "$1_as_jmap" $?
}
histogram short
# ---- as a profile: what go tool pprof sums for a class and its callees is what the class retains
"$hdump" -pprof -o heap.pb.gz dump >out 2>err
is pprof_code $? 0
if command -v go >/dev/null; then
	HOME=$work go tool pprof -top -cum -unit=b -sample_index=inuse_space -nodecount=1000000 -nodefraction=0 -edgefraction=0 \
		heap.pb.gz 2>/dev/null | sed -nE 's/^ *[0-9.e+]+B? +[0-9.e+-]+% +[0-9.e+-]+% +([0-9]+)B? +[0-9.e+-]+% +(.*)/\1 \2/p' |
		grep -vE ' class | java.lang.Class$' | sort >have
	# Those of classes are named for the class that they are.
	awk -F, 'NR > 1 && $3 > 0 && $4 != "java.lang.Class" { print $3, $4 }' csv | sort >want
	diff want have >out
	verdict pprof_retained $?
	is pprof_many "$([ "$(wc -l <have)" -gt 100 ] && echo yes)" yes
else
	echo "skip ${suite}_pprof_retained no go"
fi
left=$(sed -nE 's/.* ([0-9]+) unreachable objects of ([0-9]+) bytes.*/\1 \2/p' err)
awk -F, -v left="${left:-0 0}" 'NR > 1 { o += $1; b += $2 } END { split(left, l, " "); print o - l[1], b - l[2] }' csv >want
"$bin/post" -q -calltree -o - -r heap.pb.gz | sed -nE 's/^TOTAL TICKS +//p; s/^Mode .*; ([0-9]+) counted.*/\1/p' >out
is pprof_sums "$(sed -n 2p out) $(sed -n 1p out)" "$(cat want)"
"$bin/post" -q -html -o heap.html -r heap.pb.gz
is pprof_page "$? $(head -c 15 heap.html)" '0 <!DOCTYPE html>'
"$bin/post" -q -r dump >out 2>&1
says pprof_named out 'a Java heap dump: hdump -pprof'
"$hdump" -pprof --json dump >out 2>&1
is pprof_whole "$? $(grep -c 'writes a whole profile' out)" '2 1'

histogram long -XX:-UseCompressedOops -XX:+UseSerialGC
load=java.base histogram classes
load=java.base histogram long_classes -XX:-UseCompressedOops

# ---- a leak
begin -XX:+UseSerialGC
for i in 1 2 3; do
	tell leak
	tell "dump $work/$i.hprof"
done
end
"$hdump" -suspects --json 1.hprof 2.hprof 3.hprof >out 2>err
is suspects_code $? 0
is first_suspect "$(jq -r '.suspects[0].class' out)" 'Heap$Planted'
is suspect_counts "$(jq -c '.suspects[0].objects' out)" '[2001,4001,6001]'
is suspect_growth "$(jq '.suspects[0].growth >= 4000 * 1016' out)" true
"$hdump" -suspects --json 3.hprof 2.hprof 1.hprof >out 2>err
is none_backwards "$(jq '[.suspects[] | select(.class | startswith("Heap"))] | length' out)" 0

# ---- differences, with signs
"$hdump" -diff 1.hprof 3.hprof >out 2>err
says diff_sign out '^ *+4000  *+[0-9]*  *+[0-9]*  Heap$Planted$'
"$hdump" -rdiff 1.hprof 3.hprof >out 2>err
says rdiff_sign out '^ *-4000  *-[0-9]*  *-[0-9]*  Heap$Planted$'
"$hdump" -diff --csv 2.hprof 2.hprof >out
is no_difference "$(cat out)" 'objects,bytes,retained,class'

# ---- what keeps it
"$hdump" -biggest --json 3.hprof >out
is biggest "$(jq -r '[.biggest[].class] | index("java.util.HashMap") != null' out)" true
map=$(jq -r '[.biggest[] | select(.class == "java.util.HashMap")][0].id' out)
is map_retains "$(jq --arg id "$map" '[.biggest[] | select(.id == $id)][0].retained > 6000 * 1016' out)" true
"$hdump" -r "$map" 3.hprof >out
says way_field out "^  class Heap 0x[0-9a-f]*  \\.cache\$"
says way_end out "^  java.util.HashMap $map\$"
"$hdump" -dominators 3.hprof >out
says tree out '^  *[0-9]*  *[0-9.]*  *java.util.HashMap$Node\[\] 0x'
"$hdump" -r 0x3 3.hprof >out 2>err
is no_object "$? $(cat err)" '2 hdump: 3.hprof: no object has the id 0x3'
"$hdump" -strings --json 3.hprof >out
is same_texts "$(jq '[.duplicates[] | select(.text == "same\n")][0].objects' out)" 500
"$hdump" -strings 3.hprof >out
says text_escaped out ' 500  same\\x0a$'

# ---- packed, cut off, none
"$hdump" --csv 3.hprof >plain
gzip -k 3.hprof
"$hdump" --csv 3.hprof.gz >packed
[ -s plain ] && cmp plain packed >out 2>&1
verdict gzip $?
{ head -c 100000 3.hprof | gzip; tail -c +100001 3.hprof | gzip; } >two.gz
"$hdump" --csv two.gz | cmp plain - >out 2>&1
verdict gzip_members $?
# Among the objects, which the names precede.
size=$(($(stat -c %s 3.hprof) * 3 / 4))
head -c $size 3.hprof >cut
"$hdump" cut >out 2>err
is cut_code $? 1
at=$(sed -nE 's/^hdump: cut: byte ([0-9]+): .*the file ends within it; objects read before it: [0-9]+$/\1/p' err)
[ "${at:-0}" -le $size ] && [ "${at:-0}" -gt $((size / 2)) ]
verdict cut_words $? "$(cat err)"
says cut_shown out ' java.lang.String$'
head -c 500000 3.hprof.gz >cut.gz
"$hdump" cut.gz >out 2>err
is cut_gzip "$? $(grep -c 'the file ends within a part compressed by gzip' err)" '1 1'
echo none >none
"$hdump" none >out 2>err
is none "$? $(cat err)" '2 hdump: none: byte 0: this is not a heap dump (HPROF)'
"$hdump" . >out 2>err
is folder "$? $(cat err)" '2 hdump: .: is not a regular file'
# Nothing, what would wait for ever or never end, what lies; each with its name and why.
: >empty
mkfifo pipe
gzip -c none >none.gz
for file in empty pipe none.gz /dev/zero /dev/null /proc/self/maps absent; do
	timeout 20 "$hdump" "$file" >out 2>err
	if [ $? != 2 ] || [ -s out ] || ! grep -q "^hdump: $file: " err; then break; fi
	file=
done
[ -z "$file" ]
verdict odd_files $? "$file: $(cat out err)"
# It grows while it is read; its last byte is missing all the time.
cp cut grows
bad=
(tail -c +$((size + 1)) 3.hprof | head -c -1 | split -b 20000 --filter='cat >>grows; sleep 0.02') &
other=$!
for report in '' -strings "-r $map"; do
	# shellcheck disable=SC2086 # none, one or two words
	timeout 100 "$hdump" $report grows >out 2>err
	if [ $? != 1 ] || ! grep -q '^hdump: grows: byte [0-9]*: .*objects read before it: [0-9]*$' err; then
		bad+="$report: $(cat out err); "
	fi
done
wait $other
tail -c 1 3.hprof >>grows
"$hdump" --csv grows | cmp plain - >out 2>&1 || bad+=$(cat out)
[ -z "$bad" ]
verdict grows $? "$bad"
"$hdump" -diff 1.hprof >out 2>err
is one_of_two $? 2
"$hdump" -biggest -strings 1.hprof >out 2>err
is two_reports "$? $(grep -c 'only one of' err)" '2 1'
exit $((failures != 0))
