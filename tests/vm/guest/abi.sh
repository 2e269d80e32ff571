# SPDX-License-Identifier: GPL-3.0-or-later
# In the guest: the ABI harness; each mapping and descriptor gone, the module must go.
abi "$@" || code=1
[ $# -gt 0 ] || api || code=1
if [ $# = 0 ] && command -v unwind >/dev/null; then
	unwind /tmp/unwind.nrm2 || code=1
fi
[ $# -gt 0 ] || abi locked_down || code=1
rmmod pitrace && echo "ok abi_rmmod" || { echo "not ok abi_rmmod"; code=1; }
exit ${code:-0}
