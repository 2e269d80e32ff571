# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: cpi of a loop of a known length, of a CPU that does nothing else, of idle CPUs, until
# Ctrl-C. The last CPU has the loop.
cd /tmp || exit
last=$(printf %x $((1 << ($(grep -c '^processor' /proc/cpuinfo) - 1))))

taskset $last cpi -c -u --json -o few.json -- turn 1000000 || exit 1
taskset $last cpi -c -u --json -o many.json -- turn 11000000 || exit 1
taskset $last cpi -c --json -o whole.json -- turn 10000000 || exit 1
cpi -c -a --json -o meanwhile.json -- taskset $last turn 10000000 || exit 1
cpi -c -- sh -c 'exit 9' 2>words.txt
echo "exit $?" >>words.txt

taskset $last turn 100000000000 &
loop=$!
sleep 0.1
cpi -r 0.2 --json -o busy.json || exit 1
cpi -r 0.1 --csv -o busy.csv || exit 1
kill $loop
wait $loop
cpi -r 0.2 --json -o idle.json || exit 1
cpi --json -o stopped.json &
cpi=$!
sleep 0.3
kill -INT $cpi
wait $cpi
