#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# perf maps beside a perf.data of perf's own clock: whether a map is older or newer than its process is
# told by the file's begin and end, by this machine's clock, by the process while it lives; where none
# of these tells, that is said.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
post=$bin/post
maps=
trap 'rm -rf "$work" $maps' EXIT
cd "$work" || exit 1

if ! perf record -q -e cpu-clock:u -o own.data "$programs/jitting" silent 400 >log 2>err; then
	echo "skip perfmap_age_all perf record: $(head -n 1 err)"
	exit 0
fi
# Within a minute of its end, however slow the machine.
cp own.data copy.data
# Names of the JIT code, one a line; the unannounced as "-".
have() { # TRACE
	"$post" -json -r "$1" 2>err |
		jq -r '.processes[].threads[].modules[] | select(.name == "JITCODE") | .symbols[] |
			if .name == "JitUnannounced" then "-" else .name end'
}
process_in() { # TRACE
	"$post" -json -r "$1" 2>/dev/null | jq -r '.processes[] | select(.name == "jitting") | .pid'
}
map_for() { # TRACE PID: where its code is, as its map would say it
	local low
	low=$("$post" -show -o - -r "$1" | awk -v pid="pid=$2" '/"\/\/anon"/ && $0 ~ pid' |
		grep -o 'start=[0-9a-fx]*' | tail -n 1 | cut -d= -f2)
	echo "${low#0x} 10000 whole"
}
named() { # NAME TRACE: and nothing is said of it
	[ "$(have "$2")" = whole ] && ! grep -q 'perf-.*map' err
	verdict "$1" $? "$(have "$2"; cat err)"
}
refused() { # NAME TRACE WHY
	[ "$(have "$2")" = - ] && grep -q "$map: $3" err
	verdict "$1" $? "$(have "$2"; cat err)"
}
unsure() { # NAME TRACE WHY
	[ "$(have "$2")" = whole ] && [ "$(grep -c "$map: it is used, but may belong .*$3" err)" = 1 ]
	verdict "$1" $? "$(have "$2"; cat err)"
}
dated() { # WHEN
	touch -d "$1" "$map"
}

# ---- it began and ended while perf recorded
pid=$(process_in own.data)
map=/tmp/perf-$pid.map maps="$maps $map"
map_for own.data "$pid" >"$map"
touch -r own.data "$map"
named own own.data
dated "@$(($(stat -c %W own.data) - 3))"
refused own_older own.data 'it is older than the process'
dated '2 days ago'
refused own_days_older own.data 'it is older than the process'
dated '1 hour'
refused own_newer own.data 'it was written after the recording had ended'

# ---- copies of it: the time of the copy is not taken for that of the recording
touch -r own.data "$map"
cp -p own.data kept.data
named copy_kept kept.data
named copy copy.data
cat own.data | "$post" -json -r - 2>err | jq -e '[.. | objects | select(.name? == "whole")] | length > 0' >/dev/null
verdict pipe $? "$(cat err)"
dated '1 hour ago'
refused copy_kept_older kept.data 'it is older than the process'
# A time that neither clock can be: nothing is known.
touch -d '1 hour ago' copy.data
unsure unknown copy.data 'does not have the time of day'

# ---- several traces as one
perf record -q -e cpu-clock:u -o second.data true 2>/dev/null
"$post" -json own.data second.data 2>err >/dev/null
grep -q "$map: it is older than the process" err
verdict merged $? "$(cat err)"
touch -r own.data "$map"
"$post" -json own.data second.data 2>err |
	jq -e '[.. | objects | select(.name? == "whole")] | length > 0' >/dev/null
verdict merged_same $? "$(cat err)"

# ---- a filter of what is read is not another trace
dated '1 hour ago'
"$post" -json -comm jitting -r own.data >/dev/null 2>err
grep -q "$map: it is older than the process" err
verdict filtered $? "$(cat err)"

# ---- it lived before perf came: /proc tells as long as it lives
for clock in "" "-k mono"; do
	n=attached${clock:+_mono}
	"$programs/jitting" silent 60000 >log 2>&1 &
	job=$!
	map=/tmp/perf-$job.map maps="$maps $map"
	sleep 1
	# shellcheck disable=SC2086
	perf record -q $clock -e cpu-clock:u -o $n.data -p $job -- sleep 1 2>err
	map_for $n.data $job >"$map"
	touch -r $n.data "$map"
	named $n $n.data
	dated '1 hour ago'
	refused ${n}_older $n.data 'it is older than the process'
	kill $job
	wait $job 2>/dev/null
	unsure ${n}_gone $n.data 'does not have the start of this one'
done

# ---- another process has its number by now
cat >reuse.sh <<'EOF2'
perf record -q -e cpu-clock:u -o reuse.data -p $1 -- sleep 1
kill $1
wait $1 2>/dev/null
sleep 2.5
echo $(($1 - 1)) >/proc/sys/kernel/ns_last_pid || exit 1
sleep 60 &
[ $! = $1 ]
EOF2
cat >inside.sh <<'EOF2'
"$programs/jitting" silent 60000 >log 2>&1 &
job=$!
sleep 0.5
. ./reuse.sh $job || { echo "skip perfmap_age_reused no number of one's own here"; exit 0; }
map=/tmp/perf-$job.map
map_for reuse.data $job >"$map"
touch -r reuse.data "$map"
unsure reused_before reuse.data 'does not have the start of this one'
touch "$map"
refused reused reuse.data "it belongs to a newer process with that pid"
rm -f "$map"
[ $failures = 0 ]
EOF2
export programs post work failures suite
export -f have map_for refused unsure verdict process_in
if unshare -mpf --mount-proc true 2>/dev/null; then
	unshare -mpf --mount-proc bash ./inside.sh || failures=1
else
	echo "skip perfmap_age_reused no namespaces here"
fi
[ $failures = 0 ]
