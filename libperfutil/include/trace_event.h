/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Named events: a program's own records with a name and typed fields. One line declares an event,
 * and the trace describes itself:
 *
 * 	TRACE_EVENT(order_done, (u64, number), (u64, amount, "cents"), (str, who));
 * 	...
 * 	TraceEvent(order_done, 4711, 250, customer);
 *
 * The compiler checks the values' number and types. While no session records them they are not
 * evaluated, and a call costs as little as TraceEnabled. Names need no coordination: numbers are
 * derived from the name and the fields, so libraries that declare the same event share it, and
 * different events with one name do not collide. For C and C++; other languages call TraceEventNew
 * and TraceEventWrite.
 */
#ifndef PITRACE_TRACE_EVENT_H
#define PITRACE_TRACE_EVENT_H

#include "perfutil.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Declares an event of this process: `fields` is "name:type" or "name:type:unit" for each, with
 * commas between, "" for none. Types: u8 to u64, i8 to i64, hex, ptr, bool, f64, enum (in place of
 * the unit: its values' names from 0 on, as "idle|busy"), str. Returns its id (> 0): the same for
 * the same name and fields; or PI_INVALID_ARGUMENT (TraceLastError has the reason), PI_NO_MEMORY:
 * 2048 events exist already. Both texts are copied.
 */
int TraceEventNew(const char *name, const char *fields);

/*
 * Writes an event. strs are its str fields in order, ended by NULs (lens NULL) or of lens bytes;
 * values are all other fields, 64 bits each: i8 to i64 sign-extended, f64 as its bits. NULL for a
 * string is "(null)". Returns as TraceHook does.
 */
int TraceEventWrite(int event, const uint64_t values[], const int lens[], const char *const strs[]);

/* 1: a session may record named events; 0: TraceEventWrite would only return TRACE_NOBODY. */
static inline int TraceEventsEnabled(void)
{
	return TraceEnabled(PITRACE_NAMED, 0);
}

/* what TRACE_EVENT expands to */

struct trace_event {
	const char *name, *fields; /* a comma before each field */
	int id;                    /* 0: not declared yet; negative: code of the failure */
};
/* Declares the event if needed, and writes it. Element 0 of both lists is unused, so that they are
 * never empty. */
int TraceEventPut(struct trace_event *event, const uint64_t values[], const char *const strs[]);
/* The same for a struct of this size, which TRACE_EVENT calls: see libperfutil(3). */
int TraceEventPut_sized(struct trace_event *event, const uint64_t values[],
			const char *const strs[], size_t size);

typedef uint8_t trace_type_u8;
typedef uint16_t trace_type_u16;
typedef uint32_t trace_type_u32;
typedef uint64_t trace_type_u64;
typedef int8_t trace_type_i8;
typedef int16_t trace_type_i16;
typedef int32_t trace_type_i32;
typedef int64_t trace_type_i64;
typedef uint64_t trace_type_hex;
typedef const void *trace_type_ptr;
typedef double trace_type_f64;
typedef long long trace_type_enum; /* signed or unsigned, as enums are */
typedef const char *trace_type_str;
#ifdef __cplusplus
typedef bool trace_type_bool;
#else
typedef _Bool trace_type_bool, trace_type__Bool;
#endif

/* By type: its name; the value as an integer, and as a string, with a comma before it; or nothing.
 * bool may be a macro. */
#define TRACE_WORD_u8    "u8"
#define TRACE_WORD_u16   "u16"
#define TRACE_WORD_u32   "u32"
#define TRACE_WORD_u64   "u64"
#define TRACE_WORD_i8    "i8"
#define TRACE_WORD_i16   "i16"
#define TRACE_WORD_i32   "i32"
#define TRACE_WORD_i64   "i64"
#define TRACE_WORD_hex   "hex"
#define TRACE_WORD_ptr   "ptr"
#define TRACE_WORD_f64   "f64"
#define TRACE_WORD_enum  "enum"
#define TRACE_WORD_str   "str"
#define TRACE_WORD_bool  "bool"
#define TRACE_WORD__Bool "bool"

#define TRACE_BITS(value)                                                      \
	__extension__({                                                        \
		uint64_t trace_bits_;                                          \
                                                                               \
		__builtin_memcpy(&trace_bits_, &(value), sizeof(trace_bits_)); \
		trace_bits_;                                                   \
	})
#define TRACE_INT_u8(value)    , value
#define TRACE_INT_u16(value)   , value
#define TRACE_INT_u32(value)   , value
#define TRACE_INT_u64(value)   , value
#define TRACE_INT_i8(value)    , (uint64_t)(int64_t)(value)
#define TRACE_INT_i16(value)   , (uint64_t)(int64_t)(value)
#define TRACE_INT_i32(value)   , (uint64_t)(int64_t)(value)
#define TRACE_INT_i64(value)   , (uint64_t)(value)
#define TRACE_INT_hex(value)   , value
#define TRACE_INT_ptr(value)   , (uint64_t)(uintptr_t)(value)
#define TRACE_INT_f64(value)   , TRACE_BITS(value)
#define TRACE_INT_enum(value)  , (uint64_t)(value)
#define TRACE_INT_bool(value)  , value
#define TRACE_INT__Bool(value) , value
#define TRACE_INT_str(value)

#define TRACE_STR_u8(value)
#define TRACE_STR_u16(value)
#define TRACE_STR_u32(value)
#define TRACE_STR_u64(value)
#define TRACE_STR_i8(value)
#define TRACE_STR_i16(value)
#define TRACE_STR_i32(value)
#define TRACE_STR_i64(value)
#define TRACE_STR_hex(value)
#define TRACE_STR_ptr(value)
#define TRACE_STR_f64(value)
#define TRACE_STR_enum(value)
#define TRACE_STR_bool(value)
#define TRACE_STR__Bool(value)
#define TRACE_STR_str(value) , value

/* A field is (type, name) or (type, name, "unit"). */
#define TRACE_FIELD_TEXT(...)                     TRACE_FIELD_TEXT_(__VA_ARGS__, "", 0)
#define TRACE_FIELD_TEXT_(type, name, unit, ...)  "," #name ":" TRACE_WORD_##type ":" unit
#define TRACE_FIELD_PARAM(...)                    TRACE_FIELD_PARAM_(__VA_ARGS__, "", 0)
#define TRACE_FIELD_PARAM_(type, name, unit, ...) , trace_type_##type name
#define TRACE_FIELD_INT(...)                      TRACE_FIELD_INT_(__VA_ARGS__, "", 0)
#define TRACE_FIELD_INT_(type, name, unit, ...)   TRACE_INT_##type(name)
#define TRACE_FIELD_STR(...)                      TRACE_FIELD_STR_(__VA_ARGS__, "", 0)
#define TRACE_FIELD_STR_(type, name, unit, ...)   TRACE_STR_##type(name)

#define TRACE_PASTE(a, b)  TRACE_PASTE_(a, b)
#define TRACE_PASTE_(a, b) a##b
/* The number of arguments: 1 to 17. */
#define TRACE_COUNT(...) \
	TRACE_COUNT_(__VA_ARGS__, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define TRACE_COUNT_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, count, ...) count

/* Applies `make` to each argument except the first, which is the event's name. */
#define TRACE_EACH(make, ...) TRACE_PASTE(TRACE_EACH_, TRACE_COUNT(__VA_ARGS__))(make, __VA_ARGS__)
#define TRACE_EACH_1(make, event)
#define TRACE_EACH_2(make, event, a)       make a
#define TRACE_EACH_3(make, event, a, ...)  make a TRACE_EACH_2(make, event, __VA_ARGS__)
#define TRACE_EACH_4(make, event, a, ...)  make a TRACE_EACH_3(make, event, __VA_ARGS__)
#define TRACE_EACH_5(make, event, a, ...)  make a TRACE_EACH_4(make, event, __VA_ARGS__)
#define TRACE_EACH_6(make, event, a, ...)  make a TRACE_EACH_5(make, event, __VA_ARGS__)
#define TRACE_EACH_7(make, event, a, ...)  make a TRACE_EACH_6(make, event, __VA_ARGS__)
#define TRACE_EACH_8(make, event, a, ...)  make a TRACE_EACH_7(make, event, __VA_ARGS__)
#define TRACE_EACH_9(make, event, a, ...)  make a TRACE_EACH_8(make, event, __VA_ARGS__)
#define TRACE_EACH_10(make, event, a, ...) make a TRACE_EACH_9(make, event, __VA_ARGS__)
#define TRACE_EACH_11(make, event, a, ...) make a TRACE_EACH_10(make, event, __VA_ARGS__)
#define TRACE_EACH_12(make, event, a, ...) make a TRACE_EACH_11(make, event, __VA_ARGS__)
#define TRACE_EACH_13(make, event, a, ...) make a TRACE_EACH_12(make, event, __VA_ARGS__)
#define TRACE_EACH_14(make, event, a, ...) make a TRACE_EACH_13(make, event, __VA_ARGS__)
#define TRACE_EACH_15(make, event, a, ...) make a TRACE_EACH_14(make, event, __VA_ARGS__)
#define TRACE_EACH_16(make, event, a, ...) make a TRACE_EACH_15(make, event, __VA_ARGS__)
#define TRACE_EACH_17(make, event, a, ...) make a TRACE_EACH_16(make, event, __VA_ARGS__)

#define TRACE_NAME_OF(...)        TRACE_NAME_OF_(__VA_ARGS__, 0)
#define TRACE_NAME_OF_(name, ...) name

/* At file scope: an event and its fields, at most 16 (by TraceEventNew 32). */
#define TRACE_EVENT(...) TRACE_EVENT_(TRACE_NAME_OF(__VA_ARGS__), __VA_ARGS__)
#define TRACE_EVENT_(name, ...) \
	TRACE_EVENT__(name, "" TRACE_EACH(TRACE_FIELD_TEXT, __VA_ARGS__), __VA_ARGS__)
#define TRACE_EVENT__(event, text, ...)                                                           \
	PITRACE_ASSERT(sizeof(#event) <= PITRACE_NAMED_NAME + 1, "the name is too long");         \
	PITRACE_ASSERT(sizeof(text) <= PITRACE_NAMED_TEXT, "the text of its fields is too long"); \
	static struct trace_event trace_event_of_##event                                          \
		__attribute__((__unused__)) = { #event, text, 0 };                                \
	static inline int trace_event_##event(                                                    \
		struct trace_event *trace_event_ TRACE_EACH(TRACE_FIELD_PARAM, __VA_ARGS__))      \
	{                                                                                         \
		const uint64_t trace_ints_[] = { 0 TRACE_EACH(TRACE_FIELD_INT, __VA_ARGS__) };    \
		const char *const trace_strs_[] = { 0 TRACE_EACH(TRACE_FIELD_STR, __VA_ARGS__) }; \
                                                                                                  \
		return TraceEventPut_sized(trace_event_, trace_ints_, trace_strs_,                \
					   sizeof(*trace_event_));                                \
	}                                                                                         \
	struct trace_event

/* TraceEvent(name, value, ...): writes an event. Returns as TraceHook does. */
#define TraceEvent(...)         (TraceEventsEnabled() ? TRACE_CALL(__VA_ARGS__) : TRACE_NOBODY)
#define TRACE_CALL(...)         TRACE_PASTE(TRACE_CALL_, TRACE_ANY(__VA_ARGS__))(__VA_ARGS__)
#define TRACE_CALL_0(name)      trace_event_##name(&trace_event_of_##name)
#define TRACE_CALL_1(name, ...) trace_event_##name(&trace_event_of_##name, __VA_ARGS__)
/* 1 if there is more than one argument, else 0. */
#define TRACE_ANY(...) \
	TRACE_COUNT_(__VA_ARGS__, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0)

#ifdef __cplusplus
}
#endif
#endif
