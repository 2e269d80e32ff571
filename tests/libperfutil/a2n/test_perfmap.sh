#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# perf maps: a program's code that comes and is overwritten, named from the pieces of its map that the
# trace has: no tick that counts as sure is wrong, by the program's own CPU clock; from the file where
# the trace has none; in a container; in a child of fork; and which files are refused. Then node, and
# CPython where it has such maps.
set -u

top=$(cd "$(dirname "$0")/../../.." && pwd)
build=${PITRACE_BUILD:-$top/build}
bin=${BIN:-$build/bin} programs=$build/tests
work=$(mktemp -d)
maps=
trap 'rm -rf "$work" $maps' EXIT
cd "$work" || exit 1
unset SUDO_UID SUDO_GID SUDO_USER
failures=0

verdict() { # NAME CODE [WHY]
	if [ "$2" = 0 ]; then
		echo "ok perfmap_$1"
	else
		echo "not ok perfmap_$1 ${*:3}"
		failures=$((failures + 1))
	fi
}
traced() { # COMMAND...
	"$bin/swtrace" run -q -- "$@" >log
}
# NAME TICKS UNSURE of the JIT code; the unannounced as "-"
have() {
	"$bin/post" -json "$@" 2>err |
		jq -r '.processes[].threads[].modules[] | select(.name == "JITCODE") | .symbols[] |
			"\(if .name == "JitUnannounced" then "-" else .name end) \(.ticks) \(.unsure_ticks // 0)"'
}
pid_of() {
	"$bin/post" -json 2>/dev/null | jq -r ".processes[] | select(.name == \"$1\") | .pid"
}
# Sure ticks of each name are no more than its share by the clock (and four standard deviations); the
# unsure are what falls between two looks, a second each.
sure() {
	awk -v truth=log -v most="$1" '
		{ ticks[$1] += $2 - $3; n += $2; unsure += $3 }
		END {
			while ((getline line < truth) > 0) {
				split(line, f, " ")
				time[f[1]] += f[2]
				all += f[2]
			}
			for (name in ticks) {
				p = time[name] / all
				if (ticks[name] > n * p + 4 * sqrt(n * p * (1 - p)) + 1)
					wrong = wrong " " name
				printf "%s %.1f %% sure, by its clock %.1f %%\n", name,
					100 * ticks[name] / n, 100 * p
			}
			# what the trace saw first after the process had ended is of its whole life
			if (unsure > most / 100 * n)
				wrong = wrong " unsure"
			print n, "ticks,", unsure, "unsure;", wrong ? "wrong:" wrong : "all right"
			exit n < 200 || wrong != ""
		}'
}

# ---- as it grows: 3 s each; what is overwritten between two looks is unsure until the second
traced "$programs/jitting" map 3000
pid=$(pid_of jitting)
maps="$maps /tmp/perf-$pid.map"
have >names
sure 30 <names >told
verdict times $? "$(cat told)"
cat told
grep -q '^m_one ' names && grep -q '^m_two ' names && ! grep -q '^- ' names
verdict names $? "$(cat names)"
# Checks that the test can fail: names of a reading are treated as valid from the program's start on.
sed 's/m_two/m_one/' log >shifted
mv log kept && mv shifted log
! sure 30 <names >/dev/null
verdict judged $?
mv kept log
grep -q "/tmp/perf-$pid.map: at byte 0: no address at its beginning (1 records left out)" err
verdict told $? "$(cat err)"
# All of it is in the trace: the file is not asked.
rm "/tmp/perf-$pid.map"
have >again
cmp -s names again
verdict in_trace $? "$(cat again)"

# ---- maps that take one another's place: by rename, by unlink
traced "$programs/jitting" renew 3000
maps="$maps /tmp/perf-$(pid_of jitting).map"
have >names
sure 30 <names >told
verdict renewed $? "$(cat told)"
cat told
[ "$(grep -c '^m_' names)" = 3 ] && ! grep -q '^- ' names
verdict renewed_names $? "$(cat names)"

