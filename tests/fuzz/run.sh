#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh TARGET SEEDS SECONDS: fuzzes on from the seeds, if there are any. New inputs and a
# crashing one are kept beside the target. libFuzzer's own exit code for a find, 77, would be
# a skipped test to meson.
set -eu
target=$1 seeds=$2 seconds=$3
mkdir -p "$target.corpus"
set -- "$target.corpus"
[ -d "$seeds" ] && set -- "$@" "$seeds"
exec "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -verbosity=0 \
    -print_final_stats=1 -error_exitcode=1 -artifact_prefix="$target." "$@"
