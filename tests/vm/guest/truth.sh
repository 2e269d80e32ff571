# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: truth.sh RATE PERIODS CONTROL_PERIODS SHORT NAPS. The program whose work is known, traced with
# the dither, and a shorter time without it; SHORT short ones, which end anywhere in a period; and one that
# leaves its CPU NAPS times.
cd /tmp || exit
period=$((1000000000 / $1))
swtrace run -F "$1" --seed 1 -o truth.nrm2 -- truth $period "$2" >truth.txt || exit 1
swtrace run -F "$1" --no-dither -o control.nrm2 -- truth $period "$3" one five >control.txt || exit 1
i=0
while [ $i -lt "$4" ]; do
	i=$((i + 1))
	swtrace run -F "$1" --seed $i -o short.nrm2 -- truth $period 20 one >/dev/null 2>>truth.short.txt
done
swtrace run -F "$1" --seed 1 -o naps.nrm2 -- books naps "$5" 2>naps.txt
cat truth.txt
