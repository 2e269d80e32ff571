#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that switch their own instruction trace, in stories that can be followed by hand: of each
# thread what is left out, what is not, and where records of switches are missing.
set -u
# shellcheck source=tests/lib/story_lib.sh
. "$(dirname "$0")/../../lib/story_lib.sh"

# main 401000 (0x40), work 401040 (0x40), ITraceOn 401080 (0x20), ITraceOff 4010a0 (0x20), deep 4010c0
# (0x40), which both call.
program app main:64 work:64 ITraceOn:32 ITraceOff:32 deep:64

story() { # NAME: from stdin, after what all have
	{
		printf '%s\n' "0 on" "0 task walk 600 1 app" "0 task walk_thread 600/601 1 other" \
			"0 map 600 0x401000 0x1000 0x1000 $work/app"
		cat
	} | "$make_script" "$1.nrm2" || exit 1
}
lines() { # FILE OPTION...: function, type of each line of -arc, 1: of thread 601 (259)
	code 0 "$post" -r "$1.nrm2" -arc "${@:2}" -o - || return 1
	awk '!/^#/ { sub(/:.*/, "", $7); print ($8 ~ /_259_/) $7 ($3 ~ /[LS]/ ? "/" $3 : ""), $9 }' out >have
}
want() { # NAME LINE...
	printf '%s\n' "${@:2}" >wanted
	diff wanted have >why
	verdict "$1"
}

# It is turned on and off twice; another thread runs all the time.
story twice <<'END'
10 start 0 600 on 0 0x4010c4
10 start 1 600/601 on 0 0x401040
11 branch 0 600 u return 2 0x4010c8 0x401088
12 access 0 600 load 8 0x401088 0x7fff00001000
13 branch 1 600/601 u jump 3 0x401048 0x401040
14 switch 600 on 0x401010 0x401080
15 branch 0 600 u return 3 0x401090 0x401010
16 access 0 600 store 8 0x401010 0x7fff00001000
17 branch 0 600 u call 2 0x401012 0x401040
18 branch 0 600 u return 4 0x401050 0x401017
19 branch 0 600 u call 3 0x40101c 0x4010a0
20 branch 0 600 u call 2 0x4010a4 0x4010c0
21 access 0 600 load 8 0x4010c0 0x7fff00001000
22 switch 600 off 0x401021 0x4010a0
23 stop 0 600 on 2 0x4010c6
23 stop 1 600/601 on 1 0x401042
30 start 0 600 on 0 0x4010c6
30 start 1 600/601 on 0 0x401042
31 branch 0 600 u return 2 0x4010c8 0x401088
32 switch 600 on 0x401030 0x401080
33 branch 0 600 u return 3 0x401090 0x401030
34 branch 0 600 u call 1 0x401030 0x401040
35 branch 1 600/601 u jump 2 0x401044 0x401040
36 branch 0 600 u return 2 0x401048 0x401035
37 branch 0 600 u call 1 0x401035 0x4010a0
38 switch 600 off 0x40103a 0x4010a0
39 stop 0 600 on 1 0x4010a8
39 stop 1 600/601 on 1 0x401042
40 off
END
lines twice && want twice '1work JUMP?first' '0main/S STORE:8' '0main CALL?first' '0work RETURN' '0main CALL' \
	'1work OTHER:stop' '0main CALL?first' '1work JUMP?first' '0work RETURN' '0main CALL' '1work OTHER:stop'
grep -q '^# Instructions  20 in 10 runs' out && grep -q '^# Left out *15 in 7 runs' out
verdict twice_told
lines twice -own && grep -c . have | grep -qx 20
verdict twice_own
code 0 "$post" -r twice.nrm2 -tree -folded -o - && ! grep -q 'ITraceO\|deep' out && grep -q ';main;work ' out
verdict twice_tree
code 0 "$post" -r twice.nrm2 -tree -calltree -o - &&
	grep -q 'and 15 of turning the trace on and off, left out: -own counts them' out
verdict twice_tree_told

