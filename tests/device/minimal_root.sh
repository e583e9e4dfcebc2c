#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# minimal_root.sh BUNDLE: proves that the portable bundle needs glibc and nothing else. Makes a root with the packages that Debian calls
# essential (debootstrap), or where there is no debootstrap one with glibc's files and a shell alone; copies the bundle in; runs `devices`
# and `bench` on cpu there, where there is no compiler. Needs root; exit 77 and one line where it cannot run.
set -euo pipefail
skip() { echo "SKIPPED: $*"; exit 77; }
[ $# -eq 1 ] && [ -x "$1/bin/fuselab" ] || { echo "usage: minimal_root.sh BUNDLE (made by: cmake --workflow --preset portable)" >&2; exit 2; }
bundle=$(cd "$1" && pwd)
[ "$(id -u)" -eq 0 ] || skip 'needs root, for chroot'

root=$(mktemp -d)
mounted=''
cleanup() {
  [ -z "$mounted" ] || umount "$root/proc"
  rm -rf --one-file-system "$root"
}
trap cleanup EXIT

# glibc's own files and a shell with what it needs: less than any distribution has.
bare_root() {
  mkdir -p "$root"/{bin,etc,proc,tmp,root,dev}
  dpkg-query -L libc6 | grep '\.so' | while read -r file; do
    [ -f "$file" ] || continue
    mkdir -p "$root$(dirname "$file")"
    cp -L "$file" "$root$file"
  done
  [ -e "$root/lib64" ] || { mkdir -p "$root/lib64" && cp -L /lib64/ld-linux-x86-64.so.2 "$root/lib64/"; }
  cp -L /bin/dash "$root/bin/sh"
  echo 'root:x:0:0:root:/root:/bin/sh' >"$root/etc/passwd"
}

if command -v debootstrap >/dev/null && debootstrap --variant=minbase bookworm "$root" >"$root.log" 2>&1; then
  kind='debootstrap --variant=minbase bookworm'
else
  rm -rf --one-file-system "$root" && mkdir "$root"
  command -v dpkg-query >/dev/null || skip 'no debootstrap that works here, and no dpkg-query to find the files of glibc'
  bare_root
  kind='the files of libc6 and a shell, nothing else'
fi
rm -f "$root.log"
echo "== root: $kind"
for program in gcc cc clang g++; do
  [ ! -e "$root/usr/bin/$program" ] || { echo "FAILED: the root has $program" >&2; exit 1; }
done
mkdir -p "$root/opt" "$root/dev"
cp -a "$bundle" "$root/opt/fuselab"
mount -t proc proc "$root/proc" 2>/dev/null && mounted=1 || skip 'may not mount /proc in the new root'
[ -c "$root/dev/null" ] || mknod -m 666 "$root/dev/null" c 1 3
[ -c "$root/dev/urandom" ] || mknod -m 666 "$root/dev/urandom" c 1 9

inside() { env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin NO_COLOR=1 chroot "$root" "$@"; }
fuselab=/opt/fuselab/bin/fuselab
failed=0
# check NAME CODE PATTERN COMMAND…: it ends with CODE (-: with any but 0) and says PATTERN.
check() {
  local name=$1 expected=$2 pattern=$3 code=0
  shift 3
  echo "== $name: ${*#/opt/fuselab/bin/}"
  inside "$@" >"$root/tmp/said" 2>&1 || code=$?
  cat "$root/tmp/said"
  [ "$expected" != - ] || expected=$((code == 0 ? 1 : code))
  if [ "$code" -ne "$expected" ] || ! grep -q -- "$pattern" "$root/tmp/said"; then
    echo "FAILED: $name (exit $code)"
    failed=1
  fi
}
check 'devices' 0 'compiled ahead by' "$fuselab" devices
check 'bench' 0 'Recommended default' "$fuselab" bench w1 w5 --shape rows=256,cols=512 --device cpu --db /tmp/fuselab.db
check 'what did not come says what to do' - 'install gcc' "$fuselab" bench w5 --shape rows=7,cols=33 --device cpu --db /tmp/fuselab.db
[ "$failed" -eq 0 ] && echo "OK: the bundle runs on $kind"
exit "$failed"
