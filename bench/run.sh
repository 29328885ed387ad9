#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every benchmark with a bar; exits 1 when one is above it.
cd "$(dirname "$0")" || exit 1
export PYTHONDONTWRITEBYTECODE=1
status=0
for bench in cold.py print.py gate.py approved.py; do
    python3 "$bench" || status=1
done
exit $status
