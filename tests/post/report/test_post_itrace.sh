#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Reports of instruction traces, of a story that can be followed by hand (post_itrace.story; UPDATE=1
# writes the golden files anew: then read them), and of damaged ones.
set -u
# shellcheck source=tests/lib/story_lib.sh
. "$(dirname "$0")/../../lib/story_lib.sh"

# Symbols at the addresses that the story has.
program hello main:64 work:64 leaf:32 handler:32 restorer:64 catcher:64 setjmp:32
sed "s,HELLO,$work/hello," "$here/post_itrace.story" | "$make_script" story.nrm2 || exit 1
here_same() { sed "s,$work,/work,g" "$1" >placed && same placed "$2"; }

# ---- every record in words and as JSON
code 1 "$post" -show story.nrm2 && here_same post.show post_itrace.show
verdict show
code 1 "$post" -show -json -o - story.nrm2 && jq -s -e '
	(map(select(.record == "ubranch")) | length == 36 and
	([.[] | select(.kind == "call")] | length == 11) and
	(map(select(.flags == ["gap"])) | length == 1) and (map(select(.flags == ["step"])) | length == 3) and
	([.[].count] | add == 82)) and
	(map(select(.record == "kbranch")) | [.[].kind] == ["call", "return", "iret"]) and
	(map(select(.record == "ubreak")) | [.[].kind] ==
	["interrupt", "syscall", "fault", "signal", "sigreturn", "exec"]) and
	(map(select(.record == "code"))[0] | .code == "90c3" and .bytes == 2 and .address == "0x500000") and
	(map(select(.record == "access"))[0] | .kind == "store" and .bytes == 8) and
	(map(select(.record == "itstart")) | [.[].kind] == ["on", "fork"]) and
	(map(select(.record == "itstop")) | [.[].kind] == ["exit", "limit"]) and
	(map(select(.record == "itswitch")) | [.[].from_cpu] == [1, 0])' out >why
verdict show_json

# ---- arc: the paper's ten fields; joined lines; nesting; the tree
code 1 "$post" -arc story.nrm2 && has out "arc.out: " && here_same arc.out post_itrace.arc
verdict arc
for joined in c ck cp; do
	code 1 "$post" -arc -$joined -o - story.nrm2 && here_same out post_itrace.arc_$joined
	verdict arc_$joined
done
code 1 "$post" -flow story.nrm2 && here_same flow.out post_itrace.flow
verdict flow
code 1 "$post" -tree -q story.nrm2 && here_same calltree.out post_itrace.tree
verdict tree
code 1 "$post" -tree -folded story.nrm2 && here_same out post_itrace.folded
verdict folded
# As JSON: the same lines.
fields() { # of -arc's lines: side, type, number, @ or ?, offset, symbol:module, words
	awk '!/^#/ { print $1, $2, $4, $5, $6, $7, $9 }' "$1"
}
arc_is_json() { # OPTIONS
	rm -f lines json_lines
	# shellcheck disable=SC2086
	code 1 "$post" -arc $1 -o - story.nrm2 && fields out >lines &&
		code 1 "$post" -arc -json -q $1 -o - story.nrm2 && jq -r 'if .address then {instructions: 0,
		ended_by: "branch", type: "\(.type):\(.bytes)"} + del(.type) else . end | [.cpu, (if .kernel then "K" else "U" end),
		.instructions, (if .continuous then "@" else "?" end), (.offset // .end_offset // 0),
		"\(.symbol // "?"):\(.module // "?")", .type + (if .ended_by == "branch" then "" else ":" + .ended_by end) +
		(if .why then "?" + .why else "" end)] | join(" ")' out >json_lines || return 1
	while read -r cpu side n sure offset rest; do
		echo "$cpu $side $n $sure $((0x${offset#\~})) $rest"
	done <lines >a
	diff a json_lines >why && [ -s a ]
}
every arc_is_json "" -c -ck -cp
verdict arc_json
code 1 "$post" -flow -json -q -o - story.nrm2 && jq -s -e 'map(select(.address == "0x401084") |
	[.type, .bytes, .symbol, .offset, .data_symbol, .data_offset]) == [["LOAD", 4, "work", 8, "leaf", 4]]' out >why &&
	jq -r 'if .address then [0, "-", "\(.type):\(.bytes)"] else [.instructions, .depth, "\(.symbol // "?"):\(.module // "?")"] end |
	join(" ")' out >b && awk '!/^#/ { print $3, $5, $7 }' flow.out >a && diff a b >why && [ -s a ]
