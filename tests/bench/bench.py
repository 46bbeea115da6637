#!/usr/bin/python3
"""Measures usher on the real stack, beside the floor of its parts and beside its rivals.

`bench.py quick` is `make bench`, `bench.py full` is `make bench-full`. BENCH_SCALE=0.01 tries the suite out: everything
smaller. Exit code 1: the books of a workload did not balance, or it broke; a target that was missed is only said.
"""
import argparse
import contextlib
import json
import signal
import sys
import time

import report
import suite
from instance import DIRECTORY, Broken, Instance
from run import CountsWrong, Run

COMMANDS = {"quick": "make bench", "full": "make bench-full"}


def progress(text):
    print(text, file=sys.stderr, flush=True)


def measure(stage, run):
    """One instance with what is measured on it; what goes wrong is kept, and the next stage begins."""
    progress(stage.title)
    started = time.monotonic()
    try:
        with Instance(**stage.settings) if stage.settings else contextlib.nullcontext() as instance:
            stage.measure(instance, run)
    except (CountsWrong, Broken) as error:
        run.fault(stage.title, str(error))
        progress(f"  {error}")
    progress(f"  {time.monotonic() - started:.0f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=COMMANDS)
    parser.add_argument("--only", metavar="WORD", help="stages with this word in their titles")
    parser.add_argument("--result", metavar="FILE", help="keep the figures here, as JSON")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_signal: sys.exit(143))
    run = Run(arguments.kind)
    for stage in suite.STAGES[arguments.kind]:
        if not arguments.only or arguments.only in stage.title:
            measure(stage, run)
    result = {**run.as_json(), "machine": report.machine(), "command": COMMANDS[arguments.kind]}
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    (DIRECTORY / "result.json").write_text(json.dumps(result, indent=1), encoding="utf-8")
    if arguments.result:
        with open(arguments.result, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
    print("\n".join(report.plain(result)))
    progress(f"report: {report.write(result, DIRECTORY)}")
    sys.exit(1 if run.faults else 0)


if __name__ == "__main__":
    main()
