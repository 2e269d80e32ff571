/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scoped spans and PTT, for C++17 and later: a measurement begins and ends with its object, also
 * when an exception passes. Nothing here throws or allocates; a failure is a state of the object.
 * Link with libperfutil.
 *
 * 	pitrace::span span("request", number);
 * 	pitrace::ptt_delta used;
 * 	{
 * 		pitrace::ptt_scope scope(used);
 * 		...
 * 	}
 */
#ifndef PITRACE_HPP
#define PITRACE_HPP

#if __cplusplus < 201703L
#error "pitrace.hpp needs C++17"
#endif

#include <array>
#include <atomic>
#include <cstdint>
#include <pthread.h>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#if __cplusplus >= 202002L
#include <version>
#ifdef __cpp_lib_source_location
#include <source_location>
#endif
#endif

#include "span.h"

namespace pitrace
{

namespace inner
{

/* One per program, whatever symbols its libraries hide: it makes the ids of equally named spans
 * unique. */
__attribute__((visibility("default"))) inline std::atomic<std::uint64_t> last_id{ 0 };

enum { STRINGS = 2 };

struct span_record {
	std::uint64_t ints[2];
	std::string_view strs[STRINGS];
	int int_count, str_count;
};

inline int hook(int minor, const span_record &record) noexcept
{
	const char *strs[STRINGS] = {};
	int lens[STRINGS] = {};

	for (int i = 0; i < record.str_count; i++) {
		std::size_t length = record.strs[i].size();

		/* A string that is too long is refused; its length is not truncated to fit an
		 * int. */
		strs[i] = record.strs[i].data();
		lens[i] = static_cast<int>(length < PITRACE_USER_MAX ? length : PITRACE_USER_MAX);
	}
	return (TraceHook)(0, PITRACE_HOOKIT, minor, record.int_count, record.str_count,
			   record.ints, lens, strs);
}

/* The common part of all kinds of spans. Write records one end of a span. */
template <class Name, int (*Write)(int minor, Name name, std::uint64_t id) noexcept> class scoped
{
public:
	scoped(const scoped &) = delete;
	scoped &operator=(const scoped &) = delete;

	/* Ends the span now. Returns as TraceHook; TRACE_NOBODY: it had not begun, has ended, or
	 * was moved from. */
	int end() noexcept
	{
		if (rc_ != PI_OK)
			return TRACE_NOBODY;
		rc_ = TRACE_NOBODY;
		return Write(TRACE_SPAN_END, name_, id_);
	}

	/* Returns the result of recording the beginning: PI_OK means that the end will be
	 * recorded. */
	int status() const noexcept
	{
		return rc_;
	}

	explicit operator bool() const noexcept
	{
		return rc_ == PI_OK;
	}

	std::uint64_t id() const noexcept
	{
		return id_;
	}

protected:
	scoped() noexcept = default;

	scoped(scoped &&other) noexcept
	    : name_(other.name_), id_(other.id_), rc_(std::exchange(other.rc_, TRACE_NOBODY))
	{
	}

	/* The span that this object held ends first. */
	scoped &operator=(scoped &&other) noexcept
	{
		if (this != &other) {
			end();
			name_ = other.name_;
			id_ = other.id_;
			rc_ = std::exchange(other.rc_, TRACE_NOBODY);
		}
		return *this;
	}

	~scoped() noexcept
	{
		end();
	}

	static bool wanted() noexcept
	{
		return TraceEnabled(PITRACE_HOOKIT, TRACE_SPAN_BEGIN);
	}

	static std::uint64_t own_id() noexcept
	{
		return last_id.fetch_add(1, std::memory_order_relaxed) + 1;
	}

	void begun(Name name, std::uint64_t id, int rc) noexcept
	{
		name_ = name;
		id_ = id;
		rc_ = rc;
	}

	void begin(Name name, std::uint64_t id) noexcept
	{
		begun(name, id, Write(TRACE_SPAN_BEGIN, name, id));
	}

private:
	Name name_{};
	std::uint64_t id_ = 0;
	int rc_ = TRACE_NOBODY;
};

inline int write_span(int minor, std::string_view name, std::uint64_t id) noexcept
{
	return hook(minor, { { id, 0 }, { name, {} }, 1, 1 });
}

inline int write_ptt_span(int minor, const char *name, std::uint64_t id) noexcept
{
	return PttSpan(minor, name, id);
}

} // namespace inner

/*
 * A span of this name, recorded by TraceHook (major 0xB0, minors 0 and 0x80): from here to end(),
 * or to the destruction of the object, in any thread. Without an id it gets a unique one within the
 * process. If no session records spans at the beginning, the end is not recorded either, and each
 * costs about a nanosecond. The object keeps the name's address: the text must live as long as the
 * object.
 */
class span : public inner::scoped<std::string_view, inner::write_span>
{
public:
	explicit span(std::string_view name) noexcept
	{
		if (wanted())
			begin(name, own_id());
	}

	span(std::string_view name, std::uint64_t id) noexcept
	{
		if (wanted())
			begin(name, id);
	}

#ifdef __cpp_lib_source_location
	/* A span named after the calling function; its record also has the line and the file. */
	explicit span(std::source_location where = std::source_location::current()) noexcept
	{
		const std::string_view name = where.function_name();
		std::uint64_t id;

		if (!wanted())
			return;
		id = own_id();
		begun(name, id,
		      inner::hook(TRACE_SPAN_BEGIN,
				  { { id, where.line() }, { name, where.file_name() }, 2, 2 }));
	}
#endif

