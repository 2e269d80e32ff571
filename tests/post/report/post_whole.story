# A little of everything in two milliseconds on two CPUs: samples in the kernel and in programs, switches
# with stacks, interrupts, system calls, faults, losses, what programs wrote: pairs, spans, named events.
0 on
0 task walk 100 1 shop
0 task walk_thread 100/101 1 till
0 task walk 200 1 other
0 map 100 0x400000 0x10000 0x0 /nowhere/shop
0 map 100 0x7f0000000000 0x8000 0x1000 /nowhere/lib.so
0 map 200 0x400000 0x8000 0x0 /nowhere/other
1 declare 0 100 7 order_done number:u64,amount:i64:cents,took:f64:ms,paid:bool,state:enum:idle|busy,at:hex,who:str
2 declare 1 200 7 tick
5 mark 0 100 0xb0 0 outer
10 sample 0 100 0xffffffff81001010
20 sample 0 100 0xffffffff81001018
30 sample 0 100 0x400100
40 call 0 100 0
45 sample 0 100 0xffffffff81002010
50 fault 0 100 0xffffffff81002010 0x1000
60 mark 0 100 0xb0 0 inner
70 dispatch 0 100 sleep 0 0xffffffff81001010 0xffffffff81002010 0x400104 0x400200
80 irq 0 in device 27 0
85 wake 0 0 100 irq
90 irq 0 out device 27 0
100 dispatch 0 0 running 100
110 ret 0 100 0 512
120 mark 0 100 0xb0 0x80 inner
130 event 0 100 7 4711 250 f:1.5 1 1 0xabc "me
140 sample 0 100 0x7f0000000010
150 call 0 100 257
155 ret 0 100 257 -2
160 mark 0 100 0xb0 0x80 outer
170 irq 0 in timer 0 100
175 irq 0 out timer 0 100
180 irq 0 in softirq 3 100
190 irq 0 out softirq 3 100
200 dispatch 0 100 preempted 100/101 0x400104 0x400200
210 mark 0 100/101 0xb0 0 outer
220 sample 0 100/101 0x400100
230 fault 0 100/101 0x400120 0x7000
240 event 0 100/101 7 4713 0xFFFFFFFFFFFFFFCE f:2.5 0 9 0xdef "x\y
250 mark 0 100/101 0xb0 0x80 outer
260 wake 0 100/101 200
270 dispatch 0 100/101 blocked 100
280 sample 0 100 0x9999999
290 lost 0 0 5
300 sample 0 100 0x400100
310 task fork 300 100 child
320 wake 0 100 300 new
330 dispatch 0 100 sleep 300
340 task exec 300 100 tool
345 map 300 0x400000 0x4000 0x0 /nowhere/tool
350 sample 0 300 0x400010
360 mark 0 300 0xd0 1 plain
370 mark 0 300 0xb0 0 open
400 dispatch 0 300 dead 0
410 task exit 300 100 tool
5 call 1 200 202
10 sample 1 200 0x400010
50 dispatch 1 200 sleep 0
270 dispatch 1 0 running 200
280 ret 1 200 202 -11
290 event 1 200 7
300 event 1 200 7
310 sample 1 200 0x400010
320 sample 1 200 0x400020
330 lost 1 1 3
340 call 1 200 1 compat
350 ret 1 200 1 4 compat
360 mark 1 200 0xb0 0x80 nobody
370 raw 1 0xd0 1 8
380 fault 1 200 0x400030 0x5000
400 dispatch 1 200 sleep 0
410 hotplug offline 1
500 hotplug online 1
1900 dispatch 0 0 running 100
1950 sample 0 100 0x400100
2000 off
