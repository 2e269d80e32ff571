#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# debian/ and scripts/pitrace.spec agree with the tree: version, what is needed to build, and what `make install`
# puts where: each file is in one package. Nothing is built here (suite_packages.sh does).
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../lib/lib.sh"
cd "$top" || exit 1
version=$(cat VERSION)

is changelog_version "$(sed -nE '1s/^pitrace \(([^)]*)\) .*/\1/p' debian/changelog)" "$version"
is spec_version "$(sed -n 's/^Version: //p' scripts/pitrace.spec)" "$version"

# Prints the contents of each package: name, a tab, a pattern.
debian_files() {
	local file
	for file in "$1"/*.install; do
		sed "s,^,$(basename "$file" .install)\t," "$file"
	done
}
sed -n 's/^Package: //p' debian/control | sort >"$work/packages"
is lists "$(debian_files debian | cut -f 1 | sort -u)" "$(cat "$work/packages")"

# Files of the list on stdin that no package has or several have, and patterns (of FILE) without a file.
wrong() { # FILE
	perl -e '
		my (@rules, %used);
		open my $in, "<", $ARGV[0] or die;
		while (<$in>) {
			chomp;
			my ($package, $glob) = split /\t/;
			(my $re = $glob) =~ s/([.+])/\\$1/g;
			$re =~ s/\[!/[^/g;
			$re =~ s/\*/[^\/]*/g;
			push @rules, [$package, $glob, qr/^$re(?:\/|$)/];
		}
		while (my $file = <STDIN>) {
			chomp $file;
			my %in;
			for (@rules) {
				next if $file !~ $_->[2];
				$in{$_->[0]} = $used{$_->[0] . $_->[1]} = 1;
			}
			print "$file: ", join(" ", sort keys %in) || "no package", "\n" if keys %in != 1;
		}
		for (@rules) {
			print "$_->[0]: $_->[1]: no such file\n" if !$used{$_->[0] . $_->[1]};
		}
	' "$1"
}
installed() { # TREE [VARIABLE=VALUE]...
	local to=$1
	shift
	env -u MAKEFLAGS -u MAKEOVERRIDES make --no-print-directory install O="$build" DESTDIR="$to" PREFIX=/usr \
		"$@" >"$work/out" 2>&1
}
list() {
	(cd "$1" && find . ! -type d | sed 's,^\./,,')
}
installed "$work/deb" LIBDIR=/usr/lib/machine-linux-gnu ZSHDIR=/usr/share/zsh/vendor-completions &&
	debian/debian-places "$work/deb" /usr/lib/machine-linux-gnu
verdict installs $?
list "$work/deb" >"$work/list"
debian_files debian >"$work/rules"
is debian_files "$(wrong "$work/rules" <"$work/list")" ""
[ "$(wc -l <"$work/list")" -gt 300 ]
verdict all_were_seen $?
is notices_a_file "$({ cat "$work/list" && echo usr/bin/x/y && echo usr/sbin/new; } | wrong "$work/rules")" \
	"usr/sbin/new: no package"
is notices_two "$({ cat "$work/rules" && printf 'second\tusr/bin/post\n'; } >"$work/two" && wrong "$work/two" <"$work/list")" \
	"usr/bin/post: pitrace second"

