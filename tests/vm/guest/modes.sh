# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: modes.sh SECONDS. Normal mode with buffers that are too small, each of the two; then
# continuous mode for so long under a load of forks, its memory watched; an idle machine.
cd /tmp || exit
seconds=$1

# With stacks: a machine that is late with most of its ticks fills the buffer all the same. A busy host may give
# this machine too little time: then once more, for longer.
for times in 1 4 16; do
	swtrace run -a -g=fp -t norm -s 1 -ss 32 -F 20000 -o trace-full.nrm2 -- \
		load $((seconds * times)) 2 >trace-full.txt 2>&1
	echo "exit $?" >>trace-full.txt
	! grep -q 'stopped early' trace-full.txt || break
	[ $times = 16 ] || rm -f trace-full.nrm2
done
swtrace run -a -t norm -sm 1 -ss 32 -F 10 -o mte-full.nrm2 -- lives names 60000 >mte-full.txt 2>&1
echo "exit $?" >>mte-full.txt

# Its own memory: of the driver's buffers it sees one page after the other for the first time.
rss() {
	sed -n 's/^RssAnon:[^0-9]*\([0-9]*\) kB/\1/p' /proc/$1/status 2>/dev/null
}
swtrace run -a -F 10000 -o cont.nrm2 -- load "$seconds" 2 >cont.txt 2>&1 &
pid=$!
sleep 3
echo "begin $(rss $pid)" >memory.txt
# While the load runs: what is read at the end, of the kernel's symbols, is not growth. The load may
# end while its last second is looked at.
last='' each=''
while kb=$(rss $pid) && pidof load >/dev/null; do
	before=$last last=$kb each="$each $kb"
	sleep 1
done
echo "end $before" >>memory.txt
echo "each $each" >>memory.txt
wait $pid
echo "exit $?" >>cont.txt

# With raw cycles as stamps where there are any: emulated CPUs do not promise what auto asks for.
clock=auto
[ "$(uname -m)" != x86_64 ] || clock=tsc
swtrace run -a -e timer -F 1000 --clock $clock -o idle.nrm2 -- sleep 3 >idle.txt 2>&1
echo "exit $?" >>idle.txt
