#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Named events: shown and counted by the names and fields that programs declared, in each format; by
# process and time; without a declaration; with one that is hostile.
set -u
# shellcheck source=tests/lib/post_lib.sh
. "$(dirname "$0")/../../lib/post_lib.sh"

"$make_script" events.nrm2 <<'END' || exit 1
0 on
0 task walk 100 1 shop
0 task walk_thread 100/101 1 till
0 task walk 200 1 other
10 declare 0 100 7 order_done number:u64,amount:i64:cents,took:f64:ms,paid:bool,state:enum:idle|busy,at:hex,who:str
20 event 0 100 7 4711 250 f:1.5 1 1 0xabc "me
25 declare 1 200 7 tick
30 event 1 100/101 7 4713 0xFFFFFFFFFFFFFFCE f:2.5 0 9 0xdef "x\y
40 event 1 200 7
45 event 1 200 7
50 declare 1 200 8 order_done number:u64,amount:i64:cents,took:f64:ms,paid:bool,state:enum:idle|busy,at:hex,who:str
60 event 1 200 8 18446744073709551615 0x8000000000000000 f:inf 2 0 0 "
70 event 1 100 99 1 2 "unknown
80 event 0 100 7 1 2
90 mark 0 100 0xd0 7 plain
95 off
END

# ---- words and JSON lines
code 0 "$post" -q -show -o - events.nrm2 && grep -E ' (event|declare) ' out | sed 's/.* cpu //' >have
diff - have >why <<'END'
0   mte     declare      19/00000043 pid=100 tid=100 uid=1000 0x7 "order_done" "number:u64,amount:i64:cents,took:f64:ms,paid:bool,state:enum:idle|busy,at:hex,who:str"
0   event   order_done   c8/00000007 pid=100 tid=100 uid=1000 number=4711 amount=250 cents took=1.5 ms paid=true state=busy at=0xabc who="me"
1   mte     declare      19/00000043 pid=200 tid=200 uid=1000 0x7 "tick" ""
1   event   order_done   c8/00000007 pid=100 tid=101 uid=1000 number=4713 amount=-50 cents took=2.5 ms paid=false state=9 at=0xdef who="x\\y"
1   event   tick         c8/00000007 pid=200 tid=200 uid=1000
1   event   tick         c8/00000007 pid=200 tid=200 uid=1000
1   mte     declare      19/00000043 pid=200 tid=200 uid=1000 0x8 "order_done" "number:u64,amount:i64:cents,took:f64:ms,paid:bool,state:enum:idle|busy,at:hex,who:str"
1   event   order_done   c8/00000008 pid=200 tid=200 uid=1000 number=18446744073709551615 amount=-9223372036854775808 cents took=inf ms paid=true state=idle at=0x0 who=""
1   event   -            c8/00000063 pid=100 tid=100 uid=1000 0x1 0x2 "unknown"
0   event   -            c8/00000007 pid=100 tid=100 uid=1000 0x1 0x2
END
verdict show
code 0 "$post" -q -show -json -o - events.nrm2 && jq -c 'select(.record == "event") | [.kind, .pid, .fields, .ints]' out >have
diff - have >why <<'END'
["order_done",100,{"number":4711,"amount":250,"took":1.5,"paid":true,"state":"busy","at":"0xabc","who":"me"},null]
["order_done",100,{"number":4713,"amount":-50,"took":2.5,"paid":false,"state":9,"at":"0xdef","who":"x\\y"},null]
["tick",200,{},null]
["tick",200,{},null]
["order_done",200,{"number":18446744073709552000,"amount":-9223372036854776000,"took":"inf","paid":true,"state":"idle","at":"0x0","who":""},null]
["",100,null,["0x1","0x2"]]
["",100,null,["0x1","0x2"]]
END
verdict show_json

# ---- counts, and sums of numbers: by name, whatever the process and the number
code 0 "$post" -q -marks -json events.nrm2 && cp out marks.json &&
	jq -c '.marks.events[] | [.name, .field, .unit, .records]' marks.json >have
diff - have >why <<'END'
["order_done",null,null,3]
["order_done","number",null,3]
["order_done","amount","cents",3]
["order_done","took","ms",3]
["order_done","paid",null,3]
["order_done","state","idle|busy",3]
["order_done","at",null,3]
["order_done","who",null,3]
["tick",null,null,2]
END
verdict counted
# All digits, which jq would round; infinity is not a number.
tr -d ' \n' <marks.json >digits
# shellcheck disable=SC2317 # by every
stands() { has digits "$1"; }
every stands '"field":"number","type":"u64","min":4711,"mean":6.14891e+18,"max":18446744073709551615,"sum":18446744073709561039' \
	'"field":"amount","type":"i64","unit":"cents","min":-9223372036854775808,"mean":-3.07446e+18,"max":250,"sum":-9223372036854775608' \
	'"field":"took","type":"f64","unit":"ms","min":1.5,"mean":2,"max":2.5,"sum":4}' \
	'"field":"paid","type":"bool","min":0,"mean":0.666667,"max":1,"sum":2}'
