/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shared by the ABI tests: calls with the errors that they must return, and a session read through
 * its pages. A test fails by calling wrong(), once or more, and continues.
 */
#ifndef ABI_H
#define ABI_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include <sys/ioctl.h>
#include <pitrace.h>

#define KB   1024ull
#define MB   (1024 * KB)
#define PAGE 65536 /* a multiple of every page size */

extern int bad; /* of the test that runs */
__attribute__((format(printf, 1, 2))) void wrong(const char *format, ...);

/* Expect a call to fail with this errno, or (0) to succeed. Returns its result. */
#define want(error, call)                                                         \
	({                                                                        \
		long want_r;                                                      \
		int want_e = (error);                                             \
		errno = 0;                                                        \
		want_r = (long)(call);                                            \
		if ((want_r < 0 ? errno : 0) != want_e)                           \
			wrong("%s:%d: %s: %s, not %s", __FILE__, __LINE__, #call, \
			      want_r < 0 ? strerrorname_np(errno) : "ok",         \
			      want_e ? strerrorname_np(want_e) : "ok");           \
		want_r;                                                           \
	})
#define check(cond) ((cond) ? (void)0 : wrong("%s:%d: not so: %s", __FILE__, __LINE__, #cond))

struct view {
	int fd;
	struct pitrace_control *control;
	size_t control_bytes;
	unsigned char *data[64];
};

int device(void);
/* TURNS of the environment, or so few: the gate makes few, check-wide and check-full many. */
long turns_or(long few);
struct pitrace_session_args plain(void);
int session(const struct pitrace_session_args *args);
int session_of_size(uint32_t size, uint32_t version, unsigned char fill);
struct pitrace_setup_args setup_args(uint32_t rate);
struct pitrace_info info(void);
void nap(long ms);
void spin(long ms);
void on_cpu(unsigned int cpu);
void on_all_cpus(void);
void no_session_left(void);
const struct pitrace_cpu *page_of(const struct view *v, unsigned int cpu);
uint64_t head(const struct view *v, unsigned int cpu, int ring);
bool view(struct view *v, int fd);
void unview(struct view *v);
int consume(const struct view *v, uint32_t cpu, uint32_t ring, uint64_t position);
/* Every record of the whole segments that are still there, but pads; in front of each segment's the
 * high half of its stamp, as a record. */
void each_record(const struct view *v, int ring, void (*f)(const struct pitrace_rec *, void *),
		 void *arg);
long check_rings(const struct view *v);
uint64_t lost(const struct view *v, int kind);
uint64_t ticks(const struct view *v);
/* Run part in a child that is uid 1000, perhaps in a group more. */
void as_user(gid_t group, void (*part)(int fd), int fd);
/* The same, in the device's group. */
void as_member(void (*part)(int fd), int fd);
/* Makes this process uid 1000 with only CAP_PERFMON. */
void perfmon_only(void);
/* This program, as another file. */
bool copy_self(const char *to);
/* Takes CPU 1 offline ("0") or online ("1"). Returns false if it does not exist or cannot be
 * switched. */
bool cpu1(const char *on);
bool begin(struct view *v, struct pitrace_session_args args, uint32_t rate);
bool begin_major(struct view *v, unsigned int major);
int hook_open(void);
/* A user's record with one integer. */
int hook_put(int fd, uint32_t major, uint32_t minor, uint64_t value);

void test_info(void);
void test_numbers(void);
void test_session_sizes(void);
void test_session_edge(void);
void test_session_fields(void);
void test_session_rounding(void);
void test_control_page(void);
void test_busy(void);
void test_setup(void);
void test_states(void);
void test_suspend(void);
void test_consume_arguments(void);
void test_consume_lies(void);
void test_mmap(void);
void test_mapping_holds(void);
void test_zeroed(void);
void test_poll(void);
void test_clock(void);
void test_maps(void);
void test_lives(void);
void test_overlay_names(void);
void test_overlay_root(void);
void test_overlay_changed(void);
void test_wrap(void);
void test_crash(void);
void test_rescan(void);
void test_mte_full(void);
void test_stop_suspended(void);
void test_number_again(void);
void test_consumer_at_on(void);
void test_cpu_at_off(void);
void test_wakes_at_close(void);
void test_permissions(void);
void test_scope(void);
void test_memlock(void);
void test_handed(void);
int use_session(int fd);
void test_hook_arguments(void);
void test_hook_listen(void);
void test_hook_file(void);
void test_hook_record(void);
void test_hook_crowd(void);
void test_hook_budget(void);
void test_member_rights(void);
void test_member_share(void);
void test_member_shown(void);
void test_member_exec(void);
void test_member_rates(void);
void test_follow_sleeper(void);
void test_follow_turns(void);
void test_follow_pauses(void);
void test_member_32bit(void);
void test_locked_down(void);
void test_event_fields(void);
void test_event_software(void);
void test_event_throttled(void);
void test_event_cycles(void);
void test_event_cpus(void);
void test_stack_fields(void);
void test_stack_chain(void);
void test_stack_each_instruction(void);
void test_stack_copy(void);
void test_stack_kernel(void);
void test_stack_dispatch(void);
void test_stack_32bit(void);
void test_left(void);
void test_woken(void);
void test_call_contents(void);
void test_fault_contents(void);
void test_interrupts(void);
void test_ptt_fields(void);
void test_ptt_maps(void);
void test_ptt_books(void);
void test_ptt_unwatched(void);
void test_ptt_kin(void);
void test_ptt_clock(void);
void test_ptt_own(void);
void test_ptt_two(void);
void test_ptt_ends(void);
void test_ptt_order(void);
void test_ptt_reuse(void);
void test_ptt_crowd(void);
void test_ptt_removed(void);
void test_ptt_charge(void);
void test_ptt_rights(void);
void test_ptt_exec(void);
void test_ptt_cpus(void);
void test_ptt_event_fields(void);
void test_ptt_paranoid(void);
void test_ptt_faults(void);
void test_ptt_hardware(void);
void test_ptt_too_many(void);
void test_ptt_event_cpus(void);
void test_itrace_fields(void);
void test_itrace_loop(void);
void test_itrace_equal(void);
void test_itrace_flags(void);
void test_itrace_children(void);
void test_itrace_scopes(void);
void test_itrace_exec(void);
void test_itrace_limits(void);
void test_itrace_code(void);
void test_itrace_debugger(void);
void test_itrace_wait(void);
void test_itrace_storm(void);
void test_itrace_taken(void);
void test_itrace_forks(void);
void test_itrace_stopped(void);
void test_itrace_frozen(void);
void test_itrace_consumer(void);
void test_itrace_uprobe(void);
void test_itrace_32bit(void);
void test_itrace_interrupted(void);
void test_itrace_member(void);
void test_itrace_dying(void);
void test_itrace_gains(void);
void test_itrace_probed(void);
void test_itrace_answered(void);
void test_itrace_born_in_pause(void);
void test_itrace_crowd(void);
void test_itrace_together(void);
void test_itrace_overlay(void);
void test_itrace_halt(void);
void test_kernel_itrace_calls(void);
void test_kernel_itrace_alone(void);
void test_kernel_itrace_exec(void);
void test_kernel_itrace_faults(void);
void test_kernel_itrace_exceptions(void);
void test_kernel_itrace_sleeps(void);
void test_kernel_itrace_signals(void);
void test_kernel_itrace_interrupts(void);
void test_kernel_itrace_limits(void);
void test_kernel_itrace_storm(void);
void test_kernel_itrace_refused(void);

#endif
