# Two CPUs, one millisecond. Threads: make (100), cc (200), its helper (200/201), init's kid (300).
0 on
0 task walk 100 1 make
0 task walk 200 1 cc
0 task walk_thread 200/201 1 helper
# CPU 0: make runs since the beginning, sleeps at 100; idle until 300
100 dispatch 0 100 sleep 0
# CPU 1: idle since the beginning; cc runs 50-450
50 wake 1 0 200 irq
60 dispatch 1 0 running 200
# cc wakes make at 280, which runs 20 later, on CPU 0
280 wake 1 200 100
300 dispatch 0 0 running 100
# an interrupt in make's time: device 27 from 310 to 330, in it the timer from 315 to 320
310 irq 0 in device 27 100
315 irq 0 in timer 0 100
320 irq 0 out timer 0 100
325 wake 0 100 200/201 irq
330 irq 0 out device 27 100
# softirq NET_RX 330 to 340
330 irq 0 in softirq 3 100
340 irq 0 out softirq 3 100
# cc is preempted by its helper on CPU 1 at 400, and goes on on CPU 0 at 500: a migration
400 dispatch 1 200 preempted 200/201
500 dispatch 0 100 blocked 200
# the helper changes its name and forks 300
600 task name 200/201 1 worker
620 task fork 300 200 cc
625 wake 1 200/201 300 new
# worker ends; the child runs and execs
700 dispatch 1 200/201 dead 300
710 task exec 300 200 ld
# on its way to sleep, the child is woken: runnable since 800 though it "sleeps"
790 wake 0 200 300
800 dispatch 1 300 sleep 0
820 dispatch 1 0 running 300
# cc leaves, 0 idle; make is woken at 900 and never runs
850 dispatch 0 200 running 0
900 wake 1 300 100
1000 off
