# tests/data/golden/written has the complete output of each writer for this: samples with stacks, of processes that
# share a file, all programs' own records, numbers at their limits, mappings with each field, losses.
0 on
0 task walk 100 1 shop
0 task walk_thread 100/101 1 till
0 task walk 200 1 shop
0 task walk 50 2 a-name-of-16-by
0 map 100 0x401000 0x2000 0x1000 /nowhere/shop 0x5 8 1 4711 3
0 map 200 0x401000 0x2000 0x1000 /nowhere/shop 0x5 8 1 4711 3
0 map 200 0x7f0000000000 0x1000 0x123456789000 /nowhere/lib.so 0xf 0xfffffffe 0xfffffffd 0xfffffffffffffffc 0xfffffffb
0 map 200 0x7f0000002000 0x1000 0 /nowhere/gone 0x44 0 5 6 7
0 map 0 0xffffffffc0000000 0x4000 0 toy 0x80
0 map 0 0xffffffffc0100000 0x40 0 bpf_prog_1 0x281
0 buildid 8 1 4711 3 0123456789abcdef0123456789abcdef01234567
0 buildid 0xfffffffe 0xfffffffd 0xfffffffffffffffc 0xfffffffb fedcba98
1 declare 0 100 7 order number:u64,amount:i64:cents,took:f64:ms,paid:bool,state:enum:idle|busy,at:hex,who:str
2 declare 1 200 8 tick
10 sample 0 100 0x401010 0x401010 0x401025
10 sample 1 200 0x401010
20 sample 0 100 0xffffffff81001010 0xffffffff81001010 0xffffffff81002010 0x401010 0x401025
30 sample 0 100/101 0x401022
40 sample 1 200 0x7f0000000010
45 sample 1 200 0x7f0000002010
50 sample 1 200 0x9999999
60 sample 0 100 0x401010 0x401010 0x401025
65 sample 1 0 0xffffffffc0000010
70 call 0 100 0
80 ret 0 100 0 -9223372036854775807
90 fault 0 100 0x401010 0xfffffffffffffff0
100 irq 0 in device 27 0
105 wake 0 0 200 irq
110 irq 0 out device 27 0
120 mark 0 100 0xb0 0 outer
125 mark 0 100/101 0xb0 0 request 18446744073709551615
126 mark 1 200 0xb0 1 job 4
130 mark 0 100 0xb0 0x80 outer
135 mark 1 100 0xb0 0x80 request 18446744073709551615
136 mark 1 100 0xb0 0x81 job 4
140 mark 0 100 0xd0 7 plain 0xffffffffffffffff
150 event 0 100 7 18446744073709551615 0x8000000000000000 f:-1.5 1 1 0xabc "me
160 event 1 200 8
170 dispatch 0 100 preempted 100/101
180 dispatch 0 100/101 sleep 0
190 dispatch 0 0 running 200
200 dispatch 0 200 dead 0
210 lost 0 0 5
220 lost 1 1 3
230 task fork 300 100 child
231 task clone 301 100 twin
232 task thread 300/302 300 third
233 task exec 300 100 tool
234 task name 300 100 named
235 task thread_exit 300/302 300 third
236 task exit 300 100 tool
240 unload 0 0xffffffffc0100000 0x40 0 bpf_prog_1 0x281
250 off
