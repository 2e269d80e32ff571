# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# The guest's initramfs: a base kept in the cache for each kernel (busybox, the disk's modules) and,
# made anew for each run, an archive laid over it with programs, libraries, module and script.
# Sourced by run.sh after it has read its options; set_kernel was called.

# Debian has joined /bin with /usr/bin; so does the guest, or a path could be there twice.
joined_folders() {
	local dir
	for dir in bin sbin lib lib64; do
		mkdir -p "$1/usr/$dir"
		ln -sfn "usr/$dir" "$1/$dir"
	done
}

# The same files must make the same archive, byte for byte: times, inode numbers and order change
# how a guest runs, if only by an instruction.
pack() {
	find "$1" -exec touch -h -d @1700000000 {} +
	(cd "$1" && find . -mindepth 1 | LC_ALL=C sort |
		cpio --quiet --reproducible -o -H newc --owner=0:0)
}

# stock_kmods STAGE NAME...: Debian's modules of these names and what they need, unpacked (busybox
# and kernels that check no signature take them so), with an index for modprobe.
stock_kmods() {
	local stage=$1 release file
	release=$(cat "$kdir/release")
	shift
	local to=$stage/usr/lib/modules/$release
	mkdir -p "$to"
	cp "$kdir"/modules/modules.{builtin,builtin.modinfo,order} "$to/" 2>/dev/null || :
	for file in $(kmod_files "$@"); do
		case $file in
		*.xz) xz -dc "$file" >"$to/$(basename "$file" .xz)" ;;
		*) cp "$file" "$to/" ;;
		esac
	done
	depmod -b "$stage" "$release"
}

# The files of modules in loading order. Names that are built in give no file.
kmod_files() {
	local release name
	release=$(cat "$kdir/release")
	for name in "$@"; do
		modprobe -d "$kdir/root" -S "$release" --show-depends "$name" ||
			die "no module $name in $release"
	done | sed -n 's/^insmod \([^ ]*\).*/\1/p' | awk '!seen[$0]++'
}

case $disk in
*-device) disk_kmods="virtio_mmio virtio_blk" ;;
*-pci) disk_kmods="virtio_pci virtio_blk" ;;
*) disk_kmods="virtio_blk" ;;
esac

# The same as paths in the guest, in one line.
kmod_paths() {
	local name
	for name in $(kmod_files "$@"); do
		echo "/lib/modules/$(cat "$kdir/release")/$(basename "$name" .xz)"
	done | tr '\n' ' '
}

# Modules that any machine of this architecture may need for its disk and its output.
base_kmods="virtio_mmio virtio_pci virtio_blk $out_kmods"

# Host programs for this machine's guests, the sysroot's for others.
foreign_root() {
	[ -z "$cross" ] || "$top/scripts/vm/sysroot" "$arch"
}

make_base() {
	local stage=$work/base busybox=/bin/busybox applet
	[ -z "$cross" ] || busybox=$sysroot/usr/bin/busybox
	[ -x "$busybox" ] || die "no $busybox (scripts/deps check)"
	mkdir -p "$stage"/{dev,proc,sys,tmp,run,root,etc,home/user,rig,var/tmp}
	joined_folders "$stage"
	cp "$busybox" "$stage/usr/bin/busybox"
	# The applets' names are the same on every architecture: ask the one that runs here.
	for applet in $(/bin/busybox --list); do
		[ -e "$stage/usr/bin/$applet" ] || ln -s busybox "$stage/usr/bin/$applet"
	done
	cat >"$stage/etc/passwd" <<-'END'
	root:x:0:0:root:/root:/bin/sh
	user:x:1000:1000:an ordinary user:/home/user:/bin/sh
	nobody:x:65534:65534:nobody:/nonexistent:/bin/false
	END
	cat >"$stage/etc/group" <<-'END'
	root:x:0:
	pitrace:x:990:
	user:x:1000:
	nogroup:x:65534:
	END
	echo "127.0.0.1 localhost guest" >"$stage/etc/hosts"
	stock_kmods "$stage" $base_kmods
	pack "$stage" >"$1.new.$$"
	mv "$1.new.$$" "$1"
}

# add_program STAGE NAME: one program of the host's PATH, at the same place in the guest. A script
# (perl's and python's tools) needs its interpreter too.
add_program() {
	local path interpreter
	path=$(PATH=/usr/bin:/usr/sbin:/bin:/sbin:$PATH command -v "$2") || die "no program $2"
	copy_in "$1" "$(realpath "$path")" "$path"
	interpreter=$(head -n 1 "$path" | tr -d '\0' | sed -nE 's,^#! *([^ ]+)( +([^ ]+))?.*,\1 \3,p')
	case $interpreter in
	'') ;;
	/usr/bin/env\ *) add_program "$1" "${interpreter#* }" ;;
	*) add_program "$1" "${interpreter%% *}" ;;
	esac
}

# copy_in STAGE HOST GUEST: the stage has the joined folders' links, so any spelling ends up right.
copy_in() {
	[ -e "$2" ] || die "nothing at $2"
	mkdir -p "$(dirname "$1/$3")"
	if [ -d "$2" ]; then
		mkdir -p "$1/$3"
		cp -a "$2/." "$1/$3/"
	else
		cp -L --preserve=mode,timestamps "$2" "$1/$3"
	fi
}

