#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# post's readers run in a sandbox: a library in post stands for a reader that was taken over, and its ways
# out are refused; every output is there all the same. System call by system call: test_sandbox.
. "$(dirname "$0")/../../lib/post_lib.sh"
way_out=${TESTS:-$build/tests}/programs/way_out.so
gen=${TESTS:-$build/tests}/programs/gen_trace_main
export WAY_OUT_SOCKET=$work/socket

"$gen" --zstd=1 --samples=2000 input.nrm2 >/dev/null || exit 1
refused=' write=refused create=refused remove=refused rename=refused chmod=refused socket=refused connect=refused kill=refused trace=refused execute=refused'
if ldd "$post" | grep -q libasan; then
	echo "skip ${suite}_ways_out a sanitizer's library must be loaded first"
else
	LD_PRELOAD=$way_out timeout 100 "$post" -q -o report input.nrm2 2>why
	[ "$(grep '^reader:' why)" = "reader: read=OUT$refused" ] && [ -s report ] && [ -s input.nrm2 ] &&
		[ ! -e created ] && [ ! -e executed ]
	verdict reader
	# Without a sandbox, post still works, and says so on request.
	WAY_OUT_REFUSED=1 LD_PRELOAD=$way_out "$post" -stats -q -o stats.out input.nrm2 2>err
	cp err why
	[ -s stats.out ] && ! grep -q 'no sandbox' err
	verdict refused_in_silence
	rm -f executed created
	"$gen" --samples=2000 plain.nrm2 >/dev/null
	WAY_OUT_REFUSED=1 LD_PRELOAD=$way_out "$post" -v -q -o told.out plain.nrm2 2>err
	cp err why
	grep -q '^post: no sandbox by seccomp: ' err && grep -q '^post: no sandbox by Landlock: this kernel has no Landlock' err &&
		[ -s told.out ]
	verdict refused_and_told
	mv plain.nrm2 input.nrm2 2>/dev/null
fi

# ---- outputs of every kind, as before
code 0 "$post" -v -q input.nrm2 && [ -s tprof.out ] && ! grep -q 'no sandbox by seccomp' err
verdict default_output
code 0 "$post" -q input.nrm2 && [ -s tprof.out.old ]
verdict older_output
code 0 "$post" -q -o - input.nrm2 && cmp -s out tprof.out
verdict standard_output
code 0 "$post" -q -o /dev/fd/7 input.nrm2 7>seven && cmp -s seven tprof.out
verdict open_descriptor
code 0 "$post" -sched -offcpu -irq -q input.nrm2
[ -s sched.out ] && [ -s offcpu.out ] && [ -s irq.out ]
verdict several
code 0 "$post" -json -o object input.nrm2 && jq -e .total_ticks object >/dev/null
verdict json
code 0 "$post" -csv -o table input.nrm2 && [ -s table ]
verdict csv
mkfifo fifo
cat fifo >read &
code 0 "$post" -q -o fifo input.nrm2
wait
cmp -s read tprof.out
verdict fifo
code 2 "$post" -q -o /dev/full input.nrm2 && grep -q 'No space left' err
verdict full_disk
code 2 "$post" -q -o none/there input.nrm2 && grep -q 'none/there: No such file' err
verdict no_folder
code 0 "$post" -q -format ctf -o folder.ctf input.nrm2 && [ -s folder.ctf/metadata ] && [ -s folder.ctf/cpu0 ]
verdict folder
code 0 "$post" -q -format ctf -o folder.ctf input.nrm2 && [ -s folder.ctf.old/metadata ]
verdict older_folder
code 0 "$post" -q -format perf.data -o perf.data input.nrm2 && code 0 "$post" -q -o again.out - <perf.data
verdict pipe_read
# An input that cannot be read leaves an older report unchanged.
echo kept >tprof.out
code 2 "$post" -q /dev/null && [ "$(cat tprof.out)" = kept ]
verdict nothing_for_nothing
# The processes of a run end with it.
code 0 "$post" -q -o last.out input.nrm2
for p in /proc/[0-9]*/exe; do
	[ "$(readlink "$p" 2>/dev/null)" != "$(realpath "$post")" ] || [ "$(readlink "${p%exe}cwd")" != "$work" ] || ls -l "$p"
done >why
[ ! -s why ]
verdict nobody_stays
# Another user, who has no rights to give up.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	chmod 755 "$work"
	mkdir others && chown 65534 others && chmod 644 input.nrm2
	(cd others && setpriv --reuid 65534 --regid 65534 --clear-groups "$post" -v -q ../input.nrm2) >why 2>&1
	[ -s others/tprof.out ] && ! grep -q 'no sandbox by seccomp' why
	verdict ordinary_user
else
	echo "skip ${suite}_ordinary_user not run by root, or without setpriv"
fi
exit $((failures != 0))