verdict flow_json
# As CSV: a row a line of JSON, with the same in it; nothing else.
csv_is_json() { # CODE OPTIONS… FILE
	local want=$1
	shift
	code "$want" "$post" -csv -q "$@" && mv out table && code "$want" "$post" -json -q -o - "$@" &&
		head -n 1 table | tr ',' '\n' | jq -R . | jq -s . >columns &&
		jq -r --slurpfile c columns '. as $line | [$c[0][] | . as $k | $line | if has($k) then .[$k] | tostring else "" end] |
		join(",")' out >a && tail -n +2 table | sed 's,"",\x01,g; s,",,g; s,\x01,",g' >b && diff a b >why && [ -s a ] &&
		jq -s -e --slurpfile c columns 'map(keys) | add | unique | . - $c[0] == []' out >why
}
csv_of() { # OPTIONS
	# shellcheck disable=SC2086
	csv_is_json 1 $1 story.nrm2
}
every csv_of -arc "-arc -c" -flow && [ "$(head -n 1 table | cut -d , -f 1-7)" = time,cpu,kernel,type,ended_by,instructions,continuous ]
verdict csv
# A handler is within the function that the signal interrupted, which continues at the same depth; a tail call
# replaces its caller and returns to that one's caller: none of that is uncertain.
"$make_script" nested.nrm2 <<END
0 on
0 task walk 500 1 hello
0 map 500 0x401000 0x1000 0x1000 $work/hello
1 start 0 500 on 0 0x401000
2 branch 0 500 u call 2 0x401004 0x401040
3 break 0 500 u signal 2 10 0x401046 0x4010a0
4 branch 0 500 u call 2 0x4010a4 0x401080
5 branch 0 500 u return 1 0x401080 0x4010a9
6 branch 0 500 u return 1 0x4010a9 0x4010c0
7 break 0 500 u sigreturn 2 0 0x4010c9 0x401046
8 branch 0 500 u jump 2 0x401048 0x401080
9 branch 0 500 u return 3 0x401088 0x401009
10 stop 0 500 exit 1 0x40100a
11 off
END
code 0 "$post" -flow -q -o nested.flow nested.nrm2 && [ "$(awk '!/^#/ { print $5 $7 $NF }' nested.flow | sed 's,:[^+?]*, ,' | tr '\n' ' ')" = \
	"1main ?first 2work  3handler ?signal 4leaf  3handler +9 3restorer  2work ?sigreturn 2leaf  1main +9 " ]
verdict nested
# So deep that the outer functions of a thread are forgotten: its depth is known all the same.
perl -e 'my ($n, $t, $hello) = (20000, 2, @ARGV);
	print "0 on\n0 task walk 500 1 hello\n0 map 500 0x401000 0x1000 0x1000 $hello\n1 start 0 500 on 0 0x401000\n";
	print $t++, " branch 0 500 u call 2 0x401048 0x401040\n" for 1 .. $n;
	print $t++, " branch 0 500 u return 3 0x401050 0x40104d\n" for 1 .. $n;
	print $t, " stop 0 500 exit 1 0x401060\n", $t + 1, " off\n"' "$work/hello" | "$make_script" --collector=ptrace deep.nrm2
code 0 "$post" -flow -q -o deep.flow deep.nrm2 &&
	awk '!/^#/ { n++; if (n < 31000 && $5 != (n > 20001 ? 40002 - n : n)) bad = bad " " n ":" $5 } END { print (n > 31000) bad }' deep.flow >why &&
	[ "$(cat why)" = 1 ] && code 0 "$post" -tree -q -o - deep.nrm2 && has out '  98000  98.00 %  deeper than 1000 calls: counted there'
verdict deep
# By a jump to where the call returns to the function is left, too (s390x: br %r4); the same of one
# that was called unseen, behind a switch. Elsewhere in the caller: that is in doubt.
jumping() { # TO: leaf's jump
	sed "s/JUMP/$1/g" <<-END | "$make_script" jumped.nrm2 && code 0 "$post" -flow -q -o jumped.flow jumped.nrm2
		0 on
		0 task walk 500 1 hello
		0 map 500 0x401000 0x1000 0x1000 $work/hello
		1 start 0 500 on 0 0x401000
		2 branch 0 500 u call 2 0x401004 0x401040
		3 branch 0 500 u call 2 0x401044 0x401080
		4 branch 0 500 u jump 2 0x401084 JUMP
		5 branch 0 500 u return 1 JUMP 0x401009
		6 stop 0 500 exit 1 0x40100a
		7 off
	END
	awk '!/^#/ { print $5 $7 $NF }' jumped.flow | sed 's,:[^+?]*, ,' | tr '\n' ' '
}
[ "$(jumping 0x401049)" = "1main ?first 2work  3leaf  2work +9 1main +9 " ]
verdict returned_by_a_jump
jumping 0x401060 >why; grep -q unwound why
verdict jumped_elsewhere
# However lines are joined, no instruction is lost.
sum() { awk '!/^#/ { n += $4 } END { print n }' "$1"; }
for options in -arc "-arc -c" "-arc -ck" "-arc -cp" "-arc -c -ck -cp"; do
	# shellcheck disable=SC2086
	code 1 "$post" $options -o - story.nrm2
	sum out