# The list of what is linked, docs/packages.md, is of this machine's kind.
linked() { # TREE
	local file needed
	cd "$1" || return
	for file in bin/* lib/*-linux-gnu/*.so.?.?.? lib/*-linux-gnu/{pitrace,jni}/*; do
		needed=$(readelf -d "$file" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
			grep -vE '^(libc|libm|ld-linux.*)\.so\.[0-9]' | paste -sd ' ')
		[ -z "$needed" ] || echo "| \`$file\` | $needed |"
	done | sed -E 's,lib/[^/]*-linux-gnu/,lib/,;s,\.so\.([0-9])\.[0-9.]+`,.so.\1`,'
}
[ "$(uname -m)" != x86_64 ] ||
	is linked "$(linked "$work/deb/usr")" "$(sed -n '/^| file | libraries/,$p' docs/packages.md | tail -n +3)"

# The spec's files: its macros as Fedora has them.
awk '/^%files/ { on = 1; package = $3 ? $3 : $2 ? "pitrace-" $2 : "pitrace"; next }
	/^%changelog/ { on = 0 }
	on && /^%\{/ { print package "\t" $1 }' scripts/pitrace.spec |
	sed -e 's,%{_mandir},usr/share/man,;s,%{_libdir},usr/lib64,;s,%{_bindir},usr/bin,;s,%{_datadir},usr/share,' \
		-e 's,%{_docdir},usr/share/doc,;s,%{_includedir},usr/include,;s,%{_prefix},usr,' \
		-e 's,%{_udevrulesdir},usr/lib/udev/rules.d,;s,%{_sysusersdir},usr/lib/sysusers.d,' \
		-e "s,%{version},$version," >"$work/spec"
installed "$work/rpm" LIBDIR=/usr/lib64 && list "$work/rpm" >"$work/list"
verdict installs_as_fedora $?
is spec_files "$(wrong "$work/spec" <"$work/list")" ""

# Builders of packages need the packages of scripts/deps; the compiler is always there.
needed=$(sed -n "/^build='/,/'$/p" scripts/deps | sed "s/^build=//" | tr -d "'" | tr -s '\t ' '\n\n' | grep -vxE 'gcc|make')
declared=$(sed -n '/^Build-Depends:/,/^Standards/p' debian/control | sed -nE 's/^ ([a-z0-9-]+).*/\1/p')
is build_depends "$(comm -23 <(sort -u <<<"$needed" | grep .) <(sort -u <<<"$declared"))" ""

# Names that others own: programs are pitrace-NAME, find each other, and the paper's names are nowhere.
usr=$work/hidden/usr
installed "$work/hidden" PAPER_NAMES=no
verdict hidden_installs $?
is hidden_commands "$(cd "$usr/bin" && printf '%s\n' * | grep -vE '^pitrace(-|$)')" ""
is hidden_pages "$(cd "$usr/share/man/man1" && printf '%s\n' * | grep -xE '(post|msr|cpi|ptt|swtrace|run\..*)\.1')" ""
[ -s "$usr/share/man/man1/pitrace-post.1" ] && [ -s "$usr/share/man/man1/pitrace-report.1" ]
verdict hidden_pages_are_there $?
is hidden_completions "$(cd "$usr/share/bash-completion/completions" && echo *)" pitrace
for name in "$usr"/bin/pitrace-*; do
	[ "$("$name" --version | tail -n 1)" = "${name##*/pitrace-} (pitrace) $version" ] || echo "${name##*/}"
done >"$work/out"
is hidden_run "$(cat "$work/out")" ""
# A session has a holder and, by the timer, a library, both found from there.
(
	cd "$work" && env -u PITRACE_TIMER_LIBRARY -u PITRACE_HOLDER "$usr/bin/pitrace" run -q -B timer -o t.nrm2 -- \
		bash -c 'for ((i = 0; i < 100000; i++)); do :; done' && "$usr/bin/pitrace" report -i t.nrm2 &&
		grep -q bash tprof.out
) >"$work/out" 2>&1
verdict hidden_records $?
env -u MAKEFLAGS -u MAKEOVERRIDES make --no-print-directory uninstall O="$build" DESTDIR="$work/hidden" PREFIX=/usr \
	PAPER_NAMES=no >"$work/out" 2>&1
is hidden_uninstall "$(list "$work/hidden")" ""
! installed "$work/other" PAPER_NAMES=maybe && grep -q "PAPER_NAMES is 'maybe', not yes or no" "$work/out"
verdict no_other_word $?
exit $((failures != 0))
