#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Source lines and inlined functions of all instructions of real programs, by liba2n (a2n_lines)
# and by addr2line and llvm-symbolizer. Each of those errs somewhere (binutils 2.40 in DWARF 5 file
# numbers and split units, LLVM 14 in clang's split units), so ours must be what one of them says;
# what LLVM calls the outermost function is the symbol table's, and not compared. A program whose
# DWARF is split, shared or elsewhere must give what its twin with all of it inside gives.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=${PITRACE_BUILD:-$(cd "$here/../../.." && pwd)/build}
lines=${TESTS:-$build/tests}/programs/a2n_lines
failures=0
for tool in gcc g++ clang clang++ addr2line llvm-symbolizer objdump objcopy readelf strip dwz dwp llvm-dwp xz; do
	command -v $tool >/dev/null && continue
	echo "skip lines $tool is not installed"
	exit 77
done
[ -x "$lines" ] || {
	echo "not ok lines: $lines is not built"
	exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C ASAN_OPTIONS=exitcode=99 UBSAN_OPTIONS=exitcode=99

verdict() { # NAME: of the command before
	if [ $? -eq 0 ]; then
		echo "ok lines_$1"
	else
		echo "not ok lines_$1"
		[ -s why ] && sed 's/^/    /' why | head -n 20
		failures=$((failures + 1))
	fi
	rm -f why
}

cat >a.h <<'END_OF_FILE'
static inline __attribute__((always_inline)) int leaf(int x) { return x * 3 + 1; }
static inline __attribute__((always_inline)) int middle(int x)
{
	int y = leaf(x);
	return leaf(y) ^ x;
}
END_OF_FILE
cat >a.c <<'END_OF_FILE'
#include <stdio.h>
#include "a.h"
extern int other(int);
volatile int v;
int outer(int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s += middle(i + v);
	return s;
}
int main(int argc, char **argv) { printf("%d\n", outer(argc) + other(argc)); return 0; }
END_OF_FILE
cat >b.cc <<'END_OF_FILE'
#include <algorithm>
#include <string>
#include <vector>
namespace ns { template <class T> struct box { T t; T get() const { return t + 1; } }; }
static std::vector<int> make(int n)
{
	std::vector<int> v;
	for (int i = 0; i < n; i++)
		v.push_back(i * 7 % 11);
	std::sort(v.begin(), v.end());
	return v;
}
extern "C" int other(int n)
{
	ns::box<int> b{n};
	int s = b.get();
	for (int x : make(n + 3))
		s += x;
	std::string t = std::to_string(s);
	return s + (int)t.size();
}
END_OF_FILE
# build NAME CC CXX OPTION...
build() {
	local name=$1 cc=$2 cxx=$3
	shift 3
	$cc "$@" -c a.c -o "a_$name.o" && $cxx "$@" -c b.cc -o "b_$name.o" &&
		g++ -o "$name" "a_$name.o" "b_$name.o"
}

# ---- beside the judges
addresses() { objdump -d --no-show-raw-insn "$1" | sed -nE 's/^ +([0-9a-f]+):.*/\1/p'; }
# A line an address: function | file:line for each frame. Where no file is known the function is the
# symbol table's.
one_line() {
	sed -E 's/ \(discriminator.*//; s/^(.*):([0-9]+):[0-9]+$/\1:\2/; s/:0$/:?/; s/^[^/]*:\??$/??:?/
		s/^0x0+/0x/' | awk '
		/^0x/ { out(); a = $0; n = 0; next }
		NF { l[++n] = $0 }
		function out(i) {
			if (n == 2 && l[2] ~ /\?\?:\?$/)
				l[1] = "??"
			if (a) {
				printf "%s", a
				for (i = 1; i <= n; i++)
					printf " | %s", l[i]
				print ""
			}
		}
		END { out() }'
}
ours() { # FILE [OPTION...]: all its instructions
	local file=$1
	shift
	addresses "$file" | "$lines" "$@" "$work/$file" 2>err
}
# judged NAME LEAST: all answers are a judge's, and of so many addresses something is known, some of
# them inlined
judged() {
	local file=$1
	ours "$file" | one_line >ours
	addresses "$file" | addr2line -a -f -i -e "$file" | one_line >addr2line
	addresses "$file" | sed 's/^/0x/' |
		llvm-symbolizer -a -f -i --no-demangle -e "$file" 2>/dev/null | one_line >llvm
	paste -d '\n' ours addr2line llvm | awk '
		function bare(x, n, p, i) {
			n = split(x, p, " \\| ")
			p[n - 1] = x = ""
			for (i = 1; i <= n; i++)
				x = x p[i] "|"
			return x
		}
		NR % 3 == 1 { ours = $0; known += !/\?\?:\?$/; inlined += gsub(/\|/, "|") > 2 }
		NR % 3 == 2 { judge = $0 }
		NR % 3 == 0 && ours != judge && bare(ours) != bare($0) {
			print "ours      " ours "\naddr2line " judge "\nllvm      " $0
		}
		END {
			if (known < '"$2"' || inlined < '"$3"')
				print known + 0 " known, " inlined + 0 " inlined"
		}' >why
	[ ! -s why ] && [ ! -s err ] || {
		cat err >>why
		return 1
	}
}
for version in 2 3 4 5; do
	build "gcc$version" gcc g++ -O2 -gdwarf-$version && judged "gcc$version" 600 400
	verdict "gcc_dwarf$version"
	build "clang$version" clang clang++ -O2 -gdwarf-$version && judged "clang$version" 600 400
	verdict "clang_dwarf$version"
done
for version in 4 5; do
	build "types$version" gcc g++ -O2 -gdwarf-$version -fdebug-types-section &&
		readelf -S -W "types$version" | grep -q 'debug_types\|debug_info' &&
		judged "types$version" 600 400
	verdict "types_section_dwarf$version"
	build "packed$version" gcc g++ -O2 -gdwarf-$version -gz && judged "packed$version" 600 400
	verdict "compressed_dwarf$version"
	build "lto$version" gcc g++ -O2 -gdwarf-$version -flto && judged "lto$version" 500 300
	verdict "lto_dwarf$version"
	build "sections$version" clang clang++ -O2 -gdwarf-$version -ffunction-sections &&
		g++ -Wl,--gc-sections -o "sections$version" "a_sections$version.o" "b_sections$version.o" &&
		judged "sections$version" 600 400
	verdict "function_sections_dwarf$version"
done
build unoptimised gcc g++ -O0 -g && judged unoptimised 600 0
verdict unoptimised
build tables clang clang++ -O2 -gline-tables-only && judged tables 600 400
verdict line_tables_only
build g1 gcc g++ -O2 -g1 && judged g1 600 400
verdict g1
gcc -O2 -g -static -o static a_gcc5.o b_gcc5.o -lstdc++ -lm && judged static 600 400
verdict static
# gcc's libraries of 32 bits cannot stand beside the cross compilers; none of them is needed.
for of_32 in "gcc -m32" "clang -m32 -fuse-ld=lld" none; do
	[ "$of_32" != none ] || break
	$of_32 -O2 -g -nostdlib -shared -fPIC -o lib32.so a.c >out 2>&1 && break
done
if [ "$of_32" != none ]; then
	echo 'int other(int n) { return n + 1; }' >c.c
	$of_32 -O2 -g -nostdlib -shared -fPIC -o lib32.so a.c c.c && judged lib32.so 20 5
	verdict of_32_bits
else
	echo "skip lines_of_32_bits no compiler makes 32-bit code here"
fi

# ---- beside the twin
# twin NAME OF [OPTION...]: the same as the whole program
twin() {
	local name=$1 of=$2
	shift 2
	# The code is the same, or nothing is shown by this.
	cmp <(objdump -s -j .text "$name" | sed 1,3d) <(objdump -s -j .text "$of" | sed 1,3d) >why 2>&1 ||
		return 1
	ours "$of" >whole && ours "$name" "$@" >part && diff whole part >why && [ ! -s err ] && return 0
	cat err >>why
	return 1
}
missing() { # NAME WORDS: reported, and the lines exist, but not the inlined functions
	ours "$1" >part
	{ grep -q "$2" err && ! cmp -s part whole &&
		[ "$(grep -c '^/' part)" -gt 400 ]; } || {
		cp err why
		return 1
	}
}
for version in 4 5; do
	for cc in gcc clang; do
		cxx=g++ of=$cc$version name=split_$cc$version package=llvm-dwp
		[ $cc = clang ] && cxx=clang++
		# binutils' knows nothing of DWARF 5, LLVM 14's never ends on gcc's.
		[ $name = split_gcc4 ] && package=dwp
		build $name $cc $cxx -O2 -gdwarf-$version -gsplit-dwarf
		twin $name $of
		verdict "dwo_$cc$version"
		[ $name = split_gcc5 ] || timeout 60 $package -e $name -o $name.dwp 2>why
		mkdir -p hidden && mv a_$name.dwo b_$name.dwo hidden/
		if [ $name != split_gcc5 ]; then
			twin $name $of
			verdict "dwp_$cc$version"
			rm -f $name.dwp
		fi
		ours $of >whole
		# clang repeats in the first half what is inlined
		[ $cc = clang ] || missing $name 'inlined functions of 2 .*a_split.*\.dwo'
		verdict "no_dwo_$cc$version"
		twin $name $of -s "$work/hidden"
		verdict "dwo_sympath_$cc$version"
		cp hidden/a_$name.dwo hidden/b_$name.dwo .
		# Another program's unit of the same name is not taken.
		[ $cc = clang ] || { cp b_$name.dwo a_$name.dwo && ours $of >whole &&
			missing $name 'inlined functions of 1 .*a_split'; }
		verdict "dwo_of_another_$cc$version"
	done
	cp gcc$version dwz$version && dwz dwz$version && ! cmp -s gcc$version dwz$version &&
		twin dwz$version gcc$version
	verdict "dwz_dwarf$version"
	cp gcc$version one$version && cp lto$version two$version && dwz -m shared$version one$version two$version &&
		readelf -S -W one$version | grep -q gnu_debugaltlink &&
		twin one$version gcc$version && twin two$version lto$version
	verdict "dwz_shared_dwarf$version"
	mv shared$version hidden/ && ours gcc$version >whole && missing one$version 'dwz'
	verdict "dwz_shared_is_gone_dwarf$version"
	id=$(readelf -n hidden/shared$version | sed -n 's/.*Build ID: //p') &&
		mkdir -p root/usr/lib/debug/.build-id/"${id:0:2}" &&
		cp hidden/shared$version root/usr/lib/debug/.build-id/"${id:0:2}/${id:2}.debug" &&
		twin one$version gcc$version -s "$work/root"
	verdict "dwz_shared_by_build_id_dwarf$version"
done

# ---- packed by zstd, as Arch and lld do; by a method that nobody knows
objcopy --compress-debug-sections=zstd gcc5 zstd5 && readelf -t -W zstd5 | grep -q ZSTD && twin zstd5 gcc5
verdict zstd
cp zstd5 method9
at=$(readelf -S -W zstd5 | sed -nE 's/.* \.debug_line +[A-Z]+ +[0-9a-f]+ ([0-9a-f]+) .*/\1/p')
printf '\011' | dd of=method9 bs=1 seek=$((0x$at)) conv=notrunc status=none
ours method9 >part
grep -q 'unknown compression method.*\.debug_line' err || cp err why
[ ! -s why ]
verdict unknown_method_is_told

# ---- debug files
cp gcc5 linked && objcopy --only-keep-debug linked linked.debug && strip linked &&
	objcopy --add-gnu-debuglink=linked.debug linked && twin linked gcc5
verdict debuglink
cp gcc5 byid && strip byid && id=$(readelf -n byid | sed -n 's/.*Build ID: //p') &&
	mkdir -p root/usr/lib/debug/.build-id/"${id:0:2}" &&
	cp linked.debug root/usr/lib/debug/.build-id/"${id:0:2}/${id:2}.debug" &&
	twin byid gcc5 -s "$work/root"
verdict build_id
ours byid >part
[ $? -eq 1 ] && ! grep -q '^/' part
verdict no_dwarf_is_said
# .gnu_debugdata has names, no lines
cp byid mini && nm -D gcc5 --format=posix --defined-only | awk '{ print $1 }' | sort >dynamic &&
	objcopy -S --keep-symbol=outer gcc5 mini.elf && xz -k mini.elf &&
	objcopy --add-section .gnu_debugdata=mini.elf.xz mini && ours mini >part
[ $? -eq 1 ] && ! grep -q '^/' part
verdict debugdata_has_no_lines
cp mini both && objcopy --add-gnu-debuglink=linked.debug both && twin both gcc5
verdict debugdata_and_debuglink

# ---- damage: one byte, or a stretch, of each section; what comes out is told or right, never a crash
damaged=0 told=0
for file in gcc4 gcc5 clang5 split_gcc4 split_gcc5 dwz5 zstd5; do
	for section in info abbrev line str line_str ranges rnglists addr str_offsets; do
		read -r begin size _ < <(readelf -S -W $file |
			sed -nE "s/.* \.debug_$section +[A-Z]+ +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) .*/\1 \2/p") || continue
		for part in 0 3 50 97; do
			cp $file broken
			at=$((0x$begin + 0x$size * part / 100))
			printf '\377\377\377\377\377\377\377\377\377' |
				dd of=broken bs=1 seek=$at conv=notrunc status=none
			timeout 20 "$lines" "$work/broken" <<<"$(addresses $file)" >part 2>err
			code=$?
			[ $code -gt 1 ] && echo "$file .debug_$section at $part %: exit code $code" >>why
			damaged=$((damaged + 1))
			grep -q 'DWARF is damaged, .*: .*, at 0x[0-9a-f]* of .debug_' err && told=$((told + 1))
		done
	done
done
[ ! -s why ] && [ $damaged -gt 100 ] && [ $told -gt $((damaged / 4)) ] ||
	{ echo "$damaged damaged, $told told" >>why; false; }
verdict damage_is_told
for part in 10 40 60 80 95 99; do
	head -c $(($(stat -c %s gcc5) * part / 100)) gcc5 >broken
	timeout 20 "$lines" "$work/broken" <<<"$(addresses gcc5)" >part 2>err
	code=$?
	[ $code -gt 1 ] && echo "cut at $part %: exit code $code" >>why
done
[ ! -s why ]
verdict cut_files

exit $((failures > 0))
