#!/usr/bin/env bash
# `make demo`: a hall sold out in a rush, a party that waits for seats in it, and a hotel's real bookings, on a private
# stack that is stopped afterwards; with --keep only by Ctrl-C.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
export BUILD=${BUILD:-$PWD/build} MODE=${MODE:-release}
export BIN_DIR=${BIN_DIR:-$BUILD/$MODE}
# shellcheck source=deploy/local/instance.sh
. deploy/local/instance.sh

green='' red='' plain=''
if [ -t 1 ] && [ "${TERM:-dumb}" != dumb ] && [ -z "${NO_COLOR:-}" ]; then
    green=$'\e[32m' red=$'\e[1;31m' plain=$'\e[0m'
fi

export KAFKA_JAVA=steady # its answers are timed
instance_up "$BUILD/demo" --fresh --workers 1 --dashboard
DEMO_POSTGRES=$(deploy/local/stack uri reader --dir "$BUILD/demo")
export DEMO_POSTGRES

printf 'Watch it in a browser while it runs: http://%s/\n\n' "$USHER_DASHBOARD_LISTEN"
begun=$SECONDS failed=0
"$BIN_DIR/tests/demo/demo" tests/data/resort_hotel.csv || failed=1

# No unit twice, and Redis equal to PostgreSQL: the worker's own command says so, not the demo.
if verdict=$("$BIN_DIR/usher-worker" reconcile 2>&1); then
    printf '  %sok%s      usher-worker %s\n' "$green" "$plain" "${verdict##*$'\n'}"
else
    printf '  %sFAILED%s  usher-worker reconcile:\n%s\n' "$red" "$plain" "$verdict"
    failed=1
fi

if [ "$failed" -ne 0 ]; then
    printf '\nThe demo FAILED after %s s. The logs are in %s\n' $((SECONDS - begun)) "$BUILD/demo/log"
    exit 1
fi
# From the root of the tree, as `make demo` is typed.
near=${BUILD#"$PWD"/}
cat <<TEXT

Everything agrees, after $((SECONDS - begun)) s. Where to look next:
  eval "\$(make -s up)"     a stack of your own to book on: README.md, "Sell a seat"
  eval "\$(deploy/local/stack up --dashboard --dir $near/demo)"
                          the demo's own stack again, with all that it sold; make demo KEEP=1 leaves it running
  ${BIN_DIR#"$PWD"/}/usher-worker resources
                          what is sold there; show, bookings, status: producer/docs/first-steps.md
  deploy/local/stack down --dir $near/demo
                          stops it
  make test, make bench   all tests on the real parts; speed, beside its floor and a rival
  worker/README.md        how it works: one batch, step by step
  tests/demo/desk.c       how a service sells through usher, in C
TEXT
if [ "${1:-}" = --keep ]; then
    printf '\nIt goes on at http://%s/ until Ctrl-C.\n' "$USHER_DASHBOARD_LISTEN"
    while sleep 1; do :; done
fi