	/* Temporary strings would be destroyed before the end. */
	template <class Text, class = std::enable_if_t<std::is_same_v<Text, std::string>>>
	explicit span(Text &&) = delete;
	template <class Text, class = std::enable_if_t<std::is_same_v<Text, std::string>>>
	span(Text &&, std::uint64_t) = delete;
	explicit span(std::nullptr_t) = delete;
	span(std::nullptr_t, std::uint64_t) = delete;

	span(span &&) noexcept = default;
	span &operator=(span &&) noexcept = default;
};

/*
 * A span with the calling thread's PTT values at both ends (PttSpan): `post -marks` adds up the
 * metrics by name. Call PttInit and PttInitThread first; without them it is a plain span, and so is
 * one that ends in another thread. The name is a C string.
 */
class ptt_span : public inner::scoped<const char *, inner::write_ptt_span>
{
public:
	explicit ptt_span(const char *name) noexcept
	{
		if (wanted())
			begin(name, own_id());
	}

	ptt_span(const char *name, std::uint64_t id) noexcept
	{
		if (wanted())
			begin(name, id);
	}

	explicit ptt_span(std::nullptr_t) = delete;
	ptt_span(std::nullptr_t, std::uint64_t) = delete;

	ptt_span(ptt_span &&) noexcept = default;
	ptt_span &operator=(ptt_span &&) noexcept = default;
};

/* The calling thread's usage, one value for each metric of PttInit, and 0 beyond them. */
struct ptt_delta {
	std::array<std::uint64_t, PTT_METRICS> value{};
	/* PI_OK, or why there are no values: the code of the failed read; PI_INCORRECT_STATE: the
	 * scope ended in another thread, or PTT was initialized again in between. */
	int rc = PI_NOT_INITIALIZED;

	explicit operator bool() const noexcept
	{
		return rc == PI_OK;
	}
};

/* Receives a delta by storing it. */
class ptt_store
{
public:
	ptt_store(ptt_delta &to) noexcept : to_(&to) { }

	void operator()(const ptt_delta &delta) const noexcept
	{
		*to_ = delta;
	}

private:
	ptt_delta *to_;
};

/*
 * Reads PTT's metrics of the calling thread here and at end(), or at the destruction of the object,
 * and passes the difference to a ptt_delta that outlives it, or to a function that does not throw:
 *
 * 	pitrace::ptt_scope scope([&](const pitrace::ptt_delta &delta) noexcept { ... });
 *
 * Call PttInit and PttInitThread first. An object that was moved from passes nothing.
 */
template <class Take = ptt_store> class ptt_scope
{
	static_assert(std::is_nothrow_invocable_v<Take &, const ptt_delta &>,
		      "a destructor calls it: it has to be noexcept");
	static_assert(std::is_nothrow_move_constructible_v<Take>, "it moves with the scope");

public:
	explicit ptt_scope(Take take) noexcept : take_(std::move(take)), thread_(pthread_self())
	{
		rc_ = read(first_);
	}

	ptt_scope(const ptt_scope &) = delete;
	ptt_scope &operator=(const ptt_scope &) = delete;
	ptt_scope &operator=(ptt_scope &&) = delete;

	ptt_scope(ptt_scope &&other) noexcept
	    : take_(std::move(other.take_)), first_(other.first_), thread_(other.thread_),
	      rc_(other.rc_), open_(std::exchange(other.open_, false))
	{
	}

	~ptt_scope() noexcept
	{
		end();
	}

	/* Returns the usage up to now; the scope continues. */
	ptt_delta so_far() const noexcept
	{
		ptt_delta delta;
		std::array<std::uint64_t, PTT_METRICS> now{};

		delta.rc = rc_;
		if (!rc_ && !pthread_equal(thread_, pthread_self()))
			delta.rc = PI_INCORRECT_STATE;
		if (delta.rc == PI_OK)
			delta.rc = read(now);
		for (std::size_t i = 0; delta.rc == PI_OK && i < now.size(); i++)
			if (now[i] < first_[i])
				delta.rc = PI_INCORRECT_STATE;
		for (std::size_t i = 0; delta.rc == PI_OK && i < now.size(); i++)
			delta.value[i] = now[i] - first_[i];
		return delta;
	}

	/* Ends the scope now, and passes on the difference. Returns PI_OK, or the delta's code. */
	int end() noexcept
	{
		if (!open_)
			return PI_INCORRECT_STATE;
		open_ = false;

		const ptt_delta delta = so_far();
		take_(delta);
		return delta.rc;
	}

	/* Returns the result of the first read. */
	int status() const noexcept
	{
		return rc_;
	}

	explicit operator bool() const noexcept
	{
		return open_ && rc_ == PI_OK;
	}

private:
	Take take_;
	std::array<std::uint64_t, PTT_METRICS> first_{};
	pthread_t thread_;
	int rc_;
	bool open_ = true;

	static int read(std::array<std::uint64_t, PTT_METRICS> &values) noexcept
	{
		return __atomic_load_n(&PttGetMetricData, __ATOMIC_ACQUIRE)(values.data());
	}
};

ptt_scope(ptt_delta &)->ptt_scope<ptt_store>;

} // namespace pitrace

#endif
