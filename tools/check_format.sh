#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fails when clang-format would change a file; `make format` makes the change.
cd "$(dirname "$0")/.." && exec clang-format --dry-run -Werror $(tools/list_c.sh)