done | sort | uniq -c | awk '{ $1 = $1 } 1' >sums
awk '!/^#/ { n += $3 } END { print n }' flow.out >flow_sum
[ "$(cat sums)" = "5 118" ] && [ "$(cat flow_sum)" = 118 ] &&
	code 1 "$post" -tree -json story.nrm2 &&
	jq -e '.unit == "instructions" and ([.calls[].self] | add) == 118 and .total_ticks == 118' out >why
verdict sums
code 1 "$post" -tree -callers -json story.nrm2 && jq -e '[.symbols[] |
	select(.name == "work") | .self, .total] == [31, 62]' out >why
verdict flat

# ---- instruction by instruction: a story of real code, where every number can be checked
[ "$(uname -m)" = x86_64 ] || {
	echo "skip post_itrace_instructions the story's code is x86-64's"
	finish
}
cat >code.s <<'END'
	.text
	.globl _start
	.type _start, @function
_start:	push %rbp
	mov $2, %ecx
again:	call work
	dec %ecx
	jne again
	syscall
	jmp *%rax
	.size _start, . - _start
	.skip 45
	.type work, @function
work:	rep movsb
	ret
	.size work, . - work
END
gcc -g -nostdlib -static -Wl,-Ttext=0x401000,-z,max-page-size=0x1000,--build-id=none -o code code.s || exit 1
cat >code.story <<END
0 on
0 task walk 9 1 code
0 map 9 0x401000 0x1000 0x1000 $work/code
1 start 0 9 on 0 0x401000
1 break 0 9 u syscall 0 3 0x401000 0x401000
2 branch 0 9 u call 3 0x401006 0x401040
3 branch 0 9 u return 2 0x401042 0x40100b
4 branch 0 9 u jump 2 0x40100d 0x401006
5 branch 0 9 u call 1 0x401006 0x401040
6 break 0 9 u interrupt 0 3 0x401040 0x401040
7 branch 0 9 u return 2 0x401042 0x40100b
8 break 0 9 u syscall 3 1 0x401011 0x401011
9 code 0 9 0x500000 90c3
10 branch 0 9 u jump 1 0x401011 0x500000
11 branch 0 9 u return 2 0x500001 0x401000
12 stop 0 9 exit 2 0x401006
20 off
END
"$make_script" code.nrm2 <code.story
code 0 "$post" -verify code.nrm2 && has_line out 11 runs of 18 instructions && has_line out 11 right &&
	has_line out 0 wrong && has_line out 0 not checked
verdict verify
code 0 "$post" -disasm -q code.nrm2 && awk '!/^#/ && !/:/ { exit 1 } !/^#/ { print $5 }' disasm.out |
	tr '\n' ' ' >addresses
echo "401000 401000 401001 401006 401040 401042 40100b 40100d 401006 401040 401040 401042 40100b 40100d 40100f \
401011 401011 500000 500001 401000 401001 401006 " | tr -d '\\\n' >wanted
diff wanted addresses >why && has disasm.out ':interrupt' && grep -q '401040 work:.*+0  rep movs' disasm.out &&
	grep -q ' 500001 .*  ret' disasm.out && has disasm.out '18 instructions, 0 without their bytes'
verdict disasm
# Code that is announced in two adjacent pieces, in either order, or that spans two pages, is complete; of separate
# pieces in one page, the last one is known.
"$make_script" pieces.nrm2 <<-'END'
	0 on
	0 task walk 9 1 code
	0 map 9 0x500000 0x3000 0 //anon
	1 start 0 9 on 0 0x500000
	2 code 0 9 0x500000 4889
	2 code 0 9 0x500002 d8c3
	3 branch 0 9 u return 2 0x500003 0x500100
	4 code 0 9 0x500102 d8c3
	4 code 0 9 0x500100 4889
	6 branch 0 9 u return 2 0x500103 0x500ffe
	7 code 0 9 0x500ffe 4889d8c3
	8 branch 0 9 u return 2 0x501001 0x500100
	9 branch 0 9 u return 2 0x500103 0x500ffe
	10 stop 0 9 exit 0 0x500ffe
	20 off
