#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# make install into a folder of its own: everything is there and can be used from there, and make
# uninstall leaves nothing behind.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../lib/lib.sh"
dest=$work/root
usr=$dest/usr
version=$(cat "$top/VERSION")

check() { # NAME COMMAND...
	local name=$1
	shift
	"$@" >"$work/out" 2>&1
	verdict "$name" $?
}
# The tree's own variables, not those of the make that runs this.
make_in_tree() {
	env -u MAKEFLAGS -u MAKEOVERRIDES make --no-print-directory -C "$top" O="${O:-build}" "$@"
}

check runs make_in_tree install DESTDIR="$dest" PREFIX=/usr
versions() {
	local program code=0
	for program in "$usr"/bin/*; do
		[ "$("$program" --version | tail -n 1)" = "${program##*/} (pitrace) $version" ] ||
			[ "${program##*/}" = pitrace ] || { echo "${program##*/} --version" && code=1; }
		[ "$("$program" -V)" = "$("$program" --version)" ] && [ -n "$("$program" -V)" ] ||
			{ echo "${program##*/} -V" && code=1; }
	done
	return $code
}
check programs versions

files_there() {
	local file code=0
	for file in "lib/libperfutil.so.$version" "lib/liba2n.so.$version" lib/libperfutil.a \
		lib/liba2n.a lib/pitrace/libpitrace-timer.so lib/pitrace/lib{pijit,jprof}.so lib/pitrace/trainer/{Trainer.java,libtrainer.so} lib/pitrace/pitrace-holder include/pitrace/{perfutil,pifile,a2n,pitrace}.h include/pitrace/pitrace.hpp lib/cmake/pitrace/pitraceConfig{,Version}.cmake "src/pitrace-$version/Kbuild" \
		"src/pitrace-$version/uapi/pitrace.h" share/man/man1/{swtrace,run.tprof,msr,mpevt,post,libpijit,libjprof,jprof-train,hdump,rtdriver,arcf,pitrace,pitrace-report}.1 \
		lib/udev/rules.d/60-pitrace.rules lib/sysusers.d/pitrace.conf \
		share/man/man4/pitrace.4 share/man/man5/pitrace-{file,events}.5 share/man/man7/pitrace-formats.7 \
		share/pitrace/events/arm64/cortex-a57-a72.json \
		share/bash-completion/completions/{swtrace,run.tprof,run.itrace,run.jprof,msr,mpevt,ptt,cpi,jprof-train,hdump,rtdriver,arcf,pitrace,post} share/zsh/site-functions/_{pitrace,post} share/doc/pitrace/COPYING; do
		[ -s "$usr/$file" ] || { echo "no $file" && code=1; }
	done
	for file in perfutil a2n; do
		[ "$(readlink -f "$usr/lib/lib$file.so.0")" = "$usr/lib/lib$file.so.$version" ] &&
			[ -e "$usr/lib/lib$file.so" ] &&
			readelf -d "$usr/lib/lib$file.so" | grep -q "SONAME.*\[lib$file.so.0\]" ||
			{ echo "links of lib$file" && code=1; }
	done
	return $code
}
check files files_there

# Everything that an installed page refers to exists: other pages, licences.
documents() {
	local file link code=0
	for file in "$usr"/share/doc/pitrace/{,docs/}*.md; do
		while read -r link; do
			[ -e "${file%/*}/$link" ] || { echo "$file: $link" && code=1; }
		done < <(grep -oE '\]\([^):]+\)' "$file" | sed 's/^](//; s/[)#].*//')
	done
	while read -r link; do
		[ -s "$usr/share/doc/pitrace/$link" ] || { echo "COPYING: $link" && code=1; }
	done < <(grep -o 'LICENSES/[A-Za-z0-9.-]*txt' "$usr/share/doc/pitrace/COPYING")
	return $code
}
check documents documents
# A user of programs linked with the libraries is told if the loader cannot find them.
loader() {
	[ -z "$("$top/scripts/loader-cache" "$(dirname "$(ldconfig -p | sed -n 's/.* => \(.*libc\.so\.6\)$/\1/p' | head -n 1)")")" ] &&
		"$top/scripts/loader-cache" "$usr/lib" | grep -F "does not look in $usr/lib" &&
		"$top/scripts/loader-cache" /usr/li. | grep -F 'does not look in /usr/li.'
}
check loader loader