verdict sums
jq -e '.marks.events_without_declaration == 2 and .user_records == {"0xc8": 7, "0xd0": 1} and
	([.marks.others[] | [.pid, .major, .minor, .records]] | sort) == [[100, 200, 7, 1], [100, 200, 99, 1], [100, 208, 7, 1]]' \
	marks.json >why
verdict undeclared
code 0 "$post" -marks events.nrm2 && has out ' order_done.amount (cents)' && has marks.out 'Named events' &&
	has marks.out '2 named events without their declaration' && has marks.out '7 named events, 1 of major 0xd0'
verdict text
code 0 "$post" -q -marks -csv events.nrm2 && has out ',order_done,' &&
	has out ',amount,i64,cents,-9223372036854775808,-3.07446e+18,250,-9223372036854775608' &&
	[ "$(awk -F, '{ print NF }' out | sort -u | wc -l)" = 1 ]
verdict csv
code 0 "$post" events.nrm2 && has out '7  event ' && has out 'post -marks'
verdict told_where_no_samples_are

# ---- formats
for format in chrome perfetto ctf; do
	"$post" -q -format $format -o events.$format events.nrm2 2>err || cat err
done
jq -c '.traceEvents[] | select(.cat == "event") | [.ph, .tid, .ts, .name, .args]' events.chrome >have
diff - have >why <<'END'
["i",100,10000020,"order_done",{"number":4711,"amount":250,"took":1.5,"paid":true,"state":"busy","at":"0xabc","who":"me"}]
["i",101,10000030,"order_done",{"number":4713,"amount":-50,"took":2.5,"paid":false,"state":9,"at":"0xdef","who":"x\\y"}]
["i",200,10000040,"tick",{}]
["i",200,10000045,"tick",{}]
["i",200,10000060,"order_done",{"number":"18446744073709551615","amount":"-9223372036854775808","took":"inf","paid":true,"state":"idle","at":"0x0","who":""}]
END
verdict chrome
protoc --decode=Trace --proto_path="$top/tests/post/export" "$top/tests/post/export/perfetto.proto" <events.perfetto >decoded
awk '/^  event \{/ { on = 1; text = ""; named = 0 }
	on && /category: "event"/ { named = 1 }
	on && /(flag|value|result|real|text|pointer|name): / { sub(/^ */, ""); text = text $0 ";" }
	on && /^  \}/ { on = 0; if (named) print text }' decoded >have
diff - have >why <<'END'
value: 4711;name: "number";result: 250;name: "amount";real: 1.5;name: "took";flag: true;name: "paid";text: "busy";name: "state";pointer: 2748;name: "at";text: "me";name: "who";name: "order_done";
value: 4713;name: "number";result: -50;name: "amount";real: 2.5;name: "took";flag: false;name: "paid";value: 9;name: "state";pointer: 3567;name: "at";text: "x\\\\y";name: "who";name: "order_done";
name: "tick";
name: "tick";
value: 18446744073709551615;name: "number";result: -9223372036854775808;name: "amount";real: inf;name: "took";flag: true;name: "paid";text: "idle";name: "state";pointer: 0;name: "at";text: "";name: "who";name: "order_done";
END
verdict perfetto
# Markers of the thread that wrote them, with a schema each; a thread without samples has its own, too.
{
	printf '0 on\n0 task walk 100 1 shop\n0 task walk_thread 100/101 1 till\n'
	printf '10 declare 0 100 7 done type:u64,took:f64:ms\n20 event 0 100 7 1 f:1.5\n'
	printf '30 event 0 100/101 7 2 f:2.5\n40 sample 0 100 0x1000\n50 off\n'
} | "$make_script" fire.nrm2 || exit 1
"$post" -q -format firefox -o fire.json fire.nrm2 2>err || cat err
jq -c '(.meta.markerSchema[] | select(.name != "Span") | [.name, .tableLabel, [.data[] | [.key, .label, .format]]]), (.threads[] | . as $t |
	[.name, [.markers.name[] | $t.stringArray[.]], .markers.startTime, .markers.data, .markers.length, .samples.time])' fire.json >have
