# Losses, a CPU that goes offline and online, exits without entries, entries without exits.
0 on
0 task walk 100 1 a
0 task walk 200 1 b
90 call 0 100 0
100 dispatch 0 100 sleep 0
120 wake 1 200 100
# CPU 0: nothing between 120 and 200 is known; a was woken before: its latency is unsure
130 dispatch 1 200 sleep 0
200 lost 0 4 7
200 irq 0 in device 27 0
# an exit of another interrupt than the one that is open; the open one is cut by the next loss
210 irq 0 out timer 0 0
220 irq 0 in timer 0 0
230 lost 0 6 1
240 dispatch 0 0 running 100
# a's read was open while records were lost
250 ret 0 100 0 1
# an exit nobody entered, and an entry after an entry
260 ret 0 100 1 1
270 call 0 100 2
280 call 0 100 3
290 ret 0 100 3 0
# b sleeps through the loss
300 wake 0 100 200
320 dispatch 1 0 running 200
# CPU 1 goes offline: b stays until 410; b continues on CPU 0 at 420
400 hotplug offline 1
410 dispatch 1 200 preempted 0
420 dispatch 0 100 running 200
500 dispatch 0 200 preempted 100
# and comes: the first thread there is before the word
595 dispatch 1 0 running 200
600 hotplug online 1
650 dispatch 1 200 sleep 0
700 dispatch 0 100 running 0
# interrupts that end inside out
800 irq 0 in device 27 0
810 irq 0 in softirq 3 0
820 irq 0 out device 27 0
900 irq 1 in timer 0 0
1000 off