# No build products, and no paths of the build.
clean_source() {
	! find "$usr/src" -name '*.o' -o -name '*.ko' -o -name '*.cmd' -o -name '*.mod.c' | grep . &&
		! grep -rlF -e "$top/" -e "$dest" "$usr/src" "$usr/lib/pkgconfig" "$usr/include" \
			"$usr/share" "$usr/bin"
}
check nothing_of_the_build clean_source

# Installed files are readable by all and writable only by root, whatever the umask: root runs some of them.
modes() {
	local mask bad code=0
	for mask in 0 077; do
		(umask $mask && make_in_tree install DESTDIR="$work/mask" PREFIX=/usr >/dev/null) || return 1
		bad=$(find "$work/mask" -mindepth 1 ! -type l \( -perm /022 -o ! -perm -444 \))
		[ -z "$bad" ] || { echo "umask $mask: $bad" && code=1; }
		[ -s "$work/mask/usr/src/pitrace-$version/dkms.conf" ] || code=1
		rm -rf "$work/mask"
	done
	return $code
}
check modes modes

# A program built against it, with shared and with static libraries, from C and from C++.
example() { awk '/^\.EX/ { on = 1; next } /^\.EE/ { on = 0 } on' "$1" | sed -e 's/\\-/-/g' -e 's/\\e/\\/g'; }
example "$top/libperfutil/man/a2n_process.3" >"$work/a2n.c"
example "$top/libperfutil/man/pifile_create.3" >"$work/perfutil.c"
config() {
	env -u PKG_CONFIG_PATH PKG_CONFIG_LIBDIR="$usr/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$dest" \
		PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 pkg-config "$@"
}
build() { # NAME [--static]
	local cflags libs
	read -ra cflags < <(config --cflags "$1")
	read -ra libs < <(config ${2:+"$2"} --libs "$1")
	${CC:-gcc} -Wall -Wextra -Werror "${cflags[@]}" -o "$work/$1" "$work/$1.c" \
		${2:+-static} "${libs[@]}" &&
		(cd "$work" && LD_LIBRARY_PATH=$usr/lib "./$1")
}
for library in perfutil a2n; do
	check "version_$library" [ "$(config --modversion $library)" = "$version" ]
	check "shared_$library" build $library
done
check static_perfutil build perfutil --static
check static_a2n build a2n --static
# The static libhookit is for programs that are linked dynamically.
if [ -e "$usr/lib/libhookit.so" ]; then
	printf '#include <hookit.h>\nint main(void)\n{\n\tHookitOn();\n\treturn HookitFlush() != 0;\n}\n' >"$work/hookit.c"
	check shared_hookit build hookit
else
	echo "skip install_shared_hookit it is not built with sanitizers"
