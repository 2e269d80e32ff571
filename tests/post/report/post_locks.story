# Waits for futexes of each kind, in three processes; operations: 0 wait, 1 wake, 128 private, 6 and 7
# lock and unlock with priority inheritance, 9 wait for bits, 10 wake for bits, 3 requeue.
0 on
0 task walk 100 1 app
0 task walk_thread 100/101 1 a
0 task walk_thread 100/102 1 b
0 task walk_thread 100/103 1 c
0 task walk 200 1 other
0 task walk_thread 200/201 1 d
0 task walk 300 1 app
# a mutex: two wait, the first is woken by a call, the second by a wake-up record
5 dispatch 0 100/101 sleep 0 0xffffffff81002010
8 dispatch 0 0 running 100/101
10 futex 0 100/101 0x5000 128 2
12 dispatch 0 100/101 sleep 0 0xffffffff81002010
15 dispatch 1 100/102 sleep 0
20 futex 1 100/102 0x5000 128 2
25 dispatch 1 0 sleep 100/102 0xffffffff81001010
50 futex 2 100 0x5000 129 1
52 ret 2 100 202 1
53 dispatch 0 0 running 100/101
55 ret 0 100/101 202 0
60 futex 0 100/101 0x5000 129 1
61 wake 0 100/101 100/102
62 ret 0 100/101 202 1
65 dispatch 1 100/102 running 0
70 ret 1 100/102 202 0
# a condition: three wait, two are woken, one is requeued and woken by its own wake-up; nobody by 0
80 futex 0 100/101 0x6000 137 0
82 futex 1 100/102 0x6000 137 0
84 futex 2 100/103 0x6000 137 0
90 futex 3 100 0x6000 138 2
91 ret 3 100 202 2
95 ret 0 100/101 202 0
97 ret 1 100/102 202 0
100 futex 3 100 0x6000 131 1
101 wake 3 100 100/103
102 ret 3 100 202 1
110 ret 2 100/103 202 0
# changed, timed out, interrupted, restarted, failed
120 futex 0 100/101 0x7000 128 2
121 ret 0 100/101 202 -11
130 futex 0 100/101 0x7000 265 2
149 wake 0 0 100/101 irq
150 ret 0 100/101 202 -110
160 futex 0 100/101 0x7000 128 2
163 ret 0 100/101 202 -4
170 futex 0 100/101 0x7000 128 2
175 ret 0 100/101 202 -512
180 futex 0 100/101 0x7000 128 2
188 ret 0 100/101 202 -516
190 futex 0 100/101 0x7000 128 2
191 ret 0 100/101 202 -511
200 futex 0 100/101 0x7000 128 2
202 ret 0 100/101 202 -517
# priority inheritance
210 futex 0 100/101 0x8000 134 0
220 futex 1 100 0x8000 135 0
221 ret 1 100 202 0
230 ret 0 100/101 202 0
# shared between two processes
240 futex 0 200 0x9000 0 2
250 futex 1 100 0x5000 1 1
251 wake 1 100 200
252 ret 1 100 202 1
262 ret 0 200 202 0
# the same address in two processes, one of them with the name of the first
270 futex 0 200/201 0x5000 128 2
272 futex 1 300 0x5000 128 2
300 ret 0 200/201 202 0
315 ret 1 300 202 0
# the calls of newer kernels
320 call 0 300 455
325 call 1 100 454
326 ret 1 100 454 1
331 ret 0 300 455 0
335 call 0 300 449
337 ret 0 300 449 0
# without a return, killed, lost, and open at the end: the longer one counts
340 futex 2 100/103 0xa000 128 2
345 call 2 100/103 39
346 ret 2 100/103 39 1
350 futex 2 100/103 0xa000 128 2
355 task thread_exit 100/103 100 c
360 futex 0 200 0xa000 128 2
365 lost 0 5 3
370 ret 0 200 202 0
380 futex 0 200 0xb000 128 2
400 futex 1 200/201 0xb000 128 2
1500 off
