#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every test, in four builds: build/ (hardened, as released), build-asan/ (address and
# undefined-behaviour sanitizers), build-fuzz/ (clang: the fuzz targets, some seconds each),
# build-tsan/ (thread sanitizer: the host programs that have threads; `run_tests.sh tsan` runs
# this build alone, with everything that calls the library or the daemon from threads).
# Each is built and run to its end even when an earlier one failed; the last line counts all.
set -u
cd "$(dirname "$0")/.."

configure() {
    dir=$1
    shift
    # A prefix inside the build directory, so that the installed thing can be tested too.
    common="-Dwerror=true -Dtests=enabled -Dprefix=$PWD/$dir/prefix"
    if [ -f "$dir/build.ninja" ]; then
        meson configure "$dir" $common
    else
        meson setup "$dir" $common "$@"
    fi
}

# check DIRECTORY TIMEOUT_FACTOR SET-UP_OPTION...
only= # names of tests; none: all
check() {
    dir=$1 patience=$2
    shift 2
    rm -f "$dir/meson-logs/testlog.json"
    configure "$dir" "$@" &&
        meson compile -C "$dir" &&
        meson test -C "$dir" --no-rebuild --print-errorlogs -t "$patience" $only
}

check_threads() {
    only=$1
    check build-tsan 4 -Dman=disabled -Db_sanitize=thread -Db_lundef=false
}

if [ "${1-}" = tsan ]; then
    check_threads "behaviour-embedding behaviour-chaos behaviour-serve behaviour-serve_life
        client-client client-dropin client-exit client-life client-many client-transport"
    exec python3 tools/summary.py build-tsan
fi

check build 1 -Dman=enabled
check build-asan 4 -Dman=enabled --native-file dev.ini
CC=clang check build-fuzz 1 -Dfuzz=enabled -Dhardening=auto -Dworker=disabled -Dman=disabled \
    -Db_sanitize=address,undefined -Db_lundef=false

check_threads behaviour-embedding

exec python3 tools/summary.py build build-asan build-fuzz build-tsan
