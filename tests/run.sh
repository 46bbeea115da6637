#!/usr/bin/env bash
# Runs tests of one build: `run.sh KIND...`, where the kinds are unit, oracle and integration. The first two run beside the
# last; each may fail without hiding the others. PROCESSES= says how many share the integration tests. At the end come the
# slowest tests, each that failed, and in the last line the count of all that ran. No test at all is a failure.
# However it ends, and by Ctrl-C as well, no process of it is left (tests/supervised).
set -euo pipefail
cd "$(dirname "$0")/.."
[ -n "${SUPERVISED:-}" ] || SUPERVISED=1 exec tests/supervised tests/run.sh "$@"

BUILD=${BUILD:-$PWD/build}
MODE=${MODE:-release}
BIN_DIR=${BIN_DIR:-$BUILD/$MODE}
export BUILD MODE BIN_DIR
results=$BIN_DIR/results
mkdir -p "$results"
cores=$(nproc)

# ---- unit: groups of cmocka's tests side by side, counted by the TAP that they print ---------------
unit_group() { # unit_group PROGRAM NAME: its count is left in unit-NAME.count, what failed in unit-NAME.failed
    local program=$BIN_DIR/tests/unit/$1 mine=$results/unit-$2 status=0 good bad skip from=$EPOCHREALTIME
    local log=$mine.log
    shift
    CMOCKA_MESSAGE_OUTPUT=TAP timeout 600 "$program" "$1" >"$log" 2>&1 || status=$?
    skip=$(grep -c -E '^(not )?ok [0-9]+ # SKIP' "$log") || true
    good=$(grep -c -E '^ok [0-9]+ - ' "$log") || true
    bad=$(grep -c -E '^not ok [0-9]+ - ' "$log") || true
    # A crash, a sanitizer's report or a fixture that failed is no numbered test, but a failure.
    if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then
        bad=1
    elif [ $((good + bad + skip)) -eq 0 ]; then
        echo "$1 ran no test" >>"$log"
        bad=1
    fi
    if [ "$bad" -gt 0 ]; then
        printf '%-34s FAILED (exit %s)\n' "$1" "$status"
        cat "$log"
        { grep -E '^not ok [0-9]+ - ' "$log" || echo "exit $status"; } | sed -E "s/^not ok [0-9]+ - //; s/^/$1: /" >"$mine.failed"
    else
        printf '%-34s %s passed\n' "$1" "$good"
    fi
    echo "$good $bad $skip" >"$mine.count"
    awk -v from="$from" -v to="$EPOCHREALTIME" -v name="$1" 'BEGIN { print to - from, "unit/" name }' >"$mine.took"
}

unit_groups() { # unit_groups: lines "PROGRAM GROUP"
    local folder
    find tests/unit -mindepth 2 -name '*.c' -printf '%h\n' | sort -u | while read -r folder; do
        "$BIN_DIR/tests/unit/test_${folder##*/}" --list | sed "s/^/test_${folder##*/} /"
    done
}

unit() {
    # Most of the longest ones' time is waiting: more of them than there are cores.
    unit_groups | xargs -r -P $((2 * cores)) -n 2 tests/run.sh unit-group
    cat "$results"/unit-*.count | add_up >"$results/unit.count"
}

# ---- oracle and integration: pytest, counted by its JUnit report -----------------------------------
# The oracle needs no server, and nothing that the other tests need.
oracle() {
    judge oracle --noconftest tests/oracle
}

# On the local stack.
integration() {
    local arguments=()
    [ -z "${MARK:-}" ] || arguments+=(-m "$MARK")
    # shellcheck disable=SC2206 # TESTS is a list of words
    arguments+=(${TESTS:-tests/integration tests/scenarios})
    # Most of the time is waiting: each needs a fifth of a core.
    judge integration --dist loadgroup -n "${PROCESSES:-6}" "${arguments[@]}"
}

