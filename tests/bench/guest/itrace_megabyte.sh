# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: itrace_megabyte.sh debugger|collector: lines "gzip WHO TICKS" of `gzip -1` of 1 MB of
# zeros, alone and under each; "file packed BYTES".
. /rig/bench/lib.sh
head -c 1048576 /dev/zero >/tmp/in

# under WHO COMMAND...: with all that the command does, its own start and end included
under() {
	local who=$1
	shift
	itrace_work timed "$@" gzip -1 -c /tmp/in >/tmp/out 2>/tmp/said || { cat /tmp/said; fail gzip $who; }
	echo "gzip $who $(sed -n 's/^ticks //p' /tmp/said)"
	grep -i branches /tmp/said | sed "s/^/# /"
}
# The first one brings its files into memory.
under first
under alone
command -v valgrind >/dev/null && under callgrind valgrind -q --tool=callgrind --callgrind-out-file=/dev/null
under driver swtrace run --itrace -B driver -n all --clock tsc -t cont -o /tmp/packed.nrm2 --
size /tmp/packed.nrm2 | sed 's/^/file packed /'
rm /tmp/packed.nrm2
case $1 in
debugger) under debugger itrace_work stepped ;;
collector) under collector swtrace run --itrace -B ptrace -n all -o /tmp/stepped.nrm2 -- ;;
esac
exit 0
