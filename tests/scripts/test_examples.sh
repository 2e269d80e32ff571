#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The worked examples of CONTRIBUTING.md, word for word, in a copy of the tree: a report, a writer, a
# reader, a record and a collector. Each code block is a new file, or goes below or above a line. What
# includes none of these files is not compiled again: the copy has the objects of this build.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../lib/lib.sh"
tree=$work/tree
mkdir "$tree" && cd "$top" && cp -a --parents VERSION Makefile driver/uapi libperfutil post tools viewer scripts tests/tests.mk \
	tests/bench/bench.mk tests/vm/vm.mk tests/fuzz/fuzz.mk "$tree" || exit 1
mkdir -p "$tree/build/obj" && cp -a "$build"/obj/{libperfutil,post,tools} "$tree/build/obj/" || exit 1
cd "$tree" || exit 1

# Say which files are new and which are changed, one a line; fail where a line is not there just once.
apply() { # PAGE
	perl -we '
		use strict;
		my ($file, $where, $line, %blocks, %said);
		sub text { local $/; open my $f, "<", $_[0] or die "$_[0]: $!\n"; return scalar <$f> }
		sub put {
			my ($name, $text) = @_;
			my $folder = $name =~ s{/[^/]+$}{}r;
			system("mkdir", "-p", $folder) == 0 or die;
			open my $f, ">", $name or die "$name: $!\n";
			print $f $text;
			close $f or die;
		}
		my @page = split /^/, text($ARGV[0]);
		while (defined($_ = shift @page)) {
			if (/^`([^`]+)`, a new file:$/) { ($file, $where) = ($1, "new") }
			elsif (/^`([^`]+)`, (below|above) `(.+)`:$/) { ($file, $where, $line) = ($1, $2, $3) }
			elsif (/^```c$/ && defined $file) {
				my $block = "";
				while (@page && ($_ = shift @page) ne "```\n") { $block .= $_ }
				print "$where $file\n";
				if ($where eq "new") {
					die "$file: is there already\n" if -e $file;
					put($file, $block);
				} else {
					my $text = text($file);
					my $n = () = $text =~ /^\s*\Q$line\E$/mg;
					die "$file: $n lines \"$line\", not one\n" if $n != 1;
					$where eq "below" ? $text =~ s/^\s*\Q$line\E\n/$&$block/m : $text =~ s/^\s*\Q$line\E\n/$block$&/m;
					put($file, $text);
				}
				undef $file;
			}
		}' "$1"
}
apply "$top/CONTRIBUTING.md" >"$work/out" 2>&1
is applied "$(sort "$work/out" | uniq -c | sed 's/^ *//' | paste -sd';')" "$(printf '%s\n' \
	'1 above libperfutil/file/record_kinds.c' '1 below libperfutil/collect/collectors.h' \
	'1 below libperfutil/file/record_kinds.c' '1 below post/export/writer.h' '1 below post/input/readers.h' \
	'1 below post/reports.h' '1 new libperfutil/collect/toy/backend_toy.c' '1 new post/export/toy.c' \
	'1 new post/input/toy.c' '1 new post/report/toy_report.c' '2 below driver/uapi/pitrace.h' | sort -k2 | paste -sd';')"

# Words that have gone stale are noticed.
# shellcheck disable=SC2016
printf '%s\n' '`post/reports.h`, below `report(none) \`:' '' '```c' 'x' '```' >"$work/stale.md"
apply "$work/stale.md" >"$work/out" 2>&1
[ $? != 0 ] && grep -qF 'post/reports.h: 0 lines "report(none) \", not one' "$work/out"
verdict stale $?

# The libraries' folders have their floors without a word more; the rooms of post theirs.
git init -q . && scripts/floors . >"$work/out" 2>&1
verdict floors $?

cc=gcc
! command -v ccache >/dev/null || cc='ccache gcc'
CCACHE_BASEDIR=$tree CCACHE_NOHASHDIR=1 make -s -j2 O=build CC="$cc" CSTD='-std=gnu11 -O0' HARDEN= build/bin/post \
	build/bin/swtrace >"$work/out" 2>&1
verdict built $?
post=$tree/build/bin/post swtrace=$tree/build/bin/swtrace
cd "$work" || exit 1

"$post" -help >help 2>&1
says report_listed help '^  -toy '
printf 'toy 12\n' >a.toy
"$post" -q -toy -o - a.toy >out 2>&1
is report "$(cat out)" '12 samples'
"$post" -q -o - a.toy >out 2>&1
says reader out '  toy_'
printf 'toy 12\nmore\n' >bad.toy
"$post" -q -toy -o - bad.toy >out 2>err
[ $? = 1 ] && grep -q 'byte 7: the toy' err && printf 'toy x' >no.toy && ! "$post" -q -toy -o - no.toy >out 2>err &&
	grep -q 'byte 4: no number' err
verdict reader_tells $? "$(cat err)"
"$post" -q -format toy -o b.toy a.toy >out 2>&1 && cmp a.toy b.toy >out 2>&1
verdict writer $?

"$swtrace" check >listed 2>&1
says collector_listed listed '^toy: a toy: steps of its own'
"$swtrace" run -q -B toy -o t.nrm2 sleep 0.2 >out 2>&1
verdict collector $?
"$post" -q -show -o - t.nrm2 >shown 2>err
says record shown ' toy  *step  *c7/00000000 pid=[0-9]* tid=[0-9]* steps=2$'
"$post" -q -validate -o - t.nrm2 >out 2>&1
verdict trace_whole $?
exit $((failures != 0))
