swtrace: /tmp/at/t.nrm2: 1.0 MB, 17 records, 1 ticks by the timer, none lost (collector timer, user code only; this kernel's tick allows 238 a second; 1 of 1 samples by the kernel's tick)
swtrace: the command has ended, and with it the trace; it left running: setsid 23332. Keep it in the foreground, or trace on with: swtrace run -p PID
