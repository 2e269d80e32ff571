/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pitrace.hpp as a program uses it. Prints "ok NAME" or "not ok NAME line" for each thing that it
 * checks itself; what `spans` has recorded, test_cpp.sh counts.
 */
#include <pitrace.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static int failures;

static void check(bool right, const char *name, int line)
{
	if (right) {
		std::printf("ok %s\n", name);
		return;
	}
	std::printf("not ok %s line %d\n", name, line);
	failures++;
}
#define CHECK(name, condition) check(condition, name, __LINE__)

/* ---- what the compiler promises -------------------------------------------------------------- */

using pitrace::ptt_delta;
using pitrace::ptt_scope;
using pitrace::ptt_span;
using pitrace::span;

template <class T>
constexpr bool only_moves = std::is_nothrow_move_constructible_v<T> &&
			    !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T> &&
			    std::is_nothrow_destructible_v<T>;

static_assert(only_moves<span> && std::is_nothrow_move_assignable_v<span>);
static_assert(only_moves<ptt_scope<>> && !std::is_move_assignable_v<ptt_scope<>>);
static_assert(std::is_nothrow_constructible_v<span, const char *>);
static_assert(std::is_nothrow_constructible_v<span, std::string_view, std::uint64_t>);
static_assert(std::is_nothrow_constructible_v<ptt_scope<>, ptt_delta &>);
static_assert(std::is_nothrow_swappable_v<span>);
static_assert(only_moves<ptt_span> && std::is_nothrow_move_assignable_v<ptt_span>);
static_assert(!std::is_constructible_v<ptt_span, std::nullptr_t>);
static_assert(!std::is_constructible_v<ptt_span, std::string>);
static_assert(noexcept(std::declval<span &>().end()));
static_assert(noexcept(std::declval<ptt_scope<> &>().end()));
/* A text that dies before the span, and none. */
static_assert(!std::is_constructible_v<span, std::string>);
static_assert(!std::is_constructible_v<span, std::string, std::uint64_t>);
static_assert(std::is_constructible_v<span, std::string &>);
static_assert(!std::is_constructible_v<span, std::nullptr_t>);

/* ---- spans ----------------------------------------------------------------------------------- */

#ifdef __cpp_lib_source_location
static void located()
{
	span here;
}
#endif

static void throws(int depth)
{
	span here("thrown", static_cast<std::uint64_t>(depth));

	if (!depth)
		throw std::runtime_error("enough");
	throws(depth - 1);
}

static void moves()
{
	span a("moved", 1);
	span b(std::move(a));

	CHECK("moved_from_is_nothing", !a && a.end() == TRACE_NOBODY);
	CHECK("moved_to_goes_on", static_cast<bool>(b) && b.id() == 1);
	{
		span first("first", 2);

		first = span("second", 3);
		CHECK("assigned", first.id() == 3 && first.status() == PI_OK);
		span &self = first;
		first = std::move(self);
		CHECK("assigned_to_itself", static_cast<bool>(first));
		a = std::move(first);
		CHECK("assigned_to_moved_from", static_cast<bool>(a) && !first);
	}
	std::vector<span> many;
	for (std::uint64_t i = 0; i < 100; i++)
		many.emplace_back("grown", i);
	std::swap(many[0], many[99]);
	CHECK("swapped", many[0].id() == 99 && many[99].id() == 0);
	CHECK("ends_once", b.end() == PI_OK && b.end() == TRACE_NOBODY && !b);
}

static void threads()
{
	std::vector<std::thread> all;

	for (std::uint64_t t = 0; t < 8; t++)
		all.emplace_back([t] {
			for (std::uint64_t i = 0; i < 100; i++)
				span one("thread", t * 100 + i);
		});
	for (auto &t : all)
		t.join();
	span handed("handed", 77);
	std::thread([mine = std::move(handed)] {}).join();
	CHECK("handed_over", !handed);
}

static void names()
{
	const std::string text = "a string", all = "cut here";
	const std::string large(5000, 'x');
	std::map<std::uint64_t, int> ids;

	{
		span of_string(text, 5), part(std::string_view(all).substr(0, 3), 6);
		span huge(large);

		CHECK("too_long_is_refused", huge.status() == PI_HOOK_TOO_LONG && !huge);
		CHECK("too_long_has_no_end", huge.end() == TRACE_NOBODY);
	}
	for (int i = 0; i < 50; i++)
		ids[span("own id").id()]++;
	CHECK("own_ids_differ", ids.size() == 50);
	errno = 12345;
	span("errno");
	CHECK("errno_stays", errno == 12345);
}

static int spans()
{
	for (int i = 0; i < 3; i++)
		span plain("plain", 7);
	moves();
	try {
		throws(4);
		CHECK("thrown", false);
	} catch (const std::runtime_error &) {
		CHECK("thrown", true);
	}
	threads();
	names();
#ifdef __cpp_lib_source_location
	located();
	located();
#endif
	return failures;
}

static volatile int seen;

static void work()
{
	for (int i = 0; i < 30000000; i++)
		seen = i;
}

/* First without PTT, then with it. */
static int ptt_spans()
{
	const char *const metrics[] = { "task-clock", "page-faults" };

	{
		ptt_span a("unmeasured"), b(std::move(a));

		CHECK("ptt_moved_from_is_nothing", !a && a.end() == TRACE_NOBODY);
		CHECK("ptt_moved_to_goes_on", static_cast<bool>(b) && b.id() != 0);
	}
	if (PttInit(2, metrics, TRACE_PRIV_USER)) {
		std::printf("skip ptt_spans %s\n", TraceLastError());
		return failures;
	}
	PttInitThread(0);
	for (std::uint64_t i = 0; i < 2; i++) {
		ptt_span one("measured", i);

		work();
	}
	PttTerminate();
	return failures;
}

