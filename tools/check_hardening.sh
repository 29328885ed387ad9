#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_hardening.sh BUILD_DIR plain|sanitized: reads the built files, because a flag that
# was given and a flag that took effect are two things.
set -u

build=$1
kind=$2
worker=_cordon_worker.abi3.so
failures=0

fail() {
    echo "$1: $2"
    failures=$((failures + 1))
}

# needed FILE: the libraries it names, one a line.
needed() {
    readelf -dW "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p'
}

# exported FILE: what it defines for others, without version.
exported() {
    nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }'
}

check_image() {
    headers=$(readelf -hlW "$build/$1") || { fail "$1" "cannot be read"; return; }
    dynamic=$(readelf -dW "$build/$1")
    echo "$headers" | grep -q 'Type:.*DYN' || fail "$1" "not position independent"
    echo "$headers" | grep -q 'GNU_RELRO' || fail "$1" "no RELRO"
    echo "$headers" | grep 'GNU_STACK' | grep -q 'RW ' || fail "$1" "the stack is not RW"
    echo "$headers" | grep -q 'RWE' && fail "$1" "a segment is writable and executable"
    echo "$dynamic" | grep -Eq 'BIND_NOW|Flags:.* NOW' || fail "$1" "not bound at start (BIND_NOW)"
    echo "$dynamic" | grep -q 'TEXTREL' && fail "$1" "has text relocations"
}

# check_runpath FILE: the loader searches nowhere but beside the file.
check_runpath() {
    readelf -dW "$build/$1" | sed -n 's/.*(R[UN]*PATH).*\[\(.*\)\]$/\1/p' | tr ':' '\n' |
        grep -v '^\$ORIGIN' | while read -r path; do echo "$1: runpath holds '$path'"; done | grep . &&
        failures=$((failures + 1))
}

# check_exports FILE PATTERN
check_exports() {
    names=$(exported "$build/$1")
    [ -n "$names" ] || fail "$1" "exports nothing"
    for name in $names; do
        echo "$name" | grep -Eq "$2" || fail "$1" "exports $name"
    done
}

# The worker has to load into every interpreter from 3.11 on: private names of Python that
# are not part of its stable ABI would break it there.
check_stable_abi() {
    for name in $(nm -D --undefined-only "$build/$1" | awk '{ print $2 }' | grep '^_Py'); do
        case $name in
        _Py_Dealloc | _Py_NoneStruct | _Py_TrueStruct | _Py_FalseStruct | *_SizeT) ;;
        *) fail "$1" "uses $name, which is not in the stable ABI" ;;
        esac
    done
}

# check_needed FILE PATTERN
check_needed() {
    for name in $(needed "$build/$1"); do
        echo "$name" | grep -Eq "$2" || fail "$1" "needs $name"
    done
}

# The compiler's own protections leave their names behind.
check_compiled() {
    nm -D "$build/$1" | grep -q '__stack_chk_fail' || fail "$1" "no stack protector"
    [ "$kind" = sanitized ] || nm -D "$build/$1" | grep -q '_chk@' || fail "$1" "no fortified call"
}

libc='libc\.so\.|libm\.so\.|ld-linux'
[ "$kind" = sanitized ] && libc="$libc|lib(asan|ubsan)\\.so\\.|libgcc_s\\.so"

for file in cordon cordon-serve cordon-keeper libcordon.so $worker; do
    check_image $file
    check_compiled $file
    check_runpath $file
done
check_exports libcordon.so '^cordon_[a-z0-9_]+$'
check_exports $worker '^PyInit_'
check_stable_abi $worker
check_needed libcordon.so "^($libc|lib(cyaml|jansson|sodium|seccomp|yajl|yaml-0)\\.so\\.)"
check_needed cordon "^($libc|lib(cordon|jansson)\\.so\\.)"
check_needed cordon-serve "^($libc|lib(cordon|jansson|microhttpd)\\.so\\.)"
check_needed cordon-keeper "^($libc)"
check_needed $worker "^($libc)"

[ "$failures" -eq 0 ]
