# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: jit.sh RATE MS [x86]. Programs that generate code and announce it in every possible way.
cd /tmp || exit
rate=$1 ms=$2

traced() { # NAME [OPTION]... -- COMMAND...
	local name=$1
	shift
	swtrace run -q -F "$rate" -o "$name.nrm2" "$@" >"$name.txt" && return
	echo "not ok jit_${name}_ran"
	exit 1
}

for way in move child log hook; do
	traced $way -- jitting $way "$ms"
done
traced reuse -- jitting reuse $((3 * ms))
[ -n "$3" ] || exit 0

# Times of the processor's own clock: the trace has them too, or not.
traced raw --clock tsc -- jitting raw "$ms"
traced other --clock monotonic -- jitting raw "$ms"

# Functions that PHP compiles when a program starts, called in turn; each one's CPU time by the process's own clock.
cat >work.php <<'END'
<?php
function one($n) { $s = 0; for ($i = 0; $i < $n; $i++) $s += ($i * 3) ^ $i; return $s; }
function two($n) { $s = 1; for ($i = 1; $i < $n; $i++) $s = ($s * 31 + $i) % 65521; return $s; }
function three($n) { $s = 1; for ($i = 1; $i < $n; $i++) $s = (($s << 1) ^ $i) & 65535; return $s; }
function now() {
	$used = getrusage();
	return ($used['ru_utime.tv_sec'] + $used['ru_stime.tv_sec']) * 1000000 +
		$used['ru_utime.tv_usec'] + $used['ru_stime.tv_usec'];
}
foreach (['one' => 0.6, 'two' => 1, 'three' => 0.4] as $name => $part) {
	$start = $now = now();
	while ($now - $start < $part * $argv[1] * 1000) {
		$name(100000);
		$now = now();
	}
	echo $name, ' ', ($now - $start) * 1000, "\n";
}
END
# Without its files: it would miss them aloud.
traced php -- php -n -d display_errors=0 -d zend_extension=/usr/lib/php/opcache.so -d opcache.enable_cli=1 \
	-d opcache.file_update_protection=0 -d opcache.jit=function -d opcache.jit_buffer_size=16M \
	-d opcache.jit_debug=0x20 work.php "$ms"
