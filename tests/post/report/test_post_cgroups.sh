#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Cgroups: as tables, as a filter, in all forms; of children, of pids that are used again; names of containers. Times that
# count from when tracing began.
set -u
# shellcheck source=tests/lib/post_lib.sh
. "$(dirname "$0")/../../lib/post_lib.sh"

id=$(printf '0123456789abcdef%.0s' 1 2 3 4)
sort -sn <<END | "$make_script" story.nrm2 || exit 1
0 on
0 task walk 100 1 shop
0 cgroup 100 /system.slice/docker-$id.scope
0 task walk 200 1 ware
0 cgroup 200 /system.slice/nginx.service
0 task walk 300 1 stray
0 map 100 0x400000 0x8000 0x0 /nowhere/shop
0 map 200 0x400000 0x8000 0x0 /nowhere/ware
10 sample 0 100 0x400100
20 task fork 101 100 shop
25 sample 0 101 0x400100
26 sample 0 101 0x400100
30 task exit 101 100 shop
40 task fork 101 200 ware
45 sample 0 101 0x400100
50 sample 1 200 0x400100
55 sample 1 300 0x400100
60 task exec 200 1 moved
60 cgroup 200 /a\\e[31m
65 sample 1 200 0x400100
70 off
END
cgroups() { # name, path, ticks, pids of each
	"$post" -json -cgroup story.nrm2 2>err |
		jq -r '.cgroups[] | "\(.name) \(.path) \(.ticks) \([.processes[].pid] | sort | join(","))"' | LC_ALL=C sort >have
}
cat >want <<END
/a\\e[31m /a\\e[31m 1 200
docker:0123456789ab /system.slice/docker-$id.scope 3 100,101
nginx.service /system.slice/nginx.service 2 101,200
unknown  1 300
END
cgroups
diff want have >why
verdict json
is_csv=$("$post" -csv -cgroup -q story.nrm2 | awk -F, 'NR == 1 { print $1 "," $2 } NR > 1 { n[$1] += $(NF - 2) } END { print n["nginx.service"] }')
[ "$is_csv" = 'cgroup,cgroup_path
2' ] || { echo "$is_csv"; "$post" -csv -cgroup -q story.nrm2; } >why
[ ! -s why ]
verdict csv
code 0 "$post" -cgroup story.nrm2 && has out '42.86           3  docker:0123456789ab' && has out '  CGROUP                   PATH' &&
	has tprof.out ' )) Cgroup_Process_Module_Symbol' && grep -q '^ CGR .* 3 .*docker:0123456789ab' tprof.out
verdict screen
code 0 "$post" story.nrm2 && ! grep -q CGROUP out && ! grep -q Cgroup tprof.out && code 0 "$post" -json story.nrm2 &&
	jq -e '(.cgroups | not) and (.processes | length == 6)' out >why
verdict only_on_request
for each in 'docker:*:3' 'docker:0123456789ab:3' "/system.slice/docker-$id.scope:3" '*.service,unknown:3' 'unknown:1' \
	'/system.slice/*:5' '/a*:1'; do
	"$post" -q -json -cgroup="${each%:*}" story.nrm2 | jq '.total_ticks' >have
	[ "$(cat have)" = "${each##*:}" ] || echo "$each: $(cat have)" >>why
done
[ ! -s why ]
verdict filter
code 0 "$post" -cgroup=dcoker:0123456789ab story.nrm2 && has out 'No sample passes the filter' && has out '-cgroup: docker:0123456789ab'
verdict near_names
code 0 "$post" -pnm -cgroup -json story.nrm2 && jq -e '[.cgroups[] | select(.name == "nginx.service").processes[].name] == ["ware"]' out >why
verdict by_process_name
code 2 "$post" -show -cgroup story.nrm2 && has err 'cannot be combined with -comm or -cgroup' && code 2 "$post" -irq -cgroup=x story.nrm2
verdict refused
code 0 "$post" -show -o - story.nrm2 && grep -q 'cgroup .*pid=200 id=0 path="/system.slice/nginx.service"' out
verdict shown
code 0 "$post" -format perf.data -o x.data story.nrm2 && code 0 "$post" -q -json x.data && jq -e '.total_ticks == 7' out >why
verdict other_format
cp story.nrm2 again.nrm2
code 0 "$post" -q -json -cgroup story.nrm2 again.nrm2 && jq -e '[.cgroups[] | select(.name == "nginx.service").ticks] == [4]' out >why
verdict of_several_traces

# ---- all reports of processes and threads
code 0 "$post" -q -csv -calltree -cgroup story.nrm2 && head -n 1 out | grep -q '^id,parent,depth,pid,name,.*,cgroup,cgroup_path,self,total,percent$' &&
	[ "$(grep -c ',nginx.service,/system.slice/nginx.service,' out)" = 2 ] && [ "$(grep -c ',,,1,1,' out)" -ge 1 ]
verdict calltree_csv
code 0 "$post" -q -json -calltree -cgroup story.nrm2 && jq -e '([.cgroups[] | [.total, .cgroup]] | sort | map(.[0])) == [1, 1, 2, 3] and
	(.cgroups[0] | .cgroup == "docker:0123456789ab" and .percent > 42 and .percent < 43) and
	([.calls[] | select(.cgroup == "nginx.service").total] | add) == 2' out >why
verdict calltree_json
code 0 "$post" -calltree -cgroup story.nrm2 && has out '42.86  docker:0123456789ab' && grep -q ' ware (200) in nginx.service$' out &&
	grep -q 'ware_c8 in nginx.service$' calltree.out && code 0 "$post" -calltree story.nrm2 && ! grep -q 'nginx\|CGROUP' out calltree.out
verdict calltree_words
code 0 "$post" -folded -cgroup story.nrm2 && [ "$(grep -c '^docker:0123456789ab;shop;' out)" = 2 ] && has out 'nginx.service;ware;'
verdict folded

# A process that moves without a new program: one process, two cgroups, and threads of both.
sort -sn <<END | "$make_script" moved.nrm2 || exit 1
0 on
0 task walk 100 1 shop
0 cgroup 100 /first.service
0 task walk 200 1 other
5 dispatch 0 0 running 100
5 dispatch 1 0 running 200
10 sample 0 100 0x400100
20 dispatch 0 100 sleep 0
25 wake 1 200 100
30 cgroup 100 /second.service
40 dispatch 0 0 running 100
50 sample 0 100 0x400100
60 dispatch 0 100 sleep 0
70 off
END
code 0 "$post" -q -json moved.nrm2 && jq -e '[.processes[] | select(.pid == 100).ticks] == [2]' out >why
verdict moved_is_one
code 0 "$post" -q -json -cgroup moved.nrm2 && jq -e '[.cgroups[] | [.name, .ticks]] | sort == [["first.service", 1], ["second.service", 1]]' out >why
verdict moved_in_each
for report in sched offcpu; do
	code 0 "$post" -q -json -$report -cgroup moved.nrm2 &&
		jq -e '[.. | objects | select(.pid == 100 and has("cgroup")).cgroup] | unique == ["first.service", "second.service"]' out >why &&
		code 0 "$post" -$report -cgroup -o - moved.nrm2 && has out 'shop (100) in ' &&
		code 0 "$post" -$report -o - moved.nrm2 && ! grep -q ' in first\| in second' out
	verdict "$report"
done
code 0 "$post" -q -csv -sched -cgroup moved.nrm2 && head -n 1 out | grep -q 'thread,cgroup,cgroup_path'
verdict sched_csv

# ---- a perf.data: each sample is in the cgroup that perf recorded with it
"$top/tests/post/input/perf_details_image" little >little.data
"$post" -q -json -cgroup little.data 2>err | jq -c '[.cgroups[] | [.name, .path, .ticks]] | sort' >have
echo '[["/","/",1],["/outer/inner","/outer/inner",1],["number 99","",1]]' | diff - have >why
verdict perf_data
for each in /outer/inner:1 'number*:1' '/*:2' unknown:0; do
	"$post" -q -json -cgroup="${each%:*}" little.data 2>err | jq '.total_ticks' >have
	[ "$(cat have)" = "${each##*:}" ] || echo "$each: $(cat have)" >>why
done
[ ! -s why ]
verdict perf_data_filter
"$post" -q -json little.data 2>err | jq -e '.total_ticks == 3 and (.processes | length == 1)' >why
verdict perf_data_is_one
perf record -q -e cpu-clock --all-cgroups -o real.data -- sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done' 2>why
if [ -s real.data ]; then
	perf report -i real.data --sort cgroup -F sample,cgroup --stdio 2>/dev/null |
		awk '!/^#/ && NF { n[$2] += $1 } END { for (i in n) print n[i], i }' | sort >want
	"$post" -q -json -cgroup real.data 2>err | jq -r '.cgroups[] | "\(.ticks) \(.path)"' | sort >have
	diff want have >why
	verdict perf_data_as_perf
else
	echo "skip post_cgroups_perf_data_as_perf perf cannot record cgroups here"
fi

# A trace of this machine: the path is that of /proc, without a line end; children are in the same.
"${BIN:-$build/bin}/swtrace" run -q -B timer -o real.nrm2 -- sh -c 'sh -c "i=0; while [ \$i -lt 60000 ]; do i=\$((i + 1)); done"; :'
path=$(sed 's/^[^:]*:[^:]*://' /proc/self/cgroup | awk 'length > length(longest) { longest = $0 } END { print longest }')
"$post" -q -json -cgroup real.nrm2 | jq -r '.cgroups[].path' >have
echo "$path" | diff - have >why
verdict recorded

# ---- times
code 0 "$post" -show -reltime -json -o - story.nrm2 && start=$("$post" -show -json -o - story.nrm2 | jq -s '[.[] | select(.kind == "interval")][0].time') &&
	"$post" -show -json -o - story.nrm2 | jq -c "[.time - $start, .kind]" >want &&
	jq -c '[.time, .kind]' out | diff want - >why && [ "$(wc -l <want)" -gt 15 ]
verdict relative
code 0 "$post" -show -reltime -o - story.nrm2 && grep -q '^    0\.000000000 .* interval' out && ! grep -qE '^ +[0-9]{2,}\.' out
verdict relative_words
from=0.000030
code 0 "$post" -q -json -reltime -time $from- story.nrm2 && jq -e '.total_ticks == 4' out >why &&
	code 0 "$post" -q -json -reltime -time 1000- story.nrm2 && jq -e '.total_ticks == 0' out >why &&
	code 0 "$post" -q -json -reltime -time 0-18446744072 story.nrm2 && jq -e '.total_ticks == 7' out >why
verdict relative_filter
code 2 "$post" -reltime story.nrm2 && has err '-reltime requires -show or -time'
verdict relative_alone
[ $failures = 0 ]