diff - have >why <<'END'
["done/0","done",[["_type","type","integer"],["_took","took (ms)","decimal"]]]
["shop",["done"],[0],[{"type":"done/0","_type":1,"_took":1.5}],1,[0.02]]
["till",["done"],[0.01],[{"type":"done/0","_type":2,"_took":2.5}],1,[]]
END
verdict firefox
# Classes of their own with typed fields, by a reader that knows nothing of us.
babeltrace2 --clock-cycles events.ctf 2>err | sed -nE 's/^.* (order_done|tick): \{ cpu_id = ([0-9]+) \}, /\1 \2 /p' >have
diff - have >why <<'END'
order_done 0 { pid = 100, tid = 100, comm = "shop" }, { number = 4711, amount = 250, took = 1.5, paid = 1, state = ( "busy" : container = 1 ), at = 0xABC, who = "me" }
order_done 1 { pid = 100, tid = 101, comm = "till" }, { number = 4713, amount = -50, took = 2.5, paid = 0, state = ( <unknown> : container = 9 ), at = 0xDEF, who = "x\\\\y" }
tick 1 { pid = 200, tid = 200, comm = "other" }
tick 1 { pid = 200, tid = 200, comm = "other" }
order_done 1 { pid = 200, tid = 200, comm = "other" }, { number = 18446744073709551615, amount = -9223372036854775808, took = inf, paid = 1, state = ( "idle" : container = 0 ), at = 0x0, who = "" }
END
verdict ctf

# ---- by time: another program in the same process number; one declared too late
"$make_script" times.nrm2 <<'END' || exit 1
0 on
0 task walk 100 1 one
5 event 0 100 7 1
10 declare 0 100 7 early a:u64
20 event 0 100 7 2
25 declare 0 100 7 early a:u64
30 task exit 100 1 one
40 task fork 100 1 two
50 declare 0 100 7 later b:i64
60 event 0 100 7 3
70 off
END
code 0 "$post" -q -show -o - times.nrm2 && grep ' event ' out | sed -E 's/.* event  *([a-z]+) .*uid=1000 /\1 /' | paste -sd';' >have
echo 'early a=1;early a=2;later b=3' | diff - have >why
verdict by_time
code 0 "$post" -q -marks -json times.nrm2 && jq -c '[.marks.events[] | select(.field == null) | [.name, .records]]' out >have
echo '[["early",2],["later",1]]' | diff - have >why
verdict by_time_counted
# Two traces of machines that number alike are one.
"$make_script" second.nrm2 <<'END' || exit 1
0 on
0 task walk 100 1 far
10 declare 0 100 7 faraway c:u8
20 event 0 100 7 9
30 off
END
code 0 "$post" -q -marks -json times.nrm2 second.nrm2 && jq -c '[.marks.events[] | select(.field != null) |
	[.name, .field, .records, .max]] | sort' out >have
echo '[["early","a",2,2],["faraway","c",1,9],["later","b",1,3]]' | diff - have >why
verdict merged

# ---- a NUL within a string ends it nowhere
"$make_script" nul.nrm2 <<'END'
10 on
20 declare 1 100 7 order who:str
30 event 1 100 7 "a%b
40 event 1 100 9 "%%c
50 off
END
code 0 "$post" -q -show -o - nul.nrm2 && grep ' event ' out | sed 's/.*uid=1000 //' | paste -sd' ' >have
echo 'who="a\\x00b" "\\x00\\x00c"' >why
diff have why >difference && code 0 "$post" -q -show -json -o - nul.nrm2 &&
	[ "$(jq -r 'select(.record == "event") | .fields.who // .strings[0]' out | paste -sd' ')" = 'a\x00b \x00\x00c' ]
verdict nul_within_strings

# ---- hostile declarations: refused in words, and the events are shown raw
refuses() { # WORDS NAME FIELDS
	printf '0 on\n0 task walk 100 1 app\n10 declare 0 100 7 %s %s\n20 event 0 100 7 1\n30 off\n' "$2" "$3" |
		"$make_script" bad.nrm2 || return 1
	code 1 "$post" -q -marks -json bad.nrm2 && jq -e '.marks.events == [] and
		.marks.events_without_declaration == 1' out >why && has err "not a declaration of an event: $1" &&
		code 1 "$post" -q -show -o - bad.nrm2 && has out 'uid=1000 0x1' && ! grep -q $'\033' out err
}
refuses "an event's name has" $'a\033[31mb' a:u8 && refuses "a field's name has" ok $'\033:u8' &&
	refuses 'a type that is none of' ok a:u65 && refuses 'two fields with the same name' ok a:u8,a:u8 &&
	refuses 'a unit has only printable' ok $'a:u8:\033[31m' && refuses 'an enum needs the names' ok a:enum:
verdict refused
refuses 'fields of more than 2048' ok "$(seq -s, -f 'f%.0f:u8' 1000000 | head -c 6000)" &&
	refuses 'more than 32 fields' ok "$(seq -s, -f 'f%.0f:u8' 33)" &&
	refuses "an event's name is longer than 64" "$(printf 'n%.0s' $(seq 65))" a:u8
verdict bounded
printf '0 on\n10 raw 0 0x19 0x43 24\n20 raw 0 0x19 0x43 0\n25 raw 0 0xc8 7 8\n30 off\n' | "$make_script" short.nrm2 &&
	code 1 "$post" -q -marks -json short.nrm2 && has err 'no number, name and fields'
verdict short
finish
