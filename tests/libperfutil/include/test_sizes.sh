#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Structs that grow: programs that were built with headers in which they are smaller, or larger, or that do
# not tell a size at all, get what they have room for from today's libraries, and may give what they have.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1
export PITRACE_SOCKET=$work/socket PITRACE_HOLDER=$build/lib/pitrace/pitrace-holder
ln -s "$build/lib/libperfutil.so" libperfutil.so.0
ln -s "$build/lib/liba2n.so" liba2n.so.0

# HEADER STRUCT LAST-MEMBER of each that a library fills in
structs='perfutil trace_check cure
perfutil trace_info refused_names
tracer tracer_options group
ptt ptt_thread_data generation
ptt ptt_info note
pttview pttview_gone unwatched
pttview pttview_cpu bucket
pttview pttview_held cycles
ai ai_counters interrupts
ai ai_info note
perfcounter perf_counter_event source
counters counter_value counted
counters counters_held elapsed
pifile pirecord repeats
pifile pifile_fault what
pifile pifile_user offset
a2n a2n_answer code
a2n a2n_code bytes
a2n a2n_span told
a2n a2n_frame inlined
a2nint SYMDATA src_lineno
jitdump jitdump_event eh_frame_hdr_size
jitdump jitdump_line file
jitdump jitdump_fault unfinished
jitlog jitlog_event line
jitlog jitlog_fault unfinished
perfmap perfmap_entry line
perfmap perfmap_fault unfinished
perfmap perfmap_part path'

# … and that it is given; older programs have them shorter, too: of these sizes.c gives a part.
given='counters counters_options events
pttview pttview_options charged
tracer tracer_itrace stop_file
a2n a2n_options warn_arg
a2n a2n_map build_id_size
a2n a2n_jit_line file
jitdump jitdump_unwind eh_frame_hdr_size
a2nint A2N_LINE line
trace_event trace_event id'

# Each struct's last line, once: dropped, or followed by a member more.
changed() { # HOW HEADER STRUCT MEMBER
	perl - "$1" "$3" "$4" "headers_$1/$2.h" <<-'END'
		my ($how, $struct, $member, $path) = @ARGV;
		open my $in, '<', $path or die; my $text = join '', <$in>; close $in;
		my $body = $struct =~ /^[A-Z0-9_]+$/ ? qr/typedef struct (\{[^{}]*\}) \Q$struct\E;/ :
			qr/^struct \Q$struct\E (\{[^{}]*\});/m;
		$text =~ $body or die "no struct $struct";
		my ($from, $to) = ($-[1], $+[1]);
		my $was = substr($text, $from, $to - $from);
		(my $bare = $was) =~ s/\n[^\n]*\b\Q$member\E\b(\[[^;\n]*\])*;[^\n]*\n(\s*\/\*[^\n]*\n)?\}$/\n}/ or die "$struct ends otherwise";
		substr($text, $from, $to - $from) = $how eq 'old' ? $bare : $was =~ s/\}$/uint64_t later[3];\n}/r;
		open my $out, '>', $path or die; print $out $text;
	END
}
for how in old new; do
	mkdir "headers_$how"
	cp "$top"/libperfutil/include/*.h "headers_$how/"
	code=0
	while read -r header struct member; do
		# Programs fill it in, too.
		[ $how$struct != oldjitdump_line ] || continue
		# Its last members are what the functions after it go on by.
		[ $how$struct != oldpifile_user ] || continue
		changed $how "$header" "$struct" "$member" 2>&1 || code=1
	done < <(
		echo "$structs"
		[ $how = old ] || echo "$given"
	) >out
	verdict "headers_$how" $code
done
"$bin/swtrace" run -q -B timer -o a.nrm2 -- true >out 2>&1
verdict trace $?

program() { # NAME HEADERS LEAST OPTION...
	local n=0 line
	gcc -std=gnu11 -g -O2 -Wall -Wextra -Werror -fsanitize=leak -D_GNU_SOURCE -I "$top/driver/uapi" -I "$2" "${@:4}" -o "$1" \
		"$top/tests/libperfutil/include/sizes.c" -L . -l:libperfutil.so.0 -l:liba2n.so.0 >out 2>&1
	verdict "$1_builds" $?
	LD_LIBRARY_PATH=$work "./$1" a.nrm2 >said 2>&1
	echo "exit code $?" >>said
	! grep -q 'LeakSanitizer' said
	verdict "$1_leaks_nothing" $? "$(grep -A 4 'leak of' said | head -n 20)"
	while read -r line; do
		case $line in
		'ok '*) verdict "$1_${line#ok }" 0 && n=$((n + 1)) ;;
		'not ok '*) verdict "$1_${line#not ok }" 1 "of the program" ;;
		'skip '*) line=${line#skip } && echo "skip sizes_${line%% *} ${line#* }" && n=$((n + 2)) ;;
		esac
	done <said
	calc "$n >= $3"
	verdict "$1_says_all" $? "$(cat said)"
}
program today "$top/libperfutil/include" 40
program untold "$top/libperfutil/include" 31 -DPLAIN
program older headers_old 40
program newer headers_new 56 -DLATER

# Each function that fills in a struct of a header is told its size.
missing=0
for library in libperfutil liba2n; do
	nm -D --defined-only "$build/lib/$library.so" | sed -n 's/.* T \([^@]*\)@.*/\1/p' | sort -u >exported
	sed -n 's/_sized$//p' exported | sort >told
	[ -s told ] && [ -z "$(comm -23 told exported)" ] || missing=1
done
verdict plain_functions_stay $missing
! nm -D --defined-only "$build"/lib/lib*.so | grep whole_ >out
verdict inner_names_stay_inside $?
[ $failures = 0 ]
