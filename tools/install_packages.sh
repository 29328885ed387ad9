#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# install_packages.sh run|test: installs what tools/packages.txt lists for that goal and
# what is not installed yet. Touches no network when nothing is missing.
set -eu

goals=run
[ "${1:-run}" = test ] && goals='run test'

wanted() {
    for goal in $goals; do
        sed -n "s/^$goal  *//p" "$(dirname "$0")/packages.txt"
    done
}

if ! command -v dpkg-query >/dev/null; then
    echo "install_packages: not a Debian system; you need what these packages hold:" $(wanted) >&2
    exit 0
fi

missing=
for package in $(wanted); do
    state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "install_packages: not root and no sudo; ask for:$missing" >&2
        exit 1
    fi
    as_root=sudo
fi

echo "install_packages: installing$missing"
$as_root apt-get update -qq
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $missing