static int untraced()
{
	span one("nobody"), two("nobody", 4);

	CHECK("untraced_is_nothing", !one && !two && one.status() == TRACE_NOBODY);
	CHECK("untraced_ends", one.end() == TRACE_NOBODY);
	span three(std::move(two));
	return failures;
}

/* ---- PTT ------------------------------------------------------------------------------------- */

static void without_ptt()
{
	ptt_delta used;
	int given = 0;

	{
		ptt_scope scope(used);

		CHECK("no_ptt_is_told", scope.status() == PI_NOT_INITIALIZED && !scope);
	}
	CHECK("no_ptt_is_no_value", !used && used.rc == PI_NOT_INITIALIZED && used.value[0] == 0);
	{
		ptt_scope scope([&](const ptt_delta &d) noexcept { given += d.rc; });
	}
	CHECK("no_ptt_is_given", given == PI_NOT_INITIALIZED);
}

static void ptt_moves()
{
	ptt_delta used;
	int calls = 0;

	{
		ptt_scope a(used);
		work();
		ptt_scope b(std::move(a));

		CHECK("scope_moved_from_is_nothing", !a && a.end() == PI_INCORRECT_STATE);
		CHECK("scope_moved_from_gave_nothing", used.rc == PI_NOT_INITIALIZED);
		CHECK("scope_moved_to_goes_on", static_cast<bool>(b));
	}
	CHECK("scope_counts_from_its_beginning", used && used.value[0] > 1000000);
	{
		auto count = [&](const ptt_delta &d) noexcept { calls += d ? 1 : 1000; };
		ptt_scope a(count);
		ptt_scope b(std::move(a));

		CHECK("scope_ends_once", b.end() == PI_OK && b.end() == PI_INCORRECT_STATE);
	}
	CHECK("scope_gave_once", calls == 1);
}

static int ptt()
{
	const char *const metrics[] = { "task-clock", "page-faults" };
	ptt_delta used, thrown, part, away, anew;

	without_ptt();
	if (int rc = PttInit(2, metrics, TRACE_PRIV_USER); rc) {
		std::printf("skip ptt %s\n", TraceLastError());
		return failures;
	}
	{
		ptt_scope scope(used);
	}
	CHECK("not_added_is_told", used.rc == PI_NO_PROCESS);
	PttInitThread(0);
	{
		ptt_scope scope(used);

		work();
		part = scope.so_far();
		work();
	}
	CHECK("used", used && used.value[0] > 1000000 && used.value[2] == 0);
	CHECK("so_far", part && part.value[0] > 500000 && part.value[0] < used.value[0]);
	try {
		ptt_scope scope(thrown);

		work();
		throw 1;
	} catch (int) {
	}
	CHECK("thrown_through", thrown && thrown.value[0] > 500000);
	ptt_moves();
	{
		ptt_scope scope(away);

		std::thread([mine = std::move(scope)] {}).join();
	}
	CHECK("other_thread_is_told", away.rc == PI_INCORRECT_STATE && away.value[0] == 0);
	work();
	{
		ptt_scope scope(anew);

		PttTerminate();
		CHECK("begun_anew", PttInit(2, metrics, TRACE_PRIV_USER) == PI_OK);
		PttInitThread(0);
	}
	CHECK("begun_anew_is_told", anew.rc == PI_INCORRECT_STATE && anew.value[0] == 0);
	PttTerminate();
	return failures;
}

/* ---- cancellation ---------------------------------------------------------------------------- */

static bool passed;

/* A request that was there before: the first call, which looks for listeners, does not see it. */
static void *cancelled(void *)
{
	pthread_cancel(pthread_self());
	{
		span one("cancelled", 9);
		passed = true;
	}
	pthread_testcancel();
	return nullptr;
}

/* Its reads are system calls where perf serves. */
static void *cancelled_in_scope(void *)
{
	ptt_delta used;

	PttInitThread(0);
	pthread_cancel(pthread_self());
	{
		ptt_scope scope(used);
	}
	passed = true;
	pthread_testcancel();
	return nullptr;
}

static bool ends_after(void *(*what)(void *))
{
	void *result = nullptr;
	pthread_t thread;

	passed = false;
	pthread_create(&thread, nullptr, what, nullptr);
	pthread_join(thread, &result);
	return passed && result == PTHREAD_CANCELED;
}

static int cancel()
{
	const char *const metrics[] = { "task-clock", "page-faults" };

	CHECK("cancelled_afterwards", ends_after(cancelled));
	if (PttInit(2, metrics, TRACE_PRIV_USER))
		std::printf("skip ptt %s\n", TraceLastError());
	CHECK("cancelled_after_the_scope", ends_after(cancelled_in_scope));
	return failures;
}

int main(int argc, char **argv)
{
	const std::string what = argc > 1 ? argv[1] : "";

	std::setvbuf(stdout, nullptr, _IOLBF, 0);
	return what == "spans"     ? spans() :
	       what == "ptt_spans" ? ptt_spans() :
	       what == "untraced"  ? untraced() :
	       what == "ptt"       ? ptt() :
	       what == "cancel"    ? cancel() :
				     2;
}
