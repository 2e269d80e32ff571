#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The attributes that compilers know of the libraries' functions: they warn about wrong programs, but not about what
# the pages allow; checks for NULL that the pages promise are not optimized away, in programs and in the libraries.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1

program() { # STATEMENTS
	cat <<-END
		#include <a2n.h>
		#include <a2nint.h>
		#include <ai.h>
		#include <counters.h>
		#include <itrace.h>
		#include <jitdump.h>
		#include <jitlog.h>
		#include <perfcounter.h>
		#include <perfmap.h>
		#include <pifile.h>
		#include <pttread.h>
		#include <pttview.h>
		#include <stdlib.h>
		#include <tracer.h>
		int main(void)
		{
			int rc = 0;
			(void)rc;
			$1
			return 0;
		}
	END
}
compile() { # COMPILER STATEMENTS OPTION...
	program "$2" | "$1" -std=gnu11 -O2 -Wall -Wextra -Werror -I "$top/driver/uapi" \
		-I "$top/libperfutil/include" -x c "${@:3}" - >out 2>&1
}
warns() { # NAME WORDS STATEMENTS: by each compiler
	local compiler
	for compiler in "${compilers[@]}"; do
		! compile "$compiler" "$3" -c -o object.o && grep -q -e "$2" out
		verdict "$1_$compiler" $? "$(head -c 300 out)"
	done
}
allows() { # NAME STATEMENTS
	local compiler
	for compiler in "${compilers[@]}"; do
		compile "$compiler" "$2" -c -o object.o
		verdict "$1_$compiler" $?
	done
}
compilers=(gcc)
if command -v clang >/dev/null; then
	compilers+=(clang)
else
	echo "skip attributes_clang clang is not installed"
fi

null='[Nn]on-\?null\|null passed'
unused='unused.result\|ignoring return value'
warns handle_a2n "$null" 'a2n_exit(NULL, 1, 1, 1);'
warns handle_pifile "$null" 'pifile_size(NULL);'
warns handle_jitdump "$null" 'jitdump_unload(NULL, 1, 1);'
warns handle_tracer "$null" 'tracer_on(NULL);'
warns handle_counters "$null" 'counters_on(NULL);'
warns handle_pttview "$null" 'pttview_update(NULL);'
warns place_of_error "$null" 'counters_close(counters_open(NULL, NULL));'
warns unused_open "$unused" 'a2n_open(NULL);'
warns unused_init "$unused" 'TraceInit(0);'
warns unused_create "$unused" 'struct jitlog_writer *w; jitlog_create(&w, NULL);'
warns unused_finish "$unused" 'struct pifile_header h = { 0 }; pifile_finish(pifile_create("x", &h));'
warns unused_next "$unused" 'struct pirecord r; pimerge_next(pimerge_open(pifile_open("x", NULL), 1), &r);'
allows closes 'a2n_close(NULL); pifile_close(NULL); counters_close(NULL); jitdump_close(NULL); pimerge_close(NULL);'
allows defaults 'TraceSetName(NULL); TraceSetCollector(NULL); AiSetCollector(NULL); rc = TraceWriteBufferToFile(NULL);'
allows nothing_to_give 'rc = TraceHook(0, 0xD0, 1, 0, 0, NULL, NULL, NULL); rc = AiGetCounters(NULL, 0);'

# Only gcc knows how many an array must have.
if gcc -dumpversion | awk -F. '{ exit !($1 >= 11) }'; then
	compilers=(gcc)
	warns array "$null\|null but" 'rc = AiGetCounters(NULL, 4);'
	warns array_too_small 'overflow\|accessing\|reading' 'static const int pids[2]; rc = ITraceEnableList(5, pids);'
	warns place_too_small 'overflow\|writing\|accessing' 'static char small[4]; PttGetInfo((void *)small);'
else
	echo "skip attributes_array gcc is older than 11"
fi

# A program's own check of what it was refused for stays, and so do those of the libraries.
cat >own.c <<-END
	#include <a2n.h>
	#include <errno.h>
	#include <stdio.h>
	#include <perfutil.h>
	#include <ptt.h>
	int main(int argc, char **argv)
	{
		struct ptt_info *none = argc > 5 ? (void *)argv : NULL;
		struct a2n *a = a2n_open(NULL);
		const char *name = argc > 5 ? argv[1] : NULL;

		if (PttGetInfo(none) != PI_INVALID_ARGUMENT || none)
			return 1;
		if (!a || a2n_kernel_unload(a, 1, name) != -EINVAL || name)
			return 2;
		a2n_close(a);
		return puts("refused") < 0;
	}
END
gcc -O3 -Wall -I "$top/driver/uapi" -I "$top/libperfutil/include" -o own own.c "$build/lib/libperfutil.a" \
	"$build/lib/liba2n.a" -lelf -llzma -lzstd -liberty -lpthread >out 2>&1 && ./own >out 2>&1
verdict refusals_stay $?

# No function that the pages let refuse NULL is told to be called without.
! grep -nE '(PttGetInfo|AiGetInfo|TraceGetInfo|a2n_add_map)\(.*PITRACE_NONNULL\([^)]*[2-9]' "$top"/libperfutil/include/*.h >out
verdict only_handles $?
[ $failures = 0 ]
