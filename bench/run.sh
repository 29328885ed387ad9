#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every benchmark with a bar; exits 1 when one is above it.
cd "$(dirname "$0")" || exit 1
export PYTHONDONTWRITEBYTECODE=1
status=0
for bench in cold.py print.py gate.py approved.py; do
    python3 "$bench" || status=1
done
build=$(dirname "${CORDON:-../build/cordon}")
if meson compile -C "$build" bench-walls >/dev/null; then
    LD_LIBRARY_PATH=$build "$build/bench-walls" || status=1
else
    echo "walls: cannot build bench-walls in $build"
    status=1
fi
exit $status
