/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions that fill in or read a struct of their caller: the libraries' own sources define and
 * call them by these names, with the structs of the present headers. The functions that programs
 * call take the size of the struct, or are for programs built before that: see the files
 * NAME_sized.c.
 */
#ifndef BASE_WHOLE_H
#define BASE_WHOLE_H

#define TraceCheck(...)              whole_TraceCheck(__VA_ARGS__)
#define TraceGetInfo(...)            whole_TraceGetInfo(__VA_ARGS__)
#define tracer_defaults(...)         whole_tracer_defaults(__VA_ARGS__)
#define tracer_info(...)             whole_tracer_info(__VA_ARGS__)
#define PttGetThreadData(...)        whole_PttGetThreadData(__VA_ARGS__)
#define PttGetInfo(...)              whole_PttGetInfo(__VA_ARGS__)
#define pttview_thread(...)          whole_pttview_thread(__VA_ARGS__)
#define pttview_gone(...)            whole_pttview_gone(__VA_ARGS__)
#define pttview_cpu(...)             whole_pttview_cpu(__VA_ARGS__)
#define pttview_info(...)            whole_pttview_info(__VA_ARGS__)
#define AiGetCounters(...)           whole_AiGetCounters(__VA_ARGS__)
#define AiGetInfo(...)               whole_AiGetInfo(__VA_ARGS__)
#define GetPerfCounterEvent(...)     whole_counter_event(__VA_ARGS__)
#define counters_read(...)           whole_counters_read(__VA_ARGS__)
#define pimerge_next(...)            whole_pimerge_next(__VA_ARGS__)
#define a2n_resolve(...)             whole_a2n_resolve(__VA_ARGS__)
#define a2n_code(...)                whole_a2n_code(__VA_ARGS__)
#define A2nGetSymbol(...)            whole_A2nGetSymbol(__VA_ARGS__)
#define A2nGetSymbolAt(...)          whole_A2nGetSymbolAt(__VA_ARGS__)
#define jitdump_next(...)            whole_jitdump_next(__VA_ARGS__)
#define jitdump_line(...)            whole_jitdump_line(__VA_ARGS__)
#define jitdump_fault(...)           whole_jitdump_fault(__VA_ARGS__)
#define jitlog_next(...)             whole_jitlog_next(__VA_ARGS__)
#define jitlog_fault(...)            whole_jitlog_fault(__VA_ARGS__)
#define perfmap_next(...)            whole_perfmap_next(__VA_ARGS__)
#define perfmap_fault(...)           whole_perfmap_fault(__VA_ARGS__)
#define counters_ask(...)            whole_counters_ask(__VA_ARGS__)
#define pttview_attach(...)          whole_pttview_attach(__VA_ARGS__)
#define tracer_open(...)             whole_tracer_open(__VA_ARGS__)
#define tracer_itrace(...)           whole_tracer_itrace(__VA_ARGS__)
#define counters_open(...)           whole_counters_open(__VA_ARGS__)
#define counters_hold(...)           whole_counters_hold(__VA_ARGS__)
#define pttview_open(...)            whole_pttview_open(__VA_ARGS__)
#define pttview_hold(...)            whole_pttview_hold(__VA_ARGS__)
#define a2n_open(...)                whole_a2n_open(__VA_ARGS__)
#define a2n_feed_record(...)         whole_a2n_feed_record(__VA_ARGS__)
#define a2n_history(...)             whole_a2n_history(__VA_ARGS__)
#define a2n_lines(...)               whole_a2n_lines(__VA_ARGS__)
#define A2nAddJittedMethodLines(...) whole_A2nAddJittedMethodLines(__VA_ARGS__)
#define A2nGetAllFunctions(...)      whole_A2nGetAllFunctions(__VA_ARGS__)
#define pifile_open(...)             whole_pifile_open(__VA_ARGS__)
#define pifile_user_record(...)      whole_pifile_user_record(__VA_ARGS__)
#define perfmap_open_part(...)       whole_perfmap_open_part(__VA_ARGS__)
#define a2n_add_map(...)             whole_a2n_add_map(__VA_ARGS__)
#define a2n_jit_lines(...)           whole_a2n_jit_lines(__VA_ARGS__)
#define jitdump_load(...)            whole_jitdump_load(__VA_ARGS__)
#define jitdump_load_late(...)       whole_jitdump_load_late(__VA_ARGS__)
#define jitdump_load_unwind(...)     whole_jitdump_load_unwind(__VA_ARGS__)

#endif
