#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# post and names: the right one for every instant, symbols of real files, maps given by hand, and
# names that mean harm.
set -u
# shellcheck source=tests/lib/post_lib.sh
. "$(dirname "$0")/../../lib/post_lib.sh"

"$make_trace" story story.nrm2 || exit 1
"$make_trace" times times.nrm2 || exit 1

# ---- time: what post keeps between samples must not outlive a mapping, an exec, a pid
code 0 "$post" -q times.nrm2 &&
	sed -n '/)) Process_Module$/,/)) Process_Module_S/p' tprof.out >part &&
	has_line part PID 40 74.07 shifty_32 && has_line part MOD 15 27.78 /nowhere/even &&
	has_line part MOD 15 27.78 /nowhere/odd && has_line part MOD 10 18.52 NoModule
verdict remapped
has_line part PID 8 14.81 heir_32 && has_line part MOD 5 9.26 /nowhere/heir
verdict pid_reused
has_line part PID 6 11.11 sharer_33 && has_line part MOD 4 7.41 /nowhere/shared &&
	has_line part MOD 3 5.56 /nowhere/shared
verdict shared_memory
code 0 "$post" -json times.nrm2 &&
	jq -e '[.processes[] | select(.pid == 50) | .name] == ["shifty", "heir"]' out >why
verdict two_owners_of_a_pid

# ---- jitted code: no record of the trace stands where one function takes another's place, so samples
# that wait to be counted must be, before the first one behind
perl -e '
	sub load {
		my ($time, $name, $index) = @_;
		my $rest = pack("LLQQQQ", 50, 50, 0x7f0000001000, 0x7f0000001000, 16, $index) .
			"$name\0" . "\x90" x 16;
		return pack("LLQ", 0, 16 + length $rest, $time) . $rest;
	}
	print pack("LLLLLLQQ", 0x4A695444, 1, 40, 62, 0, 50, 10000000000, 0),
		load(10000050000, "younger", 1), load(10000200000, "older", 2);
' >jit-50.dump
{
	echo "0 on
		0 task walk 50 1 jitter
		0 map 50 0x7e0000000000 0x1000 0 $PWD/jit-50.dump
		0 map 50 0x7f0000000000 0x10000 0 //anon"
	for t in 110 120 130 210 220 230 240; do
		echo "$t sample 0 50 0x7f0000001004"
	done
	echo "300 off"
} | "$make_script" jit.nrm2 &&
	code 0 "$post" -csv jit.nrm2 && awk -F, '$5 == "JITCODE" { print $6, $7 }' out >why &&
	[ "$(xargs <why)" = "older 4 younger 3" ]
verdict jitted_code_replaced
# A build id that was read at the end comes first in the file: logs must not be announced before their time because of
# it, or the start of their program would undo them.
printf '# time address size flags method code\n10000050000\t7f0000001000\t10\tLOAD\tmade\n' >log-jita2n_60
printf '%s\n' '0 on' '10 task fork 60 1 shell' '20 task exec 60 1 maker' '30 map 60 0x7f0000000000 0x10000 0 //anon' \
	'110 sample 0 60 0x7f0000001004' '300 off' | "$make_script" --late-id log.nrm2 &&
	code 0 "$post" -csv log.nrm2 && awk -F, '$5 == "JITCODE" { print $6, $7 }' out >why && [ "$(cat why)" = 'made 1' ]
verdict log_and_late_snapshot
rm -f log-jita2n_60

