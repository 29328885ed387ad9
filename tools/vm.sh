#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a command in a virtual machine with Debian's own kernel and control groups of version 2, on
# the files of this machine: they are its root, and what it changes stays in its memory. For what may
# not be had here: another kernel, control groups that are delegated, an ordinary user of them.
#
#   tools/vm.sh [--user] [--groups auto|named|none] COMMAND ARGUMENT...
#
# --user: as uid 1000, else as root. --groups: the command is below a control group that is left to
# it as systemd does (auto, unless said); such a group is elsewhere, CORDON_TEST_CGROUP names it;
# or there is none. Prints what the command prints, ends with its exit code. It wants
# qemu-system-x86_64 and busybox-static, and takes KVM where it can.
#
#   CORDON_VM_KERNEL  a directory with boot/vmlinuz-* and lib/modules/*, as `dpkg -x` of a kernel's
#                     package leaves it (unless said: Debian's, fetched into the user's cache)
#   CORDON_VM_ACCEL   kvm or tcg (unless said: KVM where it can be had; in a virtual machine it may
#                     hang). With TCG everything takes ten times as long: CORDON_TEST_SLOWNESS=10
#   CORDON_VM_MEMORY  (4G)   CORDON_VM_CPUS  (2)   CORDON_VM_SECONDS  until it is stopped (3600)
set -eu

user=0 groups=auto
while [ $# -gt 0 ]; do
    case $1 in
    --user) user=1000 ;;
    --groups) groups=$2 && shift ;;
    -*) echo "usage: see the top of $0" >&2 && exit 2 ;;
    *) break ;;
    esac
    shift
done
[ $# -gt 0 ] || { echo "usage: see the top of $0" >&2 && exit 2; }

busybox=$(command -v busybox) || { echo "$0: busybox is missing (busybox-static)" >&2 && exit 2; }
cache=${XDG_CACHE_HOME:-$HOME/.cache}/cordon-vm
kernel=${CORDON_VM_KERNEL:-$cache}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

fetch_kernel() {
    name=$(apt-cache depends linux-image-amd64 | sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p')
    (cd "$work" && apt-get download "$name" >&2)
    mkdir -p "$cache"
    dpkg -x "$work"/linux-image-*.deb "$cache"
}
[ -d "$kernel/boot" ] || [ -n "${CORDON_VM_KERNEL-}" ] || fetch_kernel

# What the kernel needs for its root, and what it would load when asked of sockets; the order is that
# of need, and what is not there is built in.
modules="virtio_ring virtio virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci virtio_console \
    netfs fscache 9pnet 9pnet_virtio 9p overlay unix_diag inet_diag tcp_diag udp_diag"

copy_modules() {
    for name in $modules; do
        file=$(find "$kernel/lib/modules" -name "$name.ko*")
        case $file in
        *.ko) cp "$file" "$work/root/" ;;
        *.ko.xz) xz -dc "$file" >"$work/root/$name.ko" ;;
        *.ko.zst) zstd -qdc "$file" >"$work/root/$name.ko" ;;
        esac
    done
}

# The first process: the root is put together, then handed over to.
first_process() {
    cat <<END
#!/bin/busybox sh
/bin/busybox mount -t devtmpfs dev /dev
exec >/dev/console 2>&1
for name in $modules; do [ ! -f /\$name.ko ] || /bin/busybox insmod /\$name.ko; done
/bin/busybox mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000,cache=loose,ro host /lower
/bin/busybox mount -t tmpfs -o mode=755,size=75% none /over
/bin/busybox mkdir /over/upper /over/work
/bin/busybox mount -t overlay -o lowerdir=/lower,upperdir=/over/upper,workdir=/over/work none /new
/bin/busybox mkdir -p /new/run
/bin/busybox mount -t tmpfs -o mode=755,nosuid,nodev none /new/run
/bin/busybox mkdir /new/run/vm
/bin/busybox cp /second /command /bin/busybox /new/run/vm/
exec /bin/busybox switch_root /new /bin/sh /run/vm/second
END
}

