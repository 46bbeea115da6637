#!/usr/bin/env bash
# Runs the tests of one build: `run.sh unit`, `run.sh integration`, or both; each may fail without hiding the
# other. The last line is the count of all that ran. No test at all is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."

BUILD=${BUILD:-$PWD/build}
MODE=${MODE:-release}
BIN_DIR=${BIN_DIR:-$BUILD/$MODE}
export BUILD MODE BIN_DIR
results=$BIN_DIR/results
mkdir -p "$results"

passed=0 failed=0 skipped=0

add() { # add PASSED FAILED SKIPPED
    passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
}

# ---- unit: one cmocka program after another, counted by the TAP that it prints ---------------------
unit_program() { # unit_program NAME
    local log=$results/$1.log status=0 good bad skip
    CMOCKA_MESSAGE_OUTPUT=TAP timeout 300 "$BIN_DIR/tests/unit/$1" >"$log" 2>&1 || status=$?
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
    else
        printf '%-34s %s passed\n' "$1" "$good"
    fi
    add "$good" "$bad" "$skip"
}

unit() {
    local source name
    for source in tests/unit/test_*.c; do
        [ -e "$source" ] || continue
        name=$(basename "$source" .c)
        unit_program "$name"
    done
}

# ---- integration: pytest on an instance of the local stack (and of the oracle that judges what happened there),
# counted by its JUnit report
integration() {
    local report=$results/integration.xml status=0 counts arguments=()
    rm -f "$report"
    [ -z "${MARK:-}" ] || arguments+=(-m "$MARK")
    # shellcheck disable=SC2206 # TESTS is a list of words
    arguments+=(${TESTS:-tests/integration tests/scenarios tests/oracle})
    PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -m pytest -v --tb=short \
        --junitxml="$report" "${arguments[@]}" || status=$?
    counts=$(junit_counts "$report") || counts='0 1 0'
    # shellcheck disable=SC2086 # three numbers
    add $counts
    # Exit 5 is "collected nothing"; anything else without a failed test broke pytest itself.
    case $status/$counts in
    0/0\ *) complain "no integration test ran" ;;
    [!0]*/*\ 0\ *) complain "pytest ended with exit code $status" ;;
    esac
}

complain() { # complain MESSAGE
    echo "$1" >&2
    add 0 1 0
}

junit_counts() { # junit_counts REPORT: prints "passed failed skipped"
    /usr/bin/python3 - "$1" <<-'PYTHON'
	import sys
	import xml.etree.ElementTree

	suites = xml.etree.ElementTree.parse(sys.argv[1]).iter("testsuite")
	total = failed = skipped = 0
	for suite in suites:
	    total += int(suite.get("tests"))
	    failed += int(suite.get("failures")) + int(suite.get("errors"))
	    skipped += int(suite.get("skipped"))
	print(total - failed - skipped, failed, skipped)
	PYTHON
}

for kind in "$@"; do
    case $kind in
    unit | integration) "$kind" ;;
    *)
        echo "usage: run.sh unit|integration..." >&2
        exit 64
        ;;
    esac
done

if [ $((passed + failed)) -eq 0 ]; then
    complain "no test ran"
fi
# For whoever adds up several runs.
echo "$passed $failed $skipped" >"$results/count"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