judge() { # judge KIND ARGUMENTS of pytest...
    local kind=$1 report=$results/$1.xml status=0 counts
    shift
    rm -f "$report"
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=tests /usr/bin/python3 -m pytest -v --tb=short --junitxml="$report" "$@" || status=$?
    counts=$(junit_counts "$report" "$results/$kind.failed" "$results/$kind.took") || counts='0 0 0'
    # Exit 5 is "collected nothing"; anything else without a failed test broke pytest itself.
    case $status/$counts in
    0/0\ *) complain "no test of $kind ran" ;;
    [!0]*/*\ 0\ *) complain "pytest ended with exit code $status" ;;
    esac
    echo "$counts" >"$results/$kind.count"
}

complain() { # complain MESSAGE: a failure that no test stands for
    echo "$1" >&2
    echo "$1" >>"$results/complaints.failed"
    echo '0 1 0' >>"$results/complaints.count"
}

add_up() { # add_up: of lines "passed failed skipped" their sum
    awk '{ passed += $1; failed += $2; skipped += $3 } END { print passed + 0, failed + 0, skipped + 0 }'
}

junit_counts() { # junit_counts REPORT FAILED TOOK: prints "passed failed skipped"; what failed and why, and what took how long, go into files
    /usr/bin/python3 - "$@" <<-'PYTHON'
	import sys
	import xml.etree.ElementTree

	report = xml.etree.ElementTree.parse(sys.argv[1])
	total = failed = skipped = 0
	for suite in report.iter("testsuite"):
	    total += int(suite.get("tests"))
	    failed += int(suite.get("failures")) + int(suite.get("errors"))
	    skipped += int(suite.get("skipped"))
	print(total - failed - skipped, failed, skipped)
	with open(sys.argv[2], "w") as file:
	    for case in report.iter("testcase"):
	        for why in (*case.iter("failure"), *case.iter("error")):
	            said = why.get("message", "").strip().splitlines() or [""]
	            print(f'tests/{case.get("classname").replace(".", "/")}.py::{case.get("name")}: {said[0][:160]}', file=file)
	with open(sys.argv[3], "w") as file:
	    for case in report.iter("testcase"):
	        print(case.get("time"), f'{case.get("classname").replace(".", "/").removeprefix("tests/")}::{case.get("name")}', file=file)
	PYTHON
}

# One that another run uses stays.
delete_stacks() {
    local lock
    for lock in "$BUILD"/integration*.lock; do
        [ ! -e "$lock" ] || flock -n "$lock" rm -rf "${lock%.lock}" || true
    done
}

usage() {
    echo "usage: run.sh unit|oracle|integration..." >&2
    exit 64
}

if [ "${1:-}" = unit-group ]; then
    unit_group "$2" "$3"
    exit
fi
if [ "${1:-}" = interrupted ]; then
    delete_stacks
    exit
fi
[ $# -gt 0 ] || usage
for kind in "$@"; do
    case $kind in unit | oracle | integration) ;; *) usage ;; esac
done

rm -f "$results"/*.{count,failed,took} "$results/count" "$results/failed"
# What runs beside the last kind is printed behind it.
for kind in "${@:1:$#-1}"; do
    "$kind" >"$results/$kind.log" 2>&1 &
done
"${!#}"
wait
for kind in "${@:1:$#-1}"; do
    cat "$results/$kind.log"
done

for kind in "$@"; do
    [ -s "$results/$kind.count" ] || complain "the tests called $kind were not counted"
done
read -r passed failed skipped < <(cat "$results"/{unit,oracle,integration,complaints}.count 2>/dev/null | add_up)
if [ $((passed + failed)) -eq 0 ]; then
    complain "no test ran"
    failed=1
fi
# A green run needs its stacks no more.
[ "$failed" -gt 0 ] || delete_stacks
echo "the slowest, in seconds:"
cat "$results"/*.took | sort -rn | awk 'NR <= 20 { printf "%7.1f  %s\n", $1, substr($0, index($0, " ") + 1) }'
# For whoever adds up several runs.
echo "$passed $failed $skipped" >"$results/count"
cat "$results"/*.failed >"$results/failed" 2>/dev/null || true
sed 's/^/failed: /' "$results/failed"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
