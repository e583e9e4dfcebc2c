#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# packages_test.sh BUILD: cpack makes the Debian packages of a build, each with what it must have and nothing of the other.
set -euo pipefail
build=$1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
(cd "$build" && cpack -G DEB -B "$out" >"$out/log" 2>&1) || { cat "$out/log"; exit 1; }

# holds PACKAGE PATH…: the package has these files.
holds() {
  local package=$1 listing path
  listing=$(dpkg-deb -c "$out/$package"_*.deb)
  shift
  for path in "$@"; do
    grep -q " \./usr/$path\$" <<<"$listing" || { echo "$package lacks $path:"; echo "$listing"; exit 1; }
  done
}
holds fuselab bin/fuselab bin/fuselab-worker share/man/man1/fuselab.1.gz share/doc/fuselab/copyright \
  share/bash-completion/completions/fuselab share/zsh/vendor-completions/_fuselab share/fish/vendor_completions.d/fuselab.fish
listing=$(dpkg-deb -c "$out"/fuselab_*.deb)
if grep -q 'gui' <<<"$listing"; then echo 'fuselab holds something of fuselab-gui'; exit 1; fi
depends=$(dpkg-deb -f "$out"/fuselab_*.deb Depends)
if grep -qi 'qt6' <<<"$depends"; then echo 'fuselab depends on Qt'; exit 1; fi
dpkg-deb -x "$out"/fuselab_*.deb "$out/root"
"$out/root/usr/bin/fuselab" --version
page=$(gzip -dc "$out/root/usr/share/man/man1/fuselab.1.gz")
grep -q '^\.SS fuselab export$' <<<"$page"
if [ "${HOME:-/}" != / ] && grep -qF "$HOME" <<<"$page"; then echo 'the manual page names the home of whoever built it'; exit 1; fi
if [ -x "$build/bin/fuselab-gui" ]; then
  holds fuselab-gui bin/fuselab-gui share/man/man1/fuselab-gui.1 share/doc/fuselab-gui/copyright share/applications/fuselab-gui.desktop
  depends=$(dpkg-deb -f "$out"/fuselab-gui_*.deb Depends)
  grep -q 'fuselab (= ' <<<"$depends"
fi
