#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs sales.py in Cordon. The code sees no file of yours: what it is to work on goes in
# as input_data, here {"csv": "date,region,..."}, made from sales.csv and piped to -i.
#
# CORDON names the binary, if it is not on the PATH.
set -eu
here=$(dirname "$0")

python3 -c 'import json, sys; json.dump({"csv": sys.stdin.read()}, sys.stdout)' \
    <"$here/sales.csv" | "${CORDON:-cordon}" run -i - "$here/sales.py"