END
code 0 "$post" -disasm -q -o - pieces.nrm2 &&
	awk '/^ / { $1 = $2 = $3 = $4 = ""; print $5, $7, $8, $9, $10 }' out | sed 's/ *$//; s/ ?first//' >got &&
	diff - got >why <<-'END'
	500000 mov %rbx,%rax
	500003 ret
	500100 mov %rbx,%rax
	500103 ret
	500ffe mov %rbx,%rax
	501001 ret
	500100 [2: its code is
END
verdict disasm_pieces
csv_is_json 0 -disasm code.nrm2 && jq -s -e '(map(select(.instruction)) | length == 18 and .[16].address == "0x401000") and
	(map(.ended_by // empty) == ["syscall", "interrupt", "syscall", "stop"])' out >why
verdict disasm_forms
csv_is_json 0 -verify code.nrm2 && jq -s -e '(map(select(.outcome == "right") | .runs) | add) == 11 and
	all(.outcome != "wrong")' out >why
verdict verify_forms
# Any number that is not what it was is found.
missed=
while read -r n what; do
	awk -v n="$n" "NR == n { $what } 1" code.story | "$make_script" changed.nrm2
	"$post" -verify -q changed.nrm2 >out 2>err
	[ $? = 1 ] && grep -q '^wrong: ' out || missed="$missed [line $n: $what: $(tail -n 3 out | tr '\n' ' ')]"
done <<'END'
5 $7 = 1
5 $9 = "0x401001"
6 $7 = 4
6 $7 = 2
6 $8 = "0x401007"
6 $9 = "0x401041"
6 $6 = "jump"
6 $6 = "return"
7 $7 = 1
7 $7 = 3
7 $6 = "call"
8 $7 = 3
8 $8 = "0x40100b"
8 $9 = "0x401008"
9 $6 = "other"
11 $6 = "jump"
12 $7 = 2
14 $6 = "call"
15 $7 = 1
16 $7 = "0x401005"
13 $0 = "9 code 0 9 0x500000 c390"
END
echo "missed:$missed" >why
[ -z "$missed" ]
verdict verify_finds
awk 'NR == 6 { $8 = "0x401007" } 1' code.story | "$make_script" changed.nrm2
csv_is_json 1 -verify changed.nrm2 && jq -s -e 'map(select(.outcome == "wrong")) | length > 0 and all(.runs == 1) and
	(.[0] | .tid == 9 and .end == "0x401007" and (.why | length > 9))' out >why
verdict verify_wrong_forms
# The kernel's, which comes with the trace: what stood there at the time, and nothing where that is not
# sure.
"$make_script" kernel.nrm2 <<'END'
0 on
0 task walk 9 1 code
1 code 0 0 0xffffffff81001000 e8fb0f00009048cf
1 code 0 0 0xffffffff81002000 0f1f440000c3
1 code 0 0 0xffffffff81003000 9090c3
1 code 0 0 0xffffffff81003000 9091c3 changed
2 start 0 9 on 0 0xffffffff81001000
3 branch 0 9 k call 1 0xffffffff81001000 0xffffffff81002000
4 branch 0 9 k return 2 0xffffffff81002005 0xffffffff81001005
5 branch 0 9 k iret 2 0xffffffff81001006 0x401000 cross
6 stop 0 9 on 0 0
20 code 0 0 0xffffffff81002000 90c3
25 start 0 9 on 0 0xffffffff81002000
26 branch 0 9 k return 2 0xffffffff81002001 0xffffffff81003000
27 branch 0 9 k return 3 0xffffffff81003002 0xffffffff81004000
28 branch 0 9 k jump 1 0xffffffff81004000 0xffffffff81001000
29 stop 0 9 exit 0 0
30 off
END
code 0 "$post" -verify kernel.nrm2 && has_line out 6 runs of 11 instructions && has_line out 4 right &&
	has_line out 1 the kernel changed this code while it was traced &&
	has_line out 1 "the kernel's code there was not recorded: the user who traced could not read /proc/kcore"
verdict kernel_verify
code 0 "$post" -disasm -q kernel.nrm2 && awk '!/^#/ { print $7 }' disasm.out | tr '\n' ' ' >words
echo "call nopl ret nop iret nop ret nop [2: [1: " >wanted
diff <(sed 's,retq,ret,g; s,callq,call,; s,iretq,iret,' words) <(tr -d '\n' <wanted) >why
verdict kernel_disasm
# Field 10, by addr2line.
code 0 "$post" -arc -line -q code.nrm2 && awk '!/^#/ && $7 ~ /^(_start|work):/ { print $6, $7, $NF }' arc.out |
	while read -r offset symbol line; do
		base=401000
		[ "${symbol%%:*}" = work ] && base=401040
		address=$(printf %x $((0x$base + 0x$offset)))
		judge=$(addr2line -e code "$address" | sed 's,.*/,,')
		[ "$judge" = "$line" ] || echo "$address: $line, addr2line: $judge"
	done >why
[ ! -s why ] && grep -q 'code.s:7$' arc.out
verdict lines

# ---- damage: a line is as it was, or marked. Every run has a count of its own, which tells where
# it began; what came before would fit it, wherever that went.
moving() { # CPUS: a thread that moves between them
	awk -v cpus="$1" 'BEGIN {
		print "0 on\n0 task walk 7 1 runner\n0 map 7 0x100000 0x100000 0 /nowhere/runner"
		print "1 start 0 7 on 0 0x101000"
		for (k = 1; k <= 3000; k++) {
			cpu = int(k / 250) % cpus
			if (cpu != was + 0)
				print 2 * k, "arrive", cpu, 7, was + 0
			was = cpu
			printf "%d branch %d 7 u jump %d 0x102000 0x10100%d\n", 2 * k + 1, cpu, 300 + k, k * 7 % 5
		}
		print "9000 stop " was + 0 " 7 exit 0 0\n9001 off"
	}'
}
# It comes from a CPU where, by its records, it never was.
"$make_script" --cpus=2 elsewhere.nrm2 <<-END
	0 on
	0 task walk 7 1 runner
	1 start 0 7 on 0 0x101000
	2 branch 0 7 u jump 2 0x101002 0x101000
	3 arrive 0 7 1
	4 branch 0 7 u jump 2 0x101002 0x101000
	5 branch 0 7 u jump 2 0x101002 0x101000
	6 off
END
code 0 "$post" -arc -q elsewhere.nrm2 && [ "$(awk '!/^#/ { print $9 }' arc.out | tr '\n' ' ')" = \
	"JUMP?first JUMP?gap JUMP " ]
verdict came_from_elsewhere
# If switches are not recorded, a thread may be anywhere, which is not a gap by itself.
moving 2 | grep -v arrive | "$make_script" --cpus=2 nowhere.nrm2
code 0 "$post" -arc -q nowhere.nrm2 && ! grep -q '?gap' arc.out && [ "$(grep -c '^ .*?switch ' arc.out)" = 12 ]
verdict switches_not_recorded
# wrong LINES: those that say where a run began, and it did not
wrong() {
	awk '!/^#/ && $5 == "@" { k = $4 - 300; want = 1000 + (k - 1) * 7 % 5
		if ($6 != want && !(k == 1 && $6 == 1000)) print }' "$1"
}
# hurt: whole.nrm2 with two bytes changed, at each 90th of it, by post: hurt/N.arc; those it crashed on are said
hurt() {
	rm -rf hurt
	mkdir hurt
	perl -e 'my ($post) = @ARGV;
		local $/;
		open my $in, "<", "whole.nrm2" or die;
		my $whole = <$in>;
		open STDERR, ">", "err";
		for (my $n = 300; $n < length $whole; $n += int(length($whole) / 90)) {
			my $copy = $whole;
			substr($copy, $n, 2) = "\377\376";
			open my $out, ">", "hurt.nrm2" or die;
			print $out $copy;
			close $out or die;
			system $post, "-arc", "-q", "-o", "hurt/$n.arc", "hurt.nrm2";
			print "[$n crashed]" if $? & 127 || $? >> 8 > 2;
		}' "$post" || echo '[not tried]'
}
for cpus in 1 2; do
	moving $cpus | "$make_script" --cpus=2 whole.nrm2
	code 0 "$post" -arc -q whole.nrm2 && [ "$(grep -vc '^#' arc.out)" = 3000 ] && [ -z "$(wrong arc.out)" ] &&
		! grep -q '?gap' arc.out && bad='' || bad=whole
	bad=$bad$(hurt)$(cat hurt/*.arc | wrong - | head -n 1)
	lines=$(grep -l '?gap' hurt/*.arc | wc -l)
	echo "damage: $bad; $lines with gaps" >why
	[ -z "$bad" ] && [ "$lines" -gt 20 ]
	verdict "damaged_$cpus"
done

finish