fi
# By CMake, from where it was installed, moved or not.
cmake_project() { # TARGET...: a program for each
	local target
	mkdir -p "$work/cmake"
	{
		echo 'cmake_minimum_required(VERSION 3.13)'
		echo 'project(user C CXX)'
		echo 'set(CMAKE_COMPILE_WARNING_AS_ERROR ON)'
		echo "find_package(pitrace $version REQUIRED COMPONENTS perfutil a2n)"
		for target; do
			echo "add_executable($target $work/${target%_static}.c)"
			echo "target_link_libraries($target pitrace::$target)"
		done
		echo "add_executable(whole $work/whole.cpp)"
		echo 'target_compile_features(whole PRIVATE cxx_std_17)'
		echo 'target_link_libraries(whole pitrace::perfutil pitrace::a2n)'
	} >"$work/cmake/CMakeLists.txt"
	cat >"$work/whole.cpp" <<-END
		#include <pitrace/a2n.h>
		#include <pitrace/pitrace.hpp>
		int main()
		{
			pitrace::span one("one");
			a2n_close(a2n_open(nullptr));
		}
	END
}
cmake_builds() { # FOLDER of the installation
	rm -rf "$work/cmake/build"
	env -u CC -u CXX -u CFLAGS cmake -S "$work/cmake" -B "$work/cmake/build" -DCMAKE_PREFIX_PATH="$1" &&
		env -u MAKEFLAGS cmake --build "$work/cmake/build" || return
	(cd "$work/cmake/build" && ./perfutil && ./a2n && ./perfutil_static && ./a2n_static && ./whole) &&
		ldd "$work/cmake/build/a2n" | grep -qF "$1/lib/liba2n.so.0" &&
		! ldd "$work/cmake/build/a2n_static" | grep liba2n
}
cmake_finds() { # CODE REQUEST
	printf 'cmake_minimum_required(VERSION 3.13)\nproject(user C)\nfind_package(pitrace %s)\n' "$2" \
		>"$work/find/CMakeLists.txt"
	rm -rf "$work/find/build"
	cmake -S "$work/find" -B "$work/find/build" -DCMAKE_PREFIX_PATH="$usr" >"$work/find/said" 2>&1
	calc "$? $1 0" || { cat "$work/find/said" && return 1; }
}
cmake_requests() {
	local code=0
	mkdir -p "$work/find"
	cmake_finds '==' "$version EXACT REQUIRED" || code=1
	cmake_finds '==' "${version%.*} REQUIRED COMPONENTS a2n" || code=1
	cmake_finds '==' "${version%.*}" || code=1
	cmake_finds '!=' "${version%.*}.99 REQUIRED" || code=1
	cmake_finds '!=' '99.0 REQUIRED' || code=1
	cmake_finds '!=' 'REQUIRED COMPONENTS perfutil none' && grep -q "pitrace has no 'none'" "$work/find/said" ||
		code=1
	return $code
}
if command -v cmake >/dev/null && command -v g++ >/dev/null; then
	cmake_project perfutil a2n perfutil_static a2n_static
	check cmake cmake_builds "$usr"
	cp -a "$usr" "$work/moved"
	check cmake_moved cmake_builds "$work/moved"
	check cmake_requests cmake_requests
else
	echo "skip install_cmake cmake or g++ is not installed"
fi

# Static libraries without the rest being static, and both in one program.
archives() {
	local libs
	read -ra libs < <(config --static --libs a2n perfutil)
	cat >"$work/both.c" <<-END
		#include <a2n.h>
		#include <jitdump.h>
		#include <pifile.h>
		#include <ptt.h>
		int main(void)
		{
			void *all[] = { (void *)a2n_open, (void *)jitdump_create, (void *)pifile_create, (void *)PttInit };
			return !all[0] || !all[1] || !all[2] || !all[3];
		}
	END
	${CC:-gcc} -I"$usr/include/pitrace" -o "$work/both" "$work/both.c" -L"$usr/lib" \
		-Wl,-Bstatic -la2n -lperfutil -Wl,-Bdynamic "${libs[@]}" && "$work/both"
}
check both_archives archives

# The library finds the files that it needs at run time beside it, for any prefix and any user.
beside() {
	local cflags libs
	read -ra cflags < <(config --cflags perfutil)
	read -ra libs < <(config --libs perfutil)
	cat >"$work/beside.c" <<-END
		#include <perfutil.h>
		#include <stdio.h>
		#include <string.h>
		int main(void)
		{
			struct trace_check list[16];
			int n = TraceCheck(TRACE_PROCESS, 0, list, 16);
			for (int i = 0; i < n && i < 16; i++)
				if (!strcmp(list[i].name, "timer"))
					return !!strstr(list[i].why, "not installed");
			return 2;
		}
	END
	${CC:-gcc} "${cflags[@]}" -o "$work/beside" "$work/beside.c" "${libs[@]}" &&
		(cd "$usr" && env -u PITRACE_TIMER_LIBRARY LD_LIBRARY_PATH=lib "$work/beside")
}
check beside_the_library beside

