#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every test, in three builds: build/ (hardened, as released), build-asan/ (address and
# undefined-behaviour sanitizers; without the suite `once`), build-fuzz/ (clang: the fuzz targets,
# some seconds each). Each is built and run to its end even when an earlier one failed; the last
# line counts all.
#
# run_tests.sh tsan: build-tsan/ (thread sanitizer), everything that calls the library or the daemon
# from threads. It takes as long as one of the others, and is left out where time is short.
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
some= # what of it; nothing: all
check() {
    dir=$1 patience=$2
    shift 2
    rm -f "$dir/meson-logs/testlog.json"
    configure "$dir" "$@" &&
        meson compile -C "$dir" &&
        meson test -C "$dir" --no-rebuild --print-errorlogs -t "$patience" $some
}

if [ "${1-}" = tsan ]; then
    some="behaviour-embedding behaviour-chaos behaviour-serve behaviour-serve_life
        client-client client-dropin client-exit client-life client-many client-transport"
    check build-tsan 4 -Dman=disabled -Db_sanitize=thread -Db_lundef=false
    exec python3 tools/summary.py build-tsan
fi

check build 1 -Dman=enabled
some="--no-suite once"
check build-asan 4 -Dman=enabled --native-file dev.ini
some=
CC=clang check build-fuzz 1 -Dfuzz=enabled -Dhardening=auto -Dworker=disabled -Dman=disabled \
    -Db_sanitize=address,undefined -Db_lundef=false

exec python3 tools/summary.py build build-asan build-fuzz
