# ITrace: threads that move between CPUs, with a record of it and without; recursion that ends in one
# step; branches that contradict each other. Functions as in post_itrace.story.
0 on
0 task walk 500 1 hello
0 task walk_thread 500/501 1 second
0 task walk_thread 500/502 1 third
0 map 500 0x401000 0x1000 0x1000 HELLO
# ---- second moves with a record; then first moves without one: that is a gap
10 start 0 500 on 0 0x401000
11 start 1 500/501 fork 0 0x401040
12 branch 0 500 u call 5 0x401010 0x401040
13 branch 1 500/501 u jump 3 0x401048 0x401048
14 arrive 0 500/501 1
15 branch 0 500/501 u jump 3 0x401050 0x401048
16 branch 1 500 u jump 4 0x401048 0x401050
17 branch 1 500 u jump 4 0x401058 0x401050
# ---- it comes from elsewhere than it was
18 arrive 0 500/501 1
19 branch 0 500/501 u jump 3 0x401050 0x401048
# ---- recursion: work in work in work, from which a leaf jumps to work: to which of them is not known
20 branch 1 500 u call 2 0x401054 0x401040
21 branch 1 500 u call 3 0x401048 0x401040
22 branch 1 500 u call 3 0x401048 0x401040
23 branch 1 500 u call 3 0x401048 0x401080
24 branch 1 500 u jump 2 0x401084 0x401050
25 branch 1 500 u jump 2 0x401054 0x401058
# ---- and from which it returns to one of them
26 branch 1 500 u call 1 0x401058 0x401040
27 branch 1 500 u call 3 0x401048 0x401080
28 branch 1 500 u return 2 0x401084 0x401060
29 branch 1 500 u return 1 0x401060 0x401015
# ---- a run that does not begin where the one before ended; counts that cannot be
30 branch 1 500 u jump 1 0x401030 0x401020
31 branch 1 500 u call 0 0x401024 0x401040
32 branch 1 500 u return 99 0x401048 0x401029
33 branch 1 500 u jump 2 0x401010 0x401030
# ---- third: the kernel's side alone, then a system call that nobody entered
34 start 0 500/502 on 0 0xffffffff81001000
35 branch 0 500/502 k call 7 0xffffffff81001020 0xffffffff82002000
36 branch 0 500/502 k return 9 0xffffffff82002030 0xffffffff81001025
37 branch 0 500/502 k iret 3 0xffffffff81001030 0x40106a cross
38 branch 0 500/502 u return 5 0x401078 0x401015
39 stop 0 500/502 limit 3 0x401020
40 stop 1 500 exit 2 0x401034
41 stop 0 500/501 exit 0 0x401048
50 off