# ---- symbols of a real file, here and below a folder that copies another machine's root
if command -v gcc >/dev/null; then
	cat >lib.c <<-'END'
		int first(int n) { return n + 1; }
		int second(int n) { return n * 3 + first(n); }
	END
	mkdir -p root/opt/there
	gcc -O0 -shared -fPIC -nostdlib -Wl,--build-id=none -Wl,-z,noseparate-code -o lib.so lib.c
	address=$(nm lib.so | awk '$3 == "second" { print $1 }')
	"$make_trace" elf here.nrm2 "$work/lib.so" "$address"
	code 0 "$post" -q here.nrm2 && has_line tprof.out SYM 10 100.00 second
	verdict symbol_of_file
	# Names that cannot be demangled here are counted: Swift's, and those that no compiler wrote.
	cat >mangled.c <<-'END'
		void swift(void) __asm__("$s4main4spinyS2iF");
		void swift(void) { }
		void unread(void) __asm__("_Z9unreadableQ");
		void unread(void) { }
		void rust(void) __asm__("_RNvC6_123foo3bar");
		void rust(void) { }
	END
	gcc -O0 -shared -fPIC -nostdlib -Wl,--build-id=none -Wl,-z,noseparate-code -o mangled.so mangled.c
	mangled() { # NAME
		"$make_trace" elf mangled.nrm2 "$work/mangled.so" \
			"$(nm mangled.so | awk -v n="$1" '$3 == n { print $1 }')"
		code 0 "$post" mangled.nrm2 && has out "1 name stayed mangled, the first is $1" &&
			has tprof.out "1 name stayed mangled, the first is $1" &&
			code 0 "$post" -q -json mangled.nrm2 && has out '"mangled_names": 1'
	}
	every mangled '$s4main4spinyS2iF' _Z9unreadableQ
	verdict mangled_names_are_counted
	"$make_trace" elf mangled.nrm2 "$work/mangled.so" \
		"$(nm mangled.so | awk '$3 == "_RNvC6_123foo3bar" { print $1 }')"
	code 0 "$post" mangled.nrm2 && has_line tprof.out SYM 10 100.00 123foo::bar && ! has out "stayed mangled"
	verdict demangled_names_are_not
	cp lib.so root/opt/there/
	"$make_trace" elf there.nrm2 /opt/there/lib.so "$address"
	code 0 "$post" there.nrm2 && has out "/opt/there/lib.so: no such file" &&
		has out "-sympath" &&
		code 0 "$post" -q -sympath "$work/root" there.nrm2 &&
		has_line tprof.out SYM 10 100.00 second
	verdict sympath
	strip -s lib.so && objcopy --strip-all --remove-section=.dynsym lib.so 2>/dev/null
	code 0 "$post" -verbose here.nrm2 && has err "$work/lib.so"
	verdict verbose_names_the_module
else
	for name in symbol_of_file mangled_names_are_counted demangled_names_are_not sympath \
		verbose_names_the_module; do
		echo "skip post_names_$name gcc is not installed"
	done
fi

# ---- a writer reads the samples once more: what the first pass ended with is not known at the second's beginning
cat >later.story <<-END
	0 on
	0 task walk 50 1 job
	0 task walk 60 1 other
	10 sample 0 50 0xffffffffc0100008
	11 sample 0 50 0x7f0000000008
	20 map 0 0xffffffffc0100000 0x40 0 bpf_prog_1 0x281
	21 map 50 0x7f0000000000 0x1000 0 /nowhere/later
	30 sample 0 50 0xffffffffc0100008
	31 sample 0 50 0x7f0000000008
	32 sample 0 60 0x7f0000000008
	40 off
END
"$make_script" later.nrm2 <later.story && code 0 "$post" -q -csv -o - later.nrm2 &&
	awk -F, 'NR > 1 { print $1, $6, $7 }' out | sort | xargs >why &&
	[ "$(cat why)" = '50 NoModule 2 50 NoSymbols 1 50 bpf_prog_1 1 60 NoModule 1' ] &&
	code 0 "$post" -q -format chrome -o later.json later.nrm2 &&
	jq -r '.traceEvents[] | select(.ph == "i") | .name' later.json | xargs >why &&
	[ "$(cat why)" = 'NoModule NoModule bpf_prog_1 NoSymbols NoModule' ]
verdict mapped_later

# ---- kernel symbols
printf 'ffffffff81001000 T my_function\nffffffff81002000 T other\nffffffff81003000 T _etext\n' >map
code 1 "$post" -q -kmap map story.nrm2 && has_line tprof.out SYM 42 21.00 my_function
verdict kmap
code 2 "$post" -kmap nosuch story.nrm2 && has err "nosuch" &&
	code 2 "$post" -kmap /bin/sh story.nrm2
verdict kmap_unreadable