# ---- a child has its parent's code, also where the parent is the one who told
traced "$programs/jitting" child 700
maps="$maps /tmp/perf-$(pid_of jitting | head -n 1).map"
[ "$(have | cut -d' ' -f1 | sort | uniq -c | awk '{ print $2, $1 }')" = "c_one 2" ]
verdict child $? "$(have)"
# Both were gone before anybody looked: what they left is in the trace too.
traced "$programs/jitting" child 100
rm "/tmp/perf-$(pid_of jitting | head -n 1).map"
[ "$(have | cut -d' ' -f1 | sort | uniq -c | awk '{ print $2, $1 }')" = "c_one 2" ]
verdict short $? "$(have)"

# ---- a container: another number, another /tmp
if unshare -mpf --mount-proc true 2>/dev/null; then
	# The program must not be in the /tmp that is covered.
	outside=$(mktemp -d /var/tmp/perfmap.XXXXXX)
	maps="$maps $outside"
	cp "$programs/jitting" "$outside"
	traced unshare -mpf --mount-proc sh -c \
		"mount -t tmpfs tmpfs /tmp && exec $outside/jitting map 700"
	have >names
	grep -q '^m_two ' names && ! grep -q '^- ' names
	verdict container $? "$(cat names err)"
	# It lives on, and writes its map when nobody traces any more: the file is found in its /tmp by its own number.
	unshare -mpf --mount-proc sh -c "mount -t tmpfs tmpfs /tmp && exec $outside/jitting silent 60000" >/dev/null 2>&1 &
	job=$!
	sleep 0.5
	"$bin/swtrace" run -q -a -- sleep 1 >log
	pid=$(pgrep -P $job)
	inner=$(awk '/^NSpid/ { print $NF }' "/proc/$pid/status")
	low=$("$bin/post" -show -o - | awk -v pid="pid=$pid" '/length=0x10000 .*anon/ && $0 ~ pid' |
		grep -o 'start=[0-9a-fx]*' | tail -n 1 | cut -d= -f2)
	[ "$pid" != "$inner" ] && have -pid "$pid" | grep -q '^- '
	verdict lives $? "$pid $inner $(have -pid "$pid"; cat err)"
	echo "${low#0x} 10000 inside" >"/proc/$pid/root/tmp/perf-$inner.map"
	[ "$(have -pid "$pid" | cut -d' ' -f1)" = inside ]
	verdict lives_in_a_container $? "$(have -pid "$pid"; cat err)"
	mv "/proc/$pid/root/tmp/perf-$inner.map" "/proc/$pid/root/tmp/perf-$pid.map"
	[ "$(have -pid "$pid" | cut -d' ' -f1)" = - ]
	verdict lives_by_another_number $? "$(have -pid "$pid"; cat err)"
	kill -9 "$pid"
	wait $job 2>/dev/null
else
	echo "skip perfmap_container no namespaces here"
	for name in lives lives_in_a_container lives_by_another_number; do
		echo "skip perfmap_$name no namespaces here"
	done
fi

# ---- files, where the trace has none: an older trace of the same process, so to speak
traced "$programs/jitting" silent 400
pid=$(pid_of jitting)
map=/tmp/perf-$pid.map
maps="$maps $map"
low=$("$bin/post" -show -o - | awk -v pid="pid=$pid" '/anon/ && $0 ~ pid' |
	grep -o 'start=[0-9a-fx]*' | tail -n 1 | cut -d= -f2)
