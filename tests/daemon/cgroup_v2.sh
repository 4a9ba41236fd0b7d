#!/usr/bin/env bash
# tests/daemon/cgroup_check.py under control groups of version 2, on a machine whose own kernel keeps
# the memory controller in version 1: inside a user-mode Linux (Debian: user-mode-linux), which has
# this file system, one processor and a disk of its own (the journal wants O_TMPFILE).
#
#     tests/daemon/cgroup_v2.sh [CIRCUIT JOBS CLIENTS BUDGET_MIB...]   winning-2KiB 12 6 384 426 552
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
[ $# -gt 0 ] || set -- winning-2KiB 12 6 384 426 552

if [ $$ -ne 1 ]; then # outside: a disk, and the machine
    folder=$(mktemp -d /tmp/cuzk-uml.XXXXXX)
    trap 'rm -rf "$folder"' EXIT
    truncate -s 8G "$folder/disk"
    mkfs.ext4 -q "$folder/disk"
    printf '#!/bin/sh\nexec bash %q %s\n' "$root/tests/daemon/cgroup_v2.sh" "$*" >"$folder/init"
    chmod +x "$folder/init"
    TMPDIR=$folder setarch -R linux.uml mem=6144M rw root=/dev/root rootfstype=hostfs rootflags=/ \
        "ubd0=$folder/disk" "init=$folder/init" con=null con0=null,fd:1 stderr=1 </dev/null |
        tee "$folder/log" | sed -n '1,/as init process/d; /reboot:/d; p' # without the kernel's words
    grep -a -q '^cgroup check: 0' "$folder/log"
    exit
fi

# inside, as the first process
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev 2>/dev/null || true
mkdir -p /dev/shm && mount -t tmpfs tmpfs /dev/shm
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount /dev/ubda /tmp
ip link set lo up
mkdir /tmp/build && cp "$root/build/cuzk" /tmp/build/
cat /sys/fs/cgroup/cgroup.controllers
code=0
CUZK_BUILD=/tmp/build TMPDIR=/tmp PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/daemon/cgroup_check.py" "$@" || code=$?
echo "cgroup check: $code"
python3 -c 'import ctypes; ctypes.CDLL(None).reboot(0x4321fedc)'
