#!/usr/bin/env bash
# `make bench`: the hot show on the real stack, the floor of its parts, and a lock-based rival, all in one run; before
# it, how full a hall gets.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
export BUILD=${BUILD:-$PWD/build} MODE=${MODE:-release}
export BIN_DIR=${BIN_DIR:-$BUILD/$MODE}
# shellcheck source=deploy/local/instance.sh
. deploy/local/instance.sh
"$BIN_DIR/tests/bench/fill_up"
instance_up "$BUILD/bench" --fresh --workers 1 --partitions 1
POSTGRES_ADMIN=$(deploy/local/stack uri admin --dir "$BUILD/bench")
WORKER_PID=$(deploy/local/stack worker pid 1 --dir "$BUILD/bench")
export POSTGRES_ADMIN WORKER_PID
/usr/bin/python3 tests/bench/bench.py "$@"