# ... and by the holder, which is a program of its own in a folder of its own.
beside_the_holder() {
	local cflags libs
	read -ra cflags < <(config --cflags perfutil)
	read -ra libs < <(config --libs perfutil)
	cat >"$work/held.c" <<-END
		#include <perfutil.h>
		#include <stdio.h>
		#include <string.h>
		#include <unistd.h>
		int main(void)
		{
			TraceSetScope(TRACE_PROCESS, getpid());
			TraceSetMode(TRACE_CONTINUOUS);
			TraceSetCollector("timer");
			if (TraceInit(0) == 0)
				return 1;
			puts(TraceLastError());
			return !strstr(TraceLastError(), "a process that runs already");
		}
	END
	${CC:-gcc} "${cflags[@]}" -o "$work/held" "$work/held.c" "${libs[@]}" &&
		(cd "$usr" && env -u PITRACE_TIMER_LIBRARY -u PITRACE_HOLDER PITRACE_SOCKET="$work/held.socket" \
			LD_LIBRARY_PATH=lib "$work/held")
}
check beside_the_holder beside_the_holder

# When built for another PREFIX, files that contain paths are recompiled.
another_prefix() {
	local object=$work/o/obj/libperfutil/collect/timer/timer_check.o
	O=$work/o make_in_tree "$object" PREFIX=/first && grep -q /first/lib/pitrace "$object" &&
		O=$work/o make_in_tree "$object" PREFIX=/second && grep -q /second/lib/pitrace "$object" &&
		O=$work/o make_in_tree "$object" PREFIX=/second >"$work/again" && ! grep -q CC "$work/again"
}
check another_prefix another_prefix

# A library that is loaded late has little thread-local memory, and there may be many of them.
loaded_late() {
	local i copies=()
	cat >"$work/late.c" <<-END
		#include <dlfcn.h>
		#include <stdio.h>
		int main(int argc, char **argv)
		{
			for (int i = 1; i < argc; i++)
				if (!dlopen(argv[i], RTLD_NOW | RTLD_LOCAL))
					return !!puts(dlerror());
			return 0;
		}
	END
	for i in 1 2 3 4 5 6 7 8; do
		cp "$usr/lib/libperfutil.so" "$work/late$i.so" && copies+=("$work/late$i.so")
	done
	${CC:-gcc} -o "$work/late" "$work/late.c" -ldl && "$work/late" "${copies[@]}"
}
check loaded_late loaded_late

# A program's own functions are not the business of the static libraries.
only_exported() {
	local library code=0
	for library in perfutil a2n; do
		nm -D --defined-only "$usr/lib/lib$library.so" | awk '$2 != "A" { print $3 }' |
			sed 's/@.*//' | sort >"$work/shared"
		nm -g --defined-only "$usr/lib/lib$library.a" | awk 'NF == 3 { print $3 }' | sort >"$work/static"
		[ -s "$work/static" ] && diff "$work/shared" "$work/static" || code=1
	done
	return $code
}
check only_exported_names only_exported
own_names() {
	local cflags libs
	read -ra cflags < <(config --cflags a2n perfutil)
	read -ra libs < <(config --static --libs a2n perfutil)
	${CC:-gcc} -Wall -Wextra -Werror "${cflags[@]}" -o "$work/own_names" \
		"$top/tests/scripts/own_names.c" -static "${libs[@]}" && (cd "$work" && ./own_names)
}
check own_names own_names

