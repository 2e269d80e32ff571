/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The gates, from stubs to C, by each machine's macros: gate and end; entered, which tells the stub
 * whether the return is hooked; left, which gives it the real return address.
 */
	gate	patch_gate_enter, patch_entered, STUB_CALLED
	entered
	end	patch_gate_enter

	gate	patch_gate_leave, patch_left, STUB_LEFT
	left
	end	patch_gate_leave

	gate	patch_gate_begin, patch_began, STUB_CALLED
	end	patch_gate_begin

	gate	patch_gate_end, patch_ended, STUB_CALLED
	end	patch_gate_end

	gate	patch_gate_tail, patch_tailed, STUB_CALLED
	end	patch_gate_tail