line="${low#0x} 10000 whole"
rm -f "$map"
mkdir folder
echo "$line" >"folder/perf-$pid.map"
[ "$(have -jdir folder | cut -d' ' -f1)" = whole ]
verdict jdir $? "$(have -jdir folder; cat err)"
[ "$(have | cut -d' ' -f1)" = - ]
verdict none $? "$(have; cat err)"
echo "$line" >"$map"
touch -r swtrace.nrm2 "$map"
[ "$(have | cut -d' ' -f1)" = whole ]
verdict file $? "$(have; cat err)"
printf '%s second\n' "${low#0x} 10000" >>"$map"
touch -r swtrace.nrm2 "$map"
[ "$(have | awk '{ print $1, ($2 == $3 && $2 > 0) }')" = "second 1" ]
verdict two_codes $? "$(have; cat err)"
touch -d '1 hour ago' "$map"
[ "$(have | cut -d' ' -f1)" = - ] && grep -q "$map: it is older than the process" err
verdict older $? "$(have; cat err)"
touch -d '1 hour' "$map"
[ "$(have | cut -d' ' -f1)" = - ] && grep -q "$map: it was written after the process had ended" err
verdict newer $? "$(have; cat err)"
rm "$map"
ln -s "$work/folder/perf-$pid.map" "$map"
[ "$(have | cut -d' ' -f1)" = - ] && grep -q "$map: it is a link" err
verdict link $? "$(have; cat err)"
rm "$map"
if [ "$(id -u)" = 0 ]; then
	echo "$line" >"$map"
	chown 12345 "$map"
	[ "$(have | cut -d' ' -f1)" = - ] && grep -q "$map: it is another user's file" err
	verdict another $? "$(have; cat err)"
	rm "$map"
fi

# ---- perf's own command: older than its exec, whose time alone the recording tells
if perf record -q -k mono -e cpu-clock:u -o own.data "$programs/jitting" silent 400 >log 2>err; then
	pid=$("$bin/post" -json -r own.data 2>/dev/null | jq -r '.processes[] | select(.name == "jitting") | .pid')
	map=/tmp/perf-$pid.map
	maps="$maps $map"
	low=$("$bin/post" -show -o - -r own.data | awk -v pid="pid=$pid" '/anon/ && $0 ~ pid' |
		grep -o 'start=[0-9a-fx]*' | tail -n 1 | cut -d= -f2)
	echo "${low#0x} 10000 whole" >"$map"
	touch -r own.data "$map"
	[ "$(have -r own.data | cut -d' ' -f1)" = whole ]
	verdict perf_own $? "$(have -r own.data; cat err)"
	touch -d '1 hour ago' "$map"
	[ "$(have -r own.data | cut -d' ' -f1)" = - ] && grep -q "$map: it is older than the process" err
	verdict perf_own_older $? "$(have -r own.data; cat err)"
	! grep -q 'the trace does not have the time of day' err
	verdict perf_own_checked $? "$(cat err)"
	# By perf's own clock (more of it: test_perfmap_age.sh)
	rm -f "$map"
	perf record -q -e cpu-clock:u -o clock.data "$programs/jitting" silent 400 >log 2>err
	pid=$("$bin/post" -json -r clock.data 2>/dev/null | jq -r '.processes[] | select(.name == "jitting") | .pid')
	map=/tmp/perf-$pid.map
	maps="$maps $map"
	low=$("$bin/post" -show -o - -r clock.data | awk -v pid="pid=$pid" '/anon/ && $0 ~ pid' |
		grep -o 'start=[0-9a-fx]*' | tail -n 1 | cut -d= -f2)
	echo "${low#0x} 10000 whole" >"$map"
	touch -r clock.data "$map"
	[ "$(have -r clock.data | cut -d' ' -f1)" = whole ] && ! grep -q 'it is used, but' err
	verdict perf_clock $? "$(have -r clock.data; cat err)"
	touch -d '1 hour ago' "$map"
	[ "$(have -r clock.data | cut -d' ' -f1)" = - ] && grep -q "$map: it is older than the process" err
	verdict perf_clock_older $? "$(have -r clock.data; cat err)"
	touch -d '1 hour' "$map"
	[ "$(have -r clock.data | cut -d' ' -f1)" = - ] &&
		grep -q "$map: it was written after the recording had ended" err
	verdict perf_clock_newer $? "$(have -r clock.data; cat err)"
else
	echo "skip perfmap_perf_own perf record: $(head -n 1 err)"
fi