# What systemd would have made of the machine, as far as it matters here.
second_process() {
    cat <<'END'
bb=/run/vm/busybox
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
$bb mount -t proc -o nosuid,nodev,noexec proc /proc
$bb mount -t sysfs -o nosuid,nodev,noexec sys /sys
$bb mount -t devtmpfs -o mode=755,nosuid dev /dev
$bb mkdir -p /dev/pts /dev/shm
$bb mount -t devpts -o mode=620,ptmxmode=666,gid=5 devpts /dev/pts
$bb mount -t tmpfs -o mode=1777,nosuid,nodev shm /dev/shm
$bb mount -t securityfs -o nosuid,nodev,noexec security /sys/kernel/security
$bb mount -t cgroup2 -o nosuid,nodev,noexec cgroup2 /sys/fs/cgroup
$bb ip link set lo up
$bb hostname vm
$bb stty -F /dev/hvc0 raw -echo

top=/sys/fs/cgroup left=/sys/fs/cgroup/left
mkdir $top/system
echo $$ >$top/system/cgroup.procs
echo "+cpu +memory +pids" >$top/cgroup.subtree_control
here=$top/system
if [ $groups != none ]; then
    mkdir $left
    chown $user $left $left/cgroup.procs $left/cgroup.subtree_control $left/cgroup.threads
    CORDON_TEST_CGROUP=$left
    export CORDON_TEST_CGROUP
fi
if [ $groups = auto ]; then
    here=$left/session
    /usr/bin/python3 -c "import os; os.setxattr('$left', 'trusted.delegate', b'1')
os.setxattr('$left', 'user.delegate', b'1')"
    echo "+cpu +memory +pids" >$left/cgroup.subtree_control
    mkdir $here
    chown $user $here $here/cgroup.*
elif [ $groups = named ]; then
    mkdir $left/session && here=$left/session # an ordinary user may move what lies below only
    chown $user $here $here/cgroup.*
fi
home=/root
if [ $user != 0 ]; then
    home=/run/vm/home
    mkdir -p $home && chown $user $home && chmod 755 /run/vm
    drop="/usr/bin/setpriv --reuid $user --regid $user --clear-groups --inh-caps=-all"
fi
code=$(
    exec 3>&1 >/dev/hvc0 2>&1 </dev/null
    echo 0 >$here/cgroup.procs
    HOME=$home ${drop-} /bin/sh /run/vm/command
    echo $? >&3
)
for port in /dev/vport*p2; do echo "$code" >"$port"; done
$bb sync
$bb poweroff -f
END
}

quoted() {
    for word; do
        printf "'%s' " "$(printf %s "$word" | sed "s/'/'\\\\''/g")"
    done
}

# The build is where it is here, and so is what says where it is.
command_file() {
    env | sed -n "s/^\(CORDON[A-Z_]*\|PYTHON[A-Z]*\)=\(.*\)/\1 \2/p" | while read -r name value; do
        echo "export $name=$(quoted "$value")"
    done
    echo "cd $(quoted "$PWD")"
    quoted "$@"
}

mkdir -p "$work"/root/bin "$work"/root/lower "$work"/root/over "$work"/root/new "$work"/root/dev \
    "$work"/root/proc
cp "$busybox" "$work/root/bin/busybox"
copy_modules
first_process >"$work/root/init"
{
    echo "user=$user groups=$groups"
    second_process
} >"$work/root/second"
command_file "$@" >"$work/root/command"
chmod 755 "$work/root/init"
(cd "$work/root" && find . | "$busybox" cpio -o -H newc 2>/dev/null | gzip -1) >"$work/initrd"

accel=tcg cpu=max
[ ! -w /dev/kvm ] || accel=kvm
accel=${CORDON_VM_ACCEL:-$accel}
[ "$accel" != kvm ] || cpu=host,arch-capabilities=off # which not every host of hosts can set
timeout -k 5 "${CORDON_VM_SECONDS:-3600}" qemu-system-x86_64 \
    -machine q35 -accel "$accel" -cpu $cpu \
    -m "${CORDON_VM_MEMORY:-4G}" -smp "${CORDON_VM_CPUS:-2}" \
    -nodefaults -no-user-config -display none -no-reboot \
    -kernel "$(ls "$kernel"/boot/vmlinuz-* | tail -n 1)" -initrd "$work/initrd" \
    -append "console=ttyS0 panic=-1 quiet" \
    -serial "file:$work/kernel.log" \
    -device virtio-serial-pci,max_ports=4 \
    -chardev stdio,id=out,signal=off -device virtconsole,chardev=out,nr=1 \
    -chardev "file,id=code,path=$work/code" -device virtserialport,chardev=code,nr=2,name=code \
    -fsdev local,id=host,path=/,security_model=none,readonly=on,multidevs=remap \
    -device virtio-9p-pci,fsdev=host,mount_tag=host </dev/null &
machine=$!
trap 'kill "$machine" 2>/dev/null || true; rm -rf "$work"' EXIT
wait "$machine" || true
if [ ! -s "$work/code" ]; then
    echo "$0: the machine did not come to an end; its kernel's last words:" >&2
    tail -n 20 "$work/kernel.log" >&2
    exit 125
fi
exit "$(cat "$work/code")"
