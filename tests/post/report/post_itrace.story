# ITrace: hello (500), which the test makes, on CPU 0, and a second thread of it on CPU 1. FUNCTION:
# main 401000 (0x40), work 401040 (0x40), leaf 401080 (0x20), handler 4010a0 (0x20), restorer 4010c0
# (0x10), catcher 401100 (0x40), setjmp 401140 (0x20).
0 on
0 task walk 500 1 hello
0 task walk_thread 500/501 1 second
0 map 500 0x401000 0x1000 0x1000 HELLO
# ---- calls, a jump, an interrupt, a system call into the kernel and back
10 start 0 500 on 0 0x401000
11 branch 0 500 u call 5 0x401010 0x401040
12 branch 0 500 u jump 4 0x401048 0x401050
13 break 0 500 u interrupt 2 3 0x401056 0x401056
14 branch 0 500 u call 3 0x401060 0x401080
15 branch 0 500 u return 6 0x401090 0x401065
16 branch 0 500 u other 2 0x401068 0xffffffff81001000 cross
17 branch 0 500 k call 7 0xffffffff81001020 0xffffffff81002000
18 access 0 500 store 8 0xffffffff81002004 0x7fff00001000
19 branch 0 500 k return 9 0xffffffff81002030 0xffffffff81001025
20 branch 0 500 k iret 3 0xffffffff81001030 0x40106a cross
21 branch 0 500 u return 5 0x401078 0x401015
# ---- a system call whose kernel side is not traced, a page fault
22 break 0 500 u syscall 3 39 0x40101c 0x40101c
23 break 0 500 u fault 0 1 0x40101c 0x40101c
# ---- a signal: handler, restorer, back
24 break 0 500 u signal 2 10 0x401020 0x4010a0
25 branch 0 500 u return 4 0x4010ac 0x4010c0
26 break 0 500 u sigreturn 2 0 0x4010c9 0x401020
# ---- catcher calls setjmp, then work, work calls leaf, leaf jumps to where setjmp returned to
30 branch 0 500 u call 1 0x401020 0x401100
31 branch 0 500 u call 2 0x401104 0x401140
31 branch 0 500 u return 3 0x401148 0x401109
31 branch 0 500 u call 2 0x40110c 0x401040
32 branch 0 500 u call 3 0x401048 0x401080
33 branch 0 500 u jump 2 0x401084 0x401109
33 branch 0 500 u jump 1 0x401109 0x401124
# ---- to a place where nobody called (a C++ exception): by a jump, then by a return
34 branch 0 500 u call 1 0x401124 0x401040
34 branch 0 500 u call 3 0x401048 0x401080
34 branch 0 500 u jump 2 0x401084 0x401128
34 branch 0 500 u call 2 0x40112c 0x401040
35 access 0 500 load 4 0x401048 0x401084
35 branch 0 500 u call 3 0x401048 0x401080
36 branch 0 500 u return 2 0x401084 0x401132
37 branch 0 500 u return 1 0x401132 0x401025
# ---- the other thread, on the other CPU, then on this one
38 start 1 500/501 fork 0 0x401040
39 branch 1 500/501 u jump 3 0x401048 0x401048
40 arrive 0 500/501 1
41 branch 0 500/501 u jump 3 0x401050 0x401048
42 arrive 0 500 0
43 branch 0 500 u jump 2 0x401028 0x401020
# ---- records are missing: the kernel said so; of the CPU; and one that lies before its run's start
44 branch 0 500 u jump 2 0x401028 0x401020 gap
45 branch 0 500 u jump 2 0x401028 0x401020
46 lost 0 12 5
47 branch 0 500 u jump 2 0x401028 0x401020
48 branch 0 500 u jump 2 0x401018 0x401020
# ---- each instruction told: three steps and the branch are one run
50 branch 0 500 u other 1 0x401020 0x401022 step
51 branch 0 500 u other 1 0x401022 0x401024 step
52 branch 0 500 u other 1 0x401024 0x401028 step
53 branch 0 500 u jump 1 0x401028 0x401030
# ---- code of nobody's, an undefined instruction, exec, the end
54 branch 0 500 u call 1 0x401030 0x500000
55 code 0 500 0x500000 90c3
56 branch 0 500 u return 2 0x500001 0x401035
57 branch 0 500 u undefined 1 0x401035 0x401038
58 break 0 500 u exec 2 0 0x40103a 0x401000
59 branch 0 500 u jump 1 0x401000 0x401004
60 stop 0 500 exit 2 0x401008
61 stop 1 500/501 limit 4 0
70 off