# Each header separately in the first standard, and all of them, in this and the reverse order, in the others, with
# the strictest warnings.
headers() { # COMPILER LANGUAGE STANDARD...
	local compiler=$1 language=$2 header standard cflags includes all=() code=0
	shift 2
	read -ra cflags < <(config --cflags perfutil)
	for header in "$usr"/include/pitrace/*.h; do
		all+=("#include <${header##*/}>")
	done
	[ ${#all[@]} -gt 15 ] || return 1
	for standard; do
		[ "$standard" != "${2:-}" ] ||
			all=("$(printf '%s\n' "${all[@]}")" "$(printf '%s\n' "${all[@]}" | tac)")
		for includes in "${all[@]}"; do
			$compiler "-std=$standard" -Wall -Wextra -pedantic -Wundef -Wstrict-prototypes -Werror \
				-x "$language" -fsyntax-only "${cflags[@]}" - <<<"$includes" || code=1
		done
	done
	return $code
}
# By their whole names they need no more than the folder that pitrace/ is in.
whole_names() {
	local header code=0
	for header in "$usr"/include/pitrace/*.h; do
		echo "#include <pitrace/${header##*/}>" | ${CC:-gcc} -Wall -Wextra -Werror -x "$1" \
			-fsyntax-only -I"$usr/include" - || code=1
	done
	echo '#include <pitrace/ptt.h>
		#include <ptt.h>' >"$work/both_names.c"
	read -ra cflags < <(config --cflags perfutil)
	${CC:-gcc} -Wall -Werror -fsyntax-only "${cflags[@]}" "$work/both_names.c" || code=1
	return $code
}
check whole_names whole_names c
strict_cpp() { # COMPILER: each standard that it knows
	local standard known=()
	for standard in c++11 c++14 c++17 c++20 c++23; do
		! "$1" "-std=$standard" -x c++ -fsyntax-only /dev/null 2>/dev/null || known+=("$standard")
	done
	[ ${#known[@]} -ge 4 ] && headers "$1 -Wno-strict-prototypes" c++ "${known[@]}"
}
check headers_c headers "${CC:-gcc}" c c99 gnu99 c11 gnu17
if command -v g++ >/dev/null; then
	check headers_cpp strict_cpp g++
else
	echo "skip install_headers_cpp g++ is not installed"
fi
if command -v clang >/dev/null; then
	check headers_clang headers clang c c99 c11
	check headers_clang_cpp strict_cpp clang++
else
	echo "skip install_headers_clang clang is not installed"
fi

# Every function has its page; a link shows its group's. What libhookit has from others has theirs.
page() {
	[ -L "$usr/share/man/man3/TraceTerminate.3" ] &&
		man -l "$usr/share/man/man3/TraceTerminate.3" | grep -q 'begin and end a trace session'
}
check page page
check page_links sh -c "! find '$usr/share/man' -xtype l | grep ."
pages_of_all() {
	local name code=0
	local theirs
	theirs=$(grep -v '^Hookit' tools/hookit/names)
	for name in $(readelf -W --dyn-syms "$usr"/lib/lib*.so |
		sed -nE 's/.* FUNC +GLOBAL DEFAULT +[0-9]+ ([A-Za-z0-9_]+).*/\1/p'); do
		# Natives of JPerf.jar, which has a page as a whole.
		[[ $name != Java_* ]] || continue
		grep -qx "$name" <<<"$theirs" || [ -s "$usr/share/man/man3/${name%_sized}.3" ] || { echo "no page $name.3" && code=1; }
	done
	return $code
}
check pages_of_all pages_of_all

# DKMS's source is complete when its Kbuild's list of objects can be made from it.
dkms_source() {
	local name
	cd "$usr/src/pitrace-$version" || return
	for name in $(grep -hoE '[a-z0-9_/]+\.o\b' Kbuild | grep -v '^pitrace\.o$'); do
		[ -e "${name%.o}.c" ] || { echo "no ${name%.o}.c" && return 1; }
	done
	grep -qx "PACKAGE_VERSION=\"$version\"" dkms.conf
}
check dkms_source dkms_source

check uninstall make_in_tree uninstall DESTDIR="$dest" PREFIX=/usr
check nothing_left sh -c "! find '$dest' ! -type d | grep . &&
	! find '$dest' -mindepth 1 -name '*pitrace*' | grep ."

# Files that others have put there stay, and do not interfere.
mkdir -p "$usr/include/pitrace" "$usr/share/doc/pitrace"
: >"$usr/include/pitrace/mine.h"
check uninstall_again make_in_tree uninstall DESTDIR="$dest" PREFIX=/usr
check others_stay [ -e "$usr/include/pitrace/mine.h" ]

[ $failures = 0 ]
