# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: itrace_long.sh BRANCHES LOSSY_BRANCHES: a long trace that waits for its consumer, and
# one that does not; two of the same thread; what each says comes back.
cd /tmp || exit
mkdir logs
cp "$(command -v itrace_long)" long
swtrace run --itrace --from main -B driver -n all -t cont -o logs/whole.nrm2 -- ./long "$1" >logs/whole.said 2>logs/whole.err
echo "code $?" >>logs/whole.said
# The writer pauses for a while.
swtrace run --itrace --from main -B driver -n all -t cont -s 1 --lossy -o logs/lossy.nrm2 -- ./long "$2" >logs/lossy.said 2>logs/lossy.err &
pid=$!
for wait in 1 2 3 4 5 6 7 8 9 10; do
	sleep 0.3
	[ -s logs/lossy.nrm2 ] && pidof long >/dev/null && break
done
sleep 0.5
kill -STOP $pid
sleep 1
kill -CONT $pid
wait $pid
echo "code $?" >>logs/lossy.said
# A thread that one session traces another cannot have: once the first one's branches are in its file, behind
# the names.
./long 1000000000 &
long=$!
swtrace run -q --itrace -B driver --lossy -n all -t cont -p $long -o first.nrm2 &
first=$!
tries=0
until [ -e first.nrm2 ] && [ "$(stat -c %s first.nrm2)" -gt 1000000 ] || [ $((tries += 1)) -gt 120 ]; do
	sleep 0.5
done
swtrace run --itrace -B driver -n all -t cont -p $long -d 1 -o second.nrm2 2>logs/second.err
kill -INT $first
wait $first
kill $long
tail -n 1 logs/*.err
rmmod pitrace
