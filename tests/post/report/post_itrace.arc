# arc: a line a run of instructions that follow one another, in the order in which they ended
#   1  CPU
#   2  K (kernel) or U (user)
#   3  type of the last instruction:
#      0 INTRPT 1 CALL 2 RETURN 3 JUMP 4 IRET 5 OTHER 6 UNDEFD 7 ALLOC
#   4  number of instructions
#   5  @ the flow goes on from the thread's line before; ? it does not, or that is not sure
#   6  offset from the symbol's start (hexadecimal); ~ of the run's last instruction, because its
#      first is not known
#   7  symbol:module
#   8  pid_tid_name[_threadname], numbers hexadecimal
#   9  the type in words; :WHAT ended the run if no branch did; ?WHY field 5 is ?
#  10  source line, with -line; 0: not known
#   3 L or S: what an instruction of the next run loads or stores; 9 with its size; 10 the address,
#     =symbol:module+offset if it is known what stands there
#
  0 U 1      5 ?       0 main:/work/hello 1f4_1f4_hello CALL?first 0
  0 U 3      4 @       0 work:/work/hello 1f4_1f4_hello JUMP 0
  0 U 0      2 @      10 work:/work/hello 1f4_1f4_hello INTRPT:interrupt 0
  0 U 1      3 @      16 work:/work/hello 1f4_1f4_hello CALL 0
  0 U 2      6 @       0 leaf:/work/hello 1f4_1f4_hello RETURN 0
  0 U 5      2 @      25 work:/work/hello 1f4_1f4_hello OTHER 0
  0 K 1      7 @       0 spin_unlock:vmlinux 1f4_1f4_hello CALL 0
  0 K S      0 @       4 copy_to_user:vmlinux 1f4_1f4_hello STORE:8 7fff00001000
  0 K 2      9 @       0 copy_to_user:vmlinux 1f4_1f4_hello RETURN 0
  0 K 4      3 @      25 spin_unlock:vmlinux 1f4_1f4_hello IRET 0
  0 U 2      5 @      2a work:/work/hello 1f4_1f4_hello RETURN 0
  0 U 5      3 @      15 main:/work/hello 1f4_1f4_hello OTHER:syscall 0
  0 U 0      0 @      1c main:/work/hello 1f4_1f4_hello INTRPT:fault 0
  0 U 0      2 @      1c main:/work/hello 1f4_1f4_hello INTRPT:signal 0
  0 U 2      4 ?       0 handler:/work/hello 1f4_1f4_hello RETURN?signal 0
  0 U 0      2 @       0 restorer:/work/hello 1f4_1f4_hello INTRPT:sigreturn 0
  0 U 1      1 ?      20 main:/work/hello 1f4_1f4_hello CALL?sigreturn 0
  0 U 1      2 @       0 catcher:/work/hello 1f4_1f4_hello CALL 0
  0 U 2      3 @       0 setjmp:/work/hello 1f4_1f4_hello RETURN 0
  0 U 1      2 @       9 catcher:/work/hello 1f4_1f4_hello CALL 0
  0 U 1      3 @       0 work:/work/hello 1f4_1f4_hello CALL 0
  0 U 3      2 @       0 leaf:/work/hello 1f4_1f4_hello JUMP 0
  0 U 3      1 ?       9 catcher:/work/hello 1f4_1f4_hello JUMP?longjmp 0
  0 U 1      1 @      24 catcher:/work/hello 1f4_1f4_hello CALL 0
  0 U 1      3 @       0 work:/work/hello 1f4_1f4_hello CALL 0
  0 U 3      2 @       0 leaf:/work/hello 1f4_1f4_hello JUMP 0
  0 U 1      2 ?      28 catcher:/work/hello 1f4_1f4_hello CALL?unwound 0
  0 U L      0 @       8 work:/work/hello 1f4_1f4_hello LOAD:4 401084=leaf:/work/hello+4
  0 U 1      3 @       0 work:/work/hello 1f4_1f4_hello CALL 0
  0 U 2      2 @       0 leaf:/work/hello 1f4_1f4_hello RETURN 0
  0 U 2      1 ?      32 catcher:/work/hello 1f4_1f4_hello RETURN?unwound 0
  1 U 3      3 ?       0 work:/work/hello 1f4_1f5_hello_second JUMP?first 0
  0 U 3      3 ?       8 work:/work/hello 1f4_1f5_hello_second JUMP?switch 0
  0 U 3      2 ?      25 main:/work/hello 1f4_1f4_hello JUMP?switch 0
  0 U 3      2 ?     ~28 main:/work/hello 1f4_1f4_hello JUMP?gap 0
  0 U 3      2 @      20 main:/work/hello 1f4_1f4_hello JUMP 0
  0 U 3      2 ?     ~28 main:/work/hello 1f4_1f4_hello JUMP?gap 0
  0 U 3      2 ?     ~18 main:/work/hello 1f4_1f4_hello JUMP?gap 0
  0 U 3      4 @      20 main:/work/hello 1f4_1f4_hello JUMP 0
  0 U 1      1 @      30 main:/work/hello 1f4_1f4_hello CALL 0
  0 U 2      2 @  500000 NoModule:NoModule 1f4_1f4_hello RETURN 0
  0 U 6      1 @      35 main:/work/hello 1f4_1f4_hello UNDEFD 0
  0 U 0      2 @      38 main:/work/hello 1f4_1f4_hello INTRPT:exec 0
  0 U 3      1 ?       0 main:/work/hello 1f4_1f4_hello JUMP?exec 0
  0 U 5      2 @       4 main:/work/hello 1f4_1f4_hello OTHER:stop 0
  1 U 5      4 ?      ~0 ?:? 1f4_1f5_hello_second OTHER:stop?gap 0
#
# Processors    2, Paper CPU
# Speed         not known
# Time          2024-01-01 00:00:00.000 +0000, 0.000 s
# Instructions  118 in 44 runs, 19 in the kernel
# ?switch       2
# ?signal       1
# ?sigreturn    1
# ?unwound      2
# ?longjmp      1
# ?exec         1
# ?first        2
# ?gap          4
# Lost          CPU 0: branches 5
