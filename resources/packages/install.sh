#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# install.sh [--yes] LIST…: installs what is missing of the packages named in LIST.txt beside this script. Asks first, on a terminal.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
yes=''
lists=()
for argument in "$@"; do
  case $argument in
    --yes) yes=1 ;;
    *) lists+=("$here/$argument.txt") ;;
  esac
done

missing=()
while read -r package; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done < <(sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "${lists[@]}")
[ ${#missing[@]} -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null; then
  echo "These packages (Debian 12 names) are missing and there is no apt-get to install them: ${missing[*]}" >&2
  exit 2
fi
echo "Fuselab will install with apt: ${missing[*]}"
if [ -z "$yes" ]; then
  if [ ! -t 0 ]; then
    echo "Not on a terminal, so nothing is installed unasked: run again with --yes, or install the packages above." >&2
    exit 2
  fi
  read -r -p "Install them now? [y/N] " answer
  case $answer in [yY]*) ;; *) echo "Nothing was installed." >&2; exit 2 ;; esac
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "Installing needs root: run as root, or install sudo." >&2; exit 2; }
  as_root=(sudo)
fi
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
