# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# What the guest scripts share: the names of architectures, the cache folder, and a private
# apt (own sources, lists, cache and status, so the system's apt never notices). Sourced by bash.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cache=${PITRACE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/pitrace}
build=${PITRACE_BUILD:-$top/build}
mirror=${PITRACE_MIRROR:-http://deb.debian.org}

die() {
	echo "${0##*/}: $*" >&2
	exit 2
}

# set_arch NAME: debarch (Debian's word), karch (the kernel's), flavour (of Debian's kernels),
# triplet, cross (tool prefix)
set_arch() {
	flavour=
	case $1 in
	x86_64 | amd64) arch=x86_64 debarch=amd64 karch=x86 triplet=x86_64-linux-gnu ;;
	arm64 | aarch64) arch=arm64 debarch=arm64 karch=arm64 triplet=aarch64-linux-gnu ;;
	ppc64le | ppc64el)
		arch=ppc64le debarch=ppc64el karch=powerpc triplet=powerpc64le-linux-gnu
		flavour=powerpc64le
		;;
	s390x) arch=s390x debarch=s390x karch=s390 triplet=s390x-linux-gnu ;;
	*) die "unknown architecture $1 (x86_64 arm64 ppc64le s390x)" ;;
	esac
	flavour=${flavour:-$debarch}
	cross=
	[ "$debarch" = "$(dpkg --print-architecture)" ] || cross=$triplet-
}

# set_kernel SERIES ARCH: where that kernel is kept
set_kernel() {
	case $1 in
	6.1 | 6.12 | sid | debug | debug-sid) kernel=$1 ;;
	*) die "unknown kernel $1 (6.1 6.12 sid debug debug-sid)" ;;
	esac
	set_arch "$2"
	# Which of the private apts knows it.
	kapt=$debarch
	[ "${kernel#debug-}" != sid ] || kapt=$debarch-sid
	kdir=$cache/kernel/$kernel-$arch
}

# is_debug: is it a kernel that looks for mistakes?
is_debug() {
	[[ $kernel = debug* ]]
}

# set_headers: where what builds modules is kept of the kernel that was set: with its image, or alone
set_headers() {
	is_debug || [ -f "$kdir/complete" ] || kdir+=-headers
}

# Two calls at once must not write one cache: take the lock for as long as this shell lives.
lock_cache() {
	mkdir -p "$cache"
	exec 9>"$cache/lock"
	flock 9
}

# private_apt ARCH[-sid] COMMAND...: an apt that takes ARCH for its own, of this Debian release or of
# sid. The system's hooks (apt.conf.d) are left out; a proxy that was set up there is carried over.
private_apt() {
	local native=${1%-sid} dir=$cache/apt/$1 suites
	suites='debian:bookworm debian-security:bookworm-security debian:bookworm-backports'
	[ "$native" = "$1" ] || suites=debian:sid
	shift
	if [ ! -f "$dir/conf" ]; then
		mkdir -p "$dir"/{lists/partial,archives/partial,etc}
		: >"$dir/status"
		local suite sources
		for suite in $suites; do
			sources+="deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]"
			sources+=" $mirror/${suite%%:*} ${suite#*:} main"$'\n'
		done
		printf '%s' "$sources" >"$dir/sources.list"
		{
			cat <<-END
			Dir::Etc::parts "/dev/null";
			Dir::Etc::main "/dev/null";
			Dir::Etc::sourcelist "$dir/sources.list";
			Dir::Etc::sourceparts "/dev/null";
			Dir::Etc::preferences "/dev/null";
			Dir::Etc::preferencesparts "/dev/null";
			Dir::State "$dir";
			Dir::State::lists "$dir/lists";
			Dir::State::status "$dir/status";
			Dir::State::extended_states "$dir/extended_states";
			Dir::Cache "$dir";
			Dir::Cache::archives "$dir/archives";
			Dir::Log "$dir";
			APT::Architecture "$native";
			APT::Architectures { "$native"; };
			APT::Install-Recommends "false";
			APT::Sandbox::User "";
			Acquire::Languages "none";
			Acquire::Retries "3";
			END
			# A mirror that stands still is good enough for tests.
			[ "$native" = "${dir##*/}" ] || echo 'Acquire::Check-Valid-Until "false";'
			apt-config dump | grep -iE '^Acquire::(https?::)?.*proxy.* "..*";' || :
		} >"$dir/conf.new"
		mv "$dir/conf.new" "$dir/conf"
	fi
	APT_CONFIG=$dir/conf "$@"
}

# apt_update ARCH: the package lists, read anew once an hour at most. A mirror in the middle of its
# own update has lists that don't fit together: what could be read must do then.
apt_update() {
	local stamp=$cache/apt/$1/updated
	[ -z "$(find "$stamp" -mmin -60 2>/dev/null)" ] || return 0
	if ! private_apt "$1" apt-get -qq update >&2; then
		[ -n "$(private_apt "$1" apt-cache pkgnames libc6)" ] ||
			die "cannot read the package lists of $mirror"
		echo "${0##*/}: some package lists of $mirror could not be read" >&2
	fi
	touch "$stamp"
}

# unpack_debs ARCH FOLDER PACKAGE...: download just these and unpack them there
unpack_debs() {
	local native=$1 into=$2 deb
	shift 2
	mkdir -p "$into" "$cache/tmp"
	local tmp
	tmp=$(mktemp -d "$cache/tmp/debs.XXXXXX")
	(cd "$tmp" && private_apt "$native" apt-get -qq download "$@" >&2) ||
		{ rm -rf "$tmp"; die "cannot download $*"; }
	for deb in "$tmp"/*.deb; do
		dpkg-deb -x "$deb" "$into" || die "cannot unpack $deb"
	done
	rm -rf "$tmp"
}