# The libraries that ELF files in the stage ask for, and those that these ask for, until nothing is
# missing. Found by reading the files, so a foreign architecture's programs need not be run.
add_libraries() {
	local stage=$1 root=$2 files name dir found
	local -A have=()
	local dirs=("$libs" "$root/usr/lib/$triplet" "$root/lib/$triplet" "$root/usr/lib" "$root/lib64")
	files=$(find "$stage" -type f \( -perm /111 -o -name '*.so*' \) -size +1k)
	while [ -n "$files" ]; do
		local needed
		# It finds scripts among them, and says so: that is not a failure.
		needed=$({ xargs -d '\n' readelf -dlW <<<"$files" 2>/dev/null || :; } | sed -nE \
			-e 's/.*\(NEEDED\).*\[(.*)\]/\1/p' -e 's/.*program interpreter: (.*)\]/\1/p' | sort -u)
		files=
		for name in $needed; do
			[ -z "${have[$name]:-}" ] || continue
			have[$name]=1
			case $name in
			/*)
				# The dynamic loader: its path is fixed in the programs.
				[ -e "$stage/$name" ] || copy_in "$stage" "$root$name" "$name"
				continue
				;;
			esac
			# Those of 32-bit programs have the same names.
			[ -z "$(find "$stage" -path "*/i386-linux-gnu" -prune -o -name "$name" -print -quit)" ] ||
				continue
			found=
			for dir in "${dirs[@]}"; do
				[ ! -e "$dir/$name" ] || { found=$dir/$name && break; }
			done
			# A plug-in that the test never loads may want what is not here: say it, go on.
			if [ -z "$found" ]; then
				echo "run.sh: no library $name for $arch" >&2
				continue
			fi
			copy_in "$stage" "$found" "/usr/lib/$triplet/$name"
			files+=$stage/usr/lib/$triplet/$name$'\n'
		done
	done
}

# make_initramfs FILE [SCRIPT [ARGUMENT]...]
make_initramfs() {
	local file=$1 base=$cache/base-$kernel-$arch.cpio stage=$work/stage sysroot bin libs name item
	shift
	sysroot=$(foreign_root)
	if [ ! -f "$base" ] || [ "$base" -ot "$top/tests/vm/image.sh" ] ||
		[ "$base" -ot "$kdir/release" ]; then
		make_base "$base"
	fi

	mkdir -p "$stage/rig" "$stage/usr/local"
	joined_folders "$stage"
	cp "$top/tests/vm/init" "$stage/init"
	cp "$top/tests/vm/load" "$stage/rig/load"
	bin=$build/bin libs=$build/lib
	[ -z "$cross" ] || bin=$build/$arch/bin libs=$build/$arch/lib
	[ ! -d "$libs" ] || (cd "$libs" && find . -name '*.so*') | while read -r name; do
		mkdir -p "$stage/usr/lib/$triplet"
		cp -a "$libs/$name" "$stage/usr/lib/$triplet/"
	done
	# Programs, and what tests/vm and tests/driver/abi build for guests; folders in tests are the host's.
	for name in "$bin"/* "${bin%/bin}"/tests/*; do
		case $name in *.[ad]) continue ;; esac
		[ ! -f "$name" ] || copy_in "$stage" "$name" "/usr/local/bin/${name##*/}"
	done
	# Programs that begin a session search this one beside them.
	[ ! -f "$libs/pitrace/pitrace-holder" ] ||
		copy_in "$stage" "$libs/pitrace/pitrace-holder" /usr/local/lib/pitrace/pitrace-holder
	for name in "${progs[@]}"; do
		add_program "$stage" "$name"
	done
	for item in "${adds[@]}"; do
		copy_in "$stage" "${item%%:*}" "${item#*:}"
	done
	# glibc opens this one by name, when a thread is cancelled.
	copy_in "$stage" "$sysroot/lib/$triplet/libgcc_s.so.1" "/usr/lib/$triplet/libgcc_s.so.1"
	add_libraries "$stage" "$sysroot"
	[ -z "$module" ] || cp "$module" "$stage/rig/pitrace.ko"
	cp "$top/scripts/60-pitrace.rules" "$stage/rig/pitrace.rules"
	[ ${#kmods[@]} = 0 ] || stock_kmods "$stage" $base_kmods "${kmods[@]}"

	if [ $# -gt 0 ]; then
		cp "$1" "$stage/rig/${1##*/}"
		chmod 755 "$stage/rig/${1##*/}"
		name=/rig/${1##*/}
		shift
		# Without a #! line it is busybox's shell that runs it.
		[ "$(head -c 2 "$stage$name")" = '#!' ] || name="sh $name"
		echo "exec $name ${*@Q}" >"$stage/rig/start"
	fi
	{
		echo "settle=$settle out=$out shell=$shell"
		echo "gets='${gets[*]#/}'"
		echo "get_kmods='$(kmod_paths $disk_kmods)'"
		echo "out_kmods='$(kmod_paths $out_kmods)'"
	} >"$stage/rig/conf"
	{
		cat "$base"
		pack "$stage"
	} >"$file"
}