# The call of ITraceOff was not recorded (no call returns to there): left out from its record on.
story unseen <<'END'
10 start 0 600 on 0 0x401000
11 branch 0 600 u call 2 0x401004 0x401040
12 branch 0 600 u call 2 0x401044 0x4010a0
13 switch 600 off 0x401030 0x4010a0
14 branch 0 600 u call 2 0x4010a4 0x4010c0
15 stop 0 600 on 2 0x4010c6
20 off
END
lines unseen && want unseen '0main CALL?first' '0work CALL'

# A call from the same place to another function does not belong to ITraceOff.
story elsewhere <<'END'
10 start 0 600 on 0 0x401000
11 branch 0 600 u call 2 0x401004 0x401040
12 branch 0 600 u return 2 0x401044 0x401006
13 branch 0 600 u jump 1 0x401006 0x401000
14 branch 0 600 u call 2 0x401004 0x4010a0
15 switch 600 off 0x401006 0x4010a0
16 branch 0 600 u return 2 0x4010a4 0x401006
17 branch 0 600 u jump 1 0x401006 0x401000
18 stop 0 600 on 2 0x401004
20 off
END
# … which failed: it returned, and the thread is traced as before.
lines elsewhere && want elsewhere '0main CALL?first' '0work RETURN' '0main JUMP' '0main CALL' '0main JUMP?first' \
	'0main OTHER:stop'

# A trace that was on since the program began: what came before the first ITraceOn is left out, of all
# threads, and later ones are as always.
story again <<'END'
10 start 0 600 on 0 0x401000
10 start 1 600/601 fork 0 0x401040
11 branch 0 600 u call 2 0x401004 0x401040
12 branch 1 600/601 u jump 3 0x401048 0x401040
13 branch 0 600 u return 2 0x401044 0x401006
14 branch 0 600 u call 1 0x401006 0x401080
15 switch 600 again 0x40100b 0x401080
16 branch 0 600 u return 3 0x401090 0x40100b
17 branch 1 600/601 u jump 3 0x401048 0x401040
18 branch 0 600 u call 1 0x40100b 0x401040
19 branch 0 600 u return 2 0x401044 0x401010
20 branch 0 600 u call 1 0x401010 0x401080
21 switch 600 again 0x401015 0x401080
22 branch 0 600 u return 3 0x401090 0x401015
23 branch 0 600 u call 1 0x401015 0x401040
24 stop 0 600 on 2 0x401044
24 stop 1 600/601 on 1 0x401042
30 off
END
lines again && want again '1work JUMP?first' '0main CALL?first' '0work RETURN' '0main CALL' '0main CALL?first' \
	'0work OTHER:stop' '1work OTHER:stop'

# One thread turns it off, another one on: each has its own calls left out, and no more.
story two <<'END'
10 start 0 600 on 0 0x401000
10 start 1 600/601 on 0 0x401040
11 branch 0 600 u call 2 0x401004 0x4010a0
12 branch 1 600/601 u jump 3 0x401048 0x401040
13 switch 600 off 0x401006 0x4010a0
14 stop 0 600 on 2 0x4010a6
14 stop 1 600/601 on 1 0x401042
20 start 0 600 on 0 0x401006
20 start 1 600/601 on 0 0x4010c4
21 branch 0 600 u jump 1 0x401006 0x401000
22 branch 1 600/601 u return 2 0x4010c8 0x401088
23 switch 600/601 on 0x401050 0x401080
24 branch 1 600/601 u return 3 0x401090 0x401050
25 branch 0 600 u jump 1 0x401000 0x401000
26 branch 1 600/601 u jump 1 0x401050 0x401040
27 stop 0 600 on 2 0x401004
27 stop 1 600/601 on 1 0x401042
30 off
END
lines two && want two '0main CALL?first' '1work JUMP?first' '1work OTHER:stop' '0main JUMP?first' '0main JUMP' \
	'1work JUMP?first' '0main OTHER:stop' '1work OTHER:stop'

# A trace without ITraceOn and ITraceOff.
story none <<'END'
10 start 0 600 on 0 0x401000
11 branch 0 600 u call 2 0x401004 0x401040
12 stop 0 600 on 2 0x401044
20 off
END
lines none && want none '0main CALL?first' '0work OTHER:stop'
grep -q 'Left out' out
[ $? = 1 ]
verdict none_told
[ $failures = 0 ]
