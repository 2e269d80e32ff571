# System calls: of make (100) on CPU 0 and app (200) with a second thread on CPU 1; both run since
# the beginning.
0 on
0 task walk 100 1 make
0 task walk 200 1 app
0 task walk_thread 200/201 1 app2
# an exit whose entry was before the trace
5 ret 0 100 0 7
# openat fails twice, once with EACCES; 2 us each
10 call 0 100 257
12 ret 0 100 257 -2
20 call 0 100 257
22 ret 0 100 257 -2
30 call 0 100 257
32 ret 0 100 257 -13
# a read across a switch: 100 us, 60 of them asleep, 10 runnable
40 call 0 100 0
50 dispatch 0 100 sleep 0
110 wake 0 0 100 irq
120 dispatch 0 0 running 100
140 ret 0 100 0 512
# a write of a 32-bit program
15 call 1 200 4 compat
25 ret 1 200 4 1 compat
# futex, preempted inside and moved to CPU 0: 200-400, 80 of them runnable
200 call 1 200 202
250 dispatch 1 200 preempted 0
280 dispatch 0 100 running 200
300 dispatch 0 200 running 100
# it waited 250-280, ran 280-300, waits 300-350, runs on CPU 1 again
350 dispatch 1 0 running 200
400 ret 1 200 202 -11
# fork: the parent's call; the child's first exit has no entry
500 call 1 200 57
510 task fork 300 200 app
512 wake 1 200 300 new
520 ret 1 200 57 300
530 dispatch 1 200 sleep 300
532 ret 1 300 57 0
# the child execs and exits inside exit_group
540 call 1 300 59
550 task exec 300 200 tool
560 ret 1 300 59 0
600 call 1 300 231
610 dispatch 1 300 dead 0
# a pid used again: not the tool's
700 task fork 300 100 next
705 wake 0 100 300 new
710 dispatch 0 100 running 300
720 call 0 300 39
721 ret 0 300 39 300
# still inside at the end
800 call 0 300 35
# page faults: two in the kernel, one nowhere
810 fault 0 300 0xffffffff81002010 0x1000
820 fault 0 300 0xffffffff81002020 0x2000
830 fault 0 300 0x1234 0x3000
1000 off