# ---- a kernel's image: by its symbols, moved to where the kernel ran; each kind of file to its option
if command -v gcc >/dev/null; then
	cat >kernel.S <<-'END'
		.globl _text, _stext, in_image, behind, _etext
		.type in_image, @function
		_text: _stext: .skip 4096
		in_image: .skip 4096
		behind: .skip 4096
		_etext: nop
	END
	gcc -nostdlib -static -no-pie kernel.S -o vmlinux -Wl,-Ttext=0xffffffff82000000,-e,_stext,--build-id=none
	printf 'ffffffff81000000 T _text\nffffffff81000000 T _stext\nffffffff81003000 T _etext\n' >map
	code 1 "$post" -q -kmap map -k vmlinux story.nrm2 && has_line tprof.out SYM 42 21.00 in_image
	verdict image_moved
	code 1 "$post" -q -k vmlinux -kmap map -format folded -o folded story.nrm2 && has folded 'in_image_[k]'
	verdict image_in_formats
	printf 'ffffffff81000000 T _stext\nffffffff81004000 T _etext\n' >other
	code 1 "$post" -kmap other -k vmlinux story.nrm2 && has err "another kernel"
	verdict image_of_another_kernel
	code 2 "$post" -k map story.nrm2 && has err "-k: map: " && has err "-kmap" &&
		code 2 "$post" -kmap vmlinux story.nrm2 && has err "-kmap: vmlinux: " && has err "-k " &&
		code 2 "$post" -k /bin/sh story.nrm2 && has err "-k: /bin/sh: not a vmlinux" &&
		code 2 "$post" -k story.nrm2 story.nrm2 && has err "no ELF file" &&
		code 2 "$post" -k . story.nrm2 && has err "directory" &&
		head -c 514 /dev/zero >packed && echo HdrS >>packed &&
		head -c 600 /dev/zero >>packed && code 2 "$post" -k packed story.nrm2 && has err "packed kernel"
	verdict image_of_the_wrong_kind
else
	for name in image_moved image_in_formats image_of_another_kernel image_of_the_wrong_kind; do
		echo "skip post_names_$name gcc is not installed"
	done
fi
echo "no lines of kallsyms" >text
printf '0000000000000000 T _text\n0000000000000000 t one\n' >hidden
code 2 "$post" -kmap text story.nrm2 && has err "not a copy" &&
	code 2 "$post" -kmap story.nrm2 story.nrm2 && has err "not a copy" &&
	code 2 "$post" -kmap hidden story.nrm2 && has err "CAP_SYSLOG" &&
	code 2 "$post" -jdir text story.nrm2 && has err "-jdir: text" &&
	code 2 "$post" -sympath /:text:/usr story.nrm2 && has err "-sympath: text" &&
	code 2 "$post" -program /bin/sh story.nrm2 && has err "no XRay log"
verdict files_of_the_wrong_kind

# ---- offsets where no symbol is, there alone
code 1 "$post" -q -nsf -o bare story.nrm2 && code 1 "$post" -q -off -o all story.nrm2 &&
	awk '$1 == "SYM" { none = $4 ~ /^(No|Jit)/ } $1 == "OFF" { n[none]++ }
		END { exit !(n[1] && !n[0]) }' bare &&
	awk '$1 == "SYM" { none = $4 ~ /^(No|Jit)/ } $1 == "OFF" && none' all >all.off &&
	awk '$1 == "OFF"' bare | diff all.off - >why &&
	code 1 "$post" -csv -nsf story.nrm2 && grep -q 'NoS[^,]*,0x' out && grep -q 'vmlinux,[a-z_]*,,' out &&
	code 1 "$post" -json -nsf story.nrm2 &&
	jq -e '[.. | objects | select(.offsets) | .name] | length > 0 and all(startswith("No") or startswith("Jit"))' out >why
verdict nsf

# ---- names that mean harm: no control character gets through, in any form
bad=
for options in "-o -" "" "-show -o -" "-csv" "-json" "-show -json -o -" "-verbose -off -cpu"; do
	rm -f tprof.out
	# shellcheck disable=SC2086
	"$post" $options story.nrm2 >out 2>err
	cat out err tprof.out 2>/dev/null | LC_ALL=C tr -d '\n\040-\176' >left
	[ -s left ] && bad="$bad [$options]"
	cat out err tprof.out 2>/dev/null | grep -q 'ev' || bad="$bad [$options: no name]"
done
echo "let through:$bad" >why
[ -z "$bad" ]
verdict control_characters
finish
