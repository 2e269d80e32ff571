#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_packages.sh [RELEASE]
# Debian's packages of a release (default: bookworm): built twice in a clean chroot without a network, installed in
# another, upgraded while a command is traced, removed and purged. For bookworm also: DKMS builds the module for two
# kernels; rpmbuild takes the spec. Root, the mirror, half an hour.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../lib/lib.sh"
cd "$top" || exit 1
release=${1:-bookworm}
suite=packages_$release
version=$(cat VERSION)
mirror=${PITRACE_MIRROR:-http://deb.debian.org}
machine_kind=$(uname -m)

check() { # NAME COMMAND...
	local name=$1
	shift
	"$@" >"$work/out" 2>&1
	local code=$?
	[ $code = 0 ] || tail -n 30 "$work/out" >"$work/end"
	[ $code = 0 ] || mv "$work/end" "$work/out"
	verdict "$name" $code
}

# in_root ROOT COMMAND...: without a network if OFFLINE is set.
in_root() {
	local root=$1
	shift
	unshare -m ${OFFLINE:+-n} --propagation private sh -c 'mount -t proc proc "$1/proc" && shift 1 && exec chroot "$@"' \
		- "$root" "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "$@"
}
fields() { # FIELD FILE...: the names of packages in it
	local field=$1
	shift
	sed -n "/^$field:/,/^[^ ]*:/{/^$field:/s/^[^:]*://;/^[A-Za-z-]*:/!p}" "$@" | tr ',' '\n' |
		sed -E "s/\\[[^]]*\\]//;s/[(|].*//;s/[: ]//g" | grep . | sort -u
}

# Only what the build declares is there.
builder=$work/builder
clean_builder() {
	mmdebstrap --variant=buildd --include="lintian,$(fields Build-Depends debian/control | paste -sd ,)" "$release" \
		"$builder" "$mirror/debian"
}
check builder clean_builder

# Copies the files that git knows, in their present state.
copy() { # FOLDER
	mkdir -p "$1" && git ls-files -z -co --exclude-standard | xargs -0 tar c --ignore-failed-read | tar x -C "$1"
}
deb_build() { # FOLDER [VARIABLE=VALUE]...
	local folder=$1
	shift
	copy "$builder/$folder" && OFFLINE=1 in_root "$builder" env DEB_BUILD_OPTIONS=parallel=2 "$@" \
		sh -c 'cd "$1" && exec dpkg-buildpackage -us -uc -b' - "$folder"
}
check builds deb_build /build/a/pitrace
[ $failures = 0 ] || exit 1
umask 027
check builds_elsewhere deb_build /build/another/folder/tree LC_ALL=C.UTF-8 TZ=Pacific/Apia
umask 022
sums() {
	(cd "$builder/build/$1" && sha256sum ./*.deb)
}
is same_bytes "$(sums another/folder)" "$(sums a)"
debs=$builder/build/a
is packages "$(cd "$debs" && printf '%s\n' *.deb | grep -v dbgsym | sed 's/_.*//' | LC_ALL=C sort)" \
	"$(sed -n 's/^Package: //p' debian/control | LC_ALL=C sort)"
# The root is gone from what is compiled in: no file names a folder of the build.
for deb in "$debs"/*.deb; do
	dpkg-deb --fsys-tarfile "$deb" | tar xO | grep -qaF /build/a/pitrace && echo "$deb"
done >"$work/out"
is no_folders "$(grep -v dbgsym "$work/out")" ""
check lintian in_root "$builder" sh -c 'lintian --allow-root --fail-on error,warning /build/a/*.changes'

# The spec, from a tarball as it is released; what it needs has other names here.
rpm_build() {
	mkdir -p "$work/rpm/SOURCES" && copy "$work/rpm/pitrace-$version" &&
		tar czf "$work/rpm/SOURCES/pitrace-$version.tar.gz" -C "$work/rpm" "pitrace-$version" &&
		env -u MAKEFLAGS -u MAKEOVERRIDES -u CC rpmbuild -bb --nodeps --define "_topdir $work/rpm" \
			"$work/rpm/pitrace-$version/scripts/pitrace.spec" &&
		find "$work/rpm/RPMS" -name '*.rpm' -exec rpm -qpl {} + | grep -qx /usr/bin/pitrace
}
[ "$release" != bookworm ] || check rpm rpm_build

# DKMS, for kernels whose headers are packages: what makes modules is its own business.
dkms_builds() { # KERNEL
	local kdir release
	kdir=$(scripts/vm/kernel --headers "$1" "$machine_kind" | tail -n 1) || return
	release=$(cat "$kdir/release")
	mkdir -p "$work/dkms/$1/tree" "$work/dkms/$1/inst"
	dkms build "pitrace/$version" -k "$release" --kernelsourcedir "$(readlink -f "$kdir/headers")" \
		--dkmstree "$work/dkms/$1/tree" --sourcetree "$work/dkms/src" --installtree "$work/dkms/$1/inst" &&
		find "$work/dkms/$1/tree" -name 'pitrace.ko*' | grep .
}
mkdir -p "$work/dkms/src"
dpkg-deb -x "$debs/pitrace-dkms_${version}_all.deb" "$work/dkms/deb" && mv "$work/dkms/deb/usr/src"/* "$work/dkms/src/"
verdict dkms_source $?
kernels='6.1 6.12'
[ "$release" = bookworm ] || kernels=
for kernel in $kernels; do
	check "dkms_$kernel" dkms_builds $kernel
done

# A separate one: the packages' dependencies are installed before, so that all changes are the packages' own.
root=$work/root
needs() {
	for deb in "$debs"/*.deb; do
		dpkg-deb -f "$deb" Depends
	done | sed 's/^[A-Za-z]*: //' | tr ',' '\n' | sed -E 's/[(|].*//;s/ //g' | sort -u |
		grep -vE '^(pitrace|libperfutil|liba2n|libhookit)' | paste -sd ,
}
debian() {
	mmdebstrap --variant=minbase --include="ca-certificates,$(needs)" "$release" "$root" "$mirror/debian"
}
check debian debian
files() {
	# Logs, indexes and caches are dpkg's, apt's and the loader's; the shadow suite keeps copies (gshadow-).
	(cd "$root" && find . -mount ! -path './proc/*' ! -path './var/log/*' ! -path './var/cache/*' \
		! -path './var/lib/dpkg/*' ! -path './var/lib/apt/*' ! -path './etc/*-' ! -path './tmp/*' | LC_ALL=C sort)
}
files >"$work/before"
cp "$root/etc/group" "$work/groups"

mkdir "$root/tmp/debs" && cp "$debs"/*.deb "$root/tmp/debs/"
install_all() {
	in_root "$root" sh -c 'dpkg -i /tmp/debs/*.deb'
}
check installs install_all
in_root "$root" getent group pitrace >"$work/out"
verdict group $?
check as_a_user in_root "$root" su nobody -s /bin/sh -c "cd \$(mktemp -d) && pitrace run -q -o t.nrm2 -- \
	sh -c 'i=0; while [ \$i -lt 200000 ]; do i=\$((i+1)); done' && pitrace report -i t.nrm2 && grep -wE 'sh|dash' tprof.out"
check pages in_root "$root" sh -c 'ls /usr/share/man/man1/pitrace-report.1.gz /usr/share/doc/pitrace/README.md'

# The same packages as a later version, while a command is traced.
later() {
	local deb to=$work/later/debs
	mkdir -p "$to"
	for deb in "$debs"/*.deb; do
		rm -rf "$work/later/x" && dpkg-deb -R "$deb" "$work/later/x" &&
			sed -i -E "s/(^Version: |= )$version\b/\1$version+later/g" "$work/later/x/DEBIAN/control" &&
			dpkg-deb --root-owner-group -b "$work/later/x" "$to/$(basename "$deb")" || return
	done
	rm -rf "$root/tmp/debs" && cp -r "$to" "$root/tmp/debs"
}
check a_later_version later
upgrade() {
	in_root "$root" sh -c 'cd /tmp && swtrace run -q -o kept.nrm2 -- sh -c "until [ -e /tmp/upgraded ]; do :; done"' &
	local running=$!
	sleep 2
	install_all && [ "$(in_root "$root" dpkg-query -W -f '${Version}' pitrace)" = "$version+later" ] || return
	touch "$root/tmp/upgraded"
	wait $running && in_root "$root" sh -c 'cd /tmp && post -r kept.nrm2 && grep -wE "sh|dash" tprof.out'
}
check upgrade_keeps_a_session upgrade

ours() {
	sed -n 's/^Package: //p' debian/control
}
# shellcheck disable=SC2046 # names without blanks
check removes in_root "$root" dpkg -r $(ours) $(cd "$debs" && printf '%s\n' ./*-dbgsym_*.deb | sed 's,^\./,,;s/_.*//')
# shellcheck disable=SC2046
check purges in_root "$root" dpkg -P $(ours)
files >"$work/after"
is nothing_left "$(comm -13 "$work/before" "$work/after")" ""
is nothing_taken "$(comm -23 "$work/before" "$work/after")" ""
is groups "$(cat "$root/etc/group")" "$(cat "$work/groups")"
exit $((failures != 0))