# ---- real ones
cat >busy.js <<'EOF2'
function alpha(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i) * 3; return s; }
function beta(n) { let s = 1; for (let i = 1; i < n; i++) s = (s * 31 + i) % 65521; return s; }
const t = Date.now();
let x = 0;
while (Date.now() - t < 2500) { for (let i = 0; i < 5; i++) x += alpha(20000) + beta(20000); }
console.log(x > 0);
EOF2
if command -v node >/dev/null; then
	traced node --perf-basic-prof --interpreted-frames-native-stack busy.js
	maps="$maps $(pid_of node | sed 's,.*,/tmp/perf-&.map,')"
	have >names
	awk '{ t = $(NF - 1); n += t } $1 == "-" { none += t } /busy.js/ { mine += t }
		END { print n, "ticks,", mine, "in the script,", none + 0, "without a name"
			exit !(n > 200 && mine > 0.8 * n && none < 0.05 * n) }' names >told
	verdict node $? "$(cat told names)"
	cat told
else
	echo "skip perfmap_node it is not installed"
fi

# The maps that others write: each line of theirs is understood, their code has its names. Names with newlines
# (node's, of what a program calls a function) and blanks are not damage.
written() { # NAME PATTERN PROCESS COMMAND...: most of the JIT code's ticks have such names
	local name=$1 pattern=$2 process=$3
	shift 3
	traced "$@" 2>/dev/null
	maps="$maps $(pid_of "$process" | sed 's,.*,/tmp/perf-&.map,' | tr '\n' ' ')"
	have >names
	awk -v pattern="$pattern" '{ t = $(NF - 1); n += t } $1 == "-" { none += t } $0 ~ pattern { mine += t }
		END { print n + 0, "ticks,", mine + 0, "of such names,", none + 0, "without a name"
			exit !(n > 20 && mine > 0.5 * n && none < 0.1 * n) }' names >told && ! grep -q 'perf-.*\.map' err
	verdict "written_by_$name" $? "$(cat told err; head -n 5 names)"
	cat told
}
if command -v node >/dev/null; then
	cat >names.js <<'EOF2'
const o = { "line one\nc 40 two": function (n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) | 0; return s; } };
const f = o["line one\nc 40 two"];
let x = 0;
for (const t = Date.now(); Date.now() - t < 2000;) x ^= f(300000);
EOF2
	written node 'line one' node node --perf-basic-prof names.js
else
	echo "skip perfmap_written_by_node it is not installed"
fi
if command -v javac >/dev/null && java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit -version >/dev/null 2>&1; then
	cat >Busy.java <<'EOF2'
public class Busy {
	static int hot(int[] a) { int s = 0; for (int i = 0; i < a.length; i++) s = s * 31 + a[i] + i; return s; }
	public static void main(String[] args) {
		int[] a = new int[100000];
		long end = System.nanoTime() + 2500000000L;
		while (System.nanoTime() < end) a[0] = hot(a);
	}
}
EOF2
	javac Busy.java && written java '^int Busy.hot' java java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit -cp . Busy
else
	echo "skip perfmap_written_by_java no Java here that writes perf maps"
fi
if command -v erl >/dev/null; then
	written erlang '[$]erl_eval|[$]lists|[$]erlang' beam.smp erl +S 1 +JPperf map -noshell -eval \
		'T = erlang:monotonic_time(millisecond), F = fun(G) -> lists:sum(lists:seq(1, 100000)), case erlang:monotonic_time(millisecond) - T > 2000 of true -> ok; _ -> G(G) end end, F(F), halt().'
else
	echo "skip perfmap_written_by_erlang it is not installed"
fi
if command -v php >/dev/null; then
	echo '<?php function hot($n) { $s = 0; for ($i = 0; $i < $n; $i++) $s = ($s * 31 + $i) % 65521; return $s; }
		for ($t = microtime(true); microtime(true) - $t < 2;) hot(100000);' >busy.php
	written php 'hot' php php -d opcache.enable_cli=1 -d opcache.jit=1255 -d opcache.jit_buffer_size=16M -d opcache.jit_debug=16 -d opcache.file_update_protection=0 busy.php
else
	echo "skip perfmap_written_by_php it is not installed"
fi
[ $failures = 0 ]
