#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every C file of the tree, one a line: what clang-format looks after.
cd "$(dirname "$0")/.." && find include src worker tests examples -name '*.[ch]' | LC_ALL=C sort
